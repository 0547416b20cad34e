/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Placing and putting back in the world in memory, and what must be true then. */
#include "fault/irqs.h"

#include <assert.h>
#include <string.h>

#include "apply/place.h"

static void wrong(struct bench *b, const char *what)
{
	if (!b->wrong)
		b->wrong = what;
}

/* --- the processes ----------------------------------------------------------------------------------------
 */

static void plan_irq(struct bench *b, unsigned i)
{
	struct affinity_irq *irq = &b->affinity->irq[i];
	struct step step;

	fake_irq_step(&b->world, &step, i);
	*irq = (struct affinity_irq){ .pci = step.pci,
				      .number = b->world.irq[i].number,
				      .before = step.before,
				      .target = step.to,
				      .action = IRQ_WOULD_SET };
	memcpy(irq->name, step.irq_name, sizeof(irq->name));
	if (b->world.irq[i].gone) {
		irq->action = IRQ_NONE;
	} else if (cpuset_is_subset(&step.before, &step.cores)) {
		irq->action = IRQ_KEPT;
	} else {
		b->steps->step[b->steps->count++] = step;
	}
}

int irqs_place(struct bench *b, const struct fx *fx, struct err *err)
{
	unsigned first = b->steps->count;

	b->affinity->irqs = b->world.irqs;
	for (unsigned i = 0; i < b->world.irqs; i++)
		plan_irq(b, i);
	return place_steps(fx, b->journal, b->steps, first, PLACE_BAN, b->affinity, b->balance, err);
}

static void lower_value(struct bench *b, const struct journal_value *value)
{
	struct step *step = &b->steps->step[b->steps->count++];
	const struct fake_irq *irq = fake_irq_find(&b->world, &value->pci, value->irq_name);

	assert(irq);
	*step = (struct step){ .kind = value->kind,
			       .pci = value->pci,
			       .role = ROLE_STORAGE,
			       .before = value->last,
			       .was = value->before_last,
			       .to = value->original,
			       .daemon = value->daemon,
			       .irq_number = value->irq_number,
			       .irq = (int)(irq - b->world.irq),
			       .path = -1 };
	memcpy(step->irq_name, value->irq_name, sizeof(step->irq_name));
}

int irqs_restore(struct bench *b, const struct fx *fx, struct err *err)
{
	unsigned first = b->steps->count;

	assert(journal_values(journal_data(b->journal), b->values) == 0);
	b->affinity->irqs = b->world.irqs;
	for (unsigned i = 0; i < b->world.irqs; i++)
		b->affinity->irq[i].action = IRQ_NONE;
	for (unsigned i = b->values->count; i-- > 0;) {
		if (b->values->value[i].kind == STEP_IRQ_AFFINITY)
			lower_value(b, &b->values->value[i]);
	}
	for (unsigned i = b->values->count; i-- > 0;) {
		if (b->values->value[i].kind == STEP_IRQBALANCE_BAN)
			lower_value(b, &b->values->value[i]);
	}
	b->world.forced = b->force;
	return unplace_steps(fx, b->journal, b->steps, first, b->force, b->affinity, b->balance, err);
}

bool irqs_are_whole(const struct bench *b)
{
	for (unsigned i = 0; i < b->affinity->irqs; i++) {
		if (b->affinity->irq[i].action == IRQ_FAILED || b->affinity->irq[i].action == IRQ_FOREIGN)
			return false;
	}
	for (unsigned i = 0; i < b->steps->count; i++) {
		if (b->steps->step[i].kind == STEP_IRQBALANCE_BAN && b->steps->step[i].state == STEP_FAILED)
			return false;
	}
	return b->balance->state != IRQBALANCE_UNREACHABLE && b->balance->state != IRQBALANCE_LIST_TOO_LONG;
}

/* --- what must be true ------------------------------------------------------------------------------------
 */

static const struct journal_value *find_value(const struct bench *b, unsigned i)
{
	const struct fake_irq *irq = &b->world.irq[i];

	for (unsigned k = 0; k < b->values->count; k++) {
		const struct journal_value *value = &b->values->value[k];

		if (value->kind == STEP_IRQ_AFFINITY && pci_compare(&value->pci, &irq->pci) == 0 &&
		    strcmp(value->irq_name, irq->name) == 0)
			return value;
	}
	return NULL;
}

static const struct journal_value *find_ban(const struct bench *b, unsigned number)
{
	for (unsigned k = 0; k < b->values->count; k++) {
		const struct journal_value *value = &b->values->value[k];

		if (value->kind == STEP_IRQBALANCE_BAN && value->irq_number == number &&
		    (value->daemon == 0 || value->daemon == b->world.born))
			return value;
	}
	return NULL;
}

static void check_irq(struct bench *b, unsigned i)
{
	const struct fake_irq *irq = &b->world.irq[i];
	const struct journal_value *value = find_value(b, i);
	bool known = value && (cpuset_equal(&irq->affinity, &value->last) ||
			       cpuset_equal(&irq->affinity, &value->before_last));

	if (fake_irq_is_ours(&b->world, i) && !irq->gone && !known)
		wrong(b, "an interrupt is where the program put it, and the journal does not say so");
	if (value && cpuset_has(&value->original, FAKE_CORE(i)))
		wrong(b, "the journal would put an interrupt back to where the program put it");
	if (b->crashed || b->world.outsider_way != FAKE_NOBODY || b->process == TEARDOWN)
		return;
	if (i < b->affinity->irqs && b->affinity->irq[i].action == IRQ_SET && !fake_irq_is_ours(&b->world, i))
		wrong(b, "an interrupt is not where it is said to be");
}

void irqs_check(struct bench *b, const struct journal_data *data)
{
	if (journal_values(data, b->values) < 0)
		wrong(b, "the values of the journal cannot be read");
	for (unsigned i = 0; i < b->world.irqs; i++)
		check_irq(b, i);
	for (unsigned i = 0; i < b->world.bans; i++) {
		const struct fake_ban *ban = &b->world.ban[i];
		bool known = find_ban(b, ban->number);

		if (ban->ours && !known)
			wrong(b, "a ban of ours is in the list, and the journal does not say so");
		if (!ban->ours && !ban->excused && known)
			wrong(b, "the journal has a ban of somebody else");
	}
}

bool irqs_are_placed(const struct bench *b)
{
	for (unsigned i = 0; i < b->world.irqs; i++) {
		bool banned = false;

		for (unsigned k = 0; k < b->world.bans; k++)
			banned |= b->world.ban[k].number == b->world.irq[i].number;
		if (!fake_irq_is_ours(&b->world, i) || (b->world.born != 0 && !banned))
			return false;
	}
	return true;
}

void irqs_check_finished(struct bench *b)
{
	for (unsigned i = 0; i < b->world.irqs; i++) {
		const struct journal_value *value = find_value(b, i);

		if (fake_irq_is_ours(&b->world, i))
			wrong(b, "an interrupt is where the program put it after a teardown in peace");
		if (value && (b->force || cpuset_equal(&b->world.irq[i].affinity, &value->original)))
			wrong(b, "an interrupt is in the journal after a teardown in peace");
	}
	for (unsigned i = 0; i < b->world.bans; i++) {
		if (b->world.ban[i].ours)
			wrong(b, "a ban of ours is in the list after a teardown in peace");
	}
	for (unsigned i = 0; i < b->values->count; i++) {
		if (b->values->value[i].kind == STEP_IRQBALANCE_BAN)
			wrong(b, "a ban is in the journal after a teardown in peace");
	}
}

void irqs_force(struct bench *b)
{
	struct cpuset original[FAKE_IRQS_MAX];
	bool left[FAKE_IRQS_MAX] = { false };

	for (unsigned i = 0; i < b->world.irqs; i++) {
		const struct journal_value *value = find_value(b, i);

		left[i] = value;
		if (value)
			original[i] = value->original;
	}
	fake_world_next(&b->world);
	b->force = true;
	process_run(b, TEARDOWN);
	irqs_check_finished(b);
	b->force = false;
	for (unsigned i = 0; i < b->world.irqs; i++) {
		if (left[i] && !cpuset_equal(&b->world.irq[i].affinity, &original[i]))
			wrong(b, "an interrupt is not back after a teardown with force");
	}
}

void irqs_key(const struct bench *b, char buf[static KEY_SIZE])
{
	for (unsigned i = 0; i < b->world.irqs; i++) {
		const struct journal_value *value = find_value(b, i);

		str_append(buf, KEY_SIZE, "|%u", cpuset_next(&b->world.irq[i].affinity, 0));
		if (value)
			str_append(buf, KEY_SIZE, "=%u<%u<%u", cpuset_next(&value->last, 0),
				   cpuset_next(&value->before_last, 0), cpuset_next(&value->original, 0));
	}
	if (b->world.irqs > 0)
		str_append(buf, KEY_SIZE, "|%s", b->world.born ? "d" : "");
	for (unsigned i = 0; i < b->world.bans; i++) {
		const struct fake_ban *ban = &b->world.ban[i];

		str_append(buf, KEY_SIZE, ",%u%s", ban->number, ban->ours ? "o" : ban->excused ? "x" : "t");
	}
	for (unsigned i = 0; i < b->values->count; i++) {
		const struct journal_value *value = &b->values->value[i];

		if (value->kind == STEP_IRQBALANCE_BAN)
			str_append(buf, KEY_SIZE, ";%u%s", value->irq_number,
				   value->daemon == 0		    ? "?"
				   : value->daemon == b->world.born ? "="
								    : "-");
	}
}
