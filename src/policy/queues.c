/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Queues and their vectors. No interface shows a queue's vector, so it is computed as the kernel does:
 * nvme-rdma asks for (qid - 1) mod num_comp_vectors, and for 0 for the admin queue (nvme_rdma_create_cq); the
 * CQ pool takes that modulo min(num_comp_vectors, online CPUs) (ib_cq_pool_get).
 */
#include "policy/policy.h"

static int find_hctx(const struct topology *topo, unsigned ctrl, unsigned number)
{
	unsigned low = 0, high = topo->hctxs;

	while (low < high) {
		unsigned middle = low + (high - low) / 2;
		const struct hctx *hctx = &topo->hctx[middle];

		if (hctx->ctrl == ctrl && hctx->number == number)
			return (int)middle;
		if (hctx->ctrl < ctrl || (hctx->ctrl == ctrl && hctx->number < number))
			low = middle + 1;
		else
			high = middle;
	}
	return -1;
}

/* How many vectors the CQ pool of a device hands out; 0: unknown. */
static unsigned pool_size(const struct topology *topo, int rdma)
{
	int ncv = rdma >= 0 ? topo->rdma_link[rdma].ncv : -1;
	unsigned online = cpuset_count(&topo->online);

	if (ncv <= 0)
		return 0;
	return (unsigned)ncv < online ? (unsigned)ncv : online;
}

int queue_vector(const struct topology *topo, int rdma, unsigned qid)
{
	unsigned pool = pool_size(topo, rdma);

	if (pool == 0)
		return -1;
	return (int)((qid > 0 ? qid - 1 : 0) % (unsigned)topo->rdma_link[rdma].ncv % pool);
}

unsigned queue_vectors(const struct topology *topo, int rdma, unsigned io_queues)
{
	unsigned pool = pool_size(topo, rdma);
	unsigned queues = io_queues > 0 ? io_queues : 1; /* the admin queue's is 0, as the first one's */

	return queues < pool ? queues : pool;
}

const struct pci_addr *queue_function(const struct topology *topo, int port, int rdma)
{
	const struct rdma_link *link = rdma >= 0 ? &topo->rdma_link[rdma] : NULL;

	if (link && link->has_pci)
		return &link->pci;
	return port >= 0 ? &topo->port[port].pci : NULL;
}

static enum tristate is_local(const struct topology *topo, const struct queue *queue)
{
	const struct node *node = topo_node(topo, queue->numa_node);

	if (queue->irq < 0 || !node || !topo->irq[queue->irq].effective_known)
		return TRI_UNKNOWN;
	return cpuset_is_subset(&topo->irq[queue->irq].effective, &node->cpus) ? TRI_YES : TRI_NO;
}

static void make_queue(const struct topology *topo, const struct path *path, unsigned qid, struct queue *ret)
{
	const struct irq *irq = NULL;

	*ret = (struct queue){
		.ctrl = (unsigned)path->ctrl,
		.qid = qid,
		.vector = queue_vector(topo, path->rdma, qid),
		.hctx = find_hctx(topo, (unsigned)path->ctrl, qid - 1),
		.numa_node = path->port >= 0 ? topo->port[path->port].numa_node : -1,
	};
	if (ret->vector >= 0 && path->port >= 0)
		irq = topo_irq(topo, queue_function(topo, path->port, path->rdma), (unsigned)ret->vector);
	ret->irq = irq ? (int)(irq - topo->irq) : -1;
	ret->local = is_local(topo, ret);
}

void queues_of(const struct topology *topo, const struct plan *plan, struct queues *ret)
{
	ret->count = 0;
	for (unsigned ctrl = 0; ctrl < topo->ctrls; ctrl++) {
		const struct path *path = NULL;

		for (unsigned i = 0; i < plan->paths && !path; i++) {
			if (plan->path[i].ctrl == (int)ctrl)
				path = &plan->path[i];
		}
		for (int qid = 1; path && qid < topo->ctrl[ctrl].queue_count && ret->count < QUEUES_MAX;
		     qid++)
			make_queue(topo, path, (unsigned)qid, &ret->queue[ret->count++]);
	}
}
