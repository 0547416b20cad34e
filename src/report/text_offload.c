/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The offload in the text output: each card with what is known of it, and what it emulates. */
#include "report/parts.h"

#include "report/align.h"

#define DEVICES_SHOWN 4

static void card_rows(const struct offload *offload, FILE *out)
{
	for (unsigned i = 0; i < offload->cards; i++) {
		const struct offload_card *card = &offload->card[i];
		const char *mode = card_mode_name(card->mode);
		char pci[PCI_TEXT_MAX], slot[16] = "";

		if (card->slot >= 0)
			str_format(slot, sizeof(slot), "slot %d", card->slot);
		for (unsigned k = 0; k == 0 || k < card->evidences; k++) {
			text_cell(out, "%s", k == 0 ? pci_format(&card->pci, pci) : " ");
			text_cell(out, "%s", k == 0 ? slot : " ");
			text_cell(out, "%s", k > 0 ? " " : mode ? mode : "mode unknown");
			text_cell(out, "%s", k == 0 ? offload_state_name(card->state) : " ");
			text_cell(out, "%s", card->evidences > 0 ? card->evidence[k] : "");
			text_row_end(out);
		}
	}
}

static void endpoint_row(const struct offload *offload, unsigned endpoint, FILE *out)
{
	const struct offload_endpoint *e = &offload->endpoint[endpoint];
	char pci[PCI_TEXT_MAX], devices[256] = "";
	unsigned count = 0;

	for (unsigned i = 0; i < offload->nss; i++) {
		if (offload->ns[i].endpoint == endpoint && count++ < DEVICES_SHOWN)
			str_append(devices, sizeof(devices), "%s%s", count > 1 ? "," : "",
				   offload->ns[i].device);
	}
	if (count > DEVICES_SHOWN)
		str_append(devices, sizeof(devices), " +%u", count - DEVICES_SHOWN);
	text_cell(out, "%s", pci_format(&e->pci, pci));
	text_cell(out, "%s", e->controller);
	text_cell(out, "%s", e->state);
	text_cell(out, "%s", devices);
	text_row_end(out);
}

void report_text_offload(const struct result *result, FILE *out)
{
	static const char *const titles[] = { "emulated", "controller", "state", "devices" };
	const struct offload *offload = result->offload;

	if (!offload)
		return;
	text_section(out, NULL);
	text_line(out, "offload to BlueField-3: %s", offload_state_name(offload->state));
	card_rows(offload, out);
	if (offload->endpoints > 0) {
		text_section(out, NULL);
		text_header(out, titles, ARRAY_SIZE(titles));
		for (unsigned i = 0; i < offload->endpoints; i++)
			endpoint_row(offload, i, out);
	}
	if (offload->paths > 0) {
		text_section(out, NULL);
		text_line(out, "%u path%s for the card's own software; -o json has the requests",
			  offload->paths, offload->paths == 1 ? "" : "s");
	}
}
