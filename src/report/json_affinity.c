/* SPDX-License-Identifier: GPL-2.0-or-later */
/* "affinity" of the JSON document: cores for storage, and the interrupts on them. */
#include "report/parts.h"

static struct json *port_json(const struct result *result, const struct affinity_port *share)
{
	struct json *j = json_object_new();

	report_set_port(j, "pci", report_port(result, share->port));
	report_set_known(j, "numa_node", share->node);
	report_set_cpus(j, "cpus", share->unplaced == UNPLACED_UNKNOWN ? NULL : &share->cpus);
	json_set_bool(j, "in_use", share->in_use);
	json_set_str(j, "reason", unplaced_advice(share->unplaced));
	return j;
}

static struct json *ports_json(const struct result *result)
{
	const struct affinity *affinity = result->affinity;
	struct json *list = json_array_new();

	for (unsigned i = 0; affinity && i < affinity->ports; i++) {
		if (report_port(result, affinity->port[i].port))
			json_push(list, port_json(result, &affinity->port[i]));
	}
	return list;
}

/* Where it is after the run; of what was not done, where it would be. */
static const struct cpuset *place_after(const struct affinity_irq *irq)
{
	if (!cpuset_is_empty(&irq->after))
		return &irq->after;
	switch (irq->action) {
	case IRQ_WOULD_SET:
	case IRQ_WOULD_RESTORE:
		return &irq->target;
	case IRQ_KEPT:
		return &irq->before;
	case IRQ_NONE:
	case IRQ_SET:
	case IRQ_RESTORED:
	case IRQ_FAILED:
	case IRQ_FOREIGN:
		break;
	}
	return NULL;
}

static const struct cpuset *place_effective(const struct result *result, const struct affinity_irq *irq)
{
	const struct irq *read = NULL;

	if (!cpuset_is_empty(&irq->effective))
		return &irq->effective;
	if (result->topo && irq->irq >= 0)
		read = topo_irq(result->topo, &irq->pci, irq->vector);
	return read && read->irq == irq->number && read->effective_known ? &read->effective : NULL;
}

static struct json *irq_json(const struct result *result, const struct affinity_irq *irq)
{
	bool there = irq->irq >= 0;
	struct json *j = json_object_new();

	report_set_known(j, "irq", there ? (int64_t)irq->number : -1);
	report_set_pci(j, "pci", &irq->pci);
	report_set_known(j, "vector", there ? (int64_t)irq->vector : -1);
	report_set_place(j, "before", &irq->before);
	report_set_place(j, "after", place_after(irq));
	report_set_place(j, "effective", place_effective(result, irq));
	json_set_str(j, "action", irq_action_name(irq->action));
	report_set_text(j, "name", irq->name);
	report_set_text(j, "message", irq->message);
	return j;
}

static struct json *irqs_json(const struct result *result)
{
	const struct affinity *affinity = result->affinity;
	struct json *list = json_array_new();

	for (unsigned i = 0; affinity && i < affinity->irqs; i++)
		json_push(list, irq_json(result, &affinity->irq[i]));
	return list;
}

/* The interrupts of this document that are in irqbalance's list; what others have in it is not ours to tell.
 */
static struct json *banned_json(const struct result *result)
{
	const struct irqbalance *balance = result->irqbalance;
	struct irq_list ours = { .count = 0 };
	struct json *list = json_array_new();

	for (unsigned i = 0; balance && result->affinity && i < result->affinity->irqs; i++) {
		const struct affinity_irq *irq = &result->affinity->irq[i];

		if (irq->irq >= 0 && irq_list_has(&balance->bans, irq->number) &&
		    irq_list_add(&ours, irq->number) < 0)
			break; /* it is as long as the list that all of them are in */
	}
	for (unsigned i = 0; i < ours.count; i++)
		json_push_i64(list, ours.irq[i]);
	return list;
}

static struct json *irqbalance_json(const struct result *result)
{
	struct json *j = json_object_new();

	json_set_str(j, "state",
		     result->irqbalance ? irqbalance_state_name(result->irqbalance->state) : NULL);
	json_set(j, "banned", banned_json(result));
	report_set_text(j, "message", result->irqbalance ? result->irqbalance->message : "");
	json_set_str(j, "policy_script", result->policy_script);
	return j;
}

struct json *report_json_affinity(const struct result *result)
{
	const struct affinity *affinity = result->affinity;
	bool shared = affinity && affinity->cores_per_port > 0; /* false: cores were not looked at */
	struct json *j;

	if (!affinity && !result->irqbalance)
		return NULL;
	j = json_object_new();
	report_set_known(j, "cores_per_port", shared ? (int64_t)affinity->cores_per_port : -1);
	json_set(j, "ports", ports_json(result));
	report_set_cpus(j, "reserved_cpus", shared ? &affinity->reserved : NULL);
	report_set_cpus(j, "reserved_cpus_with_siblings", shared ? &affinity->reserved_with_siblings : NULL);
	json_set(j, "irqs", irqs_json(result));
	json_set(j, "irqbalance", irqbalance_json(result));
	return j;
}
