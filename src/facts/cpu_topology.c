/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which CPUs are threads of one core, and which are set apart by the kernel's command line. */
#include "facts/facts.h"

#include <errno.h>
#include <string.h>

#include "facts/sysfs.h"

#define CPUS "sys/devices/system/cpu"

/*
 * The lowest thread of the core. The kernel lists online threads only (topology_sibling_cpumask), so a core
 * that lacks one is seen by its number of threads alone.
 */
static int read_core(const struct root *root, unsigned cpu, int *ret)
{
	struct cpuset siblings;
	int r = root_cpuset(root, &siblings, CPUS "/cpu%u/topology/thread_siblings_list", cpu);

	if (r < 0)
		return r;
	if (!cpuset_has(&siblings, cpu))
		return -EINVAL;
	*ret = (int)cpuset_next(&siblings, 0);
	return 0;
}

/* One finding for the first of them: 2048 would bury the rest. Policy names them all. */
static void read_threads(const struct root *root, struct topology *topo, struct findings *findings)
{
	bool said = false;

	for (unsigned cpu = 0; cpu < CPUS_MAX; cpu++)
		topo->core[cpu] = -1;
	for (unsigned cpu = cpuset_next(&topo->online, 0); cpu < CPUS_MAX;
	     cpu = cpuset_next(&topo->online, cpu + 1)) {
		int r = read_core(root, cpu, &topo->core[cpu]);
		char object[16];

		/* Not there: gone offline meanwhile, or a kernel without the file. */
		if (r == 0 || r == -ENOENT || said)
			continue;
		said = true;
		str_format(object, sizeof(object), "cpu%u", cpu);
		sysfs_unreadable(findings, object, r, CPUS "/cpu%u/topology/thread_siblings_list", cpu);
	}
}

/* A kernel without the file sets no CPUs apart. nohz_full is "(null)" where it was built in but not asked
 * for; some pad that with blanks, up to the width that they print bitmaps with (vsprintf.c, check_pointer).
 */
static bool read_list(const struct root *root, const char *name, struct cpuset *ret,
		      struct findings *findings)
{
	char text[ROOT_LINE_MAX];
	int r = root_line(root, text, sizeof(text), CPUS "/%s", name);

	*ret = (struct cpuset){ 0 };
	if (r == -ENOENT || (r == 0 && strcmp(text + strspn(text, " "), "(null)") == 0))
		return true;
	if (r == 0)
		r = cpuset_parse(text, ret);
	if (r < 0)
		sysfs_unreadable(findings, name, r, CPUS "/%s", name);
	return r == 0;
}

int facts_read_cores(const struct root *root, struct topology *topo, struct findings *findings,
		     struct err *err)
{
	(void)err; /* all readers look alike; what cannot be read is unknown */
	read_threads(root, topo, findings);
	topo->isolated_known = read_list(root, "isolated", &topo->isolated, findings);
	topo->nohz_full_known = read_list(root, "nohz_full", &topo->nohz_full, findings);
	return 0;
}
