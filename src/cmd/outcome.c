/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a run came to: reads back what there is, and words what is not. */
#include "cmd/outcome.h"

#include <errno.h>
#include <string.h>

#include "apply/fx_signals.h"
#include "base/clock.h"
#include "facts/facts.h"

#define NAMESPACES_MS 5000 /* the kernel scans after the connect has returned */
#define NAMESPACES_STEP_MS 50

void outcome_link(struct session *s, bool leaving)
{
	for (unsigned i = 0; i < s->plan->paths; i++) {
		struct path *path = &s->plan->path[i];

		path->ctrl = -1;
		for (unsigned k = 0; k < s->topo->ctrls && path->ctrl < 0; k++) {
			if ((leaving || !ctrl_state_is_gone(s->topo->ctrl[k].state)) &&
			    ctrl_id_equal(&s->topo->ctrl[k].id, &path->id))
				path->ctrl = (int)k;
		}
	}
}

static bool has_namespace(const struct topology *topo, int ctrl)
{
	for (unsigned i = 0; i < topo->nss; i++) {
		if ((int)topo->ns[i].ctrl == ctrl)
			return true;
	}
	return false;
}

/* Paths of this run without a namespace; report says so if it stays. */
static unsigned without_namespace(struct session *s, bool report)
{
	unsigned count = 0;

	for (unsigned i = 0; i < s->plan->paths; i++) {
		const struct path *path = &s->plan->path[i];

		if (path->action != PATH_CONNECTED || has_namespace(s->topo, path->ctrl))
			continue;
		count++;
		if (report)
			finding_add(s->findings, FINDING_WARN, "paths.namespaces", path->id.host_traddr,
				    "sys/class/nvme",
				    "%s %s:%s has shown no namespace within %d s: does the subsystem "
				    "have any for this host?",
				    path->id.nqn, path->id.traddr, path->id.trsvcid, NAMESPACES_MS / 1000);
	}
	return count;
}

int outcome_read_back(struct session *s, struct err *err)
{
	int64_t deadline = clock_ms() + NAMESPACES_MS;

	for (;;) {
		int r = facts_read_nvme(&s->root, s->topo, s->findings, err);

		if (r < 0)
			return r;
		outcome_link(s, false);
		if (without_namespace(s, false) == 0)
			break;
		if (clock_ms() >= deadline || fx_signals_stop()) {
			without_namespace(s, true);
			break;
		}
		clock_sleep_ms(NAMESPACES_STEP_MS);
	}
	return 0;
}

/* A controller that is kept and not live is a path that is not up: it gets a reason like any other. */
static void note_not_live(struct session *s)
{
	for (unsigned i = 0; i < s->plan->paths; i++) {
		struct path *path = &s->plan->path[i];
		const struct ctrl *ctrl = path->ctrl >= 0 ? &s->topo->ctrl[path->ctrl] : NULL;

		if ((path->action != PATH_CONNECTED && path->action != PATH_KEPT) || !ctrl ||
		    path->reason != PATH_REASON_NONE || strcmp(ctrl->state, "live") == 0)
			continue;
		path->reason = PATH_OTHER;
		str_format(path->message, sizeof(path->message),
			   "nvme%u to %s:%s from %s is in state %s, not live: is the target there?",
			   ctrl->instance, path->id.traddr, path->id.trsvcid, path->id.host_traddr,
			   ctrl->state[0] ? ctrl->state : "unknown");
	}
}

static enum exit_class exit_of_reason(enum path_reason reason)
{
	if (reason == PATH_PROOF_MISMATCH || reason == PATH_IN_USE)
		return XC_REFUSED;
	if (reason == PATH_NOT_OURS || reason == PATH_FIRST_CONNECT)
		return XC_PARTIAL;
	if (reason == PATH_ADDRESS_MISSING || reason == PATH_NO_RDMA_DEVICE)
		return XC_ENVIRONMENT;
	return reason == PATH_TIMEOUT || reason == PATH_PENDING ? XC_TIMEOUT : XC_FAILED;
}

void outcome_errors(struct session *s)
{
	note_not_live(s);
	for (unsigned i = 0; i < s->plan->skips; i++) {
		const struct skip *skip = &s->plan->skip[i];
		struct err err = { 0 };

		if (skip->reason == SKIP_DUPLICATE)
			continue;
		err_set(&err,
			skip->timed_out			     ? XC_TIMEOUT
			: skip->reason != SKIP_PORT_UNUSABLE ? XC_REFUSED
							     : XC_ENVIRONMENT,
			-EPERM, skip->traddr, "%s", skip->message);
		session_fail(s, &err);
	}
	for (unsigned i = 0; i < s->plan->paths; i++) {
		const struct path *path = &s->plan->path[i];
		struct err err = { 0 };

		if (path->reason == PATH_REASON_NONE)
			continue;
		err_set(&err, exit_of_reason(path->reason), -EIO, path->id.traddr, "%s", path->message);
		session_fail(s, &err);
	}
}

bool outcome_changed(const struct plan *plan)
{
	for (unsigned i = 0; i < plan->paths; i++) {
		const struct path *path = &plan->path[i];

		if (path->action == PATH_CONNECTED || (path->action == PATH_FAILED && path->ctrl >= 0))
			return true;
	}
	return false;
}
