/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * connect: plan, preflight, connect, prove; prints the mapping. The order is the safety: everything that can
 * be known is asked before the first write, and what was done is read back from the kernel.
 */
#include "cmd/cmd.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "apply/fx_irqbalance.h"
#include "apply/fx_nvme.h"
#include "apply/fx_path.h"
#include "apply/fx_signals.h"
#include "apply/run.h"
#include "apply/undo.h"
#include "base/clock.h"
#include "base/log.h"
#include "cmd/defer.h"
#include "cmd/live.h"
#include "cmd/outcome.h"
#include "cmd/place.h"
#include "cmd/prove.h"
#include "cmd/request.h"
#include "facts/facts.h"
#include "policy/policy.h"

#define PREFLIGHT_MS 4000 /* of address resolution; the kernel gives up on ARP after 3 s */
#define WAIT_STEP_MS 250  /* between two looks at what --wait waits for */

struct connect {
	struct session *s;
	const struct options *options;
	struct config config;
	struct request *request;
	struct live live;
	struct fx fx;
	struct journal *journal;
	bool rolled_back;
};

/* --- before anything --- */

static int check_platform(const struct connect *c, struct err *err)
{
	const struct dmi *dmi = &c->s->topo->dmi;

	if (c->options->platform && c->s->root.live)
		return err_set(err, XC_USAGE, -EINVAL, "platform",
			       "--platform replaces the DMI match only for show and --sysroot; to "
			       "connect, the machine itself must match a platform file");
	if (!c->s->platform_known)
		return err_set(err, XC_ENVIRONMENT, -ENODEV, dmi->product_name,
			       "no platform file matches this machine (sys_vendor \"%s\", product_name "
			       "\"%s\"): which ports are storage is unknown, so none is; describe it in "
			       "/" PLATFORMS_DIR,
			       dmi->sys_vendor, dmi->product_name);
	return 0;
}

/* --- planning --- */

static int plan_once(struct connect *c, struct err *err)
{
	struct session *s = c->s;
	int r = session_read(s, err);

	if (r == 0)
		r = plan_candidates(s->topo, s->classes, c->request, s->candidates, err);
	if (r == 0)
		r = facts_ask_routes(&s->root, s->topo, c->request, s->candidates, s->findings, err);
	if (r == 0 && s->root.live)
		r = fx_path_probe(&s->root, s->topo, c->request, s->candidates, PREFLIGHT_MS, err);
	if (r == 0)
		r = plan_connect(s->topo, s->classes, c->request, s->candidates, s->plan, s->findings, err);
	return r;
}

/* True if what is missing (an address, a carrier, an RDMA port) may still come. */
static bool may_come(const struct connect *c, int r, const struct err *err)
{
	if (r < 0)
		return err->exit == XC_ENVIRONMENT && (err->code == -EADDRNOTAVAIL || err->code == -ENODEV);
	for (unsigned i = 0; i < c->s->plan->skips; i++) {
		if (c->s->plan->skip[i].may_come)
			return true;
	}
	for (unsigned i = 0; i < c->s->plan->paths; i++) {
		enum path_reason reason = c->s->plan->path[i].reason;

		if (reason == PATH_ADDRESS_MISSING || reason == PATH_NO_RDMA_DEVICE)
			return true;
	}
	return false;
}

static int plan_waiting(struct connect *c, int64_t deadline, struct err *err)
{
	int64_t start = clock_us();
	bool wanting;
	int r;

	for (;;) {
		r = plan_once(c, err);
		wanting = may_come(c, r, err);
		if (!wanting || clock_ms() >= deadline || fx_signals_stop())
			break;
		*err = (struct err){ 0 };
		clock_sleep_ms(WAIT_STEP_MS);
	}
	log_elapsed("facts and preflight", start);
	if (wanting && c->options->wait_s > 0 && !fx_signals_stop()) {
		if (r < 0)
			err->exit = XC_TIMEOUT;
		for (unsigned i = 0; i < c->s->plan->skips; i++)
			c->s->plan->skip[i].timed_out = c->s->plan->skip[i].may_come;
	}
	return r;
}

/* Nothing is added: every path that would be is one that is not, and why tells the reason. */
static void drop_connects(struct plan *plan, enum path_action action, enum path_reason reason,
			  const char *why)
{
	for (unsigned i = 0; i < plan->paths; i++) {
		struct path *path = &plan->path[i];

		if (path->action != PATH_WOULD_CONNECT)
			continue;
		path->action = action;
		path->reason = reason;
		str_format(path->message, sizeof(path->message), "%s:%s from %s: not connected, %s",
			   path->id.traddr, path->id.trsvcid, path->id.host_traddr, why);
	}
}

/* --- the effects --- */

/* --atomic: all that this run did goes again, the newest first; the records of its connects cover it. */
static int roll_back(struct connect *c, unsigned placed, struct err *err)
{
	const struct journal_data *journal = journal_data(c->journal);
	struct session *s = c->s;
	struct steps *steps = s->steps;
	struct err told = { 0 };
	unsigned first;
	int r, undone;

	err_set(&told, XC_FAILED, -ECANCELED, "",
		"not all of the request could be done: what this run had made is removed again "
		"(--atomic)");
	session_fail(s, &told);
	r = place_take_back(s, &c->fx, c->journal, placed, err);
	first = steps->count;
	for (unsigned i = placed; i-- > 0;) {
		const struct step *made = &steps->step[i];

		if (made->kind != STEP_NVME_CONNECT || made->state == STEP_SKIPPED ||
		    !journal_owns(journal, &made->id, 0))
			continue;
		steps->step[steps->count] = *made;
		steps->step[steps->count].kind = STEP_NVME_DISCONNECT;
		steps->step[steps->count++].state = STEP_WOULD;
	}
	undone = undo_steps(&c->fx, c->journal, steps, first, true, s->plan, err);
	return r < 0 ? r : undone;
}

/* lower_place leaves room for what is taken back; one that failed its proof has its disconnect already. */
_Static_assert(STEPS_MAX / 2 >= PATHS_MAX, "each connect can be taken back");

/* The end of a run that broke off is its end, too, if it can still be written. */
static int end_run(struct connect *c, int ran, enum exit_class exit, struct err *err)
{
	struct err ignored = { 0 };
	int r = journal_end(c->journal, exit, true, ran < 0 ? &ignored : err);

	if (r < 0 && ran < 0)
		log_effect("the run stays open in the journal: %s", ignored.msg);
	return ran < 0 ? ran : r;
}

/* Whatever stopped the run, what is up now is read and reported. */
static int read_back(struct connect *c, int ran, struct err *err)
{
	struct err ignored = { 0 };
	int64_t start = clock_us();
	int r = outcome_read_back(c->s, ran < 0 ? &ignored : err);

	log_elapsed("namespaces", start);
	prove_note_unproven(c->s);
	return ran < 0 ? ran : r;
}

/*
 * The interrupts of all controllers that are up, whoever made them: vectors belong to the port. Over a bond,
 * which HCA they are of is what RDMA netlink says now.
 */
static int place(struct connect *c, struct err *err)
{
	struct session *s = c->s;
	int r = facts_read_cm_ids(&s->root, s->topo, s->findings, err);

	if (r == 0)
		r = session_read_queues(s, err);
	if (r == 0)
		r = place_read(s, c->request->cores_per_port, 0, err);
	if (r < 0)
		return r;
	r = place_apply(s, &c->fx, c->journal, (enum place_bans)c->request->irqbalance, err);
	return r == 0 ? place_advise(s, err) : r;
}

static bool has_changed(const struct session *s)
{
	return outcome_changed(s->plan) || place_has_changed(s);
}

static enum exit_class verdict(const struct connect *c)
{
	const struct session *s = c->s;
	enum exit_class exit = verdict_connect(s->plan, s->topo, c->options->dry_run, c->options->atomic);

	if (!c->rolled_back)
		return exit == XC_OK && !place_is_whole(s) ? XC_PARTIAL : exit;
	if (place_has_changed(s))
		return XC_PARTIAL;
	return exit == XC_OK ? XC_FAILED : exit;
}

static enum exit_class verdict_of(const struct connect *c, int r, const struct err *err)
{
	if (r == 0)
		return verdict(c);
	return has_changed(c->s) ? XC_PARTIAL : err->exit;
}

static int execute(struct connect *c, struct err *err)
{
	struct session *s = c->s;
	int64_t start = clock_us();
	enum exit_class exit;
	unsigned placed;
	int r = journal_begin(c->journal, "connect", c->options->argc, c->options->argv, err);

	if (r == 0)
		r = run_steps(&c->fx, c->journal, s->steps, s->plan, err);
	log_elapsed("all steps", start);
	placed = s->steps->count;
	r = read_back(c, r, err);
	if (r == 0)
		r = place(c, err);
	exit = verdict_of(c, r, err);
	if (c->options->atomic && exit != XC_OK && s->steps->count > 0) {
		struct err broken = { 0 };
		int undone = roll_back(c, placed, r < 0 ? &broken : err);

		c->rolled_back = true;
		r = read_back(c, r < 0 ? r : undone, err);
		outcome_link(s, true);
		exit = verdict_of(c, r, err);
	}
	s->result.changed = has_changed(s);
	return end_run(c, r, exit, err);
}

static int prepare(struct connect *c, struct err *err)
{
	struct session *s = c->s;
	int r;

	c->request = &c->config.request;
	request_defaults(c->request);
	r = facts_read_config(&s->root, c->options->config, &c->config, err);
	s->bad_file = r < 0;
	if (r == 0)
		r = request_make(c->options, c->request, err);
	if (r == 0)
		r = session_check_tree(s, c->options, err);
	if (r == 0)
		r = session_identify(s, c->options, err);
	if (r == 0)
		r = session_refuse_arm_side(s, err);
	if (r == 0)
		r = check_platform(c, err);
	if (r == 0)
		r = defer_decide(s, c->options, &c->config, err);
	if (r == 0) /* who does nothing needs no rights; but other addresses would be taken for the card's */
		r = s->result.deferred ? session_check_netns(s, err)
				       : session_check_environment(s, c->options, err);
	return r;
}

/* --irqbalance refuse: it would move what is placed, and must not be talked to. */
static int check_irqbalance(struct connect *c, struct err *err)
{
	struct irqbalance *balance = c->s->balance;
	struct err why = { 0 };

	if (c->request->irqbalance != REQUEST_REFUSE || !c->s->root.live || geteuid() != 0)
		return 0; /* a dry run of others cannot know */
	if (fx_irqbalance_read(&c->s->root, IRQBALANCE_WAIT_MS, balance, &why) == 0 &&
	    balance->state == IRQBALANCE_ABSENT)
		return 0;
	balance->state = IRQBALANCE_REFUSED;
	str_format(balance->message, sizeof(balance->message), "%s",
		   why.msg[0] != '\0' ? why.msg : "irqbalance runs");
	c->s->result.irqbalance = balance;
	return err_set(
		err, XC_REFUSED, -EBUSY, "irqbalance",
		"irqbalance runs, or nobody can say that it does not (--irqbalance refuse): it would move "
		"what is placed; nothing was done");
}

/* The lock, then the plan; --wait bounds both together. */
static int make_plan(struct connect *c, struct err *err)
{
	int64_t deadline = clock_ms() + (int64_t)c->options->wait_s * 1000;
	struct session *s = c->s;
	bool clean = true;
	int r = 0;

	if (!c->options->dry_run)
		r = session_open_journal(s, c->options->wait_s, &c->journal, err);
	if (r == 0)
		r = plan_waiting(c, deadline, err);
	if (r < 0)
		return r;
	s->result.plan = s->plan;
	r = prove_kept(s, &c->live, c->options->dry_run ? 0 : LIVE_SETTLE_MS, &clean, err);
	if (!clean)
		drop_connects(s->plan, PATH_FAILED, PATH_PROOF_MISMATCH,
			      "since a controller that exists is on the wrong device");
	if (c->options->atomic && verdict_connect(s->plan, s->topo, true, true) != XC_OK)
		drop_connects(s->plan, PATH_NONE, PATH_OTHER,
			      "since not all of the request can be (--atomic)");
	if (r == 0)
		r = lower_connect(s->plan, s->topo, s->classes, c->request, s->steps, err);
	if (r == 0)
		s->result.steps = s->steps;
	return r;
}

/* A dry run: where the interrupts that exist would go. */
static int plan_place(struct connect *c, struct err *err)
{
	struct session *s = c->s;
	int r = place_read(s, c->request->cores_per_port, (unsigned)c->request->opts.nr_io_queues, err);

	if (r < 0)
		return r;
	r = place_advise(s, err);
	if (r == 0)
		r = lower_place(s->topo, s->classes, s->affinity, s->steps, err);
	s->result.changed |= s->steps->count > 0;
	return r;
}

static int connect_paths(struct connect *c, struct err *err)
{
	bool effects = !c->options->dry_run;
	struct session *s = c->s;
	int r = s->root.live ? fx_nvme_available(&s->root, err) : 0;

	if (r == 0)
		r = facts_read_identity(&s->root, c->request, err);
	if (r == 0)
		r = live_open(&c->live, &s->root, err);
	if (r == 0 && effects)
		r = live_effects(&c->live, s->topo, s->classes, &c->fx, err);
	if (r == 0)
		r = check_irqbalance(c, err);
	if (r == 0)
		r = make_plan(c, err);
	if (r == 0)
		r = session_read_offload(s, err);
	if (r < 0)
		return r;
	s->result.changed = s->steps->count > 0;
	if (effects) {
		session_note_unfinished(
			s, journal_data(c->journal),
			"what it had made is kept, and what is asked for is completed; teardown "
			"undoes it");
		r = execute(c, err);
	}
	outcome_errors(s);
	if (r == 0)
		r = session_read_queues(s, err);
	if (r == 0 && !effects)
		r = plan_place(c, err);
	place_errors(s);
	return r;
}

static enum exit_class run(struct session *s, const struct options *options)
{
	/* On the heap: it holds the config, which is large for a stack. */
	_cleanup_free_ struct connect *c = calloc(1, sizeof(*c));
	struct err err = { 0 };
	enum exit_class exit = XC_OK;
	int r;

	if (!c) {
		err_set(&err, XC_ENVIRONMENT, -ENOMEM, "", "out of memory");
		return session_fail(s, &err);
	}
	c->s = s;
	c->options = options;
	r = prepare(c, &err);
	if (r == 0)
		r = s->result.deferred ? defer_connect(s, options, c->request, &err) : connect_paths(c, &err);
	if (r < 0)
		exit = session_fail(s, &err);
	else if (!s->result.deferred)
		exit = verdict(c);
	if (r < 0 && has_changed(s))
		exit = XC_PARTIAL;
	journal_close(c->journal);
	live_close(&c->live);
	return exit;
}

const struct command command_connect = {
	.name = "connect",
	.summary = "Connect to NVMe-oF/RDMA targets from storage ports only, and prove it",
	.usage = "[-a ADDRESS]... [-n NQN] [OPTION...]",
	.options = options_connect,
	.run = run,
};
