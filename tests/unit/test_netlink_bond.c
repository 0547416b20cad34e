/* SPDX-License-Identifier: GPL-2.0-or-later */
/* facts/nl_bond.c: what bonding says in link messages (bond_fill_info, bond_fill_slave_info). */
#include "unit/netlink_world.h"

#include <linux/if_arp.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <netlink/attr.h>

static struct nl_msg *link_msg(const char *name)
{
	struct ifinfomsg ifi = { .ifi_index = 7, .ifi_type = ARPHRD_ETHER };
	struct nl_msg *msg = nlc_request(RTM_NEWLINK, NLM_F_MULTI, &ifi, sizeof(ifi));

	assert_non_null(msg);
	nla_put_string(msg, IFLA_IFNAME, name);
	return msg;
}

static void a_bond_of_lacp_tells_its_partner(void **state)
{
	struct nl_msg *msg = link_msg("bond0");
	struct nlattr *info = nla_nest_start(msg, IFLA_LINKINFO), *data, *ad;
	const struct bond_info *bond = &w.topo->netdev[0].bond;

	(void)state;
	nla_put_string(msg, IFLA_INFO_KIND, "bond");
	data = nla_nest_start(msg, IFLA_INFO_DATA);
	nla_put_u8(msg, IFLA_BOND_MODE, 4);
	nla_put_u32(msg, IFLA_BOND_MIIMON, 100);
	nla_put_u8(msg, IFLA_BOND_XMIT_HASH_POLICY, 1);
	nla_put_u8(msg, IFLA_BOND_AD_LACP_RATE, 1);
	ad = nla_nest_start(msg, IFLA_BOND_AD_INFO);
	nla_put_u16(msg, IFLA_BOND_AD_INFO_AGGREGATOR, 2);
	nla_put_u16(msg, IFLA_BOND_AD_INFO_NUM_PORTS, 1);
	nla_put(msg, IFLA_BOND_AD_INFO_PARTNER_MAC, 6, "\x02\x00\x5e\xaa\x00\x01");
	nla_nest_end(msg, ad);
	nla_nest_end(msg, data);
	nla_nest_end(msg, info);
	assert_int_equal(take(msg, nl_take_link, &w.net), 0);
	assert_int_equal(w.topo->netdev[0].bond_mode, BOND_8023AD);
	assert_int_equal(w.topo->netdev[0].active_ifindex, 0);
	assert_int_equal(bond->miimon, 100);
	assert_int_equal(bond->hash, BOND_HASH_LAYER34);
	assert_int_equal(bond->lacp_rate, 1);
	assert_int_equal(bond->aggregator, 2);
	assert_int_equal(bond->aggregator_ports, 1);
	assert_string_equal(bond->partner_mac, "02:00:5e:aa:00:01");
	assert_true(bond_has_partner(bond));
	assert_int_equal(w.topo->netdev[0].member.mii, BOND_MII_UNKNOWN);
}

static void values_that_no_kernel_sends_are_unknown(void **state)
{
	struct nl_msg *msg = link_msg("bond0");
	struct nlattr *info = nla_nest_start(msg, IFLA_LINKINFO), *data, *ad;
	const struct bond_info *bond = &w.topo->netdev[0].bond;

	(void)state;
	nla_put_string(msg, IFLA_INFO_KIND, "bond");
	data = nla_nest_start(msg, IFLA_INFO_DATA);
	nla_put_u8(msg, IFLA_BOND_MODE, 7);
	nla_put_u32(msg, IFLA_BOND_ACTIVE_SLAVE, 0x80000000);
	nla_put_u8(msg, IFLA_BOND_MIIMON, 100); /* too short */
	nla_put_u8(msg, IFLA_BOND_XMIT_HASH_POLICY, 6);
	nla_put_u8(msg, IFLA_BOND_AD_LACP_RATE, 2);
	ad = nla_nest_start(msg, IFLA_BOND_AD_INFO);
	nla_put_u8(msg, IFLA_BOND_AD_INFO_AGGREGATOR, 2);
	nla_put(msg, IFLA_BOND_AD_INFO_PARTNER_MAC, 5, "\x02\x00\x5e\xaa\x00");
	nla_nest_end(msg, ad);
	nla_nest_end(msg, data);
	nla_nest_end(msg, info);
	assert_int_equal(take(msg, nl_take_link, &w.net), 0);
	assert_int_equal(w.topo->netdev[0].bond_mode, BOND_UNKNOWN);
	assert_int_equal(w.topo->netdev[0].active_ifindex, 0);
	assert_int_equal(bond->miimon, -1);
	assert_int_equal(bond->hash, BOND_HASH_UNKNOWN);
	assert_int_equal(bond->lacp_rate, -1);
	assert_int_equal(bond->aggregator, -1);
	assert_string_equal(bond->partner_mac, "");
	assert_false(bond_has_partner(bond));
}

static void take_member(const char *kind, uint8_t active, uint8_t mii, uint8_t actor, uint16_t partner)
{
	struct nl_msg *msg = link_msg("enp41s0f0np0");
	struct nlattr *info = nla_nest_start(msg, IFLA_LINKINFO), *data;

	nla_put_string(msg, IFLA_INFO_SLAVE_KIND, kind);
	data = nla_nest_start(msg, IFLA_INFO_SLAVE_DATA);
	nla_put_u8(msg, IFLA_BOND_SLAVE_STATE, active);
	nla_put_u8(msg, IFLA_BOND_SLAVE_MII_STATUS, mii);
	nla_put_u32(msg, IFLA_BOND_SLAVE_LINK_FAILURE_COUNT, 3);
	nla_put_u16(msg, IFLA_BOND_SLAVE_AD_AGGREGATOR_ID, 2);
	nla_put_u8(msg, IFLA_BOND_SLAVE_AD_ACTOR_OPER_PORT_STATE, actor);
	nla_put_u16(msg, IFLA_BOND_SLAVE_AD_PARTNER_OPER_PORT_STATE, partner);
	nla_nest_end(msg, data);
	nla_nest_end(msg, info);
	assert_int_equal(take(msg, nl_take_link, &w.net), 0);
}

static void a_member_tells_its_link_and_both_ends(void **state)
{
	const struct member_info *m = &w.topo->netdev[0].member;

	(void)state;
	take_member("bond", 0, 0, 0x3d, 0x3d);
	assert_int_equal(m->active, 1);
	assert_int_equal(m->mii, BOND_MII_UP);
	assert_int_equal(m->failures, 3);
	assert_int_equal(m->aggregator, 2);
	assert_true(member_has_partner(m));
	take_member("bond", 1, 2, 0x3d, 0x0d); /* the other end does not collect */
	assert_int_equal(m->active, 0);
	assert_int_equal(m->mii, BOND_MII_DOWN);
	assert_false(member_has_partner(m));
	take_member("bond", 2, 4, 0x0d, 0x3d);
	assert_int_equal(m->active, -1);
	assert_int_equal(m->mii, BOND_MII_UNKNOWN);
	assert_false(member_has_partner(m));
}

static void a_member_of_a_bridge_is_none_of_a_bond(void **state)
{
	(void)state;
	take_member("bridge", 0, 0, 0x3d, 0x3d);
	assert_int_equal(w.topo->netdev[0].member.active, -1);
	assert_int_equal(w.topo->netdev[0].member.actor_state, -1);
}

static void words_are_read_back(void **state)
{
	(void)state;
	for (int i = 0; i < BOND_HASH_UNKNOWN; i++)
		assert_int_equal(bond_hash_parse(bond_hash_name((enum bond_hash)i)), i);
	assert_int_equal(bond_hash_parse("layer3"), BOND_HASH_UNKNOWN);
	assert_int_equal(bond_hash_parse(NULL), BOND_HASH_UNKNOWN);
	assert_int_equal(bond_mii_parse("GOING_BACK"), BOND_MII_GOING_BACK);
	assert_int_equal(bond_mii_parse("up"), BOND_MII_UNKNOWN);
	assert_false(bond_has_partner(&(struct bond_info){ .partner_mac = "00:00:00:00:00:00" }));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(a_bond_of_lacp_tells_its_partner),
		T(values_that_no_kernel_sends_are_unknown),
		T(a_member_tells_its_link_and_both_ends),
		T(a_member_of_a_bridge_is_none_of_a_bond),
		T(words_are_read_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
