/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bond_fill_info and bond_fill_slave_info of the kernel's bond_netlink.c. Aggregator and partner are only
 * there while an aggregator is active, the states of LACP only in 802.3ad.
 */
#include "facts/nl_bond.h"

#include <limits.h>
#include <linux/if_link.h>
#include <linux/netlink.h>
#include <netlink/attr.h>

#include "facts/nl_conn.h"

static int read_u8(const struct nlattr *attr)
{
	uint8_t value;

	return nlc_u8(attr, &value) ? value : -1;
}

static int read_u16(const struct nlattr *attr)
{
	return attr && nla_len(attr) >= (int)sizeof(uint16_t) ? nla_get_u16(attr) : -1;
}

/* -1 also for what is larger than an int. */
static int read_u32(const struct nlattr *attr)
{
	uint32_t value;

	return nlc_u32(attr, &value) && value <= INT_MAX ? (int)value : -1;
}

static void read_aggregator(struct nlattr *info, struct bond_info *ret)
{
	struct nlattr *tb[IFLA_BOND_AD_INFO_MAX + 1];
	const unsigned char *mac;

	if (!info || nla_parse_nested(tb, IFLA_BOND_AD_INFO_MAX, info, NULL) < 0)
		return;
	ret->aggregator = read_u16(tb[IFLA_BOND_AD_INFO_AGGREGATOR]);
	ret->aggregator_ports = read_u16(tb[IFLA_BOND_AD_INFO_NUM_PORTS]);
	if (!tb[IFLA_BOND_AD_INFO_PARTNER_MAC] || nla_len(tb[IFLA_BOND_AD_INFO_PARTNER_MAC]) != 6)
		return;
	mac = nla_data(tb[IFLA_BOND_AD_INFO_PARTNER_MAC]);
	str_format(ret->partner_mac, sizeof(ret->partner_mac), "%02x:%02x:%02x:%02x:%02x:%02x", mac[0],
		   mac[1], mac[2], mac[3], mac[4], mac[5]);
}

void nl_read_bond(struct nlattr *data, struct netdev *ret)
{
	struct nlattr *tb[IFLA_BOND_AD_INFO + 1];
	int mode, hash, active;

	if (!data || nla_parse_nested(tb, IFLA_BOND_AD_INFO, data, NULL) < 0)
		return;
	mode = read_u8(tb[IFLA_BOND_MODE]);
	if (mode >= 0 && mode < BOND_UNKNOWN)
		ret->bond_mode = (enum bond_mode)mode;
	active = read_u32(tb[IFLA_BOND_ACTIVE_SLAVE]);
	ret->active_ifindex = active > 0 ? active : 0;
	ret->bond.miimon = read_u32(tb[IFLA_BOND_MIIMON]);
	hash = read_u8(tb[IFLA_BOND_XMIT_HASH_POLICY]);
	if (hash >= 0 && hash < BOND_HASH_UNKNOWN)
		ret->bond.hash = (enum bond_hash)hash;
	ret->bond.lacp_rate = read_u8(tb[IFLA_BOND_AD_LACP_RATE]);
	if (ret->bond.lacp_rate > 1)
		ret->bond.lacp_rate = -1;
	read_aggregator(tb[IFLA_BOND_AD_INFO], &ret->bond);
}

void nl_read_member(struct nlattr *data, struct netdev *ret)
{
	struct nlattr *tb[IFLA_BOND_SLAVE_AD_PARTNER_OPER_PORT_STATE + 1];
	int state, mii;

	if (!data || nla_parse_nested(tb, IFLA_BOND_SLAVE_AD_PARTNER_OPER_PORT_STATE, data, NULL) < 0)
		return;
	state = read_u8(tb[IFLA_BOND_SLAVE_STATE]);
	if (state == 0 || state == 1) /* BOND_STATE_ACTIVE, BOND_STATE_BACKUP */
		ret->member.active = !state;
	mii = read_u8(tb[IFLA_BOND_SLAVE_MII_STATUS]);
	if (mii >= 0 && mii < BOND_MII_UNKNOWN)
		ret->member.mii = (enum bond_mii)mii;
	ret->member.failures = read_u32(tb[IFLA_BOND_SLAVE_LINK_FAILURE_COUNT]);
	ret->member.aggregator = read_u16(tb[IFLA_BOND_SLAVE_AD_AGGREGATOR_ID]);
	ret->member.actor_state = read_u8(tb[IFLA_BOND_SLAVE_AD_ACTOR_OPER_PORT_STATE]);
	ret->member.partner_state = read_u16(tb[IFLA_BOND_SLAVE_AD_PARTNER_OPER_PORT_STATE]);
}
