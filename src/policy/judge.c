/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is both advice and a check: rq_affinity of the paths, and the multipath policy of subsystems. */
#include "policy/judge.h"
#include "policy/check.h"
#include "policy/placement.h"

#include <string.h>

/* --- rq_affinity --- */

void judge_rq_affinity(const struct topology *topo, bool whole, struct findings *findings)
{
	struct check check = check_begin(findings, "affinity.rq_affinity", "sys/block/*/queue/rq_affinity");
	const struct ns *first = NULL, *unread = NULL;
	unsigned count = 0, unreads = 0;
	char evidence[128], others[32] = "";

	for (unsigned i = 0; i < topo->nss; i++) {
		const struct ns *ns = &topo->ns[i];

		if (strcmp(topo->ctrl[ns->ctrl].id.transport, "rdma") != 0)
			continue;
		if (topo->rq_affinity[i] == 2) {
			first = first ? first : ns;
			count++;
		} else if (topo->rq_affinity[i] < 0) {
			unread = unread ? unread : ns;
			unreads++;
		} else {
			check_good(&check);
		}
	}
	if (first) {
		str_format(evidence, sizeof(evidence), "sys/block/%s/queue/rq_affinity", first->path_device);
		if (count > 1)
			str_format(others, sizeof(others), " and %u more paths", count - 1);
		check_bad(
			&check, FINDING_WARN, first->path_device, evidence,
			"rq_affinity is 2 on %s%s: each completion interrupts the CPU that submitted; with 1 "
			"it ends on the storage core of the same socket",
			first->path_device, others);
	}
	if (whole && unread) {
		str_format(evidence, sizeof(evidence), "sys/block/%s/queue/rq_affinity", unread->path_device);
		check_bad(&check, FINDING_UNKNOWN, unread->path_device, evidence,
			  "rq_affinity of %u paths cannot be read, the first is %s", unreads,
			  unread->path_device);
	}
	if (whole)
		check_end(&check, NULL, "there is no namespace over RDMA",
			  "rq_affinity of %u paths lets completions end on the storage cores of the same "
			  "socket",
			  check.good);
}

/* --- multipath --- */

#define NODES_MAX (TOPO_NODES_MAX + 1)

struct disks { /* of a controller */
	bool any, usable, apart;
};

struct reach { /* of the live paths of one subsystem that ANA lets pass */
	unsigned paths;
	unsigned most; /* on one node */
	int node;      /* that one */
	bool apart;    /* the paths are block devices of their own */
	int id[NODES_MAX];
	unsigned on[NODES_MAX], nodes;
};

/* ANA lets I/O of a namespace pass here; of a controller without one nothing is known against it. */
static void collect_disks(const struct topology *topo, struct disks ret[static TOPO_CTRLS_MAX])
{
	for (unsigned i = 0; i < topo->nss; i++) {
		const struct ns *ns = &topo->ns[i];

		ret[ns->ctrl].any = true;
		ret[ns->ctrl].usable |= ns->ana_usable;
		ret[ns->ctrl].apart |= strcmp(ns->device, ns->path_device) == 0;
	}
}

static void count_path(const struct topology *topo, const struct path *path, struct reach *ret)
{
	int node = topo->port[path->port].numa_node;
	unsigned n = 0;

	while (n < ret->nodes && ret->id[n] != node)
		n++;
	if (n == NODES_MAX)
		return;
	if (n == ret->nodes)
		ret->id[ret->nodes++] = node;
	ret->paths++;
	if (++ret->on[n] > ret->most || (ret->on[n] == ret->most && node < ret->node)) {
		ret->most = ret->on[n];
		ret->node = node;
	}
}

static const char *iopolicy_of(const struct topology *topo, const char *nqn)
{
	for (unsigned i = 0; i < topo->subsyss; i++) {
		if (strcmp(topo->subsys[i].nqn, nqn) == 0)
			return topo->subsys[i].iopolicy;
	}
	return "";
}

/*
 * numa takes the nearest path, and of several on one node always the first (nvme_find_path). It is right
 * where each node has one.
 */
static void judge_multipath(const struct topology *topo, const char *nqn, const struct reach *reach,
			    bool whole, struct check *check)
{
	const char *policy = iopolicy_of(topo, nqn);
	char node[32] = "no known node";

	if (reach->paths < 2 || strcmp(nqn, NQN_DISCOVERY) == 0)
		return;
	if (reach->apart) {
		check_bad(check, FINDING_WARN, nqn, "sys/class/nvme-subsystem",
			  "%u live paths to %s are block devices of their own: native multipath is off "
			  "(nvme_core.multipath), or the target does not offer it",
			  reach->paths, nqn);
		return;
	}
	if (policy[0] == '\0') {
		if (whole)
			check_bad(check, FINDING_UNKNOWN, nqn, NULL,
				  "iopolicy of %s, which has %u live paths, cannot be read", nqn,
				  reach->paths);
		return;
	}
	if (reach->most < 2 || strcmp(policy, "numa") != 0) {
		check_good(check);
		return;
	}
	if (reach->node >= 0)
		str_format(node, sizeof(node), "node %d", reach->node);
	check_bad(check, FINDING_WARN, nqn, NULL,
		  "iopolicy numa uses one of the %u live paths of %s at %s; queue-depth (Linux 6.11), else "
		  "round-robin, uses all",
		  reach->most, nqn, node);
}

void judge_iopolicy(const struct topology *topo, const struct plan *plan, bool whole,
		    struct findings *findings)
{
	struct check check = check_begin(findings, "paths.iopolicy", "sys/class/nvme-subsystem/*/iopolicy");
	struct disks disks[TOPO_CTRLS_MAX] = { 0 };

	collect_disks(topo, disks);
	for (unsigned first = 0, end; first < plan->paths; first = end) {
		const char *nqn = plan->path[first].id.nqn;
		struct reach reach = { 0 };

		for (end = first; end < plan->paths; end++) {
			const struct path *path = &plan->path[end];
			int ctrl = path->ctrl;

			if (strcmp(path->id.nqn, nqn) != 0)
				break;
			if (ctrl >= 0)
				reach.apart |= disks[ctrl].apart;
			if (ctrl >= 0 && path->port >= 0 && path_completes(path) &&
			    strcmp(topo->ctrl[ctrl].state, "live") == 0 &&
			    (disks[ctrl].usable || !disks[ctrl].any))
				count_path(topo, path, &reach);
		}
		judge_multipath(topo, nqn, &reach, whole, &check);
	}
	if (whole || check.bad > check.named)
		check_end(&check, NULL, "no subsystem has two live paths",
			  "%u subsystems have an iopolicy that uses their live paths", check.good);
}
