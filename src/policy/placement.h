/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What place.c and advice.c share: where the queues of a path complete. */
#pragma once

#include "policy/policy.h"

struct place {
	int port; /* index into ports: the function whose interrupts they are */
	int rdma; /* index into rdma_links */
};

struct places {
	struct place place[BOND_MEMBERS_MAX];
	unsigned count;
};

/* One, except while a bond without RoCE LAG fails over; none, if it is no storage function. */
void places_of(const struct topology *topo, const struct classification *classes, const struct path *path,
	       struct places *ret);

/* The bond that carries the path through the HCA of one member; NULL: no bond, or RoCE LAG joins them. */
const struct bond_class *bond_of_path(const struct topology *topo, const struct classification *classes,
				      const struct path *path);

/* There is a controller, or one is about to be made. */
bool path_completes(const struct path *path);

/* I/O queues of a path; -1: unknown. nr_io_queues: of one that would be connected. */
int path_io_queues(const struct topology *topo, const struct path *path, unsigned nr_io_queues);
