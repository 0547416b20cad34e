/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Removals: compared before, written down before, begun together, awaited together, read back. */
#include "apply/undo.h"

#include <errno.h>
#include <string.h>

#include "apply/settle.h"
#include "base/clock.h"
#include "base/log.h"

/* One removal from its begin to its end. */
struct removing {
	struct step *step;
	unsigned number; /* in the journal */
	bool begun;	 /* and not over */
	bool written;	 /* its intent is in the journal */
	unsigned job;
	char before[24];
	int64_t start;
};

struct undo {
	const struct fx *fx;
	struct journal *journal;
	const char *ended; /* why nothing further is begun; NULL: it is */
	struct err *err;   /* the first error of journal and world */
	int code;
};

/* What a removal came to. */
enum came_to { CAME_BEGUN, CAME_GONE_BEFORE, CAME_NOT_OURS, CAME_GONE, CAME_BUSY, CAME_LATE, CAME_FAILED };

/* The first error ends all beginning; what is begun is still awaited. */
static void broken(struct undo *u, int code, const char *why)
{
	if (!u->ended)
		u->ended = why;
	if (u->code == 0)
		u->code = code;
}

static void close_claim(struct undo *u, const struct removing *rm, enum journal_state state,
			const struct observed *after)
{
	struct journal_after left = { .state = settle_state(after), .cntlid = -1 };
	int r;

	if (after->there)
		left.cntlid = after->cntlid;
	r = journal_outcome(u->journal, rm->step, rm->number, state, rm->before, &left, u->err);
	if (r < 0)
		broken(u, r, "the journal failed");
}

/*
 * Not ours: made anew under these names after ours was gone, or claimed in the registry; but not by what was
 * in there under its number when this run had just made it.
 */
static bool is_ours(const struct undo *u, const struct step *step, const struct observed *found)
{
	uint64_t inode = found->inode;

	if (found->owner[0] != '\0' && strcmp(found->owner, step->stale_owner) != 0)
		return false;
	if (step->inode != 0 && step->inode != inode) /* one that cannot be told from ours is not ours */
		return false;
	return journal_owns(journal_data(u->journal), &step->id, inode);
}

/* What must go is looked for twice: nothing is removed unseen. */
static int look_for(struct undo *u, const struct removing *rm, bool must, struct observed *ret,
		    struct err *left)
{
	int r = u->fx->observe(u->fx->ctx, rm->step, ret, left);

	if (r == 0)
		return 0;
	if (u->err->code == 0)
		*u->err = *left;
	broken(u, r, "what is there could not be read");
	if (!must)
		return r;
	*left = (struct err){ 0 };
	return u->fx->observe(u->fx->ctx, rm->step, ret, left);
}

static int write_intent(struct undo *u, struct removing *rm, bool must, struct err *left)
{
	int r = journal_intent(u->journal, rm->step, rm->number, rm->before, u->err);

	rm->written = r == 0;
	if (r == 0)
		return 0;
	broken(u, r, "the journal failed");
	if (must)
		return 0;
	*left = *u->err;
	return r;
}

/* Between two looks it became another one, or went by itself. */
static enum came_to settle_stale(struct undo *u, const struct removing *rm, const struct observed *found)
{
	struct observed now = { .cntlid = -1 };
	struct err ignored = { 0 };
	int r = u->fx->observe(u->fx->ctx, rm->step, &now, &ignored);
	bool gone = r == 0 && !now.there;

	if (rm->written)
		close_claim(u, rm, gone ? JOURNAL_DONE : JOURNAL_UNDONE, r == 0 ? &now : found);
	return gone ? CAME_GONE_BEFORE : CAME_NOT_OURS;
}

/* must: it goes even if that cannot be written down. left: why it was not begun. */
static enum came_to begin(struct undo *u, struct removing *rm, bool must, struct err *left)
{
	struct observed found;
	char object[STEP_TEXT_MAX];
	int r = look_for(u, rm, must, &found, left);

	if (r < 0)
		return CAME_FAILED;
	str_format(rm->before, sizeof(rm->before), "%s", settle_state(&found));
	if (!found.there) {
		close_claim(u, rm, JOURNAL_DONE, &found);
		return CAME_GONE_BEFORE;
	}
	if (!is_ours(u, rm->step, &found))
		return CAME_NOT_OURS;
	if (!must && rm->step->state == STEP_SKIPPED) {
		err_set(left, XC_FAILED, -EAGAIN, rm->step->id.nqn,
			"%s %s:%s from %s: it was not there when this was planned, and is now; run teardown "
			"again",
			rm->step->id.nqn, rm->step->id.traddr, rm->step->id.trsvcid,
			rm->step->id.host_traddr);
		return CAME_FAILED; /* nobody has looked who uses it */
	}
	if (write_intent(u, rm, must, left) < 0)
		return CAME_FAILED;
	rm->start = clock_us();
	log_effect("%s %s", step_kind_name(rm->step->kind), step_object(rm->step, object));
	r = u->fx->remove(u->fx->ctx, rm->step, &found, &rm->job, left);
	rm->begun = r == 0;
	if (r == 0)
		return CAME_BEGUN;
	if (r == -ESTALE)
		return settle_stale(u, rm, &found);
	if (rm->written)
		close_claim(u, rm, JOURNAL_UNDONE, &found);
	return CAME_FAILED;
}

/* A look at a removal that was begun. */
static enum came_to look(struct undo *u, struct removing *rm, struct err *left)
{
	static const struct observed gone = { .cntlid = -1 }, there = { .there = true, .cntlid = -1 };

	switch (u->fx->removed(u->fx->ctx, rm->job, left)) {
	case REMOVAL_PENDING:
		return CAME_BEGUN;
	case REMOVAL_GONE:
		rm->begun = false;
		log_elapsed("gone", rm->start);
		if (rm->written)
			close_claim(u, rm, JOURNAL_DONE, &gone);
		return CAME_GONE;
	case REMOVAL_BUSY:
		rm->begun = false;
		if (rm->written)
			close_claim(u, rm, JOURNAL_UNDONE, &there);
		return CAME_BUSY;
	case REMOVAL_FAILED:
		break;
	}
	rm->begun = false;
	if (rm->written)
		close_claim(u, rm, JOURNAL_UNDONE, &there);
	return CAME_FAILED;
}

/* --- into step and path ------------------------------------------------------------------------- */

static void set_gone(struct plan *plan, struct step *step, enum step_state state, enum path_action action)
{
	struct path *path = settle_path(plan, step);

	step->state = state;
	path->action = action;
	path->ctrl = -1;
}

static void set_not_ours(struct plan *plan, struct step *step)
{
	settle_failed(
		plan, step, PATH_NOT_OURS,
		"the controller that is there now is not the one that this program made; it is left alone");
	step->state = STEP_SKIPPED;
	settle_path(plan, step)->action = PATH_FOREIGN;
}

static void settle(struct plan *plan, struct step *step, enum came_to came, const struct err *left)
{
	switch (came) {
	case CAME_BEGUN:
		return;
	case CAME_GONE_BEFORE:
		set_gone(plan, step, STEP_SKIPPED, PATH_NONE);
		return;
	case CAME_NOT_OURS:
		set_not_ours(plan, step);
		return;
	case CAME_GONE:
		set_gone(plan, step, STEP_DONE, PATH_DISCONNECTED);
		return;
	case CAME_BUSY:
		settle_failed(plan, step, PATH_FIRST_CONNECT,
			      "its first connect still runs, and the kernel does not delete it before that "
			      "is over; "
			      "run teardown again then");
		return;
	case CAME_LATE:
		settle_failed(plan, step, PATH_PENDING,
			      "it is being deleted, and was not gone in time: the kernel goes on with it; "
			      "run teardown again to see");
		return;
	case CAME_FAILED:
		settle_as_told(plan, step, PATH_OTHER, left->msg);
		return;
	}
}

/* --- all of them ----------------------------------------------------------------------------------- */

static int refuse(const struct undo *u, const struct step *step, const struct plan *plan, struct err *err)
{
	if (step->kind != STEP_NVME_DISCONNECT || step->path < 0 || (unsigned)step->path >= plan->paths)
		return err_set(err, XC_FAILED, -EINVAL, step->id.nqn, "%s: a step that is no removal",
			       step->id.nqn);
	if (!journal_owns(journal_data(u->journal), &step->id, 0))
		return err_set(err, XC_REFUSED, -EPERM, step->id.nqn,
			       "%s %s:%s from %s: the journal does not say that it is ours; nothing was done",
			       step->id.nqn, step->id.traddr, step->id.trsvcid, step->id.host_traddr);
	return 0;
}

static void begin_all(struct undo *u, struct removing *rm, unsigned count, bool rollback, struct plan *plan)
{
	for (unsigned i = 0; i < count; i++) {
		struct err left = { 0 };

		if (!rollback && u->fx->stop_requested(u->fx->ctx) && !u->ended)
			u->ended = "stopped by a signal";
		if (u->ended && !rollback)
			settle_not_begun(plan, rm[i].step, u->ended);
		else
			settle(plan, rm[i].step, begin(u, &rm[i], rollback, &left), &left);
	}
}

static void await_all(struct undo *u, struct removing *rm, unsigned count, struct plan *plan)
{
	bool in_time = true;

	for (;;) {
		unsigned pending = 0;

		for (unsigned i = 0; i < count; i++) {
			struct err left = { 0 };

			if (rm[i].begun)
				settle(plan, rm[i].step, look(u, &rm[i], &left), &left);
			pending += rm[i].begun;
		}
		if (pending == 0)
			return;
		if (!in_time)
			break;
		in_time = u->fx->wait(u->fx->ctx);
	}
	for (unsigned i = 0; i < count; i++) {
		struct err none = { 0 };

		if (rm[i].begun)
			settle(plan, rm[i].step, CAME_LATE, &none);
	}
}

int undo_steps(const struct fx *fx, struct journal *journal, struct steps *steps, unsigned first,
	       bool rollback, struct plan *plan, struct err *err)
{
	struct undo u = { .fx = fx, .journal = journal, .err = err };
	unsigned count = steps->count - first;
	_cleanup_free_ struct removing *rm = NULL;
	int r = 0;

	if (first >= steps->count)
		return 0;
	for (unsigned i = 0; r == 0 && i < count; i++)
		r = refuse(&u, &steps->step[first + i], plan, err);
	if (r < 0)
		return r;
	rm = calloc(count, sizeof(*rm));
	if (!rm)
		return err_set(err, XC_ENVIRONMENT, -ENOMEM, "", "out of memory; nothing was undone");
	for (unsigned i = 0; i < count; i++) {
		rm[i].step = &steps->step[first + i];
		rm[i].number = first + i + 1;
	}
	begin_all(&u, rm, count, rollback, plan);
	await_all(&u, rm, count, plan);
	return u.code;
}

int undo_at_once(const struct fx *fx, struct journal *journal, struct step *step, unsigned number,
		 struct err *left, struct err *err)
{
	struct undo u = { .fx = fx, .journal = journal, .err = err };
	struct removing rm = { .step = step, .number = number };
	enum came_to came = begin(&u, &rm, true, left);

	while (came == CAME_BEGUN) {
		came = look(&u, &rm, left);
		if (came == CAME_BEGUN && !fx->wait(fx->ctx))
			came = CAME_LATE;
	}
	step->state = came == CAME_GONE ? STEP_DONE : came == CAME_GONE_BEFORE ? STEP_SKIPPED : STEP_FAILED;
	if (came == CAME_BUSY)
		err_set(left, XC_FAILED, -EBUSY, step->id.nqn, "its first connect still runs");
	if (came == CAME_LATE)
		err_set(left, XC_TIMEOUT, -ETIMEDOUT, step->id.nqn,
			"it is being deleted, and was not gone in time");
	if (came == CAME_NOT_OURS)
		err_set(left, XC_FAILED, -ESTALE, step->id.nqn, "another controller has its names now");
	return u.code;
}
