/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The block devices on top of NVMe namespaces: their partitions, what holds those, and so on. Each device is
 * read once, however many namespaces are below it.
 */
#pragma once

#include "base/root.h"
#include "model/finding.h"
#include "model/topology.h"

#define BLOCKS_MAX 16384 /* twice TOPO_NSS_MAX */
#define BLOCK_EDGES_MAX 65536
#define BLOCK_SLOTS (BLOCKS_MAX * 4) /* a device has up to three names below /dev */
#define BLOCK_NONE UINT32_MAX
#define BLOCK_DEV_SIZE 32    /* "block/259:3" */
#define BLOCK_LABEL_SIZE 144 /* "mapper/" and DM_NAME_LEN */

struct block {
	char name[NVME_NAME_SIZE];
	char dev[BLOCK_DEV_SIZE];     /* udev's link to it below /dev; empty: unknown */
	char label[BLOCK_LABEL_SIZE]; /* of a device mapper device its node below /dev; empty: none */
	bool partition;
	unsigned edge, edges;  /* to its partitions and holders: index into edge, and how many */
	unsigned member;       /* the next device of the same mounted btrfs, round and round; alone: itself */
	char btrfs[UUID_SIZE]; /* of that btrfs; empty: none */
	unsigned user;	       /* for users.c, and so is the next */
	unsigned mounts;
};

struct block_edge {
	unsigned to;
	bool holder; /* else a partition */
};

struct block_slot {
	const char *key; /* a name below /dev */
	unsigned block;
};

struct blocks { /* large: from calloc */
	struct block block[BLOCKS_MAX];
	unsigned count;
	unsigned devices; /* the first of them are the namespaces' */
	struct block_edge edge[BLOCK_EDGES_MAX];
	unsigned edges;
	struct block_slot slot[BLOCK_SLOTS];
};

int blocks_read(const struct root *root, const struct topology *topo, struct blocks *ret,
		struct findings *findings, struct err *err) _must_check_;

/* The device that a path, "/dev/mapper/vg-data", is or leads to; BLOCK_NONE: none of these. */
unsigned blocks_of_path(const struct root *root, const struct blocks *blocks, const char *path);
/* By its numbers as mountinfo has them, "259:3". */
unsigned blocks_of_dev(const struct blocks *blocks, const char *dev);

/*
 * What must be known before something is taken away could not be read: of a live machine an error, which is
 * returned; of a tree a finding, and 0.
 */
int blocks_unread(const struct root *root, struct findings *findings, struct err *err, const char *object,
		  int code, const char *path) _must_check_;
