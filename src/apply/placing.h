/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What place.c, unplace.c and bans.c share: one move of an interrupt, and how what became of it is written
 * down. */
#pragma once

#include "apply/place.h"

struct placing {
	const struct fx *fx;
	struct journal *journal;
	struct steps *steps;
	struct affinity *affinity;
	struct irqbalance *balance;
	const char *ended; /* why nothing further is begun; NULL: it is */
	int code;	   /* of the journal, with err */
	struct err *err;
};

/* Where an interrupt is after it was to be moved. */
enum moved {
	MOVED_THERE,
	MOVED_NOT,     /* it is where it was; code and why say why */
	MOVED_FOREIGN, /* somebody else moved it meanwhile */
	MOVED_GONE,    /* it is not there any more */
	MOVED_UNKNOWN, /* that could not be read: its intent stays open */
};

struct move {
	enum moved moved;
	int code; /* of the effect, or of the intent: then nothing was done */
	struct irq_now now;
	struct err why;
};

/* Intent, effect, a look at what came of it, outcome. */
void placing_move(struct placing *p, const struct step *step, unsigned number, const struct cpuset *from,
		  const struct cpuset *to, struct move *ret);

/* The journal failed. */
void placing_broken(struct placing *p, int code);
/* The journal's line on it; the first that cannot be written ends all. */
void placing_close(struct placing *p, const struct step *step, unsigned number, enum journal_state state,
		   const char *before, const char *after);

/* Into the step and into its interrupt. */
void placing_settle(struct placing *p, struct step *step, enum step_state state, enum irq_action action,
		    const char *fmt, ...) _printf_(5, 6);
/* Where it was read back, of one that was moved. */
void placing_set_now(struct placing *p, const struct step *step, const struct irq_now *now);

/* --- bans.c --------------------------------------------------------------------------------------------- */

/* Why the daemon cannot be talked to. */
void placing_tell_bans(struct placing *p, const struct err *why);
/* The steps of what is to be banned, before those from number first on, and all of them at once. */
void placing_ban(struct placing *p, unsigned first);
/* The steps of kind STEP_IRQBALANCE_BAN from number first on. */
void placing_unban(struct placing *p, unsigned first);
