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
 * What must be left before a line: its begin, itself, its outcome and the end of the run. And before an
 * intent that is no undo two thirds of all: whatever is to be undone has a line here, and that takes two
 * more, each about as long.
 */
#define RECORDS_SPARE 4
#define SIZE_SPARE (64UL << 10)
#define SIZE_LINE (8UL << 10) /* more than the longest one of a step */
#define UNDO_SHARE 3

struct journal {
	const struct root *root;
	int dir; /* holds the lock */
	int fd;	 /* -1: there is no file yet */
	char boot_id[UUID_SIZE];
	struct journal_data data;
	unsigned run;  /* the present one; 0: none was begun */
	char *begin;   /* its first line, until it is written */
	size_t size;   /* of the file; all of it complete lines */
	unsigned open; /* intents of this run without an outcome */
	bool broken;   /* a line that could not be taken back is in the file: nothing may follow it */
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
	journal->size = whole;
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
	/* What a crash cut never became an intent: no effect followed it. */
	if (journal->data.torn && ftruncate(journal->fd, (off_t)journal->size) < 0)
		return err_set(err, XC_ENVIRONMENT, -errno, journal->path, "%s: %s", journal->path,
			       strerror(errno));
	journal->data.torn = false;
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

/* rec is what line says: the data stays what the file holds. */
static int append_record(struct journal *journal, const char *line, const struct journal_rec *rec,
			 struct err *err)
{
	int r = append(journal, line, err);
	const char *why = r == 0 ? journal_add(&journal->data, rec) : NULL;

	if (!why)
		return r;
	journal->broken = true;
	return err_set(err, XC_FAILED, -EINVAL, journal->path, "%s: %s", journal->path, why);
}

/* The file and what stands before the first record of a run. */
static int write_begin(struct journal *journal, struct err *err)
{
	struct journal_rec rec = { .type = JOURNAL_BEGIN, .run = journal->run, .pid = (int)getpid() };
	int r = 0;

	if (journal->fd < 0) {
		r = journal_file_create(journal->root, journal->dir, err);
		if (r < 0)
			return r;
		journal->fd = r;
		journal->size = 0;
		journal->data.there = true;
		(void)fsync(journal->dir);
	}
	if (journal->size == 0) {
		_cleanup_free_ char *head = journal_format_head(journal->boot_id);

		r = append(journal, head, err);
		if (r < 0)
			return r;
	}
	r = append_record(journal, journal->begin, &rec, err);
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

static void set_object(const struct step *step, struct journal_rec *rec)
{
	rec->pci = step->pci;
	memcpy(rec->irq_name, step->irq_name, sizeof(rec->irq_name));
	rec->irq_number = step->irq_number;
	if (step->kind == STEP_IRQBALANCE_BAN)
		rec->daemon = step->daemon;
}

static int write_step(struct journal *journal, const struct step *step, struct journal_rec *rec,
		      const char *before, const char *after, struct err *err)
{
	_cleanup_free_ char *line = NULL;
	char object[STEP_TEXT_MAX];
	int r;

	if (journal->run == 0)
		return err_set(err, XC_FAILED, -EINVAL, journal->path, "%s: no run was begun", journal->path);
	rec->type = JOURNAL_STEP;
	rec->run = journal->run;
	rec->kind = step->kind;
	if (step_is_of_irq(step->kind))
		set_object(step, rec);
	else
		rec->id = step->id;
	if (str_copy(rec->before, sizeof(rec->before), before) == 0 &&
	    str_copy(rec->after, sizeof(rec->after), after) == 0)
		line = journal_format_step(rec);
	if (!line)
		return err_set(err, XC_FAILED, -EINVAL, journal->path,
			       "%s: its names and values cannot be kept in the journal as they are",
			       step_object(step, object));
	r = journal->begin ? write_begin(journal, err) : 0;
	return r == 0 ? append_record(journal, line, rec, err) : r;
}

/* Whether step fits, and what may have to follow it, and the outcomes of what is begun already. */
static int check_room(const struct journal *journal, const struct step *step, struct err *err)
{
	unsigned share = step_is_undo(step) ? 1 : UNDO_SHARE;

	if ((journal->data.records + journal->open + RECORDS_SPARE) * share <= JOURNAL_RECORDS_MAX &&
	    (journal->size + journal->open * SIZE_LINE + SIZE_SPARE) * share <= JOURNAL_SIZE_MAX)
		return 0;
	return err_set(err, XC_ENVIRONMENT, -ENOSPC, journal->path,
		       "%s: is full; run teardown, or undo what it lists and remove it", journal->path);
}

/* Where the step is to bring what it is about. */
static int wanted_of(const struct step *step, char buf[static JOURNAL_VALUE_SIZE])
{
	buf[0] = '\0';
	switch (step->kind) {
	case STEP_NVME_CONNECT:
	case STEP_NVME_DISCONNECT:
		break;
	case STEP_IRQBALANCE_BAN:
		return str_copy(buf, JOURNAL_VALUE_SIZE, step_is_undo(step) ? "free" : "banned");
	case STEP_IRQ_AFFINITY:
		return cpuset_format(&step->to, buf, JOURNAL_VALUE_SIZE);
	}
	return 0;
}

int journal_intent(struct journal *journal, const struct step *step, unsigned number, const char *before,
		   struct err *err)
{
	struct journal_rec rec = { .state = JOURNAL_INTENT, .step = number, .cntlid = -1 };
	char after[JOURNAL_VALUE_SIZE];
	int r = check_room(journal, step, err);

	if (r == 0 && wanted_of(step, after) < 0)
		r = err_set(err, XC_FAILED, -E2BIG, step->irq_name,
			    "%s: its list of CPUs is too long for the journal", step->irq_name);
	if (step->kind == STEP_NVME_CONNECT) {
		rec.opts.nr_io_queues = step->opts.nr_io_queues;
		rec.opts.reconnect_delay = step->opts.reconnect_delay;
		rec.opts.ctrl_loss_tmo = step->opts.ctrl_loss_tmo;
		rec.opts.ctrl_loss_forever = step->opts.ctrl_loss_forever;
	}
	if (r == 0)
		r = write_step(journal, step, &rec, before, after, err);
	journal->open += r == 0;
	return r;
}

static bool is_begun(const struct journal *journal, unsigned number)
{
	for (unsigned i = journal->data.records; i-- > 0;) {
		const struct journal_rec *rec = &journal->data.rec[i];

		if (rec->run != journal->run)
			return false;
		if (rec->type == JOURNAL_STEP && rec->step == number)
			return rec->state == JOURNAL_INTENT;
	}
	return false;
}

int journal_outcome(struct journal *journal, const struct step *step, unsigned number,
		    enum journal_state state, const char *before, const struct journal_after *after,
		    struct err *err)
{
	struct journal_rec rec = {
		.state = state, .step = number, .cntlid = after->cntlid, .inode = after->inode
	};
	bool begun = is_begun(journal, number);
	int r = begun ? 0 : check_room(journal, step, err); /* what is begun has its room */

	if (r < 0)
		return r;
	journal->open -= begun;
	return write_step(journal, step, &rec, before, after->state, err);
}

/* Nothing of it is needed any more: what it was about is gone. */
static int remove_file(struct journal *journal, struct err *err)
{
	if (unlinkat(journal->dir, JOURNAL_FILE, 0) < 0)
		return err_set(err, XC_ENVIRONMENT, -errno, journal->path,
			       "%s: all that it lists is undone, but it cannot be removed: %s", journal->path,
			       strerror(errno));
	(void)fsync(journal->dir);
	return 0;
}

/* Nothing is claimed any more. What the last records are about is open the soonest. */
static bool is_closed(const struct journal_data *data)
{
	for (unsigned i = data->records; i-- > 0;) {
		const struct journal_rec *rec = &data->rec[i];

		if (rec->type != JOURNAL_STEP)
			continue;
		if (step_is_of_irq(rec->kind)
			    ? journal_has_value(data, rec->kind, &rec->pci, rec->irq_name, rec->irq_number)
			    : rec->kind == STEP_NVME_CONNECT && journal_owns(data, &rec->id, 0))
			return false;
	}
	return true;
}

int journal_end(struct journal *journal, enum exit_class result, bool remove, struct err *err)
{
	struct journal_rec rec = { .type = JOURNAL_END, .run = journal->run };
	_cleanup_free_ char *line = NULL;
	int r = 0;

	if (journal->run != 0 && !journal->begin) { /* else no step was written: no trace */
		line = journal_format_end(journal->run, result);
		r = append_record(journal, line, &rec, err);
	}
	if (r < 0 || !remove || journal->fd < 0 || !is_closed(&journal->data))
		return r;
	return remove_file(journal, err);
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
