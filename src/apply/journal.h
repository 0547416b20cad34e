/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The journal: /run/nvme-partition/journal, append only, one JSON object a line, so that what
 * this program did can be undone whatever happened in between. It lives in /run since
 * connections do not survive a boot either.
 *
 *	journal_open()		directory checked (root's, mode 0700), locked for the whole run
 *	journal_begin()		before the first effect; an empty run leaves no trace
 *	  journal_intent()	flushed before the effect
 *	  journal_outcome()	after it
 *	journal_end()
 *	journal_close()
 *
 * The lock is a flock on the directory: the file can be replaced while somebody waits
 * for the lock, the directory cannot. Nobody but root can open it, so nobody else can hold it.
 */
#pragma once

#include "base/root.h"
#include "model/finding.h"
#include "model/journal_rec.h"

#define JOURNAL_DIR "run/nvme-partition"
#define JOURNAL_FILE "journal"

struct journal; /* an open, locked journal */

/* What an effect left. */
struct journal_after {
	const char *state; /* the value, as of struct journal_rec.after */
	int cntlid;
	uint64_t inode;
};

/*
 * Makes the directory, takes the lock (waiting up to wait_s seconds; then -ETIME, XC_TIMEOUT, and
 * err names the holder's pid where /proc/locks tells; -EINTR if a stop was asked for meanwhile), opens the
 * file without following links, checks owner and mode and reads what is in it. A line that a crash cut is
 * ignored, and removed before anything is written. A journal of an earlier boot is set aside (renamed to
 * "journal.BOOTID"), with a finding "journal.boot". Anything unreadable in it is -EBADMSG, XC_ENVIRONMENT
 * with the remedy; the file is left as it is. The root must be live.
 */
int journal_open(const struct root *root, int wait_s, struct journal **ret, struct findings *findings,
		 struct err *err) _must_check_;
void journal_close(struct journal *journal); /* also releases the lock; NULL is fine */

/* What the file holds, with what was written since it was opened. Belongs to the journal. */
const struct journal_data *journal_data(const struct journal *journal);

/* Nothing is written before the first intent: what fails then has had no effect. */
int journal_begin(struct journal *journal, const char *command, int argc, char *const argv[],
		  struct err *err) _must_check_;
/* number: from 1, within the run. before: as of struct journal_rec; after is what the step is to bring it to.
 */
int journal_intent(struct journal *journal, const struct step *step, unsigned number, const char *before,
		   struct err *err) _must_check_;
/*
 * state: JOURNAL_DONE or JOURNAL_UNDONE; before: as in its intent; after: as read back; cntlid -1, inode 0:
 * unknown. What was found to be undone already has no intent.
 */
int journal_outcome(struct journal *journal, const struct step *step, unsigned number,
		    enum journal_state state, const char *before, const struct journal_after *after,
		    struct err *err) _must_check_;
/* If nothing is claimed any more after this, no value is ours, and remove is true, the file goes. */
int journal_end(struct journal *journal, enum exit_class result, bool remove, struct err *err) _must_check_;

/*
 * Reads without a lock and without changing anything, also in a tree. Never fails for what an ordinary
 * user may not read: then there is true and readable false.
 */
int journal_read(const struct root *root, struct journal_data *ret, struct err *err) _must_check_;
void journal_data_free(struct journal_data *data);
