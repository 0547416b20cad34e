/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Look-ups in a topology, and the words for its enumerations. */
#include "model/topology.h"

#include <errno.h>
#include <string.h>

const struct netdev *topo_netdev(const struct topology *topo, int ifindex)
{
	for (unsigned i = 0; ifindex > 0 && i < topo->netdevs; i++) {
		if (topo->netdev[i].ifindex == ifindex)
			return &topo->netdev[i];
	}
	return NULL;
}

const struct netdev *topo_netdev_by_name(const struct topology *topo, const char *name)
{
	for (unsigned i = 0; i < topo->netdevs; i++) {
		const struct netdev *netdev = &topo->netdev[i];

		if (strcmp(netdev->name, name) == 0)
			return netdev;
		for (unsigned a = 0; a < netdev->altnames; a++) {
			if (strcmp(netdev->altname[a], name) == 0)
				return netdev;
		}
	}
	return NULL;
}

const struct port *topo_port(const struct topology *topo, const struct pci_addr *pci)
{
	for (unsigned i = 0; i < topo->ports; i++) {
		if (pci_compare(&topo->port[i].pci, pci) == 0)
			return &topo->port[i];
	}
	return NULL;
}

const struct irq *topo_irq(const struct topology *topo, const struct pci_addr *pci, unsigned vector)
{
	unsigned low = 0, high = topo->irqs;

	while (low < high) {
		unsigned middle = low + (high - low) / 2;
		const struct irq *irq = &topo->irq[middle];
		int order = pci_compare(&irq->pci, pci);

		if (order == 0)
			order = (irq->vector > vector) - (irq->vector < vector);
		if (order == 0)
			return irq;
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

const struct node *topo_node(const struct topology *topo, int id)
{
	for (unsigned i = 0; id >= 0 && i < topo->nodes; i++) {
		if (topo->node[i].id == (unsigned)id)
			return &topo->node[i];
	}
	return NULL;
}

const char *bond_mode_name(enum bond_mode mode)
{
	switch (mode) {
	case BOND_BALANCE_RR:
		return "balance-rr";
	case BOND_ACTIVE_BACKUP:
		return "active-backup";
	case BOND_BALANCE_XOR:
		return "balance-xor";
	case BOND_BROADCAST:
		return "broadcast";
	case BOND_8023AD:
		return "802.3ad";
	case BOND_BALANCE_TLB:
		return "balance-tlb";
	case BOND_BALANCE_ALB:
		return "balance-alb";
	case BOND_UNKNOWN:
		break;
	}
	return "unknown";
}

const char *link_layer_name(enum link_layer layer)
{
	switch (layer) {
	case LINK_LAYER_ETHERNET:
		return "ethernet";
	case LINK_LAYER_INFINIBAND:
		return "infiniband";
	case LINK_LAYER_UNKNOWN:
		break;
	}
	return NULL;
}

/* In one spelling, as everything that is compared with it. */
static int copy_address(char ret[static IP_TEXT_MAX], const char *text)
{
	struct ip ip;

	if (ip_parse(text, &ip) == 0) {
		ip_format(&ip, ret);
		return 0;
	}
	return str_copy(ret, IP_TEXT_MAX, text);
}

/* One "key=value" of the address. */
static int take_address_item(char *item, struct ctrl_id *id)
{
	char *value = strchr(item, '=');

	if (!value || value == item || value[1] == '\0')
		return -EINVAL;
	*value++ = '\0';
	if (strcmp(item, "traddr") == 0)
		return id->traddr[0] != '\0' ? -EINVAL : copy_address(id->traddr, value);
	if (strcmp(item, "host_traddr") == 0)
		return id->host_traddr[0] != '\0' ? -EINVAL : copy_address(id->host_traddr, value);
	if (strcmp(item, "trsvcid") == 0)
		return id->trsvcid[0] != '\0' ? -EINVAL : str_copy(id->trsvcid, sizeof(id->trsvcid), value);
	return 0;
}

int ctrl_address_parse(const char *text, struct ctrl_id *id)
{
	char copy[1024], *rest = copy, *item;
	int r = str_copy(copy, sizeof(copy), text);

	while (r == 0 && (item = strsep(&rest, ",")))
		r = take_address_item(item, id);
	if (r == 0 && id->traddr[0] == '\0')
		r = -EINVAL;
	if (r < 0)
		id->traddr[0] = id->trsvcid[0] = id->host_traddr[0] = '\0';
	return r;
}

bool ctrl_state_is_gone(const char *state)
{
	return str_starts(state, "deleting") || strcmp(state, "dead") == 0;
}

/* Addresses are equal by value where both are addresses, else as text. */
static bool address_equal(const char *a, const char *b)
{
	struct ip x, y;

	/* Only IPv6 has several spellings of one address (inet_pton). */
	if (strcmp(a, b) == 0 || !strchr(a, ':') || !strchr(b, ':'))
		return strcmp(a, b) == 0;
	return ip_parse(a, &x) == 0 && ip_parse(b, &y) == 0 && ip_equal(&x, &y);
}

bool ctrl_id_equal(const struct ctrl_id *a, const struct ctrl_id *b)
{
	return strcmp(a->nqn, b->nqn) == 0 && strcmp(a->transport, b->transport) == 0 &&
	       address_equal(a->traddr, b->traddr) && strcmp(a->trsvcid, b->trsvcid) == 0 &&
	       address_equal(a->host_traddr, b->host_traddr) && strcmp(a->hostnqn, b->hostnqn) == 0 &&
	       strcmp(a->hostid, b->hostid) == 0;
}

static int address_compare(const char *a, const char *b)
{
	struct ip x, y;
	int rx = ip_parse(a, &x), ry = ip_parse(b, &y);

	if (rx == 0 && ry == 0)
		return ip_compare(&x, &y);
	if (rx != ry)
		return rx < ry ? -1 : 1;
	return strcmp(a, b);
}

int ctrl_id_compare(const struct ctrl_id *a, const struct ctrl_id *b)
{
	int order = strcmp(a->nqn, b->nqn);

	if (order == 0)
		order = address_compare(a->traddr, b->traddr);
	if (order == 0)
		order = strverscmp(a->trsvcid, b->trsvcid);
	if (order == 0)
		order = address_compare(a->host_traddr, b->host_traddr);
	return order;
}
