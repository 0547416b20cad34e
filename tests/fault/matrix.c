/* SPDX-License-Identifier: GPL-2.0-or-later */
/* All combinations of what can go wrong in one process. */
#include "fault/matrix.h"

#include <string.h>

#include "fault/irqs.h"

#include "lib/t.h"

#define JOURNAL JOURNAL_DIR "/" JOURNAL_FILE

struct running {
	struct bench *b;
	const struct snapshot *start;
	const struct matrix *matrix;
	unsigned cases;
};

/* The case as it is, with nothing planned but what is said. */
struct plan_of_case {
	enum fake_outsider way;
	struct fake_when outsider; /* call FAKE_NEVER: after the process */
	struct fake_when fail;
	enum fake_failure failure;
	unsigned crash, stop;
};

static const struct plan_of_case nothing = {
	.outsider = { 0, FAKE_NEVER },
	.fail = { 0, FAKE_NEVER },
	.crash = FAKE_NEVER,
	.stop = FAKE_NEVER,
};

static void fail_case(const struct running *m, const struct plan_of_case *c)
{
	char key[KEY_SIZE];

	process_key(m->b, key);
	fail_msg("%s: from%s: process %d; outsider in way %d before call %d about object %u; call %d about "
		 "object %u "
		 "fails in way %d; crash at %d; stop at %d; in the end%s",
		 m->b->wrong, m->start->key, (int)m->matrix->process, (int)c->way, (int)c->outsider.call,
		 c->outsider.object, (int)c->fail.call, c->fail.object, (int)c->failure, (int)c->crash,
		 (int)c->stop, key);
}

static void run_case(struct running *m, const struct plan_of_case *c)
{
	struct fake_world *world = &m->b->world;

	snapshot_restore(m->b, m->start);
	world->outsider = c->outsider;
	world->outsider_way = c->way;
	if (c->outsider.object < FAKE_OBJECTS_MAX)
		world->outsider_id = world->object[c->outsider.object];
	world->fail = c->fail;
	world->failure = c->failure;
	world->crash = c->crash;
	world->stop = c->stop;
	process_run(m->b, m->matrix->process);
	m->cases++;
}

/* The case is what it was meant to be: it is followed up. */
static void follow(struct running *m, const struct plan_of_case *c)
{
	if (!m->b->wrong && m->matrix->then)
		m->matrix->then(m->b, m->matrix->arg);
	if (m->b->wrong)
		fail_case(m, c);
}

static unsigned max(unsigned a, unsigned b)
{
	return a > b ? a : b;
}

static unsigned depth_of(const struct plan_of_case *c)
{
	return (c->way != FAKE_NOBODY) + (c->fail.call != FAKE_NEVER) + (c->crash != FAKE_NEVER);
}

/* The case without a crash, and with one wherever that differs. The world is left as without. */
static void with_crashes(struct running *m, struct plan_of_case c, struct fake_world *ret)
{
	unsigned places, from;

	run_case(m, &c);
	*ret = m->b->world;
	places = ret->place;
	from = max(ret->came_at, ret->failed_at);
	if (c.way != FAKE_NOBODY && c.outsider.call == FAKE_NEVER)
		from = ret->failed_at;
	follow(m, &c);
	if (depth_of(&c) == m->matrix->depth)
		return;
	for (c.crash = from; c.crash < places; c.crash++) {
		run_case(m, &c);
		assert_true(m->b->crashed);
		follow(m, &c);
	}
}

static bool can_fail(enum fake_call call, enum fake_failure failure)
{
	switch (call) {
	case FAKE_FACTS:
	case FAKE_REMOVED:
		return false;
	case FAKE_OBSERVE:
		return failure == FAKE_ERROR;
	case FAKE_PERFORM:
		return failure <= FAKE_STOPPED;
	case FAKE_PROVE:
		return failure <= FAKE_LEFTOVER;
	case FAKE_REMOVE:
		return failure != FAKE_STOPPED;
	case FAKE_IRQ_READ:
	case FAKE_BANS_READ:
		return failure == FAKE_ERROR;
	case FAKE_IRQ_WRITE:
	case FAKE_BAN:
		return failure != FAKE_STOPPED;
	case FAKE_UNBAN:
		return failure != FAKE_STOPPED && failure != FAKE_BUSY;
	}
	return false;
}

/* What the outsider of the case comes to, and each failure and crash with it. */
static void with_failures(struct running *m, struct plan_of_case c, struct fake_world *ret)
{
	struct fake_world ignored;

	with_crashes(m, c, ret);
	if (depth_of(&c) == m->matrix->depth)
		return;
	for (c.fail.object = 0; c.fail.object < FAKE_THINGS; c.fail.object++) {
		for (c.fail.call = 0; c.fail.call < ret->calls[c.fail.object]; c.fail.call++) {
			for (int way = 0; way < FAKE_FAILURES; way++) {
				c.failure = (enum fake_failure)way;
				if (can_fail(ret->log[c.fail.object][c.fail.call].call, c.failure))
					with_crashes(m, c, &ignored);
			}
		}
	}
}

/* Where the outsider would change nothing it is none. */
static bool can_act(const struct fake_world *world, const struct fake_when *when, enum fake_outsider way)
{
	bool there = world->log[when->object][when->call].there;
	bool staying = world->log[when->object][when->call].staying;

	switch (way) {
	case FAKE_NOBODY:
		return false;
	case FAKE_MOVES:
	case FAKE_UNLOADS:
	case FAKE_BANS:
	case FAKE_UNBANS:
	case FAKE_RESTARTS:
	case FAKE_ENDS:
		return there;
	case FAKE_CONNECTS:
		return !staying;
	case FAKE_DISCONNECTS:
		return there;
	case FAKE_REMAKES:
	case FAKE_REGISTERS:
		return staying;
	}
	return false;
}

/* The ways of those who come to such a thing. */
static void ways_of(unsigned thing, int *ret_first, int *ret_last)
{
	*ret_first = thing < FAKE_OBJECTS_MAX ? FAKE_CONNECTS : thing == FAKE_DAEMON ? FAKE_BANS : FAKE_MOVES;
	*ret_last = thing < FAKE_OBJECTS_MAX ? FAKE_REGISTERS
		    : thing == FAKE_DAEMON   ? FAKE_ENDS
					     : FAKE_UNLOADS;
}

static void with_outsiders(struct running *m)
{
	struct plan_of_case c = nothing;
	struct fake_world world, ignored;
	unsigned *object = &c.outsider.object, *call = &c.outsider.call;

	with_failures(m, c, &world);
	for (*object = 0; *object < FAKE_THINGS; ++*object) {
		int first, last;

		ways_of(*object, &first, &last);
		for (int way = first; way <= last && world.calls[*object] > 0; way++) {
			c.way = (enum fake_outsider)way;
			for (*call = 0; *call <= world.calls[*object]; ++*call) {
				bool afterwards = *call == world.calls[*object];

				if (!can_act(&world, &c.outsider, c.way))
					continue;
				*call = afterwards ? FAKE_NEVER : *call;
				with_failures(m, c, &ignored);
				*call = afterwards ? world.calls[*object] : *call;
			}
		}
	}
}

static void with_stops(struct running *m)
{
	struct plan_of_case c = nothing;
	unsigned calls;

	run_case(m, &c);
	calls = m->b->world.all_calls;
	for (c.stop = 0; c.stop < calls; c.stop++) {
		run_case(m, &c);
		follow(m, &c);
	}
}

unsigned matrix_run(struct bench *b, const struct snapshot *start, const struct matrix *matrix)
{
	struct running m = { .b = b, .start = start, .matrix = matrix };

	with_outsiders(&m);
	with_stops(&m);
	return m.cases;
}

/* --- afterwards ------------------------------------------------------------------------------------------
 */

static bool all_are_there(struct bench *b)
{
	for (unsigned i = 0; i < b->world.objects; i++) {
		const struct fake_ctrl *ctrl = fake_find(&b->world, &b->world.object[i]);

		if (!ctrl || ctrl_state_is_gone(ctrl->state))
			return false;
	}
	return true;
}

/* The program is started again, and once more. */
static void connect_again(struct bench *b)
{
	char *before, *after;

	fake_world_next(&b->world);
	b->world.refused = 0;
	b->world.verdict = VERDICT_PROVEN;
	process_run(b, CONNECT);
	if (!b->wrong && (b->result < 0 || !all_are_there(b) || !irqs_are_placed(b)))
		b->wrong = "a later connect did not make what was missing";
	if (b->wrong)
		return;
	before = fake_root_read(&b->root, JOURNAL);
	fake_world_next(&b->world);
	process_run(b, CONNECT);
	after = fake_root_read(&b->root, JOURNAL);
	if (!b->wrong && (b->world.effects > 0 || strcmp(before, after) != 0))
		b->wrong = "the connect after it changed something";
	free(before);
	free(after);
}

void matrix_go_on(struct bench *b, void *arg)
{
	struct seen *seen = arg;
	struct snapshot here;
	char key[KEY_SIZE];

	process_key(b, key);
	if (!seen_add(seen, key))
		return;
	snapshot_take(b, &here);
	connect_again(b);
	if (!b->wrong) {
		snapshot_restore(b, &here);
		process_finish(b);
	}
	snapshot_free(&here);
}
