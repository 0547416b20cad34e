/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Placement as the commands use it: reads, plans, moves, puts back. */
#pragma once

#include "apply/place.h"
#include "cmd/session.h"

/*
 * Reads cores and interrupts, and plans: s->affinity, and findings about cores. After session_read_queues,
 * for all controllers that are there by now and the paths of s->plan that would be connected, with
 * nr_io_queues.
 */
int place_read(struct session *s, unsigned cores_per_port, unsigned nr_io_queues,
	       struct err *err) _must_check_;

/* Findings about what stands in the way, compute vectors among it; once a document. */
int place_advise(struct session *s, struct err *err) _must_check_;

/* Moves what place_read found not to be where it belongs; within a run of the journal. */
int place_apply(struct session *s, const struct fx *fx, struct journal *journal, enum place_bans bans,
		struct err *err) _must_check_;

/* The undo of what place_apply did in this run, for a rollback: steps from number first on. */
int place_take_back(struct session *s, const struct fx *fx, struct journal *journal, unsigned first,
		    struct err *err) _must_check_;

/*
 * What goes back after the removals of s->plan, and puts it back; journal NULL: only says so (a dry run).
 * claims and data are the journal's as they are now.
 */
int place_restore(struct session *s, const struct fx *fx, struct journal *journal,
		  const struct journal_data *data, const struct teardown *teardown,
		  struct err *err) _must_check_;

/* True if all that should be, as far as a dry run can say, is on its cores (or back), and stays there as far
 * as irqbalance is concerned. */
bool place_is_whole(const struct session *s);
/* One error for all interrupts that are not where they belong, and one for irqbalance. */
void place_errors(struct session *s);
/* True if an interrupt or the ban list is not as it was before this run. */
bool place_has_changed(const struct session *s);
