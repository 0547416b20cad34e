/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Placement: the vectors that controllers complete on, against the plan, which follows from the machine
 * alone. fail: promised and not so. What an interrupt does in fact is its effective affinity; where that is
 * still another one than was written, the kernel moves it with its next interrupt, and nothing is known yet.
 */
#include "policy/judge.h"
#include "policy/placement.h"
#include "policy/verify_parts.h"

#include <string.h>

static const char *const no_controller = "there is no controller over RDMA";
static const char *const no_vector = "no vector in use has an interrupt that is known, as with Soft-RoCE";

#define CPU_LIST_MAX 64

static const char *cpus_text(const struct cpuset *cpus, char buf[static CPU_LIST_MAX])
{
	if (cpuset_is_empty(cpus))
		str_format(buf, CPU_LIST_MAX, "none");
	else if (cpuset_format(cpus, buf, CPU_LIST_MAX) < 0)
		str_format(buf, CPU_LIST_MAX, "%u CPUs", cpuset_count(cpus));
	return buf;
}

/* "vector 3 (irq 46) of 0000:29:00.0"; the object is "0000:29:00.0 vector 3". */
struct irq_text {
	char text[64], object[48], file[64];
};

static void name_irq(const struct affinity_irq *irq, const char *file, struct irq_text *ret)
{
	char pci[PCI_TEXT_MAX];

	pci_format(&irq->pci, pci);
	str_format(ret->text, sizeof(ret->text), "vector %u (irq %u) of %s", irq->vector, irq->number, pci);
	str_format(ret->object, sizeof(ret->object), "%s vector %u", pci, irq->vector);
	str_format(ret->file, sizeof(ret->file), "proc/irq/%u/%s", irq->number, file);
}

/* Where it interrupts; NULL: nobody can tell. An interrupt that never came may have no CPU yet. */
static const struct cpuset *effective_of(const struct verify *v, const struct affinity_irq *irq)
{
	const struct irq *read = &v->topo->irq[irq->irq];

	return read->effective_known && !cpuset_is_empty(&read->effective) ? &read->effective : NULL;
}

/* Vectors that queues complete on, and whose interrupts nobody knows: they are unknown to every check here.
 */
static unsigned count_lost(const struct verify *v)
{
	unsigned lost = 0;

	for (unsigned i = 0; i < v->affinity->ports; i++)
		lost += v->affinity->port[i].missing + v->affinity->port[i].unknown;
	return lost;
}

static void say_lost(const struct verify *v, struct check *check)
{
	if (count_lost(v) > 0)
		check_bad(check, FINDING_UNKNOWN, "interrupts", "proc/interrupts",
			  "the interrupts of some vectors in use are not known: see affinity.irqs");
}

/* --- irqs --- */

static void judge_irq(const struct verify *v, struct check *check, const struct affinity_irq *irq)
{
	const struct affinity_port *port = irq->port >= 0 ? &v->affinity->port[irq->port] : NULL;
	bool unread = port && (port->unplaced == PLACED || port->unplaced == UNPLACED_UNKNOWN);
	char before[CPU_LIST_MAX], target[CPU_LIST_MAX];
	struct irq_text name;

	if (irq->action == IRQ_KEPT) {
		check_good(check);
		return;
	}
	name_irq(irq, "smp_affinity_list", &name);
	if (irq->action == IRQ_NONE)
		check_bad(check, unread ? FINDING_UNKNOWN : FINDING_FAIL, name.object, name.file,
			  "%s cannot be placed: %s", name.text, irq->message);
	else
		check_bad(
			check, FINDING_FAIL, name.object, name.file,
			"%s is set to CPUs %s, its storage core is %s: nvme-partition connect, with what was "
			"connected before, places it again",
			name.text, cpus_text(&irq->before, before), cpus_text(&irq->target, target));
}

/* How many vectors of a function are used, as far as it follows from one path alone. */
struct needed {
	unsigned vectors[TOPO_PORTS_MAX]; /* by index into ports */
};

static void count_needed(const struct verify *v, struct check *check, struct needed *ret)
{
	for (unsigned i = 0; i < v->plan->paths; i++) {
		const struct path *path = &v->plan->path[i];
		const struct pci_addr *pci = queue_function(v->topo, path->port, path->rdma);
		const struct port *port = pci ? topo_port(v->topo, pci) : NULL;
		int queues = path->ctrl >= 0 ? path_io_queues(v->topo, path, 0) : -1;
		char name[NVME_NAME_SIZE], text[CTRL_TEXT_MAX];
		unsigned vectors;

		if (!verify_is_live(v->topo, path) || path->rdma < 0 || !port ||
		    v->classes->port[port - v->topo->port].role != ROLE_STORAGE)
			continue; /* what is on no storage port is the partition's */
		vectors = queues >= 0 ? queue_vectors(v->topo, path->rdma, (unsigned)queues) : 0;
		if (vectors == 0)
			check_bad(
				check, FINDING_UNKNOWN, verify_ctrl_name(&v->topo->ctrl[path->ctrl], name),
				"ibv_open_device",
				"which vectors %s completes on is unknown: the number of its queues, or of "
				"the "
				"completion vectors of %s, cannot be read (rdma-core and ib_uverbs tell it)",
				verify_ctrl_text(&v->topo->ctrl[path->ctrl], text),
				v->topo->rdma_link[path->rdma].name);
		/* Soft-RoCE has no interrupts; over a bond the members share the queues. */
		if (!v->topo->rdma_link[path->rdma].has_pci || bond_of_path(v->topo, v->classes, path))
			continue;
		if (vectors > ret->vectors[port - v->topo->port])
			ret->vectors[port - v->topo->port] = vectors;
	}
}

static void check_irqs(const struct verify *v)
{
	struct check check = check_begin(v->findings, "affinity.irqs", "proc/irq/*/smp_affinity_list");
	struct needed needed = { 0 };
	unsigned port = 0;

	count_needed(v, &check, &needed);
	for (unsigned i = 0; i < v->affinity->irqs; i++) { /* in the order of PCI addresses, as ports are */
		const struct affinity_irq *irq = &v->affinity->irq[i];

		while (port < v->topo->ports && pci_compare(&v->topo->port[port].pci, &irq->pci) < 0)
			port++;
		if (port < v->topo->ports && needed.vectors[port] > 0)
			needed.vectors[port]--;
		judge_irq(v, &check, irq);
	}
	for (unsigned i = 0; i < v->topo->ports; i++) {
		char pci[PCI_TEXT_MAX];

		if (needed.vectors[i] > 0)
			check_bad(&check, FINDING_UNKNOWN, pci_format(&v->topo->port[i].pci, pci),
				  "proc/interrupts",
				  "the interrupts of %u vectors of %s, which controllers use, are not to be "
				  "found: "
				  "see /proc/interrupts",
				  needed.vectors[i], pci);
	}
	check_end(&check, NULL, no_vector, "%u vectors in use are set to the storage cores of their ports",
		  check.good);
}

/* --- what it does in fact: effective, node_local, isolated --- */

/* False, and a finding, if the effective affinity is no evidence: unread, or still to follow what is set. */
static bool is_evidence(const struct verify *v, struct check *check, const struct affinity_irq *irq,
			const struct cpuset *effective)
{
	const struct affinity_port *port = irq->port >= 0 ? &v->affinity->port[irq->port] : NULL;
	char now[CPU_LIST_MAX];
	struct irq_text name;

	if (effective && (irq->action != IRQ_KEPT || !port || cpuset_is_subset(effective, &port->cpus)))
		return true;
	name_irq(irq, "effective_affinity_list", &name);
	if (!effective) {
		check_bad(check, FINDING_UNKNOWN, name.object, name.file,
			  "/%s cannot be read, or is empty, so which CPU %s interrupts is unknown", name.file,
			  name.text);
		return false;
	}
	check_bad(check, FINDING_UNKNOWN, name.object, name.file,
		  "%s is set to its storage core and still interrupts CPU %s: the kernel moves it with its "
		  "next "
		  "interrupt; look again when there was I/O",
		  name.text, cpus_text(effective, now));
	return false;
}

static void judge_effective(const struct verify *v, struct check *check, const struct affinity_irq *irq,
			    const struct cpuset *effective)
{
	const struct affinity_port *port = irq->port >= 0 ? &v->affinity->port[irq->port] : NULL;
	char now[CPU_LIST_MAX], cores[CPU_LIST_MAX];
	struct irq_text name;

	if (!is_evidence(v, check, irq, effective))
		return;
	if (port && cpuset_is_subset(effective, &port->cpus)) {
		check_good(check);
		return;
	}
	name_irq(irq, "effective_affinity_list", &name);
	check_bad(check, FINDING_FAIL, name.object, name.file,
		  "%s interrupts CPU %s, its port's storage cores are %s: nvme-partition connect, with what "
		  "was "
		  "connected before, places it again",
		  name.text, cpus_text(effective, now), port ? cpus_text(&port->cpus, cores) : "none");
}

static void judge_node(const struct verify *v, struct check *check, const struct affinity_irq *irq,
		       const struct cpuset *effective)
{
	const struct port *port = topo_port(v->topo, &irq->pci);
	const struct node *node = port ? topo_node(v->topo, port->numa_node) : NULL;
	char now[CPU_LIST_MAX], cpus[CPU_LIST_MAX];
	struct irq_text name;

	if (node && !is_evidence(v, check, irq, effective))
		return;
	if (node && cpuset_is_subset(effective, &node->cpus)) {
		check_good(check);
		return;
	}
	name_irq(irq, "effective_affinity_list", &name);
	if (!node)
		check_bad(check, FINDING_UNKNOWN, name.object, "sys/bus/pci/devices/*/numa_node",
			  "the NUMA node of %s, or its CPUs, are unknown: see the firmware's NUMA settings",
			  name.text);
	else
		check_bad(check, FINDING_FAIL, name.object, name.file,
			  "%s interrupts CPU %s, its port is at node %u (CPUs %s): nvme-partition connect, "
			  "with what "
			  "was connected before, places it again",
			  name.text, cpus_text(effective, now), node->id, cpus_text(&node->cpus, cpus));
}

static void judge_isolated(const struct verify *v, struct check *check, const struct affinity_irq *irq,
			   const struct cpuset *effective)
{
	const struct topology *topo = v->topo;
	char now[CPU_LIST_MAX];
	struct irq_text name;

	if (!is_evidence(v, check, irq, effective))
		return;
	if (!cpuset_overlaps(effective, &topo->isolated) && !cpuset_overlaps(effective, &topo->nohz_full)) {
		check_good(check);
		return;
	}
	name_irq(irq, "effective_affinity_list", &name);
	check_bad(check, FINDING_FAIL, name.object, name.file,
		  "%s interrupts CPU %s, which is isolated (isolcpus, nohz_full) for somebody: "
		  "nvme-partition connect, "
		  "with what was connected before, places it elsewhere",
		  name.text, cpus_text(effective, now));
}

static void check_effective(const struct verify *v)
{
	const char *file = "proc/irq/*/effective_affinity_list";
	struct check effective = check_begin(v->findings, "affinity.effective", file);
	struct check node = check_begin(v->findings, "affinity.node_local", file);
	struct check isolated = check_begin(v->findings, "affinity.isolated", file);
	bool known = v->topo->isolated_known && v->topo->nohz_full_known;

	if (!known && v->affinity->irqs > 0)
		check_bad(&isolated, FINDING_UNKNOWN, NULL, "sys/devices/system/cpu/isolated, nohz_full",
			  "which CPUs are isolated cannot be read");
	for (unsigned i = 0; i < v->affinity->irqs; i++) {
		const struct affinity_irq *irq = &v->affinity->irq[i];
		const struct cpuset *cpus = effective_of(v, irq);

		judge_effective(v, &effective, irq, cpus);
		judge_node(v, &node, irq, cpus);
		if (known)
			judge_isolated(v, &isolated, irq, cpus);
	}
	say_lost(v, &effective);
	say_lost(v, &node);
	say_lost(v, &isolated);
	check_end(&effective, NULL, no_vector, "%u vectors in use interrupt the storage cores of their ports",
		  effective.good);
	check_end(&node, NULL, no_vector, "%u vectors in use interrupt the NUMA node of their ports",
		  node.good);
	check_end(&isolated, NULL, no_vector, "%u vectors in use interrupt no isolated CPU", isolated.good);
}

/* --- irqbalance --- */

static void judge_bans(const struct verify *v, struct check *check)
{
	unsigned missing = 0, first = 0;

	for (unsigned i = 0; i < v->affinity->irqs; i++) {
		if (irq_list_has(&v->irqbalance->bans, v->affinity->irq[i].number)) {
			check_good(check);
			continue;
		}
		first = missing++ == 0 ? v->affinity->irq[i].number : first;
	}
	if (missing > 0)
		check_bad(check, FINDING_FAIL, "irqbalance", NULL,
			  "irqbalance runs (pid %u) and may move %u of the %u vectors in use, the first is "
			  "irq %u: they "
			  "are not in its ban list; nvme-partition connect, with what was connected before, "
			  "adds them",
			  v->irqbalance->pid, missing, v->affinity->irqs, first);
}

static void check_irqbalance(const struct verify *v)
{
	struct check check = check_begin(v->findings, "affinity.irqbalance", "irqbalance's socket");
	const char *passed = "irqbalance runs, and its ban list has all vectors in use";

	if (!v->irqbalance) {
		check_bad(&check, FINDING_UNKNOWN, "irqbalance", NULL,
			  "whether irqbalance moves vectors is unknown: %s",
			  v->irqbalance_why ? v->irqbalance_why : "it could not be asked");
		return;
	}
	switch (v->irqbalance->state) {
	case IRQBALANCE_ABSENT:
		passed = "irqbalance does not run";
		check_good(&check);
		break;
	case IRQBALANCE_RUNNING:
	case IRQBALANCE_BANNED:
		judge_bans(v, &check);
		say_lost(v, &check);
		break;
	case IRQBALANCE_IGNORED:
	case IRQBALANCE_REFUSED:
	case IRQBALANCE_UNREACHABLE:
	case IRQBALANCE_LIST_TOO_LONG:
		check_bad(&check, FINDING_UNKNOWN, "irqbalance", NULL,
			  "whether irqbalance moves vectors is unknown: %s",
			  v->irqbalance->message[0] ? v->irqbalance->message : "it cannot be talked to");
		return;
	}
	check_end(&check, NULL, no_vector, "%s", passed);
}

void verify_affinity(const struct verify *v)
{
	static const char *const names[] = {
		"affinity.irqs",     "affinity.effective",  "affinity.node_local",
		"affinity.isolated", "affinity.irqbalance", "affinity.rq_affinity",
	};

	for (unsigned i = 0; v->plan->paths == 0 && i < ARRAY_SIZE(names); i++)
		check_skip(v->findings, names[i], NULL, "%s", no_controller);
	if (v->plan->paths == 0)
		return;
	check_irqs(v);
	check_effective(v);
	check_irqbalance(v);
	judge_rq_affinity(v->topo, true, v->findings);
}
