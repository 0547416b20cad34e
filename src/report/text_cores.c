/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Cores for storage in the text output, and in a few lines what became of the interrupts. */
#include "report/parts.h"

#include <string.h>

#include "report/align.h"

#define IRQ_ACTIONS (IRQ_FOREIGN + 1)
#define IRQS_SHOWN 8

/* The hardware threads of these cores; only they, where the others are unknown. */
static void find_siblings(const struct topology *topo, const struct cpuset *cores, struct cpuset *ret)
{
	*ret = *cores;
	for (unsigned cpu = cpuset_next(&topo->online, 0); cpu < CPUS_MAX;
	     cpu = cpuset_next(&topo->online, cpu + 1)) {
		if (topo->core[cpu] >= 0 && cpuset_has(cores, (unsigned)topo->core[cpu]))
			cpuset_add(ret, cpu);
	}
}

static void cell_cpus(const struct cpuset *cpus, FILE *out)
{
	char list[CPUSET_TEXT_MAX];

	text_cell(out, "%s", cpuset_format(cpus, list, sizeof(list)) == 0 ? list : "");
}

static void share_row(const struct result *result, const struct affinity_port *share, FILE *out)
{
	const struct port *port = report_port(result, share->port);
	const char *why = unplaced_advice(share->unplaced);
	struct cpuset threads;
	char text[PCI_TEXT_MAX];

	if (!port)
		return;
	find_siblings(result->topo, &share->cpus, &threads);
	text_cell(out, "%s", pci_format(&port->pci, text));
	if (share->node < 0)
		text_cell(out, "%s", "");
	else
		text_cell(out, "%d", share->node);
	cell_cpus(&share->cpus, out);
	cell_cpus(&threads, out);
	text_cell(out, "%s%s%s", share->in_use ? "in use" : "not in use", why ? "; " : "", why ? why : "");
	text_row_end(out);
}

static void text_reserved(const struct affinity *affinity, FILE *out)
{
	char list[CPUSET_TEXT_MAX];

	if (!cpuset_is_empty(&affinity->reserved_with_siblings) &&
	    cpuset_format(&affinity->reserved_with_siblings, list, sizeof(list)) == 0)
		text_line(out, "leave CPUs %s to storage", list);
}

/* What is not where it should be, by name; the JSON document has all. */
static void text_troubles(const struct affinity *affinity, FILE *out)
{
	unsigned troubles = 0;

	for (unsigned i = 0; i < affinity->irqs; i++) {
		const struct affinity_irq *irq = &affinity->irq[i];

		if ((irq->action != IRQ_FAILED && irq->action != IRQ_FOREIGN) || ++troubles > IRQS_SHOWN)
			continue;
		if (strstr(irq->message, irq->name))
			text_line(out, "%s: %s", irq_action_name(irq->action), irq->message);
		else
			text_line(out, "%s: interrupt %s: %s", irq_action_name(irq->action), irq->name,
				  irq->message[0] != '\0' ? irq->message : "no reason is known");
	}
	if (troubles > IRQS_SHOWN)
		text_line(out, "and %u more", troubles - IRQS_SHOWN);
}

/* "interrupts: 16 set, 4 kept" */
static void text_actions(const struct affinity *affinity, FILE *out)
{
	unsigned count[IRQ_ACTIONS] = { 0 };
	char line[256] = "";

	for (unsigned i = 0; i < affinity->irqs; i++)
		count[affinity->irq[i].action]++;
	for (unsigned action = 0; action < IRQ_ACTIONS; action++) {
		if (count[action] == 0)
			continue;
		str_append(line, sizeof(line), "%s%u %s", line[0] != '\0' ? ", " : "", count[action],
			   action == IRQ_NONE ? "not placed" : irq_action_name((enum irq_action)action));
	}
	if (line[0] != '\0')
		text_line(out, "interrupts: %s", line);
}

/* NULL: nothing to say. */
static const char *irqbalance_says(enum irqbalance_state state)
{
	switch (state) {
	case IRQBALANCE_ABSENT:
		break;
	case IRQBALANCE_RUNNING:
		return "it moves what is not in its ban list";
	case IRQBALANCE_BANNED:
		return "it leaves these interrupts alone";
	case IRQBALANCE_IGNORED:
		return "if it runs, it may move them";
	case IRQBALANCE_REFUSED:
		return "it runs, so nothing was done";
	case IRQBALANCE_UNREACHABLE:
		return "it cannot be talked to, and may move them";
	case IRQBALANCE_LIST_TOO_LONG:
		return "its ban list has no room for them, so it may move them";
	}
	return NULL;
}

static void text_irqbalance(const struct result *result, FILE *out)
{
	const struct irqbalance *balance = result->irqbalance;
	const char *says = irqbalance_says(balance->state);

	if (says)
		text_line(out, "irqbalance: %s: %s", irqbalance_state_name(balance->state), says);
	if (balance->message[0] != '\0')
		text_line(out, "irqbalance: %s", balance->message);
	if (!result->policy_script)
		return;
	text_section(out, "policy script for irqbalance");
	for (const char *line = result->policy_script; *line != '\0'; line += strspn(line, "\n")) {
		size_t length = strcspn(line, "\n");

		text_line(out, "%.*s", (int)length, line);
		line += length;
	}
}

static bool has_news(const struct result *result)
{
	return (result->affinity && (result->affinity->ports > 0 || result->affinity->irqs > 0)) ||
	       (result->irqbalance && result->irqbalance->state != IRQBALANCE_ABSENT);
}

void report_text_cores(const struct result *result, FILE *out)
{
	static const char *const titles[] = { "PORT", "NODE", "CORES", "WITH SIBLINGS", "NOTE" };
	const struct affinity *affinity = result->affinity;

	if (!has_news(result))
		return;
	text_section(out, "cores");
	if (affinity && affinity->ports > 0 && result->topo) {
		text_header(out, titles, ARRAY_SIZE(titles));
		for (unsigned i = 0; i < affinity->ports; i++)
			share_row(result, &affinity->port[i], out);
	}
	if (affinity) {
		text_reserved(affinity, out);
		text_troubles(affinity, out);
		text_actions(affinity, out);
	}
	if (result->irqbalance)
		text_irqbalance(result, out);
}
