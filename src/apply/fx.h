/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The seam between the loops (run.c, undo.c) and the world: what a step finds, and what it does. Two worlds
 * stand behind it: the live machine (cmd/live.c puts the readers and fx_*.c together) and
 * the in-memory one of the tests.
 */
#pragma once

#include "base/err.h"
#include "model/irqbalance.h"
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

/* Where an interrupt is. */
struct irq_now {
	bool there;
	unsigned number;
	struct cpuset affinity;	 /* as it was read back */
	struct cpuset effective; /* empty: unknown */
	bool pending;		 /* effective is not (yet) within affinity */
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
	/* The interrupt of a step. 0, also if it is not there; or -errno with err. */
	int (*irq_read)(void *ctx, const struct step *step, struct irq_now *ret, struct err *err);
	/*
	 * Moves it from before to cpus, if it is still at before, still has its name and its function is
	 * still a storage port. The errors of fx_irq_write(): -ENOSPC no vector is left there, -ESTALE
	 * somebody else moved it, -ENOENT, -EIO, -EINVAL, -EPERM (the role); ret as far as it is known.
	 */
	int (*irq_write)(void *ctx, const struct step *step, const struct cpuset *before,
			 const struct cpuset *cpus, struct irq_now *ret, struct err *err);
	/* irqbalance's ban list: fx_irqbalance_read, _ban, _unban. */
	int (*bans_read)(void *ctx, struct irqbalance *ret, struct err *err);
	int (*ban)(void *ctx, const struct irq_list *list, struct irqbalance *ret, struct err *err);
	int (*unban)(void *ctx, const struct irq_list *list, uint64_t daemon, struct irqbalance *ret,
		     struct err *err);
	/* Sleeps a moment, between two looks. False: the time for removals is up. */
	bool (*wait)(void *ctx);
	/* True once SIGINT, SIGTERM or SIGHUP asked to stop: no further step is begun. */
	bool (*stop_requested)(void *ctx);
};
