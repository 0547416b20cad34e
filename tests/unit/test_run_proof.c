/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The run loop where queues are on the wrong device, or nobody can say on which they are. */
#include "apply/run.h"

#include <sys/stat.h>

#include "unit/run_world.h"

static void a_failed_proof_disconnects_and_ends_the_run(void **state)
{
	struct bench *b = *state;

	fail_at(b, 1, 3, FAKE_LEFTOVER);
	assert_int_equal(run(b), 0);
	assert_failed(b, 2, WAY(3) "not begun: a path before it was on the wrong device");
	assert_int_equal(b->world.ctrls, 1);
	assert_int_equal(b->plan->path[1].action, PATH_DISCONNECTED);
	assert_int_equal(b->plan->path[1].reason, PATH_PROOF_MISMATCH);
	assert_string_equal(b->plan->path[1].message, "is on mlx5_0; it was disconnected again");
	assert_int_equal(b->steps->count, STEPS + 1);
	assert_int_equal(b->steps->step[1].state, STEP_DONE);
	assert_int_equal(b->steps->step[2].state, STEP_SKIPPED);
	assert_int_equal(b->steps->step[3].kind, STEP_NVME_DISCONNECT);
	assert_int_equal(b->steps->step[3].state, STEP_DONE);
	assert_true(owned(b, 0));
	assert_false(owned(b, 1));
	assert_int_equal(b->data.rec[6].step, 4);
	assert_string_equal(b->data.rec[6].after, "absent");
}

static void a_mismatch_that_cannot_be_disconnected_stays_ours(void **state)
{
	static const struct {
		enum fake_failure failure;
		const char *why;
	} cases[] = {
		{ FAKE_ERROR, "no child" },
		{ FAKE_LEFTOVER, "the kernel refused" },
		{ FAKE_BUSY, "its first connect still runs" },
		{ FAKE_LATE, "it is being deleted, and was not gone in time" },
	};
	struct bench *b = *state;
	char text[256];

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		fake_world_init(&b->world, &b->root);
		b->world.verdict = VERDICT_MISMATCH;
		fail_at(b, 0, 5, cases[i].failure);
		b->steps->count = STEPS;
		(void)unlinkat(b->root.fd, JOURNAL_DIR "/" JOURNAL_FILE, 0);
		assert_int_equal(run(b), 0);
		assert_int_equal(b->plan->path[0].action, PATH_FAILED);
		assert_int_equal(b->plan->path[0].reason, PATH_PROOF_MISMATCH);
		(void)snprintf(text, sizeof(text),
			       "is on mlx5_0; it could not be disconnected: %s; remove it with teardown",
			       cases[i].why);
		assert_string_equal(b->plan->path[0].message, text);
		assert_steps(b, 1, 2, 0);
		assert_int_equal(b->steps->step[3].state, STEP_FAILED);
		assert_true(owned(b, 0));
	}
}

static void a_mismatch_that_somebody_else_made_anew_stays(void **state)
{
	struct bench *b = *state;

	b->world.verdict = VERDICT_MISMATCH;
	outsider_at(b, 0, 4, FAKE_REMAKES);
	assert_int_equal(run(b), 0);
	assert_int_equal(b->world.ctrls, 1);
	assert_int_equal(b->world.effects, 1);
	assert_string_equal(b->plan->path[0].message,
			    "is on mlx5_0; it could not be disconnected: another controller has its names "
			    "now; remove it with teardown");
}

/* As if the disk were full, as soon as the kernel has connected. */
static int filling_perform(void *ctx, const struct step *step, enum path_reason *ret_reason, struct err *err)
{
	struct fake_world *world = ctx;
	struct stat st;

	assert_int_equal(fstatat(world->root->fd, JOURNAL_DIR "/" JOURNAL_FILE, &st, 0), 0);
	limit_file((rlim_t)st.st_size);
	world->disk_full = true;
	return fake_fx(world).perform(ctx, step, ret_reason, err);
}

static void a_mismatch_is_disconnected_even_if_the_journal_takes_nothing_more(void **state)
{
	struct bench *b = *state;

	b->world.verdict = VERDICT_MISMATCH;
	b->fx.perform = filling_perform;
	run_within(b, RLIM_INFINITY);
	assert_non_null(strstr(b->err.msg, "make room in /run"));
	assert_int_equal(b->world.ctrls, 0);
	assert_int_equal(b->world.effects, 2);
	assert_int_equal(b->plan->path[0].action, PATH_DISCONNECTED);
	assert_int_equal(b->plan->path[0].reason, PATH_PROOF_MISMATCH);
	assert_string_equal(b->plan->path[0].message, "is on mlx5_0; it was disconnected again");
	assert_failed(b, 1, WAY(2) "not begun: the journal failed");
}

static void what_the_journal_could_not_take_is_compared_before_it_is_disconnected(void **state)
{
	struct bench *b = *state;

	b->world.verdict = VERDICT_MISMATCH;
	b->fx.perform = filling_perform;
	outsider_at(b, 0, 4, FAKE_REMAKES);
	run_within(b, RLIM_INFINITY);
	assert_int_equal(b->world.ctrls, 1);
	assert_int_equal(b->plan->path[0].action, PATH_FAILED);
	assert_int_equal(b->steps->step[0].inode, 1000);
}

static void a_connect_whose_outcome_cannot_be_written_is_proven_and_the_last(void **state)
{
	struct bench *b = *state;

	b->fx.perform = filling_perform;
	run_within(b, RLIM_INFINITY);
	assert_int_equal(b->world.ctrls, 1);
	assert_int_equal(b->plan->path[0].action, PATH_CONNECTED);
	assert_int_equal(b->plan->path[0].proof, PROOF_RDMA_NETLINK);
	assert_failed(b, 2, WAY(3) "not begun: the journal failed");
	assert_true(owned(b, 0));
}

static void a_connect_that_cannot_be_read_back_is_proven_too(void **state)
{
	struct bench *b = *state;

	b->world.verdict = VERDICT_MISMATCH;
	fail_at(b, 0, 2, FAKE_ERROR);
	assert_int_equal(run(b), -EIO);
	assert_int_equal(b->world.ctrls, 0);
	assert_int_equal(b->plan->path[0].action, PATH_DISCONNECTED);
	assert_false(owned(b, 0));
	assert_failed(b, 1, WAY(2) "not begun: what is there could not be read");
}

static void a_connect_that_cannot_be_read_back_is_not_called_connected(void **state)
{
	struct bench *b = *state;

	fail_at(b, 0, 2, FAKE_ERROR);
	assert_int_equal(run(b), -EIO);
	assert_int_equal(b->world.ctrls, 1);
	assert_failed(b, 0, WAY(1) "the kernel says that it is connected, and that could not be read back");
	assert_int_equal(b->plan->path[0].proof, PROOF_NONE);
	assert_true(owned(b, 0));
}

static void a_mismatch_that_cannot_be_looked_for_is_disconnected(void **state)
{
	struct bench *b = *state;

	b->world.verdict = VERDICT_MISMATCH;
	fail_at(b, 0, 4, FAKE_ERROR); /* observing before the disconnect */
	assert_int_equal(run(b), -EIO);
	assert_int_equal(b->world.ctrls, 0);
	assert_int_equal(b->plan->path[0].action, PATH_DISCONNECTED);
	assert_false(owned(b, 0));
}

/* An outsider makes the first step's controller after the plan was made. */
static int run_meanwhile(struct bench *b, enum proof_verdict verdict)
{
	outsider_at(b, 0, 0, FAKE_CONNECTS);
	b->world.verdict = verdict;
	return run(b);
}

static void what_came_meanwhile_on_the_wrong_device_stays_and_ends_the_run(void **state)
{
	struct bench *b = *state;

	assert_int_equal(run_meanwhile(b, VERDICT_MISMATCH), 0);
	assert_int_equal(b->world.effects, 0);
	assert_int_equal(b->world.ctrls, 1);
	assert_int_equal(b->plan->path[0].action, PATH_KEPT);
	assert_int_equal(b->plan->path[0].reason, PATH_PROOF_MISMATCH);
	assert_string_equal(b->plan->path[0].message,
			    "is on mlx5_0; this run did not make it; remove it: nvme disconnect -d nvme0");
	assert_failed(b, 1, WAY(2) "not begun: a path before it was on the wrong device");
	assert_steps(b, 0, 3, 0);
}

static void what_came_meanwhile_and_is_not_proven_says_why(void **state)
{
	struct bench *b = *state;

	assert_int_equal(run_meanwhile(b, VERDICT_UNKNOWN), 0);
	assert_int_equal(b->plan->path[0].action, PATH_KEPT);
	assert_int_equal(b->plan->path[0].reason, PATH_REASON_NONE);
	assert_string_equal(b->plan->path[0].message, "cannot be read");
	assert_steps(b, 2, 1, 0);
}

static void a_path_whose_proof_is_unknown_stays(void **state)
{
	struct bench *b = *state;

	b->world.verdict = VERDICT_UNKNOWN;
	assert_int_equal(run(b), 0);
	assert_steps(b, 3, 0, 0);
	assert_int_equal(b->plan->path[0].action, PATH_CONNECTED);
	assert_int_equal(b->plan->path[0].proof, PROOF_NONE);
	assert_string_equal(b->plan->path[0].message, "cannot be read");
	assert_true(owned(b, 0));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, bench_setup, bench_teardown)
	const struct CMUnitTest tests[] = {
		TEST(a_failed_proof_disconnects_and_ends_the_run),
		TEST(a_mismatch_that_cannot_be_disconnected_stays_ours),
		TEST(a_mismatch_that_somebody_else_made_anew_stays),
		TEST(a_mismatch_is_disconnected_even_if_the_journal_takes_nothing_more),
		TEST(what_the_journal_could_not_take_is_compared_before_it_is_disconnected),
		TEST(a_connect_whose_outcome_cannot_be_written_is_proven_and_the_last),
		TEST(a_connect_that_cannot_be_read_back_is_proven_too),
		TEST(a_connect_that_cannot_be_read_back_is_not_called_connected),
		TEST(a_mismatch_that_cannot_be_looked_for_is_disconnected),
		TEST(what_came_meanwhile_on_the_wrong_device_stays_and_ends_the_run),
		TEST(what_came_meanwhile_and_is_not_proven_says_why),
		TEST(a_path_whose_proof_is_unknown_stays),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
