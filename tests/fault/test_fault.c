/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * connect, with and without --atomic: every failure x every crash x every outsider (matrix.h), in plans of
 * one to three controllers, some of which are there before, somebody else's or of an earlier run. What must
 * be true after each process stands in process.h. Then, from each state in which world and journal are left,
 *	- another connect makes all that is missing, and one more does nothing and writes nothing;
 *	- a teardown brings back what was there before, or what the outsider made of it.
 * A disk that is full after any number of bytes is one more failure.
 *
 * test_fault_undo.c goes on from here with what can go wrong in the teardown, and takes the plan of each
 * fixture.
 *
 * Wrong versions that were seen to turn one of the two red:
 *	- the intent of a connect, or of a removal, written after the effect
 *	- an outcome that is not written; a run without its end
 *	- a removal without comparing what is there; comparing by cntlid, or by names alone
 *	- a removal of nvmeN, whatever that is by then; one after a look that failed, unseen
 *	- the registry ignored
 *	- "done" without the inode
 *	- an open intent that claims nothing; an undone connect that claims still
 *	- a claim closed by a removal that was only begun, could not be begun, failed, met EBUSY, or was not
 *	  over in time; or by an outsider's controller
 *	- "undone" though the failed connect left a controller, or nobody could look
 *	- no "undone" after EALREADY
 *	- a claim that stays though the controller went, or was gone before
 *	- the journal removed with claims open, or never
 *	- a rollback, or its waiting, that a signal ends; that a full disk ends, or one failed look
 *	- a rollback of the first controller alone; removals that are begun and not awaited
 *	- a teardown that goes on without its intent on a full disk
 *	- a controller on the wrong device that stays there since the journal failed
 *	- a plan of teardown without the claims that are gone, or that takes what has no subsystem yet for
 *	  gone
 */
#include <signal.h>
#include <string.h>
#include <sys/resource.h>

#include "fault/matrix.h"
#include "lib/t.h"

/* Plans: what is there before, what the target refuses (bits), and in how many combinations. */
static const struct {
	enum process process;
	unsigned objects, depth;
	unsigned earlier, foreign, refused;
	enum proof_verdict verdict; /* VERDICT_PROVEN, unless it says otherwise */
} plans[] = {
	{ .process = CONNECT, .objects = 1, .depth = 3 },
	{ .process = CONNECT, .objects = 2, .depth = 3 },
	{ .process = CONNECT, .objects = 3, .depth = 2 },
	{ .process = CONNECT, .objects = 3, .depth = 1, .earlier = 1, .refused = 2 },
	{ .process = CONNECT, .objects = 2, .depth = 2, .foreign = 1 },
	{ .process = CONNECT, .objects = 2, .depth = 2, .verdict = VERDICT_MISMATCH },
	{ .process = CONNECT, .objects = 2, .depth = 1, .verdict = VERDICT_UNKNOWN },
	{ .process = ATOMIC, .objects = 1, .depth = 3 },
	{ .process = ATOMIC, .objects = 2, .depth = 2 },
	{ .process = ATOMIC, .objects = 2, .depth = 3, .refused = 2 },
	{ .process = ATOMIC, .objects = 3, .depth = 1, .refused = 4 },
	{ .process = ATOMIC, .objects = 3, .depth = 2, .refused = 4, .earlier = 1 },
	{ .process = ATOMIC, .objects = 3, .depth = 1, .refused = 4, .foreign = 1 },
};

static void prepare(struct bench *b, size_t plan)
{
	unsigned all = (1U << plans[plan].objects) - 1;

	bench_reset(b, plans[plan].objects);
	for (unsigned i = 0; i < plans[plan].objects; i++) {
		if (plans[plan].foreign & 1U << i)
			fake_connect(&b->world, &b->world.object[i], false);
	}
	if (plans[plan].earlier) {
		b->world.refused = all & ~plans[plan].earlier;
		process_run(b, CONNECT);
		assert_null(b->wrong);
	}
	b->world.refused = plans[plan].refused;
	b->world.verdict = plans[plan].verdict;
}

static void whatever_happens_the_journal_says_what_is_ours(void **state)
{
	struct bench *b = *state;
	struct seen seen = { 0 };
	unsigned cases = 0, count;

	for (size_t i = 0; i < ARRAY_SIZE(plans); i++) {
		struct matrix matrix = { .process = plans[i].process,
					 .depth = plans[i].depth,
					 .then = matrix_go_on,
					 .arg = &seen };
		struct snapshot start;

		prepare(b, i);
		snapshot_take(b, &start);
		count = matrix_run(b, &start, &matrix);
		snapshot_free(&start);
		print_message("# plan %zu: %u cases\n", i, count);
		cases += count;
	}
	print_message("# %u cases, %u states in which a process can leave world and journal\n", cases,
		      seen.count);
	assert_in_range(cases, 4000, 10000);
	seen_free(&seen);
}

static void limit_file(rlim_t size)
{
	struct rlimit limit;

	assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
	limit.rlim_cur = size;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

/* The disk is full after so many bytes: head, begin, any line of any step, cut anywhere. */
static void a_disk_that_fills_up_hides_nothing(void **state)
{
	static const struct {
		enum process process;
		enum proof_verdict verdict;
		unsigned refused;
	} ways[] = {
		{ CONNECT, VERDICT_PROVEN, 0 },
		{ CONNECT, VERDICT_MISMATCH, 0 },
		{ ATOMIC, VERDICT_PROVEN, 2 },
		{ ATOMIC, VERDICT_PROVEN, 0 },
	};
	struct bench *b = *state;
	struct seen seen = { 0 };
	unsigned broken_off = 0;

	(void)signal(SIGXFSZ, SIG_IGN);
	for (rlim_t i = 0; i < 4 * 3800; i += 43) {
		rlim_t size = i / 4;
		size_t way = i % 4;

		bench_reset(b, 2);
		b->world.disk_full = true;
		b->world.verdict = ways[way].verdict;
		b->world.refused = ways[way].refused;
		limit_file(size);
		process_run(b, ways[way].process);
		limit_file(RLIM_INFINITY);
		broken_off += b->result < 0;
		if (!b->wrong && ways[way].verdict == VERDICT_MISMATCH && b->world.ctrls > 0)
			b->wrong = "what is on the wrong device stayed";
		if (!b->wrong)
			matrix_go_on(b, &seen);
		if (b->wrong)
			fail_msg("%s: disk full after %u bytes, way %zu", b->wrong, (unsigned)size, way);
	}
	assert_in_range(broken_off, 150, 350);
	seen_free(&seen);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(whatever_happens_the_journal_says_what_is_ours, bench_setup,
						bench_teardown),
		cmocka_unit_test_setup_teardown(a_disk_that_fills_up_hides_nothing, bench_setup,
						bench_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
