/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Block devices and mounts in the tree of a test of facts_read_uses. */
#pragma once

#include "unit/reading.h"

static inline void add_ns(const char *device)
{
	struct ns *ns = &topo->ns[topo->nss++];

	assert_int_equal(str_copy(ns->device, sizeof(ns->device), device), 0);
	assert_int_equal(str_copy(ns->path_device, sizeof(ns->path_device), device), 0);
}

static inline void put_block(const char *name, const char *file, const char *text)
{
	char path[192];

	snprintf(path, sizeof(path), "sys/class/block/%s/%s", name, file);
	tree_write(&tree, path, text);
}

static inline void add_disk(const char *name, const char *dev)
{
	char line[32];

	snprintf(line, sizeof(line), "%s\n", dev);
	put_block(name, "dev", line);
}

static inline void add_dm(const char *name, const char *dev, const char *label)
{
	char line[192];

	add_disk(name, dev);
	snprintf(line, sizeof(line), "%s\n", label);
	put_block(name, "dm/name", line);
}

static inline void add_partition(const char *disk, const char *name, const char *dev)
{
	char path[96], target[96];

	snprintf(path, sizeof(path), "sys/class/block/%s", name);
	snprintf(target, sizeof(target), "%s/%s", disk, name);
	put_block(target, "partition", "1\n");
	tree_link(&tree, path, target);
	add_disk(name, dev);
}

static inline void add_holder(const char *below, const char *holder)
{
	char file[96];

	snprintf(file, sizeof(file), "holders/%s", holder);
	put_block(below, file, "");
}

/* Adds a line to a process's mountinfo. */
static inline void add_mount(const char *process, const char *dev, const char *point, const char *source)
{
	char full[160];
	FILE *f;

	snprintf(full, sizeof(full), "%s/proc/%s/mountinfo", tree.path, process);
	tree_parents(full);
	f = fopen(full, "a");
	assert_non_null(f);
	fprintf(f, "36 35 %s / %s rw,noatime master:1 - ext4 %s rw,errors=continue\n", dev, point, source);
	assert_int_equal(fclose(f), 0);
}

static inline void add_process(const char *pid, unsigned ns)
{
	char path[64], target[64];

	snprintf(path, sizeof(path), "proc/%s/ns/mnt", pid);
	snprintf(target, sizeof(target), "mnt:[%u]", ns);
	tree_link(&tree, path, target);
}

static inline void put_swaps(const char *lines)
{
	char text[512];

	snprintf(text, sizeof(text), "Filename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority\n%s", lines);
	tree_write(&tree, "proc/swaps", text);
}

static inline const char *kind_name(enum use_kind kind)
{
	switch (kind) {
	case USE_HOLDER:
		return "holder";
	case USE_MOUNT:
		return "mount";
	case USE_SWAP:
		return "swap";
	case USE_ROOT:
		return "root";
	}
	return "?";
}

/* All uses there are, each as "kind device: way". */
static inline void expect_uses(const char *const *expected, size_t count)
{
	assert_int_equal(facts_read_uses(&tree.root, topo, &findings, &error), 0);
	for (size_t i = 0; i < topo->uses && i < count; i++) {
		const struct use *use = &topo->use[i];
		char text[512];

		snprintf(text, sizeof(text), "%s %s: %s", kind_name(use->kind), use->device, use->way);
		assert_string_equal(text, expected[i]);
	}
	assert_int_equal(topo->uses, count);
}

#define EXPECT_USES(...)                                                \
	do {                                                            \
		static const char *const expected_[] = { __VA_ARGS__ }; \
                                                                        \
		expect_uses(expected_, ARRAY_SIZE(expected_));          \
	} while (0)
