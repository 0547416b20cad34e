/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is mounted and what is swapped to, taken apart and not yet judged: mountinfo, swaps, and which
 * process shows which mount namespace. The texts are unescaped and may hold any character but NUL.
 */
#pragma once

#include <sys/types.h>

#include "base/root.h"

struct mount {
	const char *dev;    /* "259:3"; "0:...": of no single device */
	const char *point;  /* absolute */
	const char *source; /* "/dev/mapper/vg-data", "tmpfs", ... */
};

struct mounts {
	char *text; /* that the others point into */
	struct mount *mount;
	size_t count;
};

#define MOUNTS_INIT \
	{           \
		0   \
	}

/* A file in the format of proc/self/mountinfo. -EBADMSG: there is a line that no kernel writes. */
int mounts_read(const struct root *root, const char *path, struct mounts *ret) _must_check_;
void mounts_free(struct mounts *mounts);
#define _cleanup_mounts_ _cleanup_(mounts_free)

struct swap {
	const char *path;
	bool file; /* on a file system; else a block device */
};

struct swaps {
	char *text;
	struct swap *swap;
	size_t count;
};

/* proc/swaps; errors as above. */
int swaps_read(const struct root *root, struct swaps *ret) _must_check_;
void swaps_free(struct swaps *swaps);
#define _cleanup_swaps_ _cleanup_(swaps_free)

/* A process and the mount namespace that it is in. */
struct mount_process {
	uint64_t ns; /* 0: it cannot be told */
	pid_t pid;
};

struct mount_processes {
	struct mount_process *process; /* sorted by (ns, pid) */
	size_t count;
	unsigned denied; /* processes that may not be looked at; they are not listed */
	pid_t denied_pid;
	int denied_code;
};

/* All that can be seen. One that ends meanwhile is left out. */
int mount_processes_read(const struct root *root, struct mount_processes *ret) _must_check_;
void mount_processes_free(struct mount_processes *processes);
#define _cleanup_mount_processes_ _cleanup_(mount_processes_free)

/* The mount namespace of "self" or a process by its number; 0 or -errno. */
int mount_ns_read(const struct root *root, const char *process, uint64_t *ret) _must_check_;

/* True for the errors of a process that has ended (ns_get_name, mounts_open_common). */
bool mount_process_ended(int code);

/* True for the errors of a process that may not be looked at; it is counted. */
bool mount_process_denied(struct mount_processes *processes, pid_t pid, int code);
