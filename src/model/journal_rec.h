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

const char *journal_state_name(enum journal_state state);
int journal_state_parse(const char *name, enum journal_state *ret) _must_check_;
