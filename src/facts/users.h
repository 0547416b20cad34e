/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who uses the block devices themselves: file systems and swap. What is stacked on them is in blocks.h. */
#pragma once

#include "facts/blocks.h"

/* Of one device and one kind; a container node mounts a file system a thousand times. One is enough to keep
 * it. */
#define USES_TOLD_MAX 8

struct user {
	unsigned next; /* of the same device; 0: none */
	enum use_kind kind;
	char text[USE_WAY_SIZE]; /* "/mnt/data", "swap" */
};

struct users {
	struct user user[TOPO_USES_MAX + 1]; /* [0] is none; a device's first one is block.user */
	unsigned count;
};

/* Fills ret and the devices' "user". Needs blocks_read. */
int users_read(const struct root *root, struct blocks *blocks, struct users *ret, struct findings *findings,
	       struct err *err) _must_check_;

/* A text that is put together, cut where it would not fit. */
struct way {
	char text[USE_WAY_SIZE];
	size_t length;
	bool cut;
};

/* What is mounted where is up to others: characters that could steer a terminal come through as '?'. */
void way_append(struct way *way, const char *text);
