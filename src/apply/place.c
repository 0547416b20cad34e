/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Moves interrupts: compared before, written down before, read back, one after the other. */
#include "apply/place.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "apply/placing.h"

/* --- what became of it ------------------------------------------------------------------------------------
 */

static struct affinity_irq *irq_of(const struct placing *p, const struct step *step)
{
	bool known = step->irq >= 0 && (unsigned)step->irq < p->affinity->irqs;

	return known ? &p->affinity->irq[step->irq] : NULL;
}

void placing_settle(struct placing *p, struct step *step, enum step_state state, enum irq_action action,
		    const char *fmt, ...)
{
	struct affinity_irq *irq = irq_of(p, step);
	va_list args;

	step->state = state;
	if (!irq)
		return;
	irq->action = action;
	va_start(args, fmt);
	(void)vsnprintf(irq->message, sizeof(irq->message), fmt, args);
	va_end(args);
}

void placing_set_now(struct placing *p, const struct step *step, const struct irq_now *now)
{
	struct affinity_irq *irq = irq_of(p, step);

	if (!irq)
		return;
	irq->number = now->number;
	irq->after = now->affinity;
	irq->effective = now->effective;
}

/* --- the journal ---------------------------------------------------------------------------------------- */

void placing_broken(struct placing *p, int code)
{
	if (!p->ended)
		p->ended = "the journal failed";
	if (p->code == 0)
		p->code = code;
}

void placing_close(struct placing *p, const struct step *step, unsigned number, enum journal_state state,
		   const char *before, const char *after)
{
	struct journal_after left = { .state = after, .cntlid = -1 };
	int r = journal_outcome(p->journal, step, number, state, before, &left, p->err);

	if (r < 0)
		placing_broken(p, r);
}

static int write_intent(struct placing *p, const struct step *step, unsigned number, const char *before,
			struct err *why)
{
	int r = journal_intent(p->journal, step, number, before, p->err);

	if (r < 0) {
		*why = *p->err;
		placing_broken(p, r);
	}
	return r;
}

/* --- one move ------------------------------------------------------------------------------------------- */

/* What the effect says is not believed where it says that it failed: what is there is looked at. */
static enum moved look(struct placing *p, const struct step *step, const struct cpuset *from,
		       struct move *move)
{
	struct err ignored = { 0 };

	if (move->code < 0 && p->fx->irq_read(p->fx->ctx, step, &move->now, &ignored) < 0)
		return MOVED_UNKNOWN;
	if (!move->now.there)
		return MOVED_GONE;
	if (cpuset_equal(&move->now.affinity, &step->to))
		return MOVED_THERE;
	return cpuset_equal(&move->now.affinity, from) ? MOVED_NOT : MOVED_FOREIGN;
}

static void close_move(struct placing *p, const struct step *step, unsigned number, const char *before,
		       const struct move *move)
{
	char after[JOURNAL_VALUE_SIZE] = "";

	switch (move->moved) {
	case MOVED_UNKNOWN:
		return;
	case MOVED_GONE:
		placing_close(p, step, number, JOURNAL_DONE, before, "absent");
		return;
	case MOVED_THERE:
		if (cpuset_format(&step->to, after, sizeof(after)) == 0)
			placing_close(p, step, number, JOURNAL_DONE, before, after);
		return;
	case MOVED_NOT:
	case MOVED_FOREIGN:
		/* Where somebody else put it may be too long a list, and is not ours to keep. */
		placing_close(p, step, number, JOURNAL_UNDONE, before, before);
		return;
	}
}

void placing_move(struct placing *p, const struct step *step, unsigned number, const struct cpuset *from,
		  const struct cpuset *to, struct move *ret)
{
	char before[JOURNAL_VALUE_SIZE], after[JOURNAL_VALUE_SIZE];
	struct step wanted = *step;

	*ret = (struct move){ .moved = MOVED_NOT };
	wanted.to = *to;
	if (cpuset_format(from, before, sizeof(before)) < 0 || cpuset_format(to, after, sizeof(after)) < 0) {
		ret->code =
			err_set(&ret->why, XC_PARTIAL, -E2BIG, step->irq_name,
				"interrupt %s: its list of CPUs is too long for the journal", step->irq_name);
		return;
	}
	ret->code = write_intent(p, &wanted, number, before, &ret->why);
	if (ret->code < 0)
		return;
	ret->code = p->fx->irq_write(p->fx->ctx, step, from, to, &ret->now, &ret->why);
	ret->moved = look(p, &wanted, from, ret);
	close_move(p, &wanted, number, before, ret);
}

/* --- placing -------------------------------------------------------------------------------------------- */

/* The planner sees to all of that; whatever its mistakes, this is where they end. */
static int refuse_step(const struct step *step, struct err *err)
{
	char pci[PCI_TEXT_MAX];

	if (step->kind != STEP_IRQ_AFFINITY || cpuset_count(&step->to) != 1 ||
	    !cpuset_is_subset(&step->to, &step->cores))
		return err_set(err, XC_FAILED, -EINVAL, step->irq_name,
			       "%s: a step that moves no interrupt to a core of its port", step->irq_name);
	if (step->role != ROLE_STORAGE)
		return err_set(err, XC_REFUSED, -EPERM, pci_format(&step->pci, pci),
			       "port %s: its role is %s; only storage ports are touched",
			       pci_format(&step->pci, pci), role_name(step->role));
	return 0;
}

static void set_foreign(struct placing *p, struct step *step, const struct irq_now *now)
{
	char list[64];

	if (cpuset_format(&now->affinity, list, sizeof(list)) < 0)
		str_format(list, sizeof(list), "others");
	placing_settle(p, step, STEP_SKIPPED, IRQ_FOREIGN,
		       "interrupt %s: somebody else moved it meanwhile, to CPU %s; it is left there",
		       step->irq_name, list);
}

static void set_moved(struct placing *p, struct step *step, const struct move *move)
{
	switch (move->moved) {
	case MOVED_THERE:
		placing_settle(p, step, STEP_DONE, IRQ_SET, "%s", "");
		placing_set_now(p, step, &move->now);
		return;
	case MOVED_FOREIGN:
		set_foreign(p, step, &move->now);
		return;
	case MOVED_GONE:
		placing_settle(p, step, STEP_FAILED, IRQ_FAILED,
			       "interrupt %s: is not there any more; run this again", step->irq_name);
		return;
	case MOVED_NOT:
		placing_settle(p, step, STEP_FAILED, IRQ_FAILED, "%s", move->why.msg);
		return;
	case MOVED_UNKNOWN:
		placing_settle(p, step, STEP_FAILED, IRQ_FAILED, "%s; where it is now could not be read",
			       move->why.msg);
		return;
	}
}

static void set_before(struct placing *p, struct step *step, const struct irq_now *now)
{
	struct affinity_irq *irq = irq_of(p, step);

	step->before = now->affinity;
	step->irq_number = now->number;
	if (!irq)
		return;
	irq->before = now->affinity;
	irq->number = now->number;
}

/* The core after that one; the first after the last. */
static struct cpuset next_core(const struct cpuset *cores, const struct cpuset *core)
{
	unsigned cpu = cpuset_next(cores, cpuset_next(core, 0) + 1);
	struct cpuset next = { 0 };

	cpuset_add(&next, cpu < CPUS_MAX ? cpu : cpuset_next(cores, 0));
	return next;
}

/* Where the kernel has no vector left, the port's next core; never another one. */
static void move_to_a_core(struct placing *p, struct step *step, unsigned number,
			   const struct irq_now *before)
{
	struct cpuset core = step->to;
	struct move move;

	do {
		placing_move(p, step, number, &before->affinity, &core, &move);
		if (move.moved == MOVED_THERE)
			step->to = core;
		if (move.moved != MOVED_NOT || move.code != -ENOSPC || p->ended)
			break;
		core = next_core(&step->cores, &core);
		if (cpuset_equal(&core, &before->affinity)) { /* which is one of its port's, too */
			placing_settle(p, step, STEP_SKIPPED, IRQ_KEPT, "%s", "");
			return;
		}
	} while (!cpuset_equal(&core, &step->to));
	set_moved(p, step, &move);
}

/*
 * It goes there from wherever it is by now: irqbalance may have moved it since it was planned, and that is
 * where an undo puts it back.
 */
static void place(struct placing *p, struct step *step, unsigned number)
{
	struct err why = { 0 };
	struct irq_now now;

	if (p->fx->irq_read(p->fx->ctx, step, &now, &why) < 0) {
		placing_settle(p, step, STEP_FAILED, IRQ_FAILED, "%s", why.msg);
		return;
	}
	if (!now.there) {
		placing_settle(p, step, STEP_FAILED, IRQ_FAILED,
			       "interrupt %s: is not there any more; run this again", step->irq_name);
		return;
	}
	set_before(p, step, &now);
	if (cpuset_equal(&now.affinity, &step->to))
		placing_settle(p, step, STEP_SKIPPED, IRQ_KEPT, "%s", "");
	else
		move_to_a_core(p, step, number, &now);
}

/* irqbalance would move what is placed, and must not be talked to. */
static void check_refuse(struct placing *p)
{
	struct err why = { 0 };

	if (p->fx->bans_read(p->fx->ctx, p->balance, &why) == 0 && p->balance->state == IRQBALANCE_ABSENT)
		return;
	p->balance->state = IRQBALANCE_REFUSED;
	str_format(p->balance->message, sizeof(p->balance->message), "%s",
		   why.msg[0] != '\0' ? why.msg : "irqbalance runs");
	p->ended = "irqbalance runs, or nobody can say that it does not (--irqbalance refuse)";
}

static void place_all(struct placing *p, unsigned first)
{
	for (unsigned i = first; i < p->steps->count; i++) {
		struct step *step = &p->steps->step[i];

		if (step->kind != STEP_IRQ_AFFINITY)
			continue;
		if (!p->ended && p->fx->stop_requested(p->fx->ctx))
			p->ended = "stopped by a signal";
		if (p->ended)
			placing_settle(p, step, STEP_SKIPPED, IRQ_FAILED, "interrupt %s: not begun: %s",
				       step->irq_name, p->ended);
		else
			place(p, step, i + 1);
	}
}

/*
 * irqbalance may have moved what was where it belongs in the moment before it was told to leave it alone.
 * Steps after all others.
 */
static void place_kept(struct placing *p)
{
	for (unsigned i = 0; i < p->affinity->irqs && !p->ended && p->steps->count < STEPS_MAX; i++) {
		const struct affinity_irq *irq = &p->affinity->irq[i];
		struct step *step = &p->steps->step[p->steps->count];
		struct err ignored = { 0 };
		struct irq_now now;

		if (irq->action != IRQ_KEPT)
			continue;
		*step = (struct step){ .kind = STEP_IRQ_AFFINITY,
				       .state = STEP_WOULD,
				       .pci = irq->pci,
				       .role = ROLE_STORAGE,
				       .to = irq->target,
				       .cores = p->affinity->port[irq->port].cpus,
				       .irq = (int)i,
				       .path = -1 };
		memcpy(step->irq_name, irq->name, sizeof(step->irq_name));
		if (p->fx->irq_read(p->fx->ctx, step, &now, &ignored) == 0 && now.there &&
		    cpuset_equal(&now.affinity, &step->to))
			continue;
		p->steps->count++;
		place(p, step, p->steps->count);
	}
}

int place_steps(const struct fx *fx, struct journal *journal, struct steps *steps, unsigned first,
		enum place_bans bans, struct affinity *affinity, struct irqbalance *balance, struct err *err)
{
	struct placing p = { .fx = fx,
			     .journal = journal,
			     .steps = steps,
			     .affinity = affinity,
			     .balance = balance,
			     .err = err };
	int r = 0;

	for (unsigned i = first; r == 0 && i < steps->count; i++)
		r = refuse_step(&steps->step[i], err);
	if (r < 0)
		return r;
	switch (bans) {
	case PLACE_BAN:
		placing_ban(&p, first);
		break;
	case PLACE_IGNORE:
		balance->state = IRQBALANCE_IGNORED;
		break;
	case PLACE_REFUSE:
		check_refuse(&p);
		break;
	}
	place_all(&p, first);
	if (balance->state == IRQBALANCE_BANNED)
		place_kept(&p);
	return p.code;
}
