/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a bond and its members say of themselves, beside mode and active member, and who else configures an
 * interface. -1, an empty string or UNKNOWN: it could not be read, or there is no such thing in this mode.
 */
#pragma once

#include "base/mem.h"

#define BOND_MAC_SIZE 18
#define MANAGED_FILE_SIZE 256

enum bond_hash { /* the kernel's numbers, BOND_XMIT_POLICY_... of if_bonding.h */
		 BOND_HASH_LAYER2,
		 BOND_HASH_LAYER34,
		 BOND_HASH_LAYER23,
		 BOND_HASH_ENCAP23,
		 BOND_HASH_ENCAP34,
		 BOND_HASH_VLAN_SRCMAC,
		 BOND_HASH_UNKNOWN,
};

enum bond_mii { /* of a member; the kernel's numbers, BOND_LINK_... of if_bonding.h */
		BOND_MII_UP,
		BOND_MII_GOING_DOWN,
		BOND_MII_DOWN,
		BOND_MII_GOING_BACK,
		BOND_MII_UNKNOWN,
};

/* Bits of a port's state in 802.3ad (LACP_STATE_... of if_bonding.h). */
#define LACP_IN_SYNC 0x08
#define LACP_COLLECTING 0x10
#define LACP_DISTRIBUTING 0x20

struct bond_info {  /* of a bond */
	int miimon; /* ms; 0: links are not watched this way */
	enum bond_hash hash;
	int lacp_rate;			 /* 0: slow, 1: fast; said in every mode, used in 802.3ad */
	int aggregator;			 /* the active one, of 802.3ad; -1: none */
	int aggregator_ports;		 /* members in it */
	char partner_mac[BOND_MAC_SIZE]; /* zero: no partner answers */
};

struct member_info {  /* of a member of a bond */
	int active;   /* 1: it may send; 0: it is a backup */
	int failures; /* of its link, since it is a member */
	enum bond_mii mii;
	int aggregator;	   /* 802.3ad */
	int actor_state;   /* LACP_... */
	int partner_state; /* LACP_... */
};

/* Who undoes what this program does to an interface. */
enum manager { MANAGER_UNKNOWN, MANAGER_NONE, MANAGER_NETWORKD, MANAGER_NETWORKMANAGER };

struct managed {
	enum manager by;
	char file[MANAGED_FILE_SIZE]; /* networkd's .network file; empty: it names none */
};

void bond_info_unknown(struct bond_info *ret);
void member_info_unknown(struct member_info *ret);

/* Words as iproute2 has them ("layer3+4", "GOING_DOWN"); NULL for unknown. */
const char *bond_hash_name(enum bond_hash hash);
enum bond_hash bond_hash_parse(const char *text); /* NULL is unknown */
const char *bond_mii_name(enum bond_mii mii);	  /* in lower case, for people: "going down" */
enum bond_mii bond_mii_parse(const char *text);
const char *manager_name(enum manager manager); /* "systemd-networkd"; NULL: none, unknown */

/* A partner has answered on this link and takes part: both ends are in sync, collect and distribute. */
bool member_has_partner(const struct member_info *member);
/* An answer came at all. False for an empty address as well, which is unknown. */
bool bond_has_partner(const struct bond_info *bond);
