/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Runs the steps: nothing is done that was not written down, nothing believed that was not read back. */
#include "apply/run.h"

#include <errno.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"

struct run {
	const struct fx *fx;
	struct journal *journal;
	struct steps *steps;
	struct plan *plan;
	struct run_stats *stats;
};

/* What becomes of one effect. */
struct outcome {
	int code; /* of the effect: 0, or -errno with reason and err */
	enum path_reason reason;
	struct err err;
	struct observed after;
};

/* The planner keeps every step on storage ports; whatever its mistakes, this is where they end. */
static int refuse_step(const struct step *step, unsigned paths, struct err *err)
{
	char pci[PCI_TEXT_MAX];

	if (step->role != ROLE_STORAGE)
		return err_set(err, XC_REFUSED, -EPERM, pci_format(&step->pci, pci),
			       "port %s: its role is %s; only storage ports are touched",
			       pci_format(&step->pci, pci), role_name(step->role));
	if (step->path < 0 || (unsigned)step->path >= paths)
		return err_set(err, XC_FAILED, -EINVAL, step->id.nqn, "%s: a step without a path",
			       step->id.nqn);
	return 0;
}

static struct path *path_of(const struct run *run, const struct step *step)
{
	return &run->plan->path[step->path];
}

static void fail(struct run *run, struct step *step, enum path_reason reason, const char *message)
{
	struct path *path = path_of(run, step);

	step->state = STEP_FAILED;
	run->stats->failed++;
	path->action = PATH_FAILED;
	path->reason = reason;
	str_format(path->message, sizeof(path->message), "%s", message);
}

static void skip(struct run *run, struct step *step)
{
	step->state = STEP_SKIPPED;
	run->stats->skipped++;
}

static const char *state_of(const struct observed *o)
{
	return !o->there ? "absent" : o->state[0] ? o->state : "unknown";
}

/* Intent, effect, read back. -errno: the journal or the world failed; the outcome is not journalled yet. */
static int do_step(struct run *run, const struct step *step, unsigned number, const struct observed *before,
		   struct outcome *ret, struct err *err)
{
	char object[STEP_TEXT_MAX];
	int r = refuse_step(step, run->plan->paths, err);
	int64_t start;

	*ret = (struct outcome){ .reason = PATH_OTHER };
	if (r == 0)
		r = journal_intent(run->journal, step, number, state_of(before), err);
	if (r < 0)
		return r;
	log_effect("%s %s", step_kind_name(step->kind), step_object(step, object));
	start = clock_us();
	ret->code = run->fx->perform(run->fx->ctx, step, &ret->reason, &ret->err);
	log_elapsed(ret->code == 0 ? "done" : "failed", start);
	return run->fx->observe(run->fx->ctx, step, &ret->after, err);
}

static int close_record(struct run *run, const struct step *step, unsigned number, enum journal_state state,
			const struct observed *after, struct err *err)
{
	return journal_outcome(run->journal, step, number, state, state_of(after),
			       after->there ? after->cntlid : -1, err);
}

/* --- disconnect -------------------------------------------------------------------------------- */

/* What is wanted is that it is gone; whether by us is the journal's business. */
static int run_disconnect(struct run *run, struct step *step, unsigned number, struct err *err)
{
	struct outcome outcome;
	struct observed before;
	int r = run->fx->observe(run->fx->ctx, step, &before, err);

	if (r < 0)
		return r;
	if (!before.there) {
		skip(run, step);
		return 0;
	}
	r = do_step(run, step, number, &before, &outcome, err);
	if (r < 0)
		return r;
	/* Another one with the same names may have come in its place: that is not ours. */
	outcome.after.there = outcome.after.there && outcome.after.instance == before.instance &&
			      outcome.after.cntlid == before.cntlid;
	if (!outcome.after.there) {
		step->state = STEP_DONE;
		path_of(run, step)->action = PATH_DISCONNECTED;
	} else {
		fail(run, step, outcome.reason,
		     outcome.code < 0 ? outcome.err.msg : "is still there after its deletion");
	}
	return close_record(run, step, number, step->state == STEP_DONE ? JOURNAL_DONE : JOURNAL_UNDONE,
			    &outcome.after, err);
}

/*
 * Its queues are where they must not be: it goes away at once, as a step of its own, and takes the place of
 * the path's outcome. The records of both stay: connect done, disconnect done.
 */
static int drop_mismatch(struct run *run, const struct step *connect, const char *why, struct err *err)
{
	const char *end = "; it was disconnected again";
	struct run_stats stats = *run->stats;
	struct path *path = path_of(run, connect);
	struct step step = *connect;
	char message[sizeof(path->message)];
	int r;

	step.kind = STEP_NVME_DISCONNECT;
	step.state = STEP_FAILED; /* until it is known better */
	r = run_disconnect(run, &step, run->steps->count + 1, err);
	str_format(message, sizeof(message), "%s", r < 0 ? err->msg : path->message);
	if (step.state == STEP_SKIPPED)
		end = "; it is gone meanwhile";
	if (step.state != STEP_FAILED)
		str_format(path->message, sizeof(path->message), "%s%s", why, end);
	else
		str_format(path->message, sizeof(path->message),
			   "%s; it could not be disconnected: %s; remove it with nvme disconnect", why,
			   message);
	path->action = step.state == STEP_FAILED ? PATH_FAILED : PATH_DISCONNECTED;
	path->reason = PATH_PROOF_MISMATCH;
	stats.done--; /* one path, one outcome */
	stats.failed++;
	stats.mismatched = true;
	*run->stats = stats;
	if (run->steps->count < STEPS_MAX)
		run->steps->step[run->steps->count++] = step;
	return r;
}

/* --- connect ----------------------------------------------------------------------------------- */

static int prove(struct run *run, const struct step *step, struct err *err)
{
	struct path *path = path_of(run, step);
	char why[sizeof(path->message)] = "";
	int64_t start = clock_us();
	enum proof_verdict verdict = run->fx->prove(run->fx->ctx, step, why, sizeof(why));

	log_elapsed("proof", start);
	switch (verdict) {
	case VERDICT_PROVEN:
		path->proof = PROOF_RDMA_NETLINK;
		return 0;
	case VERDICT_UNKNOWN:
		run->stats->unproven++;
		memcpy(path->message, why, sizeof(path->message));
		return 0;
	case VERDICT_MISMATCH:
		break;
	}
	return drop_mismatch(run, step, why, err);
}

/* After an effect that the kernel refused, or that left no controller. */
static int close_failed(struct run *run, struct step *step, unsigned number, const struct outcome *outcome,
			struct err *err)
{
	if (outcome->code == 0) {
		fail(run, step, PATH_OTHER, "the kernel connected it, and it was gone when looked for");
	} else {
		fail(run, step, outcome->reason, outcome->err.msg);
		run->stats->stopped = run->stats->stopped || outcome->code == -EINTR;
	}
	/*
	 * A controller that was absent before and is there after our effect is ours, even if the effect says
	 * that it failed: its intent stays open. Unless it is known to be
	 * somebody else's.
	 */
	if (outcome->after.there && outcome->code != -EALREADY)
		return 0;
	return close_record(run, step, number, JOURNAL_UNDONE, &outcome->after, err);
}

/* What needs no effect, or must have none. True: the step is settled. */
static bool settle_before(struct run *run, struct step *step, const struct observed *before)
{
	char message[256];

	if (before->there && before->live) {
		skip(run, step);
		path_of(run, step)->action = PATH_KEPT;
		return true;
	}
	if (before->there) {
		str_format(message, sizeof(message),
			   "such a controller is there, in state %s; wait until it is live, or disconnect it",
			   state_of(before));
		fail(run, step, PATH_OTHER, message);
		return true;
	}
	if (!before->source_on_port) {
		char pci[PCI_TEXT_MAX];

		str_format(message, sizeof(message), "source %s is no longer on port %s",
			   step->id.host_traddr, pci_format(&step->pci, pci));
		fail(run, step, PATH_ADDRESS_MISSING, message);
		return true;
	}
	return false;
}

static int run_connect(struct run *run, struct step *step, unsigned number, struct err *err)
{
	struct path *path = path_of(run, step);
	struct outcome outcome;
	struct observed before;
	int r = run->fx->observe(run->fx->ctx, step, &before, err);

	if (r < 0 || settle_before(run, step, &before))
		return r;
	r = do_step(run, step, number, &before, &outcome, err);
	if (r < 0)
		return r;
	if (outcome.code < 0 || !outcome.after.there)
		return close_failed(run, step, number, &outcome, err);
	step->state = STEP_DONE;
	run->stats->done++;
	path->action = PATH_CONNECTED;
	path->owner = OWNER_US;
	r = close_record(run, step, number, JOURNAL_DONE, &outcome.after, err);
	return r < 0 ? r : prove(run, step, err);
}

static int run_step(struct run *run, struct step *step, unsigned number, struct err *err)
{
	switch (step->kind) {
	case STEP_NVME_CONNECT:
		return run_connect(run, step, number, err);
	case STEP_NVME_DISCONNECT:
		break;
	}
	return run_disconnect(run, step, number, err);
}

/* A step that the journal or the world broke off says so; what is not begun is skipped. */
static void break_off(struct run *run, struct step *step, const struct err *err)
{
	if (step->state == STEP_WOULD)
		fail(run, step, PATH_OTHER, err->msg);
}

int run_steps(const struct fx *fx, struct journal *journal, struct steps *steps, struct plan *plan,
	      struct run_stats *ret, struct err *err)
{
	struct run run = { .fx = fx, .journal = journal, .steps = steps, .plan = plan, .stats = ret };
	unsigned count = steps->count;
	int r = 0;

	*ret = (struct run_stats){ 0 };
	for (unsigned i = 0; r == 0 && i < count; i++) {
		steps->step[i].state = STEP_WOULD;
		r = refuse_step(&steps->step[i], plan->paths, err);
	}
	for (unsigned i = 0; i < count; i++) {
		struct step *step = &steps->step[i];

		ret->stopped = ret->stopped || fx->stop_requested(fx->ctx);
		if (r < 0 || ret->stopped || ret->mismatched) {
			skip(&run, step);
			continue;
		}
		r = run_step(&run, step, i + 1, err);
		if (r < 0)
			break_off(&run, step, err);
	}
	return r;
}
