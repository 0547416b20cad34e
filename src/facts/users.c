/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Users of block devices: mounts in every mount namespace, swaps, and btrfs, which has a device number of its
 * own and names but one of its devices as the source.
 */
#include "facts/users.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "facts/mounts.h"
#include "facts/sysfs.h"

#define MOUNTINFO "proc/self/mountinfo"

struct reading {
	const struct root *root;
	struct blocks *blocks;
	struct users *users;
	struct findings *findings;
	struct err *err;
	unsigned pass;	    /* over the mounts of one process; from 1 */
	const char *source; /* that was looked up last in this pass, and what it was */
	unsigned source_block;
};

static int unread(const struct reading *rd, int code, const char *path)
{
	return blocks_unread(rd->root, rd->findings, rd->err, path, code, path);
}

/* --- text ------------------------------------------------------------------------------------- */

/* Bytes of the next character. *ret_plain: it is UTF-8 and no control character (U+0080 to 9f are some too).
 */
static size_t next_character(const char *text, bool *ret_plain)
{
	size_t length = parse_utf8_length(text);
	unsigned char first = (unsigned char)text[0];

	*ret_plain = length > 0 && first >= ' ' && first != 0x7f &&
		     !(first == 0xc2 && (unsigned char)text[1] < 0xa0);
	return length > 0 ? length : 1;
}

/* What is mounted where is up to others: only plain text comes through. */
void way_append(struct way *way, const char *text)
{
	while (*text != '\0' && !way->cut) {
		bool plain;
		size_t used = next_character(text, &plain), length = plain ? used : 1;

		if (way->length + length + sizeof("...") > sizeof(way->text)) {
			text = "...";
			used = length = strlen(text);
			plain = way->cut = true;
		}
		memcpy(way->text + way->length, plain ? text : "?", length);
		way->length += length;
		text += used;
	}
	way->text[way->length] = '\0';
}

/* --- what the devices are used for ------------------------------------------------------------ */

static int add_user(struct reading *rd, struct block *block, enum use_kind kind, const char *text)
{
	unsigned told = 0;
	struct user *user;

	for (unsigned i = block->user; i != 0; i = rd->users->user[i].next) {
		if (rd->users->user[i].kind == kind && strcmp(rd->users->user[i].text, text) == 0)
			return 0;
		told += rd->users->user[i].kind == kind;
	}
	if (told == USES_TOLD_MAX)
		return 0;
	if (rd->users->count == TOPO_USES_MAX)
		return sysfs_full(rd->err, "uses of NVMe namespaces", TOPO_USES_MAX);
	user = &rd->users->user[++rd->users->count];
	*user = (struct user){ .next = block->user, .kind = kind };
	str_format(user->text, sizeof(user->text), "%s", text);
	block->user = rd->users->count;
	return 0;
}

/*
 * Of the device and, if it is a member of a btrfs, of the others. A device that was mounted in an earlier
 * pass needs no more: the same file system shows up in the namespace of each container.
 */
static int add_users(struct reading *rd, unsigned first, enum use_kind kind, const char *text)
{
	unsigned i = first;
	int r = 0;

	do {
		struct block *block = &rd->blocks->block[i];

		if (kind != USE_MOUNT || block->mounts == 0 || block->mounts == rd->pass)
			r = add_user(rd, block, kind, text);
		if (kind != USE_SWAP && block->mounts == 0)
			block->mounts = rd->pass;
		i = block->member;
	} while (r == 0 && i != first);
	return r;
}

/* By its numbers, which a file system on one device has from there; else (btrfs) by its source. */
static unsigned find_mounted(struct reading *rd, const struct mount *mount)
{
	unsigned block = blocks_of_dev(rd->blocks, mount->dev);

	if (block != BLOCK_NONE || !str_starts(mount->dev, "0:") || !str_starts(mount->source, "/dev/"))
		return block;
	if (!rd->source || strcmp(rd->source, mount->source) != 0) {
		rd->source = mount->source;
		rd->source_block = blocks_of_path(rd->root, rd->blocks, mount->source);
	}
	return rd->source_block;
}

/* machine: it is the namespace of process 1. pid: who shows it, for a message; 0: not to be said. */
static int take_mounts(struct reading *rd, const struct mounts *mounts, bool machine, int pid)
{
	int r = 0;

	rd->pass++;
	rd->source = NULL;
	for (size_t i = 0; i < mounts->count && r == 0; i++) {
		const struct mount *mount = &mounts->mount[i];
		bool is_root = machine && strcmp(mount->point, "/") == 0;
		unsigned block = find_mounted(rd, mount);
		struct way way = { 0 };
		char suffix[32] = "";

		if (block == BLOCK_NONE)
			continue;
		if (pid > 0)
			str_format(suffix, sizeof(suffix), " (process %d)", pid);
		way_append(&way, mount->point);
		way_append(&way, suffix);
		r = add_users(rd, block, is_root ? USE_ROOT : USE_MOUNT, way.text);
	}
	return r;
}

/* How much of the path is the mount point; 0: the file is not below it. */
static size_t covers(const struct mount *mount, const char *path)
{
	size_t length = strlen(mount->point);

	if (strcmp(mount->point, "/") == 0)
		return path[0] == '/';
	if (strncmp(path, mount->point, length) != 0)
		return 0;
	return path[length] == '/' || path[length] == '\0' ? length : 0; /* a file can be a mount point */
}

/* On the file system whose mount point is longest; of several on top of one another it may be on any. */
static int take_swap_file(struct reading *rd, const struct mounts *own, const char *path)
{
	size_t longest = 1;
	int r = 0;

	for (size_t i = 0; i < own->count; i++) {
		size_t length = covers(&own->mount[i], path);

		longest = length > longest ? length : longest;
	}
	for (size_t i = 0; i < own->count && r == 0; i++) {
		unsigned block = BLOCK_NONE;
		struct way way = { 0 };

		if (covers(&own->mount[i], path) == longest)
			block = find_mounted(rd, &own->mount[i]);
		if (block == BLOCK_NONE)
			continue;
		way_append(&way, own->mount[i].point);
		way_append(&way, " > ");
		way_append(&way, path);
		r = add_users(rd, block, USE_SWAP, way.text);
	}
	return r;
}

static int take_swaps(struct reading *rd, const struct mounts *own)
{
	_cleanup_swaps_ struct swaps swaps = { 0 };
	int r = swaps_read(rd->root, &swaps);

	if (r < 0) /* a kernel without swap has no such file */
		return r == -ENOENT ? 0 : unread(rd, r, "proc/swaps");
	rd->source = NULL;
	for (size_t i = 0; i < swaps.count && r == 0; i++) {
		const struct swap *swap = &swaps.swap[i];
		unsigned block;

		if (swap->file) {
			r = take_swap_file(rd, own, swap->path);
			continue;
		}
		block = blocks_of_path(rd->root, rd->blocks, swap->path);
		if (block != BLOCK_NONE)
			r = add_users(rd, block, USE_SWAP, "swap");
	}
	return r;
}

/* A btrfs whose mount was not seen is mounted nevertheless. */
static int take_btrfs(struct reading *rd)
{
	int r = 0;

	for (unsigned i = 0; i < rd->blocks->count && r == 0; i++) {
		struct block *block = &rd->blocks->block[i];
		char text[64];

		if (block->btrfs[0] == '\0' || block->mounts != 0)
			continue;
		str_format(text, sizeof(text), "btrfs %s", block->btrfs);
		r = add_user(rd, block, USE_MOUNT, text);
	}
	return r;
}

/* --- mount namespaces ------------------------------------------------------------------------- */

/* What a process shows. *ret_done false: it has ended, or may not be looked at. */
static int take_process(struct reading *rd, struct mount_processes *processes, pid_t pid, bool machine,
			bool *ret_done)
{
	_cleanup_mounts_ struct mounts mounts = MOUNTS_INIT;
	char path[64];
	int r;

	str_format(path, sizeof(path), "proc/%d/mountinfo", (int)pid);
	r = mounts_read(rd->root, path, &mounts);
	*ret_done = !mount_process_ended(r) && !mount_process_denied(processes, pid, r);
	if (!*ret_done)
		return 0;
	return r < 0 ? unread(rd, r, path) : take_mounts(rd, &mounts, machine, machine ? 0 : (int)pid);
}

/* A process that has another root directory sees only what is below that (show_mountinfo). */
static bool sees_all(const struct reading *rd, pid_t pid)
{
	char text[8];
	int r = root_link(rd->root, text, sizeof(text), "proc/%d/root", (int)pid);

	if (r == -ENOENT)
		return !rd->root->live;
	return r == 0 && strcmp(text, "/") == 0;
}

/* One namespace: from a process that sees all of it, or from all the processes in it. */
static int take_namespace(struct reading *rd, struct mount_processes *processes, size_t first, size_t count)
{
	const struct mount_process *process = &processes->process[first];
	bool done = false;
	int r = 0;

	for (size_t i = 0; i < count && r == 0 && !done; i++) {
		if (sees_all(rd, process[i].pid))
			r = take_process(rd, processes, process[i].pid, false, &done);
	}
	for (size_t i = 0; i < count && r == 0 && !done; i++) {
		bool unused;

		r = take_process(rd, processes, process[i].pid, false, &unused);
	}
	return r;
}

/*
 * The namespace of process 1, which is the machine's, then this process's own. Where it cannot be told that
 * they are the same both are read. *ret_known: those that need no further look; 0: none.
 */
static int take_machine(struct reading *rd, const struct mounts *own, struct mount_processes *processes,
			uint64_t ret_known[static 2])
{
	uint64_t self, first;
	bool unused;
	int r = 0;

	if (mount_ns_read(rd->root, "self", &self) < 0)
		self = 0;
	if (mount_ns_read(rd->root, "1", &first) < 0)
		first = 0;
	/* Also if it is in our namespace: in a chroot we see only a part of it. */
	if (rd->root->live || self == 0 || self != first)
		r = take_process(rd, processes, 1, true, &unused);
	if (r < 0)
		return r;
	ret_known[0] = self;
	ret_known[1] = rd->pass > 0 ? first : 0;
	return take_mounts(rd, own, rd->pass == 0, 0);
}

static int take_others(struct reading *rd, struct mount_processes *processes, const uint64_t known[static 2])
{
	size_t next;
	int r = 0;

	for (size_t i = 0; i < processes->count && r == 0; i = next) {
		uint64_t ns = processes->process[i].ns;

		next = i + 1;
		while (next < processes->count && processes->process[next].ns == ns)
			next++;
		if (ns != known[0] && ns != known[1])
			r = take_namespace(rd, processes, i, next - i);
	}
	return r;
}

/* Root may look at every process, unless somebody took that right away: then too much stays unseen. */
static int tell_denied(const struct reading *rd, const struct mount_processes *processes)
{
	const char *why = strerror(-processes->denied_code);
	char path[64];

	if (processes->denied == 0)
		return 0;
	str_format(path, sizeof(path), "/proc/%d/ns/mnt", (int)processes->denied_pid);
	if (rd->root->live && geteuid() == 0)
		return err_set(rd->err, XC_ENVIRONMENT, processes->denied_code, path,
			       "%s: %s: what its processes have mounted is unknown, so nothing is taken away "
			       "(run with CAP_SYS_PTRACE)",
			       path, why);
	finding_add(rd->findings, FINDING_UNKNOWN, "facts.readable", "mounts", path,
		    "%s: %s; what is mounted for %u processes alone is not seen (root sees it)", path, why,
		    processes->denied);
	return 0;
}

/* Not there in a tree: there is nothing. On a live machine it is always there. */
static int must_be_read(const struct reading *rd, int code, const char *path)
{
	return code == 0 || (code == -ENOENT && !rd->root->live) ? 0 : unread(rd, code, path);
}

int users_read(const struct root *root, struct blocks *blocks, struct users *ret, struct findings *findings,
	       struct err *err)
{
	_cleanup_mount_processes_ struct mount_processes processes = { 0 };
	_cleanup_mounts_ struct mounts own = MOUNTS_INIT;
	struct reading rd = {
		.root = root,
		.blocks = blocks,
		.users = ret,
		.findings = findings,
		.err = err,
	};
	uint64_t known[2];
	int r = must_be_read(&rd, mounts_read(root, MOUNTINFO, &own), MOUNTINFO);

	if (r < 0)
		return r;
	r = mount_processes_read(root, &processes);
	if (r == -E2BIG)
		return sysfs_full(err, "entries in /proc", NAMES_MAX);
	r = must_be_read(&rd, r, "proc");
	if (r == 0)
		r = take_machine(&rd, &own, &processes, known);
	if (r == 0)
		r = take_swaps(&rd, &own);
	if (r == 0)
		r = take_others(&rd, &processes, known);
	if (r == 0)
		r = take_btrfs(&rd);
	return r < 0 ? r : tell_denied(&rd, &processes);
}
