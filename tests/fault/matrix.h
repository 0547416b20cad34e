/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What can go wrong in one process, in all combinations:
 *
 *	outsider	connects, disconnects, makes anew or takes into the registry any object, before any
 *			call about it, or after the process
 *	failure		any call fails in any way in which it can
 *	crash		anywhere
 *	stop		SIGINT comes before any call (alone)
 *
 * Combinations that cannot differ are left out: an outsider acts right before the calls that are about its
 * object, and is not tried where it would change nothing; a crash comes once in each state of world and
 * journal, and not before what it is combined with, as that would then not have happened.
 */
#pragma once

#include "fault/process.h"

struct matrix {
	enum process process;
	unsigned depth; /* so many of outsider, failure and crash at once: 1 to 3 */
	/* Goes on after each case: b->wrong says whether all is as it must be. NULL: nothing more. */
	void (*then)(struct bench *b, void *arg);
	void *arg;
};

/* From this state. Returns the number of cases; the test fails at the first that is wrong. */
unsigned matrix_run(struct bench *b, const struct snapshot *start, const struct matrix *matrix);

/*
 * What follows a case: from here a connect makes all that is missing, and one more does nothing and writes
 * nothing; and a teardown in peace brings back what was there before. Once for states that are alike; arg is
 * the struct seen of those.
 */
void matrix_go_on(struct bench *b, void *arg);
