/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Netlink messages as the kernel makes them (rtnl_fill_ifinfo, fib_dump_info, nldev.c), and shorter than it
 * ever would: what a machine without the hardware cannot show.
 */
#include "lib/t.h"

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
#include <rdma/rdma_netlink.h>
#include <stdlib.h>
#include <string.h>

#include "facts/nl_conn.h"
#include "facts/nl_net.h"
#include "facts/nl_rdma.h"
#include "facts/nl_route.h"

static struct {
	struct topology *topo;
	struct findings *findings;
	struct rdma_resources *resources;
	struct nl_rdma_reader *rdma;
	struct err err;
	struct nl_net_reader net;
} w;

static int setup(void **state)
{
	(void)state;
	memset(&w.err, 0, sizeof(w.err));
	w.topo = calloc(1, sizeof(*w.topo));
	w.findings = calloc(1, sizeof(*w.findings));
	w.resources = calloc(1, sizeof(*w.resources));
	w.rdma = calloc(1, sizeof(*w.rdma));
	if (!w.topo || !w.findings || !w.resources || !w.rdma)
		return -1;
	w.net = (struct nl_net_reader){ .topo = w.topo, .findings = w.findings, .err = &w.err };
	w.rdma->topo = w.topo;
	w.rdma->resources = w.resources;
	w.rdma->err = &w.err;
	w.rdma->device[0].index = 3;
	strcpy(w.rdma->device[0].name, "mlx5_1");
	w.rdma->devices = 1;
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	free(w.resources->qp);
	free(w.resources);
	free(w.findings);
	free(w.topo);
	free(w.rdma);
	return 0;
}

/*
 * Gives the message to take, whole, then cut short at every length: none may be read beyond its end (the
 * sanitizer sees it, since each copy has its own block). Returns what the whole one gave.
 */
static int take(struct nl_msg *msg, nlc_take function, void *arg)
{
	struct nlmsghdr *hdr = nlmsg_hdr(msg);
	int r;

	for (uint32_t length = sizeof(*hdr); length < hdr->nlmsg_len; length++) {
		struct nlmsghdr *cut = malloc(length);

		assert_non_null(cut);
		memcpy(cut, hdr, length);
		cut->nlmsg_len = length;
		(void)function(cut, arg);
		free(cut);
	}
	w.topo->netdevs = w.topo->addrs = w.topo->default_routes = w.topo->rdma_links = w.topo->cm_ids = 0;
	w.resources->qps = 0;
	w.findings->count = 0;
	w.net.odd = 0;
	if (function == nl_take_device)
		w.rdma->devices = w.rdma->odd = 0;
	r = function(hdr, arg);
	nlmsg_free(msg);
	return r;
}

/* --- rtnetlink --- */

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
	static const uint32_t flags[] = { IFA_F_TENTATIVE, IFA_F_DADFAILED, IFA_F_DEPRECATED, IFA_F_NODAD };
	struct ifaddrmsg ifa = { .ifa_family = AF_INET6, .ifa_prefixlen = 64, .ifa_index = 5 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(flags); i++) {
		struct nl_msg *msg = nlc_request(RTM_NEWADDR, NLM_F_MULTI, &ifa, sizeof(ifa));

		nla_put(msg, IFA_ADDRESS, 16, "\xfd\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x01");
		nla_put_u32(msg, IFA_FLAGS, flags[i]);
		assert_int_equal(take(msg, nl_take_addr, &w.net), 0);
		assert_int_equal(w.topo->addrs, 1);
		assert_int_equal(w.topo->addr[0].usable, i == 3);
	}
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

/* --- NETLINK_RDMA --- */

static struct nl_msg *rdma_msg(int command)
{
	struct nl_msg *msg = nlc_request(RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, command), NLM_F_MULTI, NULL, 0);

	assert_non_null(msg);
	nla_put_u32(msg, RDMA_NLDEV_ATTR_DEV_INDEX, 3);
	nla_put_string(msg, RDMA_NLDEV_ATTR_DEV_NAME, "mlx5_1");
	return msg;
}

static void devices_and_ports_are_taken_as_nldev_lists_them(void **state)
{
	struct nl_msg *msg = rdma_msg(RDMA_NLDEV_CMD_GET);
	const struct rdma_link *l = w.topo->rdma_link;

	(void)state;
	nla_put_u32(msg, RDMA_NLDEV_ATTR_PORT_INDEX, 2);
	nla_put_u32(msg, RDMA_NLDEV_ATTR_MAX + 20, 7); /* of a newer kernel */
	assert_int_equal(take(msg, nl_take_device, w.rdma), 0);
	assert_int_equal(w.rdma->devices, 1);
	assert_int_equal(w.rdma->device[0].index, 3);
	assert_int_equal(w.rdma->device[0].ports, 2);
	assert_string_equal(w.rdma->device[0].name, "mlx5_1");

	w.rdma->current = 0;
	msg = rdma_msg(RDMA_NLDEV_CMD_PORT_GET);
	nla_put_u32(msg, RDMA_NLDEV_ATTR_PORT_INDEX, 1);
	nla_put_u8(msg, RDMA_NLDEV_ATTR_PORT_STATE, 4);
	nla_put_u8(msg, RDMA_NLDEV_ATTR_PORT_PHYS_STATE, 5);
	nla_put_u32(msg, RDMA_NLDEV_ATTR_NDEV_INDEX, 13);
	nla_put_string(msg, RDMA_NLDEV_ATTR_NDEV_NAME, "enp41s0f0np0");
	assert_int_equal(take(msg, nl_take_port, w.rdma), 0);
	assert_int_equal(w.topo->rdma_links, 1);
	assert_string_equal(l->name, "mlx5_1");
	assert_string_equal(l->state, "active");
	assert_true(l->active);
	assert_int_equal(l->port, 1);
	assert_int_equal(l->index, 3);
	assert_int_equal(l->netdev_ifindex, 13);
	assert_int_equal(l->ncv, -1);
}

static void a_device_whose_name_is_none_is_counted(void **state)
{
	struct nl_msg *msg =
		nlc_request(RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, RDMA_NLDEV_CMD_GET), NLM_F_MULTI, NULL, 0);

	(void)state;
	nla_put_u32(msg, RDMA_NLDEV_ATTR_DEV_INDEX, 3);
	nla_put_string(msg, RDMA_NLDEV_ATTR_DEV_NAME, "../mlx5_1");
	assert_int_equal(take(msg, nl_take_device, w.rdma), 0);
	assert_int_equal(w.rdma->devices, 0);
	assert_int_equal(w.rdma->odd, 1);
	assert_int_equal(take(rdma_msg(RDMA_NLDEV_CMD_PORT_GET), nl_take_device, w.rdma), -EPROTO);
}

static void put_endpoint(struct nl_msg *msg, int type, int family, uint8_t last, uint16_t port)
{
	struct sockaddr_storage ss = { .ss_family = (sa_family_t)family };
	struct sockaddr_in in = { .sin_family = AF_INET, .sin_port = htons(port) };
	struct sockaddr_in6 in6 = { .sin6_family = AF_INET6, .sin6_port = htons(port) };

	in.sin_addr.s_addr = htonl(0x0a0a0100U | last);
	in6.sin6_addr.s6_addr[0] = 0xfd;
	in6.sin6_addr.s6_addr[15] = last;
	if (family == AF_INET)
		memcpy(&ss, &in, sizeof(in));
	else if (family == AF_INET6)
		memcpy(&ss, &in6, sizeof(in6));
	nla_put(msg, type, sizeof(ss), &ss); /* nldev puts all of it */
}

static void put_cm_id(struct nl_msg *msg, const char *owner, int family, uint32_t lqpn)
{
	struct nlattr *entry = nla_nest_start(msg, RDMA_NLDEV_ATTR_RES_CM_ID_ENTRY);

	nla_put_u32(msg, RDMA_NLDEV_ATTR_PORT_INDEX, 1);
	if (lqpn)
		nla_put_u32(msg, RDMA_NLDEV_ATTR_RES_LQPN, lqpn);
	nla_put_u32(msg, RDMA_NLDEV_ATTR_RES_PS, 0x0106);
	nla_put_u8(msg, RDMA_NLDEV_ATTR_RES_STATE, 5);
	put_endpoint(msg, RDMA_NLDEV_ATTR_RES_SRC_ADDR, family, 1, 33000);
	put_endpoint(msg, RDMA_NLDEV_ATTR_RES_DST_ADDR, family, 2, 4420);
	if (owner)
		nla_put_string(msg, RDMA_NLDEV_ATTR_RES_KERN_NAME, owner);
	else
		nla_put_u32(msg, RDMA_NLDEV_ATTR_RES_PID, 77);
	nla_nest_end(msg, entry);
}

static void cm_ids_of_the_kernel_are_taken_with_their_ends(void **state)
{
	static const char owner[] = "a_module_name_that_is_longer_than_32";
	struct nl_msg *msg = rdma_msg(RDMA_NLDEV_CMD_RES_CM_ID_GET);
	struct nlattr *table = nla_nest_start(msg, RDMA_NLDEV_ATTR_RES_CM_ID);
	const struct cm_id *c = w.topo->cm_id;

	(void)state;
	put_cm_id(msg, "nvme_rdma", AF_INET, 17);
	put_cm_id(msg, NULL, AF_INET, 18);
	nla_put(msg, RDMA_NLDEV_ATTR_RES_CM_ID_ENTRY, 0, ""); /* of another port */
	put_cm_id(msg, "nvme_rdma", AF_INET6, 0);
	put_cm_id(msg, owner, 27 /* AF_IB */, 19);
	nla_nest_end(msg, table);
	assert_int_equal(take(msg, nl_take_cm_ids, w.rdma), 0);
	assert_int_equal(w.topo->cm_ids, 3);
	assert_int_equal(c[0].rdma_index, 3);
	assert_string_equal(c[0].rdma_name, "mlx5_1");
	assert_string_equal(c[0].owner, "nvme_rdma");
	assert_true(c[0].has_qp && c[0].has_addrs);
	assert_int_equal(w.resources->lqpn[0], 17);
	assert_int_equal(c[0].src.bytes[3], 1);
	assert_int_equal(c[0].src_port, 33000);
	assert_int_equal(c[0].dst.bytes[3], 2);
	assert_int_equal(c[0].dst_port, 4420);
	assert_true(c[1].has_addrs && !c[1].has_qp);
	assert_int_equal(c[1].dst.family, 6);
	assert_int_equal(c[1].dst.bytes[15], 2);
	assert_false(c[2].has_addrs);
	assert_true(c[2].has_qp);
	assert_string_equal(c[2].owner + strlen(c[2].owner) - 3, "...");
}

static void cm_ids_of_another_device_or_without_a_table_are_refused(void **state)
{
	struct nl_msg *msg = rdma_msg(RDMA_NLDEV_CMD_RES_CM_ID_GET);
	struct nlattr *table;

	(void)state;
	assert_int_equal(take(msg, nl_take_cm_ids, w.rdma), -EPROTO);
	msg = rdma_msg(RDMA_NLDEV_CMD_RES_CM_ID_GET);
	table = nla_nest_start(msg, RDMA_NLDEV_ATTR_RES_CM_ID);
	put_cm_id(msg, "nvme_rdma", AF_INET, 17);
	nla_nest_end(msg, table);
	w.rdma->device[0].index = 4;
	assert_int_equal(take(msg, nl_take_cm_ids, w.rdma), -EPROTO);
}

static void put_qp(struct nl_msg *msg, uint32_t lqpn, int state)
{
	struct nlattr *entry = nla_nest_start(msg, RDMA_NLDEV_ATTR_RES_QP_ENTRY);

	nla_put_u32(msg, RDMA_NLDEV_ATTR_PORT_INDEX, 1);
	nla_put_u32(msg, RDMA_NLDEV_ATTR_RES_LQPN, lqpn);
	if (state >= 0)
		nla_put_u8(msg, RDMA_NLDEV_ATTR_RES_STATE, (uint8_t)state);
	nla_nest_end(msg, entry);
}

static void queue_pairs_are_taken_with_their_state(void **state)
{
	struct nl_msg *msg = rdma_msg(RDMA_NLDEV_CMD_RES_QP_GET);
	struct nlattr *table = nla_nest_start(msg, RDMA_NLDEV_ATTR_RES_QP);

	(void)state;
	put_qp(msg, 17, 3);
	nla_put(msg, RDMA_NLDEV_ATTR_RES_QP_ENTRY, 0, ""); /* of another port */
	put_qp(msg, 18, 1);
	nla_nest_end(msg, table);
	assert_int_equal(take(msg, nl_take_qps, w.rdma), 0);
	assert_int_equal(w.resources->qps, 2);
	assert_true(w.resources->qp[0].rts);
	assert_int_equal(w.resources->qp[0].lqpn, 17);
	assert_int_equal(w.resources->qp[0].rdma_index, 3);
	assert_false(w.resources->qp[1].rts);

	msg = rdma_msg(RDMA_NLDEV_CMD_RES_QP_GET);
	table = nla_nest_start(msg, RDMA_NLDEV_ATTR_RES_QP);
	put_qp(msg, 17, -1); /* one without a state proves nothing */
	nla_nest_end(msg, table);
	assert_int_equal(take(msg, nl_take_qps, w.rdma), -EPROTO);
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

#define T(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

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
		T(default_routes_are_all_their_nexthops),
		T(a_nexthop_that_is_cut_short_is_none),
		T(other_routes_are_not_kept),
		T(nexthops_end_where_their_lengths_are_wrong),
		T(devices_and_ports_are_taken_as_nldev_lists_them),
		T(a_device_whose_name_is_none_is_counted),
		T(cm_ids_of_the_kernel_are_taken_with_their_ends),
		T(cm_ids_of_another_device_or_without_a_table_are_refused),
		T(queue_pairs_are_taken_with_their_state),
		cmocka_unit_test(errors_are_the_kernels_and_the_socket_lives_on),
		cmocka_unit_test(a_late_answer_is_not_taken_for_this_one),
		cmocka_unit_test(a_dump_that_ends_in_an_error_has_failed),
		cmocka_unit_test(a_family_that_the_kernel_does_not_have_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
