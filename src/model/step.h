/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Steps: the plan as typed effects, in order, complete before the first of them. The
 * one list is the dry run, the journal, the rollback and the oracle of the tests. A
 * step holds everything its effect needs; it has no condition and no callback.
 */
#pragma once

#include "model/affinity.h"
#include "model/plan.h"

#define STEPS_MAX 16384 /* PATHS_MAX connects, each interrupt and its ban, and all of that taken back */

enum step_kind {
	STEP_NVME_CONNECT,
	STEP_NVME_DISCONNECT,
	STEP_IRQBALANCE_BAN, /* of one interrupt, so that each can be undone apart */
	STEP_IRQ_AFFINITY,
};
#define STEP_KINDS 4

enum step_state { STEP_WOULD, STEP_DONE, STEP_SKIPPED, STEP_FAILED };

struct step {
	enum step_kind kind;
	enum step_state state;
	struct pci_addr pci; /* the port it touches; must be storage when made and when done */
	enum role role;
	struct ctrl_id id;
	char rdma_device[RDMA_NAME_SIZE]; /* that must carry it */
	struct connect_opts opts;
	int timeout_s;	/* of the connection manager's phase */
	int path;	/* index into plan.path */
	uint64_t inode; /* of a disconnect: of what the journal says is ours; 0: its names alone */
	/* Of a connect, and its disconnect in the same run: what the registry said right after it was made.
	 * That is left from an earlier controller of this number. "": nothing. */
	char stale_owner[OWNER_SIZE];
	/* An interrupt, of the function pci. */
	char irq_name[IRQ_NAME_SIZE];
	struct cpuset before; /* as it was planned; of an undo: where this program put it last */
	struct cpuset was;    /* of an undo: where a run that was killed may have left it */
	struct cpuset to;     /* once it is done: where it is; of a ban: empty if it is lifted */
	struct cpuset cores;  /* its port's: the next is tried if no vector is left; of an undo: empty */
	uint64_t daemon;      /* of a ban: struct irqbalance.born, whose list has it; 0: not known yet */
	unsigned irq_number; /* that it has, or had: the driver loaded again makes another one of that name */
	int irq;	     /* index into affinity.irq; -1: none */
};

struct steps {
	struct step step[STEPS_MAX];
	unsigned count;
};

const char *step_kind_name(enum step_kind kind); /* "nvme-connect" */
int step_kind_parse(const char *name, enum step_kind *ret) _must_check_;
const char *step_state_name(enum step_state state);
bool step_is_of_irq(enum step_kind kind); /* else of a controller */
bool step_is_undo(const struct step *step);
/* "nqn... traddr:trsvcid from host_traddr", "mlx5_comp0@pci:... of 0000:29:00.0"; for people. Returns buf. */
#define STEP_TEXT_MAX 512
const char *step_object(const struct step *step, char buf[static STEP_TEXT_MAX]);
