/* SPDX-License-Identifier: GPL-2.0-or-later */
/* policy/verify_ports.c, verify_roce.c: the storage ports that the platform names, and what RoCE needs. */
#include "unit/verify_world.h"

#define PORT "0000:29:00.0"
#define NETDEV "enp41s0f0np0"

static void run(struct verify_world *w)
{
	verify_world_again(w);
	verify_world_run(w, verify_ports);
}

static struct port_settings *settings_of(struct verify_world *w, const char *pci)
{
	return &w->settings.port[verify_world_port(w, pci)];
}

static void a_port_is_missing_or_another_card(void **state)
{
	struct verify_world *w = *state;
	unsigned port;

	verify_world_read(w, "h100");
	port = verify_world_port(w, "0000:aa:00.1");
	w->w.topo.port[port].device = 0x1017;
	run(w);
	assert_says(w, "ports.present", FINDING_WARN, "0000:aa:00.1", "15b3:1017 is no storage card");
	w->w.topo.port[port].pci.function = 7;
	run(w);
	assert_says(w, "ports.present", FINDING_WARN, "0000:aa:00.1", "(slot 1 port 2) is not there");
	assert_alone(w, "ports.present");
	w->w.platform.ports = 0;
	run(w);
	assert_says(w, "ports.present", FINDING_SKIP, "", "names no storage port");
}

static void a_port_without_a_link_costs_bandwidth_and_fails_what_is_on_it(void **state)
{
	struct verify_world *w = *state;

	verify_world_read(w, "h100");
	verify_world_netdev(w, NETDEV)->carrier = false;
	w->w.topo.port[verify_world_port(w, PORT)].speed_mbps = -1;
	run(w);
	assert_says(w, "ports.link", FINDING_WARN, PORT, "has no carrier");
	assert_says(w, "ports.link", FINDING_WARN, PORT, "200 Gb/s lost");
	assert_says(w, "ports.speed", FINDING_PASS, "", "together they give 600 Gb/s of 800 Gb/s");
	assert_alone(w, "ports.link");
	verify_world_netdev(w, NETDEV)->up = false;
	run(w);
	assert_says(w, "ports.link", FINDING_WARN, PORT, "is down");
}

static void a_link_that_carries_a_controller_fails(void **state)
{
	struct verify_world *w = *state;

	verify_world_read(w, "h100+live");
	w->w.topo.rdma_link[w->w.topo.port[verify_world_port(w, PORT)].rdma].active = false;
	run(w);
	assert_says(w, "ports.link", FINDING_FAIL, PORT, "not active");
	assert_says(w, "ports.link", FINDING_FAIL, PORT, "controllers are on it");
	w->w.topo.port[verify_world_port(w, PORT)].rdma = -1;
	run(w);
	assert_says(w, "ports.link", FINDING_FAIL, PORT, "has no RDMA device");
	w->w.topo.ports = 0;
	run(w);
	assert_says(w, "ports.link", FINDING_SKIP, "", "no storage port is there");
}

static void a_slow_port_is_told_with_the_bandwidth_lost(void **state)
{
	struct verify_world *w = *state;

	verify_world_read(w, "h100+live");
	w->w.topo.port[verify_world_port(w, PORT)].speed_mbps = 100000;
	run(w);
	assert_says(
		w, "ports.speed", FINDING_WARN, PORT,
		"runs at 100 Gb/s, the platform expects 200 Gb/s: 100 Gb/s lost, and all storage ports give "
		"700 Gb/s of 800 Gb/s");
	assert_alone(w, "ports.speed");
	w->w.topo.port[verify_world_port(w, PORT)].speed_mbps = -1;
	run(w);
	assert_says(w, "ports.speed", FINDING_UNKNOWN, PORT, "cannot be read");
}

static void a_narrow_slot_is_told_with_the_bandwidth_lost(void **state)
{
	struct verify_world *w = *state;

	verify_world_read(w, "h100+live");
	settings_of(w, PORT)->pcie_width = 8;
	run(w);
	assert_says(w, "ports.pcie_width", FINDING_WARN, PORT,
		    "has x8 at 32.0 GT/s of x16 at 32.0 GT/s: 252 of 504 Gb/s lost");
	assert_alone(w, "ports.pcie_width");
	settings_of(w, PORT)->pcie_width = 16;
	settings_of(w, PORT)->pcie_mtps = 2500;
	run(w);
	assert_says(w, "ports.pcie_width", FINDING_WARN, PORT, "has x16 at 2.5 GT/s");
	settings_of(w, PORT)->pcie_width_max = -1;
	run(w);
	assert_says(w, "ports.pcie_width", FINDING_UNKNOWN, PORT, "cannot be read");
}

static void an_mtu_too_small_fails_where_a_controller_is(void **state)
{
	struct verify_world *w = *state;

	verify_world_read(w, "h100+live");
	verify_world_netdev(w, NETDEV)->mtu = 1500;
	run(w);
	assert_says(w, "ports.mtu", FINDING_FAIL, NETDEV, "has MTU 1500");
	assert_alone(w, "ports.mtu");
	w->w.topo.ctrls = 0;
	run(w);
	assert_says(w, "ports.mtu", FINDING_WARN, NETDEV, "needs 4200 or more");
	verify_world_netdev(w, NETDEV)->mtu = 4200;
	run(w);
	assert_passes(w, "ports.mtu");
	verify_world_netdev(w, NETDEV)->mtu = -1;
	run(w);
	assert_says(w, "ports.mtu", FINDING_UNKNOWN, NETDEV, "cannot be read");
	verify_world_netdev(w, NETDEV)->infiniband = true; /* IPoIB */
	run(w);
	assert_passes(w, "ports.mtu");
}

static void the_members_of_a_bond_have_one_mtu(void **state)
{
	struct verify_world *w = *state;
	const char *name;

	verify_world_read(w, "h100+card-bond+live");
	run(w);
	assert_passes(w, "ports.mtu");
	name = w->w.topo.netdev[w->w.classes.bond[0].netdev].name;
	verify_world_netdev(w, NETDEV)->mtu = 4200;
	run(w);
	assert_says(w, "ports.mtu", FINDING_FAIL, name, "its member " NETDEV " has 4200");
	assert_alone(w, "ports.mtu");
	verify_world_netdev(w, NETDEV)->mtu = 1500; /* below the bond that a controller is on */
	run(w);
	assert_says(w, "ports.mtu", FINDING_FAIL, NETDEV, "has MTU 1500");
}

static void a_port_wants_an_address_of_its_own_subnet(void **state)
{
	struct verify_world *w = *state;

	verify_world_read(w, "h100");
	verify_world_address(w, NETDEV, NULL, 0);
	run(w);
	assert_says(w, "ports.addresses", FINDING_WARN, PORT, "has a link and no address");
	assert_alone(w, "ports.addresses");
	verify_world_address(w, NETDEV, "10.10.2.9", 24);
	run(w);
	assert_says(w, "ports.addresses", FINDING_WARN, NETDEV,
		    "10.10.2.9/24 of " NETDEV " and 10.10.2.1/24 of enp41s0f1np1 are in one subnet");
	w->w.topo.ports = 0;
	run(w);
	assert_says(w, "ports.addresses", FINDING_SKIP, "", "no storage port has a link");
}

static void an_address_of_the_bond_is_its_members(void **state)
{
	struct verify_world *w = *state;

	verify_world_read(w, "h100+card-bond+live");
	run(w);
	assert_passes(w, "ports.addresses");
}

static void a_source_without_a_gid_of_roce_v2_fails(void **state)
{
	struct verify_world *w = *state;
	struct gid *gid;

	verify_world_read(w, "h100+live");
	for (gid = w->settings.gid; strcmp(w->w.topo.rdma_link[gid->rdma].name, "mlx5_1") != 0;)
		gid++;
	gid->roce_v2 = false;
	run(w);
	assert_says(w, "ports.roce_gid", FINDING_FAIL, NETDEV,
		    "has a GID of RoCE v1 alone on RDMA device mlx5_1");
	assert_alone(w, "ports.roce_gid");
	gid->roce_v2 = true;
	gid->ifindex = 999;
	run(w);
	assert_says(w, "ports.roce_gid", FINDING_FAIL, NETDEV, "a GID of another interface");
	gid->ip.bytes[3] = 99;
	w->w.topo.ctrls = 0;
	run(w);
	assert_says(w, "ports.roce_gid", FINDING_WARN, NETDEV, "has no GID");
	for (unsigned i = 0; i < w->w.topo.rdma_links; i++)
		w->settings.gids_read[i] = READ_FAILED;
	w->settings.gids = 0;
	run(w);
	assert_says(w, "ports.roce_gid", FINDING_UNKNOWN, NETDEV, "sys/class/infiniband/mlx5_1/ports/1/gids");
	w->w.topo.addrs = 0;
	run(w);
	assert_says(w, "ports.roce_gid", FINDING_SKIP, "", "no storage port with RoCE");
}

static void what_a_lossless_fabric_needs_is_advice(void **state)
{
	struct verify_world *w = *state;
	struct port_settings *s;

	verify_world_read(w, "h100+live");
	s = settings_of(w, PORT);
	s->pfc = 0x10;
	s->trust = TRUST_PCP;
	s->pause_tx = 1;
	s->roce_tos = 0;
	run(w);
	assert_says(w, "ports.pfc", FINDING_WARN, PORT, "off for priority 3 (enabled: 0x10)");
	assert_says(w, "ports.trust", FINDING_WARN, PORT, "wanted dscp");
	assert_says(w, "ports.pause", FINDING_WARN, PORT, "(rx off, tx on)");
	assert_says(w, "ports.roce_tos", FINDING_WARN, PORT, "of mlx5_1 is 0 (DSCP 0), wanted 106 (DSCP 26)");
	s->roce_tos = 104; /* without ECN */
	run(w);
	assert_passes(w, "ports.roce_tos");
}

static void what_a_driver_does_not_tell_is_unknown(void **state)
{
	struct verify_world *w = *state;
	struct port_settings *s;

	verify_world_read(w, "h100+live");
	s = settings_of(w, PORT);
	s->pfc = s->pause_rx = s->roce_tos = -1;
	s->trust = TRUST_UNKNOWN;
	strcpy(s->dcb_why, "the driver offers no DCB");
	strcpy(s->pause_why, "Operation not supported");
	strcpy(s->roce_tos_why, "nobody made rdma_cm/mlx5_1");
	run(w);
	assert_says(w, "ports.pfc", FINDING_UNKNOWN, PORT, "the driver offers no DCB");
	assert_says(w, "ports.trust", FINDING_UNKNOWN, PORT, "the driver offers no DCB");
	assert_says(w, "ports.pause", FINDING_UNKNOWN, PORT, "Operation not supported");
	assert_says(w, "ports.roce_tos", FINDING_UNKNOWN, PORT, "nobody made rdma_cm/mlx5_1");
}

static void infiniband_knows_no_roce(void **state)
{
	struct verify_world *w = *state;
	static const char *const roce[] = { "ports.mtu",   "ports.roce_gid", "ports.pfc",
					    "ports.trust", "ports.pause",    "ports.roce_tos" };

	verify_world_read(w, "h100");
	for (unsigned i = 0; i < w->w.topo.rdma_links; i++)
		w->w.topo.rdma_link[i].link_layer = LINK_LAYER_INFINIBAND;
	for (unsigned i = 0; i < w->w.topo.netdevs; i++)
		w->w.topo.netdev[i].infiniband = true;
	w->settings.gids = 0;
	run(w);
	for (unsigned i = 0; i < ARRAY_SIZE(roce); i++)
		assert_says(w, roce[i], FINDING_SKIP, "", "");
	assert_alone(w, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		VERIFY_TEST(a_port_is_missing_or_another_card),
		VERIFY_TEST(a_port_without_a_link_costs_bandwidth_and_fails_what_is_on_it),
		VERIFY_TEST(a_link_that_carries_a_controller_fails),
		VERIFY_TEST(a_slow_port_is_told_with_the_bandwidth_lost),
		VERIFY_TEST(a_narrow_slot_is_told_with_the_bandwidth_lost),
		VERIFY_TEST(an_mtu_too_small_fails_where_a_controller_is),
		VERIFY_TEST(the_members_of_a_bond_have_one_mtu),
		VERIFY_TEST(a_port_wants_an_address_of_its_own_subnet),
		VERIFY_TEST(an_address_of_the_bond_is_its_members),
		VERIFY_TEST(a_source_without_a_gid_of_roce_v2_fails),
		VERIFY_TEST(what_a_lossless_fabric_needs_is_advice),
		VERIFY_TEST(what_a_driver_does_not_tell_is_unknown),
		VERIFY_TEST(infiniband_knows_no_roce),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
