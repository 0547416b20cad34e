/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The seam between the loops (run.c, undo.c) and the world: what a step finds, and what it does. Two worlds
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
	bool leaving; /* it is being deleted, by whomever */
	int instance; /* N of nvmeN; -1 */
	int cntlid;
	uint64_t inode; /* struct ctrl.inode; 0: unknown */
	char state[24];
	char owner[OWNER_SIZE]; /* somebody's, in nvme-cli's registry; "": nobody's */
	bool source_on_port;	/* of a connect: the source address is (still) the step's port's */
};

/* How the queues of a controller are proven. */
enum proof_verdict {
	VERDICT_PROVEN,
	VERDICT_MISMATCH, /* a queue pair of the group is on another device */
	VERDICT_UNKNOWN,  /* RDMA netlink cannot be read, or does not settle in time */
};

/* What has become of a removal. */
enum removal {
	REMOVAL_PENDING,
	REMOVAL_GONE,	/* that very controller, whoever has its name now */
	REMOVAL_BUSY,	/* EBUSY: its first connect still runs, and nothing else will remove it */
	REMOVAL_FAILED, /* err says why */
};

struct fx {
	void *ctx;
	/* Reads; 0 or -errno with err. A connect looks past a controller that is leaving. */
	int (*observe)(void *ctx, const struct step *step, struct observed *ret, struct err *err);
	/* The device of every queue pair of the step's group; why gets a sentence, with source and portal. */
	enum proof_verdict (*prove)(void *ctx, const struct step *step, char *why, size_t size);
	/*
	 * Makes the controller of a connect. 0; or -errno with *ret_reason and err filled: then nothing is
	 * left half-made, or what could not be taken away is found by observing. -EINTR: stopped by a signal.
	 * -EALREADY: somebody else made the same controller meanwhile; it is theirs.
	 */
	int (*perform)(void *ctx, const struct step *step, enum path_reason *ret_reason, struct err *err);
	/*
	 * Begins to delete what observe found, and does not wait. If that is leaving already it is only
	 * watched. 0 with *ret_job, which counts from 0 and is good until the world is closed; or -errno with
	 * err, and nothing was begun. -ESTALE: it is another controller by now.
	 */
	int (*remove)(void *ctx, const struct step *step, const struct observed *found, unsigned *ret_job,
		      struct err *err);
	enum removal (*removed)(void *ctx, unsigned job, struct err *err);
	/* Sleeps a moment, between two looks. False: the time for removals is up. */
	bool (*wait)(void *ctx);
	/* True once SIGINT, SIGTERM or SIGHUP asked to stop: no further step is begun. */
	bool (*stop_requested)(void *ctx);
};
