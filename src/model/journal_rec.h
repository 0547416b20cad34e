/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The journal's records as values: one JSON object a line in /run/nvme-partition/journal.
 * A head names the format, the boot and the program's version; per run there is a begin and an end;
 * per step an intent (with the value before) and then done or undone.
 */
#pragma once

#include "model/step.h"

#define JOURNAL_RECORDS_MAX 65536
#define JOURNAL_FORMAT 1
#define JOURNAL_VALUE_SIZE 512 /* every second of 224 CPUs is 448 */

enum journal_type { JOURNAL_BEGIN, JOURNAL_END, JOURNAL_STEP };
enum journal_state { JOURNAL_INTENT, JOURNAL_DONE, JOURNAL_UNDONE };

struct journal_rec {
	enum journal_type type;
	unsigned run;
	/* begin */
	char command[16];
	int pid;
	/* end */
	char result[16];
	/* step */
	unsigned step; /* from 1, within the run */
	enum step_kind kind;
	enum journal_state state;
	struct ctrl_id id;
	int cntlid;	/* after; -1: unknown */
	uint64_t inode; /* after: struct ctrl.inode; 0: unknown */
	/* Of a connect's intent: what was asked for, of which only these are kept: nr_io_queues,
	 * reconnect_delay, ctrl_loss_tmo. nr_io_queues 0: not said. */
	struct connect_opts opts;
	/* of an interrupt */
	struct pci_addr pci;
	char irq_name[IRQ_NAME_SIZE];
	unsigned irq_number; /* the number that it had */
	uint64_t daemon;     /* of a ban: struct irqbalance.born */
	/*
	 * "absent", or the controller's state; of an interrupt the list of its CPUs, or "absent" after; of a
	 * ban "banned" or "free". An intent of these two has both: where it is, and where it is to go.
	 */
	char before[JOURNAL_VALUE_SIZE];
	char after[JOURNAL_VALUE_SIZE];
};

struct journal_data {
	bool there;	 /* a journal of this boot exists */
	bool readable;	 /* false: there, but not for this user */
	bool other_boot; /* it is of an earlier boot: nothing of it is left on the machine */
	bool torn;	 /* its last line was cut by a crash and is ignored */
	bool unfinished; /* its last run has no end */
	unsigned last_run;
	struct journal_rec *rec; /* heap; journal_data_free */
	unsigned records;
};

/* What a journal says is ours: a connect that nothing has closed. */
struct journal_claim {
	struct ctrl_id id;
	uint64_t inode;		  /* of the controller that was made; 0: the intent alone is there */
	struct connect_opts opts; /* as in the intent */
	bool leaving; /* a disconnect was begun since, and is not over as far as the journal knows */
};

#define JOURNAL_CLAIMS_MAX PATHS_MAX
struct journal_claims {
	struct journal_claim claim[JOURNAL_CLAIMS_MAX]; /* the oldest first */
	unsigned count;
};

/*
 * A connect's own "undone" closes its claim, and a disconnect of the same names that is done; not one that
 * was only begun, or failed. -E2BIG: more than JOURNAL_CLAIMS_MAX.
 */
int journal_claims(const struct journal_data *data, struct journal_claims *ret) _must_check_;

/*
 * True if there is a claim of this identity and, where both are known, this inode. cntlid is not compared:
 * where the target allocates them dynamically a reconnect may get another one (nvmf_connect_admin_queue takes
 * the answer's), and it is the same controller still.
 */
bool journal_owns(const struct journal_data *data, const struct ctrl_id *id, uint64_t inode);

/*
 * A value that we changed and that is not back. Its chain of records begins with the first intent since it
 * was last as before, and goes on through whatever changes follow, until one that is done finds it as it was
 * before the first ("free", of a ban), or gone. "undone" says that a change did not come about: then the
 * chain is as it was before that. So is what somebody else has changed since: it is told by comparing.
 *
 * An interrupt is its function and its name; a ban is the number.
 */
struct journal_value {
	enum step_kind kind; /* STEP_IRQ_AFFINITY, STEP_IRQBALANCE_BAN */
	struct pci_addr pci;
	char irq_name[IRQ_NAME_SIZE];
	unsigned irq_number; /* that it had; one with another number is another interrupt */
	uint64_t daemon;     /* whose list has it; 0: nobody knows, since the run was killed */
	/* Of an affinity. */
	struct cpuset original;	   /* before the chain */
	struct cpuset last;	   /* where it is, or where the last change was to bring it */
	struct cpuset before_last; /* where it is if that has not come about, and it was ours; else as last */
};

/* Its records, as indexes. */
struct journal_chain {
	unsigned first;
	unsigned last;	 /* that says where it is, or is to be */
	unsigned before; /* the one before that, if last is an intent */
};

#define JOURNAL_VALUES_MAX STEPS_MAX
struct journal_values {
	struct journal_value value[JOURNAL_VALUES_MAX]; /* the oldest chain first */
	struct journal_chain chain[JOURNAL_VALUES_MAX];
	unsigned count;
};

/* -E2BIG: more than JOURNAL_VALUES_MAX. A value whose text is no list of CPUs is -EBADMSG. */
int journal_values(const struct journal_data *data, struct journal_values *ret) _must_check_;

/* True if there is a value of this kind and interrupt, or of a ban this number. */
bool journal_has_value(const struct journal_data *data, enum step_kind kind, const struct pci_addr *pci,
		       const char *irq_name, unsigned irq_number);

const char *journal_state_name(enum journal_state state);
int journal_state_parse(const char *name, enum journal_state *ret) _must_check_;
