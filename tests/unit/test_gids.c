/* SPDX-License-Identifier: GPL-2.0-or-later */
/* GID tables: which entries count, of which devices, and what an entry says. */

#include "unit/settings_reading.h"

#define EMPTY "0000:0000:0000:0000:0000:0000:0000:0000"
#define MAPPED "0000:0000:0000:0000:0000:ffff:0a0a:0101"
#define LINK_LOCAL "fe80:0000:0000:0000:0000:5eff:fe00:2900"

static void put(const char *device, const char *file, const char *text)
{
	char path[192], line[128];

	snprintf(path, sizeof(path), "sys/class/infiniband/%s/ports/1/%s", device, file);
	snprintf(line, sizeof(line), "%s\n", text);
	tree_write(&tree, path, line);
}

/* NULL: the file is not there. */
static void put_gid(const char *device, unsigned index, const char *gid, const char *type, const char *ndev)
{
	char file[64];

	snprintf(file, sizeof(file), "gids/%u", index);
	put(device, file, gid);
	snprintf(file, sizeof(file), "gid_attrs/types/%u", index);
	if (type)
		put(device, file, type);
	snprintf(file, sizeof(file), "gid_attrs/ndevs/%u", index);
	if (ndev)
		put(device, file, ndev);
}

/* The RDMA device of a function, or of none. */
static struct rdma_link *add_link(const char *name, int port)
{
	struct rdma_link *link = &topo->rdma_link[topo->rdma_links++];

	snprintf(link->name, sizeof(link->name), "%s", name);
	link->port = 1;
	link->link_layer = LINK_LAYER_ETHERNET;
	link->has_pci = port >= 0;
	if (port >= 0) {
		link->pci = topo->port[port].pci;
		topo->port[port].rdma = (int)topo->rdma_links - 1;
	}
	return link;
}

static int read_gids(unsigned port)
{
	return facts_read_gids(&tree.root, topo, &port, 1, settings, &findings, &error);
}

static void assert_gid(unsigned i, unsigned rdma, unsigned index, const char *ip, bool v2, int ifindex)
{
	char text[IP_TEXT_MAX];

	assert_true(i < settings->gids);
	assert_int_equal(settings->gid[i].rdma, rdma);
	assert_int_equal(settings->gid[i].index, index);
	assert_string_equal(ip_format(&settings->gid[i].ip, text), ip);
	assert_int_equal(settings->gid[i].roce_v2, v2);
	assert_int_equal(settings->gid[i].ifindex, ifindex);
}

static void entries_with_an_address_are_taken(void **state)
{
	unsigned port = add_port("ens1");

	(void)state;
	add_netdev("ens1.100");
	add_link("mlx5_1", (int)port);
	put_gid("mlx5_1", 0, LINK_LOCAL, "IB/RoCE v1", "ens1");
	put_gid("mlx5_1", 1, LINK_LOCAL, "RoCE v2", "ens1");
	put_gid("mlx5_1", 2, MAPPED, "RoCE v2", "ens1");
	put_gid("mlx5_1", 3, EMPTY, NULL, NULL);
	put_gid("mlx5_1", 10, "fd00:0010:0010:0100:0000:0000:0000:0001", "RoCE v2", "ens1.100");
	put_gid("mlx5_1", 11, MAPPED, "RoCE v3", "nobody");
	assert_int_equal(read_gids(port), 0);
	assert_int_equal(settings->gids, 5);
	assert_gid(0, 0, 0, "fe80::5eff:fe00:2900%ens1", false, 1);
	assert_gid(1, 0, 1, "fe80::5eff:fe00:2900%ens1", true, 1);
	assert_gid(2, 0, 2, "10.10.1.1", true, 1);
	assert_gid(3, 0, 10, "fd00:10:10:100::1", true, 2);
	assert_gid(4, 0, 11, "10.10.1.1", false, 0);
	assert_int_equal(settings->gids_read[0], READ_OK);
	assert_int_equal(findings.count, 0);
	assert_int_equal(read_gids(port), 0); /* again */
	assert_int_equal(settings->gids, 5);
}

static void only_the_devices_of_the_ports_and_their_bonds_are_read(void **state)
{
	static const char *const devices[] = { "mlx5_0", "mlx5_1", "mlx5_2", "mlx5_sf", "rxe0" };
	struct netdev *bond;

	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		char name[8];

		snprintf(name, sizeof(name), "ens%u", i);
		(void)add_port(name);
	}
	bond = add_netdev("bond0");
	bond->kind = NET_BOND;
	topo->netdev[0].master_ifindex = topo->netdev[1].master_ifindex = bond->ifindex;
	add_link("mlx5_0", 0); /* that of the bond, if it is a RoCE LAG: port 1 has none */
	add_link("mlx5_1", 2);
	add_link("mlx5_2", 2)->port = 2; /* a second port of it */
	add_link("mlx5_sf", 2)->subfunction = true;
	add_link("rxe0", -1);
	topo->port[2].rdma = 1;
	topo->port[3].rdma = 4; /* rxe has no function, but is the port's */
	for (size_t i = 0; i < ARRAY_SIZE(devices); i++)
		put_gid(devices[i], 0, MAPPED, "RoCE v2", "bond0");
	assert_int_equal(read_gids(1), 0);
	assert_int_equal(settings->gids, 1);
	assert_gid(0, 0, 0, "10.10.1.1", true, bond->ifindex);
	assert_int_equal(settings->gids_read[1], READ_NOT_THERE);
	assert_int_equal(read_gids(2), 0);
	assert_int_equal(settings->gids, 1);
	assert_int_equal(settings->gid[0].rdma, 1);
	assert_int_equal(settings->gids_read[0], READ_NOT_THERE);
	assert_int_equal(settings->gids_read[3], READ_NOT_THERE);
	assert_int_equal(read_gids(3), 0);
	assert_int_equal(settings->gids, 1);
	assert_int_equal(settings->gid[0].rdma, 4);
	assert_int_equal(findings.count, 0);
}

static void an_infiniband_gid_is_of_no_interface(void **state)
{
	unsigned port = add_port("ib0");

	(void)state;
	add_link("mlx5_0", (int)port)->link_layer = LINK_LAYER_INFINIBAND;
	put_gid("mlx5_0", 0, LINK_LOCAL, "IB/RoCE v1", "ib0");
	assert_int_equal(read_gids(port), 0);
	assert_int_equal(settings->gids, 1);
	assert_gid(0, 0, 0, "fe80::5eff:fe00:2900", false, 0);
}

static void an_entry_that_cannot_be_read_makes_the_table_unknown_and_is_said_once(void **state)
{
	static const char *const odd[] = { "",
					   "::ffff:10.10.1.1",
					   "10.10.1.1",
					   "0:1",
					   "fe80::1%ens1",
					   "x",
					   "0000:0000:0000:0000:0000:ffff:0a0a:0101:0000" };
	unsigned port = add_port("ens1");

	(void)state;
	add_link("mlx5_1", (int)port);
	for (size_t i = 0; i < ARRAY_SIZE(odd); i++)
		put_gid("mlx5_1", (unsigned)i, odd[i], "RoCE v2", "ens1");
	put("mlx5_1", "gids/021", MAPPED); /* no number of the kernel's */
	put_gid("mlx5_1", 22, MAPPED, "RoCE v2", "a-name-of-sixteen");
	assert_int_equal(read_gids(port), 0);
	assert_int_equal(settings->gids, 1);
	assert_gid(0, 0, 22, "10.10.1.1", true, 0);
	assert_int_equal(settings->gids_read[0], READ_FAILED);
	assert_int_equal(findings.count, 1);
	assert_string_equal(findings.finding[0].object, "mlx5_1");
}

static void a_gid_of_a_type_that_nobody_knows_is_none(void **state)
{
	unsigned port = add_port("ens1");

	(void)state;
	add_link("mlx5_1", (int)port);
	put_gid("mlx5_1", 0, MAPPED, NULL, "ens1");
	put_gid("mlx5_1", 1, MAPPED, "RoCE v2", "ens1");
	assert_int_equal(read_gids(port), 0);
	assert_int_equal(settings->gids, 1);
	assert_gid(0, 0, 1, "10.10.1.1", true, 1);
	assert_int_equal(settings->gids_read[0], READ_FAILED);
	assert_int_equal(findings.count, 1);
}

static void a_device_that_is_gone_or_has_no_name_of_a_file_has_no_table(void **state)
{
	unsigned port = add_port("ens1");

	(void)state;
	add_link("mlx5_1", (int)port);
	add_link("../infiniband/mlx5_2", (int)port);
	put_gid("mlx5_2", 0, MAPPED, "RoCE v2", "ens1");
	assert_int_equal(read_gids(port), 0);
	assert_int_equal(settings->gids, 0);
	assert_int_equal(settings->gids_read[0], READ_NOT_THERE);
	assert_int_equal(settings->gids_read[1], READ_NOT_THERE);
	assert_int_equal(findings.count, 0);
}

static void more_gids_than_there_is_room_for_are_an_error(void **state)
{
	unsigned port = add_port("ens1");

	(void)state;
	add_link("mlx5_1", (int)port);
	for (unsigned i = 0; i < 64; i++)
		put_gid("mlx5_1", i, MAPPED, "RoCE v2", NULL);
	for (unsigned i = 1; i < GIDS_MAX / 64 + 1; i++) { /* one table under many names */
		char path[64];

		topo->rdma_link[i] = topo->rdma_link[0];
		snprintf(topo->rdma_link[i].name, RDMA_NAME_SIZE, "mlx5_%u", i + 1);
		snprintf(path, sizeof(path), "sys/class/infiniband/mlx5_%u", i + 1);
		tree_link(&tree, path, "mlx5_1");
	}
	topo->rdma_links = GIDS_MAX / 64;
	assert_int_equal(read_gids(port), 0);
	assert_int_equal(settings->gids, GIDS_MAX);
	topo->rdma_links++;
	assert_int_equal(read_gids(port), -E2BIG);
	assert_string_equal(error.object, "GIDs");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		SETTINGS_TEST(entries_with_an_address_are_taken),
		SETTINGS_TEST(only_the_devices_of_the_ports_and_their_bonds_are_read),
		SETTINGS_TEST(an_infiniband_gid_is_of_no_interface),
		SETTINGS_TEST(an_entry_that_cannot_be_read_makes_the_table_unknown_and_is_said_once),
		SETTINGS_TEST(a_gid_of_a_type_that_nobody_knows_is_none),
		SETTINGS_TEST(a_device_that_is_gone_or_has_no_name_of_a_file_has_no_table),
		SETTINGS_TEST(more_gids_than_there_is_room_for_are_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
