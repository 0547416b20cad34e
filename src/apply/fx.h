/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The seam between the run loop and the world: what a step finds, and what it does. Two worlds
 * stand behind it: the live machine (cmd/live.c puts the readers and fx_*.c together) and
 * the in-memory one of the tests.
 */
#pragma once

#include "base/err.h"
#include "model/step.h"

/* What is there now for a step's object. */
struct observed {
	bool there;   /* a controller with exactly this identity */
	bool live;    /* and its state is live */
	int instance; /* N of nvmeN; -1 */
	int cntlid;
	char state[24];
	bool source_on_port; /* the source address is (still) the step's port's */
};

/* How the queues of a controller are proven. */
enum proof_verdict {
	VERDICT_PROVEN,
	VERDICT_MISMATCH, /* a queue pair of the group is on another device */
	VERDICT_UNKNOWN,  /* RDMA netlink cannot be read, or does not settle in time */
};

struct fx {
	void *ctx;
	/* Reads; 0 or -errno with err. */
	int (*observe)(void *ctx, const struct step *step, struct observed *ret, struct err *err);
	/* The device of every queue pair of the step's group; why gets a sentence, with source and portal. */
	enum proof_verdict (*prove)(void *ctx, const struct step *step, char *why, size_t size);
	/*
	 * The effect. 0; or -errno with *ret_reason and err filled: then nothing is left half-made, or what
	 * could not be taken away is found by observing. -EINTR: stopped by a signal. -EALREADY: somebody
	 * else made the same controller meanwhile; it is theirs.
	 */
	int (*perform)(void *ctx, const struct step *step, enum path_reason *ret_reason, struct err *err);
	/* True once SIGINT, SIGTERM or SIGHUP asked to stop: no further step is begun. */
	bool (*stop_requested)(void *ctx);
};
