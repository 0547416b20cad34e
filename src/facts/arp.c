/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How an interface answers and sends ARP, and whether it takes packets that would be answered elsewhere.
 *
 * The value that counts is the larger one of "all" and the interface's: IN_DEV_ARP_IGNORE and
 * IN_DEV_ARP_ANNOUNCE are IN_DEV_MAXCONF, and so is rp_filter, though it is one of a choice and not a level
 * (inetdevice.h, IN_DEV_RPFILTER): "all" 1 with 2 on the interface is 2.
 */
#include "facts/facts.h"

#include <errno.h>
#include <limits.h>

#include "facts/sysfs.h"

#define CONF "proc/sys/net/ipv4/conf"

struct conf {
	int arp_ignore, arp_announce, rp_filter; /* -1: unknown */
};

/* Names are components of a path here, and a dot in one ("eth0.5") stays a dot: only sysctl(8) changes it. */
static int read_value(const struct root *root, const char *name, const char *file, struct findings *findings)
{
	int64_t value = -1;
	int r = root_i64(root, &value, CONF "/%s/%s", name, file);

	/* Each is a choice of a few; whatever else is written there (the kernel takes any int) is odd. */
	if (r == 0 && (value < 0 || value > INT_MAX))
		r = -ERANGE;
	if (r < 0 && r != -ENOENT) /* the interface is gone */
		sysfs_unreadable(findings, name, r, CONF "/%s/%s", name, file);
	return r < 0 ? -1 : (int)value;
}

static struct conf read_conf(const struct root *root, const char *name, struct findings *findings)
{
	return (struct conf){
		.arp_ignore = read_value(root, name, "arp_ignore", findings),
		.arp_announce = read_value(root, name, "arp_announce", findings),
		.rp_filter = read_value(root, name, "rp_filter", findings),
	};
}

/* Half of it known is not known: the other half may be larger. */
static int effective(int all, int own)
{
	if (all < 0 || own < 0)
		return -1;
	return all > own ? all : own;
}

static bool has_address(const struct topology *topo, int ifindex)
{
	for (unsigned i = 0; i < topo->addrs; i++) {
		if (topo->addr[i].ifindex == ifindex)
			return true;
	}
	return false;
}

int facts_read_arp(const struct root *root, const struct topology *topo, struct settings *ret,
		   struct findings *findings, struct err *err)
{
	struct conf all = read_conf(root, "all", findings);

	(void)err; /* all readers look alike; what cannot be read is unknown */
	for (unsigned i = 0; i < TOPO_NETDEVS_MAX; i++) {
		const struct netdev *netdev = &topo->netdev[i];
		struct conf own = { -1, -1, -1 };

		if (i < topo->netdevs && !netdev->loopback && sysfs_is_name(netdev->name) &&
		    has_address(topo, netdev->ifindex))
			own = read_conf(root, netdev->name, findings);
		ret->netdev[i] = (struct netdev_settings){
			.arp_ignore = effective(all.arp_ignore, own.arp_ignore),
			.arp_announce = effective(all.arp_announce, own.arp_announce),
			.rp_filter = effective(all.rp_filter, own.rp_filter),
		};
	}
	return 0;
}
