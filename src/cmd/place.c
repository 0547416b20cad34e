/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Placement, put together from facts, policy and effects. */
#include "cmd/place.h"

#include <errno.h>
#include <string.h>

#include "apply/irqbalance_text.h"
#include "base/clock.h"
#include "base/log.h"
#include "facts/facts.h"
#include "policy/policy.h"

/* Compute HCAs are looked at, for what shares a core with storage; nothing of theirs is written. */
static int read_compute(struct session *s, struct err *err)
{
	struct pci_addr pci[TOPO_PORTS_MAX];
	unsigned count = 0;

	for (unsigned i = 0; i < s->topo->ports; i++) {
		if (s->classes->port[i].role == ROLE_COMPUTE)
			pci[count++] = s->topo->port[i].pci;
	}
	return facts_read_other_irqs(&s->root, s->topo, pci, count, s->findings, err);
}

int place_plan(struct session *s, unsigned cores_per_port, unsigned nr_io_queues, struct err *err)
{
	int r = facts_read_cores(&s->root, s->topo, s->findings, err);

	if (r == 0)
		r = facts_read_blk(&s->root, s->topo, s->findings, err);
	if (r == 0)
		r = read_compute(s, err);
	if (r < 0)
		return r;
	cores_of(s->topo, s->classes, cores_per_port, s->affinity, s->findings);
	place_irqs(s->topo, s->classes, s->plan, nr_io_queues, s->affinity);
	place_advice(s->topo, s->classes, s->plan, s->affinity, s->findings);
	s->result.affinity = s->affinity;
	return 0;
}

static bool has_something(const struct affinity *affinity)
{
	for (unsigned i = 0; i < affinity->irqs; i++) {
		if (affinity->irq[i].action == IRQ_WOULD_SET || affinity->irq[i].action == IRQ_KEPT)
			return true;
	}
	return false;
}

/* What does the same where irqbalance cannot be sent so long a list. */
static void write_policy_script(struct session *s)
{
	struct pci_addr pci[TOPO_PORTS_MAX];
	unsigned count = 0;

	for (unsigned i = 0; i < s->affinity->irqs; i++) { /* sorted by function */
		const struct affinity_irq *irq = &s->affinity->irq[i];

		if (irq->port >= 0 && count < TOPO_PORTS_MAX &&
		    (count == 0 || pci_compare(&pci[count - 1], &irq->pci) != 0))
			pci[count++] = irq->pci;
	}
	if (irqbalance_policy_script(pci, count, s->policy_script, POLICY_SCRIPT_MAX) == 0)
		s->result.policy_script = s->policy_script;
}

int place_apply(struct session *s, const struct fx *fx, struct journal *journal, enum place_bans bans,
		struct err *err)
{
	unsigned first = s->steps->count;
	int64_t start = clock_us();
	int r;

	if (!has_something(s->affinity))
		return 0;
	r = lower_place(s->topo, s->classes, s->affinity, s->steps, err);
	if (r < 0)
		return r;
	s->result.irqbalance = s->balance;
	r = place_steps(fx, journal, s->steps, first, bans, s->affinity, s->balance, err);
	if (s->balance->state == IRQBALANCE_LIST_TOO_LONG)
		write_policy_script(s);
	log_elapsed("placement", start);
	return r;
}

/* What was changed, or may have been: whatever the journal still has a value of. */
int place_take_back(struct session *s, const struct fx *fx, struct journal *journal, unsigned first,
		    struct err *err)
{
	struct steps *steps = s->steps;
	unsigned made = steps->count;

	for (unsigned pass = 0; pass < 2; pass++) { /* interrupts, and then the bans */
		enum step_kind kind = pass == 0 ? STEP_IRQ_AFFINITY : STEP_IRQBALANCE_BAN;

		for (unsigned i = made; i-- > first;) {
			const struct step *did = &steps->step[i];
			struct step *step = &steps->step[steps->count];

			if (did->kind != kind || did->state == STEP_SKIPPED || steps->count == STEPS_MAX ||
			    !journal_has_value(journal_data(journal), kind, &did->pci, did->irq_name,
					       did->irq_number))
				continue;
			*step = *did;
			step->state = STEP_WOULD;
			step->to = did->before;
			step->before = step->was = did->to;
			steps->count++;
		}
	}
	return unplace_steps(fx, journal, steps, made, false, s->affinity, s->balance, err);
}

/* Of every function that the journal has a value of, whatever it is now. */
static int read_changed(struct session *s, const struct journal_values *values, struct err *err)
{
	struct pci_addr pci[TOPO_PORTS_MAX];
	unsigned count = 0;

	for (unsigned i = 0; i < values->count; i++) {
		unsigned k = 0;

		while (k < count && pci_compare(&pci[k], &values->value[i].pci) != 0)
			k++;
		if (k == count && count < TOPO_PORTS_MAX)
			pci[count++] = values->value[i].pci;
	}
	return facts_read_irqs(&s->root, s->topo, pci, count, s->findings, err);
}

int place_restore(struct session *s, const struct fx *fx, struct journal *journal,
		  const struct journal_data *data, const struct teardown *teardown, struct err *err)
{
	_cleanup_free_ struct journal_values *values = calloc(1, sizeof(*values));
	unsigned first = s->steps->count;
	int r = values ? journal_values(data, values) : -ENOMEM;

	if (r == 0)
		r = journal_claims(data, s->claims);
	if (r < 0)
		return err_set(err, XC_ENVIRONMENT, r, JOURNAL_DIR, "the journal's interrupts: %s",
			       strerror(-r));
	if (values->count == 0)
		return 0;
	r = read_changed(s, values, err);
	if (r == 0)
		r = plan_restore(s->topo, s->classes, s->claims, values, teardown, s->plan, s->affinity,
				 s->steps, err);
	if (r < 0)
		return r;
	s->result.affinity = s->affinity;
	s->result.irqbalance = s->balance;
	return journal ? unplace_steps(fx, journal, s->steps, first, teardown->force, s->affinity, s->balance,
				       err)
		       : 0;
}

bool place_is_whole(const struct session *s)
{
	for (unsigned i = 0; s->result.affinity && i < s->affinity->irqs; i++) {
		switch (s->affinity->irq[i].action) {
		case IRQ_SET:
		case IRQ_KEPT:
		case IRQ_WOULD_SET:
		case IRQ_RESTORED:
		case IRQ_WOULD_RESTORE:
			break;
		case IRQ_NONE:
			if (s->affinity->irq[i].message[0] != '\0')
				return false;
			break;
		case IRQ_FAILED:
		case IRQ_FOREIGN:
			return false;
		}
	}
	return !s->result.irqbalance ||
	       (s->balance->state != IRQBALANCE_UNREACHABLE && s->balance->state != IRQBALANCE_LIST_TOO_LONG);
}

bool place_has_changed(const struct session *s)
{
	for (unsigned i = 0; i < s->steps->count; i++) {
		const struct step *step = &s->steps->step[i];

		if ((step->kind == STEP_IRQ_AFFINITY || step->kind == STEP_IRQBALANCE_BAN) &&
		    step->state == STEP_DONE)
			return true;
	}
	return false;
}
