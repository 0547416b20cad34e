/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where the queue pairs of all controllers are. */
#include "policy/verify_ways.h"

#include <stdlib.h>
#include <string.h>

/* By value; RDMA netlink shows no scope. */
static int compare_ips(const struct ip *a, const struct ip *b)
{
	if (a->family != b->family)
		return a->family < b->family ? -1 : 1;
	return memcmp(a->bytes, b->bytes, sizeof(a->bytes));
}

static int compare_ways(const void *a, const void *b)
{
	const struct way *x = a, *y = b;
	int order = compare_ips(&x->dst, &y->dst);

	if (order == 0)
		order = (x->port > y->port) - (x->port < y->port);
	if (order == 0)
		order = (x->has_src > y->has_src) - (x->has_src < y->has_src);
	return order || !x->has_src ? order : compare_ips(&x->src, &y->src);
}

static bool way_of(const struct ctrl_id *id, struct way *ret)
{
	uint64_t port;

	*ret = (struct way){ .on = -1 };
	if (strcmp(id->transport, "rdma") != 0 || ip_parse(id->traddr, &ret->dst) < 0 ||
	    parse_u64(id->trsvcid, 65535, &port) < 0)
		return false;
	ret->port = (uint16_t)port;
	ret->has_src = ip_parse(id->host_traddr, &ret->src) == 0;
	return true;
}

static struct way *find(const struct ways *ways, const struct way *key)
{
	return bsearch(key, ways->way, ways->count, sizeof(*key), compare_ways);
}

const struct way *ways_find(const struct ways *ways, const struct ctrl_id *id)
{
	struct way key;

	return way_of(id, &key) ? find(ways, &key) : NULL;
}

static void collect_ways(const struct topology *topo, struct ways *ret)
{
	unsigned kept = 0;

	for (unsigned i = 0; i < topo->ctrls; i++) {
		if (way_of(&topo->ctrl[i].id, &ret->way[ret->count]))
			ret->way[ret->count++].ctrl = i;
	}
	qsort(ret->way, ret->count, sizeof(ret->way[0]), compare_ways);
	for (unsigned i = 0; i < ret->count; i++) {
		if (kept == 0 || compare_ways(&ret->way[kept - 1], &ret->way[i]) != 0)
			ret->way[kept++] = ret->way[i];
	}
	ret->count = kept;
}

static int compare_name_to_link(const void *name, const void *link)
{
	return strverscmp(name, ((const struct rdma_link *)link)->name);
}

/* Its first link; -1: not among them. */
static int find_device(const struct topology *topo, const char *name)
{
	const struct rdma_link *link = bsearch(name, topo->rdma_link, topo->rdma_links,
					       sizeof(topo->rdma_link[0]), compare_name_to_link);

	while (link && link > topo->rdma_link && strcmp(link[-1].name, name) == 0)
		link--;
	return link ? (int)(link - topo->rdma_link) : -1;
}

/* A device with several ports is storage only if all of them are. */
static void judge_devices(const struct verify *v, struct ways *ret)
{
	unsigned first = 0;

	for (unsigned i = 0; i < v->topo->rdma_links; i++) {
		int port;
		bool storage = verify_rdma_is_storage(v, i, &port);

		if (i == 0 || strcmp(v->topo->rdma_link[i - 1].name, v->topo->rdma_link[i].name) != 0) {
			first = i;
			ret->device[i] = (struct way_device){ .storage = storage, .port = port };
		} else if (!storage && ret->device[first].storage) {
			ret->device[first] = (struct way_device){ .port = port };
		}
	}
}

static void count_at(struct way *way, const struct way_device *device, const char *name)
{
	if (!way)
		return;
	if (device && device->storage) {
		way->storage++;
	} else if (way->elsewhere++ == 0) {
		str_format(way->device, sizeof(way->device), "%s", name);
		way->on = device ? device->port : -1;
	}
}

void ways_collect(const struct verify *v, struct ways *ret)
{
	const struct topology *topo = v->topo;

	*ret = (struct ways){ 0 };
	collect_ways(topo, ret);
	judge_devices(v, ret);
	for (unsigned i = 0; topo->cm_ids_read == READ_OK && i < topo->cm_ids; i++) {
		const struct cm_id *cm_id = &topo->cm_id[i];
		struct way key = { .src = cm_id->src, .dst = cm_id->dst, .port = cm_id->dst_port };
		struct way_device *device;
		int found;

		if (strcmp(cm_id->owner, "nvme_rdma") != 0 || !cm_id->has_qp)
			continue;
		found = find_device(topo, cm_id->rdma_name);
		device = found >= 0 ? &ret->device[found] : NULL;
		if (device)
			device->queue_pairs++;
		else if (ret->unlisted++ == 0)
			str_format(ret->unlisted_device, sizeof(ret->unlisted_device), "%s",
				   cm_id->rdma_name);
		if (!cm_id->has_addrs)
			continue;
		count_at(find(ret, &key), device, cm_id->rdma_name); /* of those without a source */
		key.has_src = true;
		count_at(find(ret, &key), device, cm_id->rdma_name);
	}
}
