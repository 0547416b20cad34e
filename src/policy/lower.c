/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Plans to steps. Invariants, asserted here and once more where a step is done: no step touches a port that
 * is not storage, every controller has a source address, no two steps make the same controller.
 */
#include "policy/policy.h"

#include <errno.h>

/* The RDMA device is of a storage port; Soft-RoCE is of no PCI function. */
static bool is_storage_device(const struct topology *topo, const struct classification *classes, int rdma)
{
	const struct rdma_link *link = &topo->rdma_link[rdma];
	const struct port *port = link->has_pci ? topo_port(topo, &link->pci) : NULL;

	return !link->has_pci || (port && classes->port[port - topo->port].role == ROLE_STORAGE);
}

static int lower_path(const struct plan *plan, unsigned i, const struct topology *topo,
		      const struct classification *classes, const struct request *request, struct steps *ret,
		      struct err *err)
{
	const struct path *path = &plan->path[i];
	struct step *step;

	if (path->port < 0 || path->rdma < 0 || classes->port[path->port].role != ROLE_STORAGE ||
	    !is_storage_device(topo, classes, path->rdma) || path->id.host_traddr[0] == '\0')
		return err_set(
			err, XC_REFUSED, -EPERM, path->id.traddr,
			"portal %s: its path is on no storage port; nothing was done (please report this)",
			path->id.traddr);
	if (i > 0 && ctrl_id_equal(&plan->path[i - 1].id, &path->id))
		return err_set(
			err, XC_REFUSED, -EEXIST, path->id.traddr,
			"portal %s: the same path was planned twice; nothing was done (please report this)",
			path->id.traddr);
	if (ret->count == STEPS_MAX)
		return err_set(err, XC_ENVIRONMENT, -E2BIG, "STEPS_MAX", "more than %d steps (STEPS_MAX)",
			       STEPS_MAX);
	step = &ret->step[ret->count++];
	*step = (struct step){
		.kind = STEP_NVME_CONNECT,
		.state = STEP_WOULD,
		.pci = topo->port[path->port].pci,
		.role = classes->port[path->port].role,
		.id = path->id,
		.opts = request->opts,
		.timeout_s = request->connect_timeout_s,
		.path = (int)i,
	};
	return str_copy(step->rdma_device, sizeof(step->rdma_device), topo->rdma_link[path->rdma].name);
}

int lower_connect(const struct plan *plan, const struct topology *topo, const struct classification *classes,
		  const struct request *request, struct steps *ret, struct err *err)
{
	ret->count = 0;
	for (unsigned i = 0; i < plan->paths; i++) {
		int r = 0;

		if (plan->path[i].action == PATH_WOULD_CONNECT)
			r = lower_path(plan, i, topo, classes, request, ret, err);
		if (r < 0)
			return r;
	}
	return 0;
}

int lower_place(const struct topology *topo, const struct classification *classes,
		const struct affinity *affinity, struct steps *ret, struct err *err)
{
	for (unsigned i = 0; i < affinity->irqs; i++) {
		const struct affinity_irq *irq = &affinity->irq[i];
		const struct port *port = topo_port(topo, &irq->pci);
		struct step *step = &ret->step[ret->count];

		if (irq->action != IRQ_WOULD_SET)
			continue;
		if (!port || irq->port < 0 || classes->port[port - topo->port].role != ROLE_STORAGE)
			return err_set(err, XC_REFUSED, -EPERM, irq->name,
				       "%s: it is of no storage port; nothing was done (please report this)",
				       irq->name);
		/* Each may get a ban as well, and all must have room to be taken back. */
		if (ret->count + 2 * affinity->irqs > STEPS_MAX / 2)
			return err_set(err, XC_ENVIRONMENT, -E2BIG, "STEPS_MAX",
				       "more interrupts than fit into %d steps (STEPS_MAX)", STEPS_MAX);
		ret->count++;
		*step = (struct step){
			.kind = STEP_IRQ_AFFINITY,
			.state = STEP_WOULD,
			.pci = irq->pci,
			.role = ROLE_STORAGE,
			.before = irq->before,
			.to = irq->target,
			.cores = affinity->port[irq->port].cpus,
			.irq_number = irq->number,
			.irq = (int)i,
			.path = -1,
		};
		if (str_copy(step->irq_name, sizeof(step->irq_name), irq->name) < 0)
			return err_set(err, XC_FAILED, -ENAMETOOLONG, irq->name, "%s: too long a name",
				       irq->name);
	}
	return 0;
}
