/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Moves interrupts to the cores of their ports, and puts them back: the values of the journal, as run.c and
 * undo.c do its controllers. Bans come first, since irqbalance moves what is not banned; each record has its
 * intent, with the value before, on disk before the effect.
 */
#pragma once

#include "apply/fx.h"
#include "apply/journal.h"

enum place_bans { PLACE_BAN, PLACE_IGNORE, PLACE_REFUSE }; /* --irqbalance */

/*
 * Steps of kind STEP_IRQ_AFFINITY from number first on, none but storage ports' and to one of their cores,
 * else nothing is done. Each outcome goes into its step and into affinity->irq[step->irq]: action, message;
 * before, as it was read right before; after and effective if it was moved.
 *
 *	set	it is on step->to, which is another one of step->cores where the kernel had no vector left
 *	kept	it was there already: nothing is written, nothing is journaled
 *	failed	with a message; the others go on. If it could not be read back, its intent stays open
 *	foreign	somebody else moved it right after it was moved: left alone
 *
 * bans PLACE_BAN: the interrupts of the steps, and those of affinity that are IRQ_KEPT, are put into
 * irqbalance's list before any is moved. Those that were not in it get a step of kind STEP_IRQBALANCE_BAN
 * each, before the others, and are journaled as ours. Without a reachable irqbalance all goes on, and balance
 * says so (exit 4 is the caller's). PLACE_REFUSE: unless irqbalance is known not to run nothing is done,
 *state IRQBALANCE_REFUSED.
 *
 * A stop that was asked for keeps the remaining steps from being begun. Returns 0, or the first -errno with
 * err if the journal failed: then nothing further was begun.
 */
int place_steps(const struct fx *fx, struct journal *journal, struct steps *steps, unsigned first,
		enum place_bans bans, struct affinity *affinity, struct irqbalance *balance,
		struct err *err) _must_check_;

/*
 * The undo, of steps from number first on, affinities and then bans ("to" is where an interrupt goes back to,
 * "before" and "was" are where this program has put it): restored, kept (it was back already), none (it is
 * not there any more), foreign (neither: it is left alone, and stays in the journal; force restores it
 * nevertheless), failed. A step that the journal has no value of is refused before anything is done
 * (XC_REFUSED). Bans are lifted one daemon's all at once; another daemon has none of ours, and they are
 * closed.
 *
 * It finishes whatever stop is asked for; but a journal that cannot be written ends it.
 */
int unplace_steps(const struct fx *fx, struct journal *journal, struct steps *steps, unsigned first,
		  bool force, struct affinity *affinity, struct irqbalance *balance,
		  struct err *err) _must_check_;
