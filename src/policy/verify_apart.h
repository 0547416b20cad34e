/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Checks of the partition that are about the networks, not about a controller. */
#pragma once

#include "policy/verify_parts.h"

void verify_subnets(const struct verify *v);
void verify_switches(const struct verify *v);
void verify_autoconnect(const struct verify *v);
