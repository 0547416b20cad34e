/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Global pause of the live machine's ports, by ethtool's generic netlink. */
#pragma once

#include "facts/port_settings.h"

/* pause_rx, pause_tx and pause_why of these ports. Needs no rights. */
void nl_read_pause(const struct topology *topo, const unsigned *port, unsigned count, struct settings *ret);

struct nlmsghdr;
struct nl_pause_reader {
	uint16_t family;
	struct port_settings *port;
};
int nl_take_pause(struct nlmsghdr *hdr, void *arg); /* arg: a struct nl_pause_reader */
