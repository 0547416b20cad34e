/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The RDMA facts of the live machine, by NETLINK_RDMA (rdma/rdma_netlink.h, the nldev client).
 * Reading needs no rights.
 */
#pragma once

#include <linux/netlink.h>

#include "base/err.h"
#include "facts/rdma.h"
#include "model/finding.h"

/* *ret_told is false if netlink does not tell the devices; a finding says why. */
int nl_read_rdma(struct topology *topo, bool *ret_told, struct findings *findings,
		 struct err *err) _must_check_;

/* Sets cm_ids_read and cm_ids_why as well. */
int nl_read_cm_ids(struct topology *topo, struct rdma_resources *resources, struct err *err) _must_check_;

/* The messages, one by one; arg is a struct nl_rdma_reader. */
struct nl_rdma_device {
	uint32_t index;
	char name[RDMA_NAME_SIZE];
	uint32_t ports;
};

struct nl_rdma_reader {
	struct topology *topo;
	struct rdma_resources *resources; /* for CM_IDs and queue pairs */
	struct err *err;
	struct nl_rdma_device device[TOPO_RDMA_MAX];
	unsigned devices;
	unsigned odd;	  /* devices whose names are none */
	unsigned current; /* whose ports, CM_IDs or queue pairs are read */
};

int nl_take_device(struct nlmsghdr *hdr, void *arg);
int nl_take_port(struct nlmsghdr *hdr, void *arg);
int nl_take_cm_ids(struct nlmsghdr *hdr, void *arg);
int nl_take_qps(struct nlmsghdr *hdr, void *arg);
