/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Messages of rtnetlink that make and take apart a bond, into a buffer of the caller's: nothing is sent here.
 * Interfaces are named by their index, so that a rename in between does no harm; a new bond alone by name.
 * libnl 3.7 knows no attribute of bonds, so they are put together by hand, in this one place.
 */
#pragma once

#include <stdint.h>

#include "model/bond_plan.h"

#define NL_BOND_SIZE 512
struct nl_bond_msg {
	_Alignas(8) unsigned char data[NL_BOND_SIZE]; /* a struct nlmsghdr and what follows */
	uint32_t length;
};

/* Each 0, or -EINVAL: a value that no kernel takes, and ret is empty. All ask for an acknowledgement. */

/* The mode, miimon, in hash modes layer3+4, in 802.3ad lacp_rate fast. -EEXIST of the kernel if it is there.
 */
int nl_bond_create(struct nl_bond_msg *ret, const char *name, enum bond_mode mode, int mtu) _must_check_;
int nl_bond_delete(struct nl_bond_msg *ret, int ifindex) _must_check_;
int nl_link_set_up(struct nl_bond_msg *ret, int ifindex, bool up) _must_check_;
int nl_link_set_mtu(struct nl_bond_msg *ret, int ifindex, int mtu) _must_check_;
/* Of a member that is down (bond_enslave); master 0: take it out. */
int nl_link_set_master(struct nl_bond_msg *ret, int ifindex, int master) _must_check_;
int nl_addr_add(struct nl_bond_msg *ret, int ifindex, const struct bond_addr *addr) _must_check_;
int nl_addr_del(struct nl_bond_msg *ret, int ifindex, const struct bond_addr *addr) _must_check_;
