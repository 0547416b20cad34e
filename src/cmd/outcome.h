/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a run came to: reads back what there is, and words what is not. */
#pragma once

#include "cmd/session.h"

/*
 * Reads controllers and namespaces again and ties the plan's paths to them. Waits up to 5 s for the
 * first namespace of each controller of this run; one that shows none is a finding.
 */
int outcome_read_back(struct session *s, struct err *err) _must_check_;

/*
 * Ties the plan's paths to the controllers that were read last. Of every path, also one that failed: what is
 * there must be named, whatever the run thinks of it. leaving: also one that is being deleted.
 */
void outcome_link(struct session *s, bool leaving);

/* One error for each portal that was skipped and each path that is not up. */
void outcome_errors(struct session *s);

/* True if a controller is there that this run made, wanted or left over. */
bool outcome_changed(const struct plan *plan);
