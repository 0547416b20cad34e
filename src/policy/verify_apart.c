/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Storage and compute apart: their subnets, their switches, and that nobody connects over whatever port a
 * route leads through. A shared switch is but a warning: small designs have one. A subnet in common is none:
 * routes and ARP answers go either way.
 */
#include "policy/verify_apart.h"

#include <string.h>

/* --- subnets_disjoint --- */

static void judge_pair(const struct verify *v, struct check *check, const struct netaddr *storage,
		       const struct netaddr *other, int netdev)
{
	const struct netdev *mine = topo_netdev(v->topo, storage->ifindex);
	const char *theirs = v->topo->netdev[netdev].name;
	char text[ADDR_TEXT_MAX], other_text[ADDR_TEXT_MAX], on[PORT_TEXT_MAX];
	int port = verify_netdev_port(v, netdev);

	/* An interface without a port is a bridge of containers, say: a mistake, but no way to a fabric. */
	check_bad(check, port >= 0 ? FINDING_FAIL : FINDING_WARN, theirs, NULL,
		  "%s of %s (%s) is in the subnet of %s of storage interface %s, so that storage may leave "
		  "or be "
		  "answered there: give one of them another subnet",
		  verify_addr_text(other, other_text), theirs, verify_port_text(v, port, on),
		  verify_addr_text(storage, text), mine->name);
}

void verify_subnets(const struct verify *v)
{
	struct check check = check_begin(v->findings, "partition.subnets_disjoint", "rtnetlink, addresses");
	const struct netaddr *addr = v->topo->addr;
	struct verify_addrs addrs;

	if (!v->platform) {
		check_bad(&check, FINDING_UNKNOWN, NULL, "sys/class/dmi/id", "%s", VERIFY_NO_PLATFORM);
		return;
	}
	verify_unread(v, &check);
	verify_addrs_collect(v, false, &addrs);
	for (unsigned o = 0; o < addrs.count; o++) {
		check.good += addrs.storage[o];
		for (unsigned s = 0; !addrs.storage[o] && s < addrs.count; s++) {
			if (!addrs.storage[s] ||
			    !verify_same_subnet(&addr[addrs.addr[s]], &addr[addrs.addr[o]]))
				continue;
			judge_pair(v, &check, &addr[addrs.addr[s]], &addr[addrs.addr[o]], addrs.netdev[o]);
			break;
		}
	}
	check_end(&check, NULL, "no storage port has an address",
		  "%u addresses of storage ports, and none of another interface is in one of their subnets",
		  check.good);
}

/* --- switches_disjoint --- */

struct fabric { /* the ports of a role with a link, by kind; indexes into ports */
	unsigned ethernet[TOPO_PORTS_MAX];
	unsigned ethernets, infinibands;
	int unknown; /* a port whose kind is unknown; -1: none */
};

static void collect_fabric(const struct verify *v, enum role role, struct fabric *ret)
{
	ret->ethernets = ret->infinibands = 0;
	ret->unknown = -1;
	for (unsigned i = 0; i < v->topo->ports; i++) {
		if (v->classes->port[i].role != role || v->topo->port[i].vf ||
		    !verify_port_has_link(v->topo, (int)i))
			continue;
		switch (verify_link_layer(v->topo, (int)i)) {
		case LINK_LAYER_ETHERNET:
			ret->ethernet[ret->ethernets++] = i;
			break;
		case LINK_LAYER_INFINIBAND:
			ret->infinibands++;
			break;
		case LINK_LAYER_UNKNOWN:
			ret->unknown = (int)i;
			break;
		}
	}
}

/* The ports whose neighbour is not known, as one finding a reason: nobody reads LLDP for one port alone. */
static void judge_unread(const struct verify *v, struct check *check, const struct fabric *fabric,
			 const char *role)
{
	const struct port_settings *first = NULL;
	char pci[PCI_TEXT_MAX], more[32] = "";
	unsigned count = 0;

	for (unsigned i = 0; i < fabric->ethernets; i++) {
		const struct port_settings *settings = &v->settings->port[fabric->ethernet[i]];

		if (settings->lldp == READ_OK && settings->chassis[0] != '\0')
			continue;
		if (!first)
			pci_format(&v->topo->port[fabric->ethernet[i]].pci, pci);
		first = first ? first : settings;
		count++;
	}
	if (!first)
		return;
	if (count > 1)
		str_format(more, sizeof(more), " and %u more", count - 1);
	check_bad(check, FINDING_UNKNOWN, pci, NULL, "the switch of %s port %s%s is unknown: %s", role, pci,
		  more,
		  first->lldp == READ_OK ? "no LLDP neighbour has been heard there; let the switch send LLDP"
		  : first->lldp_why[0]	 ? first->lldp_why
					 : "nobody reads LLDP here; run lldpd");
}

static void judge_switches(const struct verify *v, struct check *check, const struct fabric *storage,
			   const struct fabric *compute)
{
	const struct port_settings *port = v->settings->port;

	for (unsigned s = 0; s < storage->ethernets; s++) {
		unsigned mine = storage->ethernet[s], shared = 0, with = 0;
		char pci[PCI_TEXT_MAX], other[PCI_TEXT_MAX], more[32] = "";

		if (port[mine].lldp != READ_OK || port[mine].chassis[0] == '\0')
			continue;
		for (unsigned c = 0; c < compute->ethernets; c++) {
			unsigned theirs = compute->ethernet[c];

			if (port[theirs].lldp != READ_OK ||
			    strcmp(port[mine].chassis, port[theirs].chassis) != 0)
				continue;
			with = shared++ == 0 ? theirs : with;
		}
		if (shared == 0) {
			check_good(check);
			continue;
		}
		if (shared > 1)
			str_format(more, sizeof(more), " and %u more", shared - 1);
		pci_format(&v->topo->port[mine].pci, pci);
		check_bad(check, FINDING_WARN, pci, NULL,
			  "storage port %s and compute port %s%s are on one switch, chassis %s: cable "
			  "storage to "
			  "a switch of its own, or keep the two apart there",
			  pci, pci_format(&v->topo->port[with].pci, other), more, port[mine].chassis);
	}
}

void verify_switches(const struct verify *v)
{
	struct check check = check_begin(v->findings, "partition.switches_disjoint", "LLDP");
	struct fabric storage, compute;
	char pci[PCI_TEXT_MAX];
	int unknown;

	if (!v->platform) {
		check_bad(&check, FINDING_UNKNOWN, NULL, "sys/class/dmi/id", "%s", VERIFY_NO_PLATFORM);
		return;
	}
	collect_fabric(v, ROLE_STORAGE, &storage);
	collect_fabric(v, ROLE_COMPUTE, &compute);
	unknown = storage.unknown >= 0 ? storage.unknown : compute.unknown;
	if (storage.ethernets + storage.infinibands + (storage.unknown >= 0) == 0 ||
	    compute.ethernets + compute.infinibands + (compute.unknown >= 0) == 0) {
		check_skip(v->findings, check.name, NULL, "no storage port, or no compute port, has a link");
		return;
	}
	if (unknown >= 0) {
		pci_format(&v->topo->port[unknown].pci, pci);
		check_bad(&check, FINDING_UNKNOWN, pci, "RDMA netlink",
			  "whether %s is an Ethernet or an InfiniBand port is unknown: see whether its "
			  "driver is "
			  "bound",
			  pci);
	}
	/* A subnet prefix proves nothing: it is the same by default everywhere. */
	if (storage.infinibands > 0 && compute.infinibands > 0)
		check_bad(&check, FINDING_UNKNOWN, NULL, "RDMA netlink",
			  "%u storage and %u compute ports are InfiniBand, and nothing here tells their "
			  "fabrics "
			  "apart: ask the subnet manager (ibnetdiscover)",
			  storage.infinibands, compute.infinibands);
	if (storage.ethernets > 0 && compute.ethernets > 0) {
		judge_unread(v, &check, &storage, "storage");
		judge_unread(v, &check, &compute, "compute");
		judge_switches(v, &check, &storage, &compute);
		check_end(&check, NULL, "", "%u storage ports are on switches without a compute port",
			  check.good);
		return;
	}
	if (check.bad == 0)
		check.evidence = "RDMA netlink";
	check_good(&check);
	check_end(&check, NULL, "", "one of the two fabrics is Ethernet and the other InfiniBand");
}

/* --- autoconnect_off --- */

void verify_autoconnect(const struct verify *v)
{
	const struct settings *settings = v->settings;
	struct check check = check_begin(v->findings, "partition.autoconnect_off", "etc/systemd/system");
	const char *config = settings->autoconnect_config + (settings->autoconnect_config[0] == '/');
	const char *passed = "nvmf-autoconnect.service is not enabled";

	switch (settings->autoconnect) {
	case READ_OK:
		if (config[0] != '\0') {
			check_bad(&check, FINDING_FAIL, "nvmf-autoconnect.service", config,
				  "nvmf-autoconnect.service is enabled and has /%s: at boot it connects over "
				  "whatever port a route leads through: systemctl disable "
				  "nvmf-autoconnect.service, or empty that file",
				  config);
			return;
		}
		passed = "nvmf-autoconnect.service is enabled, but has no configuration to connect by";
		break;
	case READ_NOT_THERE:
		break;
	case READ_FAILED:
		check_bad(&check, FINDING_UNKNOWN, "nvmf-autoconnect.service", NULL,
			  "whether nvmf-autoconnect.service is enabled cannot be read: systemctl is-enabled "
			  "nvmf-autoconnect.service tells");
		return;
	}
	check_good(&check);
	check_end(&check, NULL, "", "%s", passed);
}
