/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the two files that plan a connect share: plan_connect.c (paths) and unreached.c (why there is none).
 */
#pragma once

#include "policy/policy.h"

/* All of it input but plan and findings. */
struct planner {
	const struct topology *topo;
	const struct classification *classes;
	const struct request *request;
	const struct candidates *candidates;
	struct plan *plan;
	struct findings *findings;
};

/* "10.10.1.2:4420", "[fd00::2]:4420". Returns buf. */
#define PORTAL_TEXT_MAX (IP_TEXT_MAX + SVCID_SIZE + 3)
const char *plan_portal_text(const struct portal *portal, char buf[static PORTAL_TEXT_MAX]);

/* A skip of the portal, without its message. There is at most one a portal. */
struct skip *plan_add_skip(struct planner *p, unsigned portal, enum skip_reason reason);

/*
 * True, and a skip added, if the routing table gave no answer for a source (or, without any, for the portal):
 * that is no "no".
 */
bool plan_unasked(struct planner *p, unsigned portal, unsigned first, unsigned end);

/*
 * No source reaches the portal: adds the skip that says why and what would work. Its candidates are those
 * from first to end.
 */
void plan_unreached(struct planner *p, unsigned portal, unsigned first, unsigned end);
