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

int place_read(struct session *s, unsigned cores_per_port, unsigned nr_io_queues, struct err *err)
{
	int r = facts_read_cores(&s->root, s->topo, s->findings, err);

	if (r == 0)
		r = facts_read_blk(&s->root, s->topo, s->findings, err);
	if (r == 0 && plan_placed(s->topo, s->classes, s->plan, s->placed) < 0)
		r = err_set(err, XC_ENVIRONMENT, -E2BIG, "PATHS_MAX", "more than %d paths (PATHS_MAX)",
			    PATHS_MAX);
	if (r == 0)
		r = session_read_vectors(s, s->placed, err);
	if (r < 0)
		return r;
	cores_of(s->topo, s->classes, cores_per_port, s->affinity, s->findings);
	place_irqs(s->topo, s->classes, s->placed, nr_io_queues, s->affinity);
	s->result.affinity = s->affinity;
	return 0;
}

int place_advise(struct session *s, struct err *err)
{
	int r = read_compute(s, err);

	if (r == 0)
		place_advice(s->topo, s->classes, s->placed, s->affinity, s->findings);
	return r;
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

/* Bans of interrupts that are not there any more go first: they take room, and may be another's by now. */
static int lift_stale(struct session *s, const struct fx *fx, struct journal *journal, struct err *err)
{
	_cleanup_free_ struct journal_values *values = calloc(1, sizeof(*values));
	unsigned first = s->steps->count;
	int r = values ? journal_values(journal_data(journal), values) : -ENOMEM;

	if (r < 0)
		return err_set(err, XC_ENVIRONMENT, r, JOURNAL_DIR, "the journal's interrupts: %s",
			       strerror(-r));
	r = plan_stale_bans(s->topo, s->classes, values, s->steps, err);
	if (r < 0 || s->steps->count == first)
		return r;
	return unplace_steps(fx, journal, s->steps, first, false, s->affinity, s->balance, err);
}

int place_apply(struct session *s, const struct fx *fx, struct journal *journal, enum place_bans bans,
		struct err *err)
{
	int64_t start = clock_us();
	unsigned first;
	int r = 0;

	if (!has_something(s->affinity))
		return 0;
	if (bans == PLACE_BAN)
		r = lift_stale(s, fx, journal, err);
	first = s->steps->count;
	if (r == 0)
		r = lower_place(s->topo, s->classes, s->affinity, s->steps, err);
	if (r < 0)
		return r;
	s->result.irqbalance = s->balance; /* from here on it says what was found */
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
	if (!journal)
		return 0;
	if (s->steps->count > first && s->steps->step[s->steps->count - 1].kind == STEP_IRQBALANCE_BAN)
		s->result.irqbalance = s->balance; /* bans come last; without one nobody asks it */
	return unplace_steps(fx, journal, s->steps, first, teardown->force, s->affinity, s->balance, err);
}

/* --- what it came to ------------------------------------------------------------------------------------ */

static bool is_amiss(const struct affinity_irq *irq)
{
	switch (irq->action) {
	case IRQ_SET:
	case IRQ_KEPT:
	case IRQ_WOULD_SET:
	case IRQ_RESTORED:
	case IRQ_WOULD_RESTORE:
		break;
	case IRQ_NONE: /* without a message it is gone */
		return irq->message[0] != '\0';
	case IRQ_FAILED:
	case IRQ_FOREIGN:
		return true;
	}
	return false;
}

static bool is_irqbalance_amiss(const struct session *s)
{
	return s->result.irqbalance &&
	       (s->balance->state == IRQBALANCE_UNREACHABLE || s->balance->state == IRQBALANCE_LIST_TOO_LONG);
}

bool place_is_whole(const struct session *s)
{
	if (!s->result.affinity)
		return true;
	for (unsigned i = 0; i < s->affinity->irqs; i++) {
		if (is_amiss(&s->affinity->irq[i]))
			return false;
	}
	/* What a user without rights, or a dry run, cannot know is not held against it. */
	for (unsigned i = 0; i < s->affinity->ports && !s->result.dry_run; i++) {
		if (s->affinity->port[i].unknown || s->affinity->port[i].missing > 0)
			return false;
	}
	return !is_irqbalance_amiss(s);
}

void place_errors(struct session *s)
{
	const struct affinity_irq *first = NULL;
	unsigned count = 0;
	struct err err = { 0 };

	for (unsigned i = 0; s->result.affinity && i < s->affinity->irqs; i++) {
		if (!is_amiss(&s->affinity->irq[i]))
			continue;
		first = first ? first : &s->affinity->irq[i];
		count++;
	}
	if (first) {
		err_set(&err, XC_PARTIAL, -EIO, first->name,
			"%u of %u interrupts are not where they belong: %s%s", count, s->affinity->irqs,
			first->message, count > 1 ? "; and others" : "");
		session_fail(s, &err);
	}
	if (!is_irqbalance_amiss(s))
		return;
	err = (struct err){ 0 };
	err_set(&err, XC_PARTIAL, -EIO, "irqbalance", "%s", s->balance->message);
	session_fail(s, &err);
}

static bool is_done(const struct step *step)
{
	return step_is_of_irq(step->kind) && step->state == STEP_DONE;
}

static bool is_of_the_same(const struct step *a, const struct step *b)
{
	return a->kind == b->kind && a->irq_number == b->irq_number && pci_compare(&a->pci, &b->pci) == 0 &&
	       strcmp(a->irq_name, b->irq_name) == 0;
}

/* From before its first step to after its last one: what a rollback has put back is not changed. */
bool place_has_changed(const struct session *s)
{
	const struct steps *steps = s->steps;

	for (unsigned i = 0; i < steps->count; i++) {
		const struct step *first = &steps->step[i], *last = first;
		bool again = false;

		if (!is_done(first))
			continue;
		for (unsigned k = 0; k < i && !again; k++)
			again = is_done(&steps->step[k]) && is_of_the_same(&steps->step[k], first);
		for (unsigned k = i + 1; k < steps->count && !again; k++) {
			if (is_done(&steps->step[k]) && is_of_the_same(&steps->step[k], first))
				last = &steps->step[k];
		}
		if (!again && !cpuset_equal(&first->before, &last->to))
			return true;
	}
	return false;
}
