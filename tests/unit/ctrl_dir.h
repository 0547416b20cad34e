/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Controllers of a fake root's sysfs, as plain directories. */
#pragma once

#include <assert.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "lib/fakefx.h"

#define CTRL_INSTANCE 3
#define CTRL "sys/class/nvme/nvme3/"
#define CTRL_DELETE CTRL "delete_controller"

static inline void ctrl_write(const struct root *root, const struct ctrl_id *id)
{
	char address[256];

	fake_root_write(root, CTRL "transport", "rdma\n");
	fake_root_write(root, CTRL "state", "live\n");
	fake_root_write(root, CTRL "hostnqn", id->hostnqn);
	fake_root_write(root, CTRL "hostid", id->hostid);
	fake_root_write(root, CTRL_DELETE, "");
	snprintf(address, sizeof(address), "traddr=%s,trsvcid=%s,host_traddr=%s,src_addr=0.0.0.0\n",
		 id->traddr, id->trsvcid, id->host_traddr);
	fake_root_write(root, CTRL "address", address);
	fake_root_write(root, CTRL "subsysnqn", id->nqn);
}

/* As the kernel does when it is gone. */
static inline void ctrl_remove(const struct root *root)
{
	static const char *const file[] = { "transport",	 "state",   "hostnqn",	"hostid",
					    "delete_controller", "address", "subsysnqn" };
	char path[128];

	for (size_t i = 0; i < ARRAY_SIZE(file); i++) {
		snprintf(path, sizeof(path), CTRL "%s", file[i]);
		(void)unlinkat(root->fd, path, 0);
	}
	if (unlinkat(root->fd, CTRL, AT_REMOVEDIR) != 0)
		abort();
}

/* For a process that plays the kernel: until somebody has written to delete_controller, then it is gone. */
static inline bool ctrl_remove_when_asked(const struct root *root)
{
	for (unsigned i = 0; i < 500; i++) {
		char *text = fake_root_read(root, CTRL_DELETE);
		bool asked = strcmp(text, "1") == 0;

		free(text);
		if (asked) {
			ctrl_remove(root);
			return true;
		}
		usleep(10000);
	}
	return false;
}

/*
 * Makes a FIFO of path that is full: who writes to it blocks as in the kernel. Returns its other end, to be
 * read to let the writer go on.
 */
static inline int full_fifo(const struct root *root, const char *path)
{
	static const char junk[4096];
	int fd;

	fake_root_write(root, path, "");
	if (unlinkat(root->fd, path, 0) != 0 || mkfifoat(root->fd, path, 0600) != 0)
		abort();
	fd = openat(root->fd, path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		abort();
	while (write(fd, junk, sizeof(junk)) > 0)
		;
	return fd;
}

static inline void drain(int fd)
{
	char junk[4096];

	while (read(fd, junk, sizeof(junk)) > 0)
		;
}
