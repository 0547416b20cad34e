/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the tests of the loops share: three steps, a world in memory, a journal on disk. */
#pragma once

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include "apply/run.h"
#include "lib/fakefx.h"
#include "lib/t.h"

#define STEPS 3
#define WAY(i) "10.10." #i ".2:4420 from 10.10." #i ".1: "

struct bench {
	struct root root;
	struct fake_world world;
	struct fx fx;
	struct steps *steps;
	struct plan *plan;
	struct findings *findings;
	struct err err;
	struct journal_data data; /* as it is on disk after the run */
};

static inline int bench_setup(void **state)
{
	struct bench *b = calloc(1, sizeof(*b));

	b->steps = calloc(1, sizeof(*b->steps));
	b->plan = calloc(1, sizeof(*b->plan));
	b->findings = calloc(1, sizeof(*b->findings));
	fake_root_open(&b->root);
	fake_world_init(&b->world, &b->root);
	b->fx = fake_fx(&b->world);
	b->steps->count = b->plan->paths = STEPS;
	for (unsigned i = 0; i < STEPS; i++)
		fake_step(&b->steps->step[i], i);
	*state = b;
	return 0;
}

static inline int bench_teardown(void **state)
{
	struct bench *b = *state;

	journal_data_free(&b->data);
	fake_root_close(&b->root);
	free(b->steps);
	free(b->plan);
	free(b->findings);
	free(b);
	return 0;
}

static inline int run(struct bench *b)
{
	char *argv[] = { (char[]){ "nvme-partition" }, (char[]){ "connect" } };
	struct journal *journal = NULL;
	struct err ignored = { 0 };
	int r;

	assert_int_equal(journal_open(&b->root, 0, &journal, b->findings, &b->err), 0);
	assert_int_equal(journal_begin(journal, "connect", 2, argv, &b->err), 0);
	r = run_steps(&b->fx, journal, b->steps, b->plan, &b->err);
	if (journal_end(journal, XC_OK, false, &ignored) < 0)
		assert_int_not_equal(r, 0);
	journal_close(journal);
	journal_data_free(&b->data);
	assert_int_equal(journal_read(&b->root, &b->data, &ignored), 0);
	assert_null(b->world.wrong);
	return r;
}

/* Call n about object i fails: of one that connects observe, perform, observe, prove. */
static inline void fail_at(struct bench *b, unsigned i, unsigned n, enum fake_failure failure)
{
	b->world.fail = (struct fake_when){ i, n };
	b->world.failure = failure;
}

/* Before call n about object i. */
static inline void outsider_at(struct bench *b, unsigned i, unsigned n, enum fake_outsider way)
{
	b->world.outsider = (struct fake_when){ i, n };
	b->world.outsider_way = way;
	b->world.outsider_id = b->steps->step[i].id;
}

static inline void assert_steps(struct bench *b, unsigned done, unsigned skipped, unsigned failed)
{
	unsigned count[STEP_FAILED + 1] = { 0 };

	for (unsigned i = 0; i < STEPS; i++)
		count[b->steps->step[i].state]++;
	assert_true(count[STEP_DONE] == done && count[STEP_SKIPPED] == skipped &&
		    count[STEP_FAILED] == failed);
}

static inline void assert_failed(struct bench *b, unsigned i, const char *message)
{
	assert_int_equal(b->plan->path[i].action, PATH_FAILED);
	assert_int_equal(b->plan->path[i].reason, PATH_OTHER);
	assert_string_equal(b->plan->path[i].message, message);
}

static inline bool owned(struct bench *b, unsigned i)
{
	return journal_owns(&b->data, &b->steps->step[i].id, 0);
}

static inline void limit_file(rlim_t size)
{
	struct rlimit limit;

	assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
	limit.rlim_cur = size;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

/* A run with room for a journal of so many bytes. */
static inline void run_within(struct bench *b, rlim_t size)
{
	(void)signal(SIGXFSZ, SIG_IGN);
	limit_file(size);
	assert_true(run(b) < 0);
	limit_file(RLIM_INFINITY);
}
