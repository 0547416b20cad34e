/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The in-memory world of the tests of run and journal. */
#include "lib/fakefx.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

/* --- controllers ------------------------------------------------------------------------------ */

void fake_world_init(struct fake_world *world, const struct root *root)
{
	memset(world, 0, sizeof(*world));
	world->root = root;
	world->next_inode = 1000;
	world->next_born = 1;
	world->verdict = VERDICT_PROVEN;
	fake_world_next(world);
}

void fake_world_next(struct fake_world *world)
{
	world->patience = 4;
	world->disk_full = false;
	world->outsider_way = FAKE_NOBODY;
	world->fail.call = world->outsider.call = world->crash = world->stop = FAKE_NEVER;
	world->failed = world->removal_failed = world->came = false;
	memset(world->calls, 0, sizeof(world->calls));
	world->all_calls = world->jobs = world->effects = 0;
	world->place = world->came_at = world->failed_at = 0;
	world->seen_changes = world->seen_records = FAKE_NEVER;
	for (unsigned i = 0; i < world->ctrls; i++) {
		if (world->ctrl[i].waits == FAKE_NEVER)
			world->ctrl[i].waits = 1;
		world->ctrl[i].told = false;
	}
	fake_irq_next(world);
}

static struct fake_ctrl *find_inode(struct fake_world *world, uint64_t inode)
{
	for (unsigned i = 0; i < world->ctrls; i++) {
		if (world->ctrl[i].inode == inode)
			return &world->ctrl[i];
	}
	return NULL;
}

struct fake_ctrl *fake_find(struct fake_world *world, const struct ctrl_id *id)
{
	struct fake_ctrl *leaving = NULL;

	for (unsigned i = 0; i < world->ctrls; i++) {
		struct fake_ctrl *ctrl = &world->ctrl[i];

		if (ctrl->unnamed || !ctrl_id_equal(&ctrl->id, id))
			continue;
		if (!ctrl_state_is_gone(ctrl->state))
			return ctrl;
		leaving = ctrl;
	}
	return leaving;
}

/* As the kernel counts duplicates (nvmf_ip_options_match). */
static struct fake_ctrl *find_staying(struct fake_world *world, const struct ctrl_id *id)
{
	struct fake_ctrl *ctrl = fake_find(world, id);

	return ctrl && !ctrl_state_is_gone(ctrl->state) ? ctrl : NULL;
}

static int lowest_free(const struct fake_world *world, bool instance)
{
	int number = instance ? 0 : 1;

	for (unsigned i = 0; i < world->ctrls; i++) {
		int taken = instance ? world->ctrl[i].instance : world->ctrl[i].cntlid;

		if (taken == number) {
			number++;
			i = UINT32_MAX; /* from the start */
		}
	}
	return number;
}

struct fake_ctrl *fake_connect(struct fake_world *world, const struct ctrl_id *id, bool ours)
{
	struct fake_ctrl *ctrl = &world->ctrl[world->ctrls];

	assert(world->ctrls < FAKE_CTRLS_MAX && !find_staying(world, id));
	*ctrl = (struct fake_ctrl){ .id = *id,
				    .instance = lowest_free(world, true),
				    .cntlid = lowest_free(world, false),
				    .inode = world->next_inode++,
				    .state = "live",
				    .ours = ours };
	world->ctrls++;
	world->changes++;
	return ctrl;
}

static void drop(struct fake_world *world, struct fake_ctrl *ctrl)
{
	*ctrl = world->ctrl[--world->ctrls];
	world->changes++;
}

void fake_disconnect(struct fake_world *world, const struct ctrl_id *id)
{
	struct fake_ctrl *ctrl = fake_find(world, id);

	if (ctrl)
		drop(world, ctrl);
}

/* The last word of the journal on a connect is its intent. */
static bool intent_open(const struct journal_data *data, const struct ctrl_id *id)
{
	for (unsigned i = data->records; i-- > 0;) {
		const struct journal_rec *rec = &data->rec[i];

		if (rec->type != JOURNAL_STEP || !ctrl_id_equal(&rec->id, id))
			continue;
		if (rec->kind == STEP_NVME_CONNECT)
			return rec->state == JOURNAL_INTENT;
		if (rec->state == JOURNAL_DONE)
			return false;
	}
	return false;
}

/* --- what is planned ---------------------------------------------------------------------------- */

static void outsider_connects(struct fake_world *world)
{
	struct fake_ctrl *ctrl = fake_connect(world, &world->outsider_id, false);

	ctrl->excused = world->journal && intent_open(journal_data(world->journal), &ctrl->id);
}

static void outsider_acts(struct fake_world *world)
{
	const struct ctrl_id *id = &world->outsider_id;
	struct fake_ctrl *ctrl = find_staying(world, id);

	if (world->came)
		return;
	world->came = true;
	world->came_at = world->place;
	switch (world->outsider_way) {
	case FAKE_NOBODY:
		break;
	case FAKE_CONNECTS:
		if (!ctrl)
			outsider_connects(world);
		break;
	case FAKE_DISCONNECTS:
		fake_disconnect(world, id);
		break;
	case FAKE_REMAKES:
		if (!ctrl)
			break;
		drop(world, ctrl);
		outsider_connects(world);
		break;
	case FAKE_REGISTERS:
		if (!ctrl || ctrl->owner[0] != '\0')
			break;
		str_format(ctrl->owner, sizeof(ctrl->owner), "stas");
		world->changes++;
		break;
	case FAKE_MOVES:
	case FAKE_UNLOADS:
	case FAKE_BANS:
	case FAKE_UNBANS:
	case FAKE_RESTARTS:
	case FAKE_ENDS:
		fake_irq_outsider(world);
		break;
	}
}

void fake_place(struct fake_world *world)
{
	unsigned records = world->journal ? journal_data(world->journal)->records : 0;

	if (world->changes == world->seen_changes && records == world->seen_records)
		return;
	world->seen_changes = world->changes;
	world->seen_records = records;
	if (world->place++ == world->crash)
		longjmp(world->crashed, 1);
}

static bool is_now(const struct fake_world *world, const struct fake_when *when, unsigned object)
{
	return when->call == world->calls[object] && when->object == object;
}

static unsigned object_of(const struct fake_world *world, const struct step *step)
{
	unsigned i = 0;

	if (world->objects == 0)
		return (unsigned)step->path;
	while (i < world->objects && !ctrl_id_equal(&world->object[i], &step->id))
		i++;
	return i;
}

static void log_call(struct fake_world *world, unsigned object, enum fake_call call)
{
	unsigned n = world->calls[object];
	bool is_ctrl = object < FAKE_OBJECTS_MAX;

	if (n >= FAKE_CALLS_MAX || (is_ctrl && world->objects == 0))
		return;
	world->log[object][n].call = call;
	world->log[object][n].there =
		is_ctrl ? fake_find(world, &world->object[object]) != NULL : fake_irq_there(world, object);
	world->log[object][n].staying = is_ctrl && find_staying(world, &world->object[object]);
}

/* A call begins. True if it is to fail, in whatever way. */
bool fake_enter(struct fake_world *world, unsigned object, enum fake_call call)
{
	bool failing;

	assert(object < FAKE_THINGS);
	fake_place(world);
	if (is_now(world, &world->outsider, object)) {
		outsider_acts(world);
		world->seen_changes = world->changes; /* a crash here is one before it acted */
	}
	failing = is_now(world, &world->fail, object);
	log_call(world, object, call);
	world->calls[object]++;
	world->all_calls++;
	return failing;
}

bool fake_fails(struct fake_world *world, bool failing, enum fake_failure failure)
{
	if (!failing || world->failure != failure)
		return false;
	world->failed = true;
	world->failed_at = world->place;
	return true;
}

void fake_read(struct fake_world *world)
{
	for (unsigned i = 0; i < world->objects; i++)
		(void)fake_enter(world, i, FAKE_FACTS);
	for (unsigned i = 0; i < world->irqs; i++)
		(void)fake_enter(world, FAKE_IRQ(i), FAKE_FACTS);
}

void fake_end(struct fake_world *world)
{
	for (unsigned i = 0; i < FAKE_THINGS; i++)
		log_call(world, i, FAKE_REMOVED);
	outsider_acts(world);
}

/* --- the calls -------------------------------------------------------------------------------------- */

static int fake_observe(void *ctx, const struct step *step, struct observed *ret, struct err *err)
{
	struct fake_world *world = ctx;
	bool failing = fake_enter(world, object_of(world, step), FAKE_OBSERVE);
	const struct fake_ctrl *ctrl = step->kind == STEP_NVME_CONNECT ? find_staying(world, &step->id)
								       : fake_find(world, &step->id);

	*ret = (struct observed){ .instance = -1, .cntlid = -1, .source_on_port = !world->source_gone };
	if (fake_fails(world, failing, FAKE_ERROR))
		return err_set(err, XC_ENVIRONMENT, -EIO, step->id.nqn, "sysfs could not be read");
	if (ctrl) {
		ret->there = true;
		ret->live = strcmp(ctrl->state, "live") == 0;
		ret->leaving = ctrl_state_is_gone(ctrl->state);
		ret->instance = ctrl->instance;
		ret->cntlid = ctrl->cntlid;
		ret->inode = ctrl->inode;
		memcpy(ret->state, ctrl->state, sizeof(ret->state));
		memcpy(ret->owner, ctrl->owner, sizeof(ret->owner));
	}
	return 0;
}

void fake_wrong(struct fake_world *world, const char *what)
{
	if (!world->wrong)
		world->wrong = what;
}

const struct journal_data *fake_journal(struct fake_world *world, struct journal_data *own)
{
	struct err err = { 0 };

	if (world->journal)
		return journal_data(world->journal);
	if (!world->root)
		return NULL;
	if (journal_read(world->root, own, &err) < 0)
		fake_wrong(world, "an effect, and the journal cannot be read");
	return own;
}

/* The journal ends in the intent of this very step; or it holds at least the connect of what is removed. */
static void check_intent(struct fake_world *world, const struct step *step, const struct journal_data *data)
{
	const struct journal_rec *last = data->records ? &data->rec[data->records - 1] : NULL;

	if (world->disk_full && step->kind == STEP_NVME_DISCONNECT && journal_owns(data, &step->id, 0))
		return;
	if (!last || data->torn || last->type != JOURNAL_STEP || last->state != JOURNAL_INTENT ||
	    last->kind != step->kind || !ctrl_id_equal(&last->id, &step->id))
		fake_wrong(world, "an effect without its intent");
}

/* Nothing that an outsider made, or took, is removed. */
static void check_removal(struct fake_world *world, const struct step *step, const struct observed *found,
			  const struct fake_ctrl *ctrl)
{
	if (found->owner[0] != '\0' && strcmp(found->owner, step->stale_owner) != 0)
		fake_wrong(world, "removed what somebody has in the registry");
	if (!ctrl->ours && !ctrl->excused)
		fake_wrong(world, "removed what an outsider made");
	if (ctrl->ours && ctrl->inode < world->earlier)
		fake_wrong(world, "removed what an earlier run had made");
}

static void check_effect(struct fake_world *world, const struct step *step, const struct observed *found,
			 const struct fake_ctrl *ctrl)
{
	struct journal_data read = { 0 };
	const struct journal_data *data = fake_journal(world, &read);

	world->effects++;
	if (data)
		check_intent(world, step, data);
	if (ctrl)
		check_removal(world, step, found, ctrl);
	journal_data_free(&read);
}

static int fake_perform(void *ctx, const struct step *step, enum path_reason *ret_reason, struct err *err)
{
	struct fake_world *world = ctx;
	bool failing = fake_enter(world, object_of(world, step), FAKE_PERFORM);
	struct fake_ctrl *found = fake_find(world, &step->id);
	int code = 0;

	check_effect(world, step, NULL, NULL);
	*ret_reason = PATH_OTHER;
	if (step->kind != STEP_NVME_CONNECT)
		fake_wrong(world, "performed what is no connect");
	if (find_staying(world, &step->id)) {
		found->told = true;
		code = err_set(err, XC_FAILED, -EALREADY, step->id.nqn, "somebody else connected it");
	} else if (fake_fails(world, failing, FAKE_ERROR) || world->refused & 1U << object_of(world, step)) {
		*ret_reason = PATH_NO_ANSWER;
		code = err_set(err, XC_FAILED, -ECONNRESET, step->id.nqn, "no answer");
	} else if (fake_fails(world, failing, FAKE_STOPPED)) {
		code = err_set(err, XC_FAILED, -EINTR, step->id.nqn, "stopped by a signal");
	} else {
		if (found)
			found->replaced = true;
		fake_connect(world, &step->id, true);
		if (fake_fails(world, failing, FAKE_LEFTOVER)) {
			*ret_reason = PATH_TIMEOUT;
			code = err_set(err, XC_TIMEOUT, -ETIMEDOUT, step->id.nqn, "not in time");
		}
	}
	fake_place(world);
	return code;
}

static enum proof_verdict fake_prove(void *ctx, const struct step *step, char *why, size_t size)
{
	struct fake_world *world = ctx;
	bool failing = fake_enter(world, object_of(world, step), FAKE_PROVE);
	enum proof_verdict verdict = world->verdict;

	if (fake_fails(world, failing, FAKE_ERROR))
		verdict = VERDICT_UNKNOWN;
	if (fake_fails(world, failing, FAKE_LEFTOVER))
		verdict = VERDICT_MISMATCH;
	if (verdict != VERDICT_PROVEN)
		str_format(why, size, "%s", verdict == VERDICT_UNKNOWN ? "cannot be read" : "is on mlx5_0");
	return verdict;
}

/* By inode, if there is one: the live one opens the directory, compares it and writes below it. */
static struct fake_ctrl *find_found(struct fake_world *world, const struct step *step,
				    const struct observed *found)
{
	struct fake_ctrl *ctrl = found->inode ? find_inode(world, found->inode) : fake_find(world, &step->id);

	return ctrl && ctrl_id_equal(&ctrl->id, &step->id) ? ctrl : NULL;
}

static int fake_remove(void *ctx, const struct step *step, const struct observed *found, unsigned *ret_job,
		       struct err *err)
{
	struct fake_world *world = ctx;
	bool failing = fake_enter(world, object_of(world, step), FAKE_REMOVE);
	struct fake_ctrl *ctrl = find_found(world, step, found);
	enum removal comes_to = REMOVAL_PENDING;

	world->removal_failed |= failing;
	check_effect(world, step, found, ctrl);
	if (!ctrl)
		return err_set(err, XC_REFUSED, -ESTALE, step->id.nqn, "not that one any more");
	if (fake_fails(world, failing, FAKE_ERROR))
		return err_set(err, XC_FAILED, -EIO, step->id.nqn, "no child");
	if (fake_fails(world, failing, FAKE_LEFTOVER))
		comes_to = REMOVAL_FAILED;
	if (fake_fails(world, failing, FAKE_BUSY))
		comes_to = REMOVAL_BUSY;
	if (comes_to == REMOVAL_PENDING && !ctrl_state_is_gone(ctrl->state)) {
		str_format(ctrl->state, sizeof(ctrl->state), "deleting");
		ctrl->waits = 1;
		world->changes++;
	}
	if (fake_fails(world, failing, FAKE_LATE))
		ctrl->waits = FAKE_NEVER;
	world->job[world->jobs].object = object_of(world, step);
	world->job[world->jobs].inode = ctrl->inode;
	world->job[world->jobs].comes_to = comes_to;
	*ret_job = world->jobs++;
	fake_place(world);
	return 0;
}

static enum removal fake_removed(void *ctx, unsigned job, struct err *err)
{
	struct fake_world *world = ctx;
	const struct fake_ctrl *ctrl;

	assert(job < world->jobs);
	(void)fake_enter(world, world->job[job].object, FAKE_REMOVED);
	ctrl = find_inode(world, world->job[job].inode);
	if (!ctrl)
		return REMOVAL_GONE;
	if (world->job[job].comes_to == REMOVAL_FAILED)
		err_set(err, XC_FAILED, -EPERM, ctrl->id.nqn, "the kernel refused");
	return world->job[job].comes_to;
}

static bool fake_wait(void *ctx)
{
	struct fake_world *world = ctx;

	if (world->patience == 0)
		return false;
	world->patience--;
	for (unsigned i = world->ctrls; i-- > 0;) {
		struct fake_ctrl *ctrl = &world->ctrl[i];

		if (ctrl_state_is_gone(ctrl->state) && ctrl->waits != FAKE_NEVER && ctrl->waits-- <= 1)
			drop(world, ctrl);
	}
	return true;
}

static bool fake_stop(void *ctx)
{
	const struct fake_world *world = ctx;

	return world->all_calls >= world->stop; /* FAKE_NEVER is more than any */
}

struct fx fake_fx(struct fake_world *world)
{
	struct fx fx = {
		.ctx = world,
		.observe = fake_observe,
		.prove = fake_prove,
		.perform = fake_perform,
		.remove = fake_remove,
		.removed = fake_removed,
		.wait = fake_wait,
		.stop_requested = fake_stop,
	};

	fake_irq_fx(&fx);
	return fx;
}
