/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The live machine as the world of the run loop: what a step finds is read by facts and judged by policy,
 * what it does is done by apply/fx_*.c.
 */
#pragma once

#include "apply/fx.h"
#include "apply/fx_delete.h"
#include "base/root.h"
#include "model/finding.h"
#include "model/topology.h"
#include "policy/policy.h"

struct live {
	const struct root *root;
	struct topology *now; /* what was read last; not the plan's topology, whose indexes must stay true */
	struct findings *findings; /* of these readings; nobody prints them */
	struct proof_groups *groups;
	const struct topology *planned; /* what the roles are of; the session's */
	const struct classification *classes;
	struct fx_delete *removal; /* all that were begun; heap */
	unsigned removals;
	int removal_s; /* how long they may take, after the last one was begun; live_open: LIVE_REMOVAL_S */
	int64_t deadline;  /* that, in clock_ms() */
	bool stop_ends_it; /* a signal does, too, soon: of teardown, which can be run again; not of a rollback
			    */
};

/* As long as the kernel gives one admin command, with which a deletion begins (nvme_shutdown_ctrl). */
#define LIVE_REMOVAL_S 60
#define LIVE_REMOVAL_STEP_MS 20
#define LIVE_STOP_MS 2000 /* a removal that can end does in a fraction of that */

/* For reading alone; a tree will do. */
int live_open(struct live *live, const struct root *root, struct err *err) _must_check_;
/* The world of the run loop. Refuses a root that is not this machine; from here on signals ask to stop. */
int live_effects(struct live *live, const struct topology *planned, const struct classification *classes,
		 struct fx *ret, struct err *err) _must_check_;
void live_close(struct live *live);

/* How long a group's count may take to settle while others connect to the same portal. */
#define LIVE_SETTLE_MS 1000
#define LIVE_SETTLE_STEP_MS 20

/* Reads controllers and CM_IDs into live->now and live->groups. */
int live_read(struct live *live, struct err *err) _must_check_;

/* What that reading says of one controller, which must be live itself; why gets a sentence. */
enum group_verdict live_judge(const struct live *live, const struct ctrl_id *id, const char *rdma_device,
			      char *why, size_t size);
/* In the words of struct fx: what is not settled is unknown. */
enum proof_verdict live_verdict(enum group_verdict verdict);
