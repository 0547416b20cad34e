/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where a controller's I/O queues complete: the queue, its hardware context, its completion
 * vector, the vector's interrupt, and the CPUs of each.
 */
#pragma once

#include "model/topology.h"

#define QUEUES_MAX TOPO_HCTXS_MAX

enum tristate { TRI_UNKNOWN = -1, TRI_NO, TRI_YES };

struct queue {
	unsigned ctrl;	     /* index into ctrls */
	unsigned qid;	     /* from 1; the admin queue is not listed */
	int vector;	     /* computed as the kernel does; -1: the number of vectors is unknown */
	int irq;	     /* index into irqs; -1: none (rxe has no interrupts) */
	int hctx;	     /* index into hctxs; -1: no namespace, or no CPU maps to it */
	int numa_node;	     /* of the port; -1: unknown */
	enum tristate local; /* every effective CPU is on the port's node */
};

struct queues {
	struct queue queue[QUEUES_MAX]; /* sorted by (ctrl, qid) */
	unsigned count;
};
