/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is said of the machine around placement, and what is not worth a word. */
#include "unit/place_world.h"

#define A0 "0000:29:00.0"
#define A1 "0000:29:00.1"

#define NQN1 "nqn.2026-01.example:s1"
#define NQN2 "nqn.2026-01.example:s2"

static void compute_vectors_on_reserved_cores_are_listed_with_their_counts(void **state)
{
	struct place_world *w = *state;
	const struct finding *found;

	place_world_read(w, "h100+live+busy-compute");
	place_world_place(w, 4);
	found = place_world_finding(w, "affinity.compute_vectors", "0000:18:00.0");
	assert_non_null(found);
	assert_int_equal(found->status, FINDING_WARN);
	assert_string_equal(
		found->message,
		"3 vectors of 0000:18:00.0 interrupt cores that are reserved for storage: vector 2 "
		"(irq 49) 123456 times, vector 3 (irq 50) 99 times, vector 0 (irq 47) 7 times; this "
		"program never moves them: the busy ones, or their work, are yours to move");
	found = place_world_finding(w, "affinity.compute_vectors", "0000:40:00.0");
	assert_non_null(found);
	assert_int_equal(found->status, FINDING_PASS);					 /* quiet */
	assert_null(place_world_finding(w, "affinity.compute_vectors", "0000:5e:00.0")); /* elsewhere */
}

static void rq_affinity_2_is_said_once(void **state)
{
	struct place_world *w = *state;
	const struct finding *found;

	place_world_read(w, "h100+live+busy-compute");
	place_world_place(w, 4);
	found = place_world_finding(w, "affinity.rq_affinity", "nvme2c3n1");
	assert_non_null(found);
	assert_int_equal(found->status, FINDING_WARN);
	assert_non_null(strstr(found->message, "rq_affinity is 2 on nvme2c3n1: "));
	w->topo.rq_affinity[0] = w->topo.rq_affinity[7] = 2;
	place_world_place(w, 4);
	assert_null(place_world_finding(w, "affinity.rq_affinity", "nvme2c3n1"));
	found = place_world_finding(w, "affinity.rq_affinity", w->topo.ns[0].path_device);
	assert_non_null(found);
	assert_non_null(strstr(found->message, " and 2 more paths: "));
	strcpy(w->topo.ctrl[w->topo.ns[0].ctrl].id.transport, "tcp"); /* none of ours */
	w->topo.rq_affinity[7] = -1;
	place_world_place(w, 4);
	assert_non_null(place_world_finding(w, "affinity.rq_affinity", "nvme2c3n1"));
}

/* Of each subsystem in the plan; NULL: none. */
static const struct finding *multipath(struct place_world *w)
{
	place_world_place(w, 4);
	return place_world_finding(w, "paths.iopolicy", NQN1);
}

static void two_paths_on_a_node_are_more_than_numa_uses(void **state)
{
	struct place_world *w = *state;
	const struct finding *found;
	struct subsys *subsys = NULL;

	place_world_read(w, "h100+live");
	found = multipath(w);
	assert_non_null(found);
	assert_string_equal(found->message,
			    "iopolicy numa uses one of the 2 live paths of " NQN1
			    " at node 0; queue-depth (Linux 6.11), else round-robin, uses all");

	/* One path a node is what it is made for; one that is not live is none. */
	strcpy(w->topo.ctrl[w->plan.path[0].ctrl].state, "connecting");
	assert_non_null(multipath(w)); /* two on node 1 */
	strcpy(w->topo.ctrl[w->plan.path[2].ctrl].state, "connecting");
	assert_null(multipath(w));
	strcpy(w->topo.ctrl[w->plan.path[0].ctrl].state, "live");
	strcpy(w->topo.ctrl[w->plan.path[2].ctrl].state, "live");
	assert_non_null(multipath(w));

	for (unsigned i = 0; i < w->topo.subsyss; i++) {
		if (strcmp(w->topo.subsys[i].nqn, NQN1) == 0)
			subsys = &w->topo.subsys[i];
	}
	assert_non_null(subsys);
	strcpy(subsys->iopolicy, "round-robin");
	assert_null(multipath(w));
	strcpy(subsys->iopolicy, ""); /* unknown */
	assert_null(multipath(w));

	strcpy(w->topo.ns[0].path_device, w->topo.ns[0].device); /* no native multipath */
	found = multipath(w);
	assert_non_null(found);
	assert_non_null(strstr(found->message, "4 live paths"));
	assert_non_null(strstr(found->message, "block devices of their own"));
}

static void paths_at_no_node_are_of_one_kind(void **state)
{
	struct place_world *w = *state;

	place_world_read(w, "f12-numa+live"); /* two at -1, two at 0 */
	strcpy(w->topo.ctrl[w->plan.path[2].ctrl].state, "dead");
	assert_non_null(multipath(w));
	assert_non_null(strstr(multipath(w)->message, "at no known node"));
}

static void subsystems_that_share_vectors_while_others_are_free_are_said(void **state)
{
	struct place_world *w = *state;
	const struct finding *found;

	place_world_read(w, "h100+live");
	place_world_place(w, 4);
	assert_null(place_world_finding(w, "affinity.vectors", "0000:29:00.0"));

	/* The second path is another subsystem's, on the first one's port. */
	strcpy(w->plan.path[1].id.nqn, NQN2);
	w->plan.path[1].port = w->plan.path[0].port;
	w->plan.path[1].rdma = w->plan.path[0].rdma;
	place_world_place(w, 4);
	assert_null(place_world_finding(w, "affinity.vectors", "0000:29:00.0")); /* all 16 are in use */
	w->topo.rdma_link[w->plan.path[0].rdma].ncv = 63;
	place_world_place(w, 4);
	found = place_world_finding(w, "affinity.vectors", "0000:29:00.0");
	assert_non_null(found);
	assert_string_equal(
		found->message,
		"2 subsystems share the first 16 of 63 vectors of 0000:29:00.0, since every controller "
		"begins with the first one: with more I/O queues they use more of them");
	strcpy(w->plan.path[1].id.nqn, NQN1); /* two portals of one subsystem are what multipath is for */
	place_world_place(w, 4);
	assert_null(place_world_finding(w, "affinity.vectors", "0000:29:00.0"));
}

static void a_quiet_machine_gets_no_advice(void **state)
{
	struct place_world *w = *state;

	place_world_read(w, "h100");
	place_world_place(w, 4);
	assert_int_equal(w->findings.count, 0);
}

static void the_busiest_vectors_are_named_and_the_list_ends(void **state)
{
	struct place_world *w = *state;
	const struct finding *found;

	place_world_read(w, "h100+live+busy-compute");
	w->topo.other_irqs = 1000; /* of one function */
	for (unsigned i = 0; i < 1000; i++) {
		w->topo.other_irq[i] = w->topo.other_irq[0];
		w->topo.other_irq[i].irq = 4294967000U + i % 200;
		w->topo.other_irq[i].vector = i;
		w->topo.other_irq[i].count = i % 10 == 0 ? UINT64_MAX : 18000000000000000000U;
		w->topo.other_irq[i].affinity_known = i != 0;
	}
	place_world_place(w, 4);
	found = place_world_finding(w, "affinity.compute_vectors", "0000:18:00.0");
	assert_non_null(found);
	assert_non_null(strstr(found->message, "999 vectors of"));
	assert_non_null(
		strstr(found->message, ": vector 10 (irq 4294967010) 18446744073709551615 times, vector 20"));
	assert_non_null(strstr(found->message, ", and others"));
	assert_non_null(strstr(found->message, "yours to move"));
}

static void queues_without_known_interrupts_are_said(void **state)
{
	struct place_world *w = *state;

	place_world_read(w, "h100+live");
	place_world_place(w, 4);
	assert_false(place_world_port(w, A0)->unknown);
	assert_int_equal(place_world_port(w, A0)->missing, 0);
	for (unsigned i = 0; i < 3; i++) /* of another driver, say */
		w->topo.irq[i].vector = 60 + i;
	for (unsigned i = 0; i < w->topo.rdma_links; i++) {
		if (strcmp(w->topo.rdma_link[i].name, "mlx5_2") == 0)
			w->topo.rdma_link[i].ncv = -1;
	}
	place_world_place(w, 4);
	assert_int_equal(place_world_port(w, A0)->missing, 3);
	assert_int_equal(place_world_finding(w, "affinity.irqs", A0)->status, FINDING_UNKNOWN);
	assert_true(place_world_port(w, A1)->unknown);
	assert_int_equal(place_world_port(w, A1)->missing, 0);
	assert_int_equal(place_world_finding(w, "affinity.irqs", A1)->status, FINDING_UNKNOWN);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		PLACE_TEST(compute_vectors_on_reserved_cores_are_listed_with_their_counts),
		PLACE_TEST(rq_affinity_2_is_said_once),
		PLACE_TEST(two_paths_on_a_node_are_more_than_numa_uses),
		PLACE_TEST(paths_at_no_node_are_of_one_kind),
		PLACE_TEST(subsystems_that_share_vectors_while_others_are_free_are_said),
		PLACE_TEST(a_quiet_machine_gets_no_advice),
		PLACE_TEST(the_busiest_vectors_are_named_and_the_list_ends),
		PLACE_TEST(queues_without_known_interrupts_are_said),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
