/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The proof of connect's paths that are there already, or that were made and could not be proven. */
#pragma once

#include "cmd/live.h"
#include "cmd/session.h"

/*
 * Controllers that are there already are proven before anything is added to them: one whose queues are on
 * another device stops the run. They are somebody's, perhaps not ours: none of them is disconnected. Waits up
 * to wait_ms for counts to settle.
 */
int prove_kept(struct session *s, struct live *live, int wait_ms, bool *ret_clean,
	       struct err *err) _must_check_;

/* Paths that this run made and could not prove: they stay, and the exit status says so. */
void prove_note_unproven(struct session *s);
