/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A world in memory behind struct fx: controllers that a run makes and others that an outsider makes, calls
 * that fail, crashes, and a look into the journal at each effect. And a root for tests that write: a
 * directory which counts as live, though it is none.
 */
#pragma once

#include <setjmp.h>

#include "apply/fx.h"
#include "apply/journal.h"

#define FAKE_CTRLS_MAX 16
#define FAKE_OBJECTS_MAX 4
#define FAKE_CALLS_MAX 24 /* that are kept of an object */
#define FAKE_NEVER UINT32_MAX

/* The kernel gives a free instance and a free cntlid anew at once, and no inode twice. */
struct fake_ctrl {
	struct ctrl_id id;
	int instance, cntlid;
	uint64_t inode;
	char state[24];
	char owner[OWNER_SIZE]; /* in the registry; "": nobody */
	bool ours;		/* the run made it */
	bool excused;		/* an outsider made it between our intent and its done: nobody can tell */
	bool told;		/* but the kernel has told this process: EALREADY */
	bool unnamed;		/* it has no subsystem yet: nobody finds it by its names */
	bool replaced;		/* ours, and made again while it was leaving: its claim is the other one's */
	unsigned waits;		/* while it is deleting: so many until it is gone */
};

/* What an outsider does to the object of one step. */
enum fake_outsider { FAKE_NOBODY, FAKE_CONNECTS, FAKE_DISCONNECTS, FAKE_REMAKES, FAKE_REGISTERS };

/* In which way a call fails; where nothing is said it cannot fail in that way. */
enum fake_failure {
	FAKE_ERROR,    /* observe: -EIO. perform: -ECONNRESET without effect. prove: unknown. remove: -EIO */
	FAKE_LEFTOVER, /* perform: -ETIMEDOUT, and it is there. prove: mismatch. remove: the write fails */
	FAKE_STOPPED,  /* perform: -EINTR without effect */
	FAKE_BUSY,     /* remove: EBUSY */
	FAKE_LATE,     /* remove: not gone in time */
};
#define FAKE_FAILURES 5

enum fake_call { FAKE_FACTS, FAKE_OBSERVE, FAKE_PERFORM, FAKE_PROVE, FAKE_REMOVE, FAKE_REMOVED };

/* A call about an object, and which of all that are about it, from 0. */
struct fake_when {
	unsigned object, call; /* call FAKE_NEVER: none */
};

struct fake_world {
	/* Where "written down" is looked up: the journal of this root, or this open one; neither: nowhere. */
	const struct root *root;
	const struct journal *journal;
	struct fake_ctrl ctrl[FAKE_CTRLS_MAX];
	unsigned ctrls;
	struct ctrl_id object[FAKE_OBJECTS_MAX];
	unsigned objects; /* 0: the object of a step is its path */
	uint64_t next_inode;
	bool source_gone;
	uint64_t earlier;  /* ours below this inode is of an earlier run, and stays; 0: none */
	unsigned patience; /* waits until the time for removals is up */
	unsigned refused;  /* bits: objects that the target refuses */
	enum proof_verdict verdict;

	unsigned calls[FAKE_OBJECTS_MAX]; /* about each object, till now */
	struct {
		enum fake_call call;
		bool there, staying; /* then; what is leaving does not stay */
	} log[FAKE_OBJECTS_MAX][FAKE_CALLS_MAX];
	struct fake_when fail;
	enum fake_failure failure;
	bool failed;
	bool removal_failed;	   /* it was one of the calls of a removal */
	struct fake_when outsider; /* acts before this call */
	enum fake_outsider outsider_way;
	struct ctrl_id outsider_id;
	bool came;
	unsigned stop; /* from this call of all on a stop is asked for */

	/*
	 * A crash leaves the world and the journal as they are, so it can come in as many places as one of
	 * both has changed, counted from 0: before, between and after calls.
	 */
	unsigned crash;
	jmp_buf crashed;
	unsigned place, came_at, failed_at; /* the present one; the outsider's; the failure's */
	unsigned changes, seen_changes, seen_records;

	unsigned all_calls;
	unsigned effects;  /* performed or begun, failed ones included */
	bool disk_full;	   /* so a removal may have but the open record of its connect */
	const char *wrong; /* what must never happen, and did */

	struct {
		unsigned object;
		uint64_t inode;
		enum removal comes_to;
	} job[FAKE_CTRLS_MAX];
	unsigned jobs;
};

/* Nothing in it, nothing planned. */
void fake_world_init(struct fake_world *world, const struct root *root);
/* Time passes, and another process begins: nothing planned, what was late goes on. */
void fake_world_next(struct fake_world *world);
struct fx fake_fx(struct fake_world *world);

/* The one that has these names, and is not leaving if there is a choice. */
struct fake_ctrl *fake_find(struct fake_world *world, const struct ctrl_id *id);
struct fake_ctrl *fake_connect(struct fake_world *world, const struct ctrl_id *id, bool ours);
void fake_disconnect(struct fake_world *world, const struct ctrl_id *id);

/* A run reads the machine. */
void fake_read(struct fake_world *world);
/* A place where it can crash. */
void fake_place(struct fake_world *world);
/* The process has ended; the outsider acts now, if it did not before. */
void fake_end(struct fake_world *world);

/* Step i of a plan over storage ports: its own portal, path i. */
void fake_step(struct step *step, unsigned i);

#define FAKE_BOOT_ID "6f1d9b3e-7a55-4c61-9d5c-0e2b8f4a1c37"

/* A directory with run/ and a boot id. It is made below /dev/shm where there is one, else below $TMPDIR. */
void fake_root_open(struct root *root);
void fake_root_close(struct root *root); /* removes it */
void fake_root_write(const struct root *root, const char *path, const char *text);
/* Text of a file, "" if it is not there; the caller frees. */
char *fake_root_read(const struct root *root, const char *path);
