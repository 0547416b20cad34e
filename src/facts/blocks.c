/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Block devices in sysfs. A partition is a directory below its disk's (add_partition), a holder a link in
 * "holders" (bd_link_disk_holder: device mapper, md, bcache); btrfs links its members below sys/fs/btrfs
 * (btrfs_sysfs_add_device).
 */
#include "facts/blocks.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "facts/sysfs.h"

#define BLOCK "sys/class/block"
#define BTRFS "sys/fs/btrfs"

struct reading {
	const struct root *root;
	struct blocks *blocks;
	struct findings *findings;
	struct err *err;
};

int blocks_unread(const struct root *root, struct findings *findings, struct err *err, const char *object,
		  int code, const char *path)
{
	if (code == -EBADMSG)
		code = -EINVAL; /* "something that the kernel does not write there" */
	if (root->live || code == -ENOMEM)
		return sysfs_failed(err, code, path);
	sysfs_unreadable(findings, object, code, "%s", path);
	return 0;
}

static int unread(const struct reading *rd, const char *object, int code, const char *path)
{
	return blocks_unread(rd->root, rd->findings, rd->err, object, code, path);
}

/* --- names below /dev ------------------------------------------------------------------------- */

/* FNV-1a: names come from the kernel and from root alone, so nobody can make them collide. */
static unsigned first_slot(const char *key)
{
	uint32_t hash = 2166136261U;

	for (const char *at = key; *at != '\0'; at++)
		hash = (hash ^ (unsigned char)*at) * 16777619U;
	return hash % BLOCK_SLOTS;
}

/* Where the key is or would be; there are more slots than keys. */
static unsigned find_slot(const struct blocks *blocks, const char *key)
{
	unsigned i = first_slot(key);

	while (blocks->slot[i].key && strcmp(blocks->slot[i].key, key) != 0)
		i = (i + 1) % BLOCK_SLOTS;
	return i;
}

static unsigned find_key(const struct blocks *blocks, const char *key)
{
	const struct block_slot *slot = &blocks->slot[find_slot(blocks, key)];

	return slot->key ? slot->block : BLOCK_NONE;
}

/* The key must stay where it is. The first who has a name keeps it. */
static void add_key(struct blocks *blocks, const char *key, unsigned block)
{
	struct block_slot *slot = &blocks->slot[find_slot(blocks, key)];

	if (!slot->key)
		*slot = (struct block_slot){ .key = key, .block = block };
}

unsigned blocks_of_dev(const struct blocks *blocks, const char *dev)
{
	char key[BLOCK_DEV_SIZE];

	if (snprintf(key, sizeof(key), "block/%s", dev) >= (int)sizeof(key))
		return BLOCK_NONE;
	return find_key(blocks, key);
}

/*
 * Whether a link may be looked at. Whoever may mount a tmpfs gives it any source, and in /dev/shm anybody may
 * have a link to a file system that never answers.
 */
static bool is_safe(const char *below_dev)
{
	return below_dev[0] != '/' && !str_starts(below_dev, "shm/") && !strstr(below_dev, "..");
}

static const char *last_component(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

unsigned blocks_of_path(const struct root *root, const struct blocks *blocks, const char *path)
{
	/* As seen from another root directory, "/dev" may be missing at its start (d_path of swap_show). */
	bool in_dev = str_starts(path, "/dev/");
	const char *name = in_dev ? path + strlen("/dev/") : last_component(path);
	unsigned found = find_key(blocks, name);
	char target[512];

	if (found != BLOCK_NONE || !in_dev || !is_safe(name))
		return found;
	if (root_link(root, target, sizeof(target), "dev/%s", name) < 0)
		return BLOCK_NONE;
	return find_key(blocks, last_component(target));
}

/* --- devices ---------------------------------------------------------------------------------- */

/* 0, or what is wrong with a name from a directory: kernel names are short and plain. */
static int check_name(const char *name)
{
	for (const char *at = name; *at != '\0'; at++) {
		if (*at <= ' ' || *at > '~')
			return -EINVAL;
	}
	return strlen(name) < sizeof(((struct block *)NULL)->name) ? 0 : -ENAMETOOLONG;
}

/* Finds or adds a device. 0, or an error with err filled. */
static int add_block(const struct reading *rd, const char *name, unsigned *ret)
{
	struct blocks *blocks = rd->blocks;
	struct block *block;

	*ret = find_key(blocks, name);
	if (*ret != BLOCK_NONE)
		return 0;
	if (blocks->count == BLOCKS_MAX)
		return sysfs_full(rd->err, "block devices on NVMe namespaces", BLOCKS_MAX);
	block = &blocks->block[blocks->count];
	str_format(block->name, sizeof(block->name), "%s", name);
	block->member = blocks->count;
	*ret = blocks->count++;
	add_key(blocks, block->name, *ret);
	return 0;
}

/* One more device above "from". directory: where the name was found. */
static int add_edge(const struct reading *rd, struct block *from, const char *name, bool holder,
		    const char *directory)
{
	struct blocks *blocks = rd->blocks;
	int r = check_name(name);
	unsigned to;

	if (r < 0)
		return unread(rd, from->name, r, directory);
	r = add_block(rd, name, &to);
	if (r < 0)
		return r;
	if (blocks->edges == BLOCK_EDGES_MAX)
		return sysfs_full(rd->err, "holders of NVMe namespaces", BLOCK_EDGES_MAX);
	blocks->edge[blocks->edges++] = (struct block_edge){ .to = to, .holder = holder };
	if (!holder)
		blocks->block[to].partition = true;
	from->edges++;
	return 0;
}

/* The names in a directory of the device; none if it has gone. */
static int list(const struct reading *rd, const struct block *block, const char *directory, struct names *ret)
{
	int r = root_list(rd->root, ret, "%s", directory);

	if (r == 0 || r == -ENOENT || r == -ENODEV)
		return 0;
	return unread(rd, block->name, r, directory);
}

/* "nvme0n1p2", "sda2": the disk's name, perhaps a p, a number (add_partition) */
static bool is_partition_name(const char *name, const char *disk)
{
	unsigned number;

	if (!str_starts(name, disk))
		return false;
	name += strlen(disk);
	return sysfs_numbered(name, name[0] == 'p' ? "p" : "", &number);
}

static int read_partitions(const struct reading *rd, struct block *block)
{
	_cleanup_names_ struct names names = NAMES_INIT;
	char directory[128];
	int r;

	str_format(directory, sizeof(directory), BLOCK "/%s", block->name);
	r = list(rd, block, directory, &names);
	for (size_t i = 0; i < names.count && r == 0; i++) {
		if (is_partition_name(names.name[i], block->name) &&
		    root_exists(rd->root, "%s/%s/partition", directory, names.name[i]))
			r = add_edge(rd, block, names.name[i], false, directory);
	}
	return r;
}

static int read_holders(const struct reading *rd, struct block *block)
{
	_cleanup_names_ struct names names = NAMES_INIT;
	char directory[128];
	int r;

	str_format(directory, sizeof(directory), BLOCK "/%s/holders", block->name);
	r = list(rd, block, directory, &names);
	for (size_t i = 0; i < names.count && r == 0; i++)
		r = add_edge(rd, block, names.name[i], true, directory);
	return r;
}

/* Device numbers, without which nobody could tell that it is mounted. */
static int read_dev(const struct reading *rd, struct block *block)
{
	char path[128], text[24];
	size_t digits, more;
	int r;

	str_format(path, sizeof(path), BLOCK "/%s/dev", block->name);
	r = root_line(rd->root, text, sizeof(text), "%s", path);
	if (r == -ENOENT || r == -ENODEV)
		return 0;
	digits = r < 0 ? 0 : strspn(text, "0123456789");
	more = digits > 0 && text[digits] == ':' ? strspn(text + digits + 1, "0123456789") : 0;
	if (r == 0 && (more == 0 || text[digits + 1 + more] != '\0'))
		r = -EINVAL;
	if (r < 0)
		return unread(rd, block->name, r, path);
	str_format(block->dev, sizeof(block->dev), "block/%s", text);
	return 0;
}

/* For messages, and for machines where /dev/mapper has nodes instead of udev's links. */
static void read_label(const struct reading *rd, struct block *block)
{
	char path[128], text[sizeof(block->label) - sizeof("mapper/") + 1];
	int r;

	if (!str_starts(block->name, "dm-"))
		return;
	str_format(path, sizeof(path), BLOCK "/%s/dm/name", block->name);
	r = root_line(rd->root, text, sizeof(text), "%s", path);
	if (r == 0 && text[0] != '\0')
		str_format(block->label, sizeof(block->label), "mapper/%s", text);
	if (r < 0 && r != -ENOENT && r != -ENODEV)
		sysfs_unreadable(rd->findings, block->name, r, "%s", path);
}

static int read_block(const struct reading *rd, unsigned i)
{
	struct block *block = &rd->blocks->block[i];
	int r = read_dev(rd, block);

	if (r < 0)
		return r;
	read_label(rd, block);
	if (block->dev[0] != '\0')
		add_key(rd->blocks, block->dev, i);
	if (block->label[0] != '\0')
		add_key(rd->blocks, block->label, i);
	block->edge = rd->blocks->edges;
	if (!block->partition)
		r = read_partitions(rd, block);
	return r < 0 ? r : read_holders(rd, block);
}

/* --- btrfs ------------------------------------------------------------------------------------ */

/* Into the ring of the btrfs, which starts at *first (BLOCK_NONE: there is none yet). */
static int join_btrfs(const struct reading *rd, const char *uuid, const char *name, unsigned *first)
{
	struct block *block;
	unsigned at;
	int r = add_block(rd, name, &at);

	if (r < 0)
		return r;
	block = &rd->blocks->block[at];
	if (block->btrfs[0] != '\0')
		return 0; /* of two at once: the first is enough to know that it is used */
	str_format(block->btrfs, sizeof(block->btrfs), "%s", uuid);
	if (*first == BLOCK_NONE) {
		*first = at;
		return 0;
	}
	block->member = rd->blocks->block[*first].member;
	rd->blocks->block[*first].member = at;
	return 0;
}

/* The members of one mounted btrfs, tied to a ring if one of them is ours. */
static int read_members(const struct reading *rd, const char *uuid)
{
	_cleanup_names_ struct names names = NAMES_INIT;
	unsigned first = BLOCK_NONE;
	bool ours = false;
	char path[128];
	int r;

	str_format(path, sizeof(path), BTRFS "/%s/devices", uuid);
	r = root_list(rd->root, &names, "%s", path);
	if (r < 0)
		return r == -ENOENT || r == -ENODEV ? 0 : unread(rd, uuid, r, path);
	for (size_t i = 0; i < names.count; i++)
		ours = ours || find_key(rd->blocks, names.name[i]) != BLOCK_NONE;
	for (size_t i = 0; ours && i < names.count && r == 0; i++) {
		r = check_name(names.name[i]);
		r = r < 0 ? unread(rd, uuid, r, path) : join_btrfs(rd, uuid, names.name[i], &first);
	}
	return r;
}

/* Only a mounted one has its UUID there (btrfs_sysfs_add_fsid, from open_ctree). */
static int read_btrfs(const struct reading *rd)
{
	_cleanup_names_ struct names names = NAMES_INIT;
	int r = root_list(rd->root, &names, BTRFS);

	if (r < 0)
		return r == -ENOENT ? 0 : unread(rd, BTRFS, r, BTRFS);
	for (size_t i = 0; i < names.count && r == 0; i++) {
		char uuid[UUID_SIZE];

		if (parse_uuid(names.name[i], uuid) == 0)
			r = read_members(rd, names.name[i]);
	}
	return r;
}

int blocks_read(const struct root *root, const struct topology *topo, struct blocks *ret,
		struct findings *findings, struct err *err)
{
	const struct reading rd = { .root = root, .blocks = ret, .findings = findings, .err = err };
	unsigned unused;
	int r = 0;

	for (unsigned i = 0; i < topo->nss && r == 0; i++)
		r = add_block(&rd, topo->ns[i].device, &unused);
	ret->devices = ret->count;
	/* Those that come to light meanwhile are at the end of the same list. */
	for (unsigned i = 0; i < ret->count && r == 0; i++)
		r = read_block(&rd, i);
	return r < 0 ? r : read_btrfs(&rd);
}
