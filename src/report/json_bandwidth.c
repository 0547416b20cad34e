/* SPDX-License-Identifier: GPL-2.0-or-later */
/* "bandwidth" of the JSON document: the node, its storage ports and their cards, and where some is lost. */
#include "report/parts.h"

static void set_loss(struct json *j, int64_t possible, int64_t given, enum bandwidth_loss loss)
{
	json_set_i64(j, "given_mbps", given);
	json_set_i64(j, "possible_mbps", possible);
	json_set_i64(j, "lost_mbps", possible > given ? possible - given : 0);
	json_set_str(j, "reason", bandwidth_loss_name(loss));
}

static struct json *port_json(const struct port_bandwidth *port)
{
	struct json *j = json_object_new();

	report_set_pci(j, "pci", &port->pci);
	report_set_known(j, "slot", port->slot);
	report_set_known(j, "port", port->port);
	set_loss(j, port->possible_mbps, port->given_mbps, port->loss);
	return j;
}

static struct json *card_json(const struct card_bandwidth *card)
{
	struct json *j = json_object_new(), *pcie = json_object_new();

	report_set_pci(j, "pci", &card->pci);
	report_set_known(j, "slot", card->slot);
	set_loss(j, card->possible_mbps, card->given_mbps, card->loss);
	report_set_known(pcie, "width", card->pcie.width);
	report_set_known(pcie, "width_max", card->pcie.width_max);
	report_set_known(pcie, "mtps", card->pcie.mtps);
	report_set_known(pcie, "mtps_max", card->pcie.mtps_max);
	report_set_known(pcie, "given_mbps", card->pcie_mbps);
	report_set_known(pcie, "possible_mbps", card->pcie_max_mbps);
	json_set(j, "pcie", pcie);
	return j;
}

struct json *report_json_bandwidth(const struct result *result)
{
	const struct bandwidth *bandwidth = result->bandwidth;
	struct json *j = json_object_new(), *ports = json_array_new(), *cards = json_array_new();

	report_set_known(j, "given_mbps", bandwidth ? bandwidth->given_mbps : -1);
	report_set_known(j, "possible_mbps", bandwidth ? bandwidth->possible_mbps : -1);
	for (unsigned i = 0; bandwidth && i < bandwidth->ports; i++)
		json_push(ports, port_json(&bandwidth->port[i]));
	for (unsigned i = 0; bandwidth && i < bandwidth->cards; i++)
		json_push(cards, card_json(&bandwidth->card[i]));
	json_set(j, "cards", cards);
	json_set(j, "ports", ports);
	return j;
}
