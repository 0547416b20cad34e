/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A platform: which machine it is (DMI) and which PCI address has which role. It comes
 * from a JSON file (platforms/), built in or of the admin; there is no code in it.
 */
#pragma once

#include "base/pci.h"
#include "model/topology.h"

#define PLATFORM_PORTS_MAX 128
#define PLATFORM_IDS_MAX 8
#define PLATFORM_NAME_SIZE 64

enum role { ROLE_OTHER, ROLE_STORAGE, ROLE_COMPUTE, ROLE_MANAGEMENT };

enum initiator { INITIATOR_HOST_CPU, INITIATOR_BLUEFIELD3_ARM };

struct platform_port {
	struct pci_addr pci;
	enum role role;
	int slot, port;			/* as printed on the chassis; -1: the file does not say */
	int numa_node;			/* expected; -1: the file does not say */
	int expect_mbps;		/* expected link speed; -1 */
	char label[PLATFORM_NAME_SIZE]; /* for messages; may be empty */
};

struct nic_id {
	enum role role;
	uint16_t vendor, device;
};

struct platform {
	char id[PLATFORM_NAME_SIZE];
	char origin[256]; /* "built in", or the path of the file */
	char sys_vendor[DMI_SIZE];
	char product_name[DMI_SIZE];
	enum initiator initiator;
	struct nic_id nic_id[PLATFORM_IDS_MAX];
	unsigned nic_ids;
	struct platform_port port[PLATFORM_PORTS_MAX]; /* sorted by PCI address */
	unsigned ports;
};

const struct platform_port *platform_port(const struct platform *platform, const struct pci_addr *pci);
const char *role_name(enum role role);
const char *initiator_name(enum initiator initiator);
