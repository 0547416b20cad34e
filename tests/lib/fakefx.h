/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A world in memory behind struct fx: controllers that a run makes and others that an outsider makes,
 * interrupts and irqbalance's ban list, calls that fail, crashes, and a look into the journal at each effect.
 * And a root for tests that write: a directory which counts as live, though it is none.
 */
#pragma once

#include <setjmp.h>

#include "apply/fx.h"
#include "apply/journal.h"

#define FAKE_CTRLS_MAX 16
#define FAKE_OBJECTS_MAX 4
#define FAKE_IRQS_MAX 4
#define FAKE_BANS_MAX 16
/* Numbers of what a call can be about: controllers from 0, then these. */
#define FAKE_IRQ(i) (FAKE_OBJECTS_MAX + (i))
#define FAKE_DAEMON (FAKE_OBJECTS_MAX + FAKE_IRQS_MAX)
#define FAKE_THINGS (FAKE_DAEMON + 1)
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

/* CPUs of interrupt i: what the kernel gave it, where an outsider moves it, and its port's cores, two. */
#define FAKE_CPU_KERNEL(i) (1 + (i))
#define FAKE_CPU_OUTSIDER(i) (101 + (unsigned)(i))
#define FAKE_CORE(i) (50 + 2 * (i))

struct fake_irq {
	struct pci_addr pci;
	char name[IRQ_NAME_SIZE];
	unsigned number; /* another one after it was gone */
	bool gone;	 /* until the next process */
	struct cpuset affinity;
};

struct fake_ban {
	unsigned number;
	bool ours;    /* the run put it there */
	bool excused; /* an outsider did, where the journal has it, or after our look: nobody can tell */
};

/* What an outsider does to the object of one step; to the daemon always about interrupt 0. */
enum fake_outsider {
	FAKE_NOBODY,
	FAKE_CONNECTS,
	FAKE_DISCONNECTS,
	FAKE_REMAKES,
	FAKE_REGISTERS,
	FAKE_MOVES,   /* an interrupt */
	FAKE_UNLOADS, /* it is gone, and comes again as the kernel gives it */
	FAKE_BANS,
	FAKE_UNBANS,
	FAKE_RESTARTS, /* the daemon, and bans */
	FAKE_ENDS,     /* and it is there again in the next process */
};
#define FAKE_OUTSIDERS 11

/* In which way a call fails; where nothing is said it cannot fail in that way. */
enum fake_failure {
	FAKE_ERROR,    /* observe: -EIO. perform: -ECONNRESET without effect. prove: unknown. remove: -EIO */
	FAKE_LEFTOVER, /* perform: -ETIMEDOUT, and it is there. prove: mismatch. remove: the write fails */
	FAKE_STOPPED,  /* perform: -EINTR without effect */
	FAKE_BUSY,     /* remove: EBUSY. irq_write: ENOSPC. ban: the list is too long */
	FAKE_LATE,     /* remove: not gone in time */
	/* irq_*, bans_read, ban, unban: FAKE_ERROR without effect; FAKE_LEFTOVER with it; FAKE_LATE: nor can
	 * it be read back */
};
#define FAKE_FAILURES 5

enum fake_call {
	FAKE_FACTS,
	FAKE_OBSERVE,
	FAKE_PERFORM,
	FAKE_PROVE,
	FAKE_REMOVE,
	FAKE_REMOVED,
	FAKE_IRQ_READ,
	FAKE_IRQ_WRITE,
	FAKE_BANS_READ,
	FAKE_BAN,
	FAKE_UNBAN,
};

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

	struct fake_irq irq[FAKE_IRQS_MAX];
	unsigned irqs;
	struct cpuset full; /* no vector is left there */
	uint64_t born;	    /* of the daemon; 0: none runs */
	uint64_t next_born;
	struct fake_ban ban[FAKE_BANS_MAX];
	unsigned bans;
	bool racing; /* the list was read, and is not yet changed */
	bool blind;  /* the next look at an interrupt or a list fails */
	bool forced; /* a teardown with force */

	unsigned calls[FAKE_THINGS]; /* about each object, till now */
	struct {
		enum fake_call call;
		bool there, staying; /* then; what is leaving does not stay */
	} log[FAKE_THINGS][FAKE_CALLS_MAX];
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

/* --- fakeirq.c --- */

/* So many interrupts, as the kernel gave them, and perhaps a daemon with somebody's bans. */
void fake_irqs(struct fake_world *world, unsigned count, bool daemon);
struct fake_irq *fake_irq_find(struct fake_world *world, const struct pci_addr *pci, const char *name);
struct fake_ban *fake_ban_find(struct fake_world *world, unsigned number);
/* It is one of the cores of its port: only the program puts it there. */
bool fake_irq_is_ours(const struct fake_world *world, unsigned i);
/* The step that moves interrupt i to the first core of its port, from where it is. */
void fake_irq_step(const struct fake_world *world, struct step *step, unsigned i);
void fake_irq_fx(struct fx *fx);
void fake_irq_outsider(struct fake_world *world);
void fake_irq_next(struct fake_world *world);
bool fake_irq_there(const struct fake_world *world, unsigned thing);

/* --- of the world, for fakeirq.c --- */
bool fake_enter(struct fake_world *world, unsigned thing, enum fake_call call);
bool fake_fails(struct fake_world *world, bool failing, enum fake_failure failure);
void fake_wrong(struct fake_world *world, const char *what);
/* The journal as it is written down; NULL: there is none to look at. journal_data_free(own). */
const struct journal_data *fake_journal(struct fake_world *world, struct journal_data *own);

#define FAKE_BOOT_ID "6f1d9b3e-7a55-4c61-9d5c-0e2b8f4a1c37"

/* A directory with run/ and a boot id. It is made below /dev/shm where there is one, else below $TMPDIR. */
void fake_root_open(struct root *root);
void fake_root_close(struct root *root); /* removes it */
void fake_root_write(const struct root *root, const char *path, const char *text);
/* Text of a file, "" if it is not there; the caller frees. */
char *fake_root_read(const struct root *root, const char *path);
