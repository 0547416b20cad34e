/* SPDX-License-Identifier: GPL-2.0-or-later */
/* "ports" and "bonds" of the JSON document. */
#include "report/parts.h"

static struct json *addresses_json(const struct result *result, const struct netdev *netdev)
{
	struct json *list = json_array_new();
	struct report_addrs addrs;
	char text[REPORT_ADDR_MAX];

	report_addrs(result, netdev, &addrs);
	for (unsigned i = 0; i < addrs.count; i++)
		json_push_str(list, report_addr(addrs.addr[i], text));
	return list;
}

static void port_set_rdma(struct json *j, const struct rdma_link *rdma)
{
	report_set_text(j, "rdma_device", rdma ? rdma->name : NULL);
	report_set_known(j, "rdma_port", rdma ? (int64_t)rdma->port : -1);
	json_set_str(j, "link_layer", rdma ? link_layer_name(rdma->link_layer) : NULL);
	report_set_text(j, "state", rdma ? rdma->state : NULL);
}

static struct json *port_json(const struct result *result, const struct port *port,
			      const struct port_class *class)
{
	const struct netdev *netdev = report_netdev(result, port->netdev);
	const struct netdev *master = report_master(result, netdev);
	struct json *j = json_object_new();

	report_set_pci(j, "pci", &port->pci);
	json_set_str(j, "role", role_name(class->role));
	json_set_str(j, "reason", class->reason);
	report_set_known(j, "slot", class->slot);
	report_set_known(j, "port", class->port);
	report_set_text(j, "netdev", netdev ? netdev->name : NULL);
	port_set_rdma(j, report_rdma(result, port->rdma));
	report_set_known(j, "speed_mbps", port->speed_mbps);
	report_set_known(j, "mtu", netdev ? netdev->mtu : -1);
	report_set_known(j, "numa_node", port->numa_node);
	json_set(j, "addresses", addresses_json(result, netdev));
	report_set_text(j, "master", master ? master->name : NULL);
	json_set_bool(j, "inband", class->inband);
	json_set_bool(j, "usable", class->unusable == USABLE);
	json_set_str(j, "unusable_reason", unusable_name(class->unusable));
	return j;
}

struct json *report_json_ports(const struct result *result)
{
	struct json *list = json_array_new();

	if (!result->topo || !result->classes)
		return list;
	for (unsigned i = 0; i < result->topo->ports; i++)
		json_push(list, port_json(result, &result->topo->port[i], &result->classes->port[i]));
	return list;
}

static struct json *members_json(const struct result *result, const struct bond_class *bond)
{
	struct json *list = json_array_new();
	char text[PCI_TEXT_MAX];

	for (unsigned i = 0; i < bond->members; i++) {
		const struct port *port = report_port(result, bond->member[i]);

		if (port)
			json_push_str(list, pci_format(&port->pci, text));
	}
	return list;
}

/* Of 802.3ad alone. partner_mac is zero while no partner answers. */
static struct json *lacp_json(const struct netdev *netdev)
{
	struct json *j;

	if (!netdev || netdev->bond_mode != BOND_8023AD)
		return NULL;
	j = json_object_new();
	report_set_text(j, "partner_mac", netdev->bond.partner_mac);
	json_set_str(j, "rate", netdev->bond.lacp_rate < 0 ? NULL : netdev->bond.lacp_rate ? "fast" : "slow");
	report_set_known(j, "aggregator", netdev->bond.aggregator);
	report_set_known(j, "aggregator_ports", netdev->bond.aggregator_ports);
	return j;
}

/* What each member says of its link; partner: null but in 802.3ad. */
static struct json *links_json(const struct result *result, const struct bond_class *bond, bool lacp)
{
	struct json *list = json_array_new();

	for (unsigned i = 0; i < bond->members; i++) {
		const struct port *port = report_port(result, bond->member[i]);
		const struct netdev *netdev = port ? report_netdev(result, port->netdev) : NULL;
		bool said = netdev && netdev->member.actor_state >= 0 && netdev->member.partner_state >= 0;
		struct json *j = json_object_new();

		report_set_port(j, "pci", port);
		report_set_text(j, "netdev", netdev ? netdev->name : NULL);
		json_set_str(j, "mii", netdev ? bond_mii_name(netdev->member.mii) : NULL);
		report_set_known(j, "aggregator", netdev ? netdev->member.aggregator : -1);
		if (lacp && said)
			json_set_bool(j, "partner", member_has_partner(&netdev->member));
		else
			json_set(j, "partner", NULL);
		json_push(list, j);
	}
	return list;
}

static struct json *rules_json(const struct bond_class *bond)
{
	struct json *list = json_array_new();

	for (int i = 0; i < ROCE_RULES; i++) {
		struct json *j = json_object_new();

		json_set_str(j, "rule", roce_rule_name((enum roce_rule)i));
		json_set_str(j, "state", rule_state_name(bond->rules.state[i]));
		json_push(list, j);
	}
	return list;
}

static struct json *bond_json(const struct result *result, const struct bond_class *bond)
{
	const struct netdev *netdev = report_netdev(result, bond->netdev);
	bool mode_known = netdev && netdev->bond_mode != BOND_UNKNOWN;
	struct json *j = json_object_new();

	report_set_text(j, "netdev", netdev ? netdev->name : NULL);
	json_set_str(j, "mode", mode_known ? bond_mode_name(netdev->bond_mode) : NULL);
	json_set(j, "members", members_json(result, bond));
	report_set_port(j, "active", report_port(result, bond->active));
	json_set(j, "lacp", lacp_json(netdev));
	json_set_str(j, "hash", netdev ? bond_hash_name(netdev->bond.hash) : NULL);
	report_set_known(j, "miimon_ms", netdev ? netdev->bond.miimon : -1);
	json_set(j, "links", links_json(result, bond, netdev && netdev->bond_mode == BOND_8023AD));
	json_set_str(j, "roce_lag", roce_lag_name(bond->roce_lag));
	json_set_str(j, "reason", bond->reason);
	json_set(j, "rules", rules_json(bond));
	report_set_port(j, "carrier_pci", report_port(result, bond->carrier));
	report_set_known(j, "given_mbps", bond->given_mbps);
	report_set_known(j, "possible_mbps", bond->possible_mbps);
	return j;
}

struct json *report_json_bonds(const struct result *result)
{
	struct json *list = json_array_new();

	for (unsigned i = 0; result->topo && result->classes && i < result->classes->bonds; i++)
		json_push(list, bond_json(result, &result->classes->bond[i]));
	return list;
}
