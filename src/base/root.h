/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The root handle: every read of sysfs, procfs and etc goes below one directory, which is
 * this machine (live) or a tree with the files of another one (--sysroot). The handle knows
 * which, and whoever has an effect refuses a root that is not live. Below a tree links
 * are resolved inside it (openat2, RESOLVE_IN_ROOT), so that no fixture can reach out; on a kernel without
 * openat2 (before 5.6) a link that leads out is an error (-EXDEV).
 *
 * Paths are printf formats without a leading slash. Errors are -errno without a message:
 * only the caller knows the noun.
 */
#pragma once

#include <sys/types.h>

#include "base/cpuset.h"
#include "base/err.h"

struct root {
	int fd;
	bool live;
	bool has_openat2;
	uid_t owner;	/* who may own config files: 0; in a tree its own owner as well */
	char path[256]; /* as given, for messages; empty if live */
	char real[512]; /* of a tree: its path without links, to tell what is below it */
};

#define ROOT_INIT        \
	{                \
		.fd = -1 \
	}
#define ROOT_LINE_MAX 4096 /* an attribute that is longer is an error (-EFBIG) */

/* path NULL or "/": this machine. Fills err (XC_USAGE if it cannot be opened, else XC_ENVIRONMENT). */
int root_open(const char *path, struct root *ret, struct err *err) _must_check_;
void root_close(struct root *root);

int root_openat(const struct root *root, int flags, const char *fmt, ...) _must_check_ _printf_(3, 4);

/* The whole file on the heap (the caller frees), at most max bytes. Length or -errno. */
ssize_t root_read_all(const struct root *root, char **ret, size_t max, const char *fmt, ...) _must_check_
	_printf_(4, 5);

/* The rest of an open file, in the same way. */
ssize_t root_read_fd(int fd, char **ret, size_t max) _must_check_;

/*
 * A file of one line, without white space at its end. 0; -EINVAL for a second line, control characters or a
 * NUL; -EFBIG (ROOT_LINE_MAX).
 */
int root_line(const struct root *root, char *buf, size_t size, const char *fmt, ...) _must_check_
	_printf_(4, 5);
int root_i64(const struct root *root, int64_t *ret, const char *fmt, ...) _must_check_ _printf_(3, 4);
int root_hex(const struct root *root, uint64_t *ret, const char *fmt, ...) _must_check_ _printf_(3, 4);
int root_cpuset(const struct root *root, struct cpuset *ret, const char *fmt, ...) _must_check_
	_printf_(3, 4);

/* The text of a link. 0 or -errno. */
int root_link(const struct root *root, char *buf, size_t size, const char *fmt, ...) _must_check_
	_printf_(4, 5);

bool root_exists(const struct root *root, const char *fmt, ...) _printf_(2, 3);

/* Names in a directory, sorted (strverscmp), without "." and "..". Free with names_free. */
struct names {
	char **name;
	size_t count;
};
#define NAMES_INIT \
	{          \
		0  \
	}
#define NAMES_MAX 65536
int root_list(const struct root *root, struct names *ret, const char *fmt, ...) _must_check_ _printf_(3, 4);
void names_free(struct names *names);
#define _cleanup_names_ _cleanup_(names_free)

/*
 * A file that steers a program that runs as root: a regular file, reached without a link,
 * owned by root (in a tree: or by the tree's owner), writable by nobody else; the same
 * holds for every directory on its path below the root, but one that is sticky may be writable. Returns the
 * length and *ret (heap), -ENOENT without a message if it is not there, or another -errno with err filled
 * (XC_ENVIRONMENT).
 */
#define TRUSTED_MAX (1 << 20)
ssize_t root_read_trusted(const struct root *root, const char *path, char **ret,
			  struct err *err) _must_check_;
