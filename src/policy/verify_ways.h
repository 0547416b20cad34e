/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where the queue pairs of all controllers are, counted in one pass over the CM_IDs. */
#pragma once

#include "policy/verify_parts.h"

/* Between one source and one portal; or, of controllers without a source, from anywhere to one. */
struct way {
	struct ip src, dst;
	uint16_t port;
	bool has_src;
	unsigned ctrl;		     /* index into ctrls: the first one */
	unsigned storage, elsewhere; /* queue pairs, in any state */
	char device[RDMA_NAME_SIZE]; /* of the first one that is elsewhere */
	int on;			     /* its port, index into ports; -1: none is known */
};

struct way_device {
	bool storage;
	int port;	      /* index into ports; -1 */
	unsigned queue_pairs; /* of nvme_rdma, in any state, whatever their addresses */
};

struct ways {
	struct way way[TOPO_CTRLS_MAX]; /* sorted */
	unsigned count;
	struct way_device device[TOPO_RDMA_MAX]; /* of rdma_links; counted at a device's first one */
	unsigned unlisted;			 /* queue pairs on devices that are not in rdma_links */
	char unlisted_device[RDMA_NAME_SIZE];	 /* the first of these */
};

void ways_collect(const struct verify *v, struct ways *ret);
/* The way of a controller; NULL: its addresses are none. */
const struct way *ways_find(const struct ways *ways, const struct ctrl_id *id);
