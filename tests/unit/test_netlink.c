/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Messages of rtnetlink as the kernel makes them (rtnl_fill_ifinfo, fib_dump_info), and shorter than it ever
 * would: what a machine without the hardware cannot show. And the socket that they come from.
 */
#include "unit/netlink_world.h"

#include <net/if.h> /* before <linux/if.h>, which then leaves out what is here */

#include <errno.h>
#include <linux/if_addr.h>
#include <linux/if_arp.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <netinet/in.h>
#include <netlink/attr.h>
#include <netlink/msg.h>
#include <netlink/netlink.h>
#include <netlink/socket.h>
#include <string.h>

#include "facts/nl_conn.h"
#include "facts/nl_net.h"
#include "facts/nl_route.h"

/* --- messages --- */

static struct nl_msg *link_msg(int ifindex, unsigned short type, unsigned flags, const char *name)
{
	struct ifinfomsg ifi = { .ifi_index = ifindex, .ifi_type = type, .ifi_flags = flags };
	struct nl_msg *msg = nlc_request(RTM_NEWLINK, NLM_F_MULTI, &ifi, sizeof(ifi));

	assert_non_null(msg);
	nla_put_string(msg, IFLA_IFNAME, name);
	return msg;
}

static void a_bond_tells_mode_and_active_member(void **state)
{
	struct nl_msg *msg = link_msg(7, ARPHRD_ETHER, IFF_UP | IFF_LOWER_UP, "bond0");
	struct nlattr *info = nla_nest_start(msg, IFLA_LINKINFO), *data;
	const struct netdev *n = w.topo->netdev;

	(void)state;
	nla_put_string(msg, IFLA_INFO_KIND, "bond");
	data = nla_nest_start(msg, IFLA_INFO_DATA);
	nla_put_u8(msg, IFLA_BOND_MODE, 1);
	nla_put_u32(msg, IFLA_BOND_ACTIVE_SLAVE, 3);
	nla_nest_end(msg, data);
	nla_nest_end(msg, info);
	nla_put_u32(msg, IFLA_MTU, 9000);
	nla_put(msg, IFLA_ADDRESS, 6, "\x02\x00\x5e\x00\x29\xff");
	assert_int_equal(take(msg, nl_take_link, &w.net), 0);
	assert_int_equal(w.topo->netdevs, 1);
	assert_int_equal(n->ifindex, 7);
	assert_int_equal(n->kind, NET_BOND);
	assert_int_equal(n->bond_mode, BOND_ACTIVE_BACKUP);
	assert_int_equal(n->active_ifindex, 3);
	assert_int_equal(n->mtu, 9000);
	assert_true(n->up && n->carrier && !n->infiniband && !n->loopback);
	assert_string_equal(n->mac, "02:00:5e:00:29:ff");
	assert_string_equal(n->perm_mac, "");
}

static void a_port_tells_its_permanent_address_names_and_master(void **state)
{
	struct nl_msg *msg = link_msg(3, ARPHRD_ETHER, IFF_UP, "enp41s0f1np1");
	struct nlattr *nest;
	const struct netdev *n = w.topo->netdev;

	(void)state;
	nla_put_u32(msg, IFLA_MASTER, 7);
	nla_put_u8(msg, IFLA_MTU, 7); /* too short: it does not count */
	nla_put(msg, IFLA_ADDRESS, 6, "\x02\x00\x5e\x00\x29\x00");
	nla_put(msg, IFLA_PERM_ADDRESS, 6, "\x02\x00\x5e\x00\x29\x01");
	nla_put_string(msg, IFLA_PHYS_PORT_NAME, "p1");
	nest = nla_nest_start(msg, IFLA_LINKINFO);
	nla_put_string(msg, IFLA_INFO_SLAVE_KIND, "bond");
	nla_nest_end(msg, nest);
	nest = nla_nest_start(msg, IFLA_PROP_LIST);
	nla_put_string(msg, IFLA_ALT_IFNAME, "ens2f1np1");
	nla_put_string(msg, IFLA_ALT_IFNAME, "no/name");
	nla_put(msg, IFLA_ALT_IFNAME, 3, "xyz"); /* not terminated */
	nla_put_string(msg, IFLA_IFNAME, "another-property");
	nla_put_string(msg, IFLA_ALT_IFNAME,
		       "an-alternative-name-that-is-longer-than-any-interface-name-may-be");
	nla_nest_end(msg, nest);
	assert_int_equal(take(msg, nl_take_link, &w.net), 0);
	assert_int_equal(n->kind, NET_PLAIN);
	assert_int_equal(n->master_ifindex, 7);
	assert_int_equal(n->mtu, -1);
	assert_string_equal(n->perm_mac, "02:00:5e:00:29:01");
	assert_int_equal(n->altnames, 2);
	assert_string_equal(n->altname[0], "ens2f1np1");
	assert_int_equal(w.findings->count, 2);
}

static void the_device_below_a_vlan_is_none_of_another_namespace(void **state)
{
	(void)state;
	for (int other = 0; other <= 1; other++) {
		struct nl_msg *msg = link_msg(9, ARPHRD_ETHER, IFF_UP, "bond0.100");
		struct nlattr *info = nla_nest_start(msg, IFLA_LINKINFO);

		nla_put_string(msg, IFLA_INFO_KIND, "vlan");
		nla_nest_end(msg, info);
		nla_put_u32(msg, IFLA_LINK, 7);
		if (other)
			nla_put_s32(msg, IFLA_LINK_NETNSID, 0);
		assert_int_equal(take(msg, nl_take_link, &w.net), 0);
		assert_int_equal(w.topo->netdev[0].kind, NET_VLAN);
		assert_int_equal(w.topo->netdev[0].lower_ifindex, other ? 0 : 7);
	}
}

static void ipoib_has_a_long_address(void **state)
{
	struct nl_msg *msg = link_msg(4, ARPHRD_INFINIBAND, IFF_UP, "ibp24s0");
	struct nlattr *info = nla_nest_start(msg, IFLA_LINKINFO);
	unsigned char address[33];

	(void)state;
	memset(address, 0xab, sizeof(address));
	nla_put_string(msg, IFLA_INFO_KIND, "ipoib");
	nla_nest_end(msg, info);
	nla_put(msg, IFLA_ADDRESS, 20, address);
	nla_put(msg, IFLA_PERM_ADDRESS, 33, address); /* longer than any that is known */
	assert_int_equal(take(msg, nl_take_link, &w.net), 0);
	assert_true(w.topo->netdev[0].infiniband);
	assert_int_equal(w.topo->netdev[0].kind, NET_PLAIN);
	assert_int_equal(strlen(w.topo->netdev[0].mac), 59);
	assert_string_equal(w.topo->netdev[0].perm_mac, "");
}

static void links_without_a_usable_name_are_counted(void **state)
{
	static const char *const names[] = { "", "a b", "a/b", "..", "abcdefghijklmnop" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		assert_int_equal(take(link_msg(4, ARPHRD_ETHER, 0, names[i]), nl_take_link, &w.net), 0);
		assert_int_equal(w.topo->netdevs, 0);
		assert_int_equal(w.net.odd, 1);
	}
	assert_int_equal(take(link_msg(-4, ARPHRD_ETHER, 0, "x"), nl_take_link, &w.net), 0);
	assert_int_equal(w.net.odd, 1);
}

static void an_address_with_a_peer_is_the_local_one(void **state)
{
	struct ifaddrmsg ifa = { .ifa_family = AF_INET, .ifa_prefixlen = 32, .ifa_index = 5 };
	struct nl_msg *msg = nlc_request(RTM_NEWADDR, NLM_F_MULTI, &ifa, sizeof(ifa));

	(void)state;
	nla_put(msg, IFA_ADDRESS, 4, "\x0a\x06\x00\x02");
	nla_put(msg, IFA_LOCAL, 4, "\x0a\x06\x00\x01");
	nla_put_u32(msg, IFA_FLAGS, IFA_F_PERMANENT);
	assert_int_equal(take(msg, nl_take_addr, &w.net), 0);
	assert_int_equal(w.topo->addrs, 1);
	assert_int_equal(w.topo->addr[0].ip.bytes[3], 1);
	assert_int_equal(w.topo->addr[0].prefixlen, 32);
	assert_true(w.topo->addr[0].usable);
}

static void addresses_in_doubt_are_not_usable(void **state)
{
	static const uint32_t flags[] = { IFA_F_TENTATIVE, IFA_F_DADFAILED, IFA_F_DEPRECATED, IFA_F_TEMPORARY,
					  IFA_F_NODAD };
	struct ifaddrmsg ifa = { .ifa_family = AF_INET6, .ifa_prefixlen = 64, .ifa_index = 5 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(flags); i++) {
		struct nl_msg *msg = nlc_request(RTM_NEWADDR, NLM_F_MULTI, &ifa, sizeof(ifa));

		nla_put(msg, IFA_ADDRESS, 16, "\xfd\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x01");
		nla_put_u32(msg, IFA_FLAGS, flags[i]);
		assert_int_equal(take(msg, nl_take_addr, &w.net), 0);
		assert_int_equal(w.topo->addrs, 1);
		assert_int_equal(w.topo->addr[0].usable, i == 4);
	}
}

static void a_secondary_ipv4_address_is_not_a_temporary_one(void **state)
{
	struct ifaddrmsg ifa = { .ifa_family = AF_INET, .ifa_prefixlen = 24, .ifa_index = 5 };
	struct nl_msg *msg = nlc_request(RTM_NEWADDR, NLM_F_MULTI, &ifa, sizeof(ifa));

	(void)state;
	nla_put(msg, IFA_LOCAL, 4, "\x0a\x06\x00\x01");
	nla_put_u32(msg, IFA_FLAGS, IFA_F_SECONDARY | IFA_F_PERMANENT);
	assert_int_equal(take(msg, nl_take_addr, &w.net), 0);
	assert_true(w.topo->addr[0].usable);
}

static struct nl_msg *route_msg(unsigned char family, unsigned char dst_len, unsigned char type,
				unsigned flags)
{
	struct rtmsg rtm = {
		.rtm_family = family, .rtm_dst_len = dst_len, .rtm_type = type, .rtm_flags = flags
	};
	struct nl_msg *msg = nlc_request(RTM_NEWROUTE, NLM_F_MULTI, &rtm, sizeof(rtm));

	assert_non_null(msg);
	return msg;
}

/* Two nexthops, 5 with a gateway and 6 without, and what is behind them. */
static void put_multipath(struct nl_msg *msg, const void *rest, size_t size)
{
	struct {
		struct rtnexthop nh;
		struct nlattr attr;
		unsigned char gateway[4];
		struct rtnexthop nh2;
		unsigned char rest[16];
	} several = {
		.nh = { .rtnh_len = 16, .rtnh_flags = 0, .rtnh_ifindex = 5 },
		.attr = { .nla_len = 8, .nla_type = RTA_GATEWAY },
		.nh2 = { .rtnh_len = 8, .rtnh_flags = RTNH_F_LINKDOWN, .rtnh_ifindex = 6 },
	};

	memcpy(several.rest, rest, size);
	nla_put(msg, RTA_MULTIPATH, (int)(24 + size), &several);
}

static void default_routes_are_all_their_nexthops(void **state)
{
	struct nl_msg *msg = route_msg(AF_INET, 0, RTN_UNICAST, 0);

	(void)state;
	put_multipath(msg, "", 0);
	assert_int_equal(take(msg, nl_take_default, &w.net), 0);
	assert_int_equal(w.topo->default_routes, 2);
	assert_int_equal(w.topo->default_route[0].ifindex, 5);
	assert_int_equal(w.topo->default_route[1].ifindex, 6);
	assert_int_equal(w.net.odd, 0);
}

static void a_nexthop_that_is_cut_short_is_none(void **state)
{
	struct nl_msg *msg = route_msg(AF_INET, 0, RTN_UNICAST, 0);

	(void)state;
	put_multipath(msg, "\x08\x00\x00", 3);
	assert_int_equal(take(msg, nl_take_default, &w.net), 0);
	assert_int_equal(w.topo->default_routes, 2);
}

static void other_routes_are_not_kept(void **state)
{
	static const struct {
		unsigned char family, dst_len, type;
		unsigned flags;
	} cases[] = {
		{ AF_INET, 8, RTN_UNICAST, 0 },
		{ AF_INET, 0, RTN_UNREACHABLE, 0 },
		{ AF_INET6, 0, RTN_UNICAST, RTM_F_CLONED },
		{ 128 /* RTNL_FAMILY_IPMR */, 0, RTN_UNICAST, 0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct nl_msg *msg =
			route_msg(cases[i].family, cases[i].dst_len, cases[i].type, cases[i].flags);

		nla_put_u32(msg, RTA_OIF, 3);
		assert_int_equal(take(msg, nl_take_default, &w.net), 0);
		assert_int_equal(w.topo->default_routes, 0);
		assert_int_equal(w.net.odd, 0);
	}
	/* Over a nexthop object alone: it leads somewhere, but the message does not say where. */
	assert_int_equal(take(route_msg(AF_INET, 0, RTN_UNICAST, 0), nl_take_default, &w.net), 0);
	assert_int_equal(w.net.odd, 1);
}

static void nexthops_end_where_their_lengths_are_wrong(void **state)
{
	static const struct rtnexthop bad[] = {
		{ .rtnh_len = 0 }, { .rtnh_len = 7 }, { .rtnh_len = 9 }, { .rtnh_len = 65535 }
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct nl_msg *msg = route_msg(AF_INET, 16, RTN_UNICAST, 0);
		struct nl_route_msg route;
		struct nl_hop hop;

		put_multipath(msg, &bad[i], sizeof(bad[i]));
		assert_true(nl_route_parse(nlmsg_hdr(msg), &route));
		assert_true(nl_route_next(&route, &hop));
		assert_int_equal(hop.ifindex, 5);
		assert_true(hop.gateway && !hop.down);
		assert_true(nl_route_next(&route, &hop));
		assert_int_equal(hop.ifindex, 6);
		assert_true(!hop.gateway && hop.down);
		assert_false(nl_route_next(&route, &hop));
		nlmsg_free(msg);
	}
}

/* --- the socket: rtnetlink is there without rights, and lo always is --- */

static int count(struct nlmsghdr *hdr, void *arg)
{
	(void)hdr;
	++*(unsigned *)arg;
	return 0;
}

static int refuse(struct nlmsghdr *hdr, void *arg)
{
	(void)hdr, (void)arg;
	return -EXFULL;
}

static struct nl_msg *get_link(int ifindex, int flags)
{
	struct ifinfomsg ifi = { .ifi_index = ifindex };

	return nlc_request(RTM_GETLINK, flags, &ifi, sizeof(ifi));
}

static void errors_are_the_kernels_and_the_socket_lives_on(void **state)
{
	struct nl_conn conn = { 0 };
	unsigned messages = 0;
	int r = nlc_open(&conn, NETLINK_ROUTE);

	(void)state;
	if (r == -EPROTONOSUPPORT || r == -EACCES)
		skip();
	assert_int_equal(r, 0);
	assert_int_equal(nlc_ask(&conn, get_link(0x7ffffff0, 0), count, &messages), -ENODEV);
	assert_int_equal(messages, 0);
	assert_int_equal(nlc_ask(&conn, get_link(0, NLM_F_DUMP), count, &messages), 0);
	assert_true(messages > 0);
	messages = 0;
	assert_int_equal(nlc_ask(&conn, get_link(1, 0), count, &messages), 0);
	assert_int_equal(messages, 1);
	assert_int_equal(nlc_ask(&conn, get_link(1, 0), refuse, NULL), -EXFULL);
	assert_int_equal(nlc_ask(&conn, NULL, count, &messages), -ENOMEM);
	nlc_close(&conn);
	nlc_close(&conn);
}

static void a_late_answer_is_not_taken_for_this_one(void **state)
{
	struct nl_msg *early = get_link(1, 0);
	struct nl_conn conn = { 0 };
	unsigned all = 0, again = 0;
	int r = nlc_open(&conn, NETLINK_ROUTE);

	(void)state;
	if (r == -EPROTONOSUPPORT || r == -EACCES)
		skip();
	assert_int_equal(r, 0);
	assert_int_equal(nlc_ask(&conn, get_link(0, NLM_F_DUMP), count, &all), 0);
	assert_true(nl_send_auto(conn.sock, early) > 0); /* whose answer nobody reads */
	assert_int_equal(nlc_ask(&conn, get_link(0, NLM_F_DUMP), count, &again), 0);
	assert_int_equal(again, all);
	nlmsg_free(early);
	nlc_close(&conn);
}

/* In a dump the error is in the message that ends it, which libnl takes for success. */
static void a_dump_that_ends_in_an_error_has_failed(void **state)
{
	static const int on = 1;
	struct ifaddrmsg ifa = { .ifa_prefixlen = 5 }; /* refused where the kernel is told to be strict */
	struct nl_conn conn = { 0 };
	unsigned messages = 0;
	int r = nlc_open(&conn, NETLINK_ROUTE);

	(void)state;
	if (r == -EPROTONOSUPPORT || r == -EACCES)
		skip();
	assert_int_equal(r, 0);
	if (setsockopt(nl_socket_get_fd(conn.sock), SOL_NETLINK, NETLINK_GET_STRICT_CHK, &on, sizeof(on)) < 0)
		skip(); /* before Linux 4.20 */
	assert_int_equal(
		nlc_ask(&conn, nlc_request(RTM_GETADDR, NLM_F_DUMP, &ifa, sizeof(ifa)), count, &messages),
		-EINVAL);
	assert_int_equal(messages, 0);
	nlc_close(&conn);
}

static void a_family_that_the_kernel_does_not_have_is_told(void **state)
{
	struct nl_conn conn = { 0 };

	(void)state;
	assert_int_equal(nlc_open(&conn, 31), -EPROTONOSUPPORT); /* MAX_LINKS is 32, and 31 is nobody's */
	assert_null(conn.sock);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		T(a_bond_tells_mode_and_active_member),
		T(a_port_tells_its_permanent_address_names_and_master),
		T(the_device_below_a_vlan_is_none_of_another_namespace),
		T(ipoib_has_a_long_address),
		T(links_without_a_usable_name_are_counted),
		T(an_address_with_a_peer_is_the_local_one),
		T(addresses_in_doubt_are_not_usable),
		T(a_secondary_ipv4_address_is_not_a_temporary_one),
		T(default_routes_are_all_their_nexthops),
		T(a_nexthop_that_is_cut_short_is_none),
		T(other_routes_are_not_kept),
		T(nexthops_end_where_their_lengths_are_wrong),
		cmocka_unit_test(errors_are_the_kernels_and_the_socket_lives_on),
		cmocka_unit_test(a_late_answer_is_not_taken_for_this_one),
		cmocka_unit_test(a_dump_that_ends_in_an_error_has_failed),
		cmocka_unit_test(a_family_that_the_kernel_does_not_have_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
