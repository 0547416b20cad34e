/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What stands in the way of placement and is the operator's to change: this program only says so. Interrupts
 * of compute HCAs are never written, nor are rq_affinity and multipath policies.
 */
#include "policy/judge.h"
#include "policy/placement.h"

#include <string.h>

#define NAMED_MAX 5 /* in one message */

struct advice {
	const struct topology *topo;
	const struct classification *classes;
	const struct plan *plan;
	const struct affinity *affinity;
	struct findings *findings;
};

/* --- bonds: the HCA changes with a failover, and the other one's vectors were never placed --- */

static unsigned count_unplaced(const struct affinity *affinity, const struct pci_addr *pci)
{
	unsigned count = 0;

	for (unsigned i = 0; i < affinity->irqs; i++)
		count += affinity->irq[i].action == IRQ_WOULD_SET &&
			 pci_compare(&affinity->irq[i].pci, pci) == 0;
	return count;
}

static void judge_bond_path(const struct advice *a, const struct path *path)
{
	const struct bond_class *bond = bond_of_path(a->topo, a->classes, path);
	struct places places;

	if (!bond || path->ctrl < 0 || !path_completes(path))
		return;
	places_of(a->topo, a->classes, path, &places);
	for (unsigned i = 0; i < places.count; i++) {
		const struct pci_addr *pci = &a->topo->port[places.place[i].port].pci;
		unsigned unplaced = count_unplaced(a->affinity, pci);
		char text[PCI_TEXT_MAX];

		if (unplaced == 0)
			continue;
		finding_add(
			a->findings, FINDING_WARN, "affinity.irqs", pci_format(pci, text), NULL,
			"%s carries %s now, and %u of its vectors in use are not on its cores, as after a "
			"failover: connect again places them",
			text, a->topo->netdev[bond->netdev].name, unplaced);
	}
}

/* --- queues whose interrupts nobody knows --- */

static void judge_unknown(const struct advice *a, const struct affinity_port *share)
{
	char pci[PCI_TEXT_MAX];

	pci_format(&a->topo->port[share->port].pci, pci);
	if (share->unknown)
		finding_add(
			a->findings, FINDING_UNKNOWN, "affinity.irqs", pci, NULL,
			"how many vectors the queues on %s use cannot be read (ib_uverbs, libibverbs): their "
			"interrupts stay where they are",
			pci);
	if (share->missing > 0)
		finding_add(a->findings, FINDING_UNKNOWN, "affinity.irqs", pci, "proc/interrupts",
			    "%u of the vectors that the queues on %s use have no interrupt with a name like "
			    "mlx5_comp0@pci:%s: it stays where it is",
			    share->missing, pci, pci);
}

/* --- compute vectors on cores that storage should have for itself --- */

static bool is_intruder(const struct advice *a, const struct irq *irq)
{
	return irq->affinity_known && cpuset_overlaps(&irq->affinity, &a->affinity->reserved_with_siblings);
}

/* Busier, or as busy and before it in the table. */
static bool comes_before(const struct irq *x, const struct irq *y)
{
	return x->count != y->count ? x->count > y->count : x < y;
}

/* Names the busiest ones of a function, whose interrupts are those from first to end. */
static void list_busiest(const struct advice *a, unsigned first, unsigned end, char *buf, size_t size)
{
	const struct irq *last = NULL;

	buf[0] = '\0';
	for (unsigned named = 0; named < NAMED_MAX; named++) {
		const struct irq *next = NULL;

		for (unsigned i = first; i < end; i++) {
			const struct irq *irq = &a->topo->other_irq[i];

			if (irq->count > 0 && is_intruder(a, irq) && (!last || comes_before(last, irq)) &&
			    (!next || comes_before(irq, next)))
				next = irq;
		}
		if (!next)
			return;
		str_append(buf, size, "%svector %u (irq %u) %llu times", named > 0 ? ", " : "", next->vector,
			   next->irq, (unsigned long long)next->count);
		last = next;
	}
}

static void judge_function(const struct advice *a, unsigned first, unsigned end)
{
	char pci[PCI_TEXT_MAX], list[256];
	unsigned busy = 0, quiet = 0;

	for (unsigned i = first; i < end; i++) {
		const struct irq *irq = &a->topo->other_irq[i];

		busy += is_intruder(a, irq) && irq->count > 0;
		quiet += is_intruder(a, irq) && irq->count == 0;
	}
	pci_format(&a->topo->other_irq[first].pci, pci);
	if (busy > 0) {
		list_busiest(a, first, end, list, sizeof(list));
		finding_add(a->findings, FINDING_WARN, "affinity.compute_vectors", pci,
			    "proc/irq/*/smp_affinity_list",
			    "%u vectors of %s interrupt cores that are reserved for storage: %s%s; this "
			    "program never moves them: the busy ones, or their work, are yours to move",
			    busy, pci, list, busy > NAMED_MAX ? ", and others" : "");
	} else if (quiet > 0) {
		finding_add(
			a->findings, FINDING_PASS, "affinity.compute_vectors", pci,
			"proc/irq/*/smp_affinity_list",
			"%u vectors of %s may interrupt cores that are reserved for storage; none has come "
			"yet",
			quiet, pci);
	}
}

static void judge_compute(const struct advice *a)
{
	const struct topology *topo = a->topo;

	for (unsigned first = 0, end; first < topo->other_irqs; first = end) {
		for (end = first + 1; end < topo->other_irqs; end++) {
			if (pci_compare(&topo->other_irq[first].pci, &topo->other_irq[end].pci) != 0)
				break;
		}
		judge_function(a, first, end);
	}
}

/* --- subsystems that share the first vectors while others are free --- */

struct crowd { /* of a function */
	unsigned subsystems;
	unsigned vectors; /* used, from 0 */
	unsigned there;
	int last; /* path of the subsystem that was counted last */
};

static void count_subsystem(const struct advice *a, int i, struct crowd crowds[static TOPO_PORTS_MAX])
{
	const struct path *path = &a->plan->path[i];
	int queues = path_io_queues(a->topo, path, 0);
	struct places places;

	if (path->ctrl < 0 || queues < 1 || !path_completes(path))
		return;
	places_of(a->topo, a->classes, path, &places);
	for (unsigned p = 0; p < places.count; p++) {
		struct crowd *crowd = &crowds[places.place[p].port];
		unsigned vectors = queue_vectors(a->topo, places.place[p].rdma, (unsigned)queues);

		/* Paths are sorted by subsystem. */
		if (crowd->subsystems == 0 || strcmp(a->plan->path[crowd->last].id.nqn, path->id.nqn) != 0)
			crowd->subsystems++;
		crowd->last = i;
		crowd->there = queue_vectors(a->topo, places.place[p].rdma, CPUS_MAX);
		if (vectors > crowd->vectors)
			crowd->vectors = vectors;
	}
}

static void judge_crowds(const struct advice *a)
{
	struct crowd crowds[TOPO_PORTS_MAX] = { 0 };
	char pci[PCI_TEXT_MAX];

	for (unsigned i = 0; i < a->plan->paths; i++)
		count_subsystem(a, (int)i, crowds);
	for (unsigned i = 0; i < a->topo->ports; i++) {
		const struct crowd *crowd = &crowds[i];

		if (crowd->subsystems < 2 || crowd->vectors >= crowd->there)
			continue;
		finding_add(
			a->findings, FINDING_WARN, "affinity.vectors", pci_format(&a->topo->port[i].pci, pci),
			NULL,
			"%u subsystems share the first %u of %u vectors of %s, since every controller begins "
			"with the first one: with more I/O queues they use more of them",
			crowd->subsystems, crowd->vectors, crowd->there, pci);
	}
}

void place_failover(const struct topology *topo, const struct classification *classes,
		    const struct plan *plan, const struct affinity *affinity, struct findings *findings)
{
	const struct advice a = { topo, classes, plan, affinity, findings };

	for (unsigned i = 0; i < plan->paths; i++)
		judge_bond_path(&a, &plan->path[i]);
}

void place_advice(const struct topology *topo, const struct classification *classes, const struct plan *plan,
		  const struct affinity *affinity, struct findings *findings)
{
	const struct advice a = { topo, classes, plan, affinity, findings };

	for (unsigned i = 0; i < affinity->ports; i++)
		judge_unknown(&a, &affinity->port[i]);
	judge_compute(&a);
	judge_crowds(&a);
	judge_rq_affinity(topo, false, findings);
	judge_iopolicy(topo, plan, false, findings);
}
