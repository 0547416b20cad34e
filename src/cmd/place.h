/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Placement as the commands use it: reads, plans, moves, puts back. */
#pragma once

#include "apply/place.h"
#include "cmd/session.h"

/*
 * Reads cores, interrupts and what stands in their way, and plans: s->affinity, and findings. After
 * session_read_queues, for the plan as it is now; once a document. nr_io_queues: of paths that would be
 * connected.
 */
int place_plan(struct session *s, unsigned cores_per_port, unsigned nr_io_queues,
	       struct err *err) _must_check_;

/* Moves what place_plan found not to be where it belongs; within a run of the journal. */
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

/* True if all that should be is on its cores (or back), and stays there as far as irqbalance is concerned. */
bool place_is_whole(const struct session *s);
/* True if an interrupt or the ban list was changed. */
bool place_has_changed(const struct session *s);
