/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The configuration that makes a bond come back after a reboot, as netplan reads it: text for the operator to
 * put into a file of /etc/netplan. This program never writes there.
 */
#pragma once

#include <stdio.h>

#include "model/bond_plan.h"

/*
 * 0, or -EINVAL: a member's name holds what is not safe in a configuration, or the plan has no mode that a
 * bond is made in. What could not be written stays in out (ferror).
 */
int report_netplan(const struct topology *topo, const struct bond_plan *plan, FILE *out) _must_check_;
