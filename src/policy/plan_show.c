/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The RDMA controllers that exist, as paths that nobody asked for. */
#include "policy/policy.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void path_locate(const struct topology *topo, const struct classification *classes, struct path *path)
{
	struct carrier carrier;
	struct ip source;

	path->port = path->netdev = path->rdma = -1;
	if (ip_parse(path->id.host_traddr, &source) < 0)
		return;
	path->netdev = netdev_of_ip(topo, &source);
	if (path->netdev < 0)
		return;
	carrier_of(topo, classes, path->netdev, &carrier);
	path->port = carrier.port;
	path->rdma = carrier.rdma;
}

static int compare_paths(const void *a, const void *b)
{
	const struct path *x = a, *y = b;
	int order = ctrl_id_compare(&x->id, &y->id);

	return order ? order : x->ctrl - y->ctrl;
}

void plan_show(const struct topology *topo, const struct classification *classes, struct plan *ret)
{
	ret->paths = 0;
	ret->skips = 0;
	for (unsigned i = 0; i < topo->ctrls; i++) {
		struct path *path;

		if (strcmp(topo->ctrl[i].id.transport, "rdma") != 0)
			continue;
		path = &ret->path[ret->paths++]; /* PATHS_MAX holds every controller */
		*path = (struct path){
			.id = topo->ctrl[i].id, .portal = -1, .ctrl = (int)i, .action = PATH_NONE
		};
		path_locate(topo, classes, path);
	}
	qsort(ret->path, ret->paths, sizeof(ret->path[0]), compare_paths);
}

int plan_add_absent(struct plan *plan, const struct ctrl_id *id)
{
	unsigned at = plan->paths;

	if (plan->paths == PATHS_MAX)
		return -E2BIG;
	while (at > 0 && ctrl_id_compare(&plan->path[at - 1].id, id) > 0)
		at--;
	memmove(&plan->path[at + 1], &plan->path[at], (plan->paths - at) * sizeof(plan->path[0]));
	plan->path[at] = (struct path){
		.id = *id, .portal = -1, .ctrl = -1, .port = -1, .netdev = -1, .rdma = -1, .action = PATH_NONE
	};
	plan->paths++;
	return 0;
}

int plan_placed(const struct topology *topo, const struct classification *classes, const struct plan *plan,
		struct plan *ret)
{
	plan_show(topo, classes, ret);
	for (unsigned i = 0; i < plan->paths; i++) {
		if (plan->path[i].action != PATH_WOULD_CONNECT)
			continue;
		if (ret->paths == PATHS_MAX)
			return -E2BIG;
		ret->path[ret->paths++] = plan->path[i];
	}
	qsort(ret->path, ret->paths, sizeof(ret->path[0]), compare_paths);
	return 0;
}

_Static_assert(PATHS_MAX >= TOPO_CTRLS_MAX, "a path for every controller");
