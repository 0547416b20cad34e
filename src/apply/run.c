/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Runs the steps: nothing is done that was not written down, nothing believed that was not read back. */
#include "apply/run.h"

#include <errno.h>
#include <string.h>

#include "apply/settle.h"
#include "apply/undo.h"
#include "base/clock.h"
#include "base/log.h"

struct run {
	const struct fx *fx;
	struct journal *journal;
	struct steps *steps;
	struct plan *plan;
	const char *ended; /* why no further step is begun; NULL: one is */
};

/* What becomes of one effect. */
struct outcome {
	int code; /* of the effect: 0, or -errno with reason and err */
	enum path_reason reason;
	struct err err;
	struct observed after;
};

/* The first cause is the one that is told. */
static void end_run(struct run *run, const char *why)
{
	if (!run->ended)
		run->ended = why;
}

/* --- what a step says ---------------------------------------------------------------------------- */

/* The planner keeps every step on storage ports; whatever its mistakes, this is where they end. */
static int refuse_step(const struct step *step, unsigned paths, struct err *err)
{
	char pci[PCI_TEXT_MAX];

	if (step->kind != STEP_NVME_CONNECT)
		return err_set(err, XC_FAILED, -EINVAL, step->id.nqn, "%s: a step that is no connect",
			       step->id.nqn);
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
	return settle_path(run->plan, step);
}

/* --- the world and the journal -------------------------------------------------------------------- */

static int observe(struct run *run, const struct step *step, struct observed *ret, struct err *err)
{
	int r = run->fx->observe(run->fx->ctx, step, ret, err);

	if (r < 0)
		end_run(run, "what is there could not be read");
	return r;
}

static int write_intent(struct run *run, const struct step *step, unsigned number,
			const struct observed *before, struct err *err)
{
	int r = journal_intent(run->journal, step, number, settle_state(before), err);

	if (r < 0)
		end_run(run, "the journal failed");
	return r;
}

static int close_record(struct run *run, const struct step *step, unsigned number, enum journal_state state,
			const struct observed *after, struct err *err)
{
	struct journal_after left = { .state = settle_state(after), .cntlid = -1 };
	int r;

	if (after->there) {
		left.cntlid = after->cntlid;
		left.inode = after->inode;
	}
	/* Whatever was there before stopped the step: it was begun on nothing. */
	r = journal_outcome(run->journal, step, number, state, "absent", &left, err);
	if (r < 0)
		end_run(run, "the journal failed");
	return r;
}

static void perform(struct run *run, const struct step *step, struct outcome *ret)
{
	char object[STEP_TEXT_MAX];
	int64_t start = clock_us();

	*ret = (struct outcome){ .reason = PATH_OTHER };
	log_effect("%s %s", step_kind_name(step->kind), step_object(step, object));
	ret->code = run->fx->perform(run->fx->ctx, step, &ret->reason, &ret->err);
	log_elapsed(ret->code == 0 ? "done" : "failed", start);
}

/* --- connect ----------------------------------------------------------------------------------- */

#define WHY_MAX 512

/* A path that failed keeps its message, whatever the proof says. */
static enum proof_verdict prove(struct run *run, const struct step *step, char why[static WHY_MAX])
{
	struct path *path = path_of(run, step);
	int64_t start = clock_us();
	enum proof_verdict verdict = run->fx->prove(run->fx->ctx, step, why, WHY_MAX);

	log_elapsed("proof", start);
	switch (verdict) {
	case VERDICT_PROVEN:
		if (path->reason == PATH_REASON_NONE)
			path->proof = PROOF_RDMA_NETLINK;
		break;
	case VERDICT_UNKNOWN:
		if (path->reason == PATH_REASON_NONE)
			str_format(path->message, sizeof(path->message), "%s", why);
		break;
	case VERDICT_MISMATCH:
		end_run(run, "a path before it was on the wrong device");
		break;
	}
	return verdict;
}

/* Somebody made it between planning and now. It stays, wherever it is; what is ours does not come to it. */
static void keep(struct run *run, struct step *step, const struct observed *before)
{
	struct path *path = path_of(run, step);
	char why[WHY_MAX] = "";

	step->state = STEP_SKIPPED;
	path->action = PATH_KEPT;
	if (prove(run, step, why) != VERDICT_MISMATCH)
		return;
	path->reason = PATH_PROOF_MISMATCH;
	str_format(path->message, sizeof(path->message),
		   "%s; this run did not make it; remove it: nvme disconnect -d nvme%d", why,
		   before->instance);
}

/* What needs no effect, or must have none. True: the step is settled. */
static bool settle_before(struct run *run, struct step *step, const struct observed *before)
{
	char pci[PCI_TEXT_MAX];

	if (before->there && before->live) {
		keep(run, step, before);
		return true;
	}
	if (before->there) {
		settle_failed(
			run->plan, step, PATH_OTHER,
			"such a controller is there, in state %s; wait until it is live, or disconnect it",
			settle_state(before));
		return true;
	}
	if (!before->source_on_port) {
		settle_failed(run->plan, step, PATH_ADDRESS_MISSING, "source %s is no longer on port %s",
			      step->id.host_traddr, pci_format(&step->pci, pci));
		return true;
	}
	return false;
}

/*
 * After an effect that the kernel refused, or that left no controller. The intent stays open where a
 * controller of ours may be: it was absent before, and is there after an effect that says that it failed; or
 * the kernel says that it made one, and it is not found (sysfs shows the names that the target gave).
 */
static int close_failed(struct run *run, struct step *step, unsigned number, const struct outcome *outcome,
			struct err *err)
{
	if (outcome->code == 0) {
		settle_failed(run->plan, step, PATH_OTHER,
			      "the kernel says that it is connected, and no such controller is there; look "
			      "with nvme "
			      "list-subsys");
		return 0;
	}
	settle_as_told(run->plan, step, outcome->reason, outcome->err.msg);
	if (outcome->code == -EINTR)
		end_run(run, "stopped by a signal");
	if (outcome->after.there && outcome->code != -EALREADY) /* that one is somebody else's */
		return 0;
	return close_record(run, step, number, JOURNAL_UNDONE, &outcome->after, err);
}

/* After an effect whose object cannot be looked at: nobody knows, so the intent stays open. */
static void fail_unread(struct run *run, struct step *step, const struct outcome *outcome)
{
	char message[sizeof(outcome->err.msg)];

	if (outcome->code == 0) {
		settle_failed(run->plan, step, PATH_OTHER,
			      "the kernel says that it is connected, and that could not be read back");
		return;
	}
	str_format(message, sizeof(message), "%s; whether a controller is left could not be read",
		   outcome->err.msg);
	settle_as_told(run->plan, step, outcome->reason, message);
}

/*
 * Its queues are where they must not be: it goes away at once, as a step of its own, and takes the place of
 * the path's outcome. The records of both stay: connect done, disconnect done.
 */
static int drop_mismatch(struct run *run, const struct step *connect, const char *why, struct err *err)
{
	struct path *path = path_of(run, connect);
	struct step step = *connect;
	struct err left = { 0 };
	int r;

	step.kind = STEP_NVME_DISCONNECT;
	r = undo_at_once(run->fx, run->journal, &step, run->steps->count + 1, &left, err);
	path->action = step.state == STEP_FAILED ? PATH_FAILED : PATH_DISCONNECTED;
	path->reason = PATH_PROOF_MISMATCH;
	if (step.state == STEP_FAILED)
		str_format(path->message, sizeof(path->message),
			   "%s; it could not be disconnected: %s; remove it with teardown", why, left.msg);
	else
		str_format(path->message, sizeof(path->message), "%s; %s", why,
			   step.state == STEP_SKIPPED ? "it is gone meanwhile" : "it was disconnected again");
	if (run->steps->count < STEPS_MAX)
		run->steps->step[run->steps->count++] = step;
	return r;
}

static int run_connect(struct run *run, struct step *step, unsigned number, struct err *err)
{
	struct path *path = path_of(run, step);
	struct outcome outcome;
	struct observed before;
	char why[WHY_MAX] = "";
	int r = observe(run, step, &before, err), dropped = 0;

	if (r < 0 || settle_before(run, step, &before))
		return r;
	r = write_intent(run, step, number, &before, err);
	if (r < 0)
		return r;
	perform(run, step, &outcome);
	r = observe(run, step, &outcome.after, err);
	if (r == 0 && (outcome.code < 0 || !outcome.after.there))
		return close_failed(run, step, number, &outcome, err);
	if (r < 0) {
		fail_unread(run, step, &outcome);
	} else {
		step->state = STEP_DONE;
		path->action = PATH_CONNECTED;
		path->owner = OWNER_US;
		step->inode = outcome.after.inode; /* whoever undoes it compares that, too */
		memcpy(step->stale_owner, outcome.after.owner, sizeof(step->stale_owner));
		r = close_record(run, step, number, JOURNAL_DONE, &outcome.after, err);
	}
	/* Whatever journal and sysfs say, the kernel made one: it must not stay on the wrong device. */
	if (outcome.code == 0 && prove(run, step, why) == VERDICT_MISMATCH)
		dropped = drop_mismatch(run, step, why, err);
	return r < 0 ? r : dropped;
}

int run_steps(const struct fx *fx, struct journal *journal, struct steps *steps, struct plan *plan,
	      struct err *err)
{
	struct run run = { .fx = fx, .journal = journal, .steps = steps, .plan = plan };
	unsigned count = steps->count;
	int r = 0;

	for (unsigned i = 0; r == 0 && i < count; i++) {
		r = refuse_step(&steps->step[i], plan->paths, err);
		if (r < 0)
			end_run(&run, "the plan holds a step that is refused");
	}
	for (unsigned i = 0; i < count; i++) {
		struct step *step = &steps->step[i];

		step->state = STEP_WOULD;
		if (fx->stop_requested(fx->ctx))
			end_run(&run, "stopped by a signal");
		if (run.ended) {
			settle_not_begun(plan, step, run.ended);
			continue;
		}
		r = run_connect(&run, step, i + 1, err);
		if (r < 0 && step->state == STEP_WOULD) /* journal or world broke it off */
			settle_failed(run.plan, step, PATH_OTHER, "%s", err->msg);
	}
	return r;
}
