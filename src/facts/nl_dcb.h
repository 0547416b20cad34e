/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Data Center Bridging of the live machine: PFC and what decides about a packet's priority, by rtnetlink. */
#pragma once

#include "facts/port_settings.h"

/* pfc, trust and dcb_why of these ports. Needs no rights. */
void nl_read_dcb(const struct topology *topo, const unsigned *port, unsigned count, struct settings *ret);

/* The answer about one interface; arg is a struct port_settings, which is as it was if this is an error. */
struct nlmsghdr;
int nl_take_dcb(struct nlmsghdr *hdr, void *arg);
