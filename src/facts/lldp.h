/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the two sources of LLDP neighbours share, lldpd of the live machine (lldp_ctl.c) and a tree's dump
 * (lldp.c): whose interface it is, and what a chassis is called.
 */
#pragma once

#include "model/settings.h"
#include "model/topology.h"

#define LLDP_CTL_MS 300 /* for all answers of lldpd together */

struct lldp {
	const struct topology *topo;
	const unsigned *port; /* indexes into topo->port */
	unsigned count;
	struct settings *settings;
};

/* Somebody listens for neighbours there. False if it is no interface of the ports. */
bool lldp_listens(struct lldp *lldp, const char *ifname);

/* A neighbour of an interface, in lldpcli's words: "LLDP", "mac", "02:00:5e:00:00:01". NULL: not said. */
void lldp_neighbour(struct lldp *lldp, const char *ifname, const char *via, const char *type,
		    const char *value);

/* Asks lldpd at this socket (NULL: where it usually is). Other than READ_OK: why. */
enum read_state lldp_ctl_ask(struct lldp *lldp, const char *path, char why[static SETTING_WHY_SIZE]);
