/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Placement: the cores that are set apart for each storage port, and the interrupts that belong on them.
 * An interrupt is its function and its name; the number is what it had when it was read.
 */
#pragma once

#include "model/topology.h"

#define CORES_PER_PORT_DEFAULT 4
#define CORES_LEFT_MIN 4 /* of a node, for everybody else */

enum unplaced {
	PLACED,
	UNPLACED_NO_NODE, /* numa_node is -1 */
	UNPLACED_NO_CPUS, /* the node has memory alone */
	UNPLACED_SMALL,	  /* no core of the node is left for it */
	UNPLACED_UNKNOWN, /* the node's CPUs, or which of them are isolated, could not be read */
};

/* A storage port; a VF uses the cores of its physical function and is not listed. */
struct affinity_port {
	int port;	    /* index into ports */
	int node;	    /* its id; -1 */
	struct cpuset cpus; /* the first thread of each core; empty: not placed */
	enum unplaced unplaced;
	bool in_use;	  /* queues complete on it, or are about to */
	bool unknown;	  /* of a controller there: how many queues it has, or how many vectors they use */
	unsigned missing; /* vectors that its queues complete on, and that have no interrupt */
};

enum irq_action {
	IRQ_NONE, /* cannot be placed: message */
	IRQ_SET,
	IRQ_KEPT,
	IRQ_WOULD_SET,
	IRQ_RESTORED,
	IRQ_WOULD_RESTORE,
	IRQ_FAILED,
	IRQ_FOREIGN,
};

struct affinity_irq {
	int irq; /* index into irqs of that reading; topo_irq(pci, vector) finds it in a later one */
	struct pci_addr pci;
	unsigned vector;
	unsigned number; /* as it was when it was read */
	char name[IRQ_NAME_SIZE];
	int port; /* index into affinity.port: whose cores; -1: none */
	struct cpuset before;
	struct cpuset target;		/* one CPU; empty: none */
	struct cpuset after, effective; /* as read back by this run; empty: it did not write */
	enum irq_action action;
	char message[256];
};

struct affinity {
	unsigned cores_per_port;		   /* as asked for */
	unsigned cores_fewest;			   /* of a port that is placed; 0: none is */
	struct affinity_port port[TOPO_PORTS_MAX]; /* sorted by PCI address */
	unsigned ports;
	struct cpuset reserved, reserved_with_siblings; /* of the ports in use */
	struct affinity_irq irq[TOPO_IRQS_MAX];		/* sorted by (pci, vector) */
	unsigned irqs;
};

const char *irq_action_name(enum irq_action action);
/* Why a port has no cores, as the end of a sentence about it; NULL if it has. */
const char *unplaced_advice(enum unplaced unplaced);
