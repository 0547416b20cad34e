/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A root to write to, for tests. */
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "lib/fakefx.h"

void fake_root_open(struct root *root)
{
	const char *tmp = getenv("TMPDIR");
	const char *where = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : tmp ? tmp : "/tmp";
	int fd;

	memset(root, 0, sizeof(*root));
	(void)snprintf(root->path, sizeof(root->path), "%s/nvme-partition-test.XXXXXX", where);
	if (!mkdtemp(root->path))
		abort();
	fd = open(root->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		abort();
	root->fd = fd;
	root->live = true;
	root->owner = getuid();
	fake_root_write(root, "run/.keep", "");
	fake_root_write(root, "proc/sys/kernel/random/boot_id", FAKE_BOOT_ID "\n");
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

void fake_root_close(struct root *root)
{
	(void)close(root->fd);
	root->fd = -1;
	if (nftw(root->path, remove_one, 16, FTW_DEPTH | FTW_PHYS) < 0)
		abort();
}

void fake_root_write(const struct root *root, const char *path, const char *text)
{
	char part[256];
	int fd;

	for (const char *slash = strchr(path, '/'); slash; slash = strchr(slash + 1, '/')) {
		(void)snprintf(part, sizeof(part), "%.*s", (int)(slash - path), path);
		(void)mkdirat(root->fd, part, 0700);
	}
	fd = openat(root->fd, path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text))
		abort();
	(void)close(fd);
}

char *fake_root_read(const struct root *root, const char *path)
{
	char *text;

	if (root_read_all(root, &text, 64 << 20, "%s", path) < 0)
		text = strdup("");
	return text;
}
