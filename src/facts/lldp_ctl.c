/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The neighbours that lldpd of this machine knows. liblldpctl would wait for it as long as it takes; so the
 * socket is opened and waited for here, and the library only speaks the protocol.
 */
#include "facts/lldp.h"

#ifndef HAVE_LLDPCTL

enum read_state lldp_ctl_ask(struct lldp *lldp, const char *path, char why[static SETTING_WHY_SIZE])
{
	(void)lldp, (void)path;
	str_format(why, SETTING_WHY_SIZE, "built without liblldpctl");
	return READ_NOT_THERE;
}

#else

#include <errno.h>
#include <lldpctl.h>
#include <poll.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "base/clock.h"

struct waiting {
	int fd;
	int64_t until; /* clock_ms */
	int code;      /* -errno of what failed first */
};

static int wait_for(const struct waiting *w, short events)
{
	struct pollfd poll_fd = { .fd = w->fd, .events = events };

	for (;;) {
		int64_t left = w->until - clock_ms();
		int r = left <= 0 ? 0 : poll(&poll_fd, 1, (int)left);

		if (r > 0)
			return 0;
		if (left <= 0)
			return -ETIMEDOUT;
		if (r < 0 && errno != EINTR)
			return -errno;
	}
}

/* One read or write, as soon as there is something to read or room to write. */
static ssize_t transfer(struct waiting *w, bool out, void *data, size_t length)
{
	for (;;) {
		ssize_t n;
		int r = wait_for(w, out ? POLLOUT : POLLIN);

		if (r < 0) {
			w->code = r;
			return LLDPCTL_ERR_CALLBACK_FAILURE;
		}
		n = out ? send(w->fd, data, length, MSG_NOSIGNAL | MSG_DONTWAIT)
			: recv(w->fd, data, length, MSG_DONTWAIT);
		if (n > 0)
			return n;
		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			continue;
		w->code = n < 0 ? -errno : -ECONNRESET;
		return n < 0 ? LLDPCTL_ERR_CALLBACK_FAILURE : LLDPCTL_ERR_EOF;
	}
}

/* All of it: the library would wait for the answer to a half of its question (_lldpctl_do_something). */
static ssize_t send_all(lldpctl_conn_t *conn, const uint8_t *data, size_t length, void *user_data)
{
	size_t sent = 0;

	(void)conn;
	while (sent < length) {
		ssize_t n = transfer(user_data, true, (void *)(uintptr_t)(data + sent), length - sent);

		if (n < 0)
			return n;
		sent += (size_t)n;
	}
	return (ssize_t)sent;
}

/* The buffer is const, though it is to be filled. */
static ssize_t receive_some(lldpctl_conn_t *conn, const uint8_t *data, size_t length, void *user_data)
{
	(void)conn;
	return transfer(user_data, false, (void *)(uintptr_t)data, length);
}

/* It would speak on stderr. */
static void be_silent(int severity, const char *text)
{
	(void)severity, (void)text;
}

/* connect() waits for nothing: where the backlog is full it fails (unix_stream_connect). fd or -errno. */
static int open_socket(const char *path)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd;

	if (str_copy(address.sun_path, sizeof(address.sun_path), path) < 0)
		return -ENAMETOOLONG;
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return -errno;
	if (connect(fd, (const struct sockaddr *)&address, sizeof(address)) < 0) {
		int code = -errno;

		(void)close(fd);
		return code;
	}
	return fd;
}

static void take_neighbour(struct lldp *lldp, const char *name, lldpctl_atom_t *neighbour)
{
	lldpctl_atom_t *chassis = lldpctl_atom_get(neighbour, lldpctl_k_port_chassis);

	/* lldpcli shows no hidden ones either: lldpd has found another one to be the real one. */
	if (lldpctl_atom_get_int(neighbour, lldpctl_k_port_hidden) == 0)
		lldp_neighbour(lldp, name, lldpctl_atom_get_str(neighbour, lldpctl_k_port_protocol),
			       chassis ? lldpctl_atom_get_str(chassis, lldpctl_k_chassis_id_subtype) : NULL,
			       chassis ? lldpctl_atom_get_str(chassis, lldpctl_k_chassis_id) : NULL);
	lldpctl_atom_dec_ref(chassis);
}

/* False: lldpd does not answer. */
static bool take_interface(struct lldp *lldp, lldpctl_atom_t *interface)
{
	const char *name = lldpctl_atom_get_str(interface, lldpctl_k_interface_name);
	lldpctl_atom_t *port, *neighbours, *neighbour;

	if (!name || !lldp_listens(lldp, name))
		return true;
	port = lldpctl_get_port(interface);
	if (!port)
		return false;
	neighbours = lldpctl_atom_get(port, lldpctl_k_port_neighbors);
	lldpctl_atom_foreach(neighbours, neighbour)
	{
		take_neighbour(lldp, name, neighbour);
	}
	lldpctl_atom_dec_ref(neighbours);
	lldpctl_atom_dec_ref(port);
	return true;
}

static bool take_all(struct lldp *lldp, lldpctl_conn_t *conn)
{
	lldpctl_atom_t *interfaces = lldpctl_get_interfaces(conn), *interface;
	bool good = interfaces;

	lldpctl_atom_foreach(interfaces, interface)
	{
		good = good && take_interface(lldp, interface);
	}
	lldpctl_atom_dec_ref(interfaces);
	return good;
}

enum read_state lldp_ctl_ask(struct lldp *lldp, const char *path, char why[static SETTING_WHY_SIZE])
{
	_cleanup_close_ int fd = open_socket(path ? path : lldpctl_get_default_transport());
	struct waiting waiting = { .fd = fd, .until = clock_ms() + LLDP_CTL_MS };
	lldpctl_conn_t *conn;
	bool good = false;

	if (fd == -ENOENT || fd == -ECONNREFUSED) {
		str_format(why, SETTING_WHY_SIZE, "lldpd does not run");
		return READ_NOT_THERE;
	}
	if (fd < 0) {
		str_format(why, SETTING_WHY_SIZE, "lldpd cannot be asked: %s", strerror(-fd));
		return READ_FAILED;
	}
	lldpctl_log_callback(be_silent);
	conn = lldpctl_new(send_all, receive_some, &waiting);
	if (conn) {
		good = take_all(lldp, conn);
		if (!good)
			str_format(why, SETTING_WHY_SIZE, "lldpd does not answer: %s",
				   waiting.code < 0 ? strerror(-waiting.code)
						    : lldpctl_strerror(lldpctl_last_error(conn)));
		(void)lldpctl_release(conn);
	} else {
		str_format(why, SETTING_WHY_SIZE, "lldpd cannot be asked: no memory");
	}
	return good ? READ_OK : READ_FAILED;
}

#endif
