/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Bandwidth of the storage ports, their cards and the node: what the design makes possible, what is given
 * now, and where the rest is lost. In Mb/s; -1: unknown.
 */
#pragma once

#include "model/platform.h"

struct pcie_link {	      /* of a function; -1: unknown */
	int width, width_max; /* lanes */
	int mtps, mtps_max;   /* "32.0 GT/s PCIe" is 32000 */
};

enum bandwidth_loss {
	LOSS_NONE,
	LOSS_ABSENT,	    /* the port is not there */
	LOSS_WRONG_CARD,    /* it is there, and no storage port */
	LOSS_NO_LINK,	    /* down, no carrier */
	LOSS_SPEED_UNKNOWN, /* it has a link, whose speed could not be read: nothing is counted */
	LOSS_SLOW_LINK,
	LOSS_BACKUP,	  /* another member of its active-backup bond is the active one */
	LOSS_BROKEN_BOND, /* its bond breaks RDMA, or nobody knows how it sends */
	LOSS_NARROW_SLOT, /* of a card: fewer lanes, or slower ones, than the card could use */
	LOSS_PCIE_LIMIT,  /* of a card: all of its link is there, and the design asks for more */
	LOSS_PCIE_UNKNOWN,
	LOSS_COUNT,
};

struct port_bandwidth {
	struct pci_addr pci;
	int slot, port; /* as the platform has them; -1 */
	int64_t possible_mbps, given_mbps;
	enum bandwidth_loss loss;
};

struct card_bandwidth {
	struct pci_addr pci; /* of its first storage port */
	int slot;
	struct pcie_link pcie;		  /* of the function that has the least of it */
	int64_t pcie_mbps, pcie_max_mbps; /* what its slot gives, and would give in full */
	int64_t possible_mbps, given_mbps;
	enum bandwidth_loss loss;
};

struct bandwidth {
	int64_t possible_mbps, given_mbps;		/* of the node */
	struct port_bandwidth port[PLATFORM_PORTS_MAX]; /* sorted by PCI address */
	unsigned ports;
	struct card_bandwidth card[PLATFORM_PORTS_MAX]; /* in this order, too */
	unsigned cards;
};

const char *bandwidth_loss_name(enum bandwidth_loss loss); /* "no-link", ...; NULL for none */
/* What a PCIe link carries, without its encoding: 8b/10b up to 5 GT/s, then 128b/130b. -1: unknown. */
int64_t pcie_mbps(int width, int mtps);
