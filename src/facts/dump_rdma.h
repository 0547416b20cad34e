/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The RDMA facts of a tree: netlink/rdma-link.json, rdma-cm-id.json and rdma-qp.json. */
#pragma once

#include "base/json.h"
#include "base/root.h"
#include "facts/rdma.h"
#include "model/finding.h"

/* *ret_told is false if the file is there and cannot be read. */
int dump_read_rdma(const struct root *root, struct topology *topo, bool *ret_told, struct findings *findings,
		   struct err *err) _must_check_;

/* Sets cm_ids_read and cm_ids_why as well. */
int dump_read_cm_ids(const struct root *root, struct topology *topo, struct rdma_resources *resources,
		     struct err *err) _must_check_;

/* Each takes the array of its file. Errors: a capacity, memory. */
int dump_rdma_links(const struct json *array, struct topology *topo, struct findings *findings,
		    struct err *err) _must_check_;
/*
 * One entry that is not what rdma prints makes the whole file useless for a proof: cm_ids_read becomes
 * READ_FAILED.
 */
int dump_cm_ids(const struct json *array, struct topology *topo, struct rdma_resources *resources,
		struct err *err) _must_check_;
int dump_qps(const struct json *array, struct topology *topo, struct rdma_resources *resources,
	     struct err *err) _must_check_;
