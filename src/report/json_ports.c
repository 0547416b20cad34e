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

static struct json *bond_json(const struct result *result, const struct bond_class *bond)
{
	const struct netdev *netdev = report_netdev(result, bond->netdev);
	bool mode_known = netdev && netdev->bond_mode != BOND_UNKNOWN;
	struct json *j = json_object_new();

	report_set_text(j, "netdev", netdev ? netdev->name : NULL);
	json_set_str(j, "mode", mode_known ? bond_mode_name(netdev->bond_mode) : NULL);
	json_set(j, "members", members_json(result, bond));
	report_set_port(j, "active", report_port(result, bond->active));
	json_set(j, "lacp", NULL);
	json_set_str(j, "roce_lag", roce_lag_name(bond->roce_lag));
	json_set_str(j, "reason", bond->reason);
	report_set_port(j, "carrier_pci", report_port(result, bond->carrier));
	return j;
}

struct json *report_json_bonds(const struct result *result)
{
	struct json *list = json_array_new();

	for (unsigned i = 0; result->topo && result->classes && i < result->classes->bonds; i++)
		json_push(list, bond_json(result, &result->classes->bond[i]));
	return list;
}
