/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What RoCE needs of a storage port: an address of its own subnet, a GID of it, and the settings with which a
 * fabric loses nothing: priority 3, chosen by DSCP 26, as switches have it by default. They are of the
 * physical port, also below a bond. Ports that are InfiniBand, or have no link, have no part in this.
 */
#include "policy/verify_roce.h"

#include <string.h>

#define ROCE_PRIORITY 3
#define ROCE_DSCP 26
#define ROCE_TOS 106 /* DSCP 26, and ECT(0) */

/* --- addresses --- */

static bool has_address(const struct verify *v, const struct verify_addrs *addrs, int netdev)
{
	for (unsigned i = 0; i < addrs->count; i++) {
		if (i > 0 && addrs->netdev[i] == addrs->netdev[i - 1])
			continue;
		if (addrs->netdev[i] == netdev ||
		    (addrs->storage[i] &&
		     netdev_is_above(v->topo, &v->topo->netdev[addrs->netdev[i]], &v->topo->netdev[netdev])))
			return true;
	}
	return false;
}

/* An address before this one, of another storage interface, in the same subnet; -1: none. */
static int twin_of(const struct verify *v, const struct verify_addrs *addrs, unsigned i)
{
	for (unsigned k = 0; k < i; k++) {
		if (addrs->storage[k] && addrs->netdev[k] != addrs->netdev[i] &&
		    verify_same_subnet(&v->topo->addr[addrs->addr[k]], &v->topo->addr[addrs->addr[i]]))
			return (int)k;
	}
	return -1;
}

static void check_addresses(const struct verify *v, const struct storage_ports *ports,
			    const struct verify_addrs *addrs)
{
	struct check check = check_begin(v->findings, "ports.addresses", "rtnetlink, addresses");

	for (unsigned i = 0; i < ports->count; i++) {
		const struct storage_port *at = &ports->port[i];
		int netdev = at->port >= 0 ? v->topo->port[at->port].netdev : -1;

		if (at->port < 0 || !at->link)
			continue;
		if (netdev >= 0 && has_address(v, addrs, netdev))
			check_good(&check);
		else
			check_bad(&check, FINDING_WARN, at->pci, NULL,
				  "storage port %s (%s) has a link and no address, so no controller can "
				  "leave by "
				  "it: give it one, in a subnet of its own",
				  at->pci, netdev >= 0 ? v->topo->netdev[netdev].name : "no interface");
	}
	for (unsigned i = 0; i < addrs->count; i++) {
		int twin = addrs->storage[i] ? twin_of(v, addrs, i) : -1;
		char mine[ADDR_TEXT_MAX], other[ADDR_TEXT_MAX];

		if (twin < 0)
			continue;
		check_bad(&check, FINDING_WARN, v->topo->netdev[addrs->netdev[i]].name, NULL,
			  "%s of %s and %s of %s are in one subnet, where each port answers for the other's "
			  "address: give each a subnet of its own, or see routes.arp",
			  verify_addr_text(&v->topo->addr[addrs->addr[i]], mine),
			  v->topo->netdev[addrs->netdev[i]].name,
			  verify_addr_text(&v->topo->addr[addrs->addr[twin]], other),
			  v->topo->netdev[addrs->netdev[twin]].name);
	}
	check_end(&check, NULL, "no storage port has a link",
		  "%u storage ports have an address, each in a subnet of its own", check.good);
}

/* --- roce_gid --- */

/* The first GID of an RDMA link, by halving: they are sorted by it. */
static unsigned first_gid(const struct settings *settings, unsigned rdma)
{
	unsigned low = 0, high = settings->gids;

	while (low < high) {
		unsigned middle = low + (high - low) / 2;

		if (settings->gid[middle].rdma < rdma)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool is_source_of_controller(const struct verify *v, const struct ip *ip)
{
	for (unsigned i = 0; i < v->plan->paths; i++) {
		struct ip source;

		if (v->plan->path[i].ctrl >= 0 && ip_parse(v->plan->path[i].id.host_traddr, &source) == 0 &&
		    ip_equal(&source, ip))
			return true;
	}
	return false;
}

static void judge_gid(const struct verify *v, struct check *check, const struct netaddr *addr,
		      const struct netdev *netdev, const struct carrier *carrier)
{
	const struct rdma_link *link = &v->topo->rdma_link[carrier->rdma];
	unsigned first = first_gid(v->settings, (unsigned)carrier->rdma), end = first;
	const char *wrong = "no GID";
	bool unknown = false; /* whose GID it is cannot be read */
	char text[ADDR_TEXT_MAX], file[CTRL_FILE_MAX + RDMA_NAME_SIZE];

	for (; end < v->settings->gids && v->settings->gid[end].rdma == (unsigned)carrier->rdma; end++) {
		const struct gid *gid = &v->settings->gid[end];

		if (!ip_equal(&gid->ip, &addr->ip))
			continue;
		if (gid->roce_v2 && gid->ifindex == addr->ifindex) {
			check_good(check);
			return;
		}
		unknown |= gid->roce_v2 && gid->ifindex == 0;
		if (gid->roce_v2)
			wrong = "a GID of another interface";
		else if (strcmp(wrong, "no GID") == 0)
			wrong = "a GID of RoCE v1 alone";
	}
	str_format(file, sizeof(file), "sys/class/infiniband/%s/ports/%u/gids", link->name, link->port);
	verify_addr_text(addr, text);
	if (v->settings->gids_read[carrier->rdma] != READ_OK || unknown)
		check_bad(
			check, FINDING_UNKNOWN, netdev->name, file,
			"whether %s of %s has a RoCE v2 GID is unknown: /%s has no entry that could be read",
			text, netdev->name, file);
	else
		check_bad(check, is_source_of_controller(v, &addr->ip) ? FINDING_FAIL : FINDING_WARN,
			  netdev->name, file,
			  "%s of %s has %s on RDMA device %s, wanted one of RoCE v2: connecting from it "
			  "fails; set "
			  "the address anew, and see whether RoCE is enabled (devlink dev param)",
			  text, netdev->name, wrong, link->name);
}

static void check_gids(const struct verify *v, const struct verify_addrs *addrs)
{
	struct check check =
		check_begin(v->findings, "ports.roce_gid", "sys/class/infiniband/*/ports/*/gids");

	for (unsigned i = 0; i < addrs->count; i++) {
		const struct netdev *netdev = &v->topo->netdev[addrs->netdev[i]];
		struct carrier carrier;

		if (!addrs->storage[i] || netdev->infiniband || !netdev->up || !netdev->carrier)
			continue;
		carrier_of(v->topo, v->classes, addrs->netdev[i], &carrier);
		if (carrier.rdma < 0 || v->topo->rdma_link[carrier.rdma].link_layer == LINK_LAYER_INFINIBAND)
			continue; /* ports.link says that there is none */
		judge_gid(v, &check, &v->topo->addr[addrs->addr[i]], netdev, &carrier);
	}
	check_end(&check, NULL, "no storage port with RoCE has a link and an address",
		  "%u addresses of storage ports have a RoCE v2 GID", check.good);
}

/* --- settings of a port --- */

static const char *const no_roce = "no storage port that is Ethernet has a link";

/* The next port that RoCE's settings are of; NULL: no more. */
static const struct storage_port *next(const struct storage_ports *ports, unsigned *i)
{
	while (*i < ports->count) {
		const struct storage_port *at = &ports->port[(*i)++];

		if (at->port >= 0 && at->link && at->ethernet)
			return at;
	}
	return NULL;
}

static const char *name_of(const struct verify *v, const struct storage_port *at)
{
	return v->topo->netdev[v->topo->port[at->port].netdev].name;
}

static void check_pfc(const struct verify *v, const struct storage_ports *ports)
{
	struct check check = check_begin(v->findings, "ports.pfc", "DCB netlink");
	const struct storage_port *at;

	for (unsigned i = 0; (at = next(ports, &i));) {
		const struct port_settings *s = &v->settings->port[at->port];

		if (s->pfc < 0)
			check_bad(&check, FINDING_UNKNOWN, at->pci, NULL,
				  "priority flow control of %s (%s) is unknown: %s", at->pci, name_of(v, at),
				  s->dcb_why[0] ? s->dcb_why : "it could not be read");
		else if (!(s->pfc & 1 << ROCE_PRIORITY))
			check_bad(&check, FINDING_WARN, at->pci, NULL,
				  "priority flow control of %s (%s) is off for priority %d (enabled: "
				  "0x%02x): RoCE may "
				  "lose packets; dcb pfc set dev %s prio-pfc %d:on, and on the switch too",
				  at->pci, name_of(v, at), ROCE_PRIORITY, (unsigned)s->pfc & 0xff,
				  name_of(v, at), ROCE_PRIORITY);
		else
			check_good(&check);
	}
	check_end(&check, NULL, no_roce, "%u storage ports have priority flow control on priority %d",
		  check.good, ROCE_PRIORITY);
}

static void check_trust(const struct verify *v, const struct storage_ports *ports)
{
	struct check check = check_begin(v->findings, "ports.trust", "DCB netlink");
	const struct storage_port *at;

	for (unsigned i = 0; (at = next(ports, &i));) {
		const struct port_settings *s = &v->settings->port[at->port];

		switch (s->trust) {
		case TRUST_DSCP:
			check_good(&check);
			break;
		case TRUST_PCP:
			check_bad(&check, FINDING_WARN, at->pci, NULL,
				  "%s (%s) trusts the VLAN's priority (pcp), wanted dscp: without a VLAN "
				  "RoCE is not "
				  "in its class; mlnx_qos -i %s --trust dscp",
				  at->pci, name_of(v, at), name_of(v, at));
			break;
		case TRUST_UNKNOWN:
			check_bad(&check, FINDING_UNKNOWN, at->pci, NULL,
				  "whether %s (%s) trusts DSCP is unknown: %s", at->pci, name_of(v, at),
				  s->dcb_why[0] ? s->dcb_why : "it could not be read");
			break;
		}
	}
	check_end(&check, NULL, no_roce, "%u storage ports trust DSCP", check.good);
}

static void check_pause(const struct verify *v, const struct storage_ports *ports)
{
	struct check check = check_begin(v->findings, "ports.pause", "ethtool netlink");
	const struct storage_port *at;

	for (unsigned i = 0; (at = next(ports, &i));) {
		const struct port_settings *s = &v->settings->port[at->port];

		if (s->pause_rx > 0 || s->pause_tx > 0)
			check_bad(&check, FINDING_WARN, at->pci, NULL,
				  "global pause of %s (%s) is on (rx %s, tx %s), wanted off: it stops all "
				  "priorities, "
				  "and priority flow control with it; ethtool -A %s rx off tx off",
				  at->pci, name_of(v, at), s->pause_rx > 0 ? "on" : "off",
				  s->pause_tx > 0 ? "on" : "off", name_of(v, at));
		else if (s->pause_rx < 0 || s->pause_tx < 0)
			check_bad(&check, FINDING_UNKNOWN, at->pci, NULL,
				  "whether global pause of %s (%s) is off is unknown: %s", at->pci,
				  name_of(v, at), s->pause_why[0] ? s->pause_why : "it could not be read");
		else
			check_good(&check);
	}
	check_end(&check, NULL, no_roce, "%u storage ports have global pause off", check.good);
}

static void check_tos(const struct verify *v, const struct storage_ports *ports)
{
	struct check check = check_begin(v->findings, "ports.roce_tos",
					 "sys/kernel/config/rdma_cm/*/ports/*/default_roce_tos");
	const struct storage_port *at;

	for (unsigned i = 0; (at = next(ports, &i));) {
		const struct port_settings *s = &v->settings->port[at->port];
		int rdma = v->topo->port[at->port].rdma;

		if (rdma < 0) /* a bond's device serves it, and is another member's */
			continue;
		if (s->roce_tos < 0)
			check_bad(&check, FINDING_UNKNOWN, at->pci, NULL,
				  "default_roce_tos of %s is unknown: %s", v->topo->rdma_link[rdma].name,
				  s->roce_tos_why[0] ? s->roce_tos_why : "it could not be read");
		else if (s->roce_tos >> 2 != ROCE_DSCP)
			check_bad(&check, FINDING_WARN, at->pci, NULL,
				  "default_roce_tos of %s is %d (DSCP %d), wanted %d (DSCP %d): RoCE is not "
				  "in the "
				  "switch's lossless class, but for what is connected with --tos; "
				  "cma_roce_tos -d %s "
				  "-t %d",
				  v->topo->rdma_link[rdma].name, s->roce_tos, s->roce_tos >> 2, ROCE_TOS,
				  ROCE_DSCP, v->topo->rdma_link[rdma].name, ROCE_TOS);
		else
			check_good(&check);
	}
	check_end(&check, NULL, no_roce, "%u RDMA devices of storage ports send RoCE with DSCP %d",
		  check.good, ROCE_DSCP);
}

void verify_roce(const struct verify *v, const struct storage_ports *ports)
{
	struct verify_addrs addrs;

	verify_addrs_collect(v, true, &addrs);
	check_addresses(v, ports, &addrs);
	check_gids(v, &addrs);
	check_pfc(v, ports);
	check_trust(v, ports);
	check_pause(v, ports);
	check_tos(v, ports);
}
