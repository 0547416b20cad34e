/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What ports, interfaces and the host are set to, as only verify wants to know it: read after struct
 * topology, parallel to its arrays, -1 (or empty, or UNKNOWN) for what could not be read. One calloc holds
 * it.
 */
#pragma once

#include "model/plan.h"
#include "model/topology.h"

#define GIDS_MAX 16384
#define LLDP_ID_SIZE 128
#define SETTING_WHY_SIZE 128

enum trust { TRUST_UNKNOWN, TRUST_PCP, TRUST_DSCP };

/* Of a storage port; of any other only lldp and chassis, of compute ports. */
struct port_settings {
	int pcie_width, pcie_width_max; /* lanes */
	int pcie_mtps, pcie_mtps_max;	/* "32.0 GT/s PCIe" is 32000 */
	int pfc;			/* bit i: PFC is on for priority i (DCB netlink) */
	enum trust trust;		/* DSCP entries in the APP table: dscp; an APP table without: pcp */
	char dcb_why[SETTING_WHY_SIZE]; /* why pfc or trust is unknown: "the driver offers no DCB" */
	int pause_rx, pause_tx;		/* 0, 1 (ETHTOOL_MSG_PAUSE_GET) */
	char pause_why[SETTING_WHY_SIZE];
	int roce_tos; /* rdma_cm's default_roce_tos of the port's RDMA device */
	char roce_tos_why[SETTING_WHY_SIZE];
	enum read_state lldp;	    /* READ_NOT_THERE: nobody reads LLDP here, or this build cannot ask it */
	char chassis[LLDP_ID_SIZE]; /* of its neighbour, "mac 02:00:5e:00:00:01"; empty with READ_OK: none */
	char lldp_why[SETTING_WHY_SIZE];
};

/* Effective values: the larger of "all" and the interface's (inetdevice.h, IN_DEV_MAXCONF). */
struct netdev_settings {
	int arp_ignore, arp_announce, rp_filter;
};

/* An entry of a GID table that has an address. An IPv4-mapped one is the IPv4 address. */
struct gid {
	unsigned rdma; /* index into rdma_links */
	unsigned index;
	struct ip ip;
	bool roce_v2;
	int ifindex; /* of the interface that it is of; 0: unknown */
};

/* A controller's way: from its source, as plain routing would go, and through its interface. */
struct path_route {
	struct route_answer plain; /* with the source, without oif */
	struct route_answer bound; /* with both */
};

struct settings {
	struct port_settings port[TOPO_PORTS_MAX];
	struct netdev_settings netdev[TOPO_NETDEVS_MAX];
	struct gid gid[GIDS_MAX]; /* sorted by (rdma, index) */
	unsigned gids;
	/* Of the RDMA link of the same index. READ_NOT_THERE: not asked for, or gone; READ_FAILED: gid lacks
	 * some. */
	enum read_state gids_read[TOPO_RDMA_MAX];
	struct path_route route[PATHS_MAX]; /* parallel to plan.path */

	/* nvmf-autoconnect.service connects over whatever port a route leads through. */
	enum read_state autoconnect; /* READ_OK: it is enabled; READ_NOT_THERE: it is not */
	char autoconnect_config[64]; /* the configuration that it would read; empty: none */

	char product_uuid[UUID_SIZE]; /* of DMI; empty: not readable (root only) */
	char hostnqn[NQN_SIZE];	      /* /etc/nvme/hostnqn; empty: none */
	char hostid[UUID_SIZE];	      /* /etc/nvme/hostid; empty: none */
};
