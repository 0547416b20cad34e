/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ARP settings: the larger of two values, if both are known. */

#include "unit/settings_reading.h"

static void put(const char *name, const char *file, const char *text)
{
	char path[128];

	snprintf(path, sizeof(path), "proc/sys/net/ipv4/conf/%s/%s", name, file);
	tree_write(&tree, path, text);
}

static void put_conf(const char *name, const char *arp_ignore, const char *arp_announce,
		     const char *rp_filter)
{
	put(name, "arp_ignore", arp_ignore);
	put(name, "arp_announce", arp_announce);
	put(name, "rp_filter", rp_filter);
}

static void add_address(const struct netdev *netdev)
{
	topo->addr[topo->addrs].ip.family = 4;
	topo->addr[topo->addrs++].ifindex = netdev->ifindex;
}

static void assert_conf(unsigned i, int arp_ignore, int arp_announce, int rp_filter)
{
	assert_int_equal(settings->netdev[i].arp_ignore, arp_ignore);
	assert_int_equal(settings->netdev[i].arp_announce, arp_announce);
	assert_int_equal(settings->netdev[i].rp_filter, rp_filter);
}

static void read_arp(void)
{
	assert_int_equal(facts_read_arp(&tree.root, topo, settings, &findings, &error), 0);
}

static void the_larger_of_all_and_the_interfaces_counts(void **state)
{
	(void)state;
	put_conf("all", "1\n", "0\n", "1\n");
	put_conf("ens1", "0\n", "2\n", "2\n");
	put_conf("eth0.5", "8\n", "1\n", "0\n"); /* the dot stays one */
	add_address(add_netdev("ens1"));
	add_address(add_netdev("eth0.5"));
	read_arp();
	assert_conf(0, 1, 2, 2);
	assert_conf(1, 8, 1, 1);
	assert_int_equal(findings.count, 0);
}

static void only_interfaces_with_an_address_are_read(void **state)
{
	(void)state;
	put_conf("all", "0\n", "0\n", "0\n");
	put_conf("ens1", "1\n", "2\n", "2\n");
	put_conf("lo", "1\n", "2\n", "2\n");
	(void)add_netdev("ens1");
	topo->netdev[1].loopback = true;
	add_address(add_netdev("lo"));
	add_address(add_netdev("../all"));
	add_address(add_netdev("gone"));
	read_arp();
	for (unsigned i = 0; i < TOPO_NETDEVS_MAX; i++)
		assert_conf(i, -1, -1, -1);
	assert_int_equal(findings.count, 0);
}

static void one_that_is_half_known_is_unknown(void **state)
{
	(void)state;
	put_conf("all", "0\n", "x\n", "-1\n");
	tree_unlink(&tree, "proc/sys/net/ipv4/conf/all/arp_ignore");
	put_conf("ens1", "1\n", "2\n", "2\n");
	put_conf("ens2", "1\n2\n", "\n", "99999999999\n");
	add_address(add_netdev("ens1"));
	add_address(add_netdev("ens2"));
	read_arp();
	assert_conf(0, -1, -1, -1);
	assert_conf(1, -1, -1, -1);
	assert_int_equal(findings.count, 5);
	put_conf("all", "0\n", "0\n", "0\n");
	read_arp();
	assert_conf(0, 1, 2, 2);
	assert_conf(1, -1, -1, -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		SETTINGS_TEST(the_larger_of_all_and_the_interfaces_counts),
		SETTINGS_TEST(only_interfaces_with_an_address_are_read),
		SETTINGS_TEST(one_that_is_half_known_is_unknown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
