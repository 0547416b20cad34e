/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whether mlx5 makes one RDMA device of a bond (RoCE LAG), rule by rule, from its lag/lag.c: all ports of one
 * card and only they (mlx5_lag_check_prereq, mlx5_handle_changeupper_event), a mode that it can put into
 * hardware, no virtual functions, the eswitch in legacy mode on all of them. A rule whose evidence could not
 * be read is not met.
 */
#include "policy/policy.h"

#include <string.h>

static const struct {
	const char *broken, *unknown;
} texts[ROCE_RULES] = {
	[ROCE_RULE_PORTS] = { "it has members that are no network ports of a PCI card", "it has no members" },
	[ROCE_RULE_ONE_CARD] = { "its members are on different cards",
				 "the cards of its members are not known" },
	[ROCE_RULE_ALL_PORTS] = { "not all ports of the card are members",
				  "the card's other ports are not known" },
	[ROCE_RULE_MODE] = { "its mode is none of active-backup, balance-xor, 802.3ad",
			     "its mode could not be read" },
	[ROCE_RULE_ETHERNET] = { "a port of the card is in InfiniBand mode",
				 "the link layer of its members is not known" },
	[ROCE_RULE_NO_VFS] = { "the card has virtual functions",
			       "whether the card has virtual functions could not be read" },
	[ROCE_RULE_LEGACY] = { "the card's eswitch is in switchdev mode",
			       "the mode of the card's eswitch could not be read" },
};

static enum rule_state worse(enum rule_state a, enum rule_state b)
{
	return a > b ? a : b;
}

static enum rule_state of_bool(bool good)
{
	return good ? RULE_MET : RULE_BROKEN;
}

static enum rule_state judge_mode(enum bond_mode mode)
{
	switch (mode) {
	case BOND_ACTIVE_BACKUP:
	case BOND_BALANCE_XOR:
	case BOND_8023AD:
		return RULE_MET;
	case BOND_BALANCE_RR:
	case BOND_BROADCAST:
	case BOND_BALANCE_TLB:
	case BOND_BALANCE_ALB:
		return RULE_BROKEN;
	case BOND_UNKNOWN:
		break;
	}
	return RULE_UNKNOWN;
}

static enum rule_state judge_ethernet(const struct topology *topo, const struct port *port)
{
	if (port->rdma >= 0 && topo->rdma_link[port->rdma].link_layer == LINK_LAYER_INFINIBAND)
		return RULE_BROKEN;
	if (port->netdev < 0)
		return RULE_UNKNOWN;
	return of_bool(!topo->netdev[port->netdev].infiniband);
}

static enum rule_state judge_vfs(const struct port *port)
{
	if (port->vfs < 0)
		return RULE_UNKNOWN;
	return of_bool(port->vfs == 0);
}

static enum rule_state judge_eswitch(const struct port *port)
{
	switch (port->eswitch) {
	case ESWITCH_NONE:
	case ESWITCH_LEGACY:
		return RULE_MET;
	case ESWITCH_SWITCHDEV:
		return RULE_BROKEN;
	case ESWITCH_UNKNOWN:
		break;
	}
	return RULE_UNKNOWN;
}

/* What every function of the card has a say in, and how many of them are physical. */
static unsigned judge_card(const struct topology *topo, const struct pci_addr *card, struct roce_rules *ret)
{
	unsigned functions = 0;

	for (unsigned i = 0; i < topo->ports; i++) {
		const struct port *port = &topo->port[i];

		if (port->vf && pci_same_card(&port->pf, card))
			ret->state[ROCE_RULE_NO_VFS] = RULE_BROKEN;
		if (port->vf || !pci_same_card(&port->pci, card))
			continue;
		functions++;
		ret->state[ROCE_RULE_ETHERNET] =
			worse(ret->state[ROCE_RULE_ETHERNET], judge_ethernet(topo, port));
		ret->state[ROCE_RULE_NO_VFS] = worse(ret->state[ROCE_RULE_NO_VFS], judge_vfs(port));
		ret->state[ROCE_RULE_LEGACY] = worse(ret->state[ROCE_RULE_LEGACY], judge_eswitch(port));
	}
	return functions;
}

void roce_rules(const struct topology *topo, const int *member, unsigned members, unsigned foreign,
		enum bond_mode mode, struct roce_rules *ret)
{
	unsigned functions = 0, own = 0;
	bool one_card = true;

	for (unsigned i = 0; i < ROCE_RULES; i++)
		ret->state[i] = members > 0 ? RULE_MET : RULE_UNKNOWN;
	if (foreign > 0)
		ret->state[ROCE_RULE_PORTS] = RULE_BROKEN;
	ret->state[ROCE_RULE_MODE] = judge_mode(mode);
	for (unsigned i = 0; i < members; i++) {
		const struct pci_addr *pci = &topo->port[member[i]].pci;
		bool seen = false;

		one_card &= pci_same_card(pci, &topo->port[member[0]].pci);
		own += !topo->port[member[i]].vf;
		for (unsigned k = 0; k < i && !seen; k++)
			seen = pci_same_card(pci, &topo->port[member[k]].pci);
		if (!seen)
			functions += judge_card(topo, pci, ret);
	}
	if (members == 0)
		return;
	ret->state[ROCE_RULE_ONE_CARD] = of_bool(one_card);
	ret->state[ROCE_RULE_ALL_PORTS] = of_bool(own == functions && own == members && own > 1);
}

/* The first one that is broken says why; else the first that is unknown. */
enum roce_lag roce_rules_verdict(const struct roce_rules *rules, const char **ret_why)
{
	for (unsigned i = 0; i < ROCE_RULES; i++) {
		if (rules->state[i] == RULE_BROKEN) {
			*ret_why = texts[i].broken;
			return ROCE_LAG_IMPOSSIBLE;
		}
	}
	for (unsigned i = 0; i < ROCE_RULES; i++) {
		if (rules->state[i] == RULE_UNKNOWN) {
			*ret_why = texts[i].unknown;
			return ROCE_LAG_UNKNOWN;
		}
	}
	*ret_why = "all ports of one card, and only they";
	return ROCE_LAG_POSSIBLE;
}

void judge_roce_lag(const struct topology *topo, struct bond_class *bond)
{
	const char *why;
	unsigned devices = 0;

	roce_rules(topo, bond->member, bond->members, bond->foreign_members,
		   topo->netdev[bond->netdev].bond_mode, &bond->rules);
	bond->roce_lag = roce_rules_verdict(&bond->rules, &why);
	for (unsigned i = 0; i < bond->members; i++)
		devices += topo->port[bond->member[i]].rdma >= 0;
	/* Made it is, whatever could not be read: the device of the first function stands for all members. */
	if (bond->roce_lag != ROCE_LAG_IMPOSSIBLE && devices == 1 && topo->port[bond->member[0]].rdma >= 0) {
		bond->roce_lag = ROCE_LAG_ACTIVE;
		why = "one RDMA device, of the first port, serves the card";
	}
	str_format(bond->reason, sizeof(bond->reason), "%s", why);
}
