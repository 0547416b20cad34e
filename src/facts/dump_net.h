/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The network facts of a tree: netlink/link.json, addr.json, and the default routes in route.json. */
#pragma once

#include "base/json.h"
#include "base/root.h"
#include "model/finding.h"
#include "model/topology.h"

int dump_read_net(const struct root *root, struct topology *topo, struct findings *findings,
		  struct err *err) _must_check_;

/* Each takes the array of its file; dump_links must be the first. Errors: a capacity. */
int dump_links(const struct json *array, struct topology *topo, struct findings *findings,
	       struct err *err) _must_check_;
int dump_addrs(const struct json *array, struct topology *topo, struct findings *findings,
	       struct err *err) _must_check_;
int dump_default_routes(const struct json *array, struct topology *topo, struct findings *findings,
			struct err *err) _must_check_;
