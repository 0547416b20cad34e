/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The routes of a tree (netlink/route.json), and what its kernel would answer about them. The
 * rules that choose between tables are not in a tree: a source address may use any
 * table that leads through its own interface, plain routing only the main one.
 */
#pragma once

#include "facts/dump_file.h"
#include "model/plan.h"

#define DUMP_ROUTES_MAX (1 << 18) /* nexthops */

enum dump_route_kind {
	DUMP_ROUTE_UNICAST,
	DUMP_ROUTE_REJECT, /* unreachable, prohibit, blackhole, throw */
	DUMP_ROUTE_OTHER,  /* local, broadcast, multicast, ... */
};

/* One nexthop of a route. */
struct dump_route {
	struct ip dst; /* the family also of a default route */
	unsigned prefixlen;
	enum dump_route_kind kind;
	char table[32]; /* empty: main */
	uint32_t metric;
	int ifindex; /* 0: none */
	bool gateway;
	bool down;	   /* the nexthop is dead, or its link is down */
	struct ip prefsrc; /* family 0: none */
};

struct dump_routes {
	struct dump_route *route;
	size_t count;
};

/* Errors: DUMP_ROUTES_MAX, memory. */
int dump_routes_parse(const struct json *array, const struct topology *topo, struct dump_routes *ret,
		      struct dump_odd *odd, struct err *err) _must_check_;
void dump_routes_free(struct dump_routes *routes);

/* oif 0: as plain routing would go. */
void dump_routes_ask(const struct dump_routes *routes, const struct ip *dst, int oif,
		     struct route_answer *ret);
