/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * irqbalance's ban list, over its socket /run/irqbalance/irqbalance<pid>.sock. The daemon moves what one has
 * pinned, unless the interrupt is in this list; it is not stopped and nothing else of it is changed. The list
 * is of that one process: started again it has forgotten it.
 *
 * What cannot be talked to safely is IRQBALANCE_UNREACHABLE and not talked to: a socket that others than root
 * could have made, several daemons, one without a socket there, and versions before 1.7, whose answer
 * overruns its buffer as soon as an interrupt is banned.
 */
#pragma once

#include "base/root.h"
#include "model/irqbalance.h"

/*
 * The longest wait for one answer. Up to 1.9.3 the daemon sleeps in the round after a new list for a whole
 * interval (10 s) and answers nobody (scan: sleep_approx); so it does in the first one after its start.
 */
#define IRQBALANCE_WAIT_MS 15000
/* And for that of a process that is stopped (SIGSTOP, a debugger). */
#define IRQBALANCE_STOPPED_MS 2000

/*
 * Each fills ret, whatever it returns: state, and the list as it was read last. Needs a live root (-EROFS).
 * wait_ms is for one answer. -errno with err (XC_PARTIAL: the paths stay):
 * -E2BIG with IRQBALANCE_LIST_TOO_LONG, anything else with IRQBALANCE_UNREACHABLE. Nothing was
 * changed then, unless ret->changed: the list was sent, and could not be read back as sent.
 */

/* IRQBALANCE_ABSENT, or IRQBALANCE_RUNNING with its list. */
int fx_irqbalance_read(const struct root *root, int wait_ms, struct irqbalance *ret,
		       struct err *err) _must_check_;

/*
 * Adds to the list what is not in it: IRQBALANCE_BANNED once all of add were read back from it (nothing is
 * sent if they are there), or IRQBALANCE_ABSENT. What is in it of others stays. -EINTR: a stop was asked for
 * before anything was sent.
 */
int fx_irqbalance_ban(const struct root *root, const struct irq_list *add, int wait_ms,
		      struct irqbalance *ret, struct err *err) _must_check_;

/*
 * Takes gone from the list, if the daemon is still the one that was born then (struct irqbalance.born when
 * they were added; 0: any): another one has no bans of ours. 0 once none of them is in it: IRQBALANCE_RUNNING
 * or IRQBALANCE_ABSENT. It does not stop for a signal.
 */
int fx_irqbalance_unban(const struct root *root, const struct irq_list *gone, uint64_t born, int wait_ms,
			struct irqbalance *ret, struct err *err) _must_check_;
