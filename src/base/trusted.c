/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files that steer a program which runs as root: read only if nobody else can write them, nor put another
 * file or directory in their place. The path is walked one component at a time, each opened below the
 * descriptor of the one before and without following links, so that what is read is what was checked, and a
 * tree is never left.
 */
#include "base/root.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>

struct trusted {
	const struct root *root;
	const char *path; /* of the file, below the root */
	struct err *err;
};

static int failed(const struct trusted *t, int code, const char *why)
{
	return err_set(t->err, XC_ENVIRONMENT, code, t->path, "%s/%s: %s", t->root->path, t->path, why);
}

/* what: as a sentence begins with it; it: as a command takes it. */
static int check_owner(const struct trusted *t, const struct stat *st, const char *what, const char *it)
{
	char why[700];

	if (st->st_uid != 0 && st->st_uid != t->root->owner) {
		str_format(why, sizeof(why), "%s belongs to user %u, not to root; not read (chown root %s)",
			   what, (unsigned)st->st_uid, it);
		return failed(t, -EPERM, why);
	}
	/* In a sticky directory (/tmp) others cannot remove or rename what is not theirs. */
	if (st->st_mode & (S_IWGRP | S_IWOTH) && !(S_ISDIR(st->st_mode) && st->st_mode & S_ISVTX)) {
		str_format(why, sizeof(why),
			   "%s can be written by others than root; not read (chmod go-w %s)", what, it);
		return failed(t, -EPERM, why);
	}
	return 0;
}

/* Opens and checks the directory "name" in fd, at the end of the first length bytes of the path. */
static int open_directory(const struct trusted *t, int fd, const char *name, size_t length)
{
	char at[256], what[300], why[700];
	struct stat st;
	int next = openat(fd, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	int r = next < 0 || fstat(next, &st) < 0 ? -errno : 0;

	if (r == -ENOENT)
		return r; /* no directory, no file */
	str_format(at, sizeof(at), "%s/%.*s", t->root->path, (int)length, t->path);
	if (r == -ENOTDIR || r == -ELOOP) {
		str_format(why, sizeof(why),
			   "%s is a symbolic link or no directory; not read (put a directory there, or give "
			   "the path without links)",
			   at);
		return failed(t, r, why);
	}
	str_format(what, sizeof(what), "its directory %s", at);
	if (r < 0) {
		str_format(why, sizeof(why), "%s: %s", what, strerror(-r));
		r = failed(t, r, why);
	} else {
		r = check_owner(t, &st, what, at);
	}
	if (r < 0 && next >= 0)
		(void)close(next);
	return r < 0 ? r : next;
}

/* The component of the path that ends before slash. Empty ones and "." come as "". */
static int copy_component(const struct trusted *t, const char *from, const char *slash,
			  char name[static NAME_MAX + 1])
{
	size_t length = (size_t)(slash - from);

	if (length > NAME_MAX)
		return failed(t, -ENAMETOOLONG, strerror(ENAMETOOLONG));
	memcpy(name, from, length);
	name[length] = '\0';
	if (strcmp(name, ".") == 0)
		name[0] = '\0';
	return 0;
}

/* The directory that the file is in, all on its way checked. *ret_name: the file's name there. */
static int walk(const struct trusted *t, const char **ret_name)
{
	int fd = fcntl(t->root->fd, F_DUPFD_CLOEXEC, 0);
	const char *at = t->path, *slash;
	unsigned depth = 0;

	if (fd < 0)
		return failed(t, -errno, strerror(errno));
	for (; (slash = strchr(at, '/')); at = slash + 1) {
		char name[NAME_MAX + 1];
		int next, r = copy_component(t, at, slash, name);
		bool up = r == 0 && strcmp(name, "..") == 0;

		if (r == 0 && (name[0] == '\0' || (up && depth == 0))) /* ".." of the root is the root */
			continue;
		next = r < 0 ? r : open_directory(t, fd, name, (size_t)(slash - t->path));
		(void)close(fd);
		if (next < 0)
			return next;
		fd = next;
		depth = up ? depth - 1 : depth + 1;
	}
	*ret_name = at[0] == '\0' ? "." : at; /* which is no regular file */
	return fd;
}

static int open_file(const struct trusted *t)
{
	const char *name = NULL;
	_cleanup_close_ int directory = walk(t, &name);
	struct stat st;
	int r, fd;

	if (directory < 0)
		return directory;
	fd = openat(directory, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd < 0 && errno == ENOENT)
		return -ENOENT;
	if (fd < 0 && errno == ELOOP)
		return failed(t, -ELOOP, "is a symbolic link; not read (put the file itself there)");
	if (fd < 0)
		return failed(t, -errno, strerror(errno));
	if (fstat(fd, &st) < 0)
		r = failed(t, -errno, strerror(errno));
	else if (!S_ISREG(st.st_mode))
		r = failed(t, -EINVAL, "is no regular file; not read");
	else
		r = check_owner(t, &st, "it", "it");
	if (r < 0)
		(void)close(fd);
	return r < 0 ? r : fd;
}

ssize_t root_read_trusted(const struct root *root, const char *path, char **ret, struct err *err)
{
	const struct trusted t = { .root = root, .path = path, .err = err };
	_cleanup_close_ int fd = open_file(&t);
	char *text;
	ssize_t length;

	if (fd < 0)
		return fd;
	length = root_read_fd(fd, &text, TRUSTED_MAX);
	if (length < 0)
		return failed(&t, (int)length,
			      length == -EFBIG ? "is larger than 1 MiB" : strerror((int)-length));
	*ret = text;
	return length;
}
