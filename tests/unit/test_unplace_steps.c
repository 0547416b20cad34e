/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Putting interrupts back to where they were, and lifting their bans. */
#include "unit/moving_world.h"

static void all_go_back_and_the_journal_with_them(void **state)
{
	struct bench *b = *state;
	char text[64];

	placed(b);
	assert_int_equal(unplace(b), 0);
	assert_string_equal(where(b, text), "1 2 3");
	assert_string_equal(actions(b, text), "restored restored restored");
	assert_string_equal(bans(b, text), "7");
	assert_string_equal(states(b, text), "done done done done done done");
	assert_int_equal(b->balance->state, IRQBALANCE_RUNNING);
	assert_false(root_exists(&b->root, JOURNAL));
	assert_true(cpuset_has(&b->affinity->irq[0].after, FAKE_CPU_KERNEL(0)));
}

static void interrupts_go_back_before_irqbalance_may_move_them(void **state)
{
	struct bench *b = *state;
	struct step step;

	placed(b);
	step = b->steps->step[0];
	b->steps->step[0] = b->steps->step[IRQS];
	b->steps->step[IRQS] = step;
	assert_int_equal(unplace(b), -EINVAL);
	assert_int_equal(b->world.effects, 0);
}

static void what_the_journal_does_not_know_is_refused(void **state)
{
	struct bench *b = *state;

	placed(b);
	str_format(b->steps->step[2].irq_name, IRQ_NAME_SIZE, "mlx5_comp9@pci:0000:29:00.0");
	assert_int_equal(unplace(b), -EPERM);
	assert_int_equal(b->err.exit, XC_REFUSED);
	plan_undo(b);
	b->steps->step[IRQS].irq_number = 7;
	assert_int_equal(unplace(b), -EPERM);
	plan_undo(b);
	b->steps->step[0].to = (struct cpuset){ 0 };
	assert_int_equal(unplace(b), -EINVAL);
	plan_undo(b);
	cpuset_add(&b->steps->step[IRQS].to, 0);
	assert_int_equal(unplace(b), -EINVAL);
	plan_undo(b);
	b->steps->step[0].kind = STEP_NVME_DISCONNECT;
	assert_int_equal(unplace(b), -EINVAL);
	assert_int_equal(b->world.all_calls, 0);
}

static void what_somebody_else_has_moved_is_left_until_it_is_forced(void **state)
{
	struct bench *b = *state;
	char text[64];

	for (unsigned call = 0; call < 2; call++) { /* the look, the move */
		fake_world_init(&b->world, &b->root);
		fake_irqs(&b->world, IRQS, true);
		(void)unlinkat(b->root.fd, JOURNAL, 0);
		placed(b);
		outsider_at(b, FAKE_IRQ(1), call, FAKE_MOVES);
		assert_int_equal(unplace(b), 0);
		assert_string_equal(where(b, text), "1 102 3");
		assert_string_equal(actions(b, text), "restored foreign restored");
		assert_message(b, 1,
			       "interrupt " NAME(1) ": somebody moved it to CPU 102 since; it is left there "
						    "(--force puts it back)");
		assert_string_equal(values(b, text), "52<2");
		fake_world_next(&b->world);
		plan_undo(b);
		b->world.forced = b->force = true;
		assert_int_equal(unplace(b), 0);
		assert_string_equal(where(b, text), "1 2 3");
		assert_false(root_exists(&b->root, JOURNAL));
		b->force = false;
	}
}

static void what_is_back_or_gone_is_closed_without_a_move(void **state)
{
	struct bench *b = *state;
	char text[64];

	placed(b);
	b->world.irq[0].gone = true;
	b->world.irq[1].affinity = b->steps->step[1].to;
	b->steps->count = 2;
	b->steps->step[0] = b->steps->step[2];
	assert_int_equal(unplace(b), 0);
	assert_int_equal(b->world.effects, 0);
	assert_string_equal(actions(b, text), "none kept set");
	assert_string_equal(states(b, text), "skipped skipped");
	assert_message(b, 0, "");
	assert_string_equal(values(b, text), "43! 44! 45! 54<3");
}

/* After the driver was loaded again: what was changed is gone, and the new one is where the kernel put it. */
static void another_one_of_the_same_name_is_left_alone(void **state)
{
	struct bench *b = *state;
	char text[64];

	placed(b);
	b->world.irq[1].number = 77;
	b->force = true;
	assert_int_equal(unplace(b), 0);
	assert_string_equal(actions(b, text), "restored none restored");
	assert_string_equal(where(b, text), "1 52 3");
	assert_string_equal(values(b, text), "");
}

/* Whatever the journal says: the last guard before the write. */
static void what_is_not_of_storage_is_not_written(void **state)
{
	struct bench *b = *state;
	char text[64];

	placed(b);
	b->force = true;
	for (unsigned i = 0; i < b->steps->count; i++) {
		if (b->steps->step[i].irq == 1)
			b->steps->step[i].role = ROLE_COMPUTE;
	}
	assert_int_equal(unplace(b), 0);
	assert_string_equal(actions(b, text), "restored failed restored");
	assert_string_equal(where(b, text), "1 52 3");
	assert_message(b, 1, "interrupt " NAME(1) ": its port is not storage, so it is not written");
}

/* The move of a run that was killed, and of one more, did not come about. */
static void a_move_that_was_only_begun_is_undone_wherever_it_is(void **state)
{
	struct bench *b = *state;
	char text[64];

	placed(b); /* to CPU 50 */
	plan(b);
	b->steps->count = 1;
	b->steps->step[0].to = (struct cpuset){ 0 };
	cpuset_add(&b->steps->step[0].to, FAKE_CORE(0) + 1);
	for (unsigned killed = 0; killed < 2; killed++) {
		struct journal *journal = open_run(b, "connect");

		assert_int_equal(journal_intent(journal, &b->steps->step[0], 1, "50", &b->err), 0);
		close_run(b, journal, false);
		assert_string_equal(values(b, text), "43! 44! 45! 51<1 52<2 54<3");
		assert_true(cpuset_has(&b->values->value[3].before_last, FAKE_CORE(0)));
	}
	fake_world_next(&b->world);
	plan_undo(b);
	assert_int_equal(unplace(b), 0);
	assert_string_equal(where(b, text), "1 2 3");
	assert_false(root_exists(&b->root, JOURNAL));
}

static void what_fails_stays_in_the_journal(void **state)
{
	static const struct {
		unsigned call;
		enum fake_failure failure;
		const char *actions, *values, *message;
	} cases[] = {
		{ 0, FAKE_ERROR, "restored failed restored", "52<2",
		  "interrupt " NAME(1) ": cannot be read" },
		{ 1, FAKE_ERROR, "restored failed restored", "52<2",
		  "interrupt " NAME(1) ": nobody can move it" },
		{ 1, FAKE_BUSY, "restored failed restored", "52<2",
		  "interrupt " NAME(1) ": no vector is left" },
		{ 1, FAKE_LEFTOVER, "restored restored restored", "", "" },
		{ 1, FAKE_LATE, "restored failed restored", "2<2",
		  "interrupt " NAME(1) ": cannot be read back; where it is now could not be read" },
	};
	struct bench *b = *state;
	char text[64];

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		fake_world_init(&b->world, &b->root);
		fake_irqs(&b->world, IRQS, true);
		(void)unlinkat(b->root.fd, JOURNAL, 0);
		placed(b);
		fail_at(b, FAKE_IRQ(1), cases[i].call, cases[i].failure);
		assert_int_equal(unplace(b), 0);
		assert_string_equal(actions(b, text), cases[i].actions);
		assert_string_equal(values(b, text), cases[i].values);
		assert_message(b, 1, cases[i].message);
	}
}

static void bans_of_another_daemon_are_none_of_ours(void **state)
{
	struct bench *b = *state;
	char text[64];

	placed(b);
	outsider_at(b, FAKE_DAEMON, FAKE_NEVER, FAKE_RESTARTS);
	fake_end(&b->world);
	fake_world_next(&b->world);
	assert_int_equal(unplace(b), 0);
	assert_string_equal(bans(b, text), "43");
	assert_string_equal(states(b, text), "done done done skipped skipped skipped");
	assert_false(root_exists(&b->root, JOURNAL));
}

static void bans_of_each_daemon_are_lifted_apart(void **state)
{
	struct bench *b = *state;
	char text[64];

	placed(b);
	b->steps->step[IRQS + 1].daemon = 0; /* as after a run that was killed */
	assert_int_equal(unplace(b), 0);
	assert_string_equal(bans(b, text), "7");
	assert_false(root_exists(&b->root, JOURNAL));
	assert_int_equal(b->world.calls[FAKE_DAEMON], 2);
}

static void bans_that_cannot_be_lifted_stay_in_the_journal(void **state)
{
	static const struct {
		enum fake_failure failure;
		enum irqbalance_state state;
		const char *values, *states;
	} cases[] = {
		{ FAKE_ERROR, IRQBALANCE_UNREACHABLE, "43! 44! 45!", "done done done failed failed failed" },
		{ FAKE_LATE, IRQBALANCE_UNREACHABLE, "43! 44! 45!", "done done done failed failed failed" },
		{ FAKE_LEFTOVER, IRQBALANCE_RUNNING, "", "done done done done done done" },
	};
	struct bench *b = *state;
	char text[64];

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		fake_world_init(&b->world, &b->root);
		fake_irqs(&b->world, IRQS, true);
		(void)unlinkat(b->root.fd, JOURNAL, 0);
		placed(b);
		fail_at(b, FAKE_DAEMON, 0, cases[i].failure);
		assert_int_equal(unplace(b), 0);
		assert_int_equal(b->balance->state, cases[i].state);
		assert_string_equal(values(b, text), cases[i].values);
		assert_string_equal(states(b, text), cases[i].states);
	}
}

static void what_cannot_be_talked_to_is_asked_once(void **state)
{
	struct bench *b = *state;
	char text[64];

	placed(b);
	b->steps->step[IRQS].daemon = 0;
	fail_at(b, FAKE_DAEMON, 0, FAKE_ERROR);
	assert_int_equal(unplace(b), 0);
	assert_int_equal(b->world.calls[FAKE_DAEMON], 1);
	assert_string_equal(states(b, text), "done done done failed failed failed");
}

/* As connect --atomic takes back what it did: it finishes whatever signal came. */
static void a_stop_does_not_end_it(void **state)
{
	struct bench *b = *state;
	char text[64];

	placed(b);
	b->world.stop = 0;
	assert_int_equal(unplace(b), 0);
	assert_string_equal(where(b, text), "1 2 3");
	assert_string_equal(bans(b, text), "7");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, bench_setup, bench_teardown)
	const struct CMUnitTest tests[] = {
		TEST(all_go_back_and_the_journal_with_them),
		TEST(interrupts_go_back_before_irqbalance_may_move_them),
		TEST(what_the_journal_does_not_know_is_refused),
		TEST(what_somebody_else_has_moved_is_left_until_it_is_forced),
		TEST(what_is_back_or_gone_is_closed_without_a_move),
		TEST(another_one_of_the_same_name_is_left_alone),
		TEST(what_is_not_of_storage_is_not_written),
		TEST(a_move_that_was_only_begun_is_undone_wherever_it_is),
		TEST(what_fails_stays_in_the_journal),
		TEST(bans_of_another_daemon_are_none_of_ours),
		TEST(bans_of_each_daemon_are_lifted_apart),
		TEST(bans_that_cannot_be_lifted_stay_in_the_journal),
		TEST(what_cannot_be_talked_to_is_asked_once),
		TEST(a_stop_does_not_end_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
