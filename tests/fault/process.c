/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Processes in the world in memory, and what must be true after each. */
#include "fault/process.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "apply/run.h"
#include "apply/undo.h"
#include "fault/irqs.h"

#define JOURNAL JOURNAL_DIR "/" JOURNAL_FILE

/*
 * Names of the sanitizer: a crash leaves what is on the heap then, as it is left by longjmp. That it
 * frees it is seen by the other tests.
 */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
	return "leak:undo_steps\nleak:placing_ban\nleak:placing_unban\n";
}

const char *__lsan_default_options(void);
const char *__lsan_default_options(void)
{
	return "print_suppressions=0";
}

/* --- the bench --------------------------------------------------------------------------------- */

int bench_setup(void **state)
{
	struct bench *b = calloc(1, sizeof(*b));

	b->topo = calloc(1, sizeof(*b->topo));
	b->classes = calloc(1, sizeof(*b->classes));
	b->claims = calloc(1, sizeof(*b->claims));
	b->steps = calloc(1, sizeof(*b->steps));
	b->plan = calloc(1, sizeof(*b->plan));
	b->findings = calloc(1, sizeof(*b->findings));
	b->affinity = calloc(1, sizeof(*b->affinity));
	b->balance = calloc(1, sizeof(*b->balance));
	b->values = calloc(1, sizeof(*b->values));
	fake_root_open(&b->root);
	*state = b;
	return 0;
}

int bench_teardown(void **state)
{
	struct bench *b = *state;

	fake_root_close(&b->root);
	free(b->topo);
	free(b->classes);
	free(b->claims);
	free(b->steps);
	free(b->plan);
	free(b->findings);
	free(b->affinity);
	free(b->balance);
	free(b->values);
	free(b);
	return 0;
}

void bench_reset(struct bench *b, unsigned objects)
{
	assert(objects <= FAKE_OBJECTS_MAX);
	fake_world_init(&b->world, NULL);
	b->world.objects = objects;
	for (unsigned i = 0; i < objects; i++) {
		struct step step;

		fake_step(&step, i);
		b->world.object[i] = step.id;
	}
	b->records = b->claims->count = b->values->count = 0;
	(void)unlinkat(b->root.fd, JOURNAL, 0);
}

/* --- the processes, as src/cmd has them --------------------------------------------------------------- */

static bool stays(const struct fake_ctrl *ctrl)
{
	return ctrl && !ctrl_state_is_gone(ctrl->state);
}

static void plan_connects(struct bench *b)
{
	b->steps->count = 0;
	b->plan->paths = b->world.objects;
	fake_read(&b->world);
	for (unsigned i = 0; i < b->world.objects; i++) {
		struct path *path = &b->plan->path[i];
		struct step *step = &b->steps->step[b->steps->count];

		*path = (struct path){ .id = b->world.object[i] };
		if (stays(fake_find(&b->world, &path->id))) {
			path->action = PATH_KEPT;
			continue;
		}
		path->action = PATH_WOULD_CONNECT;
		fake_step(step, i);
		step->id = path->id;
		b->steps->count++;
	}
}

static bool all_are_up(const struct bench *b)
{
	for (unsigned i = 0; i < b->plan->paths; i++) {
		const struct path *path = &b->plan->path[i];

		if ((path->action != PATH_CONNECTED && path->action != PATH_KEPT) ||
		    path->reason != PATH_REASON_NONE)
			return false;
	}
	return true;
}

static int roll_back(struct bench *b, const struct fx *fx, struct err *err)
{
	const struct journal_data *journal = journal_data(b->journal);
	struct steps *steps = b->steps;
	unsigned first = steps->count;

	for (unsigned i = first; i-- > 0;) {
		const struct step *made = &steps->step[i];

		if (made->kind != STEP_NVME_CONNECT || made->state == STEP_SKIPPED ||
		    !journal_owns(journal, &made->id, 0))
			continue;
		steps->step[steps->count] = *made;
		steps->step[steps->count].kind = STEP_NVME_DISCONNECT;
		steps->step[steps->count++].state = STEP_WOULD;
	}
	b->rolled_back = true;
	return undo_steps(fx, b->journal, steps, first, true, b->plan, err);
}

static void connect_paths(struct bench *b, const char *name)
{
	char *argv[] = { (char[]){ "nvme-partition" }, (char[]){ "connect" } };
	struct fx fx = fake_fx(&b->world);
	struct err err = { 0 }, broken = { 0 };
	bool up;
	int r;

	plan_connects(b);
	if (b->steps->count == 0 && b->world.irqs == 0)
		return;
	assert(journal_begin(b->journal, name, 2, argv, &err) == 0);
	b->result = run_steps(&fx, b->journal, b->steps, b->plan, &err);
	if (b->result == 0 && b->world.irqs > 0)
		b->result = irqs_place(b, &fx, &err);
	assert((b->result < 0) == (err.code < 0));
	up = b->result == 0 && all_are_up(b) && irqs_are_whole(b);
	b->exit = up ? XC_OK : XC_PARTIAL;
	if (b->process == ATOMIC && !up) {
		r = roll_back(b, &fx, &broken);
		b->result = b->result < 0 ? b->result : r;
	}
	fake_place(&b->world);
	r = journal_end(b->journal, b->exit, b->process == ATOMIC, &broken);
	b->result = b->result < 0 ? b->result : r;
}

static void read_machine(struct bench *b)
{
	fake_read(&b->world);
	b->topo->ctrls = 0;
	for (unsigned i = 0; i < b->world.ctrls; i++) {
		const struct fake_ctrl *from = &b->world.ctrl[i];
		struct ctrl *ctrl = &b->topo->ctrl[b->topo->ctrls++];

		*ctrl = (struct ctrl){ .id = from->id,
				       .instance = (unsigned)from->instance,
				       .cntlid = from->cntlid,
				       .inode = from->inode };
		memcpy(ctrl->state, from->state, sizeof(ctrl->state));
		memcpy(ctrl->owner, from->owner, sizeof(ctrl->owner));
		if (from->unnamed)
			ctrl->id.nqn[0] = '\0';
	}
}

static void tear_down(struct bench *b)
{
	char *argv[] = { (char[]){ "nvme-partition" }, (char[]){ "teardown" } };
	struct teardown all = { .port = -1 };
	struct fx fx = fake_fx(&b->world);
	struct err err = { 0 }, ignored = { 0 };
	int r;

	assert(journal_claims(journal_data(b->journal), b->claims) == 0);
	read_machine(b);
	assert(plan_teardown(b->topo, b->classes, b->claims, &all, b->plan, b->findings, &err) == 0);
	assert(lower_teardown(b->plan, b->topo, b->classes, b->claims, b->steps, &err) == 0);
	assert(journal_begin(b->journal, "teardown", 2, argv, &err) == 0);
	b->result = undo_steps(&fx, b->journal, b->steps, 0, false, b->plan, &err);
	if (b->result == 0 && b->world.irqs > 0)
		b->result = irqs_restore(b, &fx, &err);
	assert((b->result < 0) == (err.code < 0));
	b->exit = b->result < 0 ? err.exit : verdict_teardown(b->plan);
	if (b->exit == XC_OK && !irqs_are_whole(b))
		b->exit = XC_PARTIAL;
	fake_place(&b->world);
	r = journal_end(b->journal, b->exit, b->result == 0, &ignored);
	b->result = b->result < 0 ? b->result : r;
}

/* --- what must be true ------------------------------------------------------------------------------------
 */

static void wrong(struct bench *b, const char *what)
{
	if (!b->wrong)
		b->wrong = what;
}

static void check_ctrls(struct bench *b, const struct journal_data *data)
{
	for (unsigned i = 0; i < b->world.ctrls; i++) {
		struct fake_ctrl *ctrl = &b->world.ctrl[i];
		bool owned = journal_owns(data, &ctrl->id, ctrl->inode);

		if (ctrl->told && !b->crashed && b->result == 0)
			ctrl->excused = false;
		if (ctrl->ours && !owned && !(ctrl->replaced && ctrl_state_is_gone(ctrl->state)))
			wrong(b, "ours is there, and the journal does not claim it");
		if (!ctrl->ours && owned && !ctrl->excused)
			wrong(b, "the journal claims what an outsider made");
	}
}

static void check_atomic(struct bench *b)
{
	/* A removal that could not be done is in the journal, as all of ours. */
	if (b->crashed || !b->rolled_back || b->world.removal_failed)
		return;
	for (unsigned i = 0; i < b->world.ctrls; i++) {
		const struct fake_ctrl *ctrl = &b->world.ctrl[i];

		if (ctrl->ours && ctrl->inode >= b->first_inode && ctrl->owner[0] == '\0')
			wrong(b, "what a connect --atomic had made is there, though it failed");
	}
}

static void check(struct bench *b, const struct journal_data *data)
{
	bool there = root_exists(&b->root, JOURNAL), left;

	if (b->world.wrong)
		wrong(b, b->world.wrong);
	check_ctrls(b, data);
	irqs_check(b, data);
	if (journal_claims(data, b->claims) < 0)
		wrong(b, "more claims than there can be");
	left = b->claims->count > 0 || b->values->count > 0;
	if (left && !there)
		wrong(b, "the journal is gone, and something is claimed");
	if (!b->crashed && b->result == 0 && there && data->unfinished && b->world.effects > 0)
		wrong(b, "a run that came to its end has none");
	if (b->process == TEARDOWN && !b->crashed && b->result == 0) {
		if (there != left)
			wrong(b, "nothing is claimed, and the journal is there");
		if ((b->exit == XC_OK) == left)
			wrong(b, "a teardown whose exit does not fit the journal");
	}
	check_atomic(b);
	b->records = there ? data->records : 0;
}

void process_run(struct bench *b, enum process process)
{
	struct err err = { 0 };

	b->process = process;
	b->wrong = NULL;
	b->result = 0;
	b->exit = XC_OK;
	b->crashed = b->rolled_back = false;
	b->steps->count = b->findings->count = b->affinity->irqs = 0;
	b->balance->state = IRQBALANCE_ABSENT;
	b->first_inode = b->world.next_inode;
	b->world.earlier = process == TEARDOWN ? 0 : b->first_inode;
	if (journal_open(&b->root, 0, &b->journal, b->findings, &err) < 0) {
		wrong(b, "the journal cannot be opened");
		return;
	}
	if (journal_data(b->journal)->records != b->records)
		wrong(b, "the journal does not hold what was written");
	b->world.journal = b->journal;
	if (setjmp(b->world.crashed) != 0)
		b->crashed = true;
	else if (process == TEARDOWN)
		tear_down(b);
	else
		connect_paths(b, "connect");
	fake_end(&b->world);
	check(b, journal_data(b->journal));
	/* What was open is closed, as the kernel does it. */
	journal_close(b->journal);
	b->journal = NULL;
	b->world.journal = NULL;
}

static bool is_foreign(const struct bench *b, const struct ctrl_id *id)
{
	for (unsigned i = 0; i < b->world.ctrls; i++) {
		const struct fake_ctrl *ctrl = &b->world.ctrl[i];

		if (ctrl_id_equal(&ctrl->id, id) && (!ctrl->ours || ctrl->owner[0] != '\0'))
			return true;
	}
	return false;
}

void process_finish(struct bench *b)
{
	fake_world_next(&b->world);
	process_run(b, TEARDOWN);
	if (!b->wrong && b->claims->count > 0) { /* what was leaving in somebody's registry has left */
		fake_world_next(&b->world);
		process_run(b, TEARDOWN);
	}
	if (b->result < 0)
		wrong(b, "a teardown in peace failed");
	for (unsigned i = 0; i < b->world.ctrls; i++) {
		const struct fake_ctrl *ctrl = &b->world.ctrl[i];
		/* It is not seen behind somebody else's of the same names, and goes by itself. */
		bool hidden = ctrl_state_is_gone(ctrl->state) && is_foreign(b, &ctrl->id);

		if (ctrl->ours && ctrl->owner[0] == '\0' && !hidden)
			wrong(b, "ours is there after a teardown in peace");
	}
	for (unsigned i = 0; i < b->claims->count; i++) {
		if (!is_foreign(b, &b->claims->claim[i].id))
			wrong(b, "something is claimed after a teardown in peace");
	}
	irqs_check_finished(b);
	if (!b->wrong && b->values->count > 0)
		irqs_force(b);
}

/* --- states --------------------------------------------------------------------------------------------- */

void snapshot_take(const struct bench *b, struct snapshot *ret)
{
	process_key(b, ret->key);
	ret->world = b->world;
	ret->records = b->records;
	ret->journal = root_exists(&b->root, JOURNAL) ? fake_root_read(&b->root, JOURNAL) : NULL;
}

void snapshot_restore(struct bench *b, const struct snapshot *from)
{
	b->world = from->world;
	b->records = from->records;
	if (from->journal)
		fake_root_write(&b->root, JOURNAL, from->journal);
	else
		(void)unlinkat(b->root.fd, JOURNAL, 0);
	fake_world_next(&b->world);
}

void snapshot_free(struct snapshot *s)
{
	free(s->journal);
}

static const struct fake_ctrl *next_ctrl(const struct bench *b, const struct ctrl_id *id, uint64_t after)
{
	const struct fake_ctrl *next = NULL;

	for (unsigned i = 0; i < b->world.ctrls; i++) {
		const struct fake_ctrl *ctrl = &b->world.ctrl[i];

		if (ctrl->inode > after && (!next || ctrl->inode < next->inode) &&
		    ctrl_id_equal(&ctrl->id, id))
			next = ctrl;
	}
	return next;
}

void process_key(const struct bench *b, char buf[static KEY_SIZE])
{
	buf[0] = '\0';
	for (unsigned i = 0; i < b->world.objects; i++) {
		const struct ctrl_id *id = &b->world.object[i];
		const struct fake_ctrl *ctrl;
		uint64_t inode = 0;
		unsigned k = 0;

		while (k < b->claims->count && !ctrl_id_equal(&b->claims->claim[k].id, id))
			k++;
		if (k < b->claims->count)
			inode = b->claims->claim[k].inode;
		str_append(buf, KEY_SIZE, " %u:%s", k, k == b->claims->count ? "" : inode ? "C" : "I");
		for (ctrl = next_ctrl(b, id, 0); ctrl; ctrl = next_ctrl(b, id, ctrl->inode))
			str_append(buf, KEY_SIZE, "%s%s%s%s",
				   ctrl->ours	   ? "o"
				   : ctrl->excused ? "x"
						   : "t",
				   ctrl->owner[0] ? "r" : "", ctrl_state_is_gone(ctrl->state) ? "d" : "",
				   ctrl->inode == inode ? "=" : "");
	}
	irqs_key(b, buf);
}

bool seen_add(struct seen *seen, const char *key)
{
	for (unsigned i = 0; i < seen->count; i++) {
		if (strcmp(seen->key[i], key) == 0)
			return false;
	}
	seen->key = mem_grow(seen->key, seen->count, KEY_SIZE);
	str_format(seen->key[seen->count++], KEY_SIZE, "%s", key);
	return true;
}

void seen_free(struct seen *seen)
{
	free(seen->key);
	*seen = (struct seen){ 0 };
}
