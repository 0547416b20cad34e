/* SPDX-License-Identifier: GPL-2.0-or-later */
/* PCI functions: which of them are ports, and which netdev and RDMA device each one gets. */

#include "unit/reading.h"

static void add_file(const char *pci, const char *name, const char *text)
{
	char path[128];

	snprintf(path, sizeof(path), "sys/bus/pci/devices/%s/%s", pci, name);
	tree_write(&tree, path, text);
}

static void add_function(const char *pci, const char *class)
{
	add_file(pci, "class", class);
	add_file(pci, "vendor", "0x15b3\n");
	add_file(pci, "device", "0x1021\n");
	add_file(pci, "numa_node", "1\n");
}

static struct netdev *add_netdev(int ifindex, const char *name, const char *pci)
{
	struct netdev *netdev = &topo->netdev[topo->netdevs++];

	*netdev = (struct netdev){ .ifindex = ifindex, .up = true, .carrier = true, .has_pci = pci != NULL };
	strcpy(netdev->name, name);
	if (pci)
		assert_int_equal(pci_parse(pci, &netdev->pci), 0);
	return netdev;
}

static struct rdma_link *add_rdma(const char *name, const char *pci, int netdev_ifindex)
{
	struct rdma_link *link = &topo->rdma_link[topo->rdma_links++];

	*link = (struct rdma_link){ .port = 1,
				    .active = true,
				    .link_layer = LINK_LAYER_ETHERNET,
				    .netdev_ifindex = netdev_ifindex,
				    .has_pci = pci != NULL };
	strcpy(link->name, name);
	if (pci)
		assert_int_equal(pci_parse(pci, &link->pci), 0);
	return link;
}

static void read_pci(void)
{
	assert_int_equal(facts_read_pci(&tree.root, topo, &findings, &error), 0);
}

static void assert_port(unsigned index, const char *pci, const char *netdev, const char *rdma)
{
	const struct port *port = &topo->port[index];
	char text[PCI_TEXT_MAX];

	assert_true(index < topo->ports);
	assert_string_equal(pci_format(&port->pci, text), pci);
	assert_string_equal(port->netdev < 0 ? "none" : topo->netdev[port->netdev].name, netdev);
	assert_string_equal(port->rdma < 0 ? "none" : topo->rdma_link[port->rdma].name, rdma);
}

static void network_functions_alone_are_ports_in_the_order_of_addresses(void **state)
{
	(void)state;
	add_function("10000:01:00.0", "0x020000\n");
	add_function("0000:aa:00.0", "0x020700\n");
	add_function("0000:29:00.1", "0x020000\n");
	add_function("0000:29:00.0", "0x020000\n");
	add_function("0000:ab:00.0", "0x010802\n");
	add_function("0000:1b:00.0", "0x020000\n"); /* as text 1b comes before 18 */
	add_function("0000:18:00.0", "0x020000\n");
	add_function("0000:43:00.0", "0x030200\n");
	add_function("0000:2:00.0", "0x020000\n");
	read_pci();
	assert_int_equal(topo->ports, 6);
	assert_port(0, "0000:18:00.0", "none", "none");
	assert_port(1, "0000:1b:00.0", "none", "none");
	assert_port(2, "0000:29:00.0", "none", "none");
	assert_port(3, "0000:29:00.1", "none", "none");
	assert_port(4, "0000:aa:00.0", "none", "none");
	assert_port(5, "10000:01:00.0", "none", "none");
	assert_int_equal(topo->port[4].class, 0x020700);
	assert_int_equal(topo->port[0].vendor, 0x15b3);
	assert_int_equal(topo->port[0].device, 0x1021);
	assert_int_equal(topo->port[0].numa_node, 1);
	assert_int_equal(topo->port[0].speed_mbps, -1);
	assert_int_equal(findings.count, 0);
}

static void names_never_tie_only_addresses_do(void **state)
{
	(void)state;
	add_function("0000:29:00.0", "0x020000\n");
	add_function("0000:c0:00.0", "0x020700\n");
	add_netdev(4, "enp192s0np0", "0000:29:00.0");
	add_rdma("mlx5_1", "0000:c0:00.0", 0);
	add_rdma("mlx5_10", "0000:29:00.0", 4);
	read_pci();
	assert_port(0, "0000:29:00.0", "enp192s0np0", "mlx5_10");
	assert_port(1, "0000:c0:00.0", "none", "mlx5_1");
}

static void the_lowest_plain_netdev_is_the_ports_own(void **state)
{
	(void)state;
	add_function("0000:29:00.0", "0x020000\n");
	add_netdev(2, "sf0", "0000:29:00.0")->subfunction = true;
	add_netdev(3, "rep0", "0000:29:00.0")->kind = NET_OTHER;
	add_netdev(9, "later", "0000:29:00.0");
	add_netdev(5, "own", "0000:29:00.0");
	add_netdev(1, "elsewhere", "0001:29:00.0");
	read_pci();
	assert_port(0, "0000:29:00.0", "own", "none");
}

static void an_rdma_device_without_a_function_goes_by_its_netdev(void **state)
{
	(void)state;
	add_function("0000:29:00.0", "0x020000\n");
	add_function("0000:29:00.1", "0x020000\n");
	add_netdev(4, "eth0", "0000:29:00.0");
	add_netdev(5, "eth1", "0000:29:00.1");
	add_rdma("rxe0", NULL, 0);
	add_rdma("rxe1", NULL, 5);
	add_rdma("sf", "0000:29:00.0", 4)->subfunction = true;
	read_pci();
	assert_port(0, "0000:29:00.0", "eth0", "none");
	assert_port(1, "0000:29:00.1", "eth1", "rxe1");
}

static void under_roce_lag_the_second_function_has_no_rdma_device(void **state)
{
	(void)state;
	add_function("0000:29:00.0", "0x020000\n");
	add_function("0000:29:00.1", "0x020000\n");
	add_netdev(4, "eth0", "0000:29:00.0");
	add_netdev(5, "eth1", "0000:29:00.1");
	add_rdma("mlx5_bond_0", "0000:29:00.0", 5); /* netlink names the active slave */
	read_pci();
	assert_port(0, "0000:29:00.0", "eth0", "mlx5_bond_0");
	assert_port(1, "0000:29:00.1", "eth1", "none");
}

static void a_vf_knows_its_physical_function(void **state)
{
	struct pci_addr pf;

	(void)state;
	add_function("0000:29:00.0", "0x020000\n");
	add_function("0000:29:00.2", "0x020000\n");
	add_function("0000:29:00.3", "0x020000\n");
	tree_link(&tree, "sys/bus/pci/devices/0000:29:00.2/physfn", "../0000:29:00.0");
	tree_link(&tree, "sys/bus/pci/devices/0000:29:00.3/physfn", "../elsewhere");
	read_pci();
	assert_int_equal(pci_parse("0000:29:00.0", &pf), 0);
	assert_false(topo->port[0].vf);
	assert_true(topo->port[1].vf);
	assert_int_equal(pci_compare(&topo->port[1].pf, &pf), 0);
	assert_true(topo->port[2].vf); /* of no function that a platform file could name */
	assert_true(topo->port[2].pf.domain > 0xffff);
	assert_int_equal(findings.count, 1);
	assert_string_equal(findings.finding[0].object, "0000:29:00.3");
}

static void what_cannot_be_read_is_unknown_and_said(void **state)
{
	(void)state;
	add_file("0000:29:00.0", "class", "0x020000\n");
	add_file("0000:29:00.0", "vendor", "0x15b3f\n");
	add_file("0000:29:00.0", "device", "NVIDIA\n");
	add_file("0000:29:00.0", "numa_node", "-2\n");
	add_file("0000:29:00.1", "class", "network\n");
	add_file("0000:aa:00.0", "class", "0x020000\n");
	add_file("0000:aa:00.0", "numa_node", "-1\n"); /* what the kernel says on one node */
	read_pci();
	assert_int_equal(topo->ports, 2);
	assert_int_equal(topo->port[0].vendor, 0);
	assert_int_equal(topo->port[0].device, 0);
	assert_int_equal(topo->port[0].numa_node, -1);
	assert_int_equal(topo->port[1].numa_node, -1);
	assert_int_equal(findings.count, 6);
	for (unsigned i = 0; i < findings.count; i++) {
		assert_string_equal(findings.finding[i].check, "facts.readable");
		assert_int_equal(findings.finding[i].status, FINDING_UNKNOWN);
	}
	assert_string_equal(findings.finding[2].object, "0000:29:00.0");
	assert_string_equal(findings.finding[2].evidence, "/sys/bus/pci/devices/0000:29:00.0/numa_node");
	assert_string_equal(findings.finding[3].evidence, "/sys/bus/pci/devices/0000:29:00.1/class");
}

struct speed_case {
	const char *text;
	int mbps;
	unsigned findings;
};

static void an_ethernet_speed_is_the_netdevs(void **state)
{
	static const struct speed_case cases[] = {
		{ "200000\n", 200000, 0 },
		{ "-1\n", -1, 0 },
		{ "0\n", -1, 0 },
		{ "4294967295\n", -1, 0 },
		{ "8589934593\n", -1, 0 },
		{ "200 Gb/s\n", -1, 1 },
		{ "", -1, 1 },
	};

	(void)state;
	add_function("0000:29:00.0", "0x020000\n");
	add_netdev(4, "eth0", "0000:29:00.0");
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		findings.count = 0;
		tree_write(&tree, "sys/class/net/eth0/speed", cases[i].text);
		read_pci();
		assert_int_equal(topo->port[0].speed_mbps, cases[i].mbps);
		assert_int_equal(findings.count, cases[i].findings);
	}
	tree_write(&tree, "sys/class/net/eth0/speed", "200000\n");
	topo->netdev[0].carrier = false;
	read_pci();
	assert_int_equal(topo->port[0].speed_mbps, -1);
}

static void an_infiniband_speed_is_the_rdma_ports_rate(void **state)
{
	static const struct speed_case cases[] = {
		{ "400 Gb/sec (4X NDR)\n", 400000, 0 },
		{ "2.5 Gb/sec (1X)\n", 2500, 0 },
		{ "800 Gb/sec (4X XDR)\n", 800000, 0 },
		{ "400\n", -1, 1 },
		{ "fast Gb/sec\n", -1, 1 },
		{ "99999999999 Gb/sec (4X NDR)\n", -1, 1 },
		{ "", -1, 1 },
	};

	(void)state;
	add_function("0000:29:00.0", "0x020700\n");
	add_rdma("mlx5_1", "0000:29:00.0", 0)->link_layer = LINK_LAYER_INFINIBAND;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		findings.count = 0;
		tree_write(&tree, "sys/class/infiniband/mlx5_1/ports/1/rate", cases[i].text);
		read_pci();
		assert_int_equal(topo->port[0].speed_mbps, cases[i].mbps);
		assert_int_equal(findings.count, cases[i].findings);
	}
	tree_write(&tree, "sys/class/infiniband/mlx5_1/ports/1/rate", "10 Gb/sec (4X SDR)\n");
	topo->rdma_link[0].active = false; /* the kernel's answer for a port that is down */
	read_pci();
	assert_int_equal(topo->port[0].speed_mbps, -1);
}

static void a_name_with_a_slash_is_not_followed(void **state)
{
	(void)state;
	add_function("0000:29:00.0", "0x020000\n");
	add_netdev(4, "..", "0000:29:00.0");
	tree_write(&tree, "sys/class/speed", "1000\n");
	tree_write(&tree, "sys/class/net/eth0/speed", "1000\n");
	read_pci();
	assert_int_equal(topo->port[0].speed_mbps, -1);
}

static void more_functions_than_there_is_room_for_are_an_error(void **state)
{
	char pci[PCI_TEXT_MAX];

	(void)state;
	for (unsigned i = 0; i < TOPO_PORTS_MAX + 1; i++) {
		snprintf(pci, sizeof(pci), "0000:%02x:%02x.%x", i / 256, i / 8 % 32, i % 8);
		add_file(pci, "class", "0x020000\n");
	}
	assert_int_equal(facts_read_pci(&tree.root, topo, &findings, &error), -E2BIG);
	assert_int_equal(error.exit, XC_ENVIRONMENT);
	assert_string_equal(error.object, "PCI network functions");
}

static void a_machine_without_pci_has_no_ports(void **state)
{
	(void)state;
	read_pci();
	assert_int_equal(topo->ports, 0);
	assert_int_equal(findings.count, 0);
}

static void virtual_functions_that_are_enabled_are_counted(void **state)
{
	static const struct {
		const char *text;
		int vfs;
	} cases[] = { { "0\n", 0 }, { "8\n", 8 }, { "-1\n", -1 }, { "70000\n", -1 }, { "x\n", -1 } };

	(void)state;
	add_function("0000:29:00.0", "0x020000\n");
	assert_int_equal(facts_read_pci(&tree.root, topo, &findings, &error), 0);
	assert_int_equal(topo->port[0].vfs, 0); /* no SR-IOV */
	assert_int_equal(topo->port[0].eswitch, ESWITCH_UNKNOWN);
	add_file("0000:29:00.0", "sriov_totalvfs", "8\n");
	assert_int_equal(facts_read_pci(&tree.root, topo, &findings, &error), 0);
	assert_int_equal(topo->port[0].vfs, -1);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		add_file("0000:29:00.0", "sriov_numvfs", cases[i].text);
		assert_int_equal(facts_read_pci(&tree.root, topo, &findings, &error), 0);
		assert_int_equal(topo->port[0].vfs, cases[i].vfs);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(virtual_functions_that_are_enabled_are_counted),
		TEST(network_functions_alone_are_ports_in_the_order_of_addresses),
		TEST(names_never_tie_only_addresses_do),
		TEST(the_lowest_plain_netdev_is_the_ports_own),
		TEST(an_rdma_device_without_a_function_goes_by_its_netdev),
		TEST(under_roce_lag_the_second_function_has_no_rdma_device),
		TEST(a_vf_knows_its_physical_function),
		TEST(what_cannot_be_read_is_unknown_and_said),
		TEST(an_ethernet_speed_is_the_netdevs),
		TEST(an_infiniband_speed_is_the_rdma_ports_rate),
		TEST(a_name_with_a_slash_is_not_followed),
		TEST(more_functions_than_there_is_room_for_are_an_error),
		TEST(a_machine_without_pci_has_no_ports),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
