/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Removes what the journal says is ours: the one way in which this program deletes a controller, for
 * teardown, for connect --atomic and for a path whose proof failed.
 *
 * All removals are begun first and then awaited together: a controller on a dead link takes minutes, and the
 * others need not wait for it. So they all are begun on what was just planned.
 */
#pragma once

#include "apply/fx.h"
#include "apply/journal.h"

/*
 * Steps of kind STEP_NVME_DISCONNECT from number first on, in their order; each outcome goes into its step
 * and into its path (action, reason, message):
 *
 *	disconnected		that very controller is gone, and the journal says so
 *	none			it was gone already; its claim is closed in the journal
 *	foreign, not-ours	one of these names is there, but the inode or the registry says that it is not
 *				ours; nothing is done, the claim stays
 *	failed, pending		not gone when fx->wait said that the time is up; the intent stays open
 *	failed, first-connect	the kernel refused: EBUSY
 *	failed, other		the kernel refused otherwise, or what is there could not be read
 *
 * A step that the journal does not know as ours is refused before anything is done (XC_REFUSED). A step whose
 * state is STEP_SKIPPED before was planned as gone. rollback: of this very run. It is an effect that is
 * finished: neither a stop that was asked for nor a full disk nor one look that fails keeps anything from
 * being removed, as the open records of the connects cover it. Nothing is removed unseen.
 *
 * Returns 0 when all steps are settled or timed out, or the first -errno with err if the journal or the world
 * failed: then, but for a rollback, nothing further was begun; what had been was awaited.
 */
int undo_steps(const struct fx *fx, struct journal *journal, struct steps *steps, unsigned first,
	       bool rollback, struct plan *plan, struct err *err) _must_check_;

/*
 * One controller that must not stay, and that this run made: it is looked for twice if need be, and goes even
 * if that cannot be written down, as the open record of its connect covers it. step->state is done, skipped
 * (it was gone) or failed, then left says why it is not gone. Returns the first error of journal and world.
 */
int undo_at_once(const struct fx *fx, struct journal *journal, struct step *step, unsigned number,
		 struct err *left, struct err *err) _must_check_;
