/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which cores are set apart for which storage port, on whole machines and at the edges of the rule. */
#include "unit/place_world.h"

#include <stdio.h>

#define A0 "0000:29:00.0"
#define A1 "0000:29:00.1"
#define B0 "0000:aa:00.0"
#define B1 "0000:aa:00.1"

/* --- machines --- */

static void each_port_gets_the_top_of_its_node(void **state)
{
	struct place_world *w = *state;

	place_world_read(w, "h100");
	place_world_place(w, CORES_PER_PORT_DEFAULT);
	assert_int_equal(w->affinity.ports, 4);
	assert_share(w, A0, "52-55");
	assert_share(w, A1, "48-51");
	assert_share(w, B0, "108-111");
	assert_share(w, B1, "104-107");
	assert_int_equal(w->affinity.cores_fewest, 4);
	assert_cpus(&w->affinity.reserved, ""); /* no port is in use */
	assert_int_equal(w->findings.count, 0);
}

static void nothing_moves_when_a_port_goes_down_or_virtual_functions_come(void **state)
{
	static const char *const fixtures[] = { "h100+port-down", "h100+storage-vf" };
	struct place_world *w = *state;

	for (size_t i = 0; i < ARRAY_SIZE(fixtures); i++) {
		memset(w, 0, sizeof(*w));
		place_world_read(w, fixtures[i]);
		place_world_place(w, 4);
		assert_int_equal(w->affinity.ports, 4);
		assert_share(w, A0, "52-55");
		assert_share(w, A1, "48-51");
		assert_share(w, B0, "108-111");
		assert_share(w, B1, "104-107");
	}
}

static void with_four_nodes_the_ports_stay_in_theirs(void **state)
{
	struct place_world *w = *state;

	place_world_read(w, "f11-snc");
	place_world_place(w, 4);
	assert_share(w, A0, "20-23");
	assert_share(w, A1, "16-19");
	assert_share(w, B0, "68-71");
	assert_share(w, B1, "64-67");
	assert_int_equal(w->findings.count, 0);
}

static void without_second_threads_the_cores_are_the_same(void **state)
{
	struct place_world *w = *state;

	place_world_read(w, "h100+live+smt-off");
	place_world_place(w, 4);
	assert_share(w, A0, "52-55");
	assert_share(w, B1, "104-107");
	assert_cpus(&w->affinity.reserved, "48-55,104-111");
	assert_cpus(&w->affinity.reserved_with_siblings, "48-55,104-111");
	assert_int_equal(w->affinity.cores_fewest, 4);
}

static void a_core_without_all_its_threads_does_not_count(void **state)
{
	struct place_world *w = *state;

	place_world_read(w, "h100+live+offline"); /* 54, 166, 167, 223 */
	place_world_place(w, 4);
	assert_share(w, A0, "50-53");
	assert_share(w, A1, "46-49");
	assert_share(w, B0, "107-110");
	assert_share(w, B1, "103-106");
}

static void isolated_and_nohz_full_cores_do_not_count(void **state)
{
	struct place_world *w = *state;

	place_world_read(w, "h100+live+isolated"); /* 52, 53; of 110 one thread alone */
	place_world_place(w, 4);
	assert_share(w, A0, "50-51,54-55");
	assert_share(w, A1, "46-49");
	assert_share(w, B0, "107-109,111");
	assert_share(w, B1, "103-106");
	assert_cpus(&w->affinity.reserved_with_siblings,
		    "46-51,54-55,103-109,111,158-163,166-167,215-221,223");
}

static void a_small_node_gives_fewer_and_keeps_four_for_others(void **state)
{
	struct place_world *w = *state;
	const struct finding *found;

	place_world_read(w, "h100+live+few-cores");
	place_world_place(w, 4);
	assert_share(w, A0, "7"); /* 7 cores without CPU 0's */
	assert_share(w, A1, "6");
	assert_share(w, B0, "14"); /* 15 lacks a thread */
	assert_share(w, B1, "13");
	assert_int_equal(w->affinity.cores_per_port, 4);
	assert_int_equal(w->affinity.cores_fewest, 1);
	found = place_world_finding(w, "affinity.cores", "node 0");
	assert_non_null(found);
	assert_int_equal(found->status, FINDING_WARN);
	assert_string_equal(found->message,
			    "node 0 has 7 cores that storage could use, and 4 stay for others: each of its 2 "
			    "storage ports gets 1 instead of 4");
	assert_non_null(place_world_finding(w, "affinity.cores", "node 1"));
}

static void a_port_without_a_node_is_not_placed_and_said(void **state)
{
	struct place_world *w = *state;
	const struct finding *found;

	place_world_read(w, "f12-numa+live");
	place_world_place(w, 4);
	assert_share(w, A0, "");
	assert_int_equal(place_world_port(w, A0)->unplaced, UNPLACED_NO_NODE);
	assert_int_equal(place_world_port(w, A0)->node, -1);
	assert_share(w, B0, "52-55"); /* where sysfs has it */
	assert_share(w, B1, "48-51");
	found = place_world_finding(w, "affinity.cores", A0);
	assert_non_null(found);
	assert_int_equal(found->status, FINDING_WARN);
	assert_string_equal(found->evidence, "sys/bus/pci/devices/0000:29:00.0/numa_node");
	assert_null(place_world_finding(w, "affinity.cores", B0));
}

static void other_machines_have_no_shares(void **state)
{
	struct place_world *w = *state;

	place_world_read(w, "h100+wrong-id"); /* the card in slot 2 is no storage card of this platform */
	place_world_place(w, 4);
	assert_int_equal(w->affinity.ports, 2);
	assert_share(w, B0, "108-111");
}

/* --- edges --- */

static void add(struct cpuset *set, unsigned first, unsigned last)
{
	for (unsigned cpu = first; cpu <= last; cpu++)
		cpuset_add(set, cpu);
}

/* One node of so many cores with one thread each, and storage ports on it. */
static void make(struct place_world *w, unsigned cores, unsigned ports)
{
	memset(&w->topo, 0, sizeof(w->topo));
	add(&w->topo.online, 0, cores - 1);
	for (unsigned cpu = 0; cpu < CPUS_MAX; cpu++)
		w->topo.core[cpu] = cpu < cores ? (int)cpu : -1;
	w->topo.isolated_known = w->topo.nohz_full_known = true;
	w->topo.nodes = 1;
	w->topo.node[0].cpus = w->topo.online;
	w->topo.ports = ports;
	for (unsigned i = 0; i < ports; i++) {
		w->topo.port[i] = (struct port){ .pci = { .bus = (uint8_t)(i + 1) } };
		w->classes.port[i].role = ROLE_STORAGE;
	}
}

static const struct cpuset *share(const struct place_world *w, unsigned port)
{
	return &w->affinity.port[port].cpus;
}

static void the_share_shrinks_one_core_before_the_node_is_full(void **state)
{
	struct place_world *w = *state;

	make(w, 1 + 12, 2); /* CPU 0, 2 * 4 and 4 for others */
	place_world_place(w, 4);
	assert_cpus(share(w, 0), "9-12");
	assert_cpus(share(w, 1), "5-8");
	assert_int_equal(w->findings.count, 0);
	make(w, 1 + 11, 2);
	place_world_place(w, 4);
	assert_cpus(share(w, 0), "9-11");
	assert_cpus(share(w, 1), "6-8");
	assert_int_equal(w->findings.count, 1);
}

static void as_many_as_asked_for_is_no_finding(void **state)
{
	struct place_world *w = *state;

	make(w, 4, 2);
	place_world_place(w, 1);
	assert_cpus(share(w, 0), "3");
	assert_cpus(share(w, 1), "2");
	assert_int_equal(w->findings.count, 0);
}

static void the_last_port_of_a_node_without_cores_goes_without(void **state)
{
	struct place_world *w = *state;

	make(w, 3, 3);
	place_world_place(w, 1);
	assert_cpus(share(w, 0), "2");
	assert_cpus(share(w, 1), "1");
	assert_cpus(share(w, 2), "");
	assert_int_equal(w->affinity.port[2].unplaced, UNPLACED_SMALL);
	assert_int_equal(w->findings.count, 1);
	make(w, 1, 1); /* CPU 0 alone */
	place_world_place(w, 4);
	assert_cpus(share(w, 0), "");
	assert_int_equal(w->affinity.cores_fewest, 0);
	assert_int_equal(w->findings.count, 1);
}

static void the_threads_of_cpu_0_never_count(void **state)
{
	struct place_world *w = *state;

	make(w, 64, 1);
	w->topo.core[63] = 0; /* four threads a core, of a kind */
	for (unsigned cpu = 1; cpu < 63; cpu++)
		w->topo.core[cpu] = (int)(cpu & ~1U);
	w->topo.core[1] = 0;
	place_world_place(w, 4);
	assert_cpus(share(w, 0), ""); /* no other core has as many threads */
	assert_int_equal(w->affinity.port[0].unplaced, UNPLACED_SMALL);
}

static void what_is_not_known_of_isolation_counts_as_isolated(void **state)
{
	struct place_world *w = *state;

	for (unsigned i = 0; i < 3; i++) {
		make(w, 64, 1);
		w->topo.isolated_known = i != 0;
		w->topo.nohz_full_known = i != 1;
		if (i == 2)
			w->topo.online = (struct cpuset){ 0 };
		place_world_place(w, 4);
		assert_cpus(share(w, 0), "");
		assert_int_equal(w->affinity.port[0].unplaced, UNPLACED_UNKNOWN);
		assert_int_equal(w->findings.count, 1);
		assert_int_equal(w->findings.finding[0].status, FINDING_UNKNOWN);
	}
}

static void cores_that_were_never_read_are_never_used(void **state)
{
	struct place_world *w = *state;

	make(w, 64, 1);
	memset(w->topo.core, 0, sizeof(w->topo.core)); /* as calloc left it */
	place_world_place(w, 4);
	assert_cpus(share(w, 0), "");
}

static void cpus_of_unknown_cores_are_left_out_and_named(void **state)
{
	struct place_world *w = *state;

	make(w, 64, 1);
	w->topo.core[63] = w->topo.core[62] = w->topo.core[60] = -1;
	place_world_place(w, 4);
	assert_cpus(share(w, 0), "57-59,61");
	assert_int_equal(w->findings.count, 1);
	assert_string_equal(w->findings.finding[0].object, "node 0");
	assert_int_equal(w->findings.finding[0].status, FINDING_UNKNOWN);
	assert_non_null(strstr(w->findings.finding[0].message, "60,62-63"));
}

static void a_node_of_memory_alone_and_one_that_is_not_there(void **state)
{
	struct place_world *w = *state;

	make(w, 64, 2);
	w->topo.node[1] = (struct node){ .id = 2 };
	w->topo.nodes = 2;
	w->topo.port[0].numa_node = 2;
	w->topo.port[1].numa_node = 5;
	place_world_place(w, 4);
	assert_int_equal(w->affinity.port[0].unplaced, UNPLACED_NO_CPUS);
	assert_int_equal(w->affinity.port[1].unplaced, UNPLACED_UNKNOWN);
	assert_int_equal(w->findings.count, 2);
}

static void nodes_that_list_the_same_cpus_share_none(void **state)
{
	struct place_world *w = *state;

	make(w, 64, 2);
	w->topo.node[1] = (struct node){ .id = 1, .cpus = w->topo.online };
	w->topo.nodes = 2;
	w->topo.port[1].numa_node = 1;
	place_world_place(w, 4);
	assert_cpus(share(w, 0), "60-63");
	assert_cpus(share(w, 1), "56-59");
}

static void interleaved_nodes_of_the_largest_machine(void **state)
{
	struct place_world *w = *state;

	make(w, CPUS_MAX, 2);
	w->topo.node[1] = (struct node){ .id = 1 };
	w->topo.nodes = 2;
	w->topo.node[0].cpus = (struct cpuset){ 0 };
	for (unsigned cpu = 0; cpu < CPUS_MAX; cpu++)
		cpuset_add(&w->topo.node[cpu % 2].cpus, cpu);
	w->topo.port[1].numa_node = 1;
	place_world_place(w, 4);
	assert_cpus(share(w, 0), "2040,2042,2044,2046");
	assert_cpus(share(w, 1), "2041,2043,2045,2047");
	place_world_place(w, 100000); /* all but four of the node */
	assert_int_equal(cpuset_count(share(w, 0)), 1023 - 4);
	assert_int_equal(cpuset_count(share(w, 1)), 1024 - 4);
	place_world_place(w, 0);
	assert_int_equal(cpuset_count(share(w, 0)), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		PLACE_TEST(each_port_gets_the_top_of_its_node),
		PLACE_TEST(nothing_moves_when_a_port_goes_down_or_virtual_functions_come),
		PLACE_TEST(with_four_nodes_the_ports_stay_in_theirs),
		PLACE_TEST(without_second_threads_the_cores_are_the_same),
		PLACE_TEST(a_core_without_all_its_threads_does_not_count),
		PLACE_TEST(isolated_and_nohz_full_cores_do_not_count),
		PLACE_TEST(a_small_node_gives_fewer_and_keeps_four_for_others),
		PLACE_TEST(a_port_without_a_node_is_not_placed_and_said),
		PLACE_TEST(other_machines_have_no_shares),
		PLACE_TEST(the_share_shrinks_one_core_before_the_node_is_full),
		PLACE_TEST(as_many_as_asked_for_is_no_finding),
		PLACE_TEST(the_last_port_of_a_node_without_cores_goes_without),
		PLACE_TEST(the_threads_of_cpu_0_never_count),
		PLACE_TEST(what_is_not_known_of_isolation_counts_as_isolated),
		PLACE_TEST(cores_that_were_never_read_are_never_used),
		PLACE_TEST(cpus_of_unknown_cores_are_left_out_and_named),
		PLACE_TEST(a_node_of_memory_alone_and_one_that_is_not_there),
		PLACE_TEST(nodes_that_list_the_same_cpus_share_none),
		PLACE_TEST(interleaved_nodes_of_the_largest_machine),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
