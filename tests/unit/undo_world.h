/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the tests of removals share: three controllers that are ours, and the steps that remove them. */
#pragma once

#include "apply/undo.h"
#include "unit/run_world.h"

#define NOT_OURS "the controller that is there now is not the one that this program made; it is left alone"

/* Three controllers that are ours, and the steps that remove them, the newest first; path i is object i. */
static inline void connected(struct bench *b)
{
	fake_world_init(&b->world, &b->root);
	(void)unlinkat(b->root.fd, JOURNAL_DIR "/" JOURNAL_FILE, 0);
	for (unsigned i = 0; i < STEPS; i++)
		fake_step(&b->steps->step[i], i);
	b->steps->count = STEPS;
	b->err = (struct err){ 0 };
	assert_int_equal(run(b), 0);
	for (unsigned i = 0; i < STEPS; i++) {
		struct step *step = &b->steps->step[STEPS - 1 - i];

		fake_step(step, i);
		step->kind = STEP_NVME_DISCONNECT;
		step->inode = fake_find(&b->world, &step->id)->inode;
		memset(&b->plan->path[i], 0, sizeof(b->plan->path[i]));
		b->plan->path[i].action = PATH_WOULD_DISCONNECT;
	}
	fake_world_next(&b->world);
}

static inline const struct ctrl_id *id_of(const struct bench *b, unsigned i)
{
	return &b->steps->step[STEPS - 1 - i].id;
}

static inline struct fake_ctrl *ctrl_of(struct bench *b, unsigned i)
{
	return fake_find(&b->world, id_of(b, i));
}

/* Before call n about object i: observe, remove, and looks whether it is gone. */
static inline void outsider_removing(struct bench *b, unsigned i, unsigned n, enum fake_outsider way)
{
	b->world.outsider = (struct fake_when){ i, n };
	b->world.outsider_way = way;
	b->world.outsider_id = *id_of(b, i);
}

static inline void open_run(struct bench *b, struct journal **ret)
{
	char *argv[] = { (char[]){ "nvme-partition" }, (char[]){ "teardown" } };

	b->err = (struct err){ 0 };
	assert_int_equal(journal_open(&b->root, 0, ret, b->findings, &b->err), 0);
	assert_int_equal(journal_begin(*ret, "teardown", 2, argv, &b->err), 0);
}

static inline void close_run(struct bench *b, struct journal *journal)
{
	struct err ignored = { 0 };

	(void)!journal_end(journal, XC_OK, true, &ignored);
	journal_close(journal);
	journal_data_free(&b->data);
	assert_int_equal(journal_read(&b->root, &b->data, &ignored), 0);
	assert_null(b->world.wrong);
}

static inline int undo(struct bench *b, unsigned first, bool rollback)
{
	struct journal *journal = NULL;
	int r;

	open_run(b, &journal);
	r = undo_steps(&b->fx, journal, b->steps, first, rollback, b->plan, &b->err);
	assert_int_equal(r < 0, b->err.code < 0);
	close_run(b, journal);
	return r;
}

static inline bool claimed(struct bench *b, unsigned i)
{
	return journal_owns(&b->data, id_of(b, i), 0);
}

static inline void assert_path(struct bench *b, unsigned i, enum path_action action, enum path_reason reason)
{
	assert_int_equal(b->plan->path[i].action, action);
	assert_int_equal(b->plan->path[i].reason, reason);
}

static inline void assert_left(struct bench *b, unsigned i, enum path_reason reason, const char *message)
{
	assert_path(b, i, PATH_FAILED, reason);
	assert_string_equal(b->plan->path[i].message, message);
	assert_int_equal(b->steps->step[STEPS - 1 - i].state, STEP_FAILED);
	assert_true(claimed(b, i));
}

/* The records of the last run about object i, as "intent undone". */
static inline const char *records_of(struct bench *b, unsigned i, char buf[static 64])
{
	buf[0] = '\0';
	for (unsigned k = 0; k < b->data.records; k++) {
		const struct journal_rec *rec = &b->data.rec[k];

		if (rec->type == JOURNAL_STEP && rec->run == b->data.last_run &&
		    ctrl_id_equal(&rec->id, id_of(b, i)))
			str_append(buf, 64, "%s%s", buf[0] ? " " : "", journal_state_name(rec->state));
	}
	return buf;
}
