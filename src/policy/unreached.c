/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Why a portal is not reached from any storage port, in words that say what would work. */
#include "policy/planner.h"

#include <string.h>

const char *plan_portal_text(const struct portal *portal, char buf[static PORTAL_TEXT_MAX])
{
	char traddr[IP_TEXT_MAX];
	bool v6 = portal->traddr.family == 6;

	str_format(buf, PORTAL_TEXT_MAX, "%s%s%s:%s", v6 ? "[" : "", ip_format(&portal->traddr, traddr),
		   v6 ? "]" : "", portal->trsvcid);
	return buf;
}

struct skip *plan_add_skip(struct planner *p, unsigned portal, enum skip_reason reason)
{
	const struct portal *from = &p->request->portal[portal];
	struct skip *skip = &p->plan->skip[p->plan->skips++];

	*skip = (struct skip){ .reason = reason };
	memcpy(skip->nqn, from->nqn, sizeof(skip->nqn));
	memcpy(skip->trsvcid, from->trsvcid, sizeof(skip->trsvcid));
	ip_format(&from->traddr, skip->traddr);
	return skip;
}

static bool any_storage_usable(const struct planner *p)
{
	for (unsigned i = 0; i < p->topo->ports; i++) {
		if (p->classes->port[i].role == ROLE_STORAGE && p->classes->port[i].unusable == USABLE)
			return true;
	}
	return false;
}

/* What may still come: a link, a device, an address; unlike a bond that is built wrong. */
static bool unusable_may_pass(enum unusable u)
{
	return u == UNUSABLE_LINK_DOWN || u == UNUSABLE_RDMA_DOWN || u == UNUSABLE_NO_RDMA ||
	       u == UNUSABLE_NO_NETDEV || u == UNUSABLE_NO_ADDRESS;
}

/* True if some storage port lacks only what may still come. */
static bool any_storage_waiting(const struct planner *p)
{
	for (unsigned i = 0; i < p->topo->ports; i++) {
		if (p->classes->port[i].role == ROLE_STORAGE &&
		    unusable_may_pass(p->classes->port[i].unusable))
			return true;
	}
	return false;
}

/* The storage port below a netdev, if there is one: -1 otherwise. */
static int storage_below(const struct planner *p, const struct netdev *netdev)
{
	struct carrier carrier;

	carrier_of(p->topo, p->classes, (int)(netdev - p->topo->netdev), &carrier);
	return carrier.storage ? carrier.port : -1;
}

/* An unusable storage port in whose subnet the portal is; -1: none. */
static int unusable_port_towards(const struct planner *p, const struct ip *traddr)
{
	for (unsigned i = 0; i < p->topo->addrs; i++) {
		const struct netaddr *addr = &p->topo->addr[i];
		const struct netdev *netdev = topo_netdev(p->topo, addr->ifindex);
		struct carrier carrier;

		if (!netdev || ip_is_linklocal6(&addr->ip) ||
		    !ip_same_subnet(&addr->ip, traddr, addr->prefixlen))
			continue;
		carrier_of(p->topo, p->classes, (int)(netdev - p->topo->netdev), &carrier);
		if (carrier.storage && carrier.unusable != USABLE)
			return carrier.port;
	}
	return -1;
}

/* The port that -w names, if it is what cannot be used; -1: no. */
static int unusable_wanted_port(const struct planner *p)
{
	struct carrier carrier = { .port = -1 };
	struct ip source;

	if (p->request->host_traddr[0] == '\0')
		return -1;
	if (ip_parse(p->request->host_traddr, &source) == 0) {
		int netdev = netdev_of_ip(p->topo, &source);

		if (netdev >= 0)
			carrier_of(p->topo, p->classes, netdev, &carrier);
	} else {
		carrier.port = port_by_name(p->topo, p->classes, p->request->host_traddr);
		if (carrier.port >= 0)
			carrier.unusable = p->classes->port[carrier.port].unusable;
	}
	return carrier.port >= 0 && carrier.unusable != USABLE ? carrier.port : -1;
}

/* Half a sentence about a port: what is wrong and what to do. */
static const char *advice(const struct planner *p, int port, enum unusable unusable)
{
	int rdma = p->topo->port[port].rdma;

	if (unusable == UNUSABLE_NO_ADDRESS && rdma >= 0 &&
	    p->topo->rdma_link[rdma].link_layer == LINK_LAYER_INFINIBAND)
		return "it is in InfiniBand mode and has no IPoIB address: give it one, or set its "
		       "LINK_TYPE to Ethernet (mlxconfig)";
	return unusable_advice(unusable);
}

static void skip_unusable(struct planner *p, unsigned portal, int port)
{
	struct skip *skip = plan_add_skip(p, portal, SKIP_PORT_UNUSABLE);
	char text[PORTAL_TEXT_MAX], pci[PCI_TEXT_MAX], storage[256];
	struct carrier carrier;

	plan_portal_text(&p->request->portal[portal], text);
	if (port < 0) {
		skip->may_come = any_storage_waiting(p);
		storage_ports_text(p->topo, p->classes, storage, sizeof(storage));
		str_format(
			skip->message, sizeof(skip->message),
			"portal %s: no storage port can be used now: %s; bring one up and give it an address",
			text, storage);
		return;
	}
	carrier.unusable = p->classes->port[port].unusable;
	/* A port that is fine by itself may belong to a bond that is not. */
	if (p->topo->port[port].netdev >= 0 && carrier.unusable == USABLE)
		carrier_of(p->topo, p->classes, p->topo->port[port].netdev, &carrier);
	skip->may_come = unusable_may_pass(carrier.unusable);
	str_format(skip->message, sizeof(skip->message), "portal %s: storage port %s cannot be used: %s",
		   text, pci_format(&p->topo->port[port].pci, pci), advice(p, port, carrier.unusable));
}

bool plan_unasked(struct planner *p, unsigned portal, unsigned first, unsigned end)
{
	bool unknown = first == end && p->candidates->plain[portal].answer == ANSWER_UNKNOWN;
	char text[PORTAL_TEXT_MAX];
	struct skip *skip;

	for (unsigned i = first; i < end; i++)
		unknown |= p->candidates->candidate[i].route.answer == ANSWER_UNKNOWN;
	if (!unknown)
		return false;
	skip = plan_add_skip(p, portal, SKIP_PORT_UNUSABLE);
	str_format(skip->message, sizeof(skip->message),
		   "portal %s: the routing table could not be read; nothing is connected on a guess",
		   plan_portal_text(&p->request->portal[portal], text));
	return true;
}

/* The address that would be the source is on another interface as well. */
static bool skip_shared(struct planner *p, unsigned portal)
{
	const struct ip *traddr = &p->request->portal[portal].traddr;

	for (unsigned i = 0; i < p->topo->addrs; i++) {
		const struct netaddr *addr = &p->topo->addr[i];
		const struct netdev *netdev = topo_netdev(p->topo, addr->ifindex);
		char text[PORTAL_TEXT_MAX], source[IP_TEXT_MAX];
		struct skip *skip;

		if (!netdev || storage_below(p, netdev) < 0 ||
		    !ip_same_subnet(&addr->ip, traddr, addr->prefixlen) || ip_is_linklocal6(&addr->ip) ||
		    netdev_of_ip(p->topo, &addr->ip) != -2)
			continue;
		skip = plan_add_skip(p, portal, SKIP_PORT_UNUSABLE);
		str_format(skip->message, sizeof(skip->message),
			   "portal %s: source address %s is on %s and on another interface, so it is "
			   "open which HCA it would take; remove it from all but the storage port",
			   plan_portal_text(&p->request->portal[portal], text), ip_format(&addr->ip, source),
			   netdev->name);
		return true;
	}
	return false;
}

/* -w names a member of a bond that another member carries now. */
static bool skip_passive(struct planner *p, unsigned portal)
{
	int port = port_by_name(p->topo, p->classes, p->request->host_traddr);

	for (unsigned b = 0; port >= 0 && b < p->classes->bonds; b++) {
		const struct bond_class *bond = &p->classes->bond[b];
		char text[PORTAL_TEXT_MAX], pci[PCI_TEXT_MAX], carrier[PCI_TEXT_MAX];
		bool member = false;
		struct skip *skip;

		for (unsigned m = 0; m < bond->members; m++)
			member |= bond->member[m] == port;
		if (!member || bond->carrier < 0 || bond->carrier == port)
			continue;
		skip = plan_add_skip(p, portal, SKIP_PORT_UNUSABLE);
		str_format(skip->message, sizeof(skip->message),
			   "portal %s: port %s is a passive member of %s, which port %s carries now; "
			   "name that one, or the bond's address",
			   plan_portal_text(&p->request->portal[portal], text),
			   pci_format(&p->topo->port[port].pci, pci), p->topo->netdev[bond->netdev].name,
			   pci_format(&p->topo->port[bond->carrier].pci, carrier));
		return true;
	}
	return false;
}

/* Plain routing leads to a storage port, from which no source was found. */
static void skip_behind_storage(struct planner *p, unsigned portal, int port)
{
	char text[PORTAL_TEXT_MAX], pci[PCI_TEXT_MAX];
	struct skip *skip;

	if (p->classes->port[port].unusable != USABLE) {
		skip_unusable(p, portal, port);
		return;
	}
	skip = plan_add_skip(p, portal, SKIP_NO_ROUTE);
	str_format(skip->message, sizeof(skip->message),
		   "portal %s: no route to it from the sources that were asked for; it is behind storage "
		   "port %s",
		   plan_portal_text(&p->request->portal[portal], text),
		   pci_format(&p->topo->port[port].pci, pci));
}

static struct skip *skip_not_via_storage(struct planner *p, unsigned portal, const struct netdev *out)
{
	struct skip *skip = plan_add_skip(p, portal, SKIP_NOT_VIA_STORAGE);
	int port = port_of_netdev(p->topo, out);
	char text[PORTAL_TEXT_MAX], pci[PCI_TEXT_MAX], storage[128];

	storage_ports_text(p->topo, p->classes, storage, sizeof(storage));
	str_format(skip->message, sizeof(skip->message),
		   "portal %s: no storage port has a route to it; plain routing would use %s (%s%s%s); "
		   "storage ports here: %s",
		   plan_portal_text(&p->request->portal[portal], text), out->name,
		   port >= 0 ? pci_format(&p->topo->port[port].pci, pci) : "",
		   port >= 0 ? ", role " : "no port of the platform",
		   port >= 0 ? role_name(p->classes->port[port].role) : "", storage);
	return skip;
}

/* A storage port whose link and RDMA device are up and that only lacks an address; -1: none. */
static int addressless_port(const struct planner *p)
{
	for (unsigned i = 0; i < p->topo->ports; i++) {
		if (p->classes->port[i].role == ROLE_STORAGE &&
		    p->classes->port[i].unusable == UNUSABLE_NO_ADDRESS)
			return (int)i;
	}
	return -1;
}

/* The portal is on no connected subnet, and a storage port waits for its own: that is the likelier cause. */
static void skip_addressless(struct planner *p, unsigned portal, int port, const struct netdev *out)
{
	struct skip *skip = plan_add_skip(p, portal, SKIP_PORT_UNUSABLE);
	char text[PORTAL_TEXT_MAX], pci[PCI_TEXT_MAX];

	skip->may_come = true;
	str_format(skip->message, sizeof(skip->message),
		   "portal %s: no storage port has a route to it (plain routing would use %s); storage "
		   "port %s could be its port: %s",
		   plan_portal_text(&p->request->portal[portal], text), out ? out->name : "no port at all",
		   pci_format(&p->topo->port[port].pci, pci), advice(p, port, UNUSABLE_NO_ADDRESS));
}

/* Where plain routing leads, and from where nothing was found. */
static void skip_by_route(struct planner *p, unsigned portal)
{
	const struct ip *traddr = &p->request->portal[portal].traddr;
	const struct route_answer *plain = &p->candidates->plain[portal];
	/* A link-local address says itself where it is. */
	const struct netdev *link =
		ip_is_linklocal6(traddr) ? topo_netdev_by_name(p->topo, traddr->scope) : NULL;
	const struct netdev *out = link;
	int addressless = addressless_port(p);
	char text[PORTAL_TEXT_MAX];
	struct skip *skip;

	if (!link && plain->answer == ANSWER_YES)
		out = topo_netdev(p->topo, plain->oif);
	if (out && storage_below(p, out) >= 0) {
		skip_behind_storage(p, portal, storage_below(p, out));
	} else if (out && (link || plain->onlink)) {
		/* It is that port's target, whatever state the storage ports are in. */
		(void)skip_not_via_storage(p, portal, out);
	} else if (!any_storage_usable(p)) {
		skip_unusable(p, portal, -1);
	} else if (addressless >= 0) {
		skip_addressless(p, portal, addressless, out);
	} else if (out) { /* a default route: a better one may come with a storage port's address */
		skip = skip_not_via_storage(p, portal, out);
		skip->may_come = any_storage_waiting(p);
	} else {
		skip = plan_add_skip(p, portal, SKIP_NO_ROUTE);
		skip->may_come = any_storage_waiting(p);
		str_format(skip->message, sizeof(skip->message),
			   "portal %s: no route to it, from a storage port or at all; storage ports here: ",
			   plan_portal_text(&p->request->portal[portal], text));
		storage_ports_text(p->topo, p->classes, skip->message + strlen(skip->message),
				   sizeof(skip->message) - strlen(skip->message));
	}
}

void plan_unreached(struct planner *p, unsigned portal, unsigned first, unsigned end)
{
	int towards = unusable_wanted_port(p);

	if (towards < 0)
		towards = unusable_port_towards(p, &p->request->portal[portal].traddr);
	if (plan_unasked(p, portal, first, end) || skip_shared(p, portal) || skip_passive(p, portal))
		return;
	if (towards >= 0)
		skip_unusable(p, portal, towards);
	else
		skip_by_route(p, portal);
}
