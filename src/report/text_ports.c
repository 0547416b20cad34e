/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Ports and bonds in the text output. */
#include "report/parts.h"

#include "report/align.h"

static void cell_pci(FILE *out, const struct port *port)
{
	char text[PCI_TEXT_MAX] = "";

	text_cell(out, "%s", port ? pci_format(&port->pci, text) : text);
}

static void cell_known(FILE *out, int value)
{
	if (value < 0)
		text_cell(out, "%s", "");
	else
		text_cell(out, "%d", value);
}

/* 200000: "200 Gb/s"; 2500: "2.5 Gb/s"; 100: "100 Mb/s". */
static void cell_speed(FILE *out, int mbps)
{
	if (mbps < 0)
		text_cell(out, "%s", "");
	else if (mbps < 1000)
		text_cell(out, "%d Mb/s", mbps);
	else if (mbps % 1000 < 100)
		text_cell(out, "%d Gb/s", mbps / 1000);
	else
		text_cell(out, "%d.%d Gb/s", mbps / 1000, mbps % 1000 / 100);
}

/* The first address and how many there are more. */
static void cell_addresses(const struct result *result, const struct netdev *netdev, FILE *out)
{
	char text[REPORT_ADDR_MAX];
	struct report_addrs addrs;

	report_addrs(result, netdev, &addrs);
	if (addrs.count == 0)
		text_cell(out, "%s", "");
	else if (addrs.count == 1)
		text_cell(out, "%s", report_addr(addrs.addr[0], text));
	else
		text_cell(out, "%s +%u", report_addr(addrs.addr[0], text), addrs.count - 1);
}

/* What a person must know of a port; that a compute port is not for storage is no news. */
static void cell_port_note(const struct port_class *class, const struct netdev *master, FILE *out)
{
	char note[256] = "";

	if (class->role == ROLE_STORAGE && class->unusable != USABLE)
		str_append(note, sizeof(note), "unusable: %s", unusable_name(class->unusable));
	if (master)
		str_append(note, sizeof(note), "%sin %s", note[0] != '\0' ? ", " : "", master->name);
	if (class->inband)
		str_append(note, sizeof(note), "%scarries a default route", note[0] != '\0' ? ", " : "");
	if (note[0] != '\0')
		text_cell(out, "%s", note);
}

static void port_row(const struct result *result, const struct port *port, const struct port_class *class,
		     FILE *out)
{
	const struct netdev *netdev = report_netdev(result, port->netdev);
	const struct rdma_link *rdma = report_rdma(result, port->rdma);

	cell_pci(out, port);
	text_cell(out, "%s", role_name(class->role));
	if (class->slot >= 0 && class->port >= 0)
		text_cell(out, "%d/%d", class->slot, class->port);
	else
		cell_known(out, class->slot);
	text_cell(out, "%s", netdev ? netdev->name : "");
	text_cell(out, "%s", rdma ? rdma->name : "");
	text_cell(out, "%s", rdma ? rdma->state : "");
	cell_speed(out, port->speed_mbps);
	cell_known(out, port->numa_node);
	cell_addresses(result, netdev, out);
	text_cell(out, "%s", class->reason);
	cell_port_note(class, report_master(result, netdev), out);
	text_row_end(out);
}

void report_text_ports(const struct result *result, FILE *out)
{
	static const char *const titles[] = { "PCI",   "ROLE", "SLOT/PORT", "NETDEV", "RDMA", "STATE",
					      "SPEED", "NODE", "ADDRESS",   "REASON", "NOTE" };

	if (!result->topo || !result->classes || result->topo->ports == 0)
		return;
	text_section(out, "ports");
	text_header(out, titles, ARRAY_SIZE(titles));
	for (unsigned i = 0; i < result->topo->ports; i++)
		port_row(result, &result->topo->port[i], &result->classes->port[i], out);
}

static void cell_members(const struct result *result, const struct bond_class *bond, FILE *out)
{
	char members[BOND_MEMBERS_MAX * PCI_TEXT_MAX] = "", text[PCI_TEXT_MAX];

	for (unsigned i = 0; i < bond->members; i++) {
		const struct port *port = report_port(result, bond->member[i]);

		if (port)
			str_append(members, sizeof(members), "%s%s", members[0] != '\0' ? "," : "",
				   pci_format(&port->pci, text));
	}
	text_cell(out, "%s", members);
}

static void bond_row(const struct result *result, const struct bond_class *bond, FILE *out)
{
	const struct netdev *netdev = report_netdev(result, bond->netdev);

	text_cell(out, "%s", netdev ? netdev->name : "");
	text_cell(out, "%s", netdev ? bond_mode_name(netdev->bond_mode) : "");
	cell_members(result, bond, out);
	cell_pci(out, report_port(result, bond->active));
	cell_pci(out, report_port(result, bond->carrier));
	cell_addresses(result, netdev, out);
	text_cell(out, "%s", roce_lag_name(bond->roce_lag));
	text_cell(out, "%s", bond->reason);
	text_row_end(out);
}

void report_text_bonds(const struct result *result, FILE *out)
{
	static const char *const titles[] = { "NETDEV",	 "MODE",    "MEMBERS",	"ACTIVE",
					      "CARRIER", "ADDRESS", "ROCE LAG", "NOTE" };

	if (!result->topo || !result->classes || result->classes->bonds == 0)
		return;
	text_section(out, "bonds");
	text_header(out, titles, ARRAY_SIZE(titles));
	for (unsigned i = 0; i < result->classes->bonds; i++)
		bond_row(result, &result->classes->bond[i], out);
}
