/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bond: from what is asked for to one bond or a refusal that says what would work. Who asks is refused in the
 * order in which it would have to be mended: which ports, what they are, what the bond would be, what is
 * there, and last what goes on over them now.
 */
#include "policy/plan_bond.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int bond_refuse(struct bonding *b, enum bond_refusal refusal, int port, const char *fmt, ...)
{
	char pci[PCI_TEXT_MAX] = "bond", text[900];
	va_list args;

	va_start(args, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	if (port >= 0)
		pci_format(&b->topo->port[port].pci, pci);
	b->plan->refusal = refusal;
	return err_set(b->err, XC_REFUSED, -EPERM, pci, "%s", text);
}

const char *bond_port_text(const struct bonding *b, int port, char buf[static BOND_PORT_TEXT_MAX])
{
	const struct port *p = &b->topo->port[port];
	char pci[PCI_TEXT_MAX];

	str_format(buf, BOND_PORT_TEXT_MAX, "%s", pci_format(&p->pci, pci));
	if (p->netdev >= 0)
		str_append(buf, BOND_PORT_TEXT_MAX, " (%s)", b->topo->netdev[p->netdev].name);
	return buf;
}

/* --- which ports --- */

static int compare_ints(const void *a, const void *b)
{
	const int *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static int add_port(struct bonding *b, int port, const char *name)
{
	struct bond_plan *plan = b->plan;

	for (unsigned i = 0; i < plan->members; i++) {
		if (plan->member[i] == port)
			return bond_refuse(b, BOND_REFUSED_PORTS, port,
					   "%s is named twice: name each port once", name);
	}
	if (plan->members == BOND_MEMBERS_MAX)
		return bond_refuse(b, BOND_REFUSED_PORTS, port,
				   "more than %d members (BOND_MEMBERS_MAX): name fewer", BOND_MEMBERS_MAX);
	plan->member[plan->members++] = port;
	return 0;
}

static int find_named(struct bonding *b)
{
	char storage[512];
	int r = 0;

	for (unsigned i = 0; i < b->request->port_names && r == 0; i++) {
		const char *name = b->request->port_name[i];
		int port = port_by_name(b->topo, b->classes, name);

		storage_ports_text(b->topo, b->classes, storage, sizeof(storage));
		if (port == -1)
			r = bond_refuse(b, BOND_REFUSED_PORTS, -1,
					"no port of this machine is called \"%s\"; storage ports: %s", name,
					storage);
		else if (port < 0)
			r = bond_refuse(b, BOND_REFUSED_PORTS, -1,
					"\"%s\" fits several ports: write a PCI address; storage ports: %s",
					name, storage);
		else
			r = add_port(b, port, name);
	}
	return r;
}

/* All physical storage functions in the slot. */
static int find_card(struct bonding *b)
{
	char storage[512];
	int r = 0;

	for (unsigned i = 0; i < b->topo->ports && r == 0; i++) {
		if (b->classes->port[i].slot == b->request->slot &&
		    b->classes->port[i].role == ROLE_STORAGE && !b->topo->port[i].vf)
			r = add_port(b, (int)i, "a port");
	}
	if (r < 0 || b->plan->members > 0)
		return r;
	storage_ports_text(b->topo, b->classes, storage, sizeof(storage));
	return bond_refuse(b, BOND_REFUSED_PORTS, -1,
			   "no storage card is in slot %d; show lists the ports with their slots. Storage "
			   "ports: %s",
			   b->request->slot, storage);
}

static int find_ports(struct bonding *b)
{
	int r = b->request->slot >= 0 ? find_card(b) : find_named(b);

	if (r < 0)
		return r;
	qsort(b->plan->member, b->plan->members, sizeof(b->plan->member[0]), compare_ints);
	if (b->plan->members >= 2)
		return 0;
	return bond_refuse(
		b, BOND_REFUSED_PORTS, b->plan->members > 0 ? b->plan->member[0] : -1,
		"a bond needs two ports or more: name all ports of one storage card (--card SLOT)");
}

/* --- what they are --- */

static int judge_roles(struct bonding *b)
{
	char text[BOND_PORT_TEXT_MAX], storage[512];

	for (unsigned i = 0; i < b->plan->members; i++) {
		int port = b->plan->member[i];

		if (b->classes->port[port].role == ROLE_STORAGE && !b->topo->port[port].vf &&
		    b->topo->port[port].netdev >= 0)
			continue;
		storage_ports_text(b->topo, b->classes, storage, sizeof(storage));
		if (b->classes->port[port].role != ROLE_STORAGE)
			return bond_refuse(b, BOND_REFUSED_NOT_STORAGE, port,
					   "%s is no storage port (%s), and is never bonded; storage ports: "
					   "%s",
					   bond_port_text(b, port, text), b->classes->port[port].reason,
					   storage);
		return bond_refuse(b, BOND_REFUSED_NOT_STORAGE, port, "%s %s; storage ports: %s",
				   bond_port_text(b, port, text),
				   b->topo->port[port].vf ? "is a virtual function: bond its card's ports"
							  : "has no network interface: load its driver",
				   storage);
	}
	return 0;
}

static bool is_one_card(const struct bonding *b)
{
	for (unsigned i = 1; i < b->plan->members; i++) {
		if (!pci_same_card(&b->topo->port[b->plan->member[i]].pci,
				   &b->topo->port[b->plan->member[0]].pci))
			return false;
	}
	return true;
}

static bool is_infiniband(const struct topology *topo, int port)
{
	const struct port *p = &topo->port[port];

	return topo->netdev[p->netdev].infiniband ||
	       (p->rdma >= 0 && topo->rdma_link[p->rdma].link_layer == LINK_LAYER_INFINIBAND);
}

static int judge_link_layer(struct bonding *b)
{
	char text[BOND_PORT_TEXT_MAX];
	unsigned infiniband = 0;
	int first = -1;

	for (unsigned i = 0; i < b->plan->members; i++) {
		if (!is_infiniband(b->topo, b->plan->member[i]))
			continue;
		first = first < 0 ? b->plan->member[i] : first;
		infiniband++;
	}
	if (infiniband == 0)
		return 0;
	return bond_refuse(b, BOND_REFUSED_LINK_LAYER, first,
			   "%s is in InfiniBand mode%s: a RoCE LAG needs all ports in Ethernet mode "
			   "(mlxconfig LINK_TYPE_P1, LINK_TYPE_P2, then a cold reboot); on InfiniBand give "
			   "each port an address and connect over both",
			   bond_port_text(b, first, text),
			   infiniband < b->plan->members ? ", another member is in Ethernet mode" : "");
}

static int judge_cards(struct bonding *b)
{
	if (is_one_card(b))
		return 0;
	if (!b->request->allow_cross_card)
		return bond_refuse(
			b, BOND_REFUSED_CROSS_CARD, b->plan->member[0],
			"the ports are on different cards, and RDMA devices of two cards are never one: give "
			"each port an address of its own and connect over both, NVMe multipath uses them "
			"together. An active-backup bond across cards, with seconds of outage at each "
			"failover: --allow-cross-card");
	if (b->plan->mode == BOND_ACTIVE_BACKUP)
		return 0;
	return bond_refuse(b, BOND_REFUSED_CROSS_CARD, b->plan->member[0],
			   "mode %s across two cards breaks RDMA: the switch sends answers to the card that "
			   "has not asked; only active-backup works across cards",
			   bond_mode_name(b->plan->mode));
}

/* --- what the bond would be --- */

static int judge_rules(struct bonding *b)
{
	const struct bond_plan *plan = b->plan;
	const int port = plan->member[0];
	struct roce_rules rules;
	const char *why;

	roce_rules(b->topo, plan->member, plan->members, 0, plan->mode, &rules);
	b->plan->roce_lag = roce_rules_verdict(&rules, &why);
	str_format(b->plan->reason, sizeof(b->plan->reason), "%s", why);
	if (rules.state[ROCE_RULE_MODE] != RULE_MET)
		return bond_refuse(
			b, BOND_REFUSED_MODE, port,
			"mode %s is none that the card can use for RDMA: active-backup, 802.3ad or "
			"balance-xor",
			bond_mode_name(plan->mode));
	if (rules.state[ROCE_RULE_ONE_CARD] != RULE_MET)
		return 0; /* it was allowed: no RoCE LAG, and nothing of it is needed */
	if (rules.state[ROCE_RULE_ALL_PORTS] != RULE_MET)
		return bond_refuse(
			b, BOND_REFUSED_NOT_WHOLE, port,
			"the card has more ports than these, and makes one RDMA device of all or of "
			"none: name all of them (--card SLOT)");
	if (rules.state[ROCE_RULE_NO_VFS] == RULE_BROKEN)
		return bond_refuse(b, BOND_REFUSED_VFS, port,
				   "the card has virtual functions, and then makes no RDMA device of a bond: "
				   "write 0 to sriov_numvfs of its ports, or leave them unbonded");
	if (rules.state[ROCE_RULE_LEGACY] == RULE_BROKEN)
		return bond_refuse(
			b, BOND_REFUSED_SWITCHDEV, port,
			"the card's eswitch is in switchdev mode, and then makes no RDMA device for "
			"RoCE of a bond: devlink dev eswitch set it to legacy, or leave the ports "
			"unbonded");
	if (b->plan->roce_lag == ROCE_LAG_UNKNOWN)
		finding_add(b->findings, FINDING_UNKNOWN, "bond.roce_lag", plan->name, NULL,
			    "whether the card will make one RDMA device of %s is not known: %s", plan->name,
			    why);
	return 0;
}

static void set_name(struct bonding *b)
{
	struct bond_plan *plan = b->plan;

	if (b->request->name[0] != '\0')
		str_format(plan->name, sizeof(plan->name), "%s", b->request->name);
	else if (is_one_card(b) && b->classes->port[plan->member[0]].slot >= 0)
		str_format(plan->name, sizeof(plan->name), "storage-slot%d",
			   b->classes->port[plan->member[0]].slot);
	else
		str_format(plan->name, sizeof(plan->name), BOND_NAME_ACROSS);
}

/* As the members have it: the smallest, which all of them carry. Unknown is not guessed. */
static void set_mtu(struct bonding *b)
{
	struct bond_plan *plan = b->plan;

	plan->mtu = b->request->mtu;
	for (unsigned i = 0; b->request->mtu < 0 && i < plan->members; i++) {
		int mtu = b->topo->netdev[b->topo->port[plan->member[i]].netdev].mtu;

		if (i == 0 || mtu < plan->mtu)
			plan->mtu = mtu;
	}
}

int plan_bond(const struct topology *topo, const struct classification *classes, const struct plan *paths,
	      const struct managed *managed, const struct bond_request *request, struct bond_plan *ret,
	      struct findings *findings, struct err *err)
{
	struct bonding b = { topo, classes, paths, managed, request, ret, findings, err };
	int r;

	*ret = (struct bond_plan){ .bond = -1, .mode = request->mode, .roce_lag = ROCE_LAG_UNKNOWN };
	if (ret->mode == BOND_UNKNOWN)
		ret->mode = BOND_ACTIVE_BACKUP;
	r = find_ports(&b);
	if (r == 0)
		r = judge_roles(&b);
	if (r == 0)
		r = judge_link_layer(&b);
	if (r == 0)
		r = judge_cards(&b);
	if (r < 0)
		return r;
	set_name(&b);
	set_mtu(&b);
	r = judge_rules(&b);
	if (r == 0)
		r = bond_meet(&b);
	if (r == 0 && ret->action != BOND_KEPT)
		r = bond_disturb(&b);
	return r;
}
