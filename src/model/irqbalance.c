/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lists of interrupts. */
#include "model/irqbalance.h"

#include <errno.h>
#include <string.h>

const char *irqbalance_state_name(enum irqbalance_state state)
{
	switch (state) {
	case IRQBALANCE_ABSENT:
		return "absent";
	case IRQBALANCE_RUNNING:
		return "running";
	case IRQBALANCE_BANNED:
		return "banned";
	case IRQBALANCE_IGNORED:
		return "ignored";
	case IRQBALANCE_REFUSED:
		return "refused";
	case IRQBALANCE_LIST_TOO_LONG:
		return "list-too-long";
	case IRQBALANCE_UNREACHABLE:
		break;
	}
	return "unreachable";
}

/* Where irq is, or belongs. */
static unsigned place_of(const struct irq_list *list, unsigned irq)
{
	unsigned low = 0, high = list->count;

	while (low < high) {
		unsigned middle = low + (high - low) / 2;

		if (list->irq[middle] < irq)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

bool irq_list_has(const struct irq_list *list, unsigned irq)
{
	unsigned at = place_of(list, irq);

	return at < list->count && list->irq[at] == irq;
}

int irq_list_add(struct irq_list *list, unsigned irq)
{
	unsigned at = place_of(list, irq);

	if (at < list->count && list->irq[at] == irq)
		return 0;
	if (list->count == IRQ_LIST_MAX)
		return -E2BIG;
	memmove(&list->irq[at + 1], &list->irq[at], (list->count - at) * sizeof(list->irq[0]));
	list->irq[at] = irq;
	list->count++;
	return 0;
}

int irq_list_add_all(struct irq_list *list, const struct irq_list *more)
{
	int r = 0;

	for (unsigned i = 0; i < more->count && r == 0; i++)
		r = irq_list_add(list, more->irq[i]);
	return r;
}

void irq_list_remove_all(struct irq_list *list, const struct irq_list *gone)
{
	unsigned kept = 0;

	for (unsigned i = 0; i < list->count; i++) {
		if (!irq_list_has(gone, list->irq[i]))
			list->irq[kept++] = list->irq[i];
	}
	list->count = kept;
}

bool irq_list_is_subset(const struct irq_list *inner, const struct irq_list *outer)
{
	for (unsigned i = 0; i < inner->count; i++) {
		if (!irq_list_has(outer, inner->irq[i]))
			return false;
	}
	return true;
}

bool irq_list_equal(const struct irq_list *a, const struct irq_list *b)
{
	return a->count == b->count && irq_list_is_subset(a, b);
}
