/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds irqbalance, and makes sure that it is root's. */
#include "apply/irqbalance_conn.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include "apply/fx_irqbalance.h"
#include "apply/fx_signals.h"
#include "base/clock.h"
#include "base/parse.h"

#define SOCKET_DIR "run/irqbalance"
#define POLL_MS 50

/* --- waiting ------------------------------------------------------------------------------- */

/* R, S, T (stopped), Z (a zombie), ...; 0: unknown. */
static char process_state(const struct root *root, unsigned pid)
{
	char line[ROOT_LINE_MAX];
	const char *end;

	if (root_line(root, line, sizeof(line), "proc/%u/stat", pid) < 0)
		return 0;
	end = strrchr(line, ')'); /* "7 (name) S ...": the name may hold anything */
	return end && end[1] == ' ' ? end[2] : '\0';
}

static bool is_stopped(const struct irqbalance_conn *c)
{
	char state = process_state(c->root, c->seen->pid);

	return state == 'T' || state == 't';
}

/* Is there still hope? 0 or -errno. */
static int check_wait(const struct irqbalance_conn *c)
{
	int64_t waited = clock_ms() - c->start;

	if (c->stoppable && fx_signals_stop())
		return -EINTR;
	if (waited >= c->wait_ms)
		return -ETIMEDOUT;
	return waited >= IRQBALANCE_STOPPED_MS && is_stopped(c) ? -ETIMEDOUT : 0;
}

static int wait_for_input(const struct irqbalance_conn *c, int fd)
{
	struct pollfd poll_fd = { .fd = fd, .events = POLLIN };

	for (;;) {
		int r = check_wait(c);

		if (r < 0)
			return r;
		r = poll(&poll_fd, 1, POLL_MS);
		if (r > 0)
			return 0;
		if (r < 0 && errno != EINTR)
			return -errno;
	}
}

/* --- what went wrong ------------------------------------------------------------------------- */

int irqbalance_failed(const struct irqbalance_conn *c, int code, const char *why)
{
	char pid[24] = "";

	if (c->seen->pid)
		str_format(pid, sizeof(pid), " (pid %u)", c->seen->pid);
	c->seen->state = code == -E2BIG ? IRQBALANCE_LIST_TOO_LONG : IRQBALANCE_UNREACHABLE;
	return err_set(c->err, XC_PARTIAL, code, "irqbalance", "irqbalance%s %s", pid, why);
}

int irqbalance_unanswered(const struct irqbalance_conn *c, int code)
{
	char why[160];

	switch (-code) {
	case ETIMEDOUT:
		return irqbalance_failed(c, code,
					 is_stopped(c) ? "is stopped, and does not answer; kill -CONT it"
						       : "does not answer in time; run this again, or look "
							 "what it does");
	case EINTR:
		return irqbalance_failed(c, code, "was not waited for: stopped by a signal");
	case EACCES:
		return irqbalance_failed(c, code, "can be asked by root alone");
	}
	str_format(why, sizeof(why), "cannot be asked: %s", strerror(-code));
	return irqbalance_failed(c, code, why);
}

/* --- one exchange ---------------------------------------------------------------------------- */

/*
 * A new connection; the daemon takes one command on each. It may have others waiting, and then says EAGAIN,
 * which no poll() waits for.
 */
static int dial(const struct irqbalance_conn *c, int path)
{
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	_cleanup_close_ int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	int r;

	if (fd < 0)
		return -errno;
	(void)snprintf(to.sun_path, sizeof(to.sun_path), "/proc/self/fd/%d", path);
	while (connect(fd, (const struct sockaddr *)&to, sizeof(to)) < 0) {
		if (errno != EAGAIN && errno != EINTR)
			return -errno;
		r = check_wait(c);
		if (r < 0)
			return r;
		clock_sleep_ms(POLL_MS);
	}
	r = fd;
	fd = -1;
	return r;
}

int irqbalance_dial(struct irqbalance_conn *c)
{
	int fd;

	c->start = clock_ms();
	fd = dial(c, c->socket);
	return fd < 0 ? irqbalance_unanswered(c, fd) : fd;
}

/*
 * The whole command in one message, as the daemon reads but once, with our credentials: it asks for them
 * (SO_PASSCRED) and takes a command from uid 0 alone.
 */
int irqbalance_send(int fd, const char *command, size_t length)
{
	struct ucred self = { .pid = getpid(), .uid = geteuid(), .gid = getegid() };
	struct iovec part = { .iov_base = (void *)(uintptr_t)command, .iov_len = length };
	union {
		struct cmsghdr head;
		char space[CMSG_SPACE(sizeof(struct ucred))];
	} control = { 0 };
	struct msghdr message = {
		.msg_iov = &part, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof(control)
	};
	ssize_t sent;

	control.head.cmsg_level = SOL_SOCKET;
	control.head.cmsg_type = SCM_CREDENTIALS;
	control.head.cmsg_len = CMSG_LEN(sizeof(self));
	memcpy(CMSG_DATA(&control.head), &self, sizeof(self));
	do {
		sent = sendmsg(fd, &message, MSG_NOSIGNAL);
	} while (sent < 0 && errno == EINTR);
	if (sent < 0)
		return -errno;
	return (size_t)sent == length ? 0 : -EIO;
}

/* All that it answers until it closes. Length or -errno. */
ssize_t irqbalance_receive(const struct irqbalance_conn *c, int fd, char *buf, size_t size)
{
	size_t length = 0;

	while (length < size) {
		ssize_t n;
		int r = wait_for_input(c, fd);

		if (r < 0)
			return r;
		n = recv(fd, buf + length, size - length, 0);
		if (n == 0)
			return (ssize_t)length;
		if (n < 0 && errno != EINTR && errno != EAGAIN)
			return -errno;
		if (n > 0)
			length += (size_t)n;
	}
	return -EFBIG;
}

/* --- which daemon ---------------------------------------------------------------------------- */

static int check_mine(const struct irqbalance_conn *c, const struct stat *st, mode_t type, const char *why)
{
	if ((st->st_mode & S_IFMT) != type || st->st_uid != c->root->owner ||
	    (S_ISDIR(st->st_mode) && (st->st_mode & (S_IWGRP | S_IWOTH))))
		return irqbalance_failed(c, -EPERM, why);
	return 0;
}

/*
 * Who listens, and under which name: before 1.7 it is the name with two slashes, and before 1.6 another
 * directory or none.
 */
static int check_peer(const struct irqbalance_conn *c, int fd)
{
	struct ucred peer = { 0 };
	struct sockaddr_un name = { 0 };
	socklen_t length = sizeof(peer);

	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &length) < 0)
		return irqbalance_unanswered(c, -errno);
	if (peer.uid != c->root->owner)
		return irqbalance_failed(c, -EPERM, "is not root's process; it was not talked to");
	if (peer.pid > 0) /* 0: of a namespace that is not seen from here */
		c->seen->pid = (unsigned)peer.pid;
	length = sizeof(name) - 1;
	if (getpeername(fd, (struct sockaddr *)&name, &length) < 0)
		return irqbalance_unanswered(c, -errno);
	if (strstr(name.sun_path, "//"))
		return irqbalance_failed(
			c, -EPROTONOSUPPORT,
			"is older than 1.7, and its socket not safe to use" IRQBALANCE_REMEDY);
	return 0;
}

/* "irqbalance<pid>.sock" */
static bool socket_pid(const char *name, unsigned *ret)
{
	char digits[16];
	uint64_t pid;
	size_t length;

	if (!str_starts(name, "irqbalance"))
		return false;
	name += strlen("irqbalance");
	length = strspn(name, "0123456789");
	if (length >= sizeof(digits) || strcmp(name + length, ".sock") != 0)
		return false;
	memcpy(digits, name, length);
	digits[length] = '\0';
	if (parse_u64(digits, INT_MAX, &pid) < 0)
		return false;
	*ret = (unsigned)pid;
	return true;
}

/*
 * The socket of that name: into c, with a connection for the first command, if somebody listens on it. If not
 * it was left by a daemon that is gone. 0 or -errno.
 */
static int try_socket(struct irqbalance_conn *c, int dir, const char *name, unsigned pid)
{
	_cleanup_close_ int path = openat(dir, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	unsigned other = c->seen->pid;
	struct stat st;
	int r, fd;

	if (path < 0 && errno == ENOENT)
		return 0;
	if (path < 0 || fstat(path, &st) < 0)
		return irqbalance_unanswered(c, -errno);
	r = check_mine(c, &st, S_IFSOCK, "cannot be trusted: its socket is not root's");
	if (r < 0)
		return r;
	c->seen->pid = pid;
	fd = dial(c, path);
	if (fd == -ECONNREFUSED || fd == -ENOENT) {
		c->seen->pid = other;
		return 0;
	}
	if (fd < 0)
		return irqbalance_unanswered(c, fd);
	if (c->connection >= 0) {
		(void)close(fd);
		return irqbalance_failed(c, -EEXIST,
					 "is not the only one: two of them move interrupts; end one");
	}
	c->connection = fd;
	c->seen->born = (uint64_t)st.st_mtim.tv_sec * 1000000000 + (uint64_t)st.st_mtim.tv_nsec;
	c->socket = path;
	path = -1;
	return 0;
}

/* No socket: is it because no daemon is there? */
static int look_for_process(const struct irqbalance_conn *c)
{
	_cleanup_names_ struct names names = NAMES_INIT;
	int r = root_list(c->root, &names, "proc");

	if (r < 0)
		return irqbalance_failed(c, r, "may be running: /proc cannot be read");
	for (size_t i = 0; i < names.count; i++) {
		_cleanup_close_ int fd = -1;
		char comm[32];
		struct stat st;
		uint64_t pid;

		if (parse_u64(names.name[i], INT_MAX, &pid) < 0 ||
		    root_line(c->root, comm, sizeof(comm), "proc/%s/comm", names.name[i]) < 0 ||
		    strcmp(comm, "irqbalance") != 0)
			continue;
		fd = root_openat(c->root, O_PATH, "proc/%s", names.name[i]);
		/* Anybody can give a process this name, but only root's can move interrupts. */
		if (fd < 0 || fstat(fd, &st) < 0 || st.st_uid != c->root->owner ||
		    process_state(c->root, (unsigned)pid) == 'Z')
			continue;
		c->seen->pid = (unsigned)pid;
		return irqbalance_failed(c, -ENOTCONN,
					 "has no socket in /" SOCKET_DIR
					 " (it is older than 1.6, was built without, or "
					 "runs in a container)" IRQBALANCE_REMEDY);
	}
	c->seen->state = IRQBALANCE_ABSENT;
	return 0;
}

int irqbalance_connect(struct irqbalance_conn *c)
{
	_cleanup_names_ struct names names = NAMES_INIT;
	_cleanup_close_ int dir = root_openat(c->root, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, SOCKET_DIR);
	struct stat st;
	unsigned pid;
	int r = dir;

	c->start = clock_ms();
	if (r == -ENOENT)
		return look_for_process(c);
	if (r >= 0)
		r = fstat(dir, &st) < 0 ? -errno : root_list(c->root, &names, SOCKET_DIR);
	if (r < 0)
		return irqbalance_failed(c, r,
					 "may be running: its directory /" SOCKET_DIR " cannot be read");
	r = check_mine(c, &st, S_IFDIR, "cannot be trusted: others than root can write its directory");
	for (size_t i = 0; i < names.count && r >= 0; i++) {
		if (socket_pid(names.name[i], &pid))
			r = try_socket(c, dir, names.name[i], pid);
	}
	if (r < 0)
		return r;
	if (c->socket < 0)
		return look_for_process(c);
	return check_peer(c, c->connection);
}

void irqbalance_close(struct irqbalance_conn *c)
{
	mem_closep(&c->socket);
	mem_closep(&c->connection);
}
