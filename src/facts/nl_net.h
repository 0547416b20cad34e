/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The network facts of the live machine, by rtnetlink. */
#pragma once

#include "base/err.h"
#include "model/finding.h"
#include "model/topology.h"

int nl_read_net(struct topology *topo, struct findings *findings, struct err *err) _must_check_;

/* The messages, one by one; arg is a struct nl_net_reader. */
struct nlmsghdr;
struct nl_net_reader {
	struct topology *topo;
	struct findings *findings;
	struct err *err;
	unsigned odd; /* messages that made no sense */
};
int nl_take_link(struct nlmsghdr *hdr, void *arg);
int nl_take_addr(struct nlmsghdr *hdr, void *arg);
int nl_take_default(struct nlmsghdr *hdr, void *arg);
