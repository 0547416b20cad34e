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
	int cntlid;	 /* after; -1: unknown */
	uint64_t inode;	 /* after: struct ctrl.inode; 0: unknown */
	char before[24]; /* "absent", or the controller's state */
	char after[24];
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
	uint64_t inode; /* of the controller that was made; 0: the intent alone is there */
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

const char *journal_state_name(enum journal_state state);
int journal_state_parse(const char *name, enum journal_state *ret) _must_check_;
