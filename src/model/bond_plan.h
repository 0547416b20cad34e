/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What "bond" is asked for, and what it would do: one bond, whole, or a refusal. Members are indexes into
 * topology.port, sorted, and so by PCI address.
 */
#pragma once

#include "model/classification.h"
#include "model/request.h"

#define BOND_ADDRS_MAX 16
#define BOND_MTU_MIN 68
#define BOND_MTU_MAX 65535
#define BOND_MIIMON_MS 100
#define BOND_NAME_ACROSS "storage-cards" /* of a bond across cards, which has no slot to be named after */

struct bond_addr {
	struct ip ip;
	unsigned prefixlen;
};

struct bond_request {
	char name[IFNAMSIZ]; /* empty: storage-slotN */
	int slot;	     /* --card; -1: ports are named */
	char port_name[BOND_MEMBERS_MAX][128];
	unsigned port_names;
	enum bond_mode mode; /* BOND_UNKNOWN: active-backup, which needs nothing of the switch */
	int mtu;	     /* -1: as the members have it */
	struct bond_addr address[BOND_ADDRS_MAX];
	unsigned addresses;
	bool drain, allow_inband, allow_cross_card;
	bool print; /* nothing is done: neither who configures the members nor controllers are in the way */
};

enum bond_refusal {
	BOND_NOT_REFUSED,
	BOND_REFUSED_PORTS, /* no such port, one named twice, too few */
	BOND_REFUSED_NOT_STORAGE,
	BOND_REFUSED_CROSS_CARD,
	BOND_REFUSED_LINK_LAYER, /* InfiniBand, or one Ethernet and one InfiniBand */
	BOND_REFUSED_MODE,
	BOND_REFUSED_NOT_WHOLE, /* not all ports of the card */
	BOND_REFUSED_VFS,
	BOND_REFUSED_SWITCHDEV,
	BOND_REFUSED_NAME,  /* no name of an interface, or another interface has it */
	BOND_REFUSED_TAKEN, /* a member is in a bridge, or in a bond with what is not storage */
	BOND_REFUSED_DRIFT, /* a bond over these ports is there, and is another one */
	BOND_REFUSED_ADDRESS,
	BOND_REFUSED_INBAND,
	BOND_REFUSED_MANAGED,
	BOND_REFUSED_FOREIGN, /* controllers of somebody else */
	BOND_REFUSED_LIVE,    /* controllers of ours, and no --drain */
	BOND_REFUSED_UNREAD,  /* whether there are any could not be read */
	BOND_REFUSAL_COUNT,
};

enum bond_action { BOND_WOULD_CREATE, BOND_KEPT, BOND_WOULD_CHANGE };

struct bond_plan {
	char name[IFNAMSIZ];
	enum bond_action action;
	int bond;	 /* the one that is there; index into classification.bond, -1: none */
	char drift[192]; /* how it differs; empty: not */
	enum bond_mode mode;
	int mtu;
	int member[BOND_MEMBERS_MAX];
	unsigned members;
	struct bond_addr address[BOND_ADDRS_MAX];
	bool there[BOND_ADDRS_MAX]; /* the bond has it already */
	unsigned addresses;
	unsigned drained;	/* controllers that have to go first: ours, all of them */
	enum roce_lag roce_lag; /* as it would be once the bond is up */
	char reason[192];
	enum bond_refusal refusal;
};

const char *bond_action_name(enum bond_action action);	  /* "would-create", "kept", "would-change" */
const char *bond_refusal_name(enum bond_refusal refusal); /* "not-storage", ...; NULL: none */
