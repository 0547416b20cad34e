/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The words of steps and journal records. */
#include "model/journal_rec.h"

#include <errno.h>
#include <string.h>

const char *step_kind_name(enum step_kind kind)
{
	switch (kind) {
	case STEP_NVME_CONNECT:
		return "nvme-connect";
	case STEP_NVME_DISCONNECT:
		return "nvme-disconnect";
	case STEP_IRQBALANCE_BAN:
		return "irqbalance-ban";
	case STEP_IRQ_AFFINITY:
		break;
	}
	return "irq-affinity";
}

int step_kind_parse(const char *name, enum step_kind *ret)
{
	for (int kind = 0; kind < STEP_KINDS; kind++) {
		if (strcmp(step_kind_name((enum step_kind)kind), name) == 0) {
			*ret = (enum step_kind)kind;
			return 0;
		}
	}
	return -EINVAL;
}

const char *step_state_name(enum step_state state)
{
	switch (state) {
	case STEP_WOULD:
		return "would";
	case STEP_DONE:
		return "done";
	case STEP_SKIPPED:
		return "skipped";
	case STEP_FAILED:
		break;
	}
	return "failed";
}

bool step_is_of_irq(enum step_kind kind)
{
	switch (kind) {
	case STEP_NVME_CONNECT:
	case STEP_NVME_DISCONNECT:
		return false;
	case STEP_IRQBALANCE_BAN:
	case STEP_IRQ_AFFINITY:
		break;
	}
	return true;
}

bool step_is_undo(const struct step *step)
{
	switch (step->kind) {
	case STEP_NVME_CONNECT:
		return false;
	case STEP_NVME_DISCONNECT:
		return true;
	case STEP_IRQBALANCE_BAN:
		return cpuset_is_empty(&step->to);
	case STEP_IRQ_AFFINITY:
		break;
	}
	return cpuset_is_empty(&step->cores);
}

const char *step_object(const struct step *step, char buf[static STEP_TEXT_MAX])
{
	char pci[PCI_TEXT_MAX];

	if (step_is_of_irq(step->kind))
		str_format(buf, STEP_TEXT_MAX, "%s of %s", step->irq_name, pci_format(&step->pci, pci));
	else
		str_format(buf, STEP_TEXT_MAX, "%s %s:%s from %s", step->id.nqn, step->id.traddr,
			   step->id.trsvcid, step->id.host_traddr);
	return buf;
}

const char *journal_state_name(enum journal_state state)
{
	switch (state) {
	case JOURNAL_INTENT:
		return "intent";
	case JOURNAL_DONE:
		return "done";
	case JOURNAL_UNDONE:
		break;
	}
	return "undone";
}

int journal_state_parse(const char *name, enum journal_state *ret)
{
	static const enum journal_state states[] = { JOURNAL_INTENT, JOURNAL_DONE, JOURNAL_UNDONE };

	for (size_t i = 0; i < ARRAY_SIZE(states); i++) {
		if (strcmp(journal_state_name(states[i]), name) == 0) {
			*ret = states[i];
			return 0;
		}
	}
	return -EINVAL;
}
