/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The run loop: for each step observe, journal the intent, do, read back, journal the outcome.
 * It is the only place that has effects, and it is dumb: what is to be done stands in the steps.
 */
#pragma once

#include "apply/fx.h"
#include "apply/journal.h"

/*
 * Runs the steps in order and writes each outcome into its step, and into plan.path of the step
 * (action, proof, reason, message). A failed connect does not stop the others; a failed proof
 * disconnects that controller at once (one more step at the end of the list), whatever the journal says, and
 * does. A controller that came since the plan was made is proven as well, and never disconnected. Where a
 * proof is unknown the path has no reason and its message says why. A step that is not begun is skipped, and
 * its path failed, with the cause. journal_begin() comes before, journal_end() after.
 *
 * Returns 0 when the loop came to its end, whatever the steps' outcomes, or the first -errno with err if the
 * journal or the world failed, or a step touches a port that is not storage (XC_REFUSED: then nothing at all
 * was done): no further step was begun.
 */
int run_steps(const struct fx *fx, struct journal *journal, struct steps *steps, struct plan *plan,
	      struct err *err) _must_check_;
