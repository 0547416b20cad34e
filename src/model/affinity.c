/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The words for placement's enumerations. */
#include "model/affinity.h"

const char *irq_action_name(enum irq_action action)
{
	switch (action) {
	case IRQ_NONE:
		return "none";
	case IRQ_SET:
		return "set";
	case IRQ_KEPT:
		return "kept";
	case IRQ_WOULD_SET:
		return "would-set";
	case IRQ_RESTORED:
		return "restored";
	case IRQ_WOULD_RESTORE:
		return "would-restore";
	case IRQ_FAILED:
		return "failed";
	case IRQ_FOREIGN:
		return "foreign";
	}
	return NULL;
}

const char *unplaced_advice(enum unplaced unplaced)
{
	switch (unplaced) {
	case PLACED:
		break;
	case UNPLACED_NO_NODE:
		return "the firmware names no NUMA node for it (numa_node is -1), so no CPU is near it";
	case UNPLACED_NO_CPUS:
		return "its NUMA node has no CPUs";
	case UNPLACED_SMALL:
		return "its NUMA node has no core left for it";
	case UNPLACED_UNKNOWN:
		return "the CPUs of its NUMA node, or which of them are isolated, could not be read";
	}
	return NULL;
}
