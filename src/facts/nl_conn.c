/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Netlink requests over libnl, with the errno that the kernel gave. */
#include "facts/nl_conn.h"

#include <errno.h>
#include <netlink/errno.h>
#include <netlink/handlers.h>
#include <netlink/msg.h>
#include <netlink/netlink.h>
#include <netlink/socket.h>
#include <string.h>
#include <sys/socket.h>

/* The kernel makes dumps in pieces of at most 32 KiB (netlink_dump), if the reader has room. */
#define RECEIVE_SIZE (64 * 1024)

static int errno_of(int nle)
{
	switch (nle < 0 ? -nle : nle) {
	case NLE_AGAIN: /* the receive timeout */
		return -ETIMEDOUT;
	case NLE_NOMEM:
		return -ENOMEM;
	case NLE_MSG_TRUNC:
	case NLE_MSG_TOOSHORT:
		return -EMSGSIZE;
	case NLE_PROTO_MISMATCH:
	case NLE_AF_NOSUPPORT:
		return -EPROTONOSUPPORT;
	case NLE_PERM:
	case NLE_NOACCESS:
		return -EACCES;
	default:
		return -EPROTO;
	}
}

/* From the kernel, and the answer to the request under way: not a late one, nor somebody else's. */
static bool is_answer(const struct nl_conn *conn, struct nl_msg *msg)
{
	return nlmsg_get_src(msg)->nl_pid == 0 && nlmsg_hdr(msg)->nlmsg_seq == conn->seq;
}

static int on_valid(struct nl_msg *msg, void *arg)
{
	struct nl_conn *conn = arg;
	struct nlmsghdr *hdr = nlmsg_hdr(msg);

	if (!is_answer(conn, msg))
		return NL_SKIP;
	conn->error = conn->take(hdr, conn->arg);
	if (!(hdr->nlmsg_flags & NLM_F_MULTI))
		conn->done = true;
	return conn->error < 0 ? NL_STOP : NL_OK;
}

/* The end of a dump carries its result (netlink_dump_done), which libnl does not look at. */
static int on_finish(struct nl_msg *msg, void *arg)
{
	struct nl_conn *conn = arg;
	int result = 0;

	if (!is_answer(conn, msg))
		return NL_SKIP;
	if (nlmsg_datalen(nlmsg_hdr(msg)) >= (int)sizeof(result))
		memcpy(&result, nlmsg_data(nlmsg_hdr(msg)), sizeof(result));
	if (result < 0)
		conn->error = result;
	conn->done = true;
	return NL_STOP;
}

static int on_error(struct sockaddr_nl *from, struct nlmsgerr *e, void *arg)
{
	struct nl_conn *conn = arg;

	if (from->nl_pid != 0 || e->msg.nlmsg_seq != conn->seq)
		return NL_SKIP;
	conn->error = e->error < 0 ? e->error : -EPROTO;
	return NL_STOP;
}

static int on_ack(struct nl_msg *msg, void *arg)
{
	struct nl_conn *conn = arg;

	conn->done = conn->done || is_answer(conn, msg);
	return NL_OK;
}

static int on_interrupted(struct nl_msg *msg, void *arg)
{
	struct nl_conn *conn = arg;

	conn->interrupted = conn->interrupted || is_answer(conn, msg);
	return NL_OK;
}

int nlc_open(struct nl_conn *conn, int protocol)
{
	const struct timeval timeout = { .tv_sec = NLC_TIMEOUT_S };
	int r;

	*conn = (struct nl_conn){ .sock = nl_socket_alloc(), .cb = nl_cb_alloc(NL_CB_CUSTOM) };
	if (!conn->sock || !conn->cb) {
		nlc_close(conn);
		return -ENOMEM;
	}
	nl_socket_disable_auto_ack(
		conn->sock); /* and with it libnl's check of sequences: is_answer does it */
	r = nl_connect(conn->sock, protocol);
	if (r == 0)
		r = nl_socket_set_msg_buf_size(conn->sock, RECEIVE_SIZE);
	r = r < 0 ? errno_of(r) : 0;
	if (r == 0 &&
	    setsockopt(nl_socket_get_fd(conn->sock), SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof(timeout)) < 0)
		r = -errno;
	if (r < 0) {
		nlc_close(conn);
		return r;
	}
	nl_cb_set(conn->cb, NL_CB_VALID, NL_CB_CUSTOM, on_valid, conn);
	nl_cb_set(conn->cb, NL_CB_FINISH, NL_CB_CUSTOM, on_finish, conn);
	nl_cb_set(conn->cb, NL_CB_ACK, NL_CB_CUSTOM, on_ack, conn);
	nl_cb_set(conn->cb, NL_CB_DUMP_INTR, NL_CB_CUSTOM, on_interrupted, conn);
	nl_cb_err(conn->cb, NL_CB_CUSTOM, on_error, conn);
	return 0;
}

void nlc_close(struct nl_conn *conn)
{
	nl_cb_put(conn->cb);
	nl_socket_free(conn->sock);
	conn->cb = NULL;
	conn->sock = NULL;
}

struct nl_msg *nlc_request(int type, int flags, const void *header, size_t size)
{
	struct nl_msg *msg = nlmsg_alloc_simple(type, flags);

	if (!msg || size == 0)
		return msg;
	if (nlmsg_append(msg, (void *)(uintptr_t)header, size, NLMSG_ALIGNTO) < 0) {
		nlmsg_free(msg);
		return NULL;
	}
	return msg;
}

int nlc_put(struct nl_msg *msg, int type, const void *data, size_t size)
{
	return nla_put(msg, type, (int)size, data) < 0 ? -EMSGSIZE : 0;
}

int nlc_put_u32(struct nl_msg *msg, int type, uint32_t value)
{
	return nlc_put(msg, type, &value, sizeof(value));
}

int nlc_ask(struct nl_conn *conn, struct nl_msg *msg, nlc_take take, void *arg)
{
	int r;

	if (!msg)
		return -ENOMEM;
	conn->take = take;
	conn->arg = arg;
	conn->error = 0;
	conn->done = false;
	conn->interrupted = false;
	r = nl_send_auto(conn->sock, msg);
	conn->seq = nlmsg_hdr(msg)->nlmsg_seq;
	nlmsg_free(msg);
	while (r >= 0 && !conn->done && conn->error == 0)
		r = nl_recvmsgs(conn->sock, conn->cb);
	if (conn->error < 0)
		return conn->error;
	if (r < 0)
		return errno_of(r);
	return conn->interrupted ? -EAGAIN : 0;
}

bool nlc_u8(const struct nlattr *attr, uint8_t *ret)
{
	if (!attr || nla_len(attr) < (int)sizeof(*ret))
		return false;
	memcpy(ret, nla_data(attr), sizeof(*ret));
	return true;
}

bool nlc_u32(const struct nlattr *attr, uint32_t *ret)
{
	if (!attr || nla_len(attr) < (int)sizeof(*ret))
		return false;
	memcpy(ret, nla_data(attr), sizeof(*ret));
	return true;
}

const char *nlc_text(const struct nlattr *attr)
{
	int length = attr ? nla_len(attr) : 0;

	return length > 0 && memchr(nla_data(attr), '\0', (size_t)length) ? nla_data(attr) : NULL;
}
