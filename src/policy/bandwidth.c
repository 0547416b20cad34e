/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where the bandwidth of the storage ports is lost: at a port (no link, a slow one, a bond that leaves it
 * idle) or at a card (its slot). A card counts as a whole: one port of 400G gives as much as two of 200G.
 */
#include "policy/policy.h"

#include <string.h>

static const struct bond_class *bond_of(const struct classification *classes, int port)
{
	for (unsigned b = 0; b < classes->bonds; b++) {
		for (unsigned m = 0; m < classes->bond[b].members; m++) {
			if (classes->bond[b].member[m] == port)
				return &classes->bond[b];
		}
	}
	return NULL;
}

/* How a bond keeps a port that has a link from giving anything. */
static enum bandwidth_loss judge_bond(const struct topology *topo, const struct bond_class *bond, int port)
{
	if (!bond->acceptable)
		return LOSS_BROKEN_BOND;
	if (topo->netdev[bond->netdev].bond_mode != BOND_ACTIVE_BACKUP || bond->active == port)
		return LOSS_NONE;
	return LOSS_BACKUP;
}

static bool has_link(const struct topology *topo, const struct port *port)
{
	if (port->netdev >= 0)
		return topo->netdev[port->netdev].up && topo->netdev[port->netdev].carrier;
	return port->rdma >= 0 && topo->rdma_link[port->rdma].active;
}

static void judge_port(const struct topology *topo, const struct classification *classes,
		       const struct platform_port *entry, struct port_bandwidth *ret)
{
	const struct port *port = topo_port(topo, &entry->pci);
	int at = port ? (int)(port - topo->port) : -1;
	const struct bond_class *bond = port ? bond_of(classes, at) : NULL;

	*ret = (struct port_bandwidth){
		.pci = entry->pci,
		.slot = entry->slot,
		.port = entry->port,
		.possible_mbps = entry->expect_mbps > 0 ? entry->expect_mbps : 0,
	};
	if (!port) {
		ret->loss = LOSS_ABSENT;
	} else if (classes->port[at].role != ROLE_STORAGE) {
		ret->loss = LOSS_WRONG_CARD;
	} else if (!has_link(topo, port)) {
		ret->loss = LOSS_NO_LINK;
	} else if (port->speed_mbps <= 0) {
		ret->loss = LOSS_SPEED_UNKNOWN;
	} else {
		ret->loss = bond ? judge_bond(topo, bond, at) : LOSS_NONE;
		if (port->speed_mbps > ret->possible_mbps)
			ret->possible_mbps = port->speed_mbps;
		if (ret->loss == LOSS_NONE)
			ret->given_mbps = port->speed_mbps;
		if (ret->loss == LOSS_NONE && ret->given_mbps < ret->possible_mbps)
			ret->loss = LOSS_SLOW_LINK;
	}
}

static struct card_bandwidth *card_of(struct bandwidth *bw, const struct port_bandwidth *port)
{
	struct card_bandwidth *card;

	for (unsigned i = 0; i < bw->cards; i++) {
		if (pci_same_card(&bw->card[i].pci, &port->pci))
			return &bw->card[i];
	}
	card = &bw->card[bw->cards++];
	*card = (struct card_bandwidth){
		.pci = port->pci,
		.slot = port->slot,
		.pcie = { .width = -1, .width_max = -1, .mtps = -1, .mtps_max = -1 },
		.pcie_mbps = -1,
		.pcie_max_mbps = -1,
	};
	return card;
}

/* All functions of a card share its slot and show one link: the least of what they show counts. */
static void add_pcie(struct card_bandwidth *card, const struct pcie_link *link)
{
	int64_t now = pcie_mbps(link->width, link->mtps), max = pcie_mbps(link->width_max, link->mtps_max);

	if (now < 0 || max < 0 || (card->pcie_mbps >= 0 && card->pcie_mbps <= now))
		return;
	card->pcie = *link;
	card->pcie_mbps = now;
	card->pcie_max_mbps = max;
}

/* What its links give beyond the design counts for a port of it that has none, and no further. */
static void judge_card(struct card_bandwidth *card)
{
	int64_t design = card->possible_mbps;

	if (card->pcie_mbps >= 0 && card->possible_mbps > card->pcie_max_mbps)
		card->possible_mbps = card->pcie_max_mbps;
	if (card->given_mbps > card->possible_mbps)
		card->given_mbps = card->possible_mbps;
	if (card->pcie_mbps < 0) {
		card->loss = LOSS_PCIE_UNKNOWN; /* nothing is taken off, and it is said */
		return;
	}
	if (card->given_mbps > card->pcie_mbps)
		card->given_mbps = card->pcie_mbps;
	if (card->pcie_mbps < card->possible_mbps)
		card->loss = LOSS_NARROW_SLOT;
	else if (design > card->pcie_max_mbps)
		card->loss = LOSS_PCIE_LIMIT;
}

void bandwidth_of(const struct topology *topo, const struct classification *classes,
		  const struct platform *platform, const struct pcie_link *pcie, struct bandwidth *ret)
{
	memset(ret, 0, sizeof(*ret));
	ret->possible_mbps = ret->given_mbps = platform ? 0 : -1;
	for (unsigned i = 0; platform && i < platform->ports; i++) {
		const struct platform_port *entry = &platform->port[i];
		const struct port *port = topo_port(topo, &entry->pci);
		struct port_bandwidth *at = &ret->port[ret->ports];
		struct card_bandwidth *card;

		if (entry->role != ROLE_STORAGE)
			continue;
		ret->ports++;
		judge_port(topo, classes, entry, at);
		card = card_of(ret, at);
		card->possible_mbps += entry->expect_mbps > 0 ? entry->expect_mbps : 0;
		card->given_mbps += at->given_mbps;
		if (port && at->loss != LOSS_WRONG_CARD)
			add_pcie(card, &pcie[port - topo->port]);
	}
	for (unsigned i = 0; i < ret->cards; i++) {
		judge_card(&ret->card[i]);
		ret->possible_mbps += ret->card[i].possible_mbps;
		ret->given_mbps += ret->card[i].given_mbps;
	}
}

static const struct port_bandwidth *port_bandwidth(const struct bandwidth *bw, const struct pci_addr *pci)
{
	for (unsigned i = 0; i < bw->ports; i++) {
		if (pci_compare(&bw->port[i].pci, pci) == 0)
			return &bw->port[i];
	}
	return NULL;
}

/* The sum of the bond's members on this card, no more than the card has. */
static int64_t on_card(const struct topology *topo, const struct bond_class *bond, const struct bandwidth *bw,
		       const struct card_bandwidth *card, bool given)
{
	int64_t sum = 0, limit = given ? card->pcie_mbps : card->pcie_max_mbps;

	for (unsigned m = 0; m < bond->members; m++) {
		const struct pci_addr *pci = &topo->port[bond->member[m]].pci;
		const struct port_bandwidth *port = port_bandwidth(bw, pci);

		if (port && pci_same_card(pci, &card->pci))
			sum += given ? port->given_mbps : port->possible_mbps;
	}
	return limit >= 0 && sum > limit ? limit : sum;
}

void bandwidth_of_bond(const struct topology *topo, const struct bond_class *bond, const struct bandwidth *bw,
		       int64_t *ret_given, int64_t *ret_possible)
{
	*ret_given = *ret_possible = bw->possible_mbps < 0 || !bond->storage ? -1 : 0;
	for (unsigned i = 0; *ret_possible >= 0 && i < bw->cards; i++) {
		*ret_given += on_card(topo, bond, bw, &bw->card[i], true);
		*ret_possible += on_card(topo, bond, bw, &bw->card[i], false);
	}
}
