/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From addresses and names to ports: which function carries what is sent from a netdev, and
 * which port somebody means.
 */
#include "policy/policy.h"

#include <string.h>
#include <strings.h>

#define STACK_MAX 8 /* VLANs on VLANs; deeper is not followed */

/* The netdev below any VLANs. NULL: a loop, or a lower device that is not there. */
static const struct netdev *below_vlans(const struct topology *topo, const struct netdev *netdev)
{
	for (unsigned depth = 0; netdev && depth < STACK_MAX; depth++) {
		if (netdev->kind != NET_VLAN)
			return netdev;
		netdev = topo_netdev(topo, netdev->lower_ifindex);
	}
	return NULL;
}

int port_of_netdev(const struct topology *topo, const struct netdev *netdev)
{
	for (unsigned i = 0; i < topo->ports; i++) {
		if (topo->port[i].netdev == (int)(netdev - topo->netdev))
			return (int)i;
	}
	return -1;
}

bool netdev_is_above(const struct topology *topo, const struct netdev *upper,
		     const struct netdev *port_netdev)
{
	const struct netdev *base = below_vlans(topo, upper);

	for (unsigned depth = 0; base && port_netdev && depth < STACK_MAX; depth++) {
		if (base == port_netdev)
			return true;
		port_netdev = topo_netdev(topo, port_netdev->master_ifindex);
	}
	return false;
}

static bool is_member(const struct topology *topo, const struct bond_class *bond, const struct pci_addr *pci,
		      int *ret_port)
{
	for (unsigned i = 0; i < bond->members; i++) {
		if (pci_compare(&topo->port[bond->member[i]].pci, pci) == 0) {
			*ret_port = bond->member[i];
			return true;
		}
	}
	return false;
}

/*
 * The RDMA device of a bond: one that names the bond itself (Soft-RoCE on the bond, newer mlx5) and is of a
 * member, if it is of any PCI function; else the carrying member's.
 */
static void find_bond_rdma(const struct topology *topo, const struct bond_class *bond, struct carrier *ret)
{
	ret->port = bond->carrier >= 0 ? bond->carrier : bond->active >= 0 ? bond->active : bond->member[0];
	ret->rdma = bond->carrier >= 0 ? topo->port[bond->carrier].rdma : -1;
	for (unsigned i = 0; i < topo->rdma_links; i++) {
		const struct rdma_link *link = &topo->rdma_link[i];

		if (link->netdev_ifindex != topo->netdev[bond->netdev].ifindex)
			continue;
		if (!link->has_pci || is_member(topo, bond, &link->pci, &ret->port)) {
			ret->rdma = (int)i;
			return;
		}
	}
}

static void carrier_of_bond(const struct topology *topo, const struct bond_class *bond, struct carrier *ret)
{
	find_bond_rdma(topo, bond, ret);
	ret->storage = bond->storage;
	if (!bond->storage)
		ret->unusable = UNUSABLE_MIXED_BOND;
	else if (!bond->acceptable)
		ret->unusable = UNUSABLE_CROSS_CARD_LAG;
	else if (!topo->netdev[bond->netdev].up || !topo->netdev[bond->netdev].carrier)
		ret->unusable = UNUSABLE_LINK_DOWN;
	else if (ret->rdma < 0)
		ret->unusable = UNUSABLE_NO_RDMA;
	else if (!topo->rdma_link[ret->rdma].active)
		ret->unusable = UNUSABLE_RDMA_DOWN;
	else
		ret->unusable = USABLE;
}

void carrier_of(const struct topology *topo, const struct classification *classes, int netdev,
		struct carrier *ret)
{
	const struct netdev *base = below_vlans(topo, &topo->netdev[netdev]);

	*ret = (struct carrier){ .port = -1, .rdma = -1, .unusable = UNUSABLE_NOT_STORAGE };
	if (!base)
		return;
	for (unsigned i = 0; i < classes->bonds; i++) {
		if (classes->bond[i].netdev == (int)(base - topo->netdev)) {
			carrier_of_bond(topo, &classes->bond[i], ret);
			return;
		}
	}
	ret->port = port_of_netdev(topo, base);
	if (ret->port < 0)
		return;
	ret->rdma = topo->port[ret->port].rdma;
	ret->storage = classes->port[ret->port].role == ROLE_STORAGE;
	ret->unusable = classes->port[ret->port].unusable;
}

int netdev_of_ip(const struct topology *topo, const struct ip *ip)
{
	int found = -1;

	for (unsigned i = 0; i < topo->addrs; i++) {
		const struct netdev *netdev;

		if (!ip_equal(&topo->addr[i].ip, ip))
			continue;
		netdev = topo_netdev(topo, topo->addr[i].ifindex);
		/* Link-local addresses are not unique without their interface. */
		if (!netdev || (ip->scope[0] != '\0' && strcmp(ip->scope, netdev->name) != 0))
			continue;
		if (found >= 0 && found != (int)(netdev - topo->netdev))
			return -2;
		found = (int)(netdev - topo->netdev);
	}
	return found;
}

/* "slot2/p1" */
static bool is_slot_name(const char *name, int slot, int port)
{
	char text[32];

	if (slot < 0 || port < 0)
		return false;
	str_format(text, sizeof(text), "slot%d/p%d", slot, port);
	return strcmp(name, text) == 0;
}

static bool port_has_name(const struct topology *topo, const struct classification *classes, unsigned i,
			  const char *name)
{
	const struct port *port = &topo->port[i];
	const struct netdev *netdev = port->netdev >= 0 ? &topo->netdev[port->netdev] : NULL;
	struct pci_addr pci;

	if (pci_parse(name, &pci) == 0)
		return pci_compare(&pci, &port->pci) == 0;
	if (is_slot_name(name, classes->port[i].slot, classes->port[i].port))
		return true;
	if (port->rdma >= 0 && strcmp(topo->rdma_link[port->rdma].name, name) == 0)
		return true;
	if (!netdev)
		return false;
	/* A virtual function shares no permanent MAC with its port. */
	if (netdev->perm_mac[0] != '\0' && strcasecmp(netdev->perm_mac, name) == 0)
		return true;
	return topo_netdev_by_name(topo, name) == netdev;
}

int port_by_name(const struct topology *topo, const struct classification *classes, const char *name)
{
	int found = -1;

	for (unsigned i = 0; i < topo->ports; i++) {
		if (!port_has_name(topo, classes, i, name))
			continue;
		if (found >= 0)
			return -2;
		found = (int)i;
	}
	return found;
}

void storage_ports_text(const struct topology *topo, const struct classification *classes, char *buf,
			size_t size)
{
	char pci[PCI_TEXT_MAX];

	str_format(buf, size, "%s", "");
	for (unsigned i = 0; i < topo->ports; i++) {
		if (classes->port[i].role != ROLE_STORAGE || topo->port[i].vf)
			continue;
		str_append(buf, size, "%s%s", buf[0] ? ", " : "", pci_format(&topo->port[i].pci, pci));
		if (classes->port[i].unusable != USABLE)
			str_append(buf, size, " (%s)", unusable_name(classes->port[i].unusable));
	}
	if (buf[0] == '\0')
		str_append(buf, size, "none");
}
