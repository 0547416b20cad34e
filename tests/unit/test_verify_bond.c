/* SPDX-License-Identifier: GPL-2.0-or-later */
/* policy/verify_bond.c: bonds over storage ports: their members, mode, and what RDMA can make of them. */
#include "unit/verify_world.h"

#define PORT "enp41s0f0np0" /* both are members of bond1, the first is active */
#define SECOND "enp41s0f1np1"

static void run(struct verify_world *w)
{
	verify_world_again(w);
	verify_world_run(w, verify_bond);
}

static void read_card_bond(struct verify_world *w)
{
	verify_world_read(w, "h100+card-bond+live");
	run(w);
}

static struct netdev *bond_of(struct verify_world *w)
{
	return verify_world_netdev(w, "bond1");
}

/* The bond as LACP would have it, with a partner on both links. */
static void make_lacp(struct verify_world *w)
{
	static const char *const members[] = { PORT, SECOND };
	struct netdev *bond = bond_of(w);

	bond->bond_mode = BOND_8023AD;
	bond->active_ifindex = 0;
	bond->bond.hash = BOND_HASH_LAYER34;
	bond->bond.lacp_rate = 1;
	bond->bond.aggregator = 1;
	str_format(bond->bond.partner_mac, sizeof(bond->bond.partner_mac), "02:00:5e:aa:00:01");
	for (unsigned i = 0; i < 2; i++) {
		struct member_info *m = &verify_world_netdev(w, members[i])->member;

		m->aggregator = 1;
		m->actor_state = m->partner_state = 0x3d;
	}
}

static void without_a_bond_there_is_nothing_to_check(void **state)
{
	static const char *const names[] = { "bond.members", "bond.mode", "bond.roce_lag" };
	struct verify_world *w = *state;

	verify_world_read(w, "h100+live");
	run(w);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		assert_says(w, names[i], FINDING_SKIP, "", "no bond has a storage port");
	w->v.platform = NULL;
	verify_world_run(w, verify_bond);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		assert_says(w, names[i], FINDING_UNKNOWN, "", "no platform file");
}

static void a_roce_lag_passes_and_says_who_carries_it(void **state)
{
	struct verify_world *w = *state;
	struct pcie_link pcie[TOPO_PORTS_MAX] = { 0 };
	static struct bandwidth bandwidth;

	read_card_bond(w);
	assert_passes(w, "bond.members");
	assert_passes(w, "bond.mode");
	assert_passes(w, "bond.roce_lag");
	assert_says(w, "bond.roce_lag", FINDING_PASS, "",
		    "bond1: mlx5_bond_0 of 0000:29:00.0 carries it, with ");
	bandwidth_of(&w->w.topo, &w->w.classes, &w->w.platform, pcie, &bandwidth);
	w->v.bandwidth = &bandwidth;
	verify_world_run(w, verify_bond);
	assert_says(w, "bond.roce_lag", FINDING_PASS, "", "; it gives 200 of 400 Gb/s");
	w->w.topo.cm_ids_read = READ_FAILED;
	verify_world_run(w, verify_bond);
	assert_says(w, "bond.roce_lag", FINDING_PASS, "", "its queue pairs could not be read");
}

static void a_lost_member_is_named(void **state)
{
	struct verify_world *w = *state;

	read_card_bond(w);
	verify_world_netdev(w, SECOND)->carrier = false;
	run(w);
	assert_says(w, "bond.members", FINDING_WARN, "bond1",
		    "bond1 has lost its member 0000:29:00.1 (" SECOND "), which has no carrier");
	assert_says(w, "bond.members", FINDING_WARN, "bond1", "1 of 2 members are up");
	assert_alone(w, "bond.members");
	verify_world_netdev(w, PORT)->up = false;
	run(w);
	assert_says(w, "bond.members", FINDING_FAIL, "bond1", "0 of 2 members are up");
	w->w.topo.ctrls = 0;
	run(w);
	assert_says(w, "bond.members", FINDING_WARN, "bond1", "is down");
}

static void a_member_that_bonding_does_not_use_is_named(void **state)
{
	static const struct {
		enum bond_mii mii;
		enum finding_status status;
		const char *text;
	} cases[] = {
		{ BOND_MII_DOWN, FINDING_WARN, "counts as down" },
		{ BOND_MII_GOING_BACK, FINDING_WARN, "changing its state" },
		{ BOND_MII_GOING_DOWN, FINDING_WARN, "changing its state" },
		{ BOND_MII_UNKNOWN, FINDING_UNKNOWN, "could not be read" },
	};
	struct verify_world *w = *state;

	read_card_bond(w);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		verify_world_netdev(w, SECOND)->member.mii = cases[i].mii;
		run(w);
		assert_says(w, "bond.members", cases[i].status, "bond1", cases[i].text);
		assert_alone(w, "bond.members");
	}
}

static void a_member_that_is_not_storage_fails_where_controllers_are(void **state)
{
	struct verify_world *w = *state;

	read_card_bond(w);
	verify_world_netdev(w, "ens6f0")->master_ifindex = bond_of(w)->ifindex;
	verify_world_netdev(w, "ens6f0")->member.mii = BOND_MII_UP;
	run(w);
	assert_says(w, "bond.members", FINDING_FAIL, "bond1", "no storage ports");
	assert_says(w, "bond.roce_lag", FINDING_WARN, "bond1", "different cards");
}

static void a_part_of_a_card_is_no_roce_lag(void **state)
{
	struct verify_world *w = *state;

	read_card_bond(w);
	verify_world_netdev(w, SECOND)->master_ifindex = 0;
	run(w);
	assert_says(w, "bond.members", FINDING_WARN, "bond1", "does not have all ports of its card");
	assert_says(w, "bond.roce_lag", FINDING_WARN, "bond1", "not all ports of the card");
}

static void a_mode_that_the_card_cannot_use_is_told(void **state)
{
	struct verify_world *w = *state;

	read_card_bond(w);
	bond_of(w)->bond_mode = BOND_BALANCE_RR;
	run(w);
	assert_says(w, "bond.mode", FINDING_WARN, "bond1", "mode balance-rr");
	bond_of(w)->bond_mode = BOND_UNKNOWN;
	run(w);
	assert_says(w, "bond.mode", FINDING_UNKNOWN, "bond1", "could not be read");
	bond_of(w)->bond_mode = BOND_ACTIVE_BACKUP;
	bond_of(w)->active_ifindex = 0;
	run(w);
	assert_says(w, "bond.mode", FINDING_FAIL, "bond1", "no active member");
	read_card_bond(w);
	bond_of(w)->bond.miimon = 0;
	run(w);
	assert_says(w, "bond.mode", FINDING_WARN, "bond1", "set miimon to 100");
	bond_of(w)->bond.miimon = -1;
	run(w);
	assert_says(w, "bond.mode", FINDING_UNKNOWN, "bond1", "could not be read");
	assert_alone(w, "bond.mode");
}

static void lacp_needs_a_partner_on_every_link(void **state)
{
	struct verify_world *w = *state;
	struct netdev *bond;

	read_card_bond(w);
	make_lacp(w);
	run(w);
	assert_passes(w, "bond.mode");
	verify_world_netdev(w, SECOND)->member.partner_state = 0x0d;
	run(w);
	assert_says(w, "bond.mode", FINDING_WARN, "bond1", "1 of 2 members of bond1 are in sync");
	assert_says(w, "bond.mode", FINDING_WARN, "bond1", "02:00:5e:aa:00:01");
	make_lacp(w);
	verify_world_netdev(w, SECOND)->member.aggregator = 2; /* it has a partner, but another one */
	run(w);
	assert_says(w, "bond.mode", FINDING_WARN, "bond1", "1 of 2 members");
	make_lacp(w);
	bond = bond_of(w);
	str_format(bond->bond.partner_mac, sizeof(bond->bond.partner_mac), "00:00:00:00:00:00");
	run(w);
	assert_says(w, "bond.mode", FINDING_WARN, "bond1", "no LACP partner answers");
	make_lacp(w);
	bond->bond.lacp_rate = 0;
	run(w);
	assert_says(w, "bond.mode", FINDING_WARN, "bond1", "slow rate");
	make_lacp(w);
	bond->bond.hash = BOND_HASH_LAYER2;
	run(w);
	assert_says(w, "bond.mode", FINDING_WARN, "bond1", "spreads by layer2");
	assert_alone(w, "bond.mode");
}

static void what_lacp_does_not_tell_is_unknown(void **state)
{
	struct verify_world *w = *state;

	read_card_bond(w);
	make_lacp(w);
	bond_of(w)->bond.partner_mac[0] = '\0';
	run(w);
	assert_says(w, "bond.mode", FINDING_UNKNOWN, "bond1", "could not be read");
	make_lacp(w);
	verify_world_netdev(w, PORT)->member.actor_state = -1;
	run(w);
	assert_says(w, "bond.mode", FINDING_UNKNOWN, "bond1", "could not be read");
	make_lacp(w);
	bond_of(w)->bond.hash = BOND_HASH_UNKNOWN;
	run(w);
	assert_says(w, "bond.mode", FINDING_UNKNOWN, "bond1", "hash policy");
}

static void a_bond_that_is_no_roce_lag_says_why(void **state)
{
	struct verify_world *w = *state;

	verify_world_read(w, "h100+card-bond-no-lag");
	run(w);
	assert_says(w, "bond.roce_lag", FINDING_UNKNOWN, "bond1", "the mode of the card's eswitch");
	for (unsigned i = 0; i < w->w.topo.ports; i++)
		w->w.topo.port[i].eswitch = ESWITCH_LEGACY;
	run(w);
	assert_says(w, "bond.roce_lag", FINDING_WARN, "bond1", "could be a RoCE LAG and is none");
	w->w.topo.port[verify_world_port(w, "0000:29:00.1")].vfs = 1;
	run(w);
	assert_says(w, "bond.roce_lag", FINDING_WARN, "bond1", "virtual functions");
	assert_says(w, "bond.roce_lag", FINDING_WARN, "bond1", "sriov_numvfs");
	w->w.topo.port[verify_world_port(w, "0000:29:00.1")].vfs = 0;
	w->w.topo.port[verify_world_port(w, "0000:29:00.1")].eswitch = ESWITCH_SWITCHDEV;
	run(w);
	assert_says(w, "bond.roce_lag", FINDING_WARN, "bond1", "eswitch set it to legacy");
}

static void a_bond_across_cards_is_told(void **state)
{
	struct verify_world *w = *state;

	verify_world_read(w, "f5-bond0+active-backup");
	run(w);
	assert_passes(w, "bond.mode");
	assert_says(w, "bond.roce_lag", FINDING_WARN, "bond0", "on different cards");
	assert_says(w, "bond.roce_lag", FINDING_WARN, "bond0", "an address of its own");
	verify_world_read(w, "f5-bond0+lacp");
	run(w);
	assert_says(w, "bond.mode", FINDING_WARN, "bond0", "over different cards in mode 802.3ad");
	assert_says(w, "bond.roce_lag", FINDING_WARN, "bond0", "on different cards");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		VERIFY_TEST(without_a_bond_there_is_nothing_to_check),
		VERIFY_TEST(a_roce_lag_passes_and_says_who_carries_it),
		VERIFY_TEST(a_lost_member_is_named),
		VERIFY_TEST(a_member_that_bonding_does_not_use_is_named),
		VERIFY_TEST(a_member_that_is_not_storage_fails_where_controllers_are),
		VERIFY_TEST(a_part_of_a_card_is_no_roce_lag),
		VERIFY_TEST(a_mode_that_the_card_cannot_use_is_told),
		VERIFY_TEST(lacp_needs_a_partner_on_every_link),
		VERIFY_TEST(what_lacp_does_not_tell_is_unknown),
		VERIFY_TEST(a_bond_that_is_no_roce_lag_says_why),
		VERIFY_TEST(a_bond_across_cards_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
