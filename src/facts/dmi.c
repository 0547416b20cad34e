/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which machine this is: the two DMI strings that platform files match. */
#include "facts/facts.h"

#include <errno.h>

#include "facts/sysfs.h"

static void read_string(const struct root *root, const char *name, char ret[static DMI_SIZE],
			struct findings *findings)
{
	int r = root_line(root, ret, DMI_SIZE, "sys/class/dmi/id/%s", name);

	if (r == 0)
		return;
	ret[0] = '\0';
	/* Machines without DMI are known: they match no platform, and that is said then. */
	if (r != -ENOENT)
		sysfs_unreadable(findings, "dmi", r, "sys/class/dmi/id/%s", name);
}

int facts_read_dmi(const struct root *root, struct topology *topo, struct findings *findings, struct err *err)
{
	(void)err;
	read_string(root, "sys_vendor", topo->dmi.sys_vendor, findings);
	read_string(root, "product_name", topo->dmi.product_name, findings);
	return 0;
}
