/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The proof: which RDMA device carries the queue pairs. A CM_ID names device, addresses and queue pair, but
 * no subsystem, so all controllers between one source and one portal are proven together. A CM_ID alone
 * proves nothing: it shows state CONNECT while its request is still pending. Queue pairs count once they are
 * in RTS.
 */
#include "policy/policy.h"

#include <stdlib.h>
#include <string.h>

/* By value; a scope is left out, since RDMA netlink shows none. */
static int compare_ips(const struct ip *a, const struct ip *b)
{
	if (a->family != b->family)
		return a->family < b->family ? -1 : 1;
	return memcmp(a->bytes, b->bytes, sizeof(a->bytes));
}

static int compare_groups(const void *a, const void *b)
{
	const struct proof_group *x = a, *y = b;
	int order = compare_ips(&x->src, &y->src);

	if (order == 0)
		order = compare_ips(&x->dst, &y->dst);
	return order ? order : (x->port > y->port) - (x->port < y->port);
}

static bool group_of(const struct ctrl_id *id, struct proof_group *ret)
{
	uint64_t port;

	*ret = (struct proof_group){ 0 };
	if (strcmp(id->transport, "rdma") != 0 || ip_parse(id->host_traddr, &ret->src) < 0 ||
	    ip_parse(id->traddr, &ret->dst) < 0 || parse_u64(id->trsvcid, 65535, &port) < 0)
		return false;
	ret->port = (uint16_t)port;
	return true;
}

static struct proof_group *find_group(struct proof_groups *groups, const struct proof_group *key)
{
	return bsearch(key, groups->group, groups->count, sizeof(*key), compare_groups);
}

/* One group for all controllers of a source and a portal; only live ones have queue pairs to be counted. */
static void collect_groups(const struct topology *topo, struct proof_groups *ret)
{
	unsigned kept = 0;

	ret->count = 0;
	for (unsigned i = 0; i < topo->ctrls; i++) {
		const struct ctrl *ctrl = &topo->ctrl[i];
		struct proof_group *group = &ret->group[ret->count];

		if (!group_of(&ctrl->id, group))
			continue;
		ret->count++;
		if (strcmp(ctrl->state, "live") == 0 && ctrl->queue_count >= 0)
			group->expected = ctrl->queue_count;
		else
			group->uncounted = strcmp(ctrl->state, "live") == 0;
	}
	qsort(ret->group, ret->count, sizeof(ret->group[0]), compare_groups);
	for (unsigned i = 0; i < ret->count; i++) {
		struct proof_group *last = kept > 0 ? &ret->group[kept - 1] : NULL;

		if (last && compare_groups(last, &ret->group[i]) == 0) {
			last->expected += ret->group[i].expected;
			last->uncounted |= ret->group[i].uncounted;
		} else {
			ret->group[kept++] = ret->group[i];
		}
	}
	ret->count = kept;
}

/* Where the group's queue pair is. */
static void count_queue_pair(struct proof_group *group, const char *device)
{
	if (group->found++ == 0)
		str_format(group->device, sizeof(group->device), "%s", device);
	else if (group->other[0] == '\0' && strcmp(group->device, device) != 0)
		str_format(group->other, sizeof(group->other), "%s", device);
}

void proof_collect(const struct topology *topo, struct proof_groups *ret)
{
	collect_groups(topo, ret);
	for (unsigned i = 0; i < topo->cm_ids; i++) {
		const struct cm_id *cm_id = &topo->cm_id[i];
		struct proof_group key = { .src = cm_id->src, .dst = cm_id->dst, .port = cm_id->dst_port };
		struct proof_group *group;

		if (strcmp(cm_id->owner, "nvme_rdma") != 0 || !cm_id->has_addrs || !cm_id->has_qp ||
		    !cm_id->qp_rts)
			continue;
		group = find_group(ret, &key);
		if (group)
			count_queue_pair(group, cm_id->rdma_name);
	}
}

enum group_verdict prove_group(const struct topology *topo, struct proof_groups *groups,
			       const struct ctrl_id *id, const char *rdma_device, char *why, size_t size)
{
	const struct proof_group *group = NULL;
	struct proof_group key;

	if (topo->cm_ids_read == READ_OK && group_of(id, &key))
		group = find_group(groups, &key);
	if (topo->cm_ids_read != READ_OK) {
		str_format(why, size, "RDMA netlink cannot be read: %s",
			   topo->cm_ids_why[0] ? topo->cm_ids_why : "no RDMA devices");
		return GROUP_UNREADABLE;
	}
	if (!group) {
		str_format(why, size, "there is no controller from %s to %s:%s", id->host_traddr, id->traddr,
			   id->trsvcid);
		return GROUP_UNSETTLED;
	}
	if (group->found > 0 && (group->other[0] != '\0' || strcmp(group->device, rdma_device) != 0)) {
		str_format(why, size, "a queue pair from %s to %s:%s is on RDMA device %s, not on %s",
			   id->host_traddr, id->traddr, id->trsvcid,
			   strcmp(group->device, rdma_device) != 0 ? group->device : group->other,
			   rdma_device);
		return GROUP_MISMATCH;
	}
	if (group->uncounted || group->found == 0 || group->found != group->expected) {
		str_format(why, size,
			   "%u queue pairs from %s to %s:%s are on %s, the live controllers have %u queues%s",
			   group->found, id->host_traddr, id->traddr, id->trsvcid, rdma_device,
			   group->expected, group->uncounted ? ", as far as their number could be read" : "");
		return GROUP_UNSETTLED;
	}
	return GROUP_PROVEN;
}
