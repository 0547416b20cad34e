/* SPDX-License-Identifier: GPL-2.0-or-later */
/* facts/dump_net.c: what "ip -details -json link show" says of bonds and their members. */
#include "unit/dumps_world.h"

#include <string.h>

#include "facts/dump_net.h"

static int links(struct world *w, const char *text)
{
	const char *why = NULL;
	_cleanup_json_ struct json *j = json_parse(text, strlen(text), &why);

	assert_non_null(j);
	return dump_links(j, w->topo, w->findings, &w->err);
}

#define LACP                                                                                                \
	"[{\"ifindex\":3,\"ifname\":\"ens1\",\"linkinfo\":{\"info_slave_kind\":\"bond\","                   \
	"\"info_slave_data\":{\"state\":\"ACTIVE\",\"mii_status\":\"GOING_BACK\",\"link_failure_count\":2," \
	"\"ad_aggregator_id\":1,\"ad_actor_oper_port_state\":61,\"ad_partner_oper_port_state\":61}}},"      \
	"{\"ifindex\":7,\"ifname\":\"bond0\",\"linkinfo\":{\"info_kind\":\"bond\",\"info_data\":{\"mode\":" \
	"\"802.3ad\","                                                                                      \
	"\"miimon\":100,\"xmit_hash_policy\":\"layer3+4\",\"ad_lacp_rate\":\"fast\",\"ad_info\":{"          \
	"\"aggregator\":1,"                                                                                 \
	"\"num_ports\":2,\"actor_key\":31,\"partner_key\":15,\"partner_mac\":\"02:00:5E:aa:00:01\"}}}},"    \
	"{\"ifindex\":8,\"ifname\":\"bond1\",\"linkinfo\":{\"info_kind\":\"bond\",\"info_data\":{"          \
	"\"miimon\":-1,"                                                                                    \
	"\"xmit_hash_policy\":3,\"ad_lacp_rate\":\"medium\",\"ad_info\":[]}}},"                             \
	"{\"ifindex\":9,\"ifname\":\"ens2\",\"linkinfo\":{\"info_slave_kind\":\"bridge\","                  \
	"\"info_slave_data\":{\"state\":\"ACTIVE\",\"mii_status\":\"UP\"}}}]"

static void bonds_tell_partner_and_members_both_ends(void **state)
{
	struct world *w = *state;
	const struct netdev *n = w->topo->netdev;

	assert_int_equal(links(w, LACP), 0);
	assert_int_equal(w->topo->netdevs, 4);
	assert_int_equal(n[0].member.active, 1);
	assert_int_equal(n[0].member.mii, BOND_MII_GOING_BACK);
	assert_int_equal(n[0].member.failures, 2);
	assert_int_equal(n[0].member.aggregator, 1);
	assert_true(member_has_partner(&n[0].member));
	assert_int_equal(n[1].bond.miimon, 100);
	assert_int_equal(n[1].bond.hash, BOND_HASH_LAYER34);
	assert_int_equal(n[1].bond.lacp_rate, 1);
	assert_int_equal(n[1].bond.aggregator, 1);
	assert_int_equal(n[1].bond.aggregator_ports, 2);
	assert_string_equal(n[1].bond.partner_mac, "02:00:5e:aa:00:01");
	assert_int_equal(n[2].bond.miimon, -1);
	assert_int_equal(n[2].bond.hash, BOND_HASH_UNKNOWN);
	assert_int_equal(n[2].bond.lacp_rate, -1);
	assert_int_equal(n[2].bond.aggregator, -1);
	assert_false(bond_has_partner(&n[2].bond));
	assert_int_equal(n[3].member.mii, BOND_MII_UNKNOWN); /* a bridge's */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(bonds_tell_partner_and_members_both_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
