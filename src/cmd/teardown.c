/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * teardown: what the journal says is ours goes, and nothing else. All is judged under the lock, right before
 * the first removal: whose controller it is, and who would miss its namespaces.
 */
#include "cmd/cmd.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "apply/fx_signals.h"
#include "apply/undo.h"
#include "base/clock.h"
#include "base/log.h"
#include "cmd/live.h"
#include "cmd/outcome.h"
#include "cmd/place.h"
#include "facts/facts.h"

#define UNSETTLED_STEP_MS 100 /* between two looks at controllers that have no name yet */

struct undoing {
	struct session *s;
	const struct options *options;
	struct live live;
	struct fx fx;
	struct journal *journal;  /* NULL in a dry run */
	struct journal_data read; /* of a dry run */
	struct teardown teardown;
	int64_t deadline;
};

static int check_options(const struct options *options, struct err *err)
{
	if (options->nqn && parse_nqn(options->nqn) < 0)
		return err_set(err, XC_USAGE, -EINVAL, "nqn", "--nqn: not a valid NQN");
	return 0;
}

/* --- what is ours --- */

static int read_journal(struct undoing *u, struct err *err)
{
	int r = journal_read(&u->s->root, &u->read, err);

	if (r == 0 && u->read.other_boot)
		finding_add(u->s->findings, FINDING_WARN, "journal.boot", "/" JOURNAL_DIR "/" JOURNAL_FILE,
			    JOURNAL_DIR "/" JOURNAL_FILE,
			    "the journal is of an earlier boot, of which nothing is left");
	u->s->kept_findings = u->s->findings->count;
	if (r == 0 && u->read.there && !u->read.readable)
		r = err_set(err, XC_ENVIRONMENT, -EACCES, JOURNAL_DIR,
			    "/" JOURNAL_DIR "/" JOURNAL_FILE
			    ": only root can read it, and so say what would be removed; run it as root");
	return r;
}

static int open_claims(struct undoing *u, struct err *err)
{
	const struct options *options = u->options;
	struct session *s = u->s;
	int r = options->dry_run ? read_journal(u, err)
				 : session_open_journal(s, options->wait_s, &u->journal, err);

	if (r < 0)
		return r;
	u->deadline = clock_ms() + (int64_t)options->timeout_s * 1000;
	r = journal_claims(u->journal ? journal_data(u->journal) : &u->read, s->claims);
	return r < 0 ? err_set(err, XC_ENVIRONMENT, r, JOURNAL_DIR,
			       "the journal lists more than %d controllers (JOURNAL_CLAIMS_MAX)",
			       JOURNAL_CLAIMS_MAX)
		     : 0;
}

/* --- what goes --- */

static int find_port(const struct undoing *u, int *ret, struct err *err)
{
	const char *name = u->options->port;
	struct session *s = u->s;

	*ret = -1;
	if (!name)
		return 0;
	*ret = port_by_name(s->topo, s->classes, name);
	if (*ret == -2)
		return err_set(err, XC_USAGE, -ENOTUNIQ, name,
			       "--port %s fits more than one port; use a PCI address", name);
	if (*ret < 0)
		return err_set(err, XC_USAGE, -ENODEV, name,
			       "--port %s: no port of this machine has that name; show lists them", name);
	return 0;
}

static int plan_once(struct undoing *u, struct err *err)
{
	struct session *s = u->s;
	int r = session_read(s, err);

	u->teardown = (struct teardown){ .nqn = u->options->nqn, .force = u->options->force };

	if (r == 0 && s->claims->count > 0)
		r = facts_read_uses(&s->root, s->topo, s->findings, err);
	if (r == 0)
		r = find_port(u, &u->teardown.port, err);
	if (r == 0)
		r = plan_teardown(s->topo, s->classes, s->claims, &u->teardown, s->plan, s->findings, err);
	return r;
}

/*
 * True while it is worth another look: a controller without a name yet gets one, or goes, when its first
 * connect is over. What can go at once does not wait for that.
 */
static bool is_unsettled(const struct plan *plan)
{
	bool unnamed = false;

	for (unsigned i = 0; i < plan->paths; i++) {
		if (plan->path[i].action == PATH_WOULD_DISCONNECT)
			return false;
		unnamed |= plan->path[i].reason == PATH_FIRST_CONNECT || plan->path[i].reason == PATH_PENDING;
	}
	return unnamed;
}

static bool would_change(const struct steps *steps)
{
	for (unsigned i = 0; i < steps->count; i++) {
		if (steps->step[i].state == STEP_WOULD)
			return true;
	}
	return false;
}

static int make_plan(struct undoing *u, struct err *err)
{
	struct session *s = u->s;
	int r = plan_once(u, err);

	while (r == 0 && u->journal && is_unsettled(s->plan) && clock_ms() < u->deadline &&
	       !fx_signals_stop()) {
		clock_sleep_ms(UNSETTLED_STEP_MS);
		r = plan_once(u, err);
	}
	if (r == 0 && s->plan->paths == 0 && s->claims->count > 0)
		finding_add(s->findings, FINDING_WARN, "teardown.selection", "/" JOURNAL_DIR "/" JOURNAL_FILE,
			    JOURNAL_DIR "/" JOURNAL_FILE,
			    "the journal lists %u controllers, and none of them is what --nqn or --port says",
			    s->claims->count);
	if (r == 0)
		r = lower_teardown(s->plan, s->topo, s->classes, s->claims, s->steps, err);
	if (r < 0)
		return r;
	s->result.plan = s->plan;
	s->result.steps = s->steps;
	s->result.changed = would_change(s->steps);
	return 0;
}

/* --- the effects --- */

/* What was not put back is left, as a controller is. */
static enum exit_class verdict(const struct session *s)
{
	enum exit_class exit = verdict_teardown(s->plan);

	if (exit == XC_OK)
		return place_is_whole(s) ? XC_OK : XC_PARTIAL;
	return exit == XC_REFUSED && place_has_changed(s) ? XC_PARTIAL : exit;
}

/* Something went, or is on its way. */
static bool has_changed(const struct session *s)
{
	for (unsigned i = 0; i < s->steps->count; i++) {
		const struct step *step = &s->steps->step[i];

		if (step->state == STEP_DONE || (step->state == STEP_FAILED && step->path >= 0 &&
						 s->plan->path[step->path].reason == PATH_PENDING))
			return true;
	}
	return false;
}

/* What the run did not come to is not done: nothing "would" be. */
static void settle_rest(struct plan *plan)
{
	for (unsigned i = 0; i < plan->paths; i++) {
		struct path *path = &plan->path[i];

		if (path->action != PATH_WOULD_DISCONNECT)
			continue;
		path->action = PATH_FAILED;
		path->reason = PATH_OTHER;
		str_format(path->message, sizeof(path->message), "%s:%s from %s: not begun", path->id.traddr,
			   path->id.trsvcid, path->id.host_traddr);
	}
}

static int execute(struct undoing *u, struct err *err)
{
	struct session *s = u->s;
	int64_t start = clock_us(), left_ms = u->deadline - clock_ms();
	struct err ignored = { 0 };
	enum exit_class exit;
	int r, ended;

	u->live.removal_s = left_ms > 0 ? (int)((left_ms + 999) / 1000) : 0;
	u->live.stop_ends_it = true;
	r = journal_begin(u->journal, "teardown", u->options->argc, u->options->argv, err);
	if (r == 0)
		r = undo_steps(&u->fx, u->journal, s->steps, 0, false, s->plan, err);
	if (r == 0) /* also after a signal: it takes no time, and is not to be forgotten */
		r = place_restore(s, &u->fx, u->journal, journal_data(u->journal), &u->teardown, err);
	log_elapsed("all removals", start);
	settle_rest(s->plan);
	s->result.changed = has_changed(s) || place_has_changed(s);
	exit = r < 0 ? err->exit : verdict(s);
	ended = journal_end(u->journal, exit, r == 0, r < 0 ? &ignored : err);
	return r < 0 ? r : ended;
}

/* What is there now is what is reported; a path that was removed has no controller, whoever has its names. */
static int read_back(struct undoing *u, struct err *err)
{
	struct session *s = u->s;
	int r = facts_read_nvme(&s->root, s->topo, s->findings, err);

	if (r < 0)
		return r;
	outcome_link(s, true);
	for (unsigned i = 0; i < s->plan->paths; i++) {
		if (s->plan->path[i].action == PATH_DISCONNECTED || s->plan->path[i].action == PATH_NONE)
			s->plan->path[i].ctrl = -1;
	}
	session_prove_paths(s);
	return 0;
}

static int undo_claims(struct undoing *u, struct err *err)
{
	struct session *s = u->s;
	struct err unread = { 0 };
	int r = make_plan(u, err), back;

	if (r < 0)
		return r;
	if (u->journal) {
		session_note_unfinished(s, journal_data(u->journal),
					"what it had made is undone as the rest is");
		r = execute(u, err);
	} else {
		session_note_unfinished(s, &u->read,
					"connect again completes it, teardown without --dry-run undoes it");
		r = place_restore(s, NULL, NULL, &u->read, &u->teardown, err);
		s->result.changed = would_change(s->steps);
	}
	back = read_back(u, r < 0 ? &unread : err);
	outcome_errors(s);
	place_errors(s);
	if (r < 0 || back < 0)
		return r < 0 ? r : back;
	return session_read_queues(s, err);
}

static int tear_down(struct undoing *u, struct err *err)
{
	struct session *s = u->s;
	int r = check_options(u->options, err);

	if (r == 0)
		r = session_check_environment(s, u->options, err);
	if (r == 0 && s->root.live && !facts_initial_pidns())
		r = err_set(err, XC_ENVIRONMENT, -EPERM, "",
			    "this is not the initial PID namespace: what the rest of the machine has mounted "
			    "is not "
			    "seen from here; run it there (nsenter --pid --mount --target 1)");
	if (r == 0)
		r = session_identify(s, u->options, err);
	if (r == 0)
		r = session_refuse_arm_side(s, err);
	if (r == 0)
		r = live_open(&u->live, &s->root, err);
	if (r == 0 && !u->options->dry_run)
		r = live_effects(&u->live, s->topo, s->classes, &u->fx, err);
	if (r == 0)
		r = open_claims(u, err);
	return r == 0 ? undo_claims(u, err) : r;
}

static enum exit_class run(struct session *s, const struct options *options)
{
	struct undoing u = { .s = s, .options = options };
	struct err err = { 0 };
	enum exit_class exit;

	if (tear_down(&u, &err) < 0) {
		exit = session_fail(s, &err);
		if (s->result.changed && !options->dry_run)
			exit = XC_PARTIAL;
	} else {
		exit = verdict(s);
	}
	journal_data_free(&u.read);
	journal_close(u.journal);
	live_close(&u.live);
	return exit;
}

const struct command command_teardown = {
	.name = "teardown",
	.summary = "Undo what connect did: remove our controllers, and nothing else",
	.usage = "[--nqn NQN] [--port PORT] [OPTION...]",
	.options = options_teardown,
	.run = run,
};
