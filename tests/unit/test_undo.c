/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What becomes of a controller that is to go, over a world in memory. tests/fault has what can go wrong in
 * all combinations. */
#include "unit/undo_world.h"

static void what_is_ours_goes_and_its_journal_with_it(void **state)
{
	struct bench *b = *state;

	connected(b);
	assert_int_equal(undo(b, 0, false), 0);
	assert_int_equal(b->world.ctrls, 0);
	assert_false(b->data.there);
	assert_steps(b, 3, 0, 0);
	for (unsigned i = 0; i < STEPS; i++) {
		assert_path(b, i, PATH_DISCONNECTED, PATH_REASON_NONE);
		assert_int_equal(b->plan->path[i].ctrl, -1);
	}
}

static void what_is_gone_already_closes_its_claim_without_an_effect(void **state)
{
	struct bench *b = *state;
	char records[64];

	connected(b);
	fake_disconnect(&b->world, id_of(b, 1));
	b->world.fail = (struct fake_when){ 0, 1 }; /* so that the journal stays */
	b->steps->step[1].state = STEP_SKIPPED;	    /* it was planned so */
	assert_int_equal(undo(b, 0, false), 0);
	assert_int_equal(b->world.effects, 2);
	assert_path(b, 1, PATH_NONE, PATH_REASON_NONE);
	assert_int_equal(b->steps->step[1].state, STEP_SKIPPED);
	assert_false(claimed(b, 1));
	assert_string_equal(records_of(b, 1, records), "done");
}

static void what_goes_between_two_looks_was_gone(void **state)
{
	struct bench *b = *state;

	connected(b);
	outsider_removing(b, 1, 1, FAKE_DISCONNECTS);
	assert_int_equal(undo(b, 0, false), 0);
	assert_path(b, 1, PATH_NONE, PATH_REASON_NONE);
	assert_path(b, 0, PATH_DISCONNECTED, PATH_REASON_NONE);
	assert_false(b->data.there);
}

static void what_somebody_made_anew_stays_whenever_it_came(void **state)
{
	struct bench *b = *state;
	char records[64];

	for (unsigned call = 0; call < 2; call++) {
		connected(b);
		outsider_removing(b, 1, call, FAKE_REMAKES);
		assert_int_equal(undo(b, 0, false), 0);
		assert_int_equal(b->world.ctrls, 1);
		assert_path(b, 1, PATH_FOREIGN, PATH_NOT_OURS);
		assert_string_equal(b->plan->path[1].message, WAY(2) NOT_OURS);
		assert_int_equal(b->steps->step[1].state, STEP_SKIPPED);
		assert_true(claimed(b, 1));
		assert_string_equal(records_of(b, 1, records), call == 0 ? "" : "intent undone");
	}
}

static void what_cannot_be_told_from_ours_stays(void **state)
{
	struct bench *b = *state;

	connected(b);
	ctrl_of(b, 1)->inode = 0; /* it could not be read */
	assert_int_equal(undo(b, 0, false), 0);
	assert_path(b, 1, PATH_FOREIGN, PATH_NOT_OURS);
	assert_non_null(ctrl_of(b, 1));
}

static void what_is_in_the_registry_stays(void **state)
{
	struct bench *b = *state;

	connected(b);
	outsider_removing(b, 1, 0, FAKE_REGISTERS);
	assert_int_equal(undo(b, 0, false), 0);
	assert_path(b, 1, PATH_FOREIGN, PATH_NOT_OURS);
	assert_non_null(ctrl_of(b, 1));
	assert_true(claimed(b, 1));
}

static void a_controller_whose_connect_was_never_over_goes_by_its_names(void **state)
{
	struct bench *b = *state;

	b->world.fail = (struct fake_when){ 0, 2 }; /* its inode is not in the journal */
	assert_int_equal(run(b), -EIO);
	b->steps->step[0].kind = STEP_NVME_DISCONNECT;
	b->steps->count = 1;
	fake_world_next(&b->world);
	assert_int_equal(undo(b, 0, false), 0);
	assert_int_equal(b->world.ctrls, 0);
	assert_false(b->data.there);
}

static void what_is_not_gone_in_time_keeps_its_intent_open(void **state)
{
	struct bench *b = *state;
	char records[64];

	connected(b);
	b->world.fail = (struct fake_when){ 1, 1 };
	b->world.failure = FAKE_LATE;
	assert_int_equal(undo(b, 0, false), 0);
	assert_left(b, 1, PATH_PENDING,
		    WAY(2) "it is being deleted, and was not gone in time: the kernel goes on with it; run "
			   "teardown again to see");
	assert_string_equal(records_of(b, 1, records), "intent");
	assert_path(b, 0, PATH_DISCONNECTED, PATH_REASON_NONE);
	assert_path(b, 2, PATH_DISCONNECTED, PATH_REASON_NONE);

	fake_world_next(&b->world); /* and it is watched the next time */
	b->steps->step[0] = b->steps->step[1];
	b->steps->count = 1;
	b->plan->path[1].reason = PATH_REASON_NONE;
	assert_int_equal(undo(b, 0, false), 0);
	assert_path(b, 1, PATH_DISCONNECTED, PATH_REASON_NONE);
	assert_false(b->data.there);
}

static void what_the_kernel_refuses_to_delete_keeps_its_claim(void **state)
{
	static const struct {
		enum fake_failure failure;
		enum path_reason reason;
		const char *message;
	} cases[] = {
		{ FAKE_BUSY, PATH_FIRST_CONNECT,
		  WAY(2) "its first connect still runs, and the kernel does not delete it before that is "
			 "over; "
			 "run teardown again then" },
		{ FAKE_LEFTOVER, PATH_OTHER, "the kernel refused" },
		{ FAKE_ERROR, PATH_OTHER, "no child" },
	};
	struct bench *b = *state;
	char records[64];

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		connected(b);
		b->world.fail = (struct fake_when){ 1, 1 };
		b->world.failure = cases[i].failure;
		assert_int_equal(undo(b, 0, false), 0);
		assert_left(b, 1, cases[i].reason, cases[i].message);
		assert_string_equal(records_of(b, 1, records), "intent undone");
		assert_path(b, 0, PATH_DISCONNECTED, PATH_REASON_NONE);
	}
}

/* --- one at once ------------------------------------------------------------------------------------------
 */

static enum step_state undo_one(struct bench *b, int code, const char *left)
{
	struct step *step = &b->steps->step[1];
	struct journal *journal = NULL;
	struct err why = { 0 };

	open_run(b, &journal);
	assert_int_equal(undo_at_once(&b->fx, journal, step, 1, &why, &b->err), code);
	close_run(b, journal);
	assert_string_equal(why.msg, left);
	return step->state;
}

static void one_goes_at_once(void **state)
{
	struct bench *b = *state;

	connected(b);
	b->world.stop = 0;
	assert_int_equal(undo_one(b, 0, ""), STEP_DONE);
	assert_int_equal(b->world.ctrls, 2);
	assert_false(claimed(b, 1));
	b->steps->step[1].state = STEP_WOULD;
	fake_world_next(&b->world);
	outsider_removing(b, 1, 0, FAKE_CONNECTS);
	fake_step(&b->steps->step[1], 1);
	b->steps->step[1].kind = STEP_NVME_DISCONNECT;
	assert_int_equal(undo_one(b, 0, "another controller has its names now"), STEP_FAILED);
	assert_int_equal(b->world.ctrls, 3);
}

static void one_that_does_not_go_says_why(void **state)
{
	static const struct {
		enum fake_failure failure;
		const char *left;
	} cases[] = {
		{ FAKE_ERROR, "no child" },
		{ FAKE_LEFTOVER, "the kernel refused" },
		{ FAKE_BUSY, "its first connect still runs" },
		{ FAKE_LATE, "it is being deleted, and was not gone in time" },
	};
	struct bench *b = *state;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		connected(b);
		b->world.fail = (struct fake_when){ 1, 1 };
		b->world.failure = cases[i].failure;
		assert_int_equal(undo_one(b, 0, cases[i].left), STEP_FAILED);
		assert_true(claimed(b, 1));
	}
	connected(b);
	fake_disconnect(&b->world, id_of(b, 1));
	assert_int_equal(undo_one(b, 0, ""), STEP_SKIPPED);
	assert_false(claimed(b, 1));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, bench_setup, bench_teardown)
	const struct CMUnitTest tests[] = {
		TEST(what_is_ours_goes_and_its_journal_with_it),
		TEST(what_is_gone_already_closes_its_claim_without_an_effect),
		TEST(what_goes_between_two_looks_was_gone),
		TEST(what_somebody_made_anew_stays_whenever_it_came),
		TEST(what_cannot_be_told_from_ours_stays),
		TEST(what_is_in_the_registry_stays),
		TEST(a_controller_whose_connect_was_never_over_goes_by_its_names),
		TEST(what_is_not_gone_in_time_keeps_its_intent_open),
		TEST(what_the_kernel_refuses_to_delete_keeps_its_claim),
		TEST(one_goes_at_once),
		TEST(one_that_does_not_go_says_why),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
