/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who uses the namespaces: each namespace's stack of block devices, walked up to all who use something in it.
 *
 * Not seen is what the kernel shows nowhere: a mount that was taken out of its namespace (umount -l) and is
 * still busy, one in a namespace that only a thread is in, an external log of XFS or ext4.
 */
#include "facts/facts.h"

#include <errno.h>
#include <string.h>

#include "facts/blocks.h"
#include "facts/sysfs.h"
#include "facts/users.h"

/* What is above one namespace; all but the queue and the chain by device. */
struct walk {
	unsigned queue[BLOCKS_MAX], count;
	unsigned seen[BLOCKS_MAX];  /* 1 + the namespace's device whose walk came by last */
	unsigned below[BLOCKS_MAX]; /* from where */
	bool held[BLOCKS_MAX];	    /* it is a holder, or above one */
	unsigned chain[BLOCKS_MAX];
};

struct reader {
	struct topology *topo;
	struct err *err;
	struct blocks blocks;
	struct users users;
	struct walk walk;
	unsigned told[USE_ROOT + 1]; /* of the device that is walked, by kind */
};

/* The way from the namespace to a device above it. A partition's name says which disk it is of. */
static void way_to(struct walk *walk, const struct blocks *blocks, unsigned device, unsigned to,
		   struct way *ret)
{
	unsigned count = 0;

	for (unsigned at = to; at != device; at = walk->below[at])
		walk->chain[count++] = at;
	walk->chain[count++] = device;
	while (count-- > 0) {
		const struct block *block = &blocks->block[walk->chain[count]];

		if (count > 0 && blocks->block[walk->chain[count - 1]].partition)
			continue;
		way_append(ret, ret->length > 0 ? " > " : "");
		way_append(ret, block->name);
		if (block->label[0] == '\0')
			continue;
		way_append(ret, " (");
		way_append(ret, block->label + strlen("mapper/"));
		way_append(ret, ")");
	}
}

/* A use of the namespace: the way to the device, and on to the text if there is one. */
static int add_use(struct reader *rd, unsigned device, unsigned to, enum use_kind kind, const char *text)
{
	struct topology *topo = rd->topo;
	struct way way = { 0 };
	struct use *use;

	if (rd->told[kind]++ >= USES_TOLD_MAX)
		return 0;
	if (topo->uses == TOPO_USES_MAX)
		return sysfs_full(rd->err, "uses of NVMe namespaces", TOPO_USES_MAX);
	way_to(&rd->walk, &rd->blocks, device, to, &way);
	if (text) {
		way_append(&way, " > ");
		way_append(&way, text);
	}
	use = &topo->use[topo->uses++];
	*use = (struct use){ .kind = kind };
	str_format(use->device, sizeof(use->device), "%s", rd->blocks.block[device].name);
	str_format(use->way, sizeof(use->way), "%s", way.text);
	return 0;
}

/* Puts what is directly above a device at the end of the queue, unless it was there already. */
static void climb(struct reader *rd, unsigned device, unsigned from)
{
	const struct block *block = &rd->blocks.block[from];
	struct walk *walk = &rd->walk;

	for (unsigned i = 0; i < block->edges; i++) {
		const struct block_edge *edge = &rd->blocks.edge[block->edge + i];

		if (walk->seen[edge->to] == device + 1)
			continue;
		walk->seen[edge->to] = device + 1;
		walk->below[edge->to] = from;
		walk->held[edge->to] = walk->held[from] || edge->holder;
		walk->queue[walk->count++] = edge->to;
	}
}

static int walk_device(struct reader *rd, unsigned device)
{
	struct walk *walk = &rd->walk;
	unsigned last = BLOCK_NONE; /* holder */
	bool told = false;
	int r = 0;

	memset(rd->told, 0, sizeof(rd->told));
	walk->queue[0] = device;
	walk->count = 1;
	walk->seen[device] = device + 1;
	walk->held[device] = false;
	for (unsigned i = 0; i < walk->count && r == 0; i++) {
		unsigned at = walk->queue[i];
		const struct block *block = &rd->blocks.block[at];

		climb(rd, device, at);
		if (walk->held[at])
			last = at;
		if (walk->held[at] && block->edges == 0) {
			r = add_use(rd, device, at, USE_HOLDER, NULL);
			told = true;
		}
		for (unsigned j = block->user; j != 0 && r == 0; j = rd->users.user[j].next)
			r = add_use(rd, device, at, rd->users.user[j].kind, rd->users.user[j].text);
	}
	/* Held in a circle: the kernel has none, but whoever shows one must not look unused. */
	return r < 0 || told || last == BLOCK_NONE ? r : add_use(rd, device, last, USE_HOLDER, NULL);
}

static int compare_uses(const void *a, const void *b)
{
	const struct use *x = a, *y = b;
	int order = strverscmp(x->device, y->device);

	if (order == 0)
		order = strcmp(x->way, y->way);
	return order ? order : (int)x->kind - (int)y->kind;
}

static void sort_uses(struct topology *topo)
{
	unsigned kept = 0;

	qsort(topo->use, topo->uses, sizeof(topo->use[0]), compare_uses);
	for (unsigned i = 0; i < topo->uses; i++) {
		if (kept == 0 || compare_uses(&topo->use[kept - 1], &topo->use[i]) != 0)
			topo->use[kept++] = topo->use[i];
	}
	topo->uses = kept;
}

int facts_read_uses(const struct root *root, struct topology *topo, struct findings *findings,
		    struct err *err)
{
	_cleanup_free_ struct reader *rd = NULL;
	int r;

	topo->uses = 0;
	if (topo->nss == 0)
		return 0;
	rd = calloc(1, sizeof(*rd));
	if (!rd)
		return err_set(err, XC_ENVIRONMENT, -ENOMEM, "", "out of memory");
	rd->topo = topo;
	rd->err = err;
	r = blocks_read(root, topo, &rd->blocks, findings, err);
	if (r == 0)
		r = users_read(root, &rd->blocks, &rd->users, findings, err);
	for (unsigned i = 0; i < rd->blocks.devices && r == 0; i++)
		r = walk_device(rd, i);
	sort_uses(topo);
	return r;
}
