/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A netlink socket for one reading: requests one after another, each answered in full or
 * not at all, and the kernel's own errno. libnl 3.7 as it comes would lose it, hang after an
 * error (the error is the acknowledgement that it waits for), and take a dump that
 * ended in an error for a complete one.
 */
#pragma once

#include <linux/netlink.h>
#include <stdint.h>

#include "base/mem.h"

struct nl_cb;
struct nl_msg;
struct nl_sock;

/* One message of the answer. Returns 0, or -errno to end the reading. */
typedef int (*nlc_take)(struct nlmsghdr *hdr, void *arg);

struct nl_conn {
	struct nl_sock *sock;
	struct nl_cb *cb;
	/* of the request under way */
	nlc_take take;
	void *arg;
	uint32_t seq;
	int error;
	bool done, interrupted;
};

/* 0; -EPROTONOSUPPORT: the kernel has no such netlink family; another -errno. */
int nlc_open(struct nl_conn *conn, int protocol) _must_check_;
void nlc_close(struct nl_conn *conn);
#define _cleanup_nlc_ _cleanup_(nlc_close)

/* A request with a family header of size bytes (0: none). NULL: no memory. */
struct nl_msg *nlc_request(int type, int flags, const void *header, size_t size);
/* Attributes; they report what does not fit. */
int nlc_put(struct nl_msg *msg, int type, const void *data, size_t size) _must_check_;
int nlc_put_u32(struct nl_msg *msg, int type, uint32_t value) _must_check_;

/*
 * Sends msg, which it frees (NULL: -ENOMEM), and takes the whole answer. 0; the kernel's -errno or that of
 * take; -ETIMEDOUT after NLC_TIMEOUT_S without a message; -EAGAIN: the table changed during the dump
 * (NLM_F_DUMP_INTR), what was taken is not one state of it.
 */
#define NLC_TIMEOUT_S 2
int nlc_ask(struct nl_conn *conn, struct nl_msg *msg, nlc_take take, void *arg) _must_check_;

/* How often a dump that was interrupted, or failed in passing, is begun again. */
#define NLC_ATTEMPTS 5

/* Attributes in answers, each checked before use. False or NULL: not there, too short, not terminated. */
bool nlc_u8(const struct nlattr *attr, uint8_t *ret);
bool nlc_u32(const struct nlattr *attr, uint32_t *ret);
const char *nlc_text(const struct nlattr *attr);
