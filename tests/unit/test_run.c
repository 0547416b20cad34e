/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The run loop over a world in memory. */
#include "apply/run.h"

#include <sys/stat.h>

#include "unit/run_world.h"

static void a_connect_is_written_down_done_and_proven(void **state)
{
	struct bench *b = *state;

	assert_int_equal(run(b), 0);
	assert_steps(b, 3, 0, 0);
	assert_int_equal(b->world.ctrls, 3);
	for (unsigned i = 0; i < STEPS; i++) {
		assert_int_equal(b->steps->step[i].state, STEP_DONE);
		assert_int_equal(b->plan->path[i].action, PATH_CONNECTED);
		assert_int_equal(b->plan->path[i].owner, OWNER_US);
		assert_int_equal(b->plan->path[i].proof, PROOF_RDMA_NETLINK);
		assert_true(owned(b, i));
	}
	assert_int_equal(b->data.records, 1 + 2 * STEPS + 1);
	assert_string_equal(b->data.rec[1].before, "absent");
	assert_string_equal(b->data.rec[2].after, "live");
	assert_int_equal(b->data.rec[2].cntlid, 1);
	assert_int_equal(b->data.rec[2].inode, fake_find(&b->world, &b->steps->step[0].id)->inode);
	assert_false(b->data.unfinished);
}

static void a_controller_that_is_live_is_kept_without_a_trace(void **state)
{
	struct bench *b = *state;

	for (unsigned i = 0; i < STEPS; i++)
		fake_connect(&b->world, &b->steps->step[i].id, false);
	assert_int_equal(run(b), 0);
	assert_steps(b, 0, 3, 0);
	assert_int_equal(b->world.effects, 0);
	assert_int_equal(b->plan->path[0].action, PATH_KEPT);
	assert_int_equal(b->plan->path[0].proof, PROOF_RDMA_NETLINK);
	assert_int_equal(b->steps->step[0].state, STEP_SKIPPED);
	assert_false(b->data.there);
}

static void a_controller_that_is_not_live_is_left_alone(void **state)
{
	struct bench *b = *state;

	strcpy(fake_connect(&b->world, &b->steps->step[1].id, false)->state, "connecting");
	assert_int_equal(run(b), 0);
	assert_int_equal(b->world.effects, 2);
	assert_int_equal(b->steps->step[1].state, STEP_FAILED);
	assert_int_equal(b->plan->path[1].reason, PATH_OTHER);
	assert_failed(b, 1,
		      WAY(2) "such a controller is there, in state connecting; wait until it is live, or "
			     "disconnect it");
	assert_false(owned(b, 1));
}

static void a_source_that_left_its_port_is_not_connected_from(void **state)
{
	struct bench *b = *state;

	b->world.source_gone = true;
	assert_int_equal(run(b), 0);
	assert_int_equal(b->world.effects, 0);
	assert_steps(b, 0, 0, 3);
	assert_int_equal(b->plan->path[2].reason, PATH_ADDRESS_MISSING);
	assert_string_equal(b->plan->path[2].message,
			    WAY(3) "source 10.10.3.1 is no longer on port 0000:2b:00.0");
}

static void one_step_off_storage_refuses_the_whole_list(void **state)
{
	static const enum role roles[] = { ROLE_COMPUTE, ROLE_OTHER, ROLE_MANAGEMENT };
	struct bench *b = *state;

	for (size_t i = 0; i < ARRAY_SIZE(roles); i++) {
		b->steps->step[2].role = roles[i];
		b->err = (struct err){ 0 };
		assert_int_equal(run(b), -EPERM);
		assert_int_equal(b->err.exit, XC_REFUSED);
		assert_non_null(strstr(b->err.msg, "0000:2b:00.0"));
		assert_int_equal(b->world.all_calls, 0);
		assert_steps(b, 0, 3, 0);
		assert_failed(b, 0, WAY(1) "not begun: the plan holds a step that is refused");
		assert_false(b->data.there);
	}
}

static void a_failed_connect_does_not_stop_the_others(void **state)
{
	struct bench *b = *state;

	fail_at(b, 0, 1, FAKE_ERROR);
	assert_int_equal(run(b), 0);
	assert_steps(b, 2, 0, 1);
	assert_int_equal(b->plan->path[0].action, PATH_FAILED);
	assert_int_equal(b->plan->path[0].reason, PATH_NO_ANSWER);
	assert_string_equal(b->plan->path[0].message, "no answer");
	assert_false(owned(b, 0));
	assert_true(owned(b, 1));
	assert_int_equal(b->data.rec[2].state, JOURNAL_UNDONE);
}

static void what_a_failed_connect_left_is_ours(void **state)
{
	struct bench *b = *state;

	fail_at(b, 0, 1, FAKE_LEFTOVER);
	assert_int_equal(run(b), 0);
	assert_int_equal(b->plan->path[0].action, PATH_FAILED);
	assert_int_equal(b->plan->path[0].reason, PATH_TIMEOUT);
	assert_non_null(fake_find(&b->world, &b->steps->step[0].id));
	assert_true(owned(b, 0));
}

static void what_somebody_else_connected_meanwhile_is_theirs(void **state)
{
	struct bench *b = *state;

	outsider_at(b, 0, 1, FAKE_CONNECTS); /* after the intent, before the effect */
	assert_int_equal(run(b), 0);
	assert_int_equal(b->plan->path[0].action, PATH_FAILED);
	assert_non_null(fake_find(&b->world, &b->steps->step[0].id));
	assert_false(owned(b, 0));
}

static void a_controller_that_is_not_found_after_its_connect_may_be_ours_still(void **state)
{
	struct bench *b = *state;

	outsider_at(b, 0, 2, FAKE_DISCONNECTS);
	assert_int_equal(run(b), 0);
	assert_steps(b, 2, 0, 1);
	assert_failed(b, 0,
		      WAY(1) "the kernel says that it is connected, and no such controller is there; look "
			     "with nvme list-subsys");
	assert_true(owned(b, 0));
}

static void nothing_is_begun_after_a_stop(void **state)
{
	struct bench *b = *state;

	b->world.stop = 2; /* during the first step */
	assert_int_equal(run(b), 0);
	assert_steps(b, 1, 2, 0);
	assert_failed(b, 1, WAY(2) "not begun: stopped by a signal");
	assert_int_equal(b->world.effects, 1);
	assert_int_equal(b->plan->path[0].proof, PROOF_RDMA_NETLINK);
}

static void a_connect_that_a_signal_ended_ends_the_run(void **state)
{
	struct bench *b = *state;

	fail_at(b, 1, 1, FAKE_STOPPED);
	assert_int_equal(run(b), 0);
	assert_steps(b, 1, 1, 1);
	assert_failed(b, 2, WAY(3) "not begun: stopped by a signal");
	assert_false(owned(b, 1));
}

static void without_room_for_the_intent_nothing_is_done(void **state)
{
	struct bench *b = *state;

	run_within(b, 400); /* head and begin fit */
	assert_int_equal(b->world.effects, 0);
	assert_steps(b, 0, 2, 1);
	assert_true(str_starts(b->plan->path[0].message, WAY(1) ""));
	assert_failed(b, 1, WAY(2) "not begun: the journal failed");
	assert_non_null(strstr(b->err.msg, "make room in /run"));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, bench_setup, bench_teardown)
	const struct CMUnitTest tests[] = {
		TEST(a_connect_is_written_down_done_and_proven),
		TEST(a_controller_that_is_live_is_kept_without_a_trace),
		TEST(a_controller_that_is_not_live_is_left_alone),
		TEST(a_source_that_left_its_port_is_not_connected_from),
		TEST(one_step_off_storage_refuses_the_whole_list),
		TEST(a_failed_connect_does_not_stop_the_others),
		TEST(what_a_failed_connect_left_is_ours),
		TEST(what_somebody_else_connected_meanwhile_is_theirs),
		TEST(a_controller_that_is_not_found_after_its_connect_may_be_ours_still),
		TEST(nothing_is_begun_after_a_stop),
		TEST(a_connect_that_a_signal_ended_ends_the_run),
		TEST(without_room_for_the_intent_nothing_is_done),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
