/* SPDX-License-Identifier: GPL-2.0-or-later */
/* irqbalance and its ban list: the interrupts that it leaves alone, by number. */
#pragma once

#include <stdint.h>

#include "base/mem.h"

/*
 * What is told of it. RUNNING is but an answer of reading: it is there, and whether interrupts are in its
 * list is for the caller to compare. IGNORED and REFUSED come from the command line.
 */
enum irqbalance_state {
	IRQBALANCE_ABSENT,
	IRQBALANCE_RUNNING,
	IRQBALANCE_BANNED, /* all that were asked for are in its list, as it was read back */
	IRQBALANCE_IGNORED,
	IRQBALANCE_REFUSED,
	IRQBALANCE_UNREACHABLE, /* it runs, or nobody can say that it does not, and cannot be talked to */
	IRQBALANCE_LIST_TOO_LONG,
};

const char *irqbalance_state_name(enum irqbalance_state state); /* "list-too-long" */

/* Numbers of interrupts, ascending, each once. Zeroed it is empty. */
#define IRQ_LIST_MAX 4096
struct irq_list {
	unsigned irq[IRQ_LIST_MAX];
	unsigned count;
};

/* 0 (also if it is there already), or -E2BIG. */
int irq_list_add(struct irq_list *list, unsigned irq) _must_check_;
int irq_list_add_all(struct irq_list *list, const struct irq_list *more) _must_check_;
void irq_list_remove_all(struct irq_list *list, const struct irq_list *gone);
bool irq_list_has(const struct irq_list *list, unsigned irq);
bool irq_list_equal(const struct irq_list *a, const struct irq_list *b);
/* Every number of inner is in outer. */
bool irq_list_is_subset(const struct irq_list *inner, const struct irq_list *outer);

/* As it was read last. */
struct irqbalance {
	enum irqbalance_state state;
	unsigned pid; /* 0: unknown */
	uint64_t
		born; /* its socket, in ns: another daemon has another one, and no bans of ours. 0: unknown */
	struct irq_list bans;
	bool changed;	   /* a new list was sent */
	char message[256]; /* why it is UNREACHABLE, REFUSED or LIST_TOO_LONG; "": it is not */
};
