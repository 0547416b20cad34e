/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * RTM_GETLINK, RTM_GETADDR and RTM_GETROUTE. The attributes are taken apart here: libnl-route 3.7
 * knows neither permanent addresses nor alternative names nor what a bond says of itself.
 */
#include "facts/nl_net.h"

#include <errno.h>
#include <limits.h>
#include <linux/if_addr.h>
#include <linux/if_arp.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <netlink/attr.h>
#include <netlink/msg.h>
#include <stdio.h>
#include <string.h>

#include "facts/net.h"
#include "facts/nl_bond.h"
#include "facts/nl_conn.h"
#include "facts/nl_route.h"

/* Lower case with colons; longer addresses than IPoIB's 20 bytes stay unknown. */
static void read_mac(const struct nlattr *attr, char *ret, size_t size)
{
	const unsigned char *bytes = attr ? nla_data(attr) : NULL;
	size_t length = attr ? (size_t)nla_len(attr) : 0;

	ret[0] = '\0';
	if (length * 3 > size)
		return;
	for (size_t i = 0; i < length; i++)
		snprintf(ret + i * 3, size - i * 3, i + 1 < length ? "%02x:" : "%02x", bytes[i]);
}

static int read_ifindex(const struct nlattr *attr)
{
	uint32_t value;

	return nlc_u32(attr, &value) && value <= INT_MAX ? (int)value : 0;
}

/* Kind, and what hangs on it. */
static void read_kind(struct nlattr *const *tb, struct netdev *ret)
{
	struct nlattr *info[IFLA_INFO_SLAVE_DATA + 1] = { NULL };
	int lower = read_ifindex(tb[IFLA_LINK]);
	const char *member;

	if (tb[IFLA_LINKINFO] && nla_parse_nested(info, IFLA_INFO_SLAVE_DATA, tb[IFLA_LINKINFO], NULL) < 0)
		memset(info, 0, sizeof(info));
	ret->kind = net_kind_of(nlc_text(info[IFLA_INFO_KIND]), lower > 0, nlc_text(tb[IFLA_PHYS_PORT_NAME]));
	ret->bond_mode = BOND_UNKNOWN;
	bond_info_unknown(&ret->bond);
	member_info_unknown(&ret->member);
	if (ret->kind == NET_BOND)
		nl_read_bond(info[IFLA_INFO_DATA], ret);
	member = nlc_text(info[IFLA_INFO_SLAVE_KIND]);
	if (member && strcmp(member, "bond") == 0)
		nl_read_member(info[IFLA_INFO_SLAVE_DATA], ret);
	/* With a namespace id the index is one of that namespace. */
	if (ret->kind == NET_VLAN && !tb[IFLA_LINK_NETNSID])
		ret->lower_ifindex = lower;
}

static int read_altnames(const struct nlattr *list, struct netdev *netdev, struct nl_net_reader *reader)
{
	struct nlattr *pos;
	int rest, r = 0;

	if (!list)
		return 0;
	nla_for_each_nested(pos, list, rest)
	{
		const char *name = nlc_text(pos);

		if (nla_type(pos) != IFLA_ALT_IFNAME)
			continue;
		r = net_add_altname(netdev, name ? name : "", reader->findings, reader->err);
		if (r < 0)
			break;
	}
	return r;
}

int nl_take_link(struct nlmsghdr *hdr, void *arg)
{
	struct nl_net_reader *reader = arg;
	struct nlattr *tb[IFLA_PERM_ADDRESS + 1];
	struct netdev netdev = { 0 };
	struct ifinfomsg ifi;
	uint32_t mtu = 0;
	const char *name;
	int r;

	if (hdr->nlmsg_type != RTM_NEWLINK)
		return 0;
	if (nlmsg_parse(hdr, sizeof(ifi), tb, IFLA_PERM_ADDRESS, NULL) < 0) {
		reader->odd++;
		return 0;
	}
	memcpy(&ifi, nlmsg_data(hdr), sizeof(ifi));
	name = nlc_text(tb[IFLA_IFNAME]);
	if (!name || ifi.ifi_index <= 0 || !net_name_ok(name) ||
	    str_copy(netdev.name, sizeof(netdev.name), name) < 0) {
		reader->odd++;
		return 0;
	}
	netdev.ifindex = ifi.ifi_index;
	netdev.infiniband = ifi.ifi_type == ARPHRD_INFINIBAND;
	netdev.loopback = ifi.ifi_flags & IFF_LOOPBACK;
	netdev.up = ifi.ifi_flags & IFF_UP;
	netdev.carrier = ifi.ifi_flags & IFF_LOWER_UP;
	netdev.mtu = nlc_u32(tb[IFLA_MTU], &mtu) && mtu <= INT_MAX ? (int)mtu : -1;
	netdev.master_ifindex = read_ifindex(tb[IFLA_MASTER]);
	read_mac(tb[IFLA_ADDRESS], netdev.mac, sizeof(netdev.mac));
	read_mac(tb[IFLA_PERM_ADDRESS], netdev.perm_mac, sizeof(netdev.perm_mac));
	read_kind(tb, &netdev);
	r = read_altnames(tb[IFLA_PROP_LIST], &netdev, reader);
	return r < 0 ? r : net_add(reader->topo, &netdev, reader->err);
}

int nl_take_addr(struct nlmsghdr *hdr, void *arg)
{
	struct nl_net_reader *reader = arg;
	struct nlattr *tb[IFA_FLAGS + 1], *attr;
	struct netaddr addr = { 0 };
	struct ifaddrmsg ifa;
	uint32_t flags;

	if (hdr->nlmsg_type != RTM_NEWADDR)
		return 0;
	if (nlmsg_parse(hdr, sizeof(ifa), tb, IFA_FLAGS, NULL) < 0) {
		reader->odd++;
		return 0;
	}
	memcpy(&ifa, nlmsg_data(hdr), sizeof(ifa));
	if (ifa.ifa_family != AF_INET && ifa.ifa_family != AF_INET6)
		return 0;
	/* With a peer IFA_ADDRESS is the peer's (if_addr.h). */
	attr = tb[IFA_LOCAL] ? tb[IFA_LOCAL] : tb[IFA_ADDRESS];
	if (!attr || ip_from_bytes(nla_data(attr), (size_t)nla_len(attr), &addr.ip) < 0 ||
	    addr.ip.family != (ifa.ifa_family == AF_INET ? 4 : 6) || ifa.ifa_index > INT_MAX) {
		reader->odd++;
		return 0;
	}
	if (!nlc_u32(tb[IFA_FLAGS], &flags))
		flags = ifa.ifa_flags;
	addr.ifindex = (int)ifa.ifa_index;
	addr.prefixlen = ifa.ifa_prefixlen;
	addr.usable = !(flags & (IFA_F_TENTATIVE | IFA_F_DADFAILED | IFA_F_DEPRECATED));
	/*
	 * A temporary IPv6 address (RFC 8981) is replaced within days and goes: a connection must not hang
	 * on it. The flag is IFA_F_SECONDARY for IPv4, which says nothing of the kind.
	 */
	if (addr.ip.family == 6 && flags & IFA_F_TEMPORARY)
		addr.usable = false;
	return net_add_addr(reader->topo, &addr, reader->err);
}

/* Of the whole table only the default routes are kept. */
int nl_take_default(struct nlmsghdr *hdr, void *arg)
{
	struct nl_net_reader *reader = arg;
	struct nl_route_msg msg;
	struct nl_hop hop;
	bool any = false;

	if (!nl_route_parse(hdr, &msg)) {
		reader->odd += hdr->nlmsg_type == RTM_NEWROUTE;
		return 0;
	}
	if (msg.rtm.rtm_dst_len != 0 || msg.rtm.rtm_type != RTN_UNICAST || msg.rtm.rtm_flags & RTM_F_CLONED ||
	    (msg.rtm.rtm_family != AF_INET && msg.rtm.rtm_family != AF_INET6))
		return 0;
	while (nl_route_next(&msg, &hop)) {
		int r;

		if (hop.ifindex <= 0)
			continue;
		any = true;
		r = net_add_default(reader->topo, msg.rtm.rtm_family == AF_INET ? 4 : 6, hop.ifindex,
				    reader->err);
		if (r < 0)
			return r;
	}
	/* With net.ipv4.nexthop_compat_mode off, a route over a nexthop object names no interface. */
	reader->odd += !any;
	return 0;
}

static struct nl_msg *request_links(void)
{
	const struct ifinfomsg ifi = { .ifi_family = AF_UNSPEC };
	struct nl_msg *msg = nlc_request(RTM_GETLINK, NLM_F_DUMP, &ifi, sizeof(ifi));

	if (msg && nlc_put_u32(msg, IFLA_EXT_MASK, RTEXT_FILTER_SKIP_STATS) < 0) {
		nlmsg_free(msg);
		return NULL;
	}
	return msg;
}

static struct nl_msg *request_addrs(void)
{
	const struct ifaddrmsg ifa = { .ifa_family = AF_UNSPEC };

	return nlc_request(RTM_GETADDR, NLM_F_DUMP, &ifa, sizeof(ifa));
}

static struct nl_msg *request_routes4(void)
{
	const struct rtmsg rtm = { .rtm_family = AF_INET };

	return nlc_request(RTM_GETROUTE, NLM_F_DUMP, &rtm, sizeof(rtm));
}

static struct nl_msg *request_routes6(void)
{
	const struct rtmsg rtm = { .rtm_family = AF_INET6 };

	return nlc_request(RTM_GETROUTE, NLM_F_DUMP, &rtm, sizeof(rtm));
}

/* count is what the dump adds to: a dump that is begun again starts where the first one did. */
static int dump(struct nl_conn *conn, struct nl_msg *(*request)(void), nlc_take take, const char *what,
		struct nl_net_reader *reader, unsigned *count)
{
	unsigned first = *count;
	int r = -EAGAIN;

	for (int attempt = 0; r == -EAGAIN && attempt < NLC_ATTEMPTS; attempt++) {
		*count = first;
		reader->odd = 0;
		r = nlc_ask(conn, request(), take, reader);
	}
	if (r == -EAGAIN) {
		finding_add(reader->findings, FINDING_UNKNOWN, "facts.readable", what, NULL,
			    "the %s changed during each of %d readings: some may be missing here", what,
			    NLC_ATTEMPTS);
		r = 0;
	}
	if (r == 0 && reader->odd > 0)
		finding_add(reader->findings, FINDING_UNKNOWN, "facts.readable", what, NULL,
			    "%u of the %s that the kernel named were not understood", reader->odd, what);
	if (r < 0) /* a capacity has its own error already */
		err_set(reader->err, XC_ENVIRONMENT, r, what, "the %s of this machine cannot be read: %s",
			what, strerror(-r));
	return r;
}

int nl_read_net(struct topology *topo, struct findings *findings, struct err *err)
{
	struct nl_net_reader reader = { .topo = topo, .findings = findings, .err = err };
	_cleanup_nlc_ struct nl_conn conn = { 0 };
	int r = nlc_open(&conn, NETLINK_ROUTE);

	if (r < 0)
		return err_set(err, XC_ENVIRONMENT, r, "network", "network interfaces cannot be read: %s",
			       strerror(-r));
	r = dump(&conn, request_links, nl_take_link, "network interfaces", &reader, &topo->netdevs);
	if (r == 0)
		r = dump(&conn, request_addrs, nl_take_addr, "addresses", &reader, &topo->addrs);
	if (r == 0)
		r = dump(&conn, request_routes4, nl_take_default, "default routes", &reader,
			 &topo->default_routes);
	if (r == 0)
		r = dump(&conn, request_routes6, nl_take_default, "default IPv6 routes", &reader,
			 &topo->default_routes);
	return r;
}
