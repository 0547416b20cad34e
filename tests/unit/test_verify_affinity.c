/* SPDX-License-Identifier: GPL-2.0-or-later */
/* policy/verify_affinity.c: vectors against the plan, and irqbalance. */
#include "unit/verify_world.h"

#define VECTOR0 "0000:29:00.0 vector 0"

static void run(struct verify_world *w)
{
	verify_world_again(w);
	verify_world_run(w, verify_affinity);
}

/* The first vector of the first storage port. */
static struct irq *first_irq(struct verify_world *w)
{
	return &w->w.topo.irq[w->w.affinity.irq[0].irq];
}

static void set_cpu(struct cpuset *set, unsigned cpu)
{
	*set = (struct cpuset){ 0 };
	cpuset_add(set, cpu);
}

static void a_vector_that_was_moved_fails(void **state)
{
	struct verify_world *w = *state;

	verify_world_read(w, "h100+live");
	set_cpu(&first_irq(w)->affinity, 53); /* another core of the port's */
	first_irq(w)->effective = first_irq(w)->affinity;
	run(w);
	assert_says(w, "affinity.irqs", FINDING_FAIL, VECTOR0, "is set to CPUs 53, its storage core is 52");
	assert_alone(w, "affinity.irqs");
	first_irq(w)->affinity_known = false;
	run(w);
	assert_says(w, "affinity.irqs", FINDING_UNKNOWN, VECTOR0, "smp_affinity_list cannot be read");
}

static void a_vector_on_the_other_socket_fails(void **state)
{
	struct verify_world *w = *state;

	verify_world_read(w, "h100+live");
	set_cpu(&first_irq(w)->affinity, 60);
	first_irq(w)->effective = first_irq(w)->affinity;
	run(w);
	assert_says(w, "affinity.irqs", FINDING_FAIL, VECTOR0, "is set to CPUs 60");
	assert_says(w, "affinity.effective", FINDING_FAIL, VECTOR0, "interrupts CPU 60");
	assert_says(w, "affinity.node_local", FINDING_FAIL, VECTOR0,
		    "interrupts CPU 60, its port is at node 0");
	assert_passes(w, "affinity.isolated");
	first_irq(w)->effective_known = false;
	run(w);
	assert_says(w, "affinity.effective", FINDING_UNKNOWN, VECTOR0, "cannot be read");
	assert_says(w, "affinity.node_local", FINDING_UNKNOWN, VECTOR0, "cannot be read");
	assert_says(w, "affinity.isolated", FINDING_UNKNOWN, VECTOR0, "cannot be read");
}

static void what_the_kernel_has_still_to_move_is_no_drift_and_no_pass(void **state)
{
	struct verify_world *w = *state;

	verify_world_read(w, "h100+live");
	set_cpu(&first_irq(w)->effective, 60);
	run(w);
	assert_passes(w, "affinity.irqs");
	assert_says(w, "affinity.effective", FINDING_UNKNOWN, VECTOR0, "moves it with its next interrupt");
	assert_says(w, "affinity.node_local", FINDING_UNKNOWN, VECTOR0, "next interrupt");
}

static void a_vector_on_an_isolated_cpu_fails(void **state)
{
	struct verify_world *w = *state;

	verify_world_read(w, "h100+live");
	set_cpu(&first_irq(w)->affinity, 3);
	set_cpu(&first_irq(w)->effective, 3);
	cpuset_add(&w->w.topo.nohz_full, 3);
	run(w);
	assert_says(w, "affinity.isolated", FINDING_FAIL, VECTOR0, "interrupts CPU 3, which is isolated");
	w->w.topo.isolated_known = false;
	run(w);
	assert_says(w, "affinity.isolated", FINDING_UNKNOWN, "", "which CPUs are isolated cannot be read");
	assert_says(w, "affinity.irqs", FINDING_UNKNOWN, VECTOR0, "cannot be placed");
}

static void a_port_without_a_node_cannot_be_placed(void **state)
{
	struct verify_world *w = *state;

	verify_world_read(w, "h100+live");
	for (unsigned i = 0; i < w->w.topo.ports; i++)
		w->w.topo.port[i].numa_node = -1;
	run(w);
	assert_says(w, "affinity.irqs", FINDING_FAIL, VECTOR0, "the firmware names no NUMA node");
	assert_says(w, "affinity.node_local", FINDING_UNKNOWN, VECTOR0, "NUMA node");
	assert_says(w, "affinity.effective", FINDING_FAIL, VECTOR0, "storage cores are none");
}

static void vectors_that_are_not_to_be_found_are_unknown(void **state)
{
	struct verify_world *w = *state;

	verify_world_read(w, "h100+live");
	w->w.topo.irqs -= 3; /* the last port's */
	run(w);
	assert_says(w, "affinity.irqs", FINDING_UNKNOWN, "0000:aa:00.1", "of 3 vectors of 0000:aa:00.1");
	w->w.topo.irqs = 0;
	run(w);
	assert_says(w, "affinity.irqs", FINDING_UNKNOWN, "0000:29:00.0", "of 16 vectors");
	assert_says(w, "affinity.effective", FINDING_UNKNOWN, "interrupts", "not known");
	assert_says(w, "affinity.node_local", FINDING_UNKNOWN, "interrupts", "not known");
	assert_says(w, "affinity.isolated", FINDING_UNKNOWN, "interrupts", "not known");
	w->w.topo.rdma_link[w->w.plan.path[0].rdma].ncv = -1;
	run(w);
	assert_says(w, "affinity.irqs", FINDING_UNKNOWN, "nvme2", "completion vectors of mlx5_1");
	for (unsigned i = 0; i < w->w.topo.rdma_links; i++) { /* Soft-RoCE */
		w->w.topo.rdma_link[i].has_pci = false;
		w->w.topo.rdma_link[i].ncv = 4;
	}
	run(w);
	assert_says(w, "affinity.irqs", FINDING_SKIP, "", "Soft-RoCE");
}

static void irqbalance_is_absent_or_told(void **state)
{
	struct verify_world *w = *state;
	const char *check = "affinity.irqbalance";

	verify_world_read(w, "h100+live");
	run(w);
	assert_says(w, check, FINDING_PASS, "", "does not run");
	w->irqbalance.state = IRQBALANCE_RUNNING;
	w->irqbalance.pid = 77;
	for (unsigned i = 1; i < w->w.affinity.irqs; i++)
		assert_int_equal(irq_list_add(&w->irqbalance.bans, w->w.affinity.irq[i].number), 0);
	run(w);
	assert_says(w, check, FINDING_FAIL, "irqbalance",
		    "runs (pid 77) and may move 1 of the 64 vectors in use");
	assert_int_equal(irq_list_add(&w->irqbalance.bans, w->w.affinity.irq[0].number), 0);
	run(w);
	assert_says(w, check, FINDING_PASS, "", "its ban list has all vectors in use");
	w->irqbalance.state = IRQBALANCE_UNREACHABLE;
	strcpy(w->irqbalance.message, "Permission denied");
	run(w);
	assert_says(w, check, FINDING_UNKNOWN, "irqbalance", "Permission denied");
	w->v.irqbalance = NULL;
	w->v.irqbalance_why = "it wants root";
	run(w);
	assert_says(w, check, FINDING_UNKNOWN, "irqbalance", "it wants root");
}

static void rq_affinity_is_1(void **state)
{
	struct verify_world *w = *state;
	const char *check = "affinity.rq_affinity";

	verify_world_read(w, "h100+live");
	run(w);
	assert_says(w, check, FINDING_PASS, "", "rq_affinity of 8 paths");
	w->w.topo.rq_affinity[0] = 2;
	run(w);
	assert_says(w, check, FINDING_WARN, w->w.topo.ns[0].path_device, "rq_affinity is 2");
	w->w.topo.rq_affinity[0] = -1;
	run(w);
	assert_says(w, check, FINDING_UNKNOWN, w->w.topo.ns[0].path_device, "of 1 paths cannot be read");
	w->w.topo.nss = 0;
	run(w);
	assert_says(w, check, FINDING_SKIP, "", "no namespace over RDMA");
}

static void without_controllers_there_is_nothing_to_place(void **state)
{
	struct verify_world *w = *state;
	static const char *const checks[] = { "affinity.irqs",	     "affinity.effective",
					      "affinity.node_local", "affinity.isolated",
					      "affinity.irqbalance", "affinity.rq_affinity" };

	verify_world_read(w, "h100");
	run(w);
	for (unsigned i = 0; i < ARRAY_SIZE(checks); i++)
		assert_says(w, checks[i], FINDING_SKIP, "", "no controller");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		VERIFY_TEST(a_vector_that_was_moved_fails),
		VERIFY_TEST(a_vector_on_the_other_socket_fails),
		VERIFY_TEST(what_the_kernel_has_still_to_move_is_no_drift_and_no_pass),
		VERIFY_TEST(a_vector_on_an_isolated_cpu_fails),
		VERIFY_TEST(a_port_without_a_node_cannot_be_placed),
		VERIFY_TEST(vectors_that_are_not_to_be_found_are_unknown),
		VERIFY_TEST(irqbalance_is_absent_or_told),
		VERIFY_TEST(rq_affinity_is_1),
		VERIFY_TEST(without_controllers_there_is_nothing_to_place),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
