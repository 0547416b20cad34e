/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Attributes as bond_netlink.c (bond_policy), rtnetlink.c (ifla_policy) and devinet.c read them. */
#include "apply/nl_bond.h"

#include <errno.h>
#include <linux/if_addr.h>
#include <linux/if_bonding.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <string.h>
#include <sys/socket.h>

static void begin(struct nl_bond_msg *msg, uint16_t type, uint16_t flags, const void *header, size_t size)
{
	const struct nlmsghdr hdr = { .nlmsg_type = type, .nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK | flags };

	memset(msg, 0, sizeof(*msg));
	memcpy(msg->data, &hdr, sizeof(hdr));
	memcpy(msg->data + NLMSG_HDRLEN, header, size);
	msg->length = (uint32_t)NLMSG_LENGTH(NLMSG_ALIGN(size));
}

/*
 * The largest message is that of a new bond, well below NL_BOND_SIZE: what would not fit is a mistake of this
 * file, and leaves the message empty, which end() refuses.
 */
static void put(struct nl_bond_msg *msg, uint16_t type, const void *value, size_t size)
{
	struct nlattr attr = { .nla_len = (uint16_t)(NLA_HDRLEN + size), .nla_type = type };

	if (msg->length == 0 || msg->length + NLA_HDRLEN + NLA_ALIGN(size) > sizeof(msg->data)) {
		msg->length = 0;
		return;
	}
	memcpy(msg->data + msg->length, &attr, sizeof(attr));
	if (size > 0)
		memcpy(msg->data + msg->length + NLA_HDRLEN, value, size);
	msg->length += (uint32_t)(NLA_HDRLEN + NLA_ALIGN(size));
}

static void put_u8(struct nl_bond_msg *msg, uint16_t type, uint8_t value)
{
	put(msg, type, &value, sizeof(value));
}

static void put_u32(struct nl_bond_msg *msg, uint16_t type, uint32_t value)
{
	put(msg, type, &value, sizeof(value));
}

static void put_text(struct nl_bond_msg *msg, uint16_t type, const char *text)
{
	put(msg, type, text, strlen(text) + 1);
}

/* Returns where the nest is, for nest_end(). */
static uint32_t nest_start(struct nl_bond_msg *msg, uint16_t type)
{
	uint32_t at = msg->length;

	put(msg, type | NLA_F_NESTED, NULL, 0);
	return at;
}

static void nest_end(struct nl_bond_msg *msg, uint32_t at)
{
	uint16_t length;

	if (msg->length == 0)
		return;
	length = (uint16_t)(msg->length - at);
	memcpy(msg->data + at, &length, sizeof(length)); /* nla_len is the first member */
}

static int end(struct nl_bond_msg *msg)
{
	if (msg->length == 0)
		return -EINVAL;
	memcpy(msg->data, &msg->length, sizeof(msg->length)); /* nlmsg_len is the first member */
	return 0;
}

static int refuse(struct nl_bond_msg *msg)
{
	memset(msg, 0, sizeof(*msg));
	return -EINVAL;
}

static void put_options(struct nl_bond_msg *msg, enum bond_mode mode)
{
	put_u8(msg, IFLA_BOND_MODE, (uint8_t)mode); /* first: lacp_rate is refused in any other mode */
	put_u32(msg, IFLA_BOND_MIIMON, BOND_MIIMON_MS);
	if (mode != BOND_ACTIVE_BACKUP)
		put_u8(msg, IFLA_BOND_XMIT_HASH_POLICY, BOND_XMIT_POLICY_LAYER34);
	if (mode == BOND_8023AD)
		put_u8(msg, IFLA_BOND_AD_LACP_RATE, 1);
}

static bool name_fits(const char *name)
{
	return name[0] != '\0' && strlen(name) < IFNAMSIZ && !strchr(name, '/') && !strchr(name, ':') &&
	       strcmp(name, ".") != 0 && strcmp(name, "..") != 0;
}

int nl_bond_create(struct nl_bond_msg *ret, const char *name, enum bond_mode mode, int mtu)
{
	const struct ifinfomsg ifi = { .ifi_family = AF_UNSPEC };
	uint32_t info, data;

	if (!name_fits(name) || mtu < BOND_MTU_MIN || mtu > BOND_MTU_MAX ||
	    (mode != BOND_ACTIVE_BACKUP && mode != BOND_BALANCE_XOR && mode != BOND_8023AD))
		return refuse(ret);
	begin(ret, RTM_NEWLINK, NLM_F_CREATE | NLM_F_EXCL, &ifi, sizeof(ifi));
	put_text(ret, IFLA_IFNAME, name);
	put_u32(ret, IFLA_MTU, (uint32_t)mtu);
	info = nest_start(ret, IFLA_LINKINFO);
	put_text(ret, IFLA_INFO_KIND, "bond");
	data = nest_start(ret, IFLA_INFO_DATA);
	put_options(ret, mode);
	nest_end(ret, data);
	nest_end(ret, info);
	return end(ret);
}

int nl_bond_delete(struct nl_bond_msg *ret, int ifindex)
{
	const struct ifinfomsg ifi = { .ifi_family = AF_UNSPEC, .ifi_index = ifindex };

	if (ifindex <= 0)
		return refuse(ret);
	begin(ret, RTM_DELLINK, 0, &ifi, sizeof(ifi));
	return end(ret);
}

int nl_link_set_up(struct nl_bond_msg *ret, int ifindex, bool up)
{
	const struct ifinfomsg ifi = {
		.ifi_family = AF_UNSPEC,
		.ifi_index = ifindex,
		.ifi_flags = up ? IFF_UP : 0,
		.ifi_change = IFF_UP,
	};

	if (ifindex <= 0)
		return refuse(ret);
	begin(ret, RTM_NEWLINK, 0, &ifi, sizeof(ifi));
	return end(ret);
}

static int set_u32(struct nl_bond_msg *ret, int ifindex, uint16_t type, uint32_t value)
{
	const struct ifinfomsg ifi = { .ifi_family = AF_UNSPEC, .ifi_index = ifindex };

	begin(ret, RTM_NEWLINK, 0, &ifi, sizeof(ifi));
	put_u32(ret, type, value);
	return end(ret);
}

int nl_link_set_mtu(struct nl_bond_msg *ret, int ifindex, int mtu)
{
	if (ifindex <= 0 || mtu < BOND_MTU_MIN || mtu > BOND_MTU_MAX)
		return refuse(ret);
	return set_u32(ret, ifindex, IFLA_MTU, (uint32_t)mtu);
}

int nl_link_set_master(struct nl_bond_msg *ret, int ifindex, int master)
{
	if (ifindex <= 0 || master < 0 || master == ifindex)
		return refuse(ret);
	return set_u32(ret, ifindex, IFLA_MASTER, (uint32_t)master);
}

static int change_addr(struct nl_bond_msg *ret, uint16_t type, uint16_t flags, int ifindex,
		       const struct bond_addr *addr)
{
	size_t size = addr->ip.family == 4 ? 4 : 16;
	const struct ifaddrmsg ifa = {
		.ifa_family = addr->ip.family == 4 ? AF_INET : AF_INET6,
		.ifa_prefixlen = (uint8_t)addr->prefixlen,
		.ifa_index = (uint32_t)ifindex,
	};

	if (ifindex <= 0 || (addr->ip.family != 4 && addr->ip.family != 6) || addr->prefixlen == 0 ||
	    addr->prefixlen > size * 8 || ip_is_special(&addr->ip))
		return refuse(ret);
	begin(ret, type, flags, &ifa, sizeof(ifa));
	put(ret, IFA_LOCAL, addr->ip.bytes, size);
	put(ret, IFA_ADDRESS, addr->ip.bytes, size);
	return end(ret);
}

int nl_addr_add(struct nl_bond_msg *ret, int ifindex, const struct bond_addr *addr)
{
	return change_addr(ret, RTM_NEWADDR, NLM_F_CREATE | NLM_F_EXCL, ifindex, addr);
}

int nl_addr_del(struct nl_bond_msg *ret, int ifindex, const struct bond_addr *addr)
{
	return change_addr(ret, RTM_DELADDR, 0, ifindex, addr);
}
