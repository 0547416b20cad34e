/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What "devlink -j dev eswitch show" and "devlink -j dev info" printed of the cards' functions. */
#pragma once

#include "base/root.h"
#include "model/finding.h"
#include "model/offload.h"

/* The eswitch, firmware and PSID of every port, from netlink/devlink.json (tests/README). */
void dump_read_devlink(const struct root *root, struct offload *ret, struct findings *findings);
