/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the block layer does with completions and paths: rq_affinity of the namespaces' queues, and the
 * multipath policy of each subsystem. Attributes alone; no block device is opened.
 */
#include "facts/facts.h"

#include <errno.h>

#include "facts/sysfs.h"

#define CLASS "sys/class/nvme"
#define SUBSYSTEMS "sys/class/nvme-subsystem"

/* The path's own queue completes the request, not that of the multipath device above it. */
static void read_rq_affinity(const struct root *root, const struct topology *topo, const struct ns *ns,
			     int *ret, struct findings *findings)
{
	unsigned instance = topo->ctrl[ns->ctrl].instance;
	int64_t value;
	int r = root_i64(root, &value, CLASS "/nvme%u/%s/queue/rq_affinity", instance, ns->path_device);

	*ret = -1;
	if (r == 0 && (value < 0 || value > 2))
		r = -ERANGE;
	if (r == 0)
		*ret = (int)value;
	else if (r != -ENOENT && r != -ENODEV) /* gone meanwhile */
		sysfs_unreadable(findings, ns->path_device, r, CLASS "/nvme%u/%s/queue/rq_affinity", instance,
				 ns->path_device);
}

/* Text, empty if there is none. */
static void read_text(const struct root *root, const char *name, const char *file, char *ret, size_t size,
		      struct findings *findings)
{
	int r = root_line(root, ret, size, SUBSYSTEMS "/%s/%s", name, file);

	if (r == 0)
		return;
	ret[0] = '\0';
	if (r != -ENOENT && r != -ENODEV) /* a kernel without multipath has no policy */
		sysfs_unreadable(findings, name, r, SUBSYSTEMS "/%s/%s", name, file);
}

static int read_subsystems(const struct root *root, struct topology *topo, struct findings *findings,
			   struct err *err)
{
	_cleanup_names_ struct names names = NAMES_INIT;
	int r = root_list(root, &names, SUBSYSTEMS);

	topo->subsyss = 0;
	if (r == -ENOENT)
		return 0;
	if (r < 0)
		return sysfs_failed(err, r, SUBSYSTEMS);
	for (size_t i = 0; i < names.count; i++) {
		struct subsys *subsys = &topo->subsys[topo->subsyss];
		unsigned instance;

		if (!sysfs_numbered(names.name[i], "nvme-subsys", &instance))
			continue;
		if (topo->subsyss == TOPO_SUBSYSS_MAX)
			return sysfs_full(err, "NVMe subsystems", TOPO_SUBSYSS_MAX);
		read_text(root, names.name[i], "subsysnqn", subsys->nqn, sizeof(subsys->nqn), findings);
		read_text(root, names.name[i], "iopolicy", subsys->iopolicy, sizeof(subsys->iopolicy),
			  findings);
		topo->subsyss++;
	}
	return 0;
}

int facts_read_blk(const struct root *root, struct topology *topo, struct findings *findings, struct err *err)
{
	for (unsigned i = 0; i < topo->nss; i++)
		read_rq_affinity(root, topo, &topo->ns[i], &topo->rq_affinity[i], findings);
	return read_subsystems(root, topo, findings, err);
}
