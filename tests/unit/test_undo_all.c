/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Several removals: their order, and what ends them, over a world in memory. tests/fault has what can go
 * wrong in all combinations. */
#include <sys/stat.h>

#include "unit/undo_world.h"

/* What the world was asked for, as "r0" for a removal of object 0 and "?" for a look at one. */
static char asked[64];
static enum removal (*removed_of_world)(void *ctx, unsigned job, struct err *err);
static int (*remove_of_world)(void *ctx, const struct step *step, const struct observed *found,
			      unsigned *ret_job, struct err *err);

static int noting_remove(void *ctx, const struct step *step, const struct observed *found, unsigned *ret_job,
			 struct err *err)
{
	str_append(asked, sizeof(asked), "r%d", step->path);
	return remove_of_world(ctx, step, found, ret_job, err);
}

static enum removal noting_removed(void *ctx, unsigned job, struct err *err)
{
	str_append(asked, sizeof(asked), "?");
	return removed_of_world(ctx, job, err);
}

static void all_are_begun_in_their_order_before_one_is_awaited(void **state)
{
	struct bench *b = *state;

	connected(b);
	asked[0] = '\0';
	remove_of_world = b->fx.remove;
	removed_of_world = b->fx.removed;
	b->fx.remove = noting_remove;
	b->fx.removed = noting_removed;
	assert_int_equal(undo(b, 0, false), 0);
	assert_string_equal(asked, "r2r1r0??????");
	connected(b);
	asked[0] = '\0';
	assert_int_equal(undo(b, 2, false), 0); /* from the third step on */
	assert_string_equal(asked, "r0??");
	assert_int_equal(b->world.ctrls, 2);
	assert_int_equal(undo(b, STEPS, false), 0);
	assert_int_equal(b->world.ctrls, 2);
}

static void what_is_not_ours_or_no_removal_refuses_the_whole_list(void **state)
{
	struct bench *b = *state;

	connected(b);
	b->steps->step[2].kind = STEP_NVME_CONNECT;
	assert_int_equal(undo(b, 0, false), -EINVAL);
	b->steps->step[2].kind = STEP_NVME_DISCONNECT;
	b->steps->step[2].path = STEPS;
	assert_int_equal(undo(b, 0, false), -EINVAL);
	fake_step(&b->steps->step[2], 0);
	b->steps->step[2].kind = STEP_NVME_DISCONNECT;
	str_format(b->steps->step[2].id.host_traddr, IP_TEXT_MAX, "10.10.1.9");
	fake_connect(&b->world, &b->steps->step[2].id, false);
	assert_int_equal(undo(b, 0, false), -EPERM);
	assert_int_equal(b->err.exit, XC_REFUSED);
	assert_non_null(strstr(b->err.msg, "nothing was done"));
	assert_int_equal(b->world.ctrls, 4);
	assert_int_equal(b->world.all_calls, 0);
}

static void what_cannot_be_read_ends_the_beginning_and_not_the_waiting(void **state)
{
	struct bench *b = *state;

	connected(b);
	b->world.fail = (struct fake_when){ 1, 0 };
	assert_int_equal(undo(b, 0, false), -EIO);
	assert_path(b, 2, PATH_DISCONNECTED, PATH_REASON_NONE);
	assert_left(b, 1, PATH_OTHER, "sysfs could not be read");
	assert_failed(b, 0, WAY(1) "not begun: what is there could not be read");
	assert_int_equal(b->world.ctrls, 2);
	assert_false(claimed(b, 2));
	assert_true(claimed(b, 0));
}

static void nothing_is_begun_after_a_stop_and_what_was_is_awaited(void **state)
{
	struct bench *b = *state;

	connected(b);
	b->world.stop = 2; /* during the first */
	assert_int_equal(undo(b, 0, false), 0);
	assert_path(b, 2, PATH_DISCONNECTED, PATH_REASON_NONE);
	assert_failed(b, 1, WAY(2) "not begun: stopped by a signal");
	assert_int_equal(b->world.ctrls, 2);
	assert_steps(b, 1, 2, 0);
}

static void a_rollback_is_not_stopped(void **state)
{
	struct bench *b = *state;

	connected(b);
	b->world.stop = 0;
	assert_int_equal(undo(b, 0, true), 0);
	assert_int_equal(b->world.ctrls, 0);
	assert_steps(b, 3, 0, 0);
}

/* The journal takes nothing more. */
static int undo_on_full_disk(struct bench *b, bool rollback)
{
	struct stat st;
	int r;

	connected(b);
	b->world.disk_full = true;
	assert_int_equal(fstatat(b->root.fd, JOURNAL_DIR "/" JOURNAL_FILE, &st, 0), 0);
	(void)signal(SIGXFSZ, SIG_IGN);
	limit_file((rlim_t)st.st_size);
	r = undo(b, 0, rollback);
	limit_file(RLIM_INFINITY);
	assert_int_equal(b->err.exit, XC_ENVIRONMENT);
	assert_non_null(strstr(b->err.msg, "make room in /run"));
	return r;
}

static void a_full_disk_keeps_a_teardown_from_removing_and_no_rollback(void **state)
{
	struct bench *b = *state;

	assert_true(undo_on_full_disk(b, false) < 0);
	assert_int_equal(b->world.ctrls, 3);
	assert_non_null(strstr(b->plan->path[2].message, "make room in /run"));
	assert_failed(b, 1, WAY(2) "not begun: the journal failed");
	assert_true(undo_on_full_disk(b, true) < 0);
	assert_int_equal(b->world.ctrls, 0);
	assert_steps(b, 3, 0, 0);
	for (unsigned i = 0; i < STEPS; i++)
		assert_true(claimed(b, i)); /* the next teardown finds it gone */
}

static void a_rollback_looks_twice_and_removes_nothing_unseen(void **state)
{
	struct bench *b = *state;

	connected(b);
	b->world.fail = (struct fake_when){ 1, 0 };
	assert_int_equal(undo(b, 0, true), -EIO);
	assert_int_equal(b->world.ctrls, 0);
	connected(b);
	b->world.fail = (struct fake_when){ 1, 0 };
	outsider_removing(b, 1, 0, FAKE_REMAKES);
	assert_int_equal(undo(b, 0, true), -EIO);
	assert_int_equal(b->world.ctrls, 1);
	assert_path(b, 1, PATH_FOREIGN, PATH_NOT_OURS);
}

static int blind_observe(void *ctx, const struct step *step, struct observed *ret, struct err *err)
{
	(void)ctx;
	*ret = (struct observed){ .there = true, .instance = -1 };
	return err_set(err, XC_ENVIRONMENT, -EIO, step->id.nqn, "sysfs is gone");
}

static void what_can_never_be_seen_is_not_removed(void **state)
{
	struct bench *b = *state;

	connected(b);
	b->fx.observe = blind_observe;
	assert_int_equal(undo(b, 0, true), -EIO);
	assert_int_equal(b->world.ctrls, 3);
	assert_int_equal(b->world.effects, 0);
	assert_left(b, 1, PATH_OTHER, "sysfs is gone");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, bench_setup, bench_teardown)
	const struct CMUnitTest tests[] = {
		TEST(all_are_begun_in_their_order_before_one_is_awaited),
		TEST(what_is_not_ours_or_no_removal_refuses_the_whole_list),
		TEST(what_cannot_be_read_ends_the_beginning_and_not_the_waiting),
		TEST(nothing_is_begun_after_a_stop_and_what_was_is_awaited),
		TEST(a_rollback_is_not_stopped),
		TEST(a_full_disk_keeps_a_teardown_from_removing_and_no_rollback),
		TEST(a_rollback_looks_twice_and_removes_nothing_unseen),
		TEST(what_can_never_be_seen_is_not_removed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
