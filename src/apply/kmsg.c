/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads what the kernel logged about a connect, and tells the cause from it. */
#include "apply/kmsg.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#define RECORD_MAX 8192	   /* CONSOLE_EXT_LOG_MAX; a smaller buffer gets EINVAL */
#define RECORDS_MAX 100000 /* something may log faster than we read */

int kmsg_open(void)
{
	int fd = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
	int code;

	if (fd < 0)
		return -errno;
	if (lseek(fd, 0, SEEK_END) < 0) {
		code = -errno;
		(void)close(fd);
		return code;
	}
	return fd;
}

/* Appends a line; the oldest ones make room. One that does not fit at all is left out. */
static void add_line(char *buf, size_t size, const char *line)
{
	size_t need = strlen(line) + 1, length = strlen(buf);

	if (need >= size)
		return;
	while (length + need >= size) {
		const char *next = strchr(buf, '\n') + 1;

		length -= (size_t)(next - buf);
		memmove(buf, next, length + 1);
	}
	memcpy(buf + length, line, need - 1);
	memcpy(buf + length + need - 1, "\n", 2);
}

/* "prio,seq,time,flags;text\n KEY=value\n...": the text, if it is about nvme or RDMA. */
static void add_record(char *record, char *buf, size_t size)
{
	char *text = strchr(record, ';');

	if (!text)
		return;
	text++;
	text[strcspn(text, "\n")] = '\0';
	for (char *at = text; *at != '\0'; at++) { /* the kernel escapes them already, "\x1b" */
		if ((unsigned char)*at < ' ' || *at == 0x7f)
			*at = '?';
	}
	if (strstr(text, "nvme") || strstr(text, "rdma"))
		add_line(buf, size, text);
}

int kmsg_read(int fd, char *buf, size_t size)
{
	char record[RECORD_MAX + 1];

	if (size == 0)
		return -EINVAL;
	buf[0] = '\0';
	for (unsigned i = 0; i < RECORDS_MAX; i++) {
		ssize_t length = read(fd, record, RECORD_MAX);

		/* EPIPE: lines were overwritten before we read them; the next read goes on behind them. */
		if (length < 0 && (errno == EINTR || errno == EPIPE))
			continue;
		if (length < 0)
			return errno == EAGAIN ? 0 : -errno;
		if (length == 0)
			break;
		record[length] = '\0';
		add_record(record, buf, size);
	}
	return 0;
}

void kmsg_drop_controller(char *lines, unsigned instance)
{
	char prefix[32];
	char *at = lines;

	/* dev_printk(): class name, device name */
	str_format(prefix, sizeof(prefix), "nvme nvme%u: ", instance);
	while (*at != '\0') {
		size_t length = strcspn(at, "\n");

		if (at[length] == '\n')
			length++;
		if (str_starts(at, prefix))
			memmove(at, at + length, strlen(at + length) + 1);
		else
			at += length;
	}
}

/*
 * Everything that fails after the address was resolved is ECONNRESET: ARP or ND without an answer, no answer
 * of the connection manager, a reject (nvme_rdma_cm_handler). Only a reject is logged as one.
 */
static enum path_reason reset_reason(const char *lines)
{
	if (strstr(lines, "Connect rejected: status 8 (")) /* IB_CM_REJ_INVALID_SERVICE_ID */
		return PATH_NO_LISTENER;
	if (strstr(lines, "Connect rejected:"))
		return PATH_OTHER;
	return strstr(lines, "rdma connection establishment failed (-104)") ? PATH_NO_ANSWER : PATH_OTHER;
}

/* An NVMe status of the Connect command; the texts of nvmf_log_connect_error, equal in Linux 6.1 and 6.12. */
static enum path_reason status_reason(const char *lines)
{
	if (strstr(lines, "Connect Invalid Data Parameter, subsysnqn "))
		return PATH_NQN_UNKNOWN;
	if (strstr(lines, "Connect Invalid Data Parameter, hostnqn "))
		return PATH_HOST_NOT_ALLOWED;
	if (strstr(lines, "Connect for subsystem ") && strstr(lines, " is not allowed, hostnqn: "))
		return PATH_HOST_NOT_ALLOWED;
	/* NVME_SC_HOST_ABORTED_CMD (0x371): the kernel's admin timeout ended the command (nvme_rdma_timeout).
	 */
	if (strstr(lines, "Connect command failed, error wo/DNR bit: 881"))
		return PATH_TIMEOUT;
	return PATH_OTHER;
}

enum path_reason kmsg_connect_reason(int code, const char *lines)
{
	switch (code < 0 ? -code : code) {
	case EADDRNOTAVAIL:
		return PATH_ADDRESS_MISSING;
	case ENODEV:
		return PATH_NO_RDMA_DEVICE;
	case ETIMEDOUT:
		return PATH_NO_ANSWER;
	case ECONNRESET:
		return lines ? reset_reason(lines) : PATH_OTHER;
	case EIO:
		return lines ? status_reason(lines) : PATH_OTHER;
	}
	return PATH_OTHER;
}
