/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the tests of deleting share: one controller, its deletion, and a look at the child that writes. */
#pragma once

#include <signal.h>

#include "apply/fx_delete.h"
#include "unit/ctrl_dir.h"

struct bench {
	struct root root;
	struct ctrl_id id;
	struct fx_delete del;
	struct err err;
};

static inline int bench_setup(void **state)
{
	struct bench *b = calloc(1, sizeof(*b));
	struct step step;

	fake_root_open(&b->root);
	fake_step(&step, 0);
	b->id = step.id;
	b->del = (struct fx_delete)FX_DELETE_INIT;
	ctrl_write(&b->root, &b->id);
	*state = b;
	return 0;
}

static inline int bench_teardown(void **state)
{
	struct bench *b = *state;

	if (b->del.child > 0) /* of a test that failed: nobody would let it go on */
		(void)kill(b->del.child, SIGKILL);
	fx_delete_close(&b->del);
	fake_root_close(&b->root);
	free(b);
	return 0;
}

static inline int begin(struct bench *b)
{
	return fx_delete_begin(&b->root, &b->id, CTRL_INSTANCE, 0, &b->del, &b->err);
}

static inline bool is_written(const struct bench *b)
{
	char *text = fake_root_read(&b->root, CTRL_DELETE);
	bool written = text[0] != '\0';

	free(text);
	return written;
}

/* Polls until the child has ended: true if it does. */
static inline bool ended(struct bench *b, enum removal *ret)
{
	*ret = fx_delete_poll(&b->del, &b->err);
	for (unsigned i = 0; i < 500 && b->del.child != 0; i++) {
		usleep(10000);
		*ret = fx_delete_poll(&b->del, &b->err);
	}
	return b->del.child == 0;
}

static inline void set_state(const struct bench *b, const char *text)
{
	fake_root_write(&b->root, CTRL "state", text);
}

/* The number of descriptors of pid, 0 if they cannot be read; *ret_only: it, if it is one. */
static inline unsigned descriptors(pid_t pid, char ret_only[static 16])
{
	_cleanup_names_ struct names names = NAMES_INIT;
	struct root dir = { .live = true };
	char path[64];

	ret_only[0] = '\0';
	snprintf(path, sizeof(path), "/proc/%d/fd", (int)pid);
	dir.fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir.fd >= 0 && root_list(&dir, &names, ".") == 0 && names.count == 1)
		snprintf(ret_only, 16, "%s", names.name[0]);
	root_close(&dir);
	return (unsigned)names.count;
}

/* Until the child blocks in its write, as far as can be seen: it has descriptor 0 and no other. */
static inline bool blocks(const struct bench *b)
{
	char only[16];

	for (unsigned i = 0; i < 500; i++) {
		if (descriptors(b->del.child, only) == 1)
			return strcmp(only, "0") == 0;
		usleep(10000);
	}
	return false;
}

/* The mask of pid, with bit signal - 1. */
static inline uint64_t blocked_signals(pid_t pid)
{
	unsigned long long mask = 0;
	char path[64], line[256];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "SigBlk: %llx", &mask) == 1)
			break;
	}
	if (f)
		(void)fclose(f);
	return mask;
}
