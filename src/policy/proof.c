/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The proof: which RDMA device carries the queue pairs. A CM_ID names device, addresses and queue pair, but
 * no subsystem, so all controllers between one source and one portal are proven together. A CM_ID alone
 * proves nothing: it shows state CONNECT while its request is still pending. Queue pairs count once they are
 * in RTS.
 */
#include "policy/policy.h"

#include <string.h>

struct group {
	struct ip src, dst;
	uint16_t port;
};

static bool group_of(const struct ctrl_id *id, struct group *ret)
{
	uint64_t port;

	if (strcmp(id->transport, "rdma") != 0 || ip_parse(id->host_traddr, &ret->src) < 0 ||
	    ip_parse(id->traddr, &ret->dst) < 0 || parse_u64(id->trsvcid, 65535, &port) < 0)
		return false;
	ret->port = (uint16_t)port;
	return true;
}

static bool group_equal(const struct group *a, const struct group *b)
{
	return ip_equal(&a->src, &b->src) && ip_equal(&a->dst, &b->dst) && a->port == b->port;
}

static bool is_of_group(const struct cm_id *cm_id, const struct group *group)
{
	return strcmp(cm_id->owner, "nvme_rdma") == 0 && cm_id->has_addrs && cm_id->has_qp && cm_id->qp_rts &&
	       ip_equal(&cm_id->src, &group->src) && ip_equal(&cm_id->dst, &group->dst) &&
	       cm_id->dst_port == group->port;
}

/* Queues, the admin queue included, of the group's live controllers; -1: a count could not be read. */
static int queues_expected(const struct topology *topo, const struct group *group)
{
	int sum = 0;

	for (unsigned i = 0; i < topo->ctrls; i++) {
		const struct ctrl *ctrl = &topo->ctrl[i];
		struct group own;

		if (strcmp(ctrl->state, "live") != 0 || !group_of(&ctrl->id, &own) ||
		    !group_equal(&own, group))
			continue;
		if (ctrl->queue_count < 0)
			return -1;
		sum += ctrl->queue_count;
	}
	return sum;
}

enum group_verdict prove_group(const struct topology *topo, const struct ctrl_id *id, const char *rdma_device,
			       char *why, size_t size)
{
	struct group group;
	int expected, found = 0;

	if (topo->cm_ids_read != READ_OK || !group_of(id, &group)) {
		str_format(why, size, "RDMA netlink cannot be read: %s",
			   topo->cm_ids_why[0] ? topo->cm_ids_why : "no RDMA devices");
		return GROUP_UNREADABLE;
	}
	for (unsigned i = 0; i < topo->cm_ids; i++) {
		const struct cm_id *cm_id = &topo->cm_id[i];

		if (!is_of_group(cm_id, &group))
			continue;
		if (strcmp(cm_id->rdma_name, rdma_device) != 0) {
			str_format(why, size, "a queue pair from %s to %s:%s is on RDMA device %s, not on %s",
				   id->host_traddr, id->traddr, id->trsvcid, cm_id->rdma_name, rdma_device);
			return GROUP_MISMATCH;
		}
		found++;
	}
	expected = queues_expected(topo, &group);
	if (found != expected || found == 0) {
		str_format(why, size,
			   "%d queue pairs from %s to %s:%s are on %s, the live controllers have %d queues",
			   found, id->host_traddr, id->traddr, id->trsvcid, rdma_device, expected);
		return GROUP_UNSETTLED;
	}
	return GROUP_PROVEN;
}
