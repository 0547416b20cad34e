/* SPDX-License-Identifier: GPL-2.0-or-later */
/* irqbalance's socket: finding the one daemon, and one command with one answer a connection. */
#pragma once

#include <sys/types.h>

#include "base/root.h"
#include "model/irqbalance.h"

#define IRQBALANCE_REMEDY "; give it a policy script (--policyscript) that leaves the storage ports alone"

/* The daemon's socket is held by a descriptor, so that all of an exchange is with the same one. */
struct irqbalance_conn {
	const struct root *root;
	int socket;	/* O_PATH; -1: there is no daemon */
	int connection; /* for the first command; -1 */
	int64_t start;	/* of the waiting for the answer in hand */
	int wait_ms;
	bool stoppable;		 /* by a signal */
	struct irqbalance *seen; /* pid and born; state, once something fails */
	struct err *err;
};

/* "irqbalance (pid 7) WHY": fills err and the state. Returns code. */
int irqbalance_failed(const struct irqbalance_conn *c, int code, const char *why);
/* The same for what the system said. */
int irqbalance_unanswered(const struct irqbalance_conn *c, int code);

/*
 * Finds the daemon: 0 with the first connection, or with none and state IRQBALANCE_ABSENT; or -errno with
 * err. Then irqbalance_close. socket and connection are to be -1 before.
 */
int irqbalance_connect(struct irqbalance_conn *c) _must_check_;
void irqbalance_close(struct irqbalance_conn *c);

/* One more connection to it, or -errno with err. The caller closes. */
int irqbalance_dial(struct irqbalance_conn *c) _must_check_;

/* 0 or -errno, without err. */
int irqbalance_send(int fd, const char *command, size_t length) _must_check_;
/* All that it answers until it closes. Length or -errno, without err; -EFBIG: size bytes or more. */
ssize_t irqbalance_receive(const struct irqbalance_conn *c, int fd, char *buf, size_t size) _must_check_;
