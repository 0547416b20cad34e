/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Network interfaces, their addresses, and where the default routes lead. */
#include "facts/net.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "facts/dump_net.h"
#include "facts/facts.h"
#include "facts/nl_net.h"
#include "facts/sysfs.h"

#define LINK_MAX 1024

bool net_name_ok(const char *name)
{
	if (!sysfs_is_name(name))
		return false;
	for (; *name != '\0'; name++) {
		if ((unsigned char)*name <= ' ' || *name == 0x7f)
			return false;
	}
	return true;
}

int net_add(struct topology *topo, const struct netdev *netdev, struct err *err)
{
	if (topo->netdevs == TOPO_NETDEVS_MAX)
		return sysfs_full(err, "network interfaces", TOPO_NETDEVS_MAX);
	topo->netdev[topo->netdevs++] = *netdev;
	return 0;
}

int net_add_addr(struct topology *topo, const struct netaddr *addr, struct err *err)
{
	if (topo->addrs == TOPO_ADDRS_MAX)
		return sysfs_full(err, "IP addresses", TOPO_ADDRS_MAX);
	topo->addr[topo->addrs++] = *addr;
	return 0;
}

int net_add_default(struct topology *topo, uint8_t family, int ifindex, struct err *err)
{
	for (unsigned i = 0; i < topo->default_routes; i++) {
		if (topo->default_route[i].family == family && topo->default_route[i].ifindex == ifindex)
			return 0;
	}
	if (topo->default_routes == TOPO_DEFAULTS_MAX)
		return sysfs_full(err, "default routes", TOPO_DEFAULTS_MAX);
	topo->default_route[topo->default_routes++] =
		(struct default_route){ .family = family, .ifindex = ifindex };
	return 0;
}

int net_add_altname(struct netdev *netdev, const char *name, struct findings *findings, struct err *err)
{
	if (!net_name_ok(name) || strlen(name) >= ALTNAME_SIZE) {
		finding_add(findings, FINDING_UNKNOWN, "facts.readable", netdev->name, NULL,
			    "an alternative name of %s is not a name", netdev->name);
		return 0;
	}
	if (netdev->altnames == TOPO_ALTNAMES_MAX)
		return sysfs_full(err, "alternative names of one interface", TOPO_ALTNAMES_MAX);
	return str_copy(netdev->altname[netdev->altnames++], ALTNAME_SIZE, name);
}

/*
 * A representor of a VF or SF stands in for it on the switch inside the card; it hangs on the
 * same PCI function as the port. devlink names it "pf0vf3", "c1pf0sf8", and a port "p0"
 * (net/devlink: __devlink_port_phys_port_name_get).
 */
static bool is_representor(const char *port_name)
{
	if (*port_name == 'c') {
		port_name++;
		port_name += strspn(port_name, "0123456789");
	}
	return str_starts(port_name, "pf");
}

enum net_kind net_kind_of(const char *info_kind, bool has_lower, const char *port_name)
{
	if (info_kind && strcmp(info_kind, "bond") == 0)
		return NET_BOND;
	if (info_kind && strcmp(info_kind, "vlan") == 0)
		return NET_VLAN;
	/* IPoIB tells its kind on a port as well; a child of it (another P_Key) has its parent below it. */
	if (info_kind && (strcmp(info_kind, "ipoib") != 0 || has_lower))
		return NET_OTHER;
	return port_name && is_representor(port_name) ? NET_OTHER : NET_PLAIN;
}

/* Auxiliary devices are called "module.kind.number" (auxiliary_device_add). */
static bool is_auxiliary(const char *component, size_t length)
{
	const char *first = memchr(component, '.', length);
	const char *last = memrchr(component, '.', length);

	return first != last;
}

void net_place_of_link(const char *link, bool *ret_has_pci, struct pci_addr *ret_pci, bool *ret_subfunction)
{
	/* The last component is the device's own name, which may be anything. */
	const char *end = strrchr(link, '/');
	char component[PCI_TEXT_MAX];
	size_t length;

	*ret_has_pci = false;
	*ret_subfunction = false;
	for (const char *at = link; end && at < end; at += length + 1) {
		struct pci_addr pci;

		length = strcspn(at, "/");
		component[0] = '\0';
		if (length < sizeof(component)) {
			memcpy(component, at, length);
			component[length] = '\0';
		}
		if (pci_parse(component, &pci) == 0) {
			*ret_has_pci = true;
			*ret_pci = pci;
			*ret_subfunction = false;
		} else if (*ret_has_pci && is_auxiliary(at, length)) {
			*ret_subfunction = true;
		}
	}
}

static void tie(const struct root *root, struct netdev *netdev, struct findings *findings)
{
	char link[LINK_MAX];
	int r;

	/* Bonds, VLANs and what containers bring have no function; their links say "virtual". */
	if (netdev->loopback)
		netdev->kind = NET_OTHER;
	if (netdev->kind != NET_PLAIN && !netdev->infiniband)
		return;
	r = root_link(root, link, sizeof(link), "sys/class/net/%s", netdev->name);
	if (r < 0)
		sysfs_unreadable(findings, netdev->name, r, "sys/class/net/%s", netdev->name);
	else
		net_place_of_link(link, &netdev->has_pci, &netdev->pci, &netdev->subfunction);
	if (!netdev->has_pci)
		netdev->kind = NET_OTHER;
}

static int compare_netdevs(const void *a, const void *b)
{
	const struct netdev *x = a, *y = b;

	return (x->ifindex > y->ifindex) - (x->ifindex < y->ifindex);
}

static int compare_addrs(const void *a, const void *b)
{
	const struct netaddr *x = a, *y = b;

	if (x->ifindex != y->ifindex)
		return x->ifindex < y->ifindex ? -1 : 1;
	return ip_compare(&x->ip, &y->ip);
}

static int compare_defaults(const void *a, const void *b)
{
	const struct default_route *x = a, *y = b;

	if (x->family != y->family)
		return x->family < y->family ? -1 : 1;
	return (x->ifindex > y->ifindex) - (x->ifindex < y->ifindex);
}

static void sort(struct topology *topo)
{
	qsort(topo->netdev, topo->netdevs, sizeof(topo->netdev[0]), compare_netdevs);
	qsort(topo->addr, topo->addrs, sizeof(topo->addr[0]), compare_addrs);
	qsort(topo->default_route, topo->default_routes, sizeof(topo->default_route[0]), compare_defaults);
}

int facts_read_net(const struct root *root, struct topology *topo, struct findings *findings, struct err *err)
{
	int r;

	topo->netdevs = 0;
	topo->addrs = 0;
	topo->default_routes = 0;
	r = root->live ? nl_read_net(topo, findings, err) : dump_read_net(root, topo, findings, err);
	if (r < 0)
		return r;
	for (unsigned i = 0; i < topo->netdevs; i++)
		tie(root, &topo->netdev[i], findings);
	for (unsigned i = 0; i < topo->addrs; i++) {
		struct ip *ip = &topo->addr[i].ip;
		const struct netdev *netdev =
			ip_is_linklocal6(ip) ? topo_netdev(topo, topo->addr[i].ifindex) : NULL;

		if (netdev)
			memcpy(ip->scope, netdev->name, sizeof(ip->scope));
	}
	sort(topo);
	return 0;
}
