/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * PCI network functions, and which netdev and RDMA device belong to each: by the PCI address
 * in their sysfs links, never by name (mlx5_1 is another function on another machine).
 */
#include "facts/facts.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/parse.h"
#include "facts/sysfs.h"

#define DEVICES "sys/bus/pci/devices"
#define CLASS_NETWORK 0x02 /* base class; 0x0200 Ethernet, 0x0207 InfiniBand (PCI Code and ID Assignment) */

/* No function has this address: the physical function of a VF that does not tell. */
static const struct pci_addr nowhere = { .domain = UINT32_MAX, .bus = 255, .device = 31, .function = 7 };

static void read_id(const struct root *root, const char *pci, const char *name, uint16_t *ret,
		    struct findings *findings)
{
	uint64_t value = 0;
	int r = root_hex(root, &value, DEVICES "/%s/%s", pci, name);

	if (r == 0 && value > UINT16_MAX)
		r = -ERANGE;
	if (r < 0)
		sysfs_unreadable(findings, pci, r, DEVICES "/%s/%s", pci, name);
	*ret = r < 0 ? 0 : (uint16_t)value;
}

static void read_physfn(const struct root *root, const char *pci, struct port *port,
			struct findings *findings)
{
	char link[1024];
	int r = root_link(root, link, sizeof(link), DEVICES "/%s/physfn", pci);
	const char *slash;

	if (r == -ENOENT)
		return;
	port->vf = true;
	port->pf = nowhere;
	if (r == 0) {
		slash = strrchr(link, '/');
		r = pci_parse(slash ? slash + 1 : link, &port->pf);
	}
	if (r < 0)
		sysfs_unreadable(findings, pci, r, DEVICES "/%s/physfn", pci);
}

/*
 * Virtual functions that are enabled now. Only a physical function with SR-IOV has the file
 * (sriov_pf_attrs_are_visible): without it there can be none.
 */
static int read_vfs(const struct root *root, const char *pci, struct findings *findings)
{
	int64_t count = 0;
	int r = root_i64(root, &count, DEVICES "/%s/sriov_numvfs", pci);

	if (r == -ENOENT)
		return root_exists(root, DEVICES "/%s/sriov_totalvfs", pci) ? -1 : 0;
	if (r == 0 && (count < 0 || count > UINT16_MAX))
		r = -ERANGE;
	if (r < 0)
		sysfs_unreadable(findings, pci, r, DEVICES "/%s/sriov_numvfs", pci);
	return r < 0 ? -1 : (int)count;
}

static void read_function(const struct root *root, struct port *port, struct findings *findings)
{
	char pci[PCI_TEXT_MAX];
	int64_t node = -1;
	int r;

	pci_format(&port->pci, pci);
	read_id(root, pci, "vendor", &port->vendor, findings);
	read_id(root, pci, "device", &port->device, findings);
	r = root_i64(root, &node, DEVICES "/%s/numa_node", pci);
	if (r == 0 && (node < -1 || node > INT_MAX))
		r = -ERANGE;
	if (r < 0)
		sysfs_unreadable(findings, pci, r, DEVICES "/%s/numa_node", pci);
	port->numa_node = r < 0 ? -1 : (int)node;
	read_physfn(root, pci, port, findings);
	port->vfs = port->vf ? 0 : read_vfs(root, pci, findings);
	port->eswitch = ESWITCH_UNKNOWN;
}

/* True if it is a network function, with its class. */
static bool read_class(const struct root *root, const char *name, uint32_t *ret, struct findings *findings)
{
	uint64_t class;
	int r = root_hex(root, &class, DEVICES "/%s/class", name);

	if (r == 0 && class > 0xffffff)
		r = -ERANGE;
	if (r < 0) {
		/* Functions come and go (VFs, hotplug): one that has just gone is nothing to tell. */
		if (root_exists(root, DEVICES "/%s", name))
			sysfs_unreadable(findings, name, r, DEVICES "/%s/class", name);
		return false;
	}
	*ret = (uint32_t) class;
	return class >> 16 == CLASS_NETWORK;
}

/* The port's own netdev. Whatever else hangs on the same function is made after it, so the lowest index is
 * the one. */
static int find_netdev(const struct topology *topo, const struct pci_addr *pci)
{
	int found = -1;

	for (unsigned i = 0; i < topo->netdevs; i++) {
		const struct netdev *netdev = &topo->netdev[i];

		if (netdev->kind != NET_PLAIN || !netdev->has_pci || netdev->subfunction ||
		    pci_compare(&netdev->pci, pci) != 0)
			continue;
		if (found < 0 || netdev->ifindex < topo->netdev[found].ifindex)
			found = (int)i;
	}
	return found;
}

/*
 * The port's RDMA device. rxe has no PCI function, but its netdev has. The netdev that an mlx5
 * device names proves nothing: under RoCE LAG it is a slave, perhaps of the other function
 * (mlx5_lag_get_roce_netdev).
 */
static int find_rdma(const struct topology *topo, const struct port *port)
{
	for (unsigned i = 0; i < topo->rdma_links; i++) {
		const struct rdma_link *link = &topo->rdma_link[i];

		if (link->has_pci && !link->subfunction && pci_compare(&link->pci, &port->pci) == 0)
			return (int)i;
	}
	for (unsigned i = 0; port->netdev >= 0 && i < topo->rdma_links; i++) {
		const struct rdma_link *link = &topo->rdma_link[i];

		if (!link->has_pci && link->netdev_ifindex > 0 &&
		    link->netdev_ifindex == topo->netdev[port->netdev].ifindex)
			return (int)i;
	}
	return -1;
}

/* "400 Gb/sec (4X NDR)", "2.5 Gb/sec (1X)": rate_show of the kernel's infiniband/core/sysfs.c. */
static int parse_rate(const char *text, int *ret_mbps)
{
	int mbps = 0;

	if (*text < '0' || *text > '9')
		return -EINVAL;
	for (; *text >= '0' && *text <= '9'; text++) {
		mbps = mbps * 10 + (*text - '0');
		if (mbps > INT_MAX / 10000)
			return -ERANGE;
	}
	mbps *= 1000;
	if (str_starts(text, ".5")) {
		mbps += 500;
		text += 2;
	}
	if (!str_starts(text, " Gb/sec"))
		return -EINVAL;
	*ret_mbps = mbps;
	return 0;
}

static void read_infiniband_speed(const struct root *root, const struct rdma_link *link, struct port *port,
				  struct findings *findings)
{
	char text[64];
	int r;

	/* Without a link the file tells the rate of SDR. */
	if (!link->active || !sysfs_is_name(link->name))
		return;
	r = root_line(root, text, sizeof(text), "sys/class/infiniband/%s/ports/%u/rate", link->name,
		      link->port);
	if (r == 0)
		r = parse_rate(text, &port->speed_mbps);
	if (r < 0)
		sysfs_unreadable(findings, link->name, r, "sys/class/infiniband/%s/ports/%u/rate", link->name,
				 link->port);
}

static void read_ethernet_speed(const struct root *root, const struct netdev *netdev, struct port *port,
				struct findings *findings)
{
	char text[32];
	int64_t speed;
	int r;

	if (!netdev->up || !netdev->carrier || !sysfs_is_name(netdev->name))
		return;
	r = root_line(root, text, sizeof(text), "sys/class/net/%s/speed", netdev->name);
	if (r == -EINVAL || r == -ENOENT)
		return; /* down meanwhile, or a driver without speeds (net-sysfs.c speed_show) */
	if (r == 0)
		r = parse_i64(text, INT64_MIN, INT64_MAX, &speed);
	if (r < 0)
		sysfs_unreadable(findings, netdev->name, r, "sys/class/net/%s/speed", netdev->name);
	else if (speed > 0 && speed <= INT_MAX) /* unknown is -1, on some drivers as a u32 */
		port->speed_mbps = (int)speed;
}

static void tie(const struct root *root, struct topology *topo, struct port *port, struct findings *findings)
{
	const struct netdev *netdev;
	const struct rdma_link *link;

	port->netdev = find_netdev(topo, &port->pci);
	port->rdma = find_rdma(topo, port);
	port->speed_mbps = -1;
	netdev = port->netdev < 0 ? NULL : &topo->netdev[port->netdev];
	link = port->rdma < 0 ? NULL : &topo->rdma_link[port->rdma];
	if (link && link->link_layer == LINK_LAYER_INFINIBAND)
		read_infiniband_speed(root, link, port, findings);
	else if (netdev && !netdev->infiniband)
		read_ethernet_speed(root, netdev, port, findings);
}

static int compare_ports(const void *a, const void *b)
{
	const struct port *x = a, *y = b;

	return pci_compare(&x->pci, &y->pci);
}

int facts_read_pci(const struct root *root, struct topology *topo, struct findings *findings, struct err *err)
{
	_cleanup_names_ struct names names = NAMES_INIT;
	int r = root_list(root, &names, DEVICES);

	topo->ports = 0;
	if (r == -ENOENT)
		return 0;
	if (r < 0)
		return sysfs_failed(err, r, DEVICES);
	for (size_t i = 0; i < names.count; i++) {
		struct port port = { 0 };
		char pci[PCI_TEXT_MAX];

		if (pci_parse(names.name[i], &port.pci) < 0 ||
		    strcmp(pci_format(&port.pci, pci), names.name[i]) != 0 ||
		    !read_class(root, pci, &port.class, findings))
			continue;
		if (topo->ports == TOPO_PORTS_MAX)
			return sysfs_full(err, "PCI network functions", TOPO_PORTS_MAX);
		read_function(root, &port, findings);
		tie(root, topo, &port, findings);
		topo->port[topo->ports++] = port;
	}
	/* The names' order is that of text; some domains have more than four digits. */
	qsort(topo->port, topo->ports, sizeof(topo->port[0]), compare_ports);
	return 0;
}
