/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the tests of netlink messages fill, and how they give a message to its reader. */
#pragma once

#include <netlink/msg.h>
#include <stdlib.h>
#include <string.h>

#include "facts/nl_conn.h"
#include "facts/nl_net.h"
#include "facts/nl_rdma.h"
#include "lib/t.h"

static struct {
	struct topology *topo;
	struct findings *findings;
	struct rdma_resources *resources;
	struct nl_rdma_reader *rdma;
	struct err err;
	struct nl_net_reader net;
} w;

static inline int setup(void **state)
{
	(void)state;
	memset(&w.err, 0, sizeof(w.err));
	w.topo = calloc(1, sizeof(*w.topo));
	w.findings = calloc(1, sizeof(*w.findings));
	w.resources = calloc(1, sizeof(*w.resources));
	w.rdma = calloc(1, sizeof(*w.rdma));
	if (!w.topo || !w.findings || !w.resources || !w.rdma)
		return -1;
	w.net = (struct nl_net_reader){ .topo = w.topo, .findings = w.findings, .err = &w.err };
	w.rdma->topo = w.topo;
	w.rdma->resources = w.resources;
	w.rdma->err = &w.err;
	w.rdma->device[0].index = 3;
	strcpy(w.rdma->device[0].name, "mlx5_1");
	w.rdma->devices = 1;
	return 0;
}

static inline int teardown(void **state)
{
	(void)state;
	free(w.resources->qp);
	free(w.resources);
	free(w.findings);
	free(w.topo);
	free(w.rdma);
	return 0;
}

/*
 * Gives the message to take, whole, then cut short at every length: none may be read beyond its end (the
 * sanitizer sees it, since each copy has its own block). Returns what the whole one gave.
 */
static inline int take(struct nl_msg *msg, nlc_take function, void *arg)
{
	struct nlmsghdr *hdr = nlmsg_hdr(msg);
	int r;

	for (uint32_t length = sizeof(*hdr); length < hdr->nlmsg_len; length++) {
		struct nlmsghdr *cut = malloc(length);

		assert_non_null(cut);
		memcpy(cut, hdr, length);
		cut->nlmsg_len = length;
		(void)function(cut, arg);
		free(cut);
	}
	w.topo->netdevs = w.topo->addrs = w.topo->default_routes = w.topo->rdma_links = w.topo->cm_ids = 0;
	w.resources->qps = 0;
	w.findings->count = 0;
	w.net.odd = 0;
	if (function == nl_take_device)
		w.rdma->devices = w.rdma->odd = 0;
	r = function(hdr, arg);
	nlmsg_free(msg);
	return r;
}

#define T(test) cmocka_unit_test_setup_teardown(test, setup, teardown)
