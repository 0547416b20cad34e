/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel log from a position saved before an effect: several causes of a failed connect share one
 * errno, and only the log tells them apart.
 */
#pragma once

#include "base/mem.h"
#include "model/plan.h"

/* Opens /dev/kmsg at its end. A descriptor, or -errno (not root, no such device). */
int kmsg_open(void) _must_check_;

/*
 * Lines of nvme and RDMA since then, joined by newlines into buf (newest kept if they do not fit). 0, or
 * -errno.
 */
int kmsg_read(int fd, char *buf, size_t size) _must_check_;

/*
 * Takes out the lines of controller nvme<instance>, in place: one that reconnects meanwhile logs the same
 * lines as a connect that fails, and says nothing about it.
 */
void kmsg_drop_controller(char *lines, unsigned instance);

/*
 * The cause of a failed connect: errno of the write (of either sign) and the kernel's lines (NULL:
 * unreadable). Pure. A cause that cannot be told is PATH_OTHER.
 */
enum path_reason kmsg_connect_reason(int code, const char *lines);
