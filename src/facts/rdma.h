/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the two halves of the RDMA facts share, the live one (nl_rdma.c) and that of a tree
 * (dump_rdma.c): adding within the capacities, and the queue pairs by which CM_IDs are judged.
 */
#pragma once

#include "base/err.h"
#include "model/topology.h"

#define RDMA_INDEX_UNKNOWN UINT32_MAX /* of a device that only sysfs shows */
#define RDMA_QPS_MAX (1 << 20)

/* One queue pair: its local number is unique on its device. */
struct rdma_qp {
	unsigned rdma_index;
	uint32_t lqpn;
	bool rts;
};

/* Beside topology.cm_id: what is needed until CM_IDs and queue pairs are joined. */
struct rdma_resources {
	uint32_t lqpn[TOPO_CM_IDS_MAX]; /* of the CM_ID with the same index, if it has one */
	struct rdma_qp *qp;
	size_t qps;
};

/* Each: 0, or -E2BIG or -ENOMEM with err filled. */
int rdma_add_link(struct topology *topo, const struct rdma_link *link, struct err *err) _must_check_;
int rdma_add_cm_id(struct topology *topo, struct rdma_resources *resources, const struct cm_id *cm_id,
		   uint32_t lqpn, struct err *err) _must_check_;
int rdma_add_qp(struct rdma_resources *resources, const struct rdma_qp *qp, struct err *err) _must_check_;
