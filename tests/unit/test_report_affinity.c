/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Cores and interrupts in both outputs, from results built by hand. Seen to catch: what was planned given out
 * as read back, foreign bans listed as ours, an unknown place shown as an empty one.
 */
#include "unit/report_world.h"

#include <stdio.h>
#include <string.h>

static void assert_has(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("not in the text: %s\n%s", part, text);
}

/* --- the JSON document --- */

static void json_cores_are_null_when_nobody_looked(void **state)
{
	struct world *w = *state;

	assert_null(member(world_json(w, "affinity-none"), "affinity"));
}

static void json_names_the_cores_of_every_storage_port_and_what_is_reserved(void **state)
{
	struct world *w = *state;
	bool in_use = false;
	struct json *j;

	world_add_shares(w);
	j = world_json(w, "affinity-cores");
	assert_number_at(j, "affinity", "cores_per_port", 2);
	assert_int_equal(json_length(member(j, "affinity.ports")), 2);
	assert_string_equal(text_at(j, "affinity.ports.0.pci"), "0000:29:00.0");
	assert_string_equal(text_at(j, "affinity.ports.0.cpus"), "6-7");
	assert_number_at(j, "affinity.ports.0", "numa_node", 0);
	assert_null(member(j, "affinity.ports.0.reason"));
	assert_int_equal(json_get_bool(member(j, "affinity.ports.0"), "in_use", &in_use), 0);
	assert_true(in_use);
	assert_int_equal(json_get_bool(member(j, "affinity.ports.1"), "in_use", &in_use), 0);
	assert_false(in_use);
	assert_string_equal(text_at(j, "affinity.reserved_cpus"), "6-7");
	assert_string_equal(text_at(j, "affinity.reserved_cpus_with_siblings"), "6-7,14-15");
	assert_string_equal(text_at(j, "affinity.irqbalance.state"), "absent");
}

static void json_says_why_a_port_has_no_cores(void **state)
{
	struct world *w = *state;
	struct json *j;

	world_add_shares(w);
	w->affinity->port[0] = (struct affinity_port){ .port = 0, .node = -1, .unplaced = UNPLACED_NO_NODE };
	w->affinity->port[1] = (struct affinity_port){ .port = 1, .unplaced = UNPLACED_UNKNOWN };
	j = world_json(w, "affinity-unplaced");
	assert_null(member(j, "affinity.ports.0.numa_node"));
	assert_string_equal(text_at(j, "affinity.ports.0.cpus"), "");
	assert_string_equal(text_at(j, "affinity.ports.0.reason"), unplaced_advice(UNPLACED_NO_NODE));
	assert_null(member(j, "affinity.ports.1.cpus"));
	assert_string_equal(text_at(j, "affinity.ports.1.reason"), unplaced_advice(UNPLACED_UNKNOWN));
}

static void json_tells_what_was_read_back_from_what_would_be(void **state)
{
	struct world *w = *state;
	struct affinity_irq *irq;
	struct json *j;

	world_add_irqs(w, 4);
	world_add_shares(w);
	irq = world_place_irq(w, IRQ_SET, "0-15", "6");
	world_set_cpus(&irq->after, "7"); /* no vector was left on CPU 6 */
	world_set_cpus(&irq->effective, "7");
	world_place_irq(w, IRQ_KEPT, "7", "7");
	world_place_irq(w, IRQ_WOULD_SET, "2", "6");
	irq = world_place_irq(w, IRQ_FAILED, "3", "7");
	PUT(irq->message, "the kernel lets nobody move it");
	w->result.exit = XC_PARTIAL;
	j = world_json(w, "affinity-irqs");
	assert_number_at(j, "affinity.irqs.0", "irq", 40);
	assert_number_at(j, "affinity.irqs.3", "vector", 3);
	assert_string_equal(text_at(j, "affinity.irqs.0.name"), "mlx5_comp0@pci:0000:29:00.0");
	assert_string_equal(text_at(j, "affinity.irqs.0.before"), "0-15");
	assert_string_equal(text_at(j, "affinity.irqs.0.after"), "7");
	assert_string_equal(text_at(j, "affinity.irqs.0.effective"), "7");
	assert_string_equal(text_at(j, "affinity.irqs.1.after"), "7");
	assert_string_equal(text_at(j, "affinity.irqs.1.effective"), "53"); /* as it was read last */
	assert_string_equal(text_at(j, "affinity.irqs.2.before"), "2");
	assert_string_equal(text_at(j, "affinity.irqs.2.after"), "6");
	assert_null(member(j, "affinity.irqs.2.message"));
	assert_string_equal(text_at(j, "affinity.irqs.3.action"), "failed");
	assert_null(member(j, "affinity.irqs.3.after"));
	assert_string_equal(text_at(j, "affinity.irqs.3.message"), "the kernel lets nobody move it");
}

static void json_knows_nothing_of_an_interrupt_that_is_gone_or_has_another_number(void **state)
{
	struct world *w = *state;
	struct affinity_irq *irq;
	struct json *j;

	world_add_irqs(w, 2);
	world_add_shares(w);
	irq = world_place_irq(w, IRQ_NONE, "", "0-15");
	irq->irq = -1;
	irq->number = 0;
	PUT(irq->message, "it is gone");
	world_place_irq(w, IRQ_KEPT, "7", "7")->number = 77;
	j = world_json(w, "affinity-gone");
	assert_null(member(j, "affinity.irqs.0.irq"));
	assert_null(member(j, "affinity.irqs.0.vector"));
	assert_null(member(j, "affinity.irqs.0.before"));
	assert_null(member(j, "affinity.irqs.0.after"));
	assert_null(member(j, "affinity.irqs.0.effective"));
	assert_string_equal(text_at(j, "affinity.irqs.0.action"), "none");
	assert_number_at(j, "affinity.irqs.1", "irq", 77);
	assert_null(member(j, "affinity.irqs.1.effective"));
}

static void json_lists_of_irqbalances_bans_only_our_interrupts(void **state)
{
	struct world *w = *state;
	struct json *j;
	char *banned;

	world_add_irqs(w, 3);
	world_add_shares(w);
	world_place_irq(w, IRQ_SET, "0", "6");
	world_place_irq(w, IRQ_SET, "1", "7");
	world_place_irq(w, IRQ_SET, "2", "6");
	w->balance->state = IRQBALANCE_BANNED;
	assert_int_equal(irq_list_add(&w->balance->bans, 9), 0); /* somebody's */
	assert_int_equal(irq_list_add(&w->balance->bans, 42), 0);
	assert_int_equal(irq_list_add(&w->balance->bans, 40), 0);
	j = world_json(w, "affinity-banned");
	assert_string_equal(text_at(j, "affinity.irqbalance.state"), "banned");
	banned = json_format(member(j, "affinity.irqbalance.banned"));
	assert_string_equal(banned, "[40,42]\n");
	free(banned);
}

static void json_of_an_undo_claims_no_cores(void **state)
{
	struct world *w = *state;
	struct json *j;

	world_add_irqs(w, 1);
	w->result.command = "teardown";
	w->result.affinity = w->affinity;
	w->result.irqbalance = w->balance;
	w->balance->state = IRQBALANCE_RUNNING;
	world_place_irq(w, IRQ_RESTORED, "6", "0-15");
	j = world_json(w, "affinity-undo");
	assert_null(member(j, "affinity.cores_per_port"));
	assert_null(member(j, "affinity.reserved_cpus"));
	assert_null(member(j, "affinity.reserved_cpus_with_siblings"));
	assert_string_equal(text_at(j, "affinity.irqs.0.action"), "restored");
	assert_string_equal(text_at(j, "affinity.irqs.0.after"), "0-15");
	assert_string_equal(text_at(j, "affinity.irqbalance.state"), "running");
}

static void json_says_that_irqbalance_was_refused_or_not_asked(void **state)
{
	struct world *w = *state;
	struct json *j;

	w->balance->state = IRQBALANCE_REFUSED;
	w->result.irqbalance = w->balance;
	w->result.exit = XC_REFUSED;
	j = world_json(w, "affinity-refused");
	assert_string_equal(text_at(j, "affinity.irqbalance.state"), "refused");
	assert_int_equal(json_length(member(j, "affinity.ports")), 0);
	world_add_shares(w);
	w->result.irqbalance = NULL;
	w->result.exit = XC_OK;
	j = world_json(w, "affinity-unasked");
	assert_true(json_is_object(member(j, "affinity.irqbalance")));
	assert_null(member(j, "affinity.irqbalance.state"));
}

static void json_steps_move_interrupts_and_change_the_ban_list(void **state)
{
	struct world *w = *state;
	struct step *step = w->steps->step;
	struct json *j;

	w->steps->count = 3;
	for (unsigned i = 0; i < 3; i++) {
		step[i].pci = w->topo->port[0].pci;
		step[i].kind = i < 2 ? STEP_IRQBALANCE_BAN : STEP_IRQ_AFFINITY;
		PUT(step[i].irq_name, "mlx5_comp0@pci:0000:29:00.0");
	}
	world_set_cpus(&step[0].to, "0");
	world_set_cpus(&step[2].before, "0-15");
	world_set_cpus(&step[2].to, "6");
	w->result.dry_run = w->result.changed = true;
	j = world_json(w, "affinity-steps");
	assert_string_equal(text_at(j, "steps.0.kind"), "irqbalance-ban");
	assert_true(str_starts(text_at(j, "steps.0.object"), "mlx5_comp0@pci:0000:29:00.0"));
	assert_string_equal(text_at(j, "steps.0.from"), "free");
	assert_string_equal(text_at(j, "steps.0.to"), "banned");
	assert_string_equal(text_at(j, "steps.1.from"), "banned");
	assert_string_equal(text_at(j, "steps.1.to"), "free");
	assert_string_equal(text_at(j, "steps.2.kind"), "irq-affinity");
	assert_string_equal(text_at(j, "steps.2.from"), "0-15");
	assert_string_equal(text_at(j, "steps.2.to"), "6");
}

/* --- the text --- */

static void text_of_cores_says_what_to_leave_to_storage(void **state)
{
	struct world *w = *state;

	world_add_irqs(w, 3);
	world_add_shares(w);
	world_place_irq(w, IRQ_SET, "0", "6");
	world_place_irq(w, IRQ_SET, "1", "7");
	world_place_irq(w, IRQ_KEPT, "6", "6");
	world_text(w, "cores");
	assert_has(w->text, "\ncores\n  PORT          NODE  CORES  WITH SIBLINGS  NOTE\n");
	assert_has(w->text, "\n  0000:29:00.0  0     6-7    6-7,14-15      in use\n");
	assert_has(w->text, "\n  0000:29:00.1  0     4-5    4-5,12-13      not in use\n");
	assert_has(w->text, "\nleave CPUs 6-7,14-15 to storage\ninterrupts: 2 set, 1 kept\n");
	assert_null(strstr(w->text, "irqbalance"));
}

static void text_of_cores_says_why_there_are_none(void **state)
{
	struct world *w = *state;

	world_add_shares(w);
	w->affinity->port[0] =
		(struct affinity_port){ .port = 0, .node = -1, .unplaced = UNPLACED_NO_NODE, .in_use = true };
	w->affinity->reserved = w->affinity->reserved_with_siblings = (struct cpuset){ 0 };
	world_text(w, "cores-none");
	assert_has(w->text, "  0000:29:00.0  -     -      -              in use; the firmware names no NUMA");
	assert_null(strstr(w->text, "leave CPUs"));
	assert_null(strstr(w->text, "interrupts:"));
}

static void text_names_the_first_interrupts_that_are_not_where_they_should_be(void **state)
{
	struct world *w = *state;

	world_add_irqs(w, 12);
	world_add_shares(w);
	for (unsigned i = 0; i < 11; i++)
		PUT(world_place_irq(w, i < 9 ? IRQ_FAILED : IRQ_FOREIGN, "0", "6")->message, HOSTILE);
	world_place_irq(w, IRQ_NONE, "0", "");
	w->result.exit = XC_PARTIAL;
	world_text(w, "cores-failed");
	assert_has(w->text, "\nfailed: interrupt mlx5_comp7@pci:0000:29:00.0: a\"b\\\\c\\x0a\\x1b[2J");
	assert_null(strstr(w->text, "mlx5_comp8"));
	assert_has(w->text, "\nand 3 more\ninterrupts: 1 not placed, 9 failed, 2 foreign\n");
	PUT(w->affinity->irq[0].message, "interrupt mlx5_comp0@pci:0000:29:00.0: is gone");
	assert_has(world_text(w, NULL), "\nfailed: interrupt mlx5_comp0@pci:0000:29:00.0: is gone\n");
}

static void text_says_what_irqbalance_may_do(void **state)
{
	static const struct {
		enum irqbalance_state state;
		const char *line;
	} states[] = {
		{ IRQBALANCE_RUNNING, "\nirqbalance: running: it moves what is not in its ban list\n" },
		{ IRQBALANCE_BANNED, "\nirqbalance: banned: it leaves these interrupts alone\n" },
		{ IRQBALANCE_IGNORED, "\nirqbalance: ignored: if it runs, it may move them\n" },
		{ IRQBALANCE_REFUSED, "\nirqbalance: refused: it runs, so nothing was done\n" },
		{ IRQBALANCE_UNREACHABLE, "\nirqbalance: unreachable: it cannot be talked to, and may" },
		{ IRQBALANCE_LIST_TOO_LONG, "\nirqbalance: list-too-long: its ban list has no room" },
	};
	struct world *w = *state;

	w->result.irqbalance = w->balance;
	assert_null(strstr(world_text(w, NULL), "cores"));
	for (size_t i = 0; i < ARRAY_SIZE(states); i++) {
		w->balance->state = states[i].state;
		assert_has(world_text(w, NULL), states[i].line);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WORLD_TEST(json_cores_are_null_when_nobody_looked),
		WORLD_TEST(json_names_the_cores_of_every_storage_port_and_what_is_reserved),
		WORLD_TEST(json_says_why_a_port_has_no_cores),
		WORLD_TEST(json_tells_what_was_read_back_from_what_would_be),
		WORLD_TEST(json_knows_nothing_of_an_interrupt_that_is_gone_or_has_another_number),
		WORLD_TEST(json_lists_of_irqbalances_bans_only_our_interrupts),
		WORLD_TEST(json_of_an_undo_claims_no_cores),
		WORLD_TEST(json_says_that_irqbalance_was_refused_or_not_asked),
		WORLD_TEST(json_steps_move_interrupts_and_change_the_ban_list),
		WORLD_TEST(text_of_cores_says_what_to_leave_to_storage),
		WORLD_TEST(text_of_cores_says_why_there_are_none),
		WORLD_TEST(text_names_the_first_interrupts_that_are_not_where_they_should_be),
		WORLD_TEST(text_says_what_irqbalance_may_do),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
