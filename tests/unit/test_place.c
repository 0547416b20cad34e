/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which interrupts are placed, and where: on whole machines and, by hand, at the edges. What is said about
 * the rest of the machine is in test_advice.c.
 */
#include "unit/place_world.h"

#include <stdio.h>

#define A0 "0000:29:00.0"
#define A1 "0000:29:00.1"
#define B0 "0000:aa:00.0"
#define B1 "0000:aa:00.1"

/* --- machines --- */

static void assert_storage(const struct place_world *w, const struct pci_addr *pci)
{
	const struct port *port = topo_port(&w->topo, pci);

	assert_non_null(port);
	assert_int_equal(w->classes.port[port - w->topo.port].role, ROLE_STORAGE);
}

/* Every vector that a queue uses is there once, on a core of its port that no other port has. */
static void assert_all_placed(const struct place_world *w, unsigned count)
{
	struct cpuset seen = { 0 };

	assert_int_equal(w->affinity.irqs, count);
	for (unsigned i = 0; i < w->affinity.irqs; i++) {
		const struct affinity_irq *irq = &w->affinity.irq[i];
		const struct affinity_port *port = &w->affinity.port[irq->port];

		assert_storage(w, &irq->pci);
		assert_int_equal(pci_compare(&irq->pci, &w->topo.port[port->port].pci), 0);
		assert_int_equal(cpuset_count(&irq->target), 1);
		assert_true(cpuset_is_subset(&irq->target, &port->cpus));
		assert_true(cpuset_is_subset(&irq->target, &topo_node(&w->topo, port->node)->cpus));
		assert_true(irq->action == IRQ_WOULD_SET || irq->action == IRQ_KEPT);
		if (i > 0 && pci_compare(&irq[-1].pci, &irq->pci) == 0)
			assert_true(irq[-1].vector < irq->vector);
	}
	for (unsigned i = 0; i < w->affinity.ports; i++) {
		assert_false(cpuset_overlaps(&seen, &w->affinity.port[i].cpus));
		for (unsigned cpu = 0; cpu < CPUS_MAX; cpu++) {
			if (cpuset_has(&w->affinity.port[i].cpus, cpu))
				cpuset_add(&seen, cpu);
		}
	}
	assert_true(cpuset_equal(&seen, &w->affinity.reserved)); /* all four are in use */
}

/* As the kernel would have them after the writes. */
static void write_all(struct place_world *w)
{
	for (unsigned i = 0; i < w->affinity.irqs; i++) {
		struct irq *irq = &w->topo.irq[w->affinity.irq[i].irq];

		if (w->affinity.irq[i].action == IRQ_WOULD_SET)
			irq->affinity = irq->effective = w->affinity.irq[i].target;
	}
}

static unsigned count_action(const struct place_world *w, enum irq_action action)
{
	unsigned count = 0;

	for (unsigned i = 0; i < w->affinity.irqs; i++)
		count += w->affinity.irq[i].action == action;
	return count;
}

/* The queues that complete on their own node, by what show prints of them. */
static unsigned count_local(const struct place_world *w, unsigned *ret_queues)
{
	struct queues *queues = calloc(1, sizeof(*queues));
	unsigned count = 0;

	assert_non_null(queues);
	queues_of(&w->topo, &w->plan, queues);
	for (unsigned i = 0; i < queues->count; i++)
		count += queues->queue[i].local == TRI_YES;
	*ret_queues = queues->count;
	free(queues);
	return count;
}

static void every_vector_in_use_gets_a_core_of_its_own_port(void **state)
{
	static const char *const fixtures[] = {
		"h100+live",	      "f11-snc+live",	     "h100+live+smt-off",     "h100+live+offline",
		"h100+live+isolated", "h100+live+few-cores", "h100+live+busy-compute"
	};
	struct place_world *w = *state;

	for (size_t i = 0; i < ARRAY_SIZE(fixtures); i++) {
		unsigned queues;

		memset(w, 0, sizeof(*w));
		place_world_read(w, fixtures[i]);
		place_world_place(w, 4);
		assert_all_placed(w, 4 * 16);
		write_all(w);
		assert_int_equal(count_local(w, &queues), 4 * 16);
		assert_int_equal(queues, 4 * 16);

		place_world_place(w, 4); /* a second time there is nothing to do */
		assert_int_equal(count_action(w, IRQ_KEPT), 64);
	}
}

static void the_cores_of_a_port_are_loaded_alike(void **state)
{
	struct place_world *w = *state;
	unsigned load[CPUS_MAX] = { 0 };

	place_world_read(w, "h100+live");
	place_world_place(w, 4);
	for (unsigned i = 0; i < w->affinity.irqs; i++)
		load[cpuset_next(&w->affinity.irq[i].target, 0)]++;
	for (unsigned cpu = 0; cpu < CPUS_MAX; cpu++)
		assert_int_equal(load[cpu], cpuset_has(&w->affinity.reserved, cpu) ? 4 : 0);
	assert_cpus(&w->affinity.reserved, "48-55,104-111");
	assert_cpus(&w->affinity.reserved_with_siblings, "48-55,104-111,160-167,216-223");
	assert_cpus(&w->affinity.irq[0].before, "0");
	assert_cpus(&w->affinity.irq[0].target, "52");
	assert_cpus(&w->affinity.irq[5].target, "53");
	assert_string_equal(w->affinity.irq[5].name, "mlx5_comp5@pci:" A0);
	assert_int_equal(w->affinity.irq[5].number, w->topo.irq[w->affinity.irq[5].irq].irq);
}

static void a_port_without_a_node_keeps_its_vectors(void **state)
{
	struct place_world *w = *state;

	place_world_read(w, "f12-numa+live");
	place_world_place(w, 4);
	assert_int_equal(w->affinity.irqs, 64);
	assert_int_equal(count_action(w, IRQ_NONE), 32);
	for (unsigned i = 0; i < 32; i++) {
		assert_true(cpuset_is_empty(&w->affinity.irq[i].target));
		assert_non_null(strstr(w->affinity.irq[i].message, "numa_node is -1"));
	}
	assert_cpus(&w->affinity.reserved, "48-55"); /* of the other two */
}

static void in_a_roce_lag_only_the_first_functions_vectors_are_placed(void **state)
{
	struct place_world *w = *state;

	place_world_read(w, "h100+card-bond+live");
	place_world_place(w, 4);
	assert_int_equal(w->affinity.irqs, 16);
	for (unsigned i = 0; i < 16; i++)
		assert_int_equal(w->affinity.irq[i].pci.function, 0);
	assert_cpus(&w->affinity.reserved, "52-55");
	assert_false(place_world_port(w, A1)->in_use);
	assert_null(place_world_finding(w, "affinity.irqs", A0)); /* a failover moves nothing here */
}

static void over_a_bond_the_hca_that_carries_the_queues_is_placed(void **state)
{
	struct place_world *w = *state;
	const struct finding *found;

	place_world_read(w, "f5-bond0+active-backup+failed-over");
	place_world_place(w, 4);
	assert_int_equal(w->affinity.irqs, 16);
	assert_int_equal(count_action(w, IRQ_WOULD_SET), 16);
	assert_int_equal(w->affinity.irq[0].pci.bus, 0xaa);
	assert_cpus(&w->affinity.reserved, "104-107");
	found = place_world_finding(w, "affinity.irqs", B1);
	assert_non_null(found);
	assert_int_equal(found->status, FINDING_WARN);
	assert_string_equal(found->message,
			    B1 " carries bond0 now, and 16 of its vectors in use are not on its "
			       "cores, as after a failover: connect again places them");
	write_all(w);
	place_world_place(w, 4);
	assert_int_equal(count_action(w, IRQ_KEPT), 16);
	assert_null(place_world_finding(w, "affinity.irqs", B1));

	/* The bond has changed its active port, but the queue pairs are still where they were. */
	for (unsigned i = 0; i < w->topo.cm_ids; i++)
		strcpy(w->topo.cm_id[i].rdma_name, "mlx5_2");
	place_world_place(w, 4);
	assert_int_equal(w->affinity.irqs, 16);
	assert_int_equal(w->affinity.irq[0].pci.bus, 0x29);
	assert_int_equal(w->affinity.irq[0].pci.function, 1);
	assert_int_equal(count_action(w, IRQ_KEPT), 16);

	/* A queue pair that is not up proves nothing: then the active port. */
	for (unsigned i = 0; i < w->topo.cm_ids; i++)
		w->topo.cm_id[i].qp_rts = false;
	place_world_place(w, 4);
	assert_int_equal(w->affinity.irq[0].pci.bus, 0xaa);

	/* Some are there already: both, for the moment. */
	w->topo.cm_id[0].qp_rts = w->topo.cm_id[1].qp_rts = true;
	strcpy(w->topo.cm_id[1].rdma_name, "mlx5_8");
	place_world_place(w, 4);
	assert_int_equal(w->affinity.irqs, 32);

	/* On an HCA that is no member of the bond nothing is placed on its account. */
	strcpy(w->topo.cm_id[0].rdma_name, "mlx5_0");
	strcpy(w->topo.cm_id[1].rdma_name, "mlx5_1");
	place_world_place(w, 4);
	assert_int_equal(w->affinity.irqs, 16);
	assert_int_equal(w->affinity.irq[0].pci.bus, 0xaa);
}

/* --- by hand --- */

#define PORTS 4
#define VECTORS 63
#define CPUS 128

/* Storage ports 1 to 4 with 63 vectors each on one node, and a controller of 16 I/O queues on the first. */
static void make(struct place_world *w)
{
	struct topology *topo = &w->topo;

	topo->isolated_known = topo->nohz_full_known = true;
	topo->nodes = 1;
	for (unsigned cpu = 0; cpu < CPUS; cpu++) {
		topo->core[cpu] = (int)cpu;
		cpuset_add(&topo->online, cpu);
	}
	topo->node[0].cpus = topo->online;
	topo->ports = topo->rdma_links = topo->netdevs = PORTS;
	for (unsigned i = 0; i < PORTS; i++) {
		topo->port[i] =
			(struct port){ .pci = { .bus = (uint8_t)(i + 1) }, .netdev = (int)i, .rdma = (int)i };
		topo->rdma_link[i] =
			(struct rdma_link){ .has_pci = true, .pci = topo->port[i].pci, .ncv = VECTORS };
		topo->netdev[i].ifindex = (int)i + 1;
		w->classes.port[i].role = ROLE_STORAGE;
		for (unsigned v = 0; v < VECTORS; v++) {
			struct irq *irq = &topo->irq[topo->irqs++];

			*irq = (struct irq){ .irq = 95 + topo->irqs, .pci = topo->port[i].pci, .vector = v };
			irq->affinity_known = irq->effective_known = true;
			cpuset_add(&irq->affinity, v);
		}
	}
	topo->ctrls = w->plan.paths = 1;
	topo->ctrl[0].queue_count = 17;
	w->plan.path[0] = (struct path){ .action = PATH_KEPT };
}

static void assert_placed(struct place_world *w, unsigned count)
{
	place_world_place(w, 4);
	assert_int_equal(w->affinity.irqs, count);
}

static void vectors_in_use_follow_from_queues_and_vectors(void **state)
{
	struct place_world *w = *state;

	make(w);
	assert_placed(w, 16);
	w->topo.ctrl[0].queue_count = 5; /* fewer queues */
	assert_placed(w, 4);
	w->topo.ctrl[0].queue_count = 129; /* more queues than vectors */
	assert_placed(w, 63);
	w->topo.rdma_link[0].ncv = 4;
	assert_placed(w, 4);
	w->topo.rdma_link[0].ncv = 1;
	assert_placed(w, 1);
	w->topo.rdma_link[0].ncv = 63;
	w->topo.ctrl[0].queue_count = 1; /* the admin queue alone */
	assert_placed(w, 1);
	assert_int_equal(w->affinity.irq[0].vector, 0);
	w->topo.ctrl[0].queue_count = -1;
	assert_placed(w, 0);
	w->topo.ctrl[0].queue_count = 17;
	w->topo.rdma_link[0].ncv = -1;
	assert_placed(w, 0);
	assert_true(w->affinity.port[0].in_use); /* whatever its vectors are */
}

static void more_vectors_than_cpus_are_never_used(void **state)
{
	struct place_world *w = *state;

	make(w);
	w->topo.ctrl[0].queue_count = 65;
	w->topo.online = (struct cpuset){ 0 };
	for (unsigned cpu = 0; cpu < 30; cpu++)
		cpuset_add(&w->topo.online, cpu);
	assert_placed(w, 30);
}

static void the_largest_of_a_ports_controllers_counts(void **state)
{
	struct place_world *w = *state;

	make(w);
	w->topo.ctrls = w->plan.paths = 3;
	w->plan.path[1] = (struct path){ .action = PATH_KEPT, .ctrl = 1 };
	w->plan.path[2] = (struct path){ .action = PATH_KEPT, .ctrl = 2, .port = 2, .rdma = 2 };
	w->topo.ctrl[1].queue_count = 33;
	w->topo.ctrl[2].queue_count = 3;
	assert_placed(w, 32 + 2);
	assert_true(w->affinity.port[0].in_use);
	assert_false(w->affinity.port[1].in_use);
	assert_true(w->affinity.port[2].in_use);
	assert_cpus(&w->affinity.reserved, "116-119,124-127");
}

static void vectors_that_are_not_there_yet_are_left_out(void **state)
{
	struct place_world *w = *state;

	make(w);
	memmove(&w->topo.irq[3], &w->topo.irq[8], (w->topo.irqs - 8) * sizeof(w->topo.irq[0]));
	w->topo.irqs -= 5;
	assert_placed(w, 11);
	assert_int_equal(w->affinity.irq[3].vector, 8);
	assert_cpus(&w->affinity.irq[3].target, "124"); /* by its number, not by its place in the list */
	w->topo.irqs = 0;
	assert_placed(w, 0);
}

static void what_cannot_be_read_is_not_written(void **state)
{
	struct place_world *w = *state;

	make(w);
	w->topo.irq[2].affinity_known = false;
	assert_placed(w, 16);
	assert_int_equal(w->affinity.irq[2].action, IRQ_NONE);
	assert_true(cpuset_is_empty(&w->affinity.irq[2].target));
	assert_string_equal(w->affinity.irq[2].message,
			    "/proc/irq/98/smp_affinity_list cannot be read, so it is not written");
	assert_int_equal(count_action(w, IRQ_WOULD_SET), 15);
}

static void one_cpu_more_is_not_the_target(void **state)
{
	struct place_world *w = *state;

	make(w);
	w->topo.irq[0].affinity = (struct cpuset){ 0 };
	cpuset_add(&w->topo.irq[0].affinity, 124);
	assert_placed(w, 16);
	assert_int_equal(w->affinity.irq[0].action, IRQ_KEPT);
	cpuset_add(&w->topo.irq[0].affinity, 125);
	assert_placed(w, 16);
	assert_int_equal(w->affinity.irq[0].action, IRQ_WOULD_SET);
}

static void no_vector_of_a_function_that_is_not_storage_is_listed(void **state)
{
	static const enum role roles[] = { ROLE_OTHER, ROLE_COMPUTE, ROLE_MANAGEMENT };
	struct place_world *w = *state;

	make(w);
	for (size_t i = 0; i < ARRAY_SIZE(roles); i++) {
		w->classes.port[0].role = roles[i];
		assert_placed(w, 0);
		assert_true(cpuset_is_empty(&w->affinity.reserved));
	}
	w->classes.port[0].role = ROLE_STORAGE;
	w->classes.port[1].role = ROLE_COMPUTE;
	w->topo.rdma_link[0].pci = w->topo.port[1].pci; /* the device is another function's */
	assert_placed(w, 0);
	w->topo.rdma_link[0].pci.bus = 0x77; /* one that is not there */
	assert_placed(w, 0);
	w->topo.rdma_link[0].pci = w->topo.port[0].pci;
	w->topo.rdma_link[0].subfunction = true; /* its vectors have names of their own */
	assert_placed(w, 0);
	w->plan.path[0].rdma = -1;
	assert_placed(w, 0);
}

static void soft_roce_takes_the_vectors_of_its_port(void **state)
{
	struct place_world *w = *state;

	make(w);
	w->topo.rdma_link[0].has_pci = false;
	assert_placed(w, 16);
	assert_int_equal(w->affinity.irq[0].pci.bus, 1);
	w->plan.path[0].port = -1;
	assert_placed(w, 0);
}

static void a_virtual_function_uses_the_cores_of_its_port(void **state)
{
	struct place_world *w = *state;

	make(w);
	w->topo.port[1].vf = true;
	w->topo.port[1].pf = w->topo.port[0].pci;
	w->plan.path[0].port = w->plan.path[0].rdma = 1;
	assert_placed(w, 16);
	assert_int_equal(w->affinity.ports, PORTS - 1);
	assert_int_equal(w->affinity.irq[0].pci.bus, 2);
	assert_int_equal(w->affinity.irq[0].port, 0);
	assert_cpus(&w->affinity.irq[0].target, "124");
	assert_cpus(&w->affinity.reserved, "124-127");
}

static void a_path_counts_while_it_has_a_controller(void **state)
{
	struct place_world *w = *state;

	make(w);
	for (enum path_action action = PATH_NONE; action <= PATH_FOREIGN; action++) {
		bool gone = action == PATH_DISCONNECTED || action == PATH_WOULD_DISCONNECT;

		w->plan.path[0].action = action;
		w->plan.path[0].ctrl = 0;
		assert_placed(w, gone ? 0 : 16);
		w->plan.path[0].ctrl = -1;
		assert_placed(w, 0);
		assert_int_equal(w->affinity.port[0].in_use, action == PATH_WOULD_CONNECT);
	}
}

static void a_dry_run_lists_what_the_queues_to_come_would_use(void **state)
{
	struct place_world *w = *state;

	make(w);
	w->plan.path[0] = (struct path){ .action = PATH_WOULD_CONNECT, .ctrl = -1 };
	cores_of(&w->topo, &w->classes, 4, &w->affinity, &w->findings);
	place_irqs(&w->topo, &w->classes, &w->plan, 8, &w->affinity);
	assert_int_equal(w->affinity.irqs, 8);
	place_irqs(&w->topo, &w->classes, &w->plan, 65535, &w->affinity);
	assert_int_equal(w->affinity.irqs, 63);
	assert_cpus(&w->affinity.reserved, "124-127");
}

static void more_than_a_thousand_interrupts_on_high_cpus(void **state)
{
	struct place_world *w = *state;

	make(w);
	w->topo.irqs = 0;
	for (unsigned cpu = 0; cpu < CPUS_MAX; cpu++) {
		w->topo.core[cpu] = (int)cpu;
		cpuset_add(&w->topo.online, cpu);
		cpuset_add(&w->topo.node[0].cpus, cpu);
	}
	for (unsigned v = 0; v < 4000; v++) {
		w->topo.irq[w->topo.irqs++] = (struct irq){
			.irq = v + 9000, .pci = w->topo.port[0].pci, .vector = v, .affinity_known = true
		};
	}
	w->topo.rdma_link[0].ncv = 4000;
	w->topo.ctrl[0].queue_count = 4001;
	assert_placed(w, 2048); /* the pool has no more than CPUs are online */
	assert_cpus(&w->affinity.irq[2047].target, "2047");
	assert_cpus(&w->affinity.reserved, "2044-2047");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		PLACE_TEST(every_vector_in_use_gets_a_core_of_its_own_port),
		PLACE_TEST(the_cores_of_a_port_are_loaded_alike),
		PLACE_TEST(a_port_without_a_node_keeps_its_vectors),
		PLACE_TEST(in_a_roce_lag_only_the_first_functions_vectors_are_placed),
		PLACE_TEST(over_a_bond_the_hca_that_carries_the_queues_is_placed),
		PLACE_TEST(vectors_in_use_follow_from_queues_and_vectors),
		PLACE_TEST(more_vectors_than_cpus_are_never_used),
		PLACE_TEST(the_largest_of_a_ports_controllers_counts),
		PLACE_TEST(vectors_that_are_not_there_yet_are_left_out),
		PLACE_TEST(what_cannot_be_read_is_not_written),
		PLACE_TEST(one_cpu_more_is_not_the_target),
		PLACE_TEST(no_vector_of_a_function_that_is_not_storage_is_listed),
		PLACE_TEST(soft_roce_takes_the_vectors_of_its_port),
		PLACE_TEST(a_virtual_function_uses_the_cores_of_its_port),
		PLACE_TEST(a_path_counts_while_it_has_a_controller),
		PLACE_TEST(a_dry_run_lists_what_the_queues_to_come_would_use),
		PLACE_TEST(more_than_a_thousand_interrupts_on_high_cpus),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
