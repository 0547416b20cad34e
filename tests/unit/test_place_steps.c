/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Moving interrupts to the cores of their ports, and irqbalance's ban list before that. */
#include "unit/moving_world.h"

static void all_are_banned_and_then_moved_and_the_journal_has_it(void **state)
{
	struct bench *b = *state;
	char text[64];

	plan(b);
	assert_int_equal(place(b), 0);
	assert_string_equal(where(b, text), "50 52 54");
	assert_string_equal(actions(b, text), "set set set");
	assert_string_equal(bans(b, text), "7 43 44 45");
	assert_string_equal(values(b, text), "43! 44! 45! 50<1 52<2 54<3");
	assert_string_equal(states(b, text), "done done done done done done");
	assert_int_equal(b->balance->state, IRQBALANCE_BANNED);
	for (unsigned i = 0; i < 2 * IRQS; i++) {
		const struct step *step = &b->steps->step[i];

		assert_int_equal(step->kind, i < IRQS ? STEP_IRQBALANCE_BAN : STEP_IRQ_AFFINITY);
		assert_int_equal(step->irq, i % IRQS);
		assert_string_equal(step->irq_name, b->world.irq[i % IRQS].name);
		assert_int_equal(step_is_undo(step), false);
		if (i < IRQS)
			assert_int_equal(step->irq_number, 43 + i);
	}
	assert_int_equal(b->values->value[0].daemon, b->world.born);
	for (unsigned i = 0; i < IRQS; i++) {
		assert_true(cpuset_equal(&b->affinity->irq[i].after, &b->world.irq[i].affinity));
		assert_true(cpuset_equal(&b->affinity->irq[i].effective, &b->world.irq[i].affinity));
		assert_message(b, i, "");
	}
}

static void a_second_time_nothing_is_written(void **state)
{
	struct bench *b = *state;
	unsigned records;
	char text[64];

	placed(b);
	plan(b);
	records = b->data.records;
	assert_int_equal(place(b), 0);
	assert_int_equal(b->world.effects, 0);
	assert_int_equal(b->data.records, records);
	assert_string_equal(actions(b, text), "kept kept kept");
	assert_string_equal(states(b, text), "skipped skipped skipped");
	assert_int_equal(b->balance->state, IRQBALANCE_BANNED);
	assert_true(cpuset_is_empty(&b->affinity->irq[0].after));
}

/* As after a start of the daemon. */
static void what_is_kept_is_banned_as_well(void **state)
{
	struct bench *b = *state;
	char text[64];

	placed(b);
	outsider_at(b, FAKE_DAEMON, FAKE_NEVER, FAKE_ENDS);
	fake_end(&b->world);
	fake_world_next(&b->world);
	plan(b);
	b->steps->count = 1;
	b->affinity->irq[1].action = IRQ_KEPT; /* and 2 is none of those that belong anywhere */
	assert_int_equal(place(b), 0);
	assert_string_equal(bans(b, text), "43 44");
	assert_string_equal(states(b, text), "done done skipped");
	assert_string_equal(b->steps->step[1].irq_name, NAME(1));
	assert_int_equal(b->values->value[0].daemon, b->world.born);
}

static void what_others_have_banned_is_not_ours(void **state)
{
	struct bench *b = *state;
	char text[64];

	outsider_at(b, FAKE_DAEMON, FAKE_NEVER, FAKE_BANS);
	fake_end(&b->world);
	fake_world_next(&b->world);
	plan(b);
	assert_int_equal(place(b), 0);
	assert_string_equal(bans(b, text), "7 43 44 45");
	assert_string_equal(values(b, text), "44! 45! 50<1 52<2 54<3");
	assert_int_equal(b->steps->count, 2 + IRQS);
}

static void what_others_ban_meanwhile_is_not_ours(void **state)
{
	struct bench *b = *state;
	char text[64];

	plan(b);
	b->steps->count = 1;
	outsider_at(b, FAKE_DAEMON, 1, FAKE_BANS);
	assert_int_equal(place(b), 0);
	assert_string_equal(bans(b, text), "7 43");
	assert_string_equal(values(b, text), "50<1");
	assert_string_equal(states(b, text), "skipped done");
	assert_int_equal(b->balance->state, IRQBALANCE_BANNED);
}

static void without_a_reachable_irqbalance_all_are_moved_all_the_same(void **state)
{
	static const struct {
		unsigned call;
		enum fake_failure failure;
		enum irqbalance_state state;
		const char *values, *states;
	} cases[] = {
		{ 0, FAKE_ERROR, IRQBALANCE_UNREACHABLE, "50<1 52<2 54<3", "done done done" },
		{ 1, FAKE_ERROR, IRQBALANCE_UNREACHABLE, "50<1 52<2 54<3",
		  "failed failed failed done done done" },
		{ 1, FAKE_BUSY, IRQBALANCE_LIST_TOO_LONG, "50<1 52<2 54<3",
		  "failed failed failed done done done" },
		{ 1, FAKE_LATE, IRQBALANCE_UNREACHABLE, "43! 44! 45! 50<1 52<2 54<3",
		  "failed failed failed done done done" },
		{ 1, FAKE_LEFTOVER, IRQBALANCE_BANNED, "43! 44! 45! 50<1 52<2 54<3",
		  "done done done done done done" },
	};
	struct bench *b = *state;
	char text[64];

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		fake_world_init(&b->world, &b->root);
		fake_irqs(&b->world, IRQS, true);
		(void)unlinkat(b->root.fd, JOURNAL, 0);
		plan(b);
		fail_at(b, FAKE_DAEMON, cases[i].call, cases[i].failure);
		assert_int_equal(place(b), 0);
		assert_string_equal(where(b, text), "50 52 54");
		assert_int_equal(b->balance->state, cases[i].state);
		assert_string_equal(values(b, text), cases[i].values);
		assert_string_equal(states(b, text), cases[i].states);
	}
}

static void where_no_irqbalance_runs_none_is_banned(void **state)
{
	struct bench *b = *state;
	char text[64];

	fake_irqs(&b->world, IRQS, false);
	plan(b);
	assert_int_equal(place(b), 0);
	assert_int_equal(b->balance->state, IRQBALANCE_ABSENT);
	assert_string_equal(values(b, text), "50<1 52<2 54<3");
	assert_int_equal(b->steps->count, IRQS);
}

static void irqbalance_can_be_ignored_or_refused(void **state)
{
	struct bench *b = *state;
	char text[64];

	plan(b);
	assert_int_equal(place_with(b, PLACE_REFUSE), 0);
	assert_int_equal(b->balance->state, IRQBALANCE_REFUSED);
	assert_string_equal(where(b, text), "1 2 3");
	assert_string_equal(actions(b, text), "failed failed failed");
	assert_string_equal(states(b, text), "skipped skipped skipped");
	assert_message(b, 0,
		       "interrupt " NAME(0) ": not begun: irqbalance runs, or nobody can say that it does "
					    "not (--irqbalance refuse)");
	assert_false(b->data.there);
	fail_at(b, FAKE_DAEMON, 1, FAKE_ERROR);
	assert_int_equal(place_with(b, PLACE_REFUSE), 0);
	assert_int_equal(b->balance->state, IRQBALANCE_REFUSED);
	assert_int_equal(b->world.effects, 0);
	assert_int_equal(place_with(b, PLACE_IGNORE), 0);
	assert_int_equal(b->balance->state, IRQBALANCE_IGNORED);
	assert_string_equal(where(b, text), "50 52 54");
	assert_string_equal(bans(b, text), "7");
	fake_world_init(&b->world, &b->root);
	fake_irqs(&b->world, IRQS, false);
	plan(b);
	assert_int_equal(place_with(b, PLACE_REFUSE), 0);
	assert_int_equal(b->balance->state, IRQBALANCE_ABSENT);
	assert_string_equal(where(b, text), "50 52 54");
}

static void where_no_vector_is_left_the_next_core_of_the_port_is_taken(void **state)
{
	struct bench *b = *state;
	char text[64];

	cpuset_add(&b->world.full, FAKE_CORE(0));
	cpuset_add(&b->world.full, FAKE_CORE(1));
	cpuset_add(&b->world.full, FAKE_CORE(1) + 1);
	cpuset_add(&b->world.full, FAKE_CORE(2) + 1);
	plan(b);
	b->steps->step[2].to = (struct cpuset){ 0 };
	cpuset_add(&b->steps->step[2].to, FAKE_CORE(2) + 1); /* from the last to the first */
	assert_int_equal(place_with(b, PLACE_IGNORE), 0);
	assert_string_equal(where(b, text), "51 2 54");
	assert_string_equal(actions(b, text), "set failed set");
	assert_message(b, 1, "interrupt " NAME(1) ": no vector is left");
	assert_string_equal(values(b, text), "51<1 54<3");
	assert_true(cpuset_has(&b->steps->step[0].to, FAKE_CORE(0) + 1));
	plan(b); /* as it would be planned: it is on another core than it should be, and stays there */
	assert_int_equal(place_with(b, PLACE_IGNORE), 0);
	assert_string_equal(where(b, text), "51 2 54");
	assert_string_equal(actions(b, text), "kept failed kept");
	assert_string_equal(values(b, text), "51<1 54<3");
}

/* irqbalance does until it is banned. */
static void what_was_moved_since_it_was_planned_is_placed_from_where_it_is(void **state)
{
	struct bench *b = *state;
	char text[64];

	for (unsigned call = 0; call < 2; call++) { /* the look for its ban, the look */
		fake_world_init(&b->world, &b->root);
		fake_irqs(&b->world, IRQS, true);
		(void)unlinkat(b->root.fd, JOURNAL, 0);
		plan(b);
		outsider_at(b, FAKE_IRQ(1), call, FAKE_MOVES);
		assert_int_equal(place(b), 0);
		assert_string_equal(actions(b, text), "set set set");
		assert_string_equal(values(b, text), "43! 44! 45! 50<1 52<102 54<3");
		assert_int_equal(cpuset_next(&b->affinity->irq[1].before, 0), 102);
		assert_int_equal(cpuset_next(&b->steps->step[IRQS + 1].before, 0), 102);
	}
}

/* What was seen to be on its core may be elsewhere by the time that irqbalance knows of it. */
static void what_left_its_core_before_the_ban_is_placed_again(void **state)
{
	struct bench *b = *state;
	char text[64];

	plan(b);
	b->steps->count = 1;
	b->affinity->irq[2].action = IRQ_KEPT;
	assert_int_equal(place(b), 0);
	assert_string_equal(where(b, text), "50 2 54");
	assert_int_equal(b->affinity->irq[2].action, IRQ_SET);
	assert_string_equal(values(b, text), "43! 45! 50<1 54<3");
}

static void what_somebody_moves_in_the_moment_of_the_move_is_left(void **state)
{
	struct bench *b = *state;
	char text[64];

	plan(b);
	outsider_at(b, FAKE_IRQ(1), 2, FAKE_MOVES);
	assert_int_equal(place(b), 0);
	assert_string_equal(where(b, text), "50 102 54");
	assert_string_equal(actions(b, text), "set foreign set");
	assert_message(b, 1,
		       "interrupt " NAME(1) ": somebody else moved it meanwhile, to CPU 102; it is left "
					    "there");
	assert_string_equal(values(b, text), "43! 44! 45! 50<1 54<3");
	assert_int_equal(b->steps->step[IRQS + 1].state, STEP_SKIPPED);
}

static void each_failure_is_of_one_interrupt(void **state)
{
	static const struct {
		unsigned call;
		enum fake_failure failure;
		const char *actions, *values, *message;
	} cases[] = {
		{ 1, FAKE_ERROR, "set failed set", "50<1 54<3", "interrupt " NAME(1) ": cannot be read" },
		{ 2, FAKE_ERROR, "set failed set", "50<1 54<3", "interrupt " NAME(1) ": nobody can move it" },
		{ 2, FAKE_LEFTOVER, "set set set", "50<1 52<2 54<3", "" },
		{ 2, FAKE_LATE, "set failed set", "50<1 52<2 54<3",
		  "interrupt " NAME(1) ": cannot be read back; where it is now could not be read" },
	};
	struct bench *b = *state;
	char text[64];

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		fake_world_init(&b->world, &b->root);
		fake_irqs(&b->world, IRQS, true);
		(void)unlinkat(b->root.fd, JOURNAL, 0);
		plan(b);
		fail_at(b, FAKE_IRQ(1), cases[i].call, cases[i].failure);
		assert_int_equal(place(b), 0);
		assert_string_equal(actions(b, text), cases[i].actions);
		assert_string_equal(strchr(values(b, text), '<') - 2, cases[i].values);
		assert_message(b, 1, cases[i].message);
	}
}

static void what_is_gone_is_said_to_be_gone(void **state)
{
	struct bench *b = *state;
	char text[64];

	plan(b);
	outsider_at(b, FAKE_IRQ(0), 0, FAKE_UNLOADS);
	assert_int_equal(place(b), 0);
	assert_string_equal(actions(b, text), "failed set set");
	assert_message(b, 0, "interrupt " NAME(0) ": is not there any more; run this again");
	assert_string_equal(values(b, text), "44! 45! 52<2 54<3");
	assert_string_equal(bans(b, text), "7 44 45");
}

static void a_list_that_the_journal_cannot_keep_stays(void **state)
{
	struct bench *b = *state;
	char text[64];

	for (unsigned cpu = 0; cpu < 400; cpu += 2)
		cpuset_add(&b->world.irq[1].affinity, cpu);
	plan(b);
	assert_int_equal(place(b), 0);
	assert_string_equal(actions(b, text), "set failed set");
	assert_message(b, 1, "interrupt " NAME(1) ": its list of CPUs is too long for the journal");
}

static void nothing_is_begun_after_a_stop(void **state)
{
	struct bench *b = *state;
	char text[64];

	plan(b);
	b->world.stop = 2;
	assert_int_equal(place_with(b, PLACE_IGNORE), 0);
	assert_string_equal(where(b, text), "50 2 3");
	assert_string_equal(actions(b, text), "set failed failed");
	assert_string_equal(states(b, text), "done skipped skipped");
	assert_message(b, 1, "interrupt " NAME(1) ": not begun: stopped by a signal");
	fake_world_next(&b->world);
	plan(b);
	b->world.stop = 0;
	assert_int_equal(place(b), 0);
	assert_int_equal(b->world.effects, 0);
	assert_string_equal(actions(b, text), "failed failed failed");
	assert_string_equal(states(b, text), "skipped skipped skipped");
}

static void a_step_off_the_cores_or_off_storage_refuses_all(void **state)
{
	struct bench *b = *state;

	plan(b);
	b->steps->step[2].role = ROLE_COMPUTE;
	assert_int_equal(place(b), -EPERM);
	assert_int_equal(b->err.exit, XC_REFUSED);
	plan(b);
	cpuset_add(&b->steps->step[1].to, FAKE_CORE(1) + 1);
	assert_int_equal(place(b), -EINVAL);
	plan(b);
	b->steps->step[0].cores = (struct cpuset){ 0 };
	assert_int_equal(place(b), -EINVAL);
	plan(b);
	b->steps->step[0].kind = STEP_IRQBALANCE_BAN;
	assert_int_equal(place(b), -EINVAL);
	assert_int_equal(b->world.all_calls, 0);
	assert_false(b->data.there);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, bench_setup, bench_teardown)
	const struct CMUnitTest tests[] = {
		TEST(all_are_banned_and_then_moved_and_the_journal_has_it),
		TEST(a_second_time_nothing_is_written),
		TEST(what_is_kept_is_banned_as_well),
		TEST(what_others_have_banned_is_not_ours),
		TEST(what_others_ban_meanwhile_is_not_ours),
		TEST(without_a_reachable_irqbalance_all_are_moved_all_the_same),
		TEST(where_no_irqbalance_runs_none_is_banned),
		TEST(irqbalance_can_be_ignored_or_refused),
		TEST(where_no_vector_is_left_the_next_core_of_the_port_is_taken),
		TEST(what_was_moved_since_it_was_planned_is_placed_from_where_it_is),
		TEST(what_left_its_core_before_the_ban_is_placed_again),
		TEST(what_somebody_moves_in_the_moment_of_the_move_is_left),
		TEST(each_failure_is_of_one_interrupt),
		TEST(what_is_gone_is_said_to_be_gone),
		TEST(a_list_that_the_journal_cannot_keep_stays),
		TEST(nothing_is_begun_after_a_stop),
		TEST(a_step_off_the_cores_or_off_storage_refuses_all),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
