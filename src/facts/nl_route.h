/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Routes of the live machine: taking their messages apart, and asking for one way. */
#pragma once

#include <linux/rtnetlink.h>

#include "base/err.h"
#include "base/inet.h"
#include "model/plan.h"

struct nl_hop {
	int ifindex; /* 0: none */
	bool gateway;
	bool down; /* dead, or its link is down */
};

struct nl_route_msg {
	struct rtmsg rtm;
	struct ip prefsrc;    /* family 0: none */
	struct nl_hop single; /* unless there are several */
	bool has_single;
	const char *several; /* RTA_MULTIPATH, below the message */
	size_t several_length;
};

/* False if it is no route. Nexthops are then taken one by one, until nl_route_next is false. */
bool nl_route_parse(struct nlmsghdr *hdr, struct nl_route_msg *ret);
bool nl_route_next(struct nl_route_msg *msg, struct nl_hop *ret);

/* Questions, over one socket. */
struct nl_route;
int nl_route_open(struct nl_route **ret, struct err *err) _must_check_;
void nl_route_close(struct nl_route *nl);

/*
 * From src through oif (NULL and 0: as plain routing would go). 0 with the answer, also for "no"; -errno:
 * nothing was answered.
 */
int nl_route_ask(struct nl_route *nl, const struct ip *src, const struct ip *dst, int oif,
		 struct route_answer *ret) _must_check_;
