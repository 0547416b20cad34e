/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which interrupts go back to where they were: vectors belong to a port, not to a controller, so they stay as
 * they are as long as a controller of ours is left on it.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "policy/placement.h"

struct restoring {
	const struct topology *topo;
	const struct classification *classes;
	const struct teardown *teardown;
	struct affinity *affinity; /* NULL: no entries are made */
	bool kept[TOPO_PORTS_MAX]; /* a controller of ours is left there */
	bool kept_somewhere;	   /* one is left, and nobody can say where */
};

/* --- the functions that keep a controller -------------------------------------------------------- */

static const struct path *find_path(const struct plan *plan, const struct ctrl_id *id)
{
	for (unsigned i = 0; i < plan->paths; i++) {
		if (ctrl_id_equal(&plan->path[i].id, id))
			return &plan->path[i];
	}
	return NULL;
}

static bool goes(const struct path *path)
{
	return path && (path->action == PATH_WOULD_DISCONNECT || path->action == PATH_DISCONNECTED ||
			path->action == PATH_NONE);
}

/* Every function that its vectors can be of: the members of a bond, too. */
static bool mark(const struct restoring *r, const struct ctrl_id *id, bool marks[])
{
	struct path path = { .id = *id, .ctrl = -1 };
	const struct netdev *netdev;
	bool any = false;

	path_locate(r->topo, r->classes, &path);
	netdev = path.netdev >= 0 ? &r->topo->netdev[path.netdev] : NULL;
	for (unsigned i = 0; netdev && i < r->topo->ports; i++) {
		const struct port *port = &r->topo->port[i];

		if (port->netdev < 0 || !netdev_is_above(r->topo, netdev, &r->topo->netdev[port->netdev]))
			continue;
		marks[i] = true;
		any = true;
	}
	return any;
}

static void mark_claims(struct restoring *r, const struct journal_claims *claims, const struct plan *plan)
{
	for (unsigned i = 0; i < claims->count; i++) {
		const struct ctrl_id *id = &claims->claim[i].id;

		if (!goes(find_path(plan, id)) && !mark(r, id, r->kept))
			r->kept_somewhere = true;
	}
}

static bool is_selected(const struct restoring *r, const struct pci_addr *pci)
{
	const struct teardown *td = r->teardown;
	const struct port *port = topo_port(r->topo, pci);
	int index = port ? (int)(port - r->topo->port) : -1;

	if (r->kept_somewhere || (index >= 0 && r->kept[index]))
		return false;
	return td->port < 0 || td->port == index;
}

/* --- where they are ------------------------------------------------------------------------------- */

static const struct irq *find_irq(const struct topology *topo, const struct journal_value *value)
{
	for (unsigned i = 0; i < topo->irqs; i++) {
		if (pci_compare(&topo->irq[i].pci, &value->pci) == 0 &&
		    strcmp(topo->irq[i].name, value->irq_name) == 0 && topo->irq[i].irq == value->irq_number)
			return &topo->irq[i];
	}
	return NULL;
}

static bool is_storage(const struct restoring *r, const struct pci_addr *pci)
{
	const struct port *port = topo_port(r->topo, pci);

	return port && r->classes->port[port - r->topo->port].role == ROLE_STORAGE;
}

static void judge(const struct restoring *r, const struct journal_value *value, const struct irq *irq,
		  struct affinity_irq *entry)
{
	char list[128];

	if (!irq) /* with its vector; nothing of it is left to be put back */
		return;
	entry->irq = (int)(irq - r->topo->irq);
	entry->vector = irq->vector;
	entry->number = irq->irq;
	if (!irq->affinity_known) {
		str_format(entry->message, sizeof(entry->message), "where it is cannot be read");
		return;
	}
	entry->before = irq->affinity;
	if (cpuset_equal(&irq->affinity, &value->original)) {
		entry->action = IRQ_KEPT;
		return;
	}
	if (!is_storage(r, &value->pci)) { /* whatever the journal says */
		if (cpuset_format(&value->original, list, sizeof(list)) < 0)
			str_format(list, sizeof(list), "others");
		str_format(entry->message, sizeof(entry->message),
			   "its port is not storage, so it is not written; it was on CPU %s", list);
		return;
	}
	entry->action = IRQ_WOULD_RESTORE;
	if (cpuset_equal(&irq->affinity, &value->last) || cpuset_equal(&irq->affinity, &value->before_last) ||
	    r->teardown->force)
		return;
	entry->action = IRQ_FOREIGN;
	if (cpuset_format(&irq->affinity, list, sizeof(list)) < 0)
		str_format(list, sizeof(list), "others");
	str_format(entry->message, sizeof(entry->message),
		   "somebody moved it to CPU %s since; it is left there (--force puts it back)", list);
}

static int compare_irqs(const void *a, const void *b)
{
	const struct affinity_irq *x = a, *y = b;
	int order = pci_compare(&x->pci, &y->pci);

	if (order == 0)
		order = (x->vector > y->vector) - (x->vector < y->vector);
	return order ? order : strcmp(x->name, y->name);
}

static int find_entry(const struct affinity *affinity, const struct journal_value *value)
{
	for (unsigned i = 0; i < affinity->irqs; i++) {
		if (pci_compare(&affinity->irq[i].pci, &value->pci) == 0 &&
		    strcmp(affinity->irq[i].name, value->irq_name) == 0)
			return (int)i;
	}
	return -1;
}

/* --- steps ---------------------------------------------------------------------------------------- */

static int add_step(const struct restoring *r, const struct journal_value *value, struct steps *ret,
		    struct err *err)
{
	const struct port *port = topo_port(r->topo, &value->pci);
	int entry = r->affinity ? find_entry(r->affinity, value) : -1;
	struct step *step;

	if (value->kind == STEP_IRQ_AFFINITY && entry >= 0 &&
	    (r->affinity->irq[entry].action == IRQ_FOREIGN ||
	     (r->affinity->irq[entry].message[0] != '\0' && !is_storage(r, &value->pci))))
		return 0;
	if (ret->count == STEPS_MAX)
		return err_set(err, XC_ENVIRONMENT, -E2BIG, "STEPS_MAX", "more than %d steps (STEPS_MAX)",
			       STEPS_MAX);
	step = &ret->step[ret->count++];
	*step = (struct step){
		.kind = value->kind,
		.state = entry < 0 || r->affinity->irq[entry].action == IRQ_WOULD_RESTORE ? STEP_WOULD
											  : STEP_SKIPPED,
		.pci = value->pci,
		.role = port ? r->classes->port[port - r->topo->port].role : ROLE_OTHER,
		.before = value->last,
		.was = value->before_last,
		.to = value->original,
		.daemon = value->daemon,
		.irq_number = value->irq_number,
		.irq = entry,
		.path = -1,
	};
	return str_copy(step->irq_name, sizeof(step->irq_name), value->irq_name);
}

static int add_steps(const struct restoring *r, const struct journal_values *values, enum step_kind kind,
		     struct steps *ret, struct err *err)
{
	for (unsigned i = values->count; i-- > 0;) {
		const struct journal_value *value = &values->value[i];
		int code = 0;

		if (value->kind == kind && is_selected(r, &value->pci))
			code = add_step(r, value, ret, err);
		if (code < 0)
			return code;
	}
	return 0;
}

int plan_restore(const struct topology *topo, const struct classification *classes,
		 const struct journal_claims *claims, const struct journal_values *values,
		 const struct teardown *teardown, const struct plan *plan, struct affinity *affinity,
		 struct steps *ret, struct err *err)
{
	struct restoring r = { .topo = topo, .classes = classes, .teardown = teardown, .affinity = affinity };
	int code;

	affinity->irqs = 0;
	mark_claims(&r, claims, plan);
	for (unsigned i = 0; i < values->count; i++) {
		const struct journal_value *value = &values->value[i];
		struct affinity_irq *entry = &affinity->irq[affinity->irqs];

		if (value->kind != STEP_IRQ_AFFINITY || !is_selected(&r, &value->pci))
			continue;
		affinity->irqs++; /* JOURNAL_VALUES_MAX entries fit */
		*entry = (struct affinity_irq){
			.irq = -1, .pci = value->pci, .port = -1, .target = value->original
		};
		str_format(entry->name, sizeof(entry->name), "%s", value->irq_name);
		judge(&r, value, find_irq(topo, value), entry);
	}
	qsort(affinity->irq, affinity->irqs, sizeof(affinity->irq[0]), compare_irqs);
	code = add_steps(&r, values, STEP_IRQ_AFFINITY, ret, err);
	return code < 0 ? code : add_steps(&r, values, STEP_IRQBALANCE_BAN, ret, err);
}

int plan_stale_bans(const struct topology *topo, const struct classification *classes,
		    const struct journal_values *values, struct steps *ret, struct err *err)
{
	struct restoring r = { .topo = topo, .classes = classes };
	int code = 0;

	for (unsigned i = values->count; i-- > 0 && code == 0;) {
		const struct journal_value *value = &values->value[i];

		if (value->kind == STEP_IRQBALANCE_BAN && !find_irq(topo, value))
			code = add_step(&r, value, ret, err);
	}
	return code;
}

_Static_assert(TOPO_IRQS_MAX >= JOURNAL_VALUES_MAX, "an entry for every value");
