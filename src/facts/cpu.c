/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Online CPUs, and the CPUs of each NUMA node. */
#include "facts/facts.h"

#include <errno.h>
#include <stdlib.h>

#include "facts/sysfs.h"

#define CPUS "sys/devices/system/cpu"
#define NODES "sys/devices/system/node"

static int compare_nodes(const void *a, const void *b)
{
	const struct node *x = a, *y = b;

	return (x->id > y->id) - (x->id < y->id);
}

static int read_nodes(const struct root *root, struct topology *topo, struct findings *findings,
		      struct err *err)
{
	_cleanup_names_ struct names names = NAMES_INIT;
	int r = root_list(root, &names, NODES);

	if (r == -ENOENT)
		return 0; /* a kernel without NUMA */
	if (r < 0)
		return sysfs_failed(err, r, NODES);
	for (size_t i = 0; i < names.count; i++) {
		struct node *node = &topo->node[topo->nodes];
		unsigned id;

		if (!sysfs_numbered(names.name[i], "node", &id))
			continue;
		if (topo->nodes == TOPO_NODES_MAX)
			return sysfs_full(err, "NUMA nodes", TOPO_NODES_MAX);
		r = root_cpuset(root, &node->cpus, NODES "/node%u/cpulist", id);
		if (r < 0) { /* left out: a node without CPUs would be something else */
			sysfs_unreadable(findings, names.name[i], r, NODES "/node%u/cpulist", id);
			continue;
		}
		node->id = id;
		topo->nodes++;
	}
	qsort(topo->node, topo->nodes, sizeof(topo->node[0]), compare_nodes);
	return 0;
}

int facts_read_cpus(const struct root *root, struct topology *topo, struct findings *findings,
		    struct err *err)
{
	int r = root_cpuset(root, &topo->online, CPUS "/online");

	topo->nodes = 0;
	if (r == -ERANGE) /* said here for all lists of CPUs: elsewhere such a number is just odd */
		return sysfs_full(err, "CPUs", CPUS_MAX);
	if (r < 0) {
		topo->online = (struct cpuset){ 0 };
		sysfs_unreadable(findings, "cpu", r, CPUS "/online");
	}
	return read_nodes(root, topo, findings, err);
}
