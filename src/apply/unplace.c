/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Puts interrupts back: those that the journal says are ours, if they still are where this program put them.
 */
#include <errno.h>
#include <string.h>

#include "apply/placing.h"

static int refuse_step(const struct journal_data *data, const struct step *step, struct err *err)
{
	if (!step_is_of_irq(step->kind) || cpuset_is_empty(&step->to) == (step->kind == STEP_IRQ_AFFINITY))
		return err_set(err, XC_FAILED, -EINVAL, step->irq_name, "%s: a step that puts nothing back",
			       step->irq_name);
	if (!journal_has_value(data, step->kind, &step->pci, step->irq_name, step->irq_number))
		return err_set(err, XC_REFUSED, -EPERM, step->irq_name,
			       "interrupt %s: the journal does not say that this program changed it; "
			       "nothing was done",
			       step->irq_name);
	return 0;
}

/* Before anything is done. */
static int refuse(const struct journal_data *data, const struct steps *steps, unsigned first, struct err *err)
{
	int r = 0;

	for (unsigned i = first; i < steps->count && r == 0; i++) {
		const struct step *step = &steps->step[i];

		r = refuse_step(data, step, err);
		if (r == 0 && i > first && step[-1].kind != step->kind && step->kind == STEP_IRQ_AFFINITY)
			r = err_set(err, XC_FAILED, -EINVAL, step->irq_name,
				    "%s: irqbalance would move it again: its ban is lifted before",
				    step->irq_name);
	}
	return r;
}

/* What is found to be back, or gone, has no intent. */
static void close_found(struct placing *p, const struct step *step, unsigned number,
			const struct irq_now *now)
{
	const struct cpuset *was = now->there ? &now->affinity : &step->before;
	char text[JOURNAL_VALUE_SIZE];

	if (cpuset_format(was, text, sizeof(text)) == 0) /* it fitted before */
		placing_close(p, step, number, JOURNAL_DONE, text, now->there ? text : "absent");
}

static void set_foreign(struct placing *p, struct step *step, const struct irq_now *now)
{
	char list[64];

	if (cpuset_format(&now->affinity, list, sizeof(list)) < 0)
		str_format(list, sizeof(list), "others");
	placing_settle(
		p, step, STEP_SKIPPED, IRQ_FOREIGN,
		"interrupt %s: somebody moved it to CPU %s since; it is left there (--force puts it back)",
		step->irq_name, list);
}

static void set_moved(struct placing *p, struct step *step, const struct move *move)
{
	switch (move->moved) {
	case MOVED_THERE:
		placing_settle(p, step, STEP_DONE, IRQ_RESTORED, "%s", "");
		placing_set_now(p, step, &move->now);
		return;
	case MOVED_FOREIGN:
		set_foreign(p, step, &move->now);
		return;
	case MOVED_GONE:
		placing_settle(p, step, STEP_SKIPPED, IRQ_NONE, "%s", "");
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

static void unplace(struct placing *p, struct step *step, unsigned number, bool force)
{
	struct err why = { 0 };
	struct irq_now now;
	struct move move;

	if (p->fx->irq_read(p->fx->ctx, step, &now, &why) < 0) {
		placing_settle(p, step, STEP_FAILED, IRQ_FAILED, "%s", why.msg);
		return;
	}
	if (now.there && now.number != step->irq_number)
		now.there = false; /* another one of its name */
	if (!now.there || cpuset_equal(&now.affinity, &step->to)) {
		placing_settle(p, step, STEP_SKIPPED, now.there ? IRQ_KEPT : IRQ_NONE, "%s", "");
		close_found(p, step, number, &now);
	} else if (step->role != ROLE_STORAGE) {
		placing_settle(p, step, STEP_FAILED, IRQ_FAILED,
			       "interrupt %s: its port is not storage, so it is not written", step->irq_name);
	} else if (!force && !cpuset_equal(&now.affinity, &step->before) &&
		   !cpuset_equal(&now.affinity, &step->was)) {
		set_foreign(p, step, &now);
	} else {
		placing_move(p, step, number, &now.affinity, &step->to, &move);
		set_moved(p, step, &move);
	}
}

int unplace_steps(const struct fx *fx, struct journal *journal, struct steps *steps, unsigned first,
		  bool force, struct affinity *affinity, struct irqbalance *balance, struct err *err)
{
	struct placing p = { .fx = fx,
			     .journal = journal,
			     .steps = steps,
			     .affinity = affinity,
			     .balance = balance,
			     .err = err };
	unsigned bans = first;
	int r = 0;

	if (first >= steps->count)
		return 0;
	r = refuse(journal_data(journal), steps, first, err);
	if (r < 0)
		return r;
	for (; bans < steps->count && steps->step[bans].kind == STEP_IRQ_AFFINITY; bans++) {
		struct step *step = &steps->step[bans];

		step->cores = (struct cpuset){ 0 }; /* an undo has no other place to go */
		if (p.ended)
			placing_settle(&p, step, STEP_SKIPPED, IRQ_FAILED, "interrupt %s: not begun: %s",
				       step->irq_name, p.ended);
		else
			unplace(&p, step, bans + 1, force);
	}
	placing_unban(&p, bans);
	return p.code;
}
