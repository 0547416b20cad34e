/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The journal: what was done, on disk before it is done. */
#include "apply/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "apply/journal_file.h"
#include "apply/journal_text.h"

/*
 * What must be left before an intent: its begin, itself, its outcome and the end of the run; before a connect
 * a disconnect as well, so that what was connected can always be taken away again.
 */
#define RECORDS_SPARE 4
#define SIZE_SPARE (64UL << 10)

struct journal {
	const struct root *root;
	int dir; /* holds the lock */
	int fd;	 /* -1: there is no file yet */
	char boot_id[UUID_SIZE];
	struct journal_data data;
	unsigned run;						/* the present one; 0: none was begun */
	char before[sizeof(((struct journal_rec *)0)->before)]; /* of the last intent */
	char *begin;						/* its first line, until it is written */
	size_t size;						/* of the file; all of it complete lines */
	unsigned records;
	bool broken; /* a line that could not be taken back is in the file: nothing may follow it */
	char path[JOURNAL_PATH_MAX];
};

/* --- opening ---------------------------------------------------------------------------------- */

/* A journal of an earlier boot says nothing about this one, but somebody may want to read it. */
static int set_aside(struct journal *journal, const char *boot_id, struct findings *findings, struct err *err)
{
	char name[sizeof(JOURNAL_FILE) + 1 + UUID_SIZE];

	str_format(name, sizeof(name), JOURNAL_FILE ".%s", boot_id);
	if (renameat(journal->dir, JOURNAL_FILE, journal->dir, name) < 0)
		return err_set(err, XC_ENVIRONMENT, -errno, journal->path,
			       "%s: is of an earlier boot and cannot be set aside: %s", journal->path,
			       strerror(errno));
	(void)close(journal->fd);
	journal->fd = -1;
	finding_add(findings, FINDING_WARN, "journal.boot", journal->path, boot_id,
		    "the journal was of an earlier boot, of which nothing is left; it is now %s beside it",
		    name);
	return 0;
}

static int open_and_read(struct journal *journal, struct findings *findings, struct err *err)
{
	char boot_id[UUID_SIZE];
	size_t whole;
	int r = journal_boot_id(journal->root, journal->boot_id, err);

	if (r < 0)
		return r;
	journal->fd = journal_file_open(journal->root, journal->dir, err);
	if (journal->fd == -ENOENT) {
		journal->fd = -1;
		journal->data.readable = true;
		return 0;
	}
	if (journal->fd < 0)
		return journal->fd;
	r = journal_file_read(journal->root, journal->fd, &journal->data, boot_id, &whole, err);
	if (r < 0)
		return r;
	if (journal->data.other_boot)
		return set_aside(journal, boot_id, findings, err);
	/* What a crash cut never became an intent: no effect followed it. */
	if (journal->data.torn && ftruncate(journal->fd, (off_t)whole) < 0)
		return err_set(err, XC_ENVIRONMENT, -errno, journal->path, "%s: %s", journal->path,
			       strerror(errno));
	journal->size = whole;
	journal->records = journal->data.records;
	return 0;
}

int journal_open(const struct root *root, int wait_s, struct journal **ret, struct findings *findings,
		 struct err *err)
{
	struct journal *journal;
	int r;

	if (!root->live)
		return err_set(err, XC_ENVIRONMENT, -EROFS, root->path, "%s: nothing is applied to a tree",
			       root->path);
	journal = calloc(1, sizeof(*journal));
	if (!journal)
		return err_set(err, XC_FAILED, -ENOMEM, JOURNAL_DIR, "out of memory");
	journal->root = root;
	journal->fd = -1;
	journal_path(root, journal->path);
	r = journal->dir = journal_dir_open(root, err);
	if (r >= 0)
		r = journal_dir_lock(root, journal->dir, wait_s, err);
	if (r == 0)
		r = open_and_read(journal, findings, err);
	if (r < 0) {
		journal_close(journal);
		return r;
	}
	*ret = journal;
	return 0;
}

void journal_close(struct journal *journal)
{
	if (!journal)
		return;
	journal_data_free(&journal->data);
	free(journal->begin);
	mem_closep(&journal->fd);
	mem_closep(&journal->dir);
	free(journal);
}

const struct journal_data *journal_data(const struct journal *journal)
{
	return &journal->data;
}

/* --- writing ---------------------------------------------------------------------------------- */

static int write_failed(struct journal *journal, int code, struct err *err)
{
	/* What is there of the line is taken back, else the next line would be read as its end. */
	if (ftruncate(journal->fd, (off_t)journal->size) < 0)
		journal->broken = true;
	return err_set(err, XC_ENVIRONMENT, code, journal->path,
		       "%s: cannot be written: %s; make room in /run", journal->path, strerror(-code));
}

static int append(struct journal *journal, const char *line, struct err *err)
{
	size_t length = strlen(line);
	ssize_t written;

	if (journal->broken)
		return err_set(err, XC_ENVIRONMENT, -EIO, journal->path,
			       "%s: an earlier line could not be written nor taken back", journal->path);
	do {
		written = write(journal->fd, line, length);
	} while (written < 0 && errno == EINTR);
	if (written < 0)
		return write_failed(journal, -errno, err);
	if ((size_t)written != length)
		return write_failed(journal, -ENOSPC, err);
	if (fdatasync(journal->fd) < 0)
		return write_failed(journal, -errno, err);
	journal->size += length;
	return 0;
}

static int append_record(struct journal *journal, const char *line, struct err *err)
{
	int r = append(journal, line, err);

	if (r == 0)
		journal->records++;
	return r;
}

/* The file and what stands before the first intent of a run. */
static int write_begin(struct journal *journal, struct err *err)
{
	int r = 0;

	if (journal->fd < 0) {
		r = journal_file_create(journal->root, journal->dir, err);
		if (r < 0)
			return r;
		journal->fd = r;
		journal->size = 0;
		(void)fsync(journal->dir);
	}
	if (journal->size == 0) {
		_cleanup_free_ char *head = journal_format_head(journal->boot_id);

		r = append(journal, head, err);
		if (r < 0)
			return r;
	}
	r = append_record(journal, journal->begin, err);
	if (r == 0) {
		free(journal->begin);
		journal->begin = NULL;
	}
	return r;
}

int journal_begin(struct journal *journal, const char *command, int argc, char *const argv[], struct err *err)
{
	unsigned last = journal->run ? journal->run : journal->data.last_run;

	if (last >= INT32_MAX)
		return err_set(err, XC_ENVIRONMENT, -EOVERFLOW, journal->path, "%s: too many runs",
			       journal->path);
	/* A run that was begun and wrote nothing gives its number back. */
	journal->run = journal->begin ? last : last + 1;
	free(journal->begin);
	journal->begin = journal_format_begin(journal->run, command, argc, argv, (int)getpid());
	return 0;
}

static int write_step(struct journal *journal, const struct step *step, unsigned number,
		      enum journal_state state, const char *after, int cntlid, struct err *err)
{
	_cleanup_free_ char *line = NULL;
	struct journal_rec rec = {
		.type = JOURNAL_STEP,
		.run = journal->run,
		.step = number,
		.kind = step->kind,
		.state = state,
		.id = step->id,
		.cntlid = cntlid,
	};

	memcpy(rec.before, journal->before, sizeof(rec.before));
	if (str_copy(rec.after, sizeof(rec.after), after) == 0)
		line = journal_format_step(&rec);
	if (!line)
		return err_set(err, XC_FAILED, -EINVAL, step->id.nqn,
			       "%s: its names cannot be kept in the journal as they are", step->id.nqn);
	return append_record(journal, line, err);
}

/* Whether step fits, and what may have to follow it. */
static bool has_room(const struct journal *journal, const struct step *step)
{
	unsigned spares = step->kind == STEP_NVME_CONNECT ? 2 : 1;

	return journal->records + spares * RECORDS_SPARE <= JOURNAL_RECORDS_MAX &&
	       journal->size + spares * SIZE_SPARE <= JOURNAL_SIZE_MAX;
}

int journal_intent(struct journal *journal, const struct step *step, unsigned number, const char *before,
		   struct err *err)
{
	int r = 0;

	if (journal->run == 0)
		return err_set(err, XC_FAILED, -EINVAL, journal->path, "%s: no run was begun", journal->path);
	if (!has_room(journal, step))
		return err_set(err, XC_ENVIRONMENT, -ENOSPC, journal->path,
			       "%s: is full; disconnect what it lists and remove it", journal->path);
	if (str_copy(journal->before, sizeof(journal->before), before) < 0)
		return err_set(err, XC_FAILED, -ENAMETOOLONG, step->id.nqn, "%s: state '%s' is too long",
			       step->id.nqn, before);
	if (journal->begin)
		r = write_begin(journal, err);
	return r == 0 ? write_step(journal, step, number, JOURNAL_INTENT, "", -1, err) : r;
}

int journal_outcome(struct journal *journal, const struct step *step, unsigned number,
		    enum journal_state state, const char *after, int cntlid, struct err *err)
{
	return write_step(journal, step, number, state, after, cntlid, err);
}

int journal_end(struct journal *journal, enum exit_class result, struct err *err)
{
	_cleanup_free_ char *line = NULL;

	if (journal->run == 0 || journal->begin)
		return 0; /* no step was written: no trace */
	line = journal_format_end(journal->run, result);
	return append_record(journal, line, err);
}

/* --- reading without the lock ------------------------------------------------------------------- */

int journal_read(const struct root *root, struct journal_data *ret, struct err *err)
{
	_cleanup_close_ int dir = -1, fd = -1;
	char path[JOURNAL_PATH_MAX], boot_id[UUID_SIZE];
	struct stat st;
	size_t whole;
	int r;

	journal_path(root, path);
	dir = root_openat(root, O_RDONLY | O_DIRECTORY | O_NOFOLLOW, JOURNAL_DIR);
	if (dir >= 0) {
		fd = openat(dir, JOURNAL_FILE, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
		r = fd < 0 ? -errno : 0;
	} else {
		r = dir;
	}
	if (r == -ENOENT || r == -EACCES) {
		*ret = (struct journal_data){ .there = r == -EACCES, .readable = r == -ENOENT };
		return 0;
	}
	if (r == 0 && fstat(fd, &st) < 0)
		r = -errno;
	if (r < 0)
		return err_set(err, XC_ENVIRONMENT, r, path, "%s: %s", path, strerror(-r));
	if (!S_ISREG(st.st_mode) || (st.st_uid != 0 && st.st_uid != root->owner))
		return err_set(err, XC_ENVIRONMENT, -EPERM, path, "%s: is no file of root; look who made it",
			       path);
	return journal_file_read(root, fd, ret, boot_id, &whole, err);
}

void journal_data_free(struct journal_data *data)
{
	free(data->rec);
	*data = (struct journal_data){ 0 };
}

bool journal_owns(const struct journal_data *data, const struct ctrl_id *id)
{
	bool ours = false;

	for (unsigned i = 0; i < data->records; i++) {
		const struct journal_rec *rec = &data->rec[i];

		if (rec->type != JOURNAL_STEP || !ctrl_id_equal(&rec->id, id))
			continue;
		switch (rec->kind) {
		case STEP_NVME_CONNECT:
			ours = rec->state != JOURNAL_UNDONE;
			break;
		case STEP_NVME_DISCONNECT:
			ours = ours && rec->state != JOURNAL_DONE;
			break;
		}
	}
	return ours;
}
