/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What bonding says in a link message: of a bond (IFLA_INFO_DATA), of a member (IFLA_INFO_SLAVE_DATA). */
#pragma once

#include "model/topology.h"

struct nlattr;

/* data NULL, or one that makes no sense: all is unknown. */
void nl_read_bond(struct nlattr *data, struct netdev *ret);
void nl_read_member(struct nlattr *data, struct netdev *ret);
