/* SPDX-License-Identifier: GPL-2.0-or-later */
/* RTM_GETROUTE by hand: libnl's rtnl_route_lookup takes neither source nor interface. */
#include "facts/nl_route.h"

#include <errno.h>
#include <netlink/attr.h>
#include <netlink/msg.h>
#include <string.h>

#include "facts/nl_conn.h"

struct nl_route {
	struct nl_conn conn;
};

static bool is_down(unsigned flags)
{
	return flags & (RTNH_F_DEAD | RTNH_F_LINKDOWN);
}

bool nl_route_parse(struct nlmsghdr *hdr, struct nl_route_msg *ret)
{
	struct nlattr *tb[RTA_VIA + 1];
	uint32_t ifindex;

	if (hdr->nlmsg_type != RTM_NEWROUTE || nlmsg_parse(hdr, sizeof(struct rtmsg), tb, RTA_VIA, NULL) < 0)
		return false;
	*ret = (struct nl_route_msg){ 0 };
	memcpy(&ret->rtm, nlmsg_data(hdr), sizeof(ret->rtm));
	if (tb[RTA_PREFSRC] &&
	    ip_from_bytes(nla_data(tb[RTA_PREFSRC]), (size_t)nla_len(tb[RTA_PREFSRC]), &ret->prefsrc) < 0)
		return false;
	if (tb[RTA_MULTIPATH]) {
		ret->several = nla_data(tb[RTA_MULTIPATH]);
		ret->several_length = (size_t)nla_len(tb[RTA_MULTIPATH]);
	} else if (nlc_u32(tb[RTA_OIF], &ifindex)) {
		ret->has_single = true;
		ret->single.ifindex = (int)ifindex;
		ret->single.gateway = tb[RTA_GATEWAY] || tb[RTA_VIA];
		ret->single.down = is_down(ret->rtm.rtm_flags);
	}
	return true;
}

/* RTA_MULTIPATH is a row of struct rtnexthop, each followed by its own attributes. */
static bool next_of_several(struct nl_route_msg *msg, struct nl_hop *ret)
{
	struct nlattr *tb[RTA_VIA + 1] = { NULL };
	struct rtnexthop nh;
	size_t length;

	if (msg->several_length < sizeof(nh))
		return false;
	memcpy(&nh, msg->several, sizeof(nh));
	if (nh.rtnh_len < sizeof(nh) || nh.rtnh_len > msg->several_length)
		return false;
	length = nh.rtnh_len - sizeof(nh);
	if (length > 0 && nla_parse(tb, RTA_VIA, (struct nlattr *)(uintptr_t)(msg->several + sizeof(nh)),
				    (int)length, NULL) < 0)
		return false;
	ret->ifindex = nh.rtnh_ifindex;
	ret->gateway = tb[RTA_GATEWAY] || tb[RTA_VIA];
	ret->down = is_down(nh.rtnh_flags);
	length = RTNH_ALIGN(nh.rtnh_len);
	msg->several_length -= length < msg->several_length ? length : msg->several_length;
	msg->several += length;
	return true;
}

bool nl_route_next(struct nl_route_msg *msg, struct nl_hop *ret)
{
	if (msg->several)
		return next_of_several(msg, ret);
	*ret = msg->single;
	if (!msg->has_single)
		return false;
	msg->has_single = false;
	return true;
}

int nl_route_open(struct nl_route **ret, struct err *err)
{
	struct nl_route *nl = calloc(1, sizeof(*nl));
	int r = nl ? nlc_open(&nl->conn, NETLINK_ROUTE) : -ENOMEM;

	if (r < 0) {
		free(nl);
		return err_set(err, XC_ENVIRONMENT, r, "routes", "the kernel cannot be asked for routes: %s",
			       strerror(-r));
	}
	*ret = nl;
	return 0;
}

void nl_route_close(struct nl_route *nl)
{
	if (!nl)
		return;
	nlc_close(&nl->conn);
	free(nl);
}

static struct nl_msg *question(const struct ip *src, const struct ip *dst, int oif)
{
	size_t size = dst->family == 4 ? 4 : 16;
	struct rtmsg rtm = {
		.rtm_family = dst->family == 4 ? AF_INET : AF_INET6,
		.rtm_dst_len = (unsigned char)(size * 8),
		.rtm_src_len = (unsigned char)(src ? size * 8 : 0),
	};
	struct nl_msg *msg;
	int r;

	/*
	 * IPv4 with an interface "assumes on link" where there is no route; RTM_F_FIB_MATCH asks for the
	 * entry itself (ip_route_output_key_hash_rcu, inet_rtm_getroute). IPv6 does not assume, but takes the
	 * interface for a preference if a source is given; only without the flag does it tell which it took.
	 */
	if (dst->family == 4 && src && oif > 0)
		rtm.rtm_flags = RTM_F_FIB_MATCH;
	msg = nlc_request(RTM_GETROUTE, 0, &rtm, sizeof(rtm));
	if (!msg)
		return NULL;
	r = nlc_put(msg, RTA_DST, dst->bytes, size);
	if (r == 0 && src)
		r = nlc_put(msg, RTA_SRC, src->bytes, size);
	if (r == 0 && oif > 0)
		r = nlc_put_u32(msg, RTA_OIF, (uint32_t)oif);
	/* The kernel's own connections are user 0's, for rules that look at the user (fib_rule_match). */
	if (r == 0)
		r = nlc_put_u32(msg, RTA_UID, 0);
	if (r < 0) {
		nlmsg_free(msg);
		return NULL;
	}
	return msg;
}

struct answer_reader {
	int oif; /* wanted; 0: any */
	struct route_answer *ret;
};

static int take_answer(struct nlmsghdr *hdr, void *arg)
{
	struct answer_reader *reader = arg;
	struct nl_route_msg msg;
	struct nl_hop hop;

	if (!nl_route_parse(hdr, &msg))
		return -EPROTO;
	reader->ret->answer = ANSWER_NO;
	if (msg.rtm.rtm_type != RTN_UNICAST)
		return 0;
	while (nl_route_next(&msg, &hop)) {
		if (hop.ifindex <= 0 || hop.down || (reader->oif > 0 && hop.ifindex != reader->oif))
			continue;
		*reader->ret = (struct route_answer){
			.answer = ANSWER_YES,
			.oif = hop.ifindex,
			.onlink = !hop.gateway,
			.prefsrc = msg.prefsrc,
		};
		return 0;
	}
	return 0;
}

/* Errors that are an answer: no route, or one that rejects (fib_props), or an interface or source that is
 * gone. */
static bool is_no(int error)
{
	switch (error) {
	case -ENETUNREACH:
	case -EHOSTUNREACH:
	case -EACCES:
	case -EINVAL:
	case -EADDRNOTAVAIL:
	case -ENODEV:
	case -ENETDOWN:
		return true;
	default:
		return false;
	}
}

int nl_route_ask(struct nl_route *nl, const struct ip *src, const struct ip *dst, int oif,
		 struct route_answer *ret)
{
	struct answer_reader reader = { .oif = oif, .ret = ret };
	int r;

	*ret = (struct route_answer){ .answer = ANSWER_UNKNOWN };
	if (dst->family == 0 || (src && src->family != dst->family)) {
		ret->answer = ANSWER_NO;
		return 0;
	}
	r = nlc_ask(&nl->conn, question(src, dst, oif), take_answer, &reader);
	if (!is_no(r))
		return r;
	*ret = (struct route_answer){ .answer = ANSWER_NO };
	return 0;
}
