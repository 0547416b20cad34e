/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Placing interrupts and putting them back: every failure x every crash x every outsider (matrix.h), in a
 * connect, and in the teardown from each state in which a connect can leave world and journal. Then, from
 * each state after that, another connect places all, and one more does nothing; a teardown in peace leaves
 * each interrupt where it was, or where somebody else has moved it since, and the ban list with all bans of
 * others and none of ours; and one with force brings back the rest. A disk that is full after any number of
 * bytes is one more failure.
 *
 * Wrong versions that were seen to turn it red, or unit/test_place_steps and unit/test_unplace_steps if it
 * is said (unit):
 *	- the intent of a move, or of a ban, written after the effect, or not at all
 *	- an outcome of a move, or of a ban that is lifted, that is not written; of a ban (unit)
 *	- a move that failed believed to have had no effect; one that could not be read back closed
 *	- a move that failed written down as done; an interrupt that is gone as undone
 *	- an interrupt that somebody moved meanwhile said to be where it should (unit), or moved by the plan's
 *	  value without a look (unit)
 *	- the next core taken from another port; no first one after the last (unit)
 *	- a run that goes on after its journal failed; one that a signal does not stop (unit)
 *	- what is kept not banned; a ban of others taken for ours, also one that came meanwhile (unit)
 *	- a ban without its daemon; one lifted in any daemon; of another daemon not closed; those of several
 *	  daemons lifted together (unit), or a dead one asked again (unit)
 *	- a list that could not be read back believed; a ban whose lifting failed taken for lifted
 *	- putting back without comparing; comparing with the last place alone, or only with the one before
 *	- force without effect; what is back already, or gone, that is not closed; bans that stay
 *	- a chain that "undone" closes, or does not touch (unit); that nothing closes, or not an interrupt
 *that is gone; whose original is the last value before; which forgets where a killed run left it, or counts
 *as ours where somebody else had put it
 *	- bans that are all one
 *	- the journal removed with values in it, or never
 */
#include <signal.h>
#include <string.h>
#include <sys/resource.h>

#include "fault/irqs.h"
#include "fault/matrix.h"
#include "lib/t.h"

struct trial {
	unsigned objects, irqs, depth, undo_depth;
	bool daemon;
	bool full;  /* no vector is left on the first core */
	bool again; /* after a connect, somebody who moves an interrupt, and a new daemon */
};

struct undoing {
	struct seen starts, ends;
	unsigned depth, cases;
};

static void prepare(struct bench *b, const struct trial *trial)
{
	bench_reset(b, trial->objects);
	fake_irqs(&b->world, trial->irqs, trial->daemon);
	if (trial->full)
		cpuset_add(&b->world.full, FAKE_CORE(0));
	if (!trial->again)
		return;
	b->world.outsider = (struct fake_when){ FAKE_IRQ(0), FAKE_NEVER };
	b->world.outsider_way = FAKE_MOVES;
	process_run(b, CONNECT);
	assert_null(b->wrong);
	fake_world_next(&b->world);
	b->world.outsider = (struct fake_when){ FAKE_DAEMON, FAKE_NEVER };
	b->world.outsider_way = FAKE_ENDS;
	fake_end(&b->world);
}

static void whatever_happens_the_journal_says_what_was_changed(void **state)
{
	static const struct trial plans[] = {
		{ 0, 1, 3, 0, true, false, false }, { 0, 2, 2, 0, true, false, false },
		{ 0, 2, 2, 0, false, true, false }, { 1, 1, 1, 0, true, false, false },
		{ 0, 1, 2, 0, true, false, true },
	};
	struct bench *b = *state;
	struct seen seen = { 0 };
	unsigned cases = 0, count;

	for (size_t i = 0; i < ARRAY_SIZE(plans); i++) {
		struct matrix matrix = {
			.process = CONNECT, .depth = plans[i].depth, .then = matrix_go_on, .arg = &seen
		};
		struct snapshot start;

		prepare(b, &plans[i]);
		snapshot_take(b, &start);
		count = matrix_run(b, &start, &matrix);
		snapshot_free(&start);
		print_message("# plan %zu: %u cases\n", i, count);
		cases += count;
	}
	print_message("# %u cases, %u states in which a connect can leave world and journal\n", cases,
		      seen.count);
	assert_in_range(cases, 1500, 3000);
	seen_free(&seen);
}

/* In the middle of the matrix of a connect: that of a teardown. */
static void tear_down(struct bench *b, void *arg)
{
	struct undoing *undoing = arg;
	struct matrix matrix = {
		.process = TEARDOWN, .depth = undoing->depth, .then = matrix_go_on, .arg = &undoing->ends
	};
	struct snapshot here;

	snapshot_take(b, &here);
	if (seen_add(&undoing->starts, here.key))
		undoing->cases += matrix_run(b, &here, &matrix);
	snapshot_free(&here);
}

static void from_wherever_a_connect_ended_a_teardown_puts_all_back(void **state)
{
	static const struct trial plans[] = {
		{ 0, 1, 1, 2, true, false, false }, { 0, 1, 2, 1, true, false, false },
		{ 0, 2, 1, 1, true, false, false }, { 0, 2, 1, 1, false, true, false },
		{ 1, 1, 1, 1, true, false, false }, { 0, 1, 1, 1, true, false, true },
	};
	struct undoing undoing = { .depth = 0 };
	struct bench *b = *state;

	for (size_t i = 0; i < ARRAY_SIZE(plans); i++) {
		struct matrix matrix = {
			.process = CONNECT, .depth = plans[i].depth, .then = tear_down, .arg = &undoing
		};
		struct snapshot start;
		unsigned before = undoing.cases, outer;

		undoing.depth = plans[i].undo_depth;
		prepare(b, &plans[i]);
		snapshot_take(b, &start);
		outer = matrix_run(b, &start, &matrix);
		snapshot_free(&start);
		print_message("# plan %zu: %u cases of a connect, %u states, %u cases of a teardown\n", i,
			      outer, undoing.starts.count, undoing.cases - before);
	}
	print_message("# %u states in which a teardown can leave them\n", undoing.ends.count);
	seen_free(&undoing.starts);
	seen_free(&undoing.ends);
}

static void limit_file(rlim_t size)
{
	struct rlimit limit;

	assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
	limit.rlim_cur = size;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

/* So much room is left on the disk: for each line of connect and of teardown, cut anywhere. */
static void a_disk_that_fills_up_hides_nothing(void **state)
{
	static const struct trial fresh = { 0, 2, 0, 0, true, false, false };
	struct bench *b = *state;
	struct snapshot start[2];
	struct seen seen = { 0 };
	unsigned broken_off = 0;

	(void)signal(SIGXFSZ, SIG_IGN);
	prepare(b, &fresh);
	snapshot_take(b, &start[0]);
	process_run(b, CONNECT);
	snapshot_take(b, &start[1]);
	for (unsigned i = 0; i < 2 * 1900; i += 13) {
		unsigned room = i / 2, way = i % 2;

		snapshot_restore(b, &start[way]);
		b->world.disk_full = true;
		limit_file(room + (start[way].journal ? strlen(start[way].journal) : 0));
		process_run(b, way ? TEARDOWN : CONNECT);
		limit_file(RLIM_INFINITY);
		broken_off += b->result < 0;
		if (!b->wrong)
			matrix_go_on(b, &seen);
		if (b->wrong)
			fail_msg("%s: disk full after %u bytes more, way %u", b->wrong, room, way);
	}
	assert_in_range(broken_off, 150, 280);
	snapshot_free(&start[0]);
	snapshot_free(&start[1]);
	seen_free(&seen);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, bench_setup, bench_teardown)
	const struct CMUnitTest tests[] = {
		TEST(whatever_happens_the_journal_says_what_was_changed),
		TEST(from_wherever_a_connect_ended_a_teardown_puts_all_back),
		TEST(a_disk_that_fills_up_hides_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
