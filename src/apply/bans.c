/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Puts interrupts into irqbalance's ban list, and takes them out: each is a step and has its records, and all
 * go in one command. What is in the list already is somebody else's, and no step.
 */
#include <errno.h>
#include <string.h>

#include "apply/placing.h"

/* --- which -------------------------------------------------------------------------------------------- */

/* After all steps, if it is there and not in the list. -E2BIG: there are too many. */
static int add_ban(struct placing *p, const struct step *of, struct irq_list *list)
{
	struct step *step = &p->steps->step[p->steps->count];
	struct err ignored = { 0 };
	struct irq_now now;

	/* What cannot be read is told when it is to be moved. */
	if (p->fx->irq_read(p->fx->ctx, of, &now, &ignored) < 0 || !now.there ||
	    irq_list_has(&p->balance->bans, now.number) || irq_list_has(list, now.number))
		return 0;
	if (p->steps->count == STEPS_MAX || irq_list_add(list, now.number) < 0)
		return -E2BIG;
	*step = (struct step){ .kind = STEP_IRQBALANCE_BAN,
			       .state = STEP_WOULD,
			       .pci = of->pci,
			       .role = of->role,
			       .irq = of->irq,
			       .irq_number = now.number,
			       .path = -1 };
	memcpy(step->irq_name, of->irq_name, sizeof(step->irq_name));
	cpuset_add(&step->to, 0); /* not empty: banned */
	p->steps->count++;
	return 0;
}

/* Those that are where they belong are to stay there. */
static int add_kept(struct placing *p, struct irq_list *list)
{
	int r = 0;

	for (unsigned i = 0; i < p->affinity->irqs && r == 0; i++) {
		const struct affinity_irq *irq = &p->affinity->irq[i];
		struct step of = { .kind = STEP_IRQ_AFFINITY, .pci = irq->pci, .role = ROLE_STORAGE };

		if (irq->action != IRQ_KEPT)
			continue;
		of.irq = (int)i;
		memcpy(of.irq_name, irq->name, sizeof(of.irq_name));
		r = add_ban(p, &of, list);
	}
	return r;
}

static int add_bans(struct placing *p, unsigned first, struct irq_list *list)
{
	unsigned count = p->steps->count;
	int r = 0;

	for (unsigned i = first; i < count && r == 0; i++)
		r = add_ban(p, &p->steps->step[i], list);
	return r < 0 ? r : add_kept(p, list);
}

static void reverse(struct steps *steps, unsigned first, unsigned end)
{
	for (; first + 1 < end; first++, end--) {
		struct step step = steps->step[first];

		steps->step[first] = steps->step[end - 1];
		steps->step[end - 1] = step;
	}
}

/* The bans, which stand from middle on, come before the steps from first on. */
static void put_before(struct steps *steps, unsigned first, unsigned middle)
{
	reverse(steps, first, middle);
	reverse(steps, middle, steps->count);
	reverse(steps, first, steps->count);
}

static void set_states(struct placing *p, unsigned first, unsigned end, enum step_state state)
{
	for (unsigned i = first; i < end; i++)
		p->steps->step[i].state = state;
}

void placing_tell_bans(struct placing *p, const struct err *why)
{
	str_format(p->balance->message, sizeof(p->balance->message), "%s", why->msg);
}

/* --- one command ---------------------------------------------------------------------------------------- */

/* Not of all: then none of them is begun. */
static bool write_intents(struct placing *p, unsigned first, unsigned end)
{
	for (unsigned i = first; i < end && !p->ended; i++) {
		struct step *step = &p->steps->step[i];
		int r = journal_intent(p->journal, step, i + 1, step_is_undo(step) ? "banned" : "free",
				       p->err);

		if (r < 0)
			placing_broken(p, r);
	}
	return !p->ended;
}

/* What is in the list though nothing was sent is somebody else's. */
static bool is_banned(const struct irqbalance *now, bool sent, const struct step *step)
{
	return sent && irq_list_has(&now->bans, step->irq_number);
}

/* Another daemon has none of ours, and so has none. */
static bool is_lifted(const struct irqbalance *now, const struct step *step)
{
	return now->state == IRQBALANCE_ABSENT || !irq_list_has(&now->bans, step->irq_number) ||
	       (step->daemon != 0 && now->born != 0 && now->born != step->daemon);
}

/* True: it came about. */
static bool close_ban(struct placing *p, unsigned i, const struct irqbalance *now, int code, bool sent)
{
	struct step *step = &p->steps->step[i];
	bool undo = step_is_undo(step);
	bool done = undo ? (code == 0 || sent) && is_lifted(now, step) : is_banned(now, sent, step);
	const char *before = undo ? "banned" : "free", *after = undo ? "free" : "banned";

	if (done && !undo)
		step->daemon = now->born;
	step->state = done && sent ? STEP_DONE : done || (code == 0 && !undo) ? STEP_SKIPPED : STEP_FAILED;
	placing_close(p, step, i + 1, done ? JOURNAL_DONE : JOURNAL_UNDONE, before, done ? after : before);
	return done;
}

/*
 * The steps from first to end, of one daemon if they lift. Where the command went wrong on its way the list
 * is read again; if that cannot be, the intents stay open. False: the daemon cannot be talked to.
 */
static bool command(struct placing *p, unsigned first, unsigned end, const struct irq_list *list)
{
	bool undo = step_is_undo(&p->steps->step[first]), whole = true, sent;
	struct err why = { 0 }, ignored = { 0 };
	struct irqbalance now;
	int code;

	set_states(p, first, end, STEP_FAILED);
	if (!write_intents(p, first, end))
		return false;
	code = undo ? p->fx->unban(p->fx->ctx, list, p->steps->step[first].daemon, p->balance, &why)
		    : p->fx->ban(p->fx->ctx, list, p->balance, &why);
	if (code < 0)
		placing_tell_bans(p, &why);
	sent = p->balance->changed;
	now = *p->balance;
	if (code < 0 && sent && p->fx->bans_read(p->fx->ctx, &now, &ignored) < 0)
		return false;
	for (unsigned i = first; i < end; i++)
		whole &= close_ban(p, i, &now, code, sent);
	if (code < 0 && sent && whole) { /* it came about all the same */
		*p->balance = now;
		p->balance->state = undo ? IRQBALANCE_RUNNING : IRQBALANCE_BANNED;
		p->balance->changed = true;
		p->balance->message[0] = '\0';
	}
	if (code == 0 && undo && !whole) {
		p->balance->state = IRQBALANCE_UNREACHABLE;
		str_format(p->balance->message, sizeof(p->balance->message),
			   "irqbalance still has interrupts in its ban list that were taken out of it");
	}
	return code == 0 || (sent && whole);
}

/* --- all of them ------------------------------------------------------------------------------------------
 */

void placing_ban(struct placing *p, unsigned first)
{
	_cleanup_free_ struct irq_list *list = calloc(1, sizeof(*list));
	unsigned middle = p->steps->count;
	struct err why = { 0 };

	if (p->fx->bans_read(p->fx->ctx, p->balance, &why) < 0) {
		placing_tell_bans(p, &why);
		return;
	}
	if (p->balance->state == IRQBALANCE_ABSENT)
		return;
	if (!list || add_bans(p, first, list) < 0) {
		p->steps->count = middle;
		p->balance->state = IRQBALANCE_LIST_TOO_LONG;
		str_format(p->balance->message, sizeof(p->balance->message),
			   "more interrupts than irqbalance's list, or a run of this program, has room for");
		return;
	}
	if (list->count == 0) {
		p->balance->state = IRQBALANCE_BANNED;
		return;
	}
	if (p->fx->stop_requested(p->fx->ctx)) {
		p->steps->count = middle;
		return;
	}
	put_before(p->steps, first, middle);
	(void)command(p, first, first + list->count, list);
}

/* Those of one daemon stand together after this. Returns the number after the last of the first one's. */
static unsigned gather(struct steps *steps, unsigned first)
{
	unsigned end = first + 1;

	for (unsigned i = end; i < steps->count; i++) {
		struct step step = steps->step[i];

		if (step.daemon != steps->step[first].daemon)
			continue;
		steps->step[i] = steps->step[end];
		steps->step[end++] = step;
	}
	return end;
}

static bool list_numbers(const struct placing *p, unsigned first, unsigned end, struct irq_list *ret)
{
	int r = 0;

	ret->count = 0;
	for (unsigned i = first; i < end && r == 0; i++)
		r = irq_list_add(ret, p->steps->step[i].irq_number);
	return r == 0;
}

/* What cannot be talked to is not asked again: each answer can take long. */
void placing_unban(struct placing *p, unsigned first)
{
	_cleanup_free_ struct irq_list *list = calloc(1, sizeof(*list));
	bool reached = list != NULL;

	while (first < p->steps->count) {
		unsigned end = gather(p->steps, first);

		set_states(p, first, end, STEP_FAILED);
		reached = reached && !p->ended && list_numbers(p, first, end, list) &&
			  command(p, first, end, list);
		first = end;
	}
}
