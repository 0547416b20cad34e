/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a connect came to: reads back what there is, and words what is not. */
#include "cmd/outcome.h"

#include <errno.h>
#include <string.h>

#include "apply/fx_signals.h"
#include "base/clock.h"
#include "facts/facts.h"

#define NAMESPACES_MS 5000 /* the kernel scans after the connect has returned */
#define NAMESPACES_STEP_MS 50

static void link_controllers(struct session *s)
{
	for (unsigned i = 0; i < s->plan->paths; i++) {
		struct path *path = &s->plan->path[i];

		path->ctrl = -1;
		if (path->action != PATH_CONNECTED && path->action != PATH_KEPT)
			continue;
		for (unsigned k = 0; k < s->topo->ctrls && path->ctrl < 0; k++) {
			if (ctrl_id_equal(&s->topo->ctrl[k].id, &path->id))
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
				    "%s %s:%s has shown no namespace within %d s: does the subsystem have "
				    "any for this "
				    "host?",
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
		link_controllers(s);
		if (without_namespace(s, false) == 0)
			break;
		if (clock_ms() >= deadline || fx_signals_stop()) {
			without_namespace(s, true);
			break;
		}
		clock_sleep_ms(NAMESPACES_STEP_MS);
	}
	return facts_read_cm_ids(&s->root, s->topo, s->findings, err);
}

static enum exit_class exit_of_reason(enum path_reason reason)
{
	if (reason == PATH_PROOF_MISMATCH)
		return XC_REFUSED;
	if (reason == PATH_ADDRESS_MISSING || reason == PATH_NO_RDMA_DEVICE)
		return XC_ENVIRONMENT;
	return reason == PATH_TIMEOUT ? XC_TIMEOUT : XC_FAILED;
}

void outcome_errors(struct session *s)
{
	for (unsigned i = 0; i < s->plan->skips; i++) {
		const struct skip *skip = &s->plan->skip[i];
		struct err err = { 0 };

		if (skip->reason == SKIP_DUPLICATE)
			continue;
		err_set(&err,
			skip->reason != SKIP_PORT_UNUSABLE ? XC_REFUSED
			: skip->timed_out		   ? XC_TIMEOUT
							   : XC_ENVIRONMENT,
			-EPERM, skip->traddr, "%s", skip->message);
		session_fail(s, &err);
	}
	for (unsigned i = 0; i < s->plan->paths; i++) {
		const struct path *path = &s->plan->path[i];
		struct err err = { 0 };

		if (path->reason != PATH_REASON_NONE)
			err_set(&err, exit_of_reason(path->reason), -EIO, path->id.traddr, "%s",
				path->message);
		else if (path->ctrl >= 0 && strcmp(s->topo->ctrl[path->ctrl].state, "live") != 0)
			err_set(&err, XC_FAILED, -ENOTCONN, path->id.traddr,
				"nvme%u to %s:%s from %s is %s, not live", s->topo->ctrl[path->ctrl].instance,
				path->id.traddr, path->id.trsvcid, path->id.host_traddr,
				s->topo->ctrl[path->ctrl].state);
		if (err.code < 0)
			session_fail(s, &err);
	}
}

bool outcome_connected(const struct plan *plan)
{
	for (unsigned i = 0; i < plan->paths; i++) {
		if (plan->path[i].action == PATH_CONNECTED)
			return true;
	}
	return false;
}
