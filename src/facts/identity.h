/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The two files that say who this host is: /etc/nvme/hostnqn and hostid. */
#pragma once

#include "base/err.h"
#include "base/parse.h"
#include "base/root.h"

/* 0, or -errno with err filled; -ENOENT: there is no such file. */
int identity_read_hostnqn(const struct root *root, char ret[static NQN_SIZE], struct err *err) _must_check_;
/* The same, but *ret stays as it was and 0 is returned if there is no such file. */
int identity_read_hostid(const struct root *root, char ret[static UUID_SIZE], struct err *err) _must_check_;
