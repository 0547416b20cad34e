/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The words for what bonds say. */
#include "model/bond.h"

#include <string.h>

void bond_info_unknown(struct bond_info *ret)
{
	*ret = (struct bond_info){
		.miimon = -1,
		.hash = BOND_HASH_UNKNOWN,
		.lacp_rate = -1,
		.aggregator = -1,
		.aggregator_ports = -1,
	};
}

void member_info_unknown(struct member_info *ret)
{
	*ret = (struct member_info){
		.active = -1,
		.failures = -1,
		.mii = BOND_MII_UNKNOWN,
		.aggregator = -1,
		.actor_state = -1,
		.partner_state = -1,
	};
}

const char *bond_hash_name(enum bond_hash hash)
{
	switch (hash) {
	case BOND_HASH_LAYER2:
		return "layer2";
	case BOND_HASH_LAYER34:
		return "layer3+4";
	case BOND_HASH_LAYER23:
		return "layer2+3";
	case BOND_HASH_ENCAP23:
		return "encap2+3";
	case BOND_HASH_ENCAP34:
		return "encap3+4";
	case BOND_HASH_VLAN_SRCMAC:
		return "vlan+srcmac";
	case BOND_HASH_UNKNOWN:
		break;
	}
	return NULL;
}

enum bond_hash bond_hash_parse(const char *text)
{
	for (int hash = 0; text && hash < BOND_HASH_UNKNOWN; hash++) {
		if (strcmp(text, bond_hash_name((enum bond_hash)hash)) == 0)
			return (enum bond_hash)hash;
	}
	return BOND_HASH_UNKNOWN;
}

const char *bond_mii_name(enum bond_mii mii)
{
	switch (mii) {
	case BOND_MII_UP:
		return "up";
	case BOND_MII_GOING_DOWN:
		return "going down";
	case BOND_MII_DOWN:
		return "down";
	case BOND_MII_GOING_BACK:
		return "going back";
	case BOND_MII_UNKNOWN:
		break;
	}
	return NULL;
}

enum bond_mii bond_mii_parse(const char *text)
{
	static const char *const words[] = { "UP", "GOING_DOWN", "DOWN", "GOING_BACK" };

	for (int mii = 0; text && mii < BOND_MII_UNKNOWN; mii++) {
		if (strcmp(text, words[mii]) == 0)
			return (enum bond_mii)mii;
	}
	return BOND_MII_UNKNOWN;
}

const char *manager_name(enum manager manager)
{
	switch (manager) {
	case MANAGER_NETWORKD:
		return "systemd-networkd";
	case MANAGER_NETWORKMANAGER:
		return "NetworkManager";
	case MANAGER_NONE:
	case MANAGER_UNKNOWN:
		break;
	}
	return NULL;
}

bool member_has_partner(const struct member_info *member)
{
	const int both = LACP_IN_SYNC | LACP_COLLECTING | LACP_DISTRIBUTING;

	return member->actor_state >= 0 && (member->actor_state & both) == both &&
	       member->partner_state >= 0 && (member->partner_state & both) == both;
}

bool bond_has_partner(const struct bond_info *bond)
{
	return bond->partner_mac[strspn(bond->partner_mac, "0:")] != '\0';
}
