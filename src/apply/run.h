/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The run loop: for each step observe, journal the intent, do, read back, journal the outcome.
 * It is the only place that has effects, and it is dumb: what is to be done stands in the steps.
 */
#pragma once

#include "apply/fx.h"
#include "apply/journal.h"

struct run_stats {
	unsigned done, skipped, failed;
	bool stopped;	 /* by a signal */
	bool mismatched; /* a proof failed: nothing further was begun */
	unsigned unproven;
};

/*
 * Runs the steps in order and writes each outcome into its step, and into plan.path of the step
 * (action, proof, reason, message). A failed connect does not stop the others; a failed proof
 * disconnects that controller at once (one more step at the end of the list) and does. Where a proof is
 * unknown the path has no reason and its message says why. journal_begin() comes before, journal_end() after.
 *
 * Returns 0 when the loop came to its end, whatever the steps' outcomes, or -errno with err if the journal or
 * the world failed, or a step touches a port that is not storage (XC_REFUSED: then nothing at all was done):
 * no further effect was begun. *ret is filled in either case.
 */
int run_steps(const struct fx *fx, struct journal *journal, struct steps *steps, struct plan *plan,
	      struct run_stats *ret, struct err *err) _must_check_;
