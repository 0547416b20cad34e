/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is asked for: portals, subsystems, the source, the host's identity, and the
 * options of a connection, merged from command line and config file.
 */
#pragma once

#include "base/inet.h"
#include "base/parse.h"
#include "base/pci.h"

#define REQUEST_PORTALS_MAX 1024
#define REQUEST_PORTS_MAX 64

#define CORES_PER_PORT_MAX 64

enum request_irqbalance { REQUEST_BAN, REQUEST_IGNORE, REQUEST_REFUSE }; /* what to do with it if it runs */

#define CONNECT_UNSET (-1)
struct connect_opts {
	int nr_io_queues;    /* 1..65535 */
	int queue_size;	     /* 16..1024 */
	int keep_alive_tmo;  /* seconds */
	int reconnect_delay; /* seconds */
	int ctrl_loss_tmo;   /* seconds; -1 in the kernel means forever, here 0..: see ctrl_loss_forever */
	bool ctrl_loss_forever;
	int tos; /* 0..255; CONNECT_UNSET: not given to the kernel */
};

struct portal {
	char nqn[NQN_SIZE];
	struct ip traddr;
	char trsvcid[SVCID_SIZE];
};

struct request {
	struct portal portal[REQUEST_PORTALS_MAX];
	unsigned portals;
	char host_traddr[128]; /* -w as given: an address or a port's name; empty: any storage port */
	char port_name[REQUEST_PORTS_MAX][128]; /* "ports" of the config: only these */
	unsigned port_names;
	char hostnqn[NQN_SIZE];
	char hostid[UUID_SIZE];
	struct connect_opts opts;
	int connect_timeout_s;
	unsigned cores_per_port; /* 1..CORES_PER_PORT_MAX */
	enum request_irqbalance irqbalance;
};
