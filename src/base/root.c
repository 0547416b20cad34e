/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads below one root: this machine, or a tree with the files of another one. */
#include "base/root.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "base/parse.h"

#define PATH_FORMATTED_MAX 1024
#define OPENAT2_TRIES 1000

static int openat2_in_root(int fd, const char *path, int flags)
{
	struct open_how how = {
		.flags = (uint64_t)(unsigned)flags,
		.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS,
	};
	long r = -1;

	/* EAGAIN: somebody renamed something on this machine while ".." was followed; it is to be tried
	 * again. */
	for (unsigned tries = 0; tries < OPENAT2_TRIES; tries++) {
		r = syscall(SYS_openat2, fd, path, &how, sizeof(how));
		if (r >= 0 || errno != EAGAIN)
			break;
	}
	return r < 0 ? -errno : (int)r;
}

/* How links in a tree can be kept inside it. */
static int know_tree(struct root *root, struct err *err)
{
	int fd = openat2_in_root(root->fd, ".", O_PATH | O_CLOEXEC);
	char *real = realpath(root->path, NULL);
	int r = real ? str_copy(root->real, sizeof(root->real), real) : -errno;

	free(real);
	root->has_openat2 = fd >= 0;
	if (fd >= 0)
		(void)close(fd);
	if (r < 0) {
		root_close(root);
		return err_set(err, XC_ENVIRONMENT, r, root->path, "%s: %s", root->path, strerror(-r));
	}
	return 0;
}

int root_open(const char *path, struct root *ret, struct err *err)
{
	bool live = !path || strcmp(path, "/") == 0;
	const char *where = live ? "/" : path;
	struct stat st;
	int fd = open(where, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return err_set(err, XC_USAGE, -errno, where, "%s: %s", where, strerror(errno));
	if (fstat(fd, &st) < 0) {
		int code = -errno;

		(void)close(fd);
		return err_set(err, XC_ENVIRONMENT, code, where, "%s: %s", where, strerror(-code));
	}
	*ret = (struct root){ .fd = fd, .live = live, .owner = live ? 0 : st.st_uid };
	str_format(ret->path, sizeof(ret->path), "%s", live ? "" : path);
	return live ? 0 : know_tree(ret, err);
}

void root_close(struct root *root)
{
	if (root->fd >= 0)
		(void)close(root->fd);
	root->fd = -1;
}

/* Without openat2: where does the path lead? Only then is it opened, by what was found. */
static int open_checked(const struct root *root, const char *path, int flags)
{
	_cleanup_close_ int fd = openat(root->fd, path, O_PATH | O_CLOEXEC | (flags & O_NOFOLLOW));
	size_t length = strlen(root->real);
	char self[64], found[PATH_FORMATTED_MAX];
	ssize_t n;
	int r;

	if (fd < 0)
		return -errno;
	snprintf(self, sizeof(self), "/proc/self/fd/%d", fd);
	n = readlink(self, found, sizeof(found) - 1);
	if (n < 0)
		return -errno;
	found[n] = '\0';
	if (strncmp(found, root->real, length) != 0 || (found[length] != '/' && found[length] != '\0'))
		return -EXDEV;
	if (flags & O_PATH)
		return fcntl(fd, F_DUPFD_CLOEXEC, 0);
	if (flags & O_NOFOLLOW) { /* the descriptor is of the link itself, if it is one */
		struct stat st;

		if (fstat(fd, &st) < 0 || S_ISLNK(st.st_mode))
			return -ELOOP;
	}
	r = open(self, flags & ~O_NOFOLLOW);
	return r < 0 ? -errno : r;
}

/* A tree's links must not lead out of it, so they are resolved as if it were "/". */
static int open_below(const struct root *root, const char *path, int flags)
{
	int fd;

	flags |= O_CLOEXEC;
	if (!root->live)
		return root->has_openat2 ? openat2_in_root(root->fd, path, flags)
					 : open_checked(root, path, flags);
	fd = openat(root->fd, path, flags);
	return fd < 0 ? -errno : fd;
}

static int format_path(char *buf, const char *fmt, va_list args)
{
	int length = vsnprintf(buf, PATH_FORMATTED_MAX, fmt, args);

	if (length < 0 || length >= PATH_FORMATTED_MAX)
		return -ENAMETOOLONG;
	return buf[0] == '/' ? -EINVAL : 0;
}

/* The path of a printf-like function, into "path"; returns from it on failure. */
#define FORMAT_PATH(path, fmt)                      \
	char path[PATH_FORMATTED_MAX];              \
	do {                                        \
		va_list args_;                      \
		int r_;                             \
                                                    \
		va_start(args_, fmt);               \
		r_ = format_path(path, fmt, args_); \
		va_end(args_);                      \
		if (r_ < 0)                         \
			return r_;                  \
	} while (0)

int root_openat(const struct root *root, int flags, const char *fmt, ...)
{
	FORMAT_PATH(path, fmt);
	return open_below(root, path, flags);
}

/*
 * One attribute. It comes whole with one read (kernfs and the one-record seq_files of procfs give all that
 * fits, and so does any small file), so a short read is its end. Length, or -EFBIG if there is more than size
 * - 1.
 */
static ssize_t read_fd(int fd, char *buf, size_t size)
{
	ssize_t length;

	do {
		length = read(fd, buf, size);
	} while (length < 0 && errno == EINTR);
	if (length < 0)
		return -errno;
	if ((size_t)length == size)
		return -EFBIG;
	buf[length] = '\0';
	return memchr(buf, '\0', (size_t)length) ? -EINVAL : length;
}

static ssize_t read_path(const struct root *root, const char *path, char *buf, size_t size)
{
	_cleanup_close_ int fd = open_below(root, path, O_RDONLY | O_NONBLOCK | O_NOCTTY);

	return fd < 0 ? fd : read_fd(fd, buf, size);
}

ssize_t root_read_fd(int fd, char **ret, size_t max)
{
	size_t size = 16384;
	char *buf = NULL;
	size_t length = 0;

	for (;;) {
		char *larger = realloc(buf, size);
		ssize_t n;

		if (!larger) {
			free(buf);
			return -ENOMEM;
		}
		buf = larger;
		n = read(fd, buf + length, size - 1 - length);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 || (size_t)n + length > max) {
			int code = n < 0 ? -errno : -EFBIG;

			free(buf);
			return code;
		}
		if (n == 0)
			break;
		length += (size_t)n;
		if (length == size - 1)
			size *= 2;
	}
	buf[length] = '\0';
	*ret = buf;
	return (ssize_t)length;
}

ssize_t root_read_all(const struct root *root, char **ret, size_t max, const char *fmt, ...)
{
	FORMAT_PATH(path, fmt);
	_cleanup_close_ int fd = open_below(root, path, O_RDONLY | O_NONBLOCK | O_NOCTTY);

	return fd < 0 ? fd : root_read_fd(fd, ret, max);
}

static int read_line(const struct root *root, const char *path, char *buf, size_t size)
{
	char text[ROOT_LINE_MAX];
	ssize_t length = read_path(root, path, text, sizeof(text));

	if (length < 0)
		return (int)length;
	while (length > 0 && strchr(" \t\n", text[length - 1]))
		text[--length] = '\0';
	for (ssize_t i = 0; i < length; i++) {
		if ((unsigned char)text[i] < ' ' && text[i] != '\t')
			return -EINVAL;
	}
	return str_copy(buf, size, text);
}

int root_line(const struct root *root, char *buf, size_t size, const char *fmt, ...)
{
	FORMAT_PATH(path, fmt);
	return read_line(root, path, buf, size);
}

int root_i64(const struct root *root, int64_t *ret, const char *fmt, ...)
{
	char text[32];
	int r;

	FORMAT_PATH(path, fmt);
	r = read_line(root, path, text, sizeof(text));
	return r < 0 ? r : parse_i64(text, INT64_MIN, INT64_MAX, ret);
}

int root_hex(const struct root *root, uint64_t *ret, const char *fmt, ...)
{
	char text[32];
	int r;

	FORMAT_PATH(path, fmt);
	r = read_line(root, path, text, sizeof(text));
	return r < 0 ? r : parse_hex(text, UINT64_MAX, ret);
}

int root_cpuset(const struct root *root, struct cpuset *ret, const char *fmt, ...)
{
	char text[CPUSET_TEXT_MAX + CPUS_MAX * 2]; /* "0, 1, 2" is longer than ranges */
	ssize_t length;

	FORMAT_PATH(path, fmt);
	length = read_path(root, path, text, sizeof(text));
	return length < 0 ? (int)length : cpuset_parse(text, ret);
}

int root_link(const struct root *root, char *buf, size_t size, const char *fmt, ...)
{
	char text[PATH_FORMATTED_MAX];
	ssize_t length;

	FORMAT_PATH(path, fmt);
	if (root->live) {
		length = readlinkat(root->fd, path, text, sizeof(text) - 1);
	} else {
		_cleanup_close_ int fd = open_below(root, path, O_PATH | O_NOFOLLOW);

		if (fd < 0)
			return fd;
		length = readlinkat(fd, "", text, sizeof(text) - 1);
		if (length < 0 && errno == ENOENT) /* what an O_PATH descriptor of no link answers */
			return -EINVAL;
	}
	if (length < 0)
		return -errno;
	if ((size_t)length == sizeof(text) - 1)
		return -ENAMETOOLONG;
	text[length] = '\0';
	return str_copy(buf, size, text);
}

bool root_exists(const struct root *root, const char *fmt, ...)
{
	char path[PATH_FORMATTED_MAX];
	_cleanup_close_ int fd = -1;
	va_list args;
	int r;

	va_start(args, fmt);
	r = format_path(path, fmt, args);
	va_end(args);
	fd = r < 0 ? r : open_below(root, path, O_PATH);
	return fd >= 0;
}

static int compare_names(const void *a, const void *b)
{
	return strverscmp(*(char *const *)a, *(char *const *)b);
}

static int add_name(struct names *names, const char *name)
{
	char **larger;

	if (names->count >= NAMES_MAX)
		return -E2BIG;
	larger = mem_grow(names->name, names->count, sizeof(*larger));
	if (!larger)
		return -ENOMEM;
	names->name = larger;
	names->name[names->count] = strdup(name);
	if (!names->name[names->count])
		return -ENOMEM;
	names->count++;
	return 0;
}

int root_list(const struct root *root, struct names *ret, const char *fmt, ...)
{
	struct names names = NAMES_INIT;
	struct dirent *entry;
	DIR *dir;
	int fd, r = 0;

	FORMAT_PATH(path, fmt);
	fd = open_below(root, path, O_RDONLY | O_DIRECTORY);
	if (fd < 0)
		return fd;
	dir = fdopendir(fd);
	if (!dir) {
		r = -errno;
		(void)close(fd);
		return r;
	}
	while (r == 0) {
		errno = 0;
		entry = readdir(dir);
		if (!entry) {
			r = -errno;
			break;
		}
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			r = add_name(&names, entry->d_name);
	}
	(void)closedir(dir);
	if (r < 0) {
		names_free(&names);
		return r;
	}
	if (names.count > 1)
		qsort(names.name, names.count, sizeof(*names.name), compare_names);
	*ret = names;
	return 0;
}

void names_free(struct names *names)
{
	for (size_t i = 0; i < names->count; i++)
		free(names->name[i]);
	free(names->name);
	*names = (struct names)NAMES_INIT;
}
