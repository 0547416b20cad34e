/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the live machine's devlink says of the cards' network functions. */
#pragma once

#include "model/offload.h"

/*
 * The eswitch, firmware and PSID of every port. Asking for the eswitch takes CAP_NET_ADMIN
 * (GENL_ADMIN_PERM); who may not ask learns the rest.
 */
void nl_read_devlink(struct offload *ret);

/* The messages, one by one. arg: a struct nl_devlink_reader. */
struct nlmsghdr;
struct nl_devlink_reader {
	uint16_t family;
	struct offload_port *port;
};
int nl_take_eswitch(struct nlmsghdr *hdr, void *arg);
int nl_take_devlink_info(struct nlmsghdr *hdr, void *arg);
