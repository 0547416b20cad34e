/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Look-ups in a platform, and the words for its enumerations. */
#include "model/platform.h"

const struct platform_port *platform_port(const struct platform *platform, const struct pci_addr *pci)
{
	for (unsigned i = 0; i < platform->ports; i++) {
		if (pci_compare(&platform->port[i].pci, pci) == 0)
			return &platform->port[i];
	}
	return NULL;
}

const char *role_name(enum role role)
{
	switch (role) {
	case ROLE_STORAGE:
		return "storage";
	case ROLE_COMPUTE:
		return "compute";
	case ROLE_MANAGEMENT:
		return "management";
	case ROLE_OTHER:
		break;
	}
	return "other";
}

const char *initiator_name(enum initiator initiator)
{
	switch (initiator) {
	case INITIATOR_BLUEFIELD3_ARM:
		return "bluefield3-arm";
	case INITIATOR_HOST_CPU:
		break;
	}
	return "host-cpu";
}
