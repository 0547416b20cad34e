/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Cores for storage. mlx5 puts vector v of every port of a socket on the socket's v-th CPU
 * (cpumask_local_spread), so all ports crowd on the lowest ones; storage gets its own, from the top. Which
 * core belongs to which port follows from the machine alone: every storage port that exists has its share, in
 * the order of PCI addresses, so nothing moves when a port comes up.
 */
#include "policy/policy.h"

struct search {
	const struct topology *topo;
	struct findings *findings;
	struct affinity *ret;
	unsigned short threads[CPUS_MAX]; /* online threads of the core with this first thread */
	unsigned short threads_full;	  /* of a whole core */
	bool barred[CPUS_MAX];		  /* such a core is never used */
	bool known;			  /* what could bar one was readable */
};

static void bar(struct search *s, const struct cpuset *cpus)
{
	for (unsigned cpu = cpuset_next(cpus, 0); cpu < CPUS_MAX; cpu = cpuset_next(cpus, cpu + 1)) {
		if (s->topo->core[cpu] >= 0)
			s->barred[s->topo->core[cpu]] = true;
	}
}

/*
 * The kernel shows online threads only, so a core that lacks one looks like a core that never had it. A whole
 * core is one with as many threads as any core shows.
 */
static void count_threads(struct search *s)
{
	const struct topology *topo = s->topo;

	for (unsigned cpu = cpuset_next(&topo->online, 0); cpu < CPUS_MAX;
	     cpu = cpuset_next(&topo->online, cpu + 1)) {
		int core = topo->core[cpu];

		if (core >= 0 && ++s->threads[core] > s->threads_full)
			s->threads_full = s->threads[core];
	}
	s->barred[0] = true; /* the kernel's own work collects there */
	bar(s, &topo->isolated);
	bar(s, &topo->nohz_full);
	s->known = topo->isolated_known && topo->nohz_full_known && !cpuset_is_empty(&topo->online);
}

static bool is_candidate(const struct search *s, unsigned cpu)
{
	return cpuset_has(&s->topo->online, cpu) && s->topo->core[cpu] == (int)cpu && !s->barred[cpu] &&
	       s->threads[cpu] == s->threads_full;
}

/* CPUs whose core nobody knows are not used, and somebody should know why. */
static void say_unknown(struct search *s, const struct node *node)
{
	char object[16], list[128];
	struct cpuset unknown = { 0 };

	for (unsigned cpu = cpuset_next(&node->cpus, 0); cpu < CPUS_MAX;
	     cpu = cpuset_next(&node->cpus, cpu + 1)) {
		if (cpuset_has(&s->topo->online, cpu) && s->topo->core[cpu] < 0)
			cpuset_add(&unknown, cpu);
	}
	if (cpuset_is_empty(&unknown))
		return;
	if (cpuset_format(&unknown, list, sizeof(list)) < 0)
		str_format(list, sizeof(list), "%u of them", cpuset_count(&unknown));
	str_format(object, sizeof(object), "node %u", node->id);
	finding_add(s->findings, FINDING_UNKNOWN, "affinity.cores", object,
		    "sys/devices/system/cpu/cpu*/topology/thread_siblings_list",
		    "which CPUs of node %u are threads of one core is unknown for %s: they are not used",
		    node->id, list);
}

/* How many cores each of the node's ports gets. */
static unsigned share_size(struct search *s, const struct node *node, unsigned cores, unsigned ports)
{
	unsigned wanted = s->ret->cores_per_port, given;
	char object[16];

	given = cores >= CORES_LEFT_MIN + ports ? (cores - CORES_LEFT_MIN) / ports : 1;
	if (given >= wanted || cores == 0) /* none at all is said of each port */
		return wanted;
	str_format(object, sizeof(object), "node %u", node->id);
	finding_add(s->findings, FINDING_WARN, "affinity.cores", object, NULL,
		    "node %u has %u cores that storage could use, and %u stay for others: each of its %u "
		    "storage ports gets %u instead of %u",
		    node->id, cores, CORES_LEFT_MIN, ports, given, wanted);
	return given;
}

/* From the top of the node downwards, the ports in the order of their addresses. */
static void share_out(struct search *s, const struct node *node, unsigned ports)
{
	unsigned short candidate[CPUS_MAX];
	unsigned cores = 0, size;

	for (unsigned cpu = cpuset_next(&node->cpus, 0); cpu < CPUS_MAX;
	     cpu = cpuset_next(&node->cpus, cpu + 1)) {
		if (is_candidate(s, cpu))
			candidate[cores++] = (unsigned short)cpu;
	}
	size = share_size(s, node, cores, ports);
	for (unsigned i = 0; i < s->ret->ports; i++) {
		struct affinity_port *port = &s->ret->port[i];

		if (port->node != (int)node->id)
			continue;
		port->unplaced = cores >= size ? PLACED : UNPLACED_SMALL;
		for (unsigned n = 0; n < size && port->unplaced == PLACED; n++) {
			cores--;
			cpuset_add(&port->cpus, candidate[cores]);
			s->barred[candidate[cores]] = true; /* also if another node lists it too */
		}
	}
}

static void place_node(struct search *s, const struct node *node)
{
	enum unplaced unplaced = PLACED;
	unsigned ports = 0;

	if (cpuset_is_empty(&node->cpus))
		unplaced = UNPLACED_NO_CPUS;
	else if (!s->known)
		unplaced = UNPLACED_UNKNOWN;
	for (unsigned i = 0; i < s->ret->ports; i++) {
		if (s->ret->port[i].node != (int)node->id)
			continue;
		s->ret->port[i].unplaced = unplaced;
		ports++;
	}
	if (ports == 0 || unplaced != PLACED)
		return;
	say_unknown(s, node);
	share_out(s, node, ports);
}

static void list_ports(const struct topology *topo, const struct classification *classes,
		       struct affinity *ret)
{
	ret->ports = 0;
	for (unsigned i = 0; i < topo->ports; i++) {
		int node = topo->port[i].numa_node;

		if (classes->port[i].role != ROLE_STORAGE || topo->port[i].vf)
			continue;
		ret->port[ret->ports++] = (struct affinity_port){
			.port = (int)i,
			.node = node < 0 ? -1 : node,
			.unplaced = node < 0 ? UNPLACED_NO_NODE : UNPLACED_UNKNOWN,
		};
	}
}

static void say_unplaced(struct search *s, const struct affinity_port *port)
{
	char pci[PCI_TEXT_MAX], evidence[64];

	pci_format(&s->topo->port[port->port].pci, pci);
	str_format(evidence, sizeof(evidence), "sys/bus/pci/devices/%s/numa_node", pci);
	finding_add(s->findings, port->unplaced == UNPLACED_UNKNOWN ? FINDING_UNKNOWN : FINDING_WARN,
		    "affinity.cores", pci, evidence, "%s has no cores of its own, and its vectors stay: %s",
		    pci, unplaced_advice(port->unplaced));
}

void cores_of(const struct topology *topo, const struct classification *classes, unsigned cores_per_port,
	      struct affinity *ret, struct findings *findings)
{
	struct search search = { .topo = topo, .findings = findings, .ret = ret };

	ret->cores_per_port = cores_per_port > 0 ? cores_per_port : 1;
	ret->cores_fewest = 0;
	ret->irqs = 0;
	ret->reserved = ret->reserved_with_siblings = (struct cpuset){ 0 };
	list_ports(topo, classes, ret);
	count_threads(&search);
	for (unsigned i = 0; i < topo->nodes; i++)
		place_node(&search, &topo->node[i]);
	for (unsigned i = 0; i < ret->ports; i++) {
		unsigned cores = cpuset_count(&ret->port[i].cpus);

		if (cores == 0)
			say_unplaced(&search, &ret->port[i]);
		else if (ret->cores_fewest == 0 || cores < ret->cores_fewest)
			ret->cores_fewest = cores;
	}
}
