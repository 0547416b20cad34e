/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Generic netlink over nl_conn: of the family only its number is needed, which is not worth another library.
 */
#pragma once

#include "facts/nl_conn.h"

/* An answer of this family's message type and command, into tb[max + 1]. 0 or -EPROTO. */
int nl_genl_parse(struct nlmsghdr *hdr, unsigned type, uint8_t command, struct nlattr **tb,
		  int max) _must_check_;

/* A request with one attribute. NULL: no memory. */
struct nl_msg *nl_genl_request(uint16_t type, uint8_t command, uint8_t version, int attr, const void *data,
			       size_t size);

/* The family's message type. -EOPNOTSUPP: the kernel has no such family; another -errno. */
int nl_genl_family(struct nl_conn *conn, const char *name, uint16_t *ret) _must_check_;

/* The message with it, arg: a uint16_t. */
int nl_take_family(struct nlmsghdr *hdr, void *arg);
