/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What every port is, and why. The role comes from the platform file alone; whether a
 * storage port can be used now comes from the machine.
 */
#pragma once

#include "model/platform.h"
#include "model/topology.h"

enum unusable {
	USABLE,
	UNUSABLE_NOT_STORAGE,
	UNUSABLE_WRONG_ID, /* vendor or device id is not the platform's */
	UNUSABLE_NO_NETDEV,
	UNUSABLE_NO_RDMA,   /* no RDMA device */
	UNUSABLE_LINK_DOWN, /* netdev down or without carrier */
	UNUSABLE_RDMA_DOWN, /* RDMA port not active */
	UNUSABLE_NO_ADDRESS,
	UNUSABLE_CROSS_CARD_LAG, /* member of a bond over two cards that is not active-backup */
	UNUSABLE_MIXED_BOND,	 /* member of a bond with a member that is not storage */
	UNUSABLE_COUNT,
};

struct port_class {
	enum role role;
	char reason[192];
	int slot, port; /* -1: none */
	enum unusable unusable;
	bool inband; /* the port, its bond or a VLAN above carries a default route */
};

enum roce_lag { ROCE_LAG_UNKNOWN, ROCE_LAG_ACTIVE, ROCE_LAG_POSSIBLE, ROCE_LAG_IMPOSSIBLE };

/* What a RoCE LAG needs (policy/bond_rules.c), in the order in which they are said. */
enum roce_rule {
	ROCE_RULE_PORTS, /* the members are PCI network functions */
	ROCE_RULE_ONE_CARD,
	ROCE_RULE_ALL_PORTS,
	ROCE_RULE_MODE,
	ROCE_RULE_ETHERNET,
	ROCE_RULE_NO_VFS,
	ROCE_RULE_LEGACY, /* no eswitch in switchdev mode */
};
#define ROCE_RULES 7

enum rule_state { RULE_MET, RULE_UNKNOWN, RULE_BROKEN }; /* in this order: the worst wins */

struct roce_rules {
	enum rule_state state[ROCE_RULES];
};

#define BONDS_MAX 64
#define BOND_MEMBERS_MAX 32

struct bond_class {		      /* of every bond with a port among its members */
	int netdev;		      /* index into netdevs */
	int member[BOND_MEMBERS_MAX]; /* indexes into ports, sorted by PCI address */
	unsigned members;
	unsigned foreign_members; /* members that are no PCI network functions */
	bool storage;		  /* all members are storage ports */
	bool one_card;
	bool acceptable; /* may carry a source address (DESIGN: Bonds and connect) */
	int carrier;	 /* the port whose RDMA device carries it now; -1: none */
	int active;	 /* the active member's port, of active-backup; -1 */
	enum roce_lag roce_lag;
	char reason[192];
	struct roce_rules rules;
	int64_t given_mbps, possible_mbps; /* bandwidth_of; -1: not of storage ports, or not known */
};

struct classification {
	bool known;				/* a platform matched */
	struct port_class port[TOPO_PORTS_MAX]; /* parallel to topology.port */
	struct bond_class bond[BONDS_MAX];	/* sorted by netdev name */
	unsigned bonds;
};

const char *unusable_name(enum unusable u); /* "link-down", ...; NULL for USABLE */
/* What is wrong and what to do, as half a sentence about the port. */
const char *unusable_advice(enum unusable u);
const char *roce_lag_name(enum roce_lag lag);
const char *roce_rule_name(enum roce_rule rule);    /* "one-card" */
const char *rule_state_name(enum rule_state state); /* "met", "broken", "unknown" */
