/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the two files about ports share: the storage ports that the platform names, as they are here. */
#pragma once

#include "policy/verify_parts.h"

struct storage_port {
	const struct platform_port *entry;
	int port;      /* index into ports; -1: not there, or with another card's id */
	bool link;     /* verify_port_has_link */
	bool ethernet; /* RoCE's settings apply */
	bool carries;  /* a controller's source is on it, or on a bond whose traffic it carries now */
	char pci[PCI_TEXT_MAX];
};

struct storage_ports {
	struct storage_port port[PLATFORM_PORTS_MAX];
	unsigned count;
	bool used[TOPO_NETDEVS_MAX]; /* a controller's source is on this interface */
};

/* addresses, roce_gid, pfc, trust, pause, roce_tos */
void verify_roce(const struct verify *v, const struct storage_ports *ports);
