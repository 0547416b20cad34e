/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where the initiator is on the BlueField-3 cards: that the host is none, and what can be seen of them.
 *
 * host_clean fails, as it breaks a promise. mode and endpoints are advice: the program made neither, and what
 * the host cannot see is unknown.
 */
#include "policy/check.h"
#include "policy/offload.h"
#include "policy/verify_parts.h"

#include <string.h>

static void check_host_clean(const struct verify *v)
{
	struct check check = check_begin(v->findings, "offload.host_clean", "sys/class/nvme");

	for (unsigned i = 0; i < v->topo->ctrls; i++) {
		const struct ctrl *ctrl = &v->topo->ctrl[i];
		char name[NVME_NAME_SIZE], text[CTRL_TEXT_MAX], file[CTRL_FILE_MAX];

		verify_ctrl_name(ctrl, name);
		verify_ctrl_file(ctrl, "transport", file);
		if (ctrl->id.transport[0] == '\0')
			check_bad(&check, FINDING_UNKNOWN, name, file,
				  "the transport of %s cannot be read: it may be a fabrics controller", name);
		else if (offload_is_host_ctrl(ctrl) && v->config_unread)
			check_bad(
				&check, FINDING_UNKNOWN, name, file,
				"%s is a controller of this host over %s, and whether the config wants that "
				"(initiator) cannot be read",
				verify_ctrl_text(ctrl, text), ctrl->id.transport);
		else if (offload_is_host_ctrl(ctrl))
			check_bad(&check, FINDING_FAIL, name, file,
				  "%s is a controller of this host over %s, where the BlueField-3 is the "
				  "initiator: nvme disconnect -d %s (teardown, if this program made it)",
				  verify_ctrl_text(ctrl, text), ctrl->id.transport, name);
	}
	if (check.bad == 0)
		check_good(&check);
	check_end(&check, NULL, "", "this host has no rdma or tcp controller");
}

static void check_mode(const struct verify *v)
{
	struct check check = check_begin(v->findings, "offload.mode", "rshim, devlink, PCI functions");

	for (unsigned i = 0; i < v->offload->cards; i++) {
		const struct offload_card *card = &v->offload->card[i];
		char pci[PCI_TEXT_MAX], text[OFFLOAD_CARD_TEXT_MAX];

		pci_format(&card->pci, pci);
		offload_card_text(card, text);
		switch (card->mode) {
		case CARD_MODE_DPU:
			check_good(&check);
			break;
		case CARD_MODE_NIC:
			check_bad(&check, FINDING_WARN, pci, card->evidence[0], "BlueField-3 %s %s", text,
				  offload_card_advice(card));
			break;
		case CARD_MODE_UNKNOWN:
			check_bad(&check, FINDING_UNKNOWN, pci, NULL,
				  "whether BlueField-3 %s is in DPU mode or in NIC mode is unknown: root can "
				  "read more of it (rshim, devlink), and the card's BMC knows it",
				  text);
			break;
		}
	}
	check_end(&check, NULL, "no BlueField-3 of a storage port is here", "%u cards are in DPU mode",
		  check.good);
}

static void check_stray(const struct verify *v, struct check *check)
{
	for (unsigned i = 0; i < v->offload->endpoints; i++) {
		const struct offload_endpoint *e = &v->offload->endpoint[i];
		char pci[PCI_TEXT_MAX];

		if (e->card < 0)
			check_bad(
				check, FINDING_UNKNOWN, pci_format(&e->pci, pci), PORTS_PRESENT_EVIDENCE,
				"NVMe function %s (%04x:%04x) is emulated by a BlueField, and by which card "
				"cannot be told: it counts for none of them",
				pci, e->vendor, e->device);
	}
}

static void check_endpoints(const struct verify *v)
{
	struct check check = check_begin(v->findings, "offload.endpoints", PORTS_PRESENT_EVIDENCE);

	for (unsigned i = 0; i < v->offload->cards; i++) {
		const struct offload_card *card = &v->offload->card[i];
		char pci[PCI_TEXT_MAX], text[OFFLOAD_CARD_TEXT_MAX];

		if (card->state == OFFLOAD_ACTIVE)
			check_good(&check);
		else if (card->state != OFFLOAD_NIC_MODE) /* offload.mode has said it */
			check_bad(&check, card->state == OFFLOAD_UNKNOWN ? FINDING_UNKNOWN : FINDING_WARN,
				  pci_format(&card->pci, pci), PORTS_PRESENT_EVIDENCE, "BlueField-3 %s %s",
				  offload_card_text(card, text), offload_card_advice(card));
	}
	check_stray(v, &check);
	check_end(&check, NULL, "no BlueField-3 of a storage port is here that could have any",
		  "%u cards have a live controller with a namespace", check.good);
}

void verify_offload(const struct verify *v)
{
	static const char *const names[] = { "offload.host_clean", "offload.mode", "offload.endpoints" };

	if (v->offload) {
		check_host_clean(v);
		check_mode(v);
		check_endpoints(v);
		return;
	}
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		check_skip(v->findings, names[i], NULL, "%s",
			   v->platform ? "the initiator is the host" : VERIFY_NO_PLATFORM);
}
