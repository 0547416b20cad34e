/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is read of the machine as a whole: DMI, CPUs, NUMA nodes; and vectors of an RDMA device from a dump.
 */

#include "unit/reading.h"

static void dmi_strings_lose_their_trailing_blanks(void **state)
{
	(void)state;
	tree_write(&tree, "sys/class/dmi/id/sys_vendor", "NVIDIA \n");
	tree_write(&tree, "sys/class/dmi/id/product_name", "DGXH100\n");
	assert_int_equal(facts_read_dmi(&tree.root, topo, &findings, &error), 0);
	assert_string_equal(topo->dmi.sys_vendor, "NVIDIA");
	assert_string_equal(topo->dmi.product_name, "DGXH100");
	assert_int_equal(findings.count, 0);
}

static void dmi_that_is_missing_is_empty_and_odd_dmi_is_said(void **state)
{
	char text[DMI_SIZE + 1];

	(void)state;
	memset(text, 'x', DMI_SIZE);
	text[DMI_SIZE] = '\0';
	tree_write(&tree, "sys/class/dmi/id/product_name", text);
	assert_int_equal(facts_read_dmi(&tree.root, topo, &findings, &error), 0);
	assert_string_equal(topo->dmi.sys_vendor, "");
	assert_string_equal(topo->dmi.product_name, "");
	assert_int_equal(findings.count, 1);
	assert_string_equal(findings.finding[0].evidence, "/sys/class/dmi/id/product_name");
}

static void nodes_come_in_the_order_of_their_numbers(void **state)
{
	(void)state;
	tree_write(&tree, "sys/devices/system/cpu/online", "0-223\n");
	tree_write(&tree, "sys/devices/system/node/node10/cpulist", "\n");
	tree_write(&tree, "sys/devices/system/node/node1/cpulist", "56-111,168-223\n");
	tree_write(&tree, "sys/devices/system/node/node0/cpulist", "0-55,112-167\n");
	tree_write(&tree, "sys/devices/system/node/has_cpu", "0-1\n");
	assert_int_equal(facts_read_cpus(&tree.root, topo, &findings, &error), 0);
	assert_int_equal(cpuset_count(&topo->online), 224);
	assert_int_equal(topo->nodes, 3);
	assert_int_equal(topo->node[1].id, 1);
	assert_true(cpuset_has(&topo->node[1].cpus, 223));
	assert_int_equal(topo->node[2].id, 10); /* memory alone */
	assert_true(cpuset_is_empty(&topo->node[2].cpus));
	assert_int_equal(findings.count, 0);
}

static void a_node_whose_cpus_cannot_be_read_is_not_a_node_without_cpus(void **state)
{
	(void)state;
	tree_write(&tree, "sys/devices/system/cpu/online", "all\n");
	tree_write(&tree, "sys/devices/system/node/node0/cpulist", "0-\n");
	assert_int_equal(facts_read_cpus(&tree.root, topo, &findings, &error), 0);
	assert_true(cpuset_is_empty(&topo->online));
	assert_int_equal(topo->nodes, 0);
	assert_int_equal(findings.count, 2);
}

static void more_cpus_than_there_is_room_for_are_an_error(void **state)
{
	(void)state;
	tree_write(&tree, "sys/devices/system/cpu/online", "0-2048\n");
	assert_int_equal(facts_read_cpus(&tree.root, topo, &findings, &error), -E2BIG);
	assert_int_equal(error.exit, XC_ENVIRONMENT);
	assert_string_equal(error.msg, "more than 2048 CPUs: this program has no room for them");
}

static void add_rdma(const char *name, unsigned port)
{
	struct rdma_link *link = &topo->rdma_link[topo->rdma_links++];

	*link = (struct rdma_link){ .port = port, .ncv = -1 };
	strcpy(link->name, name);
}

static void vectors_are_those_of_the_whole_device(void **state)
{
	(void)state;
	add_rdma("mlx5_1", 1);
	add_rdma("mlx5_1", 2);
	add_rdma("mlx5_10", 1);
	tree_write(&tree, "netlink/ncv.json", "{\"mlx5_1\": 63, \"mlx5_10\": 4}");
	assert_int_equal(facts_read_ncv(&tree.root, topo, "mlx5_1", &findings, &error), 0);
	assert_int_equal(topo->rdma_link[0].ncv, 63);
	assert_int_equal(topo->rdma_link[1].ncv, 63);
	assert_int_equal(topo->rdma_link[2].ncv, -1);
	assert_int_equal(findings.count, 0);
}

static void vectors_that_cannot_be_read_are_unknown_and_said(void **state)
{
	static const char *const dumps[] = { "", "[]", "{\"mlx5_1\": 0}", "{\"mlx5_1\": \"63\"}",
					     "{\"mlx5_10\": 63}" };

	(void)state;
	add_rdma("mlx5_1", 1);
	for (size_t i = 0; i < ARRAY_SIZE(dumps); i++) {
		tree_write(&tree, "netlink/ncv.json", dumps[i]);
		topo->rdma_link[0].ncv = 63;
		assert_int_equal(facts_read_ncv(&tree.root, topo, "mlx5_1", &findings, &error), 0);
		assert_int_equal(topo->rdma_link[0].ncv, -1);
		assert_int_equal(findings.count, i + 1);
		assert_string_equal(findings.finding[i].object, "mlx5_1");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(dmi_strings_lose_their_trailing_blanks),
		TEST(dmi_that_is_missing_is_empty_and_odd_dmi_is_said),
		TEST(nodes_come_in_the_order_of_their_numbers),
		TEST(a_node_whose_cpus_cannot_be_read_is_not_a_node_without_cpus),
		TEST(more_cpus_than_there_is_room_for_are_an_error),
		TEST(vectors_are_those_of_the_whole_device),
		TEST(vectors_that_cannot_be_read_are_unknown_and_said),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
