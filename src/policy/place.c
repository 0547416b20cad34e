/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which interrupts are placed: those of the vectors that NVMe queues on storage ports complete on, and no
 * other, since the port's Ethernet channels share them. Vector v of a port belongs on the port's core number
 * v modulo their count.
 */
#include "policy/placement.h"

#include <string.h>

#define VLANS_MAX 8 /* on each other; deeper is not followed */

bool path_completes(const struct path *path)
{
	switch (path->action) {
	case PATH_WOULD_CONNECT:
		return true;
	case PATH_DISCONNECTED:
	case PATH_WOULD_DISCONNECT:
		return false;
	case PATH_NONE:
	case PATH_CONNECTED:
	case PATH_KEPT:
	case PATH_FAILED: /* with a controller: it could not be undone */
	case PATH_FOREIGN:
		break;
	}
	return path->ctrl >= 0;
}

int path_io_queues(const struct topology *topo, const struct path *path, unsigned nr_io_queues)
{
	unsigned online = cpuset_count(&topo->online);

	if (path->ctrl >= 0)
		return topo->ctrl[path->ctrl].queue_count - 1; /* -2: unknown; -1: not even an admin queue */
	if (nr_io_queues == 0 || online == 0)
		return -1;
	return (int)(nr_io_queues < online ? nr_io_queues : online); /* nvme_rdma_alloc_io_queues */
}

const struct bond_class *bond_of_path(const struct topology *topo, const struct classification *classes,
				      const struct path *path)
{
	const struct netdev *netdev = path->netdev >= 0 ? &topo->netdev[path->netdev] : NULL;

	for (unsigned depth = 0; netdev && netdev->kind == NET_VLAN && depth < VLANS_MAX; depth++)
		netdev = topo_netdev(topo, netdev->lower_ifindex);
	for (unsigned i = 0; netdev && i < classes->bonds; i++) {
		if (classes->bond[i].netdev == (int)(netdev - topo->netdev))
			return classes->bond[i].roce_lag == ROCE_LAG_ACTIVE ? NULL : &classes->bond[i];
	}
	return NULL;
}

/* By value; RDMA netlink shows no scope. */
static bool is_at(const struct ip *ip, const char *text)
{
	struct ip other;

	return ip_parse(text, &other) == 0 && ip->family == other.family &&
	       memcmp(ip->bytes, other.bytes, sizeof(ip->bytes)) == 0;
}

/* The CM_ID is that of a queue that works, from the path's source to its portal. */
static bool is_of_path(const struct cm_id *cm_id, const struct path *path)
{
	uint64_t port;

	return strcmp(cm_id->owner, "nvme_rdma") == 0 && cm_id->has_addrs && cm_id->has_qp && cm_id->qp_rts &&
	       parse_u64(path->id.trsvcid, 65535, &port) == 0 && cm_id->dst_port == port &&
	       is_at(&cm_id->src, path->id.host_traddr) && is_at(&cm_id->dst, path->id.traddr);
}

/* Only functions that the platform file names as storage, and no subfunction: its vectors are others. */
static void add_place(const struct topology *topo, const struct classification *classes, int port, int rdma,
		      struct places *ret)
{
	const struct pci_addr *pci = queue_function(topo, port, rdma);
	const struct port *function = pci ? topo_port(topo, pci) : NULL;
	int found = function ? (int)(function - topo->port) : -1;

	if (rdma < 0 || topo->rdma_link[rdma].subfunction || found < 0 ||
	    classes->port[found].role != ROLE_STORAGE)
		return;
	for (unsigned i = 0; i < ret->count; i++) {
		if (ret->place[i].port == found)
			return;
	}
	if (ret->count < BOND_MEMBERS_MAX) /* as many as a bond can have */
		ret->place[ret->count++] = (struct place){ .port = found, .rdma = rdma };
}

/* The member that a device belongs to; -1: none. */
static int member_of(const struct topology *topo, const struct bond_class *bond, const struct rdma_link *link)
{
	for (unsigned i = 0; i < bond->members; i++) {
		const struct port *port = &topo->port[bond->member[i]];

		if (link->has_pci ? pci_compare(&link->pci, &port->pci) == 0
				  : port->netdev >= 0 && link->netdev_ifindex > 0 &&
					    topo->netdev[port->netdev].ifindex == link->netdev_ifindex)
			return bond->member[i];
	}
	return -1;
}

/* Where RDMA netlink shows the queues of a path over a bond's members, which have an HCA each. */
static void add_shown(const struct topology *topo, const struct classification *classes,
		      const struct bond_class *bond, const struct path *path, struct places *ret)
{
	for (unsigned i = 0; topo->cm_ids_read == READ_OK && i < topo->cm_ids; i++) {
		if (!is_of_path(&topo->cm_id[i], path))
			continue;
		for (unsigned l = 0; l < topo->rdma_links; l++) {
			const struct rdma_link *link = &topo->rdma_link[l];
			int port;

			if (strcmp(link->name, topo->cm_id[i].rdma_name) != 0)
				continue;
			port = member_of(topo, bond, link);
			if (port >= 0)
				add_place(topo, classes, port, (int)l, ret);
		}
	}
}

void places_of(const struct topology *topo, const struct classification *classes, const struct path *path,
	       struct places *ret)
{
	const struct bond_class *bond = bond_of_path(topo, classes, path);

	ret->count = 0;
	if (bond && path->ctrl >= 0)
		add_shown(topo, classes, bond, path, ret);
	if (ret->count == 0) /* else the active port's, where the kernel would connect now */
		add_place(topo, classes, path->port, path->rdma, ret);
}

/* The share that a function's vectors use; -1: none. */
static int share_of(const struct topology *topo, const struct affinity *affinity, int function)
{
	const struct port *port = &topo->port[function];

	if (port->vf)
		port = topo_port(topo, &port->pf);
	for (unsigned i = 0; port && i < affinity->ports; i++) {
		if (affinity->port[i].port == (int)(port - topo->port))
			return (int)i;
	}
	return -1;
}

/* How many vectors, from 0, are used of each function (index into ports). */
struct used {
	unsigned vectors[TOPO_PORTS_MAX];
	unsigned live[TOPO_PORTS_MAX]; /* of these of controllers that are there, on a device that has
					  interrupts */
};

static void find_used(const struct topology *topo, const struct classification *classes,
		      const struct plan *plan, unsigned nr_io_queues, struct affinity *affinity,
		      struct used *ret)
{
	for (unsigned i = 0; i < plan->paths; i++) {
		const struct path *path = &plan->path[i];
		int queues = path_io_queues(topo, path, nr_io_queues);
		struct places places;

		if (!path_completes(path))
			continue;
		places_of(topo, classes, path, &places);
		for (unsigned p = 0; p < places.count; p++) {
			int function = places.place[p].port, share = share_of(topo, affinity, function);
			unsigned vectors = 0;

			if (queues >= 0)
				vectors = queue_vectors(topo, places.place[p].rdma, (unsigned)queues);
			if (vectors > ret->vectors[function])
				ret->vectors[function] = vectors;
			/* Soft-RoCE has no interrupts of its own. */
			if (path->ctrl >= 0 && topo->rdma_link[places.place[p].rdma].has_pci &&
			    vectors > ret->live[function])
				ret->live[function] = vectors;
			if (share < 0)
				continue;
			affinity->port[share].in_use = true;
			affinity->port[share].unknown |= path->ctrl >= 0 && queues != 0 && vectors == 0;
		}
	}
}

static void reserve(const struct topology *topo, struct affinity *affinity)
{
	affinity->reserved = affinity->reserved_with_siblings = (struct cpuset){ 0 };
	for (unsigned i = 0; i < affinity->ports; i++) {
		const struct cpuset *cpus = &affinity->port[i].cpus;

		if (!affinity->port[i].in_use)
			continue;
		for (unsigned cpu = cpuset_next(cpus, 0); cpu < CPUS_MAX; cpu = cpuset_next(cpus, cpu + 1))
			cpuset_add(&affinity->reserved, cpu);
	}
	for (unsigned cpu = cpuset_next(&topo->online, 0); cpu < CPUS_MAX;
	     cpu = cpuset_next(&topo->online, cpu + 1)) {
		if (topo->core[cpu] >= 0 && cpuset_has(&affinity->reserved, (unsigned)topo->core[cpu]))
			cpuset_add(&affinity->reserved_with_siblings, cpu);
	}
}

/* Core number vector modulo count, in ascending order. */
static void choose_core(const struct cpuset *cpus, unsigned vector, struct cpuset *ret)
{
	unsigned n = vector % cpuset_count(cpus), cpu = cpuset_next(cpus, 0);

	while (n-- > 0)
		cpu = cpuset_next(cpus, cpu + 1);
	cpuset_add(ret, cpu);
}

static void judge_irq(const struct topology *topo, const struct affinity *affinity, const struct irq *irq,
		      int share, struct affinity_irq *ret)
{
	char pci[PCI_TEXT_MAX];

	*ret = (struct affinity_irq){
		.irq = (int)(irq - topo->irq),
		.pci = irq->pci,
		.vector = irq->vector,
		.number = irq->irq,
		.port = share,
		.before = irq->affinity,
	};
	memcpy(ret->name, irq->name, sizeof(ret->name));
	if (share < 0 || affinity->port[share].unplaced != PLACED) {
		str_format(ret->message, sizeof(ret->message), "%s has no cores of its own: %s",
			   pci_format(&irq->pci, pci),
			   share < 0 ? "it is no storage port"
				     : unplaced_advice(affinity->port[share].unplaced));
		return;
	}
	if (!irq->affinity_known) { /* what is not known could not be put back */
		str_format(ret->message, sizeof(ret->message),
			   "/proc/irq/%u/smp_affinity_list cannot be read, so it is not written", irq->irq);
		return;
	}
	choose_core(&affinity->port[share].cpus, irq->vector, &ret->target);
	ret->action = cpuset_equal(&irq->affinity, &ret->target) ? IRQ_KEPT : IRQ_WOULD_SET;
}

void place_irqs(const struct topology *topo, const struct classification *classes, const struct plan *plan,
		unsigned nr_io_queues, struct affinity *affinity)
{
	unsigned function = 0, found[TOPO_PORTS_MAX] = { 0 };
	struct used used = { 0 };

	affinity->irqs = 0;
	for (unsigned i = 0; i < affinity->ports; i++) {
		affinity->port[i].in_use = affinity->port[i].unknown = false;
		affinity->port[i].missing = 0;
	}
	find_used(topo, classes, plan, nr_io_queues, affinity, &used);
	reserve(topo, affinity);
	for (unsigned i = 0; i < topo->irqs; i++) { /* both in the order of PCI addresses */
		const struct irq *irq = &topo->irq[i];

		while (function < topo->ports && pci_compare(&topo->port[function].pci, &irq->pci) < 0)
			function++;
		if (function == topo->ports)
			break;
		if (pci_compare(&topo->port[function].pci, &irq->pci) != 0)
			continue;
		if (irq->vector < used.vectors[function])
			judge_irq(topo, affinity, irq, share_of(topo, affinity, (int)function),
				  &affinity->irq[affinity->irqs++]);
		found[function] += irq->vector < used.live[function];
	}
	for (unsigned i = 0; i < topo->ports; i++) {
		int share = found[i] < used.live[i] ? share_of(topo, affinity, (int)i) : -1;

		if (share >= 0)
			affinity->port[share].missing += used.live[i] - found[i];
	}
}
