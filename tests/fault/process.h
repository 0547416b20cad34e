/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One process of the program after another in the world in memory: connect, connect --atomic, teardown, each
 * as its command does it, with a real journal, the real planner of teardown, the run loop and its way back.
 * Each is looked at when it has ended, or crashed.
 */
#pragma once

#include "apply/place.h"
#include "lib/fakefx.h"
#include "policy/policy.h"

enum process { CONNECT, ATOMIC, TEARDOWN };

struct bench {
	struct root root;
	struct fake_world world; /* with its objects: what the program is asked to connect */
	struct topology *topo;
	struct classification *classes;
	struct journal_claims *claims; /* as the last process left them */
	struct steps *steps;
	struct plan *plan;
	struct findings *findings;
	struct affinity *affinity;
	struct irqbalance *balance;
	struct journal_values *values; /* as the last process left them */
	bool force;		       /* of a teardown */
	struct journal *journal;
	unsigned records; /* likewise */

	/* Of the last process. */
	enum process process;
	int result; /* of journal and world */
	enum exit_class exit;
	bool crashed, rolled_back;
	uint64_t first_inode; /* what it made has this or a higher one */
	const char *wrong;    /* NULL: all is as it must be */
};

int bench_setup(void **state);
int bench_teardown(void **state);

/* A new world without a journal, in which the program is to connect so many objects. */
void bench_reset(struct bench *b, unsigned objects);

/*
 * Runs it with what the world has planned, and looks whether afterwards, whatever happened
 *	- no effect was without its intent, and nothing of an outsider was removed;
 *	- the journal claims all of ours that is there and nothing else, but for an outsider who made exactly
 *	  our names while an intent was open;
 *	- what the next process reads in the journal is what this one wrote;
 *	- where an interrupt is, and what of the ban list is ours, likewise;
 *	- a teardown has removed the journal if nothing is claimed, and not else, and says so by its exit;
 *	- of a connect --atomic that failed nothing is left, unless its removal failed;
 *	- a connect has removed nothing that an earlier run had made.
 */
void process_run(struct bench *b, enum process process);

/*
 * One more teardown, with nobody in its way: all of ours is gone, and the journal with it. An interrupt that
 * somebody else has moved is left there until one with force.
 */
void process_finish(struct bench *b);

/* What of world and journal can matter to a later process, as text; of each object " which claim:what". */
#define KEY_SIZE 256
void process_key(const struct bench *b, char buf[static KEY_SIZE]);

/* World and journal. */
struct snapshot {
	struct fake_world world;
	unsigned records;
	char *journal; /* NULL: no file */
	char key[KEY_SIZE];
};
void snapshot_take(const struct bench *b, struct snapshot *ret);
void snapshot_restore(struct bench *b, const struct snapshot *from);
void snapshot_free(struct snapshot *s);

struct seen {
	char (*key)[KEY_SIZE];
	unsigned count;
};
/* False if it was there already. */
bool seen_add(struct seen *seen, const char *key);
void seen_free(struct seen *seen);
