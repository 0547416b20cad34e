/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which interrupts go back, and which bans have outlived theirs, on the fixture with four controllers. Seen
 * to catch: a new interrupt taken for the old one of its name, values of a port kept that has no controller
 * of ours left, a forced write on a port that is storage no more.
 */
#include "unit/place_world.h"

#define A0 "0000:29:00.0"

struct bench {
	struct place_world w;
	struct journal_claims claims;
	struct journal_values values;
	struct steps steps;
	struct teardown teardown;
	struct err err;
};

static int setup(void **state)
{
	struct bench *b = calloc(1, sizeof(*b));

	place_world_read(&b->w, "h100+live");
	place_world_place(&b->w, 4);
	b->teardown.port = -1;
	*state = b;
	return 0;
}

static int teardown(void **state)
{
	free(*state);
	return 0;
}

/* Interrupt i of the first port was at CPU i, and brought to its core. */
static struct journal_value *add_value(struct bench *b, enum step_kind kind, unsigned i)
{
	struct journal_value *value = &b->values.value[b->values.count++];
	const struct irq *irq = &b->w.topo.irq[i];

	*value = (struct journal_value){ .kind = kind, .pci = irq->pci, .irq_number = irq->irq };
	memcpy(value->irq_name, irq->name, sizeof(value->irq_name));
	if (kind == STEP_IRQBALANCE_BAN)
		return value;
	cpuset_add(&value->original, i);
	cpuset_add(&value->last, 52);
	value->before_last = value->last;
	return value;
}

static void at(struct bench *b, unsigned i, unsigned cpu)
{
	b->w.topo.irq[i].affinity = (struct cpuset){ 0 };
	cpuset_add(&b->w.topo.irq[i].affinity, cpu);
}

static void claim(struct bench *b, const char *host_traddr)
{
	struct ctrl_id *id = &b->claims.claim[b->claims.count++].id;

	str_format(id->nqn, sizeof(id->nqn), "nqn.2026-01.example:s1");
	str_format(id->transport, sizeof(id->transport), "rdma");
	str_format(id->host_traddr, sizeof(id->host_traddr), "%s", host_traddr);
}

static void restore(struct bench *b)
{
	b->steps.count = b->w.plan.paths = 0;
	assert_int_equal(plan_restore(&b->w.topo, &b->w.classes, &b->claims, &b->values, &b->teardown,
				      &b->w.plan, &b->w.affinity, &b->steps, &b->err),
			 0);
}

static void a_port_without_a_controller_of_ours_gets_all_back(void **state)
{
	struct bench *b = *state;

	add_value(b, STEP_IRQBALANCE_BAN, 0);
	add_value(b, STEP_IRQ_AFFINITY, 0);
	add_value(b, STEP_IRQ_AFFINITY, 1);
	at(b, 0, 52);
	at(b, 1, 52);
	b->teardown.nqn = "nqn.2026-01.example:s1"; /* also of a run that was killed before it came to them */
	restore(b);
	assert_int_equal(b->steps.count, 3);
	assert_int_equal(b->steps.step[2].kind, STEP_IRQBALANCE_BAN);
	assert_int_equal(b->w.affinity.irq[0].action, IRQ_WOULD_RESTORE);
	claim(b, "10.10.2.1");
	restore(b);
	assert_int_equal(b->steps.count, 3);
	claim(b, "10.10.1.1");
	restore(b);
	assert_int_equal(b->steps.count, 0);
}

static void what_is_back_is_no_change(void **state)
{
	struct bench *b = *state;

	add_value(b, STEP_IRQ_AFFINITY, 0);
	at(b, 0, 0);
	restore(b);
	assert_int_equal(b->w.affinity.irq[0].action, IRQ_KEPT);
	assert_int_equal(b->steps.step[0].state, STEP_SKIPPED);
}

static void a_new_interrupt_of_an_old_name_is_left(void **state)
{
	struct bench *b = *state;

	add_value(b, STEP_IRQ_AFFINITY, 0)->irq_number += 1000;
	at(b, 0, 52);
	b->teardown.force = true;
	restore(b);
	assert_int_equal(b->w.affinity.irq[0].action, IRQ_NONE);
	assert_string_equal(b->w.affinity.irq[0].message, "");
	assert_int_equal(b->steps.count, 1); /* its value is closed */
	assert_int_equal(b->steps.step[0].state, STEP_SKIPPED);
}

static void nothing_goes_back_on_a_port_that_is_not_storage(void **state)
{
	struct bench *b = *state;
	const struct port *port;
	struct pci_addr pci;

	add_value(b, STEP_IRQ_AFFINITY, 0);
	at(b, 0, 200);
	restore(b);
	assert_int_equal(b->w.affinity.irq[0].action, IRQ_FOREIGN);
	b->teardown.force = true;
	restore(b);
	assert_int_equal(b->w.affinity.irq[0].action, IRQ_WOULD_RESTORE);
	assert_int_equal(pci_parse(A0, &pci), 0);
	port = topo_port(&b->w.topo, &pci);
	b->w.classes.port[port - b->w.topo.port].role = ROLE_COMPUTE;
	restore(b);
	assert_int_equal(b->w.affinity.irq[0].action, IRQ_NONE);
	assert_non_null(strstr(b->w.affinity.irq[0].message, "its port is not storage"));
	assert_int_equal(b->steps.count, 0);
	b->teardown.force = false;
	at(b, 0, 52); /* also where this program has put it */
	restore(b);
	assert_non_null(strstr(b->w.affinity.irq[0].message, "it was on CPU 0"));
	assert_int_equal(b->steps.count, 0);
}

static void bans_that_have_outlived_their_interrupt_are_lifted(void **state)
{
	struct bench *b = *state;

	add_value(b, STEP_IRQBALANCE_BAN, 0);
	add_value(b, STEP_IRQ_AFFINITY, 1)->irq_number = 9999;
	add_value(b, STEP_IRQBALANCE_BAN, 2)->irq_number = b->w.topo.irq[3].irq; /* another one's by now */
	assert_int_equal(plan_stale_bans(&b->w.topo, &b->w.classes, &b->values, &b->steps, &b->err), 0);
	assert_int_equal(b->steps.count, 1);
	assert_int_equal(b->steps.step[0].kind, STEP_IRQBALANCE_BAN);
	assert_int_equal(b->steps.step[0].irq_number, b->w.topo.irq[3].irq);
	assert_true(step_is_undo(&b->steps.step[0]));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(a_port_without_a_controller_of_ours_gets_all_back),
		TEST(what_is_back_is_no_change),
		TEST(a_new_interrupt_of_an_old_name_is_left),
		TEST(nothing_goes_back_on_a_port_that_is_not_storage),
		TEST(bans_that_have_outlived_their_interrupt_are_lifted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
