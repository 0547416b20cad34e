/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The storage ports that the platform names. What is missing, slow, narrow or not set up costs bandwidth and
 * is a warning; it fails where a controller depends on it now: the port that carries it has no link, its
 * interface has an MTU too small for RoCE's 4096, its source address has no GID. unknown: it could not be
 * read, as of a driver that has no such setting. A port without a link is said once, by ports.link.
 */
#include "policy/verify_roce.h"

#include <string.h>

#define MTU_MIN 4200 /* 4096 and RoCE's headers: the kernel takes 96 off (iboe_get_mtu), plus some air */

static const char *mbps_text(int64_t mbps, char buf[static 32])
{
	if (mbps % 1000 == 0)
		str_format(buf, 32, "%lld Gb/s", (long long)mbps / 1000);
	else
		str_format(buf, 32, "%lld Mb/s", (long long)mbps);
	return buf;
}

static void collect(const struct verify *v, struct storage_ports *ret)
{
	const struct topology *topo = v->topo;

	memset(ret->used, 0, sizeof(ret->used));
	ret->count = 0;
	for (unsigned i = 0; i < v->platform->ports; i++) {
		const struct platform_port *entry = &v->platform->port[i];
		const struct port *port = topo_port(topo, &entry->pci);
		struct storage_port *at = &ret->port[ret->count];

		if (entry->role != ROLE_STORAGE)
			continue;
		*at = (struct storage_port){ .entry = entry, .port = -1 };
		pci_format(&entry->pci, at->pci);
		ret->count++;
		if (!port || v->classes->port[port - topo->port].role != ROLE_STORAGE)
			continue;
		at->port = (int)(port - topo->port);
		at->link = verify_port_has_link(topo, at->port);
		at->ethernet = port->netdev >= 0 && verify_link_layer(topo, at->port) == LINK_LAYER_ETHERNET;
	}
	for (unsigned i = 0; i < v->plan->paths; i++) {
		const struct path *path = &v->plan->path[i];

		if (path->ctrl < 0 || path->netdev < 0)
			continue;
		ret->used[path->netdev] = true;
		for (unsigned p = 0; p < ret->count; p++)
			ret->port[p].carries |= path->port >= 0 && ret->port[p].port == path->port;
	}
}

static void check_present(const struct verify *v, const struct storage_ports *ports)
{
	struct check check = check_begin(v->findings, "ports.present", PORTS_PRESENT_EVIDENCE);

	for (unsigned i = 0; i < ports->count; i++) {
		const struct storage_port *at = &ports->port[i];
		const struct port *port = topo_port(v->topo, &at->entry->pci);
		char text[256];

		if (at->port >= 0) {
			check_good(&check);
		} else if (port) {
			check_bad(&check, FINDING_WARN, at->pci, NULL,
				  "storage port %s is not used: %s; put the right card in, or describe the "
				  "machine "
				  "in /etc/nvme-partition/platforms.d",
				  at->pci, v->classes->port[port - v->topo->port].reason);
		} else {
			port_missing_text(at->entry, text, sizeof(text));
			check_bad(&check, FINDING_WARN, at->pci, NULL, "%s", text);
		}
	}
	check_end(&check, NULL, "the platform names no storage port",
		  "%u storage ports of platform %s are there, with its cards", check.good, v->platform->id);
}

/* The RDMA device that serves the port: in a RoCE LAG that of the bond. -1: none. */
static int device_of(const struct verify *v, int port)
{
	const struct port *p = &v->topo->port[port];

	if (p->rdma >= 0)
		return p->rdma;
	for (unsigned b = 0; b < v->classes->bonds; b++) {
		const struct bond_class *bond = &v->classes->bond[b];

		for (unsigned m = 0; m < bond->members; m++) {
			struct carrier carrier;

			if (bond->member[m] != port)
				continue;
			carrier_of(v->topo, v->classes, bond->netdev, &carrier);
			return carrier.rdma;
		}
	}
	return -1;
}

/* What is wrong with the port's link, and what to do; NULL: nothing. */
static const char *link_trouble(const struct verify *v, const struct storage_port *at)
{
	int netdev = v->topo->port[at->port].netdev, rdma = device_of(v, at->port);

	if (netdev < 0 && rdma < 0)
		return "has no driver: load mlx5_core, and see the kernel's log";
	if (netdev >= 0 && !v->topo->netdev[netdev].up)
		return "is down: ip link set it up";
	if (netdev >= 0 && !v->topo->netdev[netdev].carrier)
		return "has no carrier: see to its cable and the port of the switch";
	if (rdma < 0)
		return "has no RDMA device: load mlx5_ib, and see whether RoCE is enabled (devlink dev "
		       "param)";
	if (!v->topo->rdma_link[rdma].active)
		return "has an RDMA port that is not active: see rdma link, on InfiniBand the subnet manager";
	return NULL;
}

static void check_link(const struct verify *v, const struct storage_ports *ports)
{
	struct check check = check_begin(v->findings, "ports.link", "rtnetlink, RDMA netlink");

	for (unsigned i = 0; i < ports->count; i++) {
		const struct storage_port *at = &ports->port[i];
		const char *trouble = at->port >= 0 ? link_trouble(v, at) : NULL;
		char lost[32] = "its bandwidth";

		if (at->port < 0)
			continue;
		if (!trouble) {
			check_good(&check);
			continue;
		}
		if (v->topo->net_read != READ_OK || v->topo->rdma_read != READ_OK) {
			check_bad(&check, FINDING_UNKNOWN, at->pci, NULL,
				  "storage port %s seems to have no link, but not all could be read: see "
				  "facts.readable",
				  at->pci);
			continue;
		}
		if (at->entry->expect_mbps > 0)
			mbps_text(at->entry->expect_mbps, lost);
		check_bad(&check, at->carries ? FINDING_FAIL : FINDING_WARN, at->pci, NULL,
			  "storage port %s %s; %s lost%s", at->pci, trouble, lost,
			  at->carries ? ", and controllers are on it" : "");
	}
	check_end(&check, NULL, "no storage port is there", "%u storage ports have a link", check.good);
}

/* Each port against what the platform expects, and all of them against its sum. */
static void check_speed(const struct verify *v, const struct storage_ports *ports)
{
	struct check check = check_begin(v->findings, "ports.speed", "sys/class/net/*/speed");
	char given[32], design[32], have[32], want[32], lost[32];
	int64_t sum = 0, expected = 0;

	for (unsigned i = 0; i < ports->count; i++) {
		const struct storage_port *at = &ports->port[i];
		int speed = at->link ? v->topo->port[at->port].speed_mbps : 0;

		expected += at->entry->expect_mbps > 0 ? at->entry->expect_mbps : 0;
		sum += speed > 0 ? speed : 0;
	}
	mbps_text(sum, given);
	mbps_text(expected, design);
	for (unsigned i = 0; i < ports->count; i++) {
		const struct storage_port *at = &ports->port[i];
		int speed = at->link ? v->topo->port[at->port].speed_mbps : 0,
		    expect = at->entry->expect_mbps;

		if (!at->link || expect <= 0)
			continue;
		if (speed <= 0)
			check_bad(&check, FINDING_UNKNOWN, at->pci, NULL,
				  "the speed of storage port %s cannot be read; the platform expects %s: see "
				  "ethtool",
				  at->pci, mbps_text(expect, want));
		else if (speed < expect)
			check_bad(&check, FINDING_WARN, at->pci, NULL,
				  "storage port %s runs at %s, the platform expects %s: %s lost, and all "
				  "storage "
				  "ports give %s of %s; see to the cable, the switch's port and "
				  "autonegotiation",
				  at->pci, mbps_text(speed, have), mbps_text(expect, want),
				  mbps_text(expect - speed, lost), given, design);
		else
			check_good(&check);
	}
	check_end(&check, NULL, "no storage port has a link, or the platform expects no speed",
		  "%u storage ports run at the speed that the platform expects; together they give %s of %s",
		  check.good, given, design);
}

static void check_pcie(const struct verify *v, const struct storage_ports *ports)
{
	struct check check = check_begin(v->findings, "ports.pcie_width",
					 "sys/bus/pci/devices/*/current_link_width, max_link_width");

	for (unsigned i = 0; i < ports->count; i++) {
		const struct storage_port *at = &ports->port[i];
		const struct port_settings *s = at->port >= 0 ? &v->settings->port[at->port] : NULL;

		if (!s)
			continue;
		if (s->pcie_width <= 0 || s->pcie_width_max <= 0 || s->pcie_mtps <= 0 ||
		    s->pcie_mtps_max <= 0) {
			check_bad(
				&check, FINDING_UNKNOWN, at->pci, NULL,
				"width and speed of the PCIe link of %s cannot be read: lspci -vv shows them",
				at->pci);
			continue;
		}
		if (s->pcie_width >= s->pcie_width_max && s->pcie_mtps >= s->pcie_mtps_max) {
			check_good(&check);
			continue;
		}
		check_bad(
			&check, FINDING_WARN, at->pci, NULL,
			"%s has x%d at %d.%d GT/s of x%d at %d.%d GT/s: %lld of %lld Gb/s lost to its card; "
			"reseat it, and see to the slot and its riser",
			at->pci, s->pcie_width, s->pcie_mtps / 1000, s->pcie_mtps % 1000 / 100,
			s->pcie_width_max, s->pcie_mtps_max / 1000, s->pcie_mtps_max % 1000 / 100,
			(long long)(pcie_mbps(s->pcie_width_max, s->pcie_mtps_max) -
				    pcie_mbps(s->pcie_width, s->pcie_mtps)) /
				1000,
			(long long)pcie_mbps(s->pcie_width_max, s->pcie_mtps_max) / 1000);
	}
	check_end(&check, NULL, "no storage port is there", "%u storage ports have their PCIe link in full",
		  check.good);
}

/* --- mtu --- */

/* A controller's source is on the interface, or on a bond or VLAN above it. */
static bool is_used(const struct verify *v, const struct storage_ports *ports, const struct netdev *netdev)
{
	for (unsigned i = 0; i < v->topo->netdevs; i++) {
		if (ports->used[i] && netdev_is_above(v->topo, &v->topo->netdev[i], netdev))
			return true;
	}
	return ports->used[netdev - v->topo->netdev];
}

/* The member of a bond whose MTU is not that of the bond; NULL: none. */
static const struct netdev *uneven_member(const struct verify *v, const struct netdev *netdev)
{
	for (unsigned b = 0; b < v->classes->bonds; b++) {
		const struct bond_class *bond = &v->classes->bond[b];

		if (&v->topo->netdev[bond->netdev] != netdev)
			continue;
		for (unsigned m = 0; m < bond->members; m++) {
			int own = v->topo->port[bond->member[m]].netdev;

			if (own >= 0 && v->topo->netdev[own].mtu != netdev->mtu)
				return &v->topo->netdev[own];
		}
	}
	return NULL;
}

static void judge_mtu(const struct verify *v, const struct storage_ports *ports, struct check *check,
		      const struct netdev *netdev)
{
	enum finding_status status = is_used(v, ports, netdev) ? FINDING_FAIL : FINDING_WARN;
	const struct netdev *uneven = uneven_member(v, netdev);

	if (netdev->mtu <= 0)
		check_bad(check, FINDING_UNKNOWN, netdev->name, NULL, "the MTU of %s cannot be read",
			  netdev->name);
	else if (netdev->mtu < MTU_MIN)
		check_bad(check, status, netdev->name, NULL,
			  "%s has MTU %d, RoCE with 4096 bytes needs %d or more, here and on the target: ip "
			  "link set "
			  "%s mtu 9000, and the switch's ports too",
			  netdev->name, netdev->mtu, MTU_MIN, netdev->name);
	else if (uneven)
		check_bad(check, status, netdev->name, NULL,
			  "%s has MTU %d and its member %s has %d: ip link set %s mtu %d sets all of them",
			  netdev->name, netdev->mtu, uneven->name, uneven->mtu, netdev->name, netdev->mtu);
	else
		check_good(check);
}

/* Of every interface that only storage ports carry: the ports' own, bonds and VLANs. */
static void check_mtu(const struct verify *v, const struct storage_ports *ports)
{
	struct check check = check_begin(v->findings, "ports.mtu", "rtnetlink, links");

	for (unsigned i = 0; i < v->topo->netdevs; i++) {
		const struct netdev *netdev = &v->topo->netdev[i];

		if (netdev->infiniband || !netdev->up || !netdev->carrier ||
		    !verify_netdev_is_storage(v, (int)i))
			continue;
		judge_mtu(v, ports, &check, netdev);
	}
	check_end(&check, NULL, "no storage port that is Ethernet has a link",
		  "%u interfaces of storage ports have an MTU of %d or more", check.good, MTU_MIN);
}

void verify_ports(const struct verify *v)
{
	static const char *const names[] = {
		"ports.present", "ports.link",	    "ports.speed",    "ports.pcie_width",
		"ports.mtu",	 "ports.addresses", "ports.roce_gid", "ports.pfc",
		"ports.trust",	 "ports.pause",	    "ports.roce_tos",
	};
	struct storage_ports ports;

	for (unsigned i = 0; !v->platform && i < ARRAY_SIZE(names); i++)
		finding_add(v->findings, FINDING_UNKNOWN, names[i], NULL, "sys/class/dmi/id", "%s",
			    VERIFY_NO_PLATFORM);
	if (!v->platform)
		return;
	collect(v, &ports);
	check_present(v, &ports);
	check_link(v, &ports);
	check_speed(v, &ports);
	check_pcie(v, &ports);
	check_mtu(v, &ports);
	verify_roce(v, &ports);
}
