/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Roles, from the platform file alone; and whether a storage port can be used, from the machine. */
#include "policy/policy.h"

#include <string.h>

static bool id_is_of_role(const struct platform *platform, enum role role, const struct port *port)
{
	bool named = false;

	for (unsigned i = 0; i < platform->nic_ids; i++) {
		if (platform->nic_id[i].role != role)
			continue;
		named = true;
		if (platform->nic_id[i].vendor == port->vendor && platform->nic_id[i].device == port->device)
			return true;
	}
	return !named; /* the file does not say */
}

static void set_reason(const struct platform *platform, const struct platform_port *entry,
		       struct port_class *c)
{
	str_format(c->reason, sizeof(c->reason), "platform %s: ", platform->id);
	if (entry->role == ROLE_STORAGE && entry->slot >= 0)
		str_append(c->reason, sizeof(c->reason), "slot %d port %d", entry->slot, entry->port);
	else
		str_append(c->reason, sizeof(c->reason), "%s", role_name(entry->role));
	if (entry->label[0] != '\0')
		str_append(c->reason, sizeof(c->reason), " (%s)", entry->label);
}

/* The role of one function; a VF has that of its physical function. */
static void classify_port(const struct topology *topo, const struct platform *platform,
			  const struct port *port, struct port_class *c, struct findings *findings)
{
	const struct port *pf = port->vf ? topo_port(topo, &port->pf) : port;
	const struct platform_port *entry = pf ? platform_port(platform, &pf->pci) : NULL;
	char pci[PCI_TEXT_MAX];

	if (!entry) {
		str_format(c->reason, sizeof(c->reason), "platform %s does not name %s", platform->id,
			   pci_format(port->vf ? &port->pf : &port->pci, pci));
		return;
	}
	set_reason(platform, entry, c);
	if (entry->role == ROLE_STORAGE && !id_is_of_role(platform, ROLE_STORAGE, pf)) {
		c->unusable = UNUSABLE_WRONG_ID;
		str_format(c->reason, sizeof(c->reason),
			   "platform %s: slot %d port %d, but PCI id %04x:%04x is no storage card of this "
			   "platform",
			   platform->id, entry->slot, entry->port, pf->vendor, pf->device);
		finding_add(findings, FINDING_WARN, "ports.identity", pci_format(&port->pci, pci), NULL,
			    "%s is not used: %s", pci, c->reason);
		return;
	}
	c->role = entry->role;
	if (port->vf) {
		str_append(c->reason, sizeof(c->reason), ", virtual function of %s",
			   pci_format(&port->pf, pci));
		return;
	}
	c->slot = entry->slot;
	c->port = entry->port;
	if (entry->numa_node >= 0 && port->numa_node >= 0 && entry->numa_node != port->numa_node)
		finding_add(findings, FINDING_WARN, "ports.identity", pci_format(&port->pci, pci), NULL,
			    "%s is on NUMA node %d, platform %s expects %d; the machine's word is used", pci,
			    port->numa_node, platform->id, entry->numa_node);
}

void port_missing_text(const struct platform_port *entry, char *buf, size_t size)
{
	char pci[PCI_TEXT_MAX];

	str_format(buf, size,
		   "storage port %s (slot %d port %d) is not there: card missing, or not in its slot",
		   pci_format(&entry->pci, pci), entry->slot, entry->port);
}

static void find_missing(const struct topology *topo, const struct platform *platform,
			 struct findings *findings)
{
	char pci[PCI_TEXT_MAX], text[256];

	for (unsigned i = 0; i < platform->ports; i++) {
		const struct platform_port *entry = &platform->port[i];

		if (entry->role != ROLE_STORAGE || topo_port(topo, &entry->pci))
			continue;
		port_missing_text(entry, text, sizeof(text));
		finding_add(findings, FINDING_WARN, "ports.present", pci_format(&entry->pci, pci),
			    PORTS_PRESENT_EVIDENCE, "%s", text);
	}
}

/* --- bonds --- */

/* The member whose RDMA device carries what is sent from the bond; -1: none. */
static int bond_carrier(const struct topology *topo, const struct bond_class *bond)
{
	if (bond->active >= 0 && topo->port[bond->active].rdma >= 0)
		return bond->active;
	if (!bond->one_card) /* active-backup without an active member with RDMA: nobody knows */
		return -1;
	for (unsigned i = 0; i < bond->members; i++) {
		if (topo->port[bond->member[i]].rdma >= 0)
			return bond->member[i];
	}
	return -1;
}

static void judge_bond(const struct topology *topo, const struct classification *classes,
		       struct bond_class *bond)
{
	const struct netdev *netdev = &topo->netdev[bond->netdev];

	bond->storage = bond->foreign_members == 0;
	bond->one_card = bond->foreign_members == 0;
	bond->active = -1;
	for (unsigned i = 0; i < bond->members; i++) {
		const struct port *port = &topo->port[bond->member[i]];

		bond->storage &= classes->port[bond->member[i]].role == ROLE_STORAGE;
		bond->one_card &= pci_same_card(&port->pci, &topo->port[bond->member[0]].pci);
		if (netdev->active_ifindex > 0 &&
		    topo->netdev[port->netdev].ifindex == netdev->active_ifindex)
			bond->active = bond->member[i];
	}
	bond->acceptable = bond->storage && (bond->one_card || netdev->bond_mode == BOND_ACTIVE_BACKUP);
	bond->carrier = bond_carrier(topo, bond);
	bond->given_mbps = bond->possible_mbps = -1;
	judge_roce_lag(topo, bond);
}

/* Fills ret with the members of a bond; false: no port among them. */
static bool collect_bond(const struct topology *topo, int netdev, struct bond_class *ret)
{
	*ret = (struct bond_class){ .netdev = netdev };
	for (unsigned i = 0; i < topo->netdevs; i++) {
		if (topo->netdev[i].master_ifindex == topo->netdev[netdev].ifindex &&
		    port_of_netdev(topo, &topo->netdev[i]) < 0)
			ret->foreign_members++;
	}
	for (unsigned i = 0; i < topo->ports; i++) { /* in the order of PCI addresses */
		int own = topo->port[i].netdev;

		if (own < 0 || topo->netdev[own].master_ifindex != topo->netdev[netdev].ifindex)
			continue;
		if (ret->members == BOND_MEMBERS_MAX)
			ret->foreign_members++; /* too many to be one of ours: never storage */
		else
			ret->member[ret->members++] = (int)i;
	}
	return ret->members > 0;
}

static void classify_bonds(const struct topology *topo, struct classification *ret)
{
	for (unsigned i = 0; i < topo->netdevs; i++) {
		struct bond_class bond;
		unsigned at = ret->bonds;

		if (topo->netdev[i].kind != NET_BOND || !collect_bond(topo, (int)i, &bond) ||
		    ret->bonds == BONDS_MAX) /* a bond that is not listed is never accepted as a source */
			continue;
		judge_bond(topo, ret, &bond);
		for (;
		     at > 0 && strcmp(topo->netdev[ret->bond[at - 1].netdev].name, topo->netdev[i].name) > 0;
		     at--)
			ret->bond[at] = ret->bond[at - 1];
		ret->bond[at] = bond;
		ret->bonds++;
	}
}

static const struct bond_class *bond_of_port(const struct classification *classes, int port)
{
	for (unsigned b = 0; b < classes->bonds; b++) {
		for (unsigned m = 0; m < classes->bond[b].members; m++) {
			if (classes->bond[b].member[m] == port)
				return &classes->bond[b];
		}
	}
	return NULL;
}

/* --- usable --- */

/* An address on the port itself, its bond, or a VLAN above them; every IPv6 netdev has a link-local one. */
static bool has_address(const struct topology *topo, const struct netdev *netdev)
{
	for (unsigned i = 0; i < topo->addrs; i++) {
		const struct netaddr *addr = &topo->addr[i];
		const struct netdev *owner = topo_netdev(topo, addr->ifindex);

		if (addr->usable && !ip_is_linklocal6(&addr->ip) && owner &&
		    netdev_is_above(topo, owner, netdev))
			return true;
	}
	return false;
}

static enum unusable judge_usable(const struct topology *topo, const struct classification *classes, int i)
{
	const struct port *port = &topo->port[i];
	const struct bond_class *bond = bond_of_port(classes, i);
	const struct netdev *netdev = port->netdev >= 0 ? &topo->netdev[port->netdev] : NULL;
	int rdma = port->rdma;

	if (!netdev)
		return UNUSABLE_NO_NETDEV;
	if (bond && !bond->storage)
		return UNUSABLE_MIXED_BOND;
	if (bond && !bond->acceptable)
		return UNUSABLE_CROSS_CARD_LAG;
	if (!netdev->up || !netdev->carrier)
		return UNUSABLE_LINK_DOWN;
	if (bond && rdma < 0) { /* in a RoCE LAG the first function's device serves all members */
		struct carrier carrier;

		carrier_of(topo, classes, bond->netdev, &carrier);
		rdma = carrier.rdma;
	}
	if (rdma < 0)
		return UNUSABLE_NO_RDMA;
	if (!topo->rdma_link[rdma].active)
		return UNUSABLE_RDMA_DOWN;
	return has_address(topo, netdev) ? USABLE : UNUSABLE_NO_ADDRESS;
}

static bool is_inband(const struct topology *topo, const struct port *port)
{
	for (unsigned i = 0; port->netdev >= 0 && i < topo->default_routes; i++) {
		const struct netdev *out = topo_netdev(topo, topo->default_route[i].ifindex);

		if (out && netdev_is_above(topo, out, &topo->netdev[port->netdev]))
			return true;
	}
	return false;
}

void classify(const struct topology *topo, const struct platform *platform, struct classification *ret,
	      struct findings *findings)
{
	ret->known = platform != NULL;
	ret->bonds = 0;
	for (unsigned i = 0; i < topo->ports; i++) {
		struct port_class *c = &ret->port[i];

		*c = (struct port_class){ .slot = -1, .port = -1, .unusable = UNUSABLE_NOT_STORAGE };
		if (platform)
			classify_port(topo, platform, &topo->port[i], c, findings);
		else
			str_format(c->reason, sizeof(c->reason), "no platform file matches this machine");
		c->inband = is_inband(topo, &topo->port[i]);
	}
	if (platform)
		find_missing(topo, platform, findings);
	classify_bonds(topo, ret);
	for (unsigned i = 0; i < topo->ports; i++) {
		if (ret->port[i].role == ROLE_STORAGE)
			ret->port[i].unusable = judge_usable(topo, ret, (int)i);
	}
}
