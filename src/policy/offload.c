/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * In which mode a card is, and what it does for this host, by evidence alone. NVIDIA's "BlueField Modes of
 * Operation" has it that the Arm cores are inactive in NIC mode, and to the host both modes look almost
 * alike: what does not tell them apart (the management function, tmfifo_net0, firmware, PSID) is listed and
 * counts for nothing, and evidence that contradicts itself leaves the mode unknown.
 */
#include "policy/offload.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#define ENDPOINTS_NOTED 8 /* of a card, in its evidence */

/* Signs of one mode or the other. */
struct signs {
	bool dpu, nic;
};

static void note(struct offload_card *card, const char *fmt, ...) _printf_(2, 3);
static void note(struct offload_card *card, const char *fmt, ...)
{
	va_list args;

	if (card->evidences == OFFLOAD_EVIDENCE_MAX)
		return;
	va_start(args, fmt);
	(void)vsnprintf(card->evidence[card->evidences++], OFFLOAD_EVIDENCE_SIZE, fmt, args);
	va_end(args);
}

/* --- evidence: first what decides, then what does not --- */

static void judge_rshim(struct offload_card *card, struct signs *signs)
{
	signs->dpu |= card->rshim == BF_MODE_DPU;
	signs->nic |= card->rshim == BF_MODE_NIC;
	if (card->rshim == BF_MODE_DPU || card->rshim == BF_MODE_NIC)
		note(card, "%s: BF_MODE is %s mode", card->rshim_name,
		     card->rshim == BF_MODE_DPU ? "DPU" : "NIC");
}

/*
 * mlx5_eswitch_check: who does not manage the eswitch gets EOPNOTSUPP, and so does everybody for a port that
 * is InfiniBand.
 */
static void judge_eswitches(const struct offload *offload, struct offload_card *card, struct signs *signs)
{
	for (unsigned i = 0; i < card->ports; i++) {
		const struct offload_port *port = &card->port[i];
		char pci[PCI_TEXT_MAX];

		pci_format(&port->pci, pci);
		if (eswitch_name(port->eswitch)) {
			signs->nic = true;
			note(card, "devlink: the host manages the eswitch of %s (%s): NIC mode", pci,
			     eswitch_name(port->eswitch));
		} else if (port->eswitch == ESWITCH_NONE && !port->infiniband && offload->not_ours_is_sure) {
			signs->dpu = true;
			note(card, "devlink: the host does not manage the eswitch of %s: DPU mode", pci);
		}
	}
}

static void note_eswitch(const struct offload *offload, const struct offload_port *port,
			 struct offload_card *card)
{
	char pci[PCI_TEXT_MAX];

	pci_format(&port->pci, pci);
	if (port->eswitch == ESWITCH_NONE && port->infiniband)
		note(card, "devlink: no eswitch of %s, as of any InfiniBand port: no sign", pci);
	else if (port->eswitch == ESWITCH_NONE && !offload->not_ours_is_sure)
		note(card, "devlink: no eswitch of %s, as kernels before 6.0 also say in NIC mode: no sign",
		     pci);
	else if (port->eswitch == ESWITCH_UNKNOWN && port->eswitch_why[0] != '\0')
		note(card, "devlink: the eswitch of %s is unknown: %s", pci, port->eswitch_why);
}

static unsigned count_sized(const struct offload *offload, unsigned endpoint)
{
	unsigned count = 0;

	for (unsigned i = 0; i < offload->nss; i++)
		count += offload->ns[i].endpoint == endpoint && offload->ns[i].size_bytes > 0;
	return count;
}

static void judge_endpoint(const struct offload *offload, unsigned index, struct offload_card *card)
{
	const struct offload_endpoint *e = &offload->endpoint[index];
	char pci[PCI_TEXT_MAX], controller[NVME_NAME_SIZE + 32] = "no controller";

	if (e->controller[0] != '\0')
		str_format(controller, sizeof(controller), "%s %s", e->controller,
			   e->state[0] != '\0' ? e->state : "in an unknown state");
	note(card, "NVMe function %s (%04x:%04x), driver %s, %s, namespaces with a size: %u",
	     pci_format(&e->pci, pci), e->vendor, e->device, e->driver[0] != '\0' ? e->driver : "none",
	     controller, count_sized(offload, index));
}

/* Those that are live first, since they decide; a card can have many. */
static void note_endpoints(const struct offload *offload, int index, struct offload_card *card)
{
	unsigned noted = 0, more = 0;

	for (unsigned pass = 0; pass < 2; pass++) {
		for (unsigned i = 0; i < offload->endpoints; i++) {
			if (offload->endpoint[i].card != index ||
			    offload_endpoint_is_live(offload, i) != (pass == 0))
				continue;
			if (noted++ < ENDPOINTS_NOTED)
				judge_endpoint(offload, i, card);
			else
				more++;
		}
	}
	if (more > 0)
		note(card, "and %u more NVMe functions", more);
}

/* What a person may want to see, and what says nothing about the mode. */
static void note_hints(const struct offload *offload, struct offload_card *card)
{
	char pci[PCI_TEXT_MAX];

	if (card->rshim == BF_MODE_UNCLEAR)
		note(card, "%s: BF_MODE tells no mode", card->rshim_name);
	else if (card->rshim == BF_MODE_UNREAD && offload->rshim_why[0] != '\0')
		note(card, "rshim: %s", offload->rshim_why);
	if (offload->devlink_read == READ_FAILED)
		note(card, "devlink cannot be read: %s", offload->devlink_why);
	for (unsigned i = 0; i < card->ports; i++)
		note_eswitch(offload, &card->port[i], card);
	for (unsigned i = 0; i < card->ports; i++) {
		const struct offload_port *port = &card->port[i];

		note(card, "network function %s (%04x:%04x)%s%s%s%s", pci_format(&port->pci, pci),
		     port->vendor, port->device, port->firmware[0] != '\0' ? ", firmware " : "",
		     port->firmware, port->psid[0] != '\0' ? ", PSID " : "", port->psid);
	}
	if (card->managed)
		note(card, "SoC management function %s: there in either mode",
		     pci_format(&card->management, pci));
	if (offload->tmfifo)
		note(card, "tmfifo_net0: rshim is attached to a card, in either mode");
}

/* --- states --- */

/* Endpoints of a card, as far as they decide its state. */
struct seen {
	unsigned count;
	bool live;
	bool unread; /* one of them may be live */
};

static enum offload_state state_of(const struct offload *offload, const struct offload_card *card,
				   const struct seen *seen)
{
	if (seen->live)
		return OFFLOAD_ACTIVE;
	if (seen->count > 0) /* with signs of NIC mode: one of them is not so */
		return card->mode == CARD_MODE_DPU && !seen->unread ? OFFLOAD_IDLE : OFFLOAD_UNKNOWN;
	if (card->mode == CARD_MODE_NIC)
		return OFFLOAD_NIC_MODE;
	if (card->mode == CARD_MODE_UNKNOWN || offload->unseen)
		return OFFLOAD_UNKNOWN;
	for (unsigned i = 0; i < offload->endpoints; i++) {
		if (offload->endpoint[i].card < 0) /* it may be this card's */
			return OFFLOAD_UNKNOWN;
	}
	return OFFLOAD_NO_ENDPOINT;
}

static void judge_card(const struct offload *offload, int index, struct offload_card *card)
{
	struct signs signs = { 0 };
	struct seen seen = { 0 };

	card->evidences = 0;
	judge_rshim(card, &signs);
	judge_eswitches(offload, card, &signs);
	for (unsigned i = 0; i < offload->endpoints; i++) {
		const struct offload_endpoint *e = &offload->endpoint[i];

		if (e->card != index)
			continue;
		seen.count++;
		seen.live |= offload_endpoint_is_live(offload, i);
		seen.unread |= e->unread || (e->controller[0] != '\0' && e->state[0] == '\0');
	}
	note_endpoints(offload, index, card);
	signs.dpu |= seen.count > 0; /* emulation needs the Arm cores */
	card->mode = CARD_MODE_UNKNOWN;
	if (signs.dpu != signs.nic)
		card->mode = signs.dpu ? CARD_MODE_DPU : CARD_MODE_NIC;
	if (signs.dpu && signs.nic)
		note(card, "these contradict each other: the mode is unknown");
	note_hints(offload, card);
	card->state = state_of(offload, card, &seen);
}

/* The first of them that a card is in. What is not known is not ruled out by what is known of another card.
 */
static enum offload_state best_of(const struct offload *offload)
{
	static const enum offload_state order[] = { OFFLOAD_ACTIVE, OFFLOAD_IDLE, OFFLOAD_UNKNOWN,
						    OFFLOAD_NO_ENDPOINT, OFFLOAD_NIC_MODE };

	for (size_t i = 0; i < ARRAY_SIZE(order); i++) {
		for (unsigned c = 0; c < offload->cards; c++) {
			if (offload->card[c].state == order[i])
				return order[i];
		}
	}
	return OFFLOAD_UNKNOWN;
}

static int slot_of(const struct topology *topo, const struct classification *classes,
		   const struct pci_addr *pci)
{
	const struct port *port = topo_port(topo, pci);

	return port ? classes->port[port - topo->port].slot : -1;
}

void offload_judge(const struct topology *topo, const struct classification *classes, struct offload *offload)
{
	for (unsigned i = 0; i < offload->cards; i++) {
		struct offload_card *card = &offload->card[i];

		card->slot = slot_of(topo, classes, &card->pci);
		judge_card(offload, (int)i, card);
	}
	offload->state = best_of(offload);
}

/* --- words --- */

const char *offload_card_text(const struct offload_card *card, char buf[static OFFLOAD_CARD_TEXT_MAX])
{
	char pci[PCI_TEXT_MAX];

	str_format(buf, OFFLOAD_CARD_TEXT_MAX, "%s", pci_format(&card->pci, pci));
	if (card->slot >= 0)
		str_append(buf, OFFLOAD_CARD_TEXT_MAX, " (slot %d)", card->slot);
	return buf;
}

const char *offload_card_advice(const struct offload_card *card)
{
	switch (card->state) {
	case OFFLOAD_NIC_MODE:
		return "is in NIC mode, where its Arm cores are off: no initiator can be running on it; "
		       "set it to DPU mode (mlxconfig INTERNAL_CPU_OFFLOAD_ENGINE=0, power cycle) and run "
		       "SNAP there, or let this host connect (--initiator host)";
	case OFFLOAD_NO_ENDPOINT:
		return "is in DPU mode and emulates no NVMe function that this host can see: no initiator "
		       "can be "
		       "running on it for this host; turn emulation on (mlxconfig NVME_EMULATION_ENABLE=1, "
		       "power cycle) "
		       "and run SNAP there";
	case OFFLOAD_IDLE:
		return "emulates an NVMe function, and none of its controllers is live (driver nvme) with a "
		       "namespace that has a size: see to SNAP on the card, offload.plan of connect says "
		       "what it needs";
	case OFFLOAD_UNKNOWN:
		return "may or may not run an initiator: what can be read here does not tell; root can read "
		       "more of it, and the card's BMC knows the mode";
	case OFFLOAD_ACTIVE:
		break;
	}
	return NULL;
}

/* What to do about all of them, at the end of one line. */
static const char *remedy(unsigned dead, unsigned nic)
{
	if (nic == 0)
		return "turn NVMe emulation on and run SNAP there";
	if (nic == dead)
		return "set DPU mode and run SNAP there, or let this host connect (--initiator host)";
	return "set DPU mode, turn NVMe emulation on and run SNAP there, or let this host connect "
	       "(--initiator "
	       "host)";
}

void offload_advise(const struct offload *offload, struct findings *findings, char *line, size_t size)
{
	char text[OFFLOAD_CARD_TEXT_MAX], pci[PCI_TEXT_MAX];
	unsigned dead = 0, nic = 0;

	line[0] = '\0';
	for (unsigned i = 0; i < offload->cards; i++) {
		const struct offload_card *card = &offload->card[i];

		if (card->state != OFFLOAD_NIC_MODE && card->state != OFFLOAD_NO_ENDPOINT)
			continue;
		finding_add(findings, FINDING_WARN,
			    card->state == OFFLOAD_NIC_MODE ? "offload.mode" : "offload.endpoints",
			    pci_format(&card->pci, pci), card->evidences > 0 ? card->evidence[0] : NULL,
			    "BlueField-3 %s %s", offload_card_text(card, text), offload_card_advice(card));
		str_append(line, size, "%s%s (%s)",
			   dead > 0 ? ", " : "no initiator can be running on BlueField-3 ", text,
			   offload_state_name(card->state));
		dead++;
		nic += card->state == OFFLOAD_NIC_MODE;
	}
	if (dead > 0)
		str_append(line, size, ": %s", remedy(dead, nic));
}

/* --- what must not be --- */

bool offload_is_host_ctrl(const struct ctrl *ctrl)
{
	return strcmp(ctrl->id.transport, "rdma") == 0 || strcmp(ctrl->id.transport, "tcp") == 0;
}

const struct ctrl *offload_host_ctrl(const struct topology *topo, unsigned *ret_count)
{
	const struct ctrl *first = NULL;

	*ret_count = 0;
	for (unsigned i = 0; i < topo->ctrls; i++) {
		if (!offload_is_host_ctrl(&topo->ctrl[i]))
			continue;
		if (!first)
			first = &topo->ctrl[i];
		(*ret_count)++;
	}
	return first;
}

/* Its firmware's strings: "Nvidia", "BlueField-3 DPU". */
bool offload_is_arm_side(const struct dmi *dmi)
{
	return strcasecmp(dmi->sys_vendor, "nvidia") == 0 &&
	       strncasecmp(dmi->product_name, "BlueField-", 10) == 0;
}
