/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The exit statuses. connect counts what was asked for: portals and their paths, never ports. Some up and
 * some not is "partial"; with nothing up the strongest reason wins: refused, environment, failed, timeout.
 */
#include "policy/policy.h"

#include <string.h>

struct tally {
	unsigned up, refused, environment, failed, timeout, unproven, left;
	unsigned undone; /* made, and removed again */
};

static void count_path(const struct path *path, const struct topology *topo, bool dry_run,
		       struct tally *tally)
{
	tally->undone += path->action == PATH_DISCONNECTED;
	/* A failed path with a controller: it could not be undone, and somebody must. */
	tally->left += path->action == PATH_FOREIGN;
	tally->left += path->action == PATH_FAILED && (path->ctrl >= 0 || path->reason == PATH_PENDING ||
						       path->reason == PATH_FIRST_CONNECT);
	if (path->reason == PATH_PROOF_MISMATCH) { /* whatever its action: it is where it must not be */
		tally->refused++;
		return;
	}
	switch (path->action) {
	case PATH_CONNECTED:
	case PATH_KEPT:
		if (path->ctrl >= 0 && strcmp(topo->ctrl[path->ctrl].state, "live") != 0) {
			tally->failed++;
			return;
		}
		tally->up++;
		tally->unproven += path->proof == PROOF_NONE && !dry_run;
		return;
	case PATH_WOULD_CONNECT:
		/* Still so after a run: it was stopped before this path's turn. */
		if (dry_run)
			tally->up++;
		else
			tally->failed++;
		return;
	case PATH_NONE: /* --atomic: not begun because of the others, and they are counted */
		return;
	case PATH_FOREIGN:
	case PATH_DISCONNECTED:
	case PATH_WOULD_DISCONNECT:
	case PATH_FAILED:
		break;
	}
	if (path->reason == PATH_ADDRESS_MISSING || path->reason == PATH_NO_RDMA_DEVICE)
		tally->environment++;
	else if (path->reason == PATH_TIMEOUT)
		tally->timeout++;
	else
		tally->failed++;
}

static void count_skip(const struct skip *skip, struct tally *tally)
{
	if (skip->timed_out) {
		tally->timeout++;
		return;
	}
	switch (skip->reason) {
	case SKIP_NOT_VIA_STORAGE:
	case SKIP_NO_ROUTE:
	case SKIP_CONFLICT:
	case SKIP_TRANSPORT_MISMATCH:
		tally->refused++;
		return;
	case SKIP_PORT_UNUSABLE:
		tally->environment++;
		return;
	case SKIP_INVALID:
		tally->failed++;
		return;
	case SKIP_DUPLICATE:
	case SKIP_DISCOVERY_SUBSYSTEM:
		return;
	}
}

enum exit_class verdict_connect(const struct plan *plan, const struct topology *topo, bool dry_run,
				bool atomic)
{
	struct tally tally = { 0 };
	unsigned bad;

	for (unsigned i = 0; i < plan->paths; i++)
		count_path(&plan->path[i], topo, dry_run, &tally);
	for (unsigned i = 0; i < plan->skips; i++)
		count_skip(&plan->skip[i], &tally);
	bad = tally.refused + tally.environment + tally.failed + tally.timeout + tally.unproven;
	if (bad == 0)
		return XC_OK;
	if (tally.left > 0 || (tally.up > 0 && !atomic))
		return XC_PARTIAL;
	if (atomic && tally.undone > 0)
		return XC_FAILED;
	if (tally.refused > 0)
		return XC_REFUSED;
	if (tally.environment > 0)
		return XC_ENVIRONMENT;
	if (tally.failed > 0)
		return XC_FAILED;
	return tally.timeout > 0 ? XC_TIMEOUT : XC_PARTIAL; /* all are up, and not all are proven */
}

enum exit_class verdict_teardown(const struct plan *plan)
{
	unsigned gone = 0, refused = 0, pending = 0, other = 0;

	for (unsigned i = 0; i < plan->paths; i++) {
		switch (plan->path[i].action) {
		case PATH_NONE: /* it was gone before */
			break;
		case PATH_DISCONNECTED:
		case PATH_WOULD_DISCONNECT:
			gone++;
			break;
		case PATH_KEPT:
			refused++;
			break;
		case PATH_CONNECTED:
		case PATH_WOULD_CONNECT:
		case PATH_FOREIGN:
			other++;
			break;
		case PATH_FAILED:
			if (plan->path[i].reason == PATH_PENDING)
				pending++;
			else
				other++;
			break;
		}
	}
	if (refused + pending + other == 0)
		return XC_OK;
	if (refused + other == 0)
		return XC_TIMEOUT;
	return gone + pending + other == 0 ? XC_REFUSED : XC_PARTIAL;
}
