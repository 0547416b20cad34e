/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A tree of a few files, made while the test runs, for cases that a fixture of a whole node would hide. Every
 * failure ends the test program: a test that could not build its tree has tested nothing.
 */
#pragma once

#include <err.h>
#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/root.h"

struct tree {
	char path[64];
	struct root root; /* --sysroot of it */
};

static inline void tree_full(const struct tree *tree, const char *path, char *buf, size_t size)
{
	if (snprintf(buf, size, "%s/%s", tree->path, path) >= (int)size)
		errx(1, "%s: too long", path);
}

static inline void tree_open(struct tree *tree)
{
	struct err error = { 0 };

	strcpy(tree->path, "/tmp/nvmep-test-XXXXXX");
	if (!mkdtemp(tree->path) || chmod(tree->path, 0755))
		err(1, "%s", tree->path);
	if (root_open(tree->path, &tree->root, &error) < 0)
		errx(1, "%s", error.msg);
}

static inline int tree_remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st, (void)type, (void)ftw;
	return remove(path);
}

static inline void tree_close(struct tree *tree)
{
	root_close(&tree->root);
	if (nftw(tree->path, tree_remove_one, 16, FTW_DEPTH | FTW_PHYS))
		err(1, "%s", tree->path);
}

static inline void tree_parents(const char *full)
{
	char path[512];

	snprintf(path, sizeof(path), "%s", full);
	for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		if (mkdir(path, 0755) && errno != EEXIST)
			err(1, "%s", path);
		*slash = '/';
	}
}

static inline void tree_write_bytes(struct tree *tree, const char *path, const char *text, size_t length)
{
	char full[512];
	FILE *f;

	tree_full(tree, path, full, sizeof(full));
	tree_parents(full);
	f = fopen(full, "w");
	if (!f || fwrite(text, 1, length, f) != length || fclose(f) || chmod(full, 0644))
		err(1, "%s", full);
}

/* A file that holds the text and nothing else: attributes of sysfs end in a newline, which the caller writes.
 */
static inline void tree_write(struct tree *tree, const char *path, const char *text)
{
	tree_write_bytes(tree, path, text, strlen(text));
}

static inline void tree_link(struct tree *tree, const char *path, const char *target)
{
	char full[512];

	tree_full(tree, path, full, sizeof(full));
	tree_parents(full);
	if (symlink(target, full))
		err(1, "%s", full);
}

static inline void tree_chmod(struct tree *tree, const char *path, mode_t mode)
{
	char full[512];

	tree_full(tree, path, full, sizeof(full));
	if (chmod(full, mode))
		err(1, "%s", full);
}

static inline void tree_unlink(struct tree *tree, const char *path)
{
	char full[512];

	tree_full(tree, path, full, sizeof(full));
	if (remove(full))
		err(1, "%s", full);
}
