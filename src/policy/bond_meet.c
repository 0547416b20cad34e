/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is there already when a bond is asked for: the same bond is kept, one that differs is drift. A bond is
 * recognised by its members, not by its name.
 */
#include "policy/plan_bond.h"

#include <string.h>

/* The first member that has a master, from "first" on; -1: none. */
static int with_master(const struct bonding *b, unsigned first)
{
	for (unsigned i = first; i < b->plan->members; i++) {
		if (b->topo->netdev[b->topo->port[b->plan->member[i]].netdev].master_ifindex != 0)
			return (int)i;
	}
	return -1;
}

static int master_ifindex(const struct bonding *b, int member)
{
	return b->topo->netdev[b->topo->port[b->plan->member[member]].netdev].master_ifindex;
}

static int bond_of_netdev(const struct bonding *b, const struct netdev *netdev)
{
	for (unsigned i = 0; i < b->classes->bonds; i++) {
		if (b->classes->bond[i].netdev == (int)(netdev - b->topo->netdev))
			return (int)i;
	}
	return -1;
}

static bool has_same_members(const struct bonding *b, const struct bond_class *bond)
{
	if (bond->members != b->plan->members || bond->foreign_members > 0)
		return false;
	for (unsigned i = 0; i < bond->members; i++) {
		if (bond->member[i] != b->plan->member[i])
			return false;
	}
	return true;
}

/* How the bond that is there differs from what is asked for. */
static void set_drift(struct bonding *b, const struct bond_class *bond)
{
	const struct netdev *netdev = &b->topo->netdev[bond->netdev];
	struct bond_plan *plan = b->plan;

	if (!has_same_members(b, bond))
		str_append(plan->drift, sizeof(plan->drift), "it has other members");
	if (netdev->bond_mode != plan->mode)
		str_append(plan->drift, sizeof(plan->drift), "%sits mode is %s, not %s",
			   plan->drift[0] ? "; " : "", bond_mode_name(netdev->bond_mode),
			   bond_mode_name(plan->mode));
	if (b->request->mtu >= 0 && netdev->mtu != b->request->mtu)
		str_append(plan->drift, sizeof(plan->drift), "%sits MTU is %d, not %d",
			   plan->drift[0] ? "; " : "", netdev->mtu, b->request->mtu);
	if (b->request->name[0] != '\0' && topo_netdev_by_name(b->topo, b->request->name) != netdev)
		str_append(plan->drift, sizeof(plan->drift), "%sits name is %s, not %s",
			   plan->drift[0] ? "; " : "", netdev->name, b->request->name);
}

/* Members of two bonds are of none that could be changed into the one that is asked for. */
static int meet_master(struct bonding *b, int *ret_bond)
{
	int first = with_master(b, 0), port, at;
	char text[BOND_PORT_TEXT_MAX];
	const struct netdev *master;

	*ret_bond = -1;
	if (first < 0)
		return 0;
	port = b->plan->member[first];
	bond_port_text(b, port, text);
	master = topo_netdev(b->topo, master_ifindex(b, first));
	at = master ? bond_of_netdev(b, master) : -1;
	if (at < 0)
		return bond_refuse(b, BOND_REFUSED_TAKEN, port,
				   "%s belongs to %s, which is no bond: take it out (ip link set nomaster)",
				   text, master ? master->name : "an interface");
	if (!b->classes->bond[at].storage)
		return bond_refuse(b, BOND_REFUSED_TAKEN, port,
				   "%s is in %s, which has a member that is no storage port, and is not "
				   "changed: take it out of it first",
				   text, master->name);
	for (int i = first; i >= 0; i = with_master(b, (unsigned)i + 1)) {
		if (master_ifindex(b, i) != master->ifindex)
			return bond_refuse(b, BOND_REFUSED_TAKEN, b->plan->member[i],
					   "%s is not in %s, as another of these ports is, but in another "
					   "one: take it out of "
					   "it first",
					   bond_port_text(b, b->plan->member[i], text), master->name);
	}
	*ret_bond = at;
	return 0;
}

static int meet_bond(struct bonding *b)
{
	const struct bond_class *bond;
	const struct netdev *master;
	int at, r = meet_master(b, &at);

	if (r < 0 || at < 0)
		return r;
	bond = &b->classes->bond[at];
	master = &b->topo->netdev[bond->netdev];
	b->plan->bond = at;
	set_drift(b, bond);
	if (b->request->name[0] == '\0')
		str_format(b->plan->name, sizeof(b->plan->name), "%s", master->name);
	b->plan->action = b->plan->drift[0] ? BOND_WOULD_CHANGE : BOND_KEPT;
	if (b->plan->action == BOND_KEPT) {
		b->plan->mtu = master->mtu;
		b->plan->roce_lag = bond->roce_lag;
		str_format(b->plan->reason, sizeof(b->plan->reason), "%s", bond->reason);
	}
	if (b->plan->action == BOND_KEPT || b->request->drain || b->request->print)
		return 0;
	return bond_refuse(
		b, BOND_REFUSED_DRIFT, b->plan->member[0],
		"%s is there over these ports, and is another one: %s; --drain disconnects what is "
		"over it, and changes it",
		master->name, b->plan->drift);
}

/* Names of interfaces as the kernel takes them (dev_valid_name), and no more than is safe in any text. */
static bool is_name(const char *name)
{
	return name[0] != '\0' && name[0] != '.' && name[0] != '-' &&
	       name[strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-")] ==
		       '\0';
}

static int meet_name(struct bonding *b)
{
	const struct bond_plan *plan = b->plan;
	const struct netdev *other = topo_netdev_by_name(b->topo, plan->name);

	if (!is_name(plan->name))
		return bond_refuse(
			b, BOND_REFUSED_NAME, -1,
			"\"%s\" is no name for a bond: letters, digits, '.', '_' and '-', 15 at most",
			plan->name);
	if (!other || (plan->bond >= 0 && other == &b->topo->netdev[b->classes->bond[plan->bond].netdev]))
		return 0;
	return bond_refuse(b, BOND_REFUSED_NAME, -1,
			   "an interface called %s is there, and is not over these ports: --name another one",
			   plan->name);
}

static bool is_own_netdev(const struct bonding *b, int ifindex)
{
	const struct bond_plan *plan = b->plan;

	for (unsigned i = 0; i < plan->members; i++) {
		if (b->topo->netdev[b->topo->port[plan->member[i]].netdev].ifindex == ifindex)
			return true;
	}
	return plan->bond >= 0 && b->topo->netdev[b->classes->bond[plan->bond].netdev].ifindex == ifindex;
}

/* An address moves from a member to the bond; elsewhere it is somebody's. */
static int meet_addresses(struct bonding *b)
{
	struct bond_plan *plan = b->plan;
	char text[IP_TEXT_MAX];

	plan->addresses = b->request->addresses;
	memcpy(plan->address, b->request->address, sizeof(plan->address));
	for (unsigned i = 0; i < plan->addresses; i++) {
		for (unsigned a = 0; a < b->topo->addrs; a++) {
			const struct netaddr *addr = &b->topo->addr[a];
			const struct netdev *netdev = topo_netdev(b->topo, addr->ifindex);

			if (!ip_equal(&addr->ip, &plan->address[i].ip))
				continue;
			if (!is_own_netdev(b, addr->ifindex))
				return bond_refuse(b, BOND_REFUSED_ADDRESS, -1,
						   "%s has the address %s already: choose another one",
						   netdev ? netdev->name : "an interface",
						   ip_format(&addr->ip, text));
			plan->there[i] |= netdev && netdev->kind == NET_BOND &&
					  addr->prefixlen == plan->address[i].prefixlen;
		}
	}
	return 0;
}

int bond_meet(struct bonding *b)
{
	int r = meet_bond(b);

	if (r == 0)
		r = meet_name(b);
	return r == 0 ? meet_addresses(b) : r;
}
