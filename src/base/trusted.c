/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files that steer a program which runs as root: read only if nobody else can write them. */
#include "base/root.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

static int check_owner(const struct root *root, const struct stat *st, const char *path, const char *what,
		       struct err *err)
{
	if (st->st_uid != 0 && st->st_uid != root->owner)
		return err_set(err, XC_ENVIRONMENT, -EPERM, path,
			       "%s/%s: %s belongs to user %u, not to root; not read (chown root it)",
			       root->path, path, what, (unsigned)st->st_uid);
	if (st->st_mode & (S_IWGRP | S_IWOTH))
		return err_set(err, XC_ENVIRONMENT, -EPERM, path,
			       "%s/%s: %s can be written by others than root; not read (chmod go-w it)",
			       root->path, path, what);
	return 0;
}

/* The directory that holds the file: who can write it can replace the file. */
static int check_directory(const struct root *root, const char *path, struct err *err)
{
	char directory[512];
	_cleanup_close_ int fd = -1;
	struct stat st;
	char *slash;

	if (str_copy(directory, sizeof(directory), path) < 0)
		return err_set(err, XC_ENVIRONMENT, -ENAMETOOLONG, path, "%s: path too long", path);
	slash = strrchr(directory, '/');
	if (slash)
		*slash = '\0';
	fd = root_openat(root, O_RDONLY | O_DIRECTORY, "%s", slash ? directory : ".");
	if (fd < 0)
		return fd; /* no directory, no file */
	if (fstat(fd, &st) < 0)
		return err_set(err, XC_ENVIRONMENT, -errno, path, "%s: %s", path, strerror(errno));
	return check_owner(root, &st, path, "its directory", err);
}

ssize_t root_read_trusted(const struct root *root, const char *path, char **ret, struct err *err)
{
	_cleanup_close_ int fd = -1;
	struct stat st;
	char *text;
	ssize_t length;
	int r;

	r = check_directory(root, path, err);
	if (r == 0) {
		fd = root_openat(root, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, "%s", path);
		r = fd;
	}
	if (r == -ENOENT || (r < 0 && err->code != 0))
		return r;
	if (r == -ELOOP)
		return err_set(err, XC_ENVIRONMENT, r, path,
			       "%s/%s: is a symbolic link; not read (put the file itself there)", root->path,
			       path);
	if (r < 0 || fstat(fd, &st) < 0) {
		r = r < 0 ? r : -errno;
		return err_set(err, XC_ENVIRONMENT, r, path, "%s/%s: %s", root->path, path, strerror(-r));
	}
	if (!S_ISREG(st.st_mode))
		return err_set(err, XC_ENVIRONMENT, -EINVAL, path, "%s/%s: is no regular file; not read",
			       root->path, path);
	r = check_owner(root, &st, path, "it", err);
	if (r < 0)
		return r;
	length = root_read_fd(fd, &text, TRUSTED_MAX);
	if (length < 0)
		return err_set(err, XC_ENVIRONMENT, (int)length, path, "%s/%s: %s", root->path, path,
			       length == -EFBIG ? "is larger than 1 MiB" : strerror((int)-length));
	*ret = text;
	return length;
}
