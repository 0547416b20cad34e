/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * DCB and pause of a tree: dcb.json and pause.json, as iproute2's dcb and ethtool print them (tests/README).
 * An interface that is not in the file has a driver that does not tell.
 */
#pragma once

#include "base/json.h"
#include "base/root.h"
#include "facts/port_settings.h"
#include "model/finding.h"

/* pfc, trust and dcb_why of these ports. */
void dump_read_dcb(const struct root *root, const struct topology *topo, const unsigned *port, unsigned count,
		   struct settings *ret, struct findings *findings);
/* pause_rx, pause_tx and pause_why of these ports. */
void dump_read_pause(const struct root *root, const struct topology *topo, const unsigned *port,
		     unsigned count, struct settings *ret, struct findings *findings);
