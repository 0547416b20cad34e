/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The run loop over a world in memory. */
#include "apply/run.h"

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <sys/resource.h>

#include <cmocka.h>

#include "lib/fakefx.h"

#define STEPS 3

struct bench {
	struct root root;
	struct fake_world world;
	struct fx fx;
	struct steps *steps;
	struct plan *plan;
	struct findings *findings;
	struct run_stats stats;
	struct err err;
	struct journal_data data; /* as it is on disk after the run */
};

static int setup(void **state)
{
	struct bench *b = calloc(1, sizeof(*b));

	b->steps = calloc(1, sizeof(*b->steps));
	b->plan = calloc(1, sizeof(*b->plan));
	b->findings = calloc(1, sizeof(*b->findings));
	fake_root_open(&b->root);
	fake_world_init(&b->world, &b->root);
	b->fx = fake_fx(&b->world);
	b->steps->count = b->plan->paths = STEPS;
	for (unsigned i = 0; i < STEPS; i++)
		fake_step(&b->steps->step[i], i);
	*state = b;
	return 0;
}

static int teardown(void **state)
{
	struct bench *b = *state;

	journal_data_free(&b->data);
	fake_root_close(&b->root);
	free(b->steps);
	free(b->plan);
	free(b->findings);
	free(b);
	return 0;
}

static int run(struct bench *b)
{
	char *argv[] = { (char[]){ "nvme-partition" }, (char[]){ "connect" } };
	struct journal *journal = NULL;
	struct err ignored = { 0 };
	int r;

	assert_int_equal(journal_open(&b->root, 0, &journal, b->findings, &b->err), 0);
	assert_int_equal(journal_begin(journal, "connect", 2, argv, &b->err), 0);
	r = run_steps(&b->fx, journal, b->steps, b->plan, &b->stats, &b->err);
	if (journal_end(journal, XC_OK, &ignored) < 0)
		assert_int_not_equal(r, 0);
	journal_close(journal);
	journal_data_free(&b->data);
	assert_int_equal(journal_read(&b->root, &b->data, &ignored), 0);
	assert_int_equal(b->world.unwritten, 0);
	return r;
}

static bool owned(struct bench *b, unsigned i)
{
	return journal_owns(&b->data, &b->steps->step[i].id);
}

static void a_connect_is_written_down_done_and_proven(void **state)
{
	struct bench *b = *state;

	assert_int_equal(run(b), 0);
	assert_int_equal(b->stats.done, 3);
	assert_int_equal(b->world.ctrls, 3);
	for (unsigned i = 0; i < STEPS; i++) {
		assert_int_equal(b->steps->step[i].state, STEP_DONE);
		assert_int_equal(b->plan->path[i].action, PATH_CONNECTED);
		assert_int_equal(b->plan->path[i].owner, OWNER_US);
		assert_int_equal(b->plan->path[i].proof, PROOF_RDMA_NETLINK);
		assert_true(owned(b, i));
	}
	assert_int_equal(b->data.records, 1 + 2 * STEPS + 1);
	assert_string_equal(b->data.rec[1].before, "absent");
	assert_string_equal(b->data.rec[2].after, "live");
	assert_int_equal(b->data.rec[2].cntlid, 1);
	assert_false(b->data.unfinished);
}

static void a_controller_that_is_live_is_kept_without_a_trace(void **state)
{
	struct bench *b = *state;

	for (unsigned i = 0; i < STEPS; i++)
		fake_connect(&b->world, &b->steps->step[i].id, false);
	assert_int_equal(run(b), 0);
	assert_int_equal(b->stats.skipped, 3);
	assert_int_equal(b->world.effects, 0);
	assert_int_equal(b->plan->path[0].action, PATH_KEPT);
	assert_int_equal(b->steps->step[0].state, STEP_SKIPPED);
	assert_false(b->data.there);
}

static void a_controller_that_is_not_live_is_left_alone(void **state)
{
	struct bench *b = *state;

	strcpy(fake_connect(&b->world, &b->steps->step[1].id, false)->state, "connecting");
	assert_int_equal(run(b), 0);
	assert_int_equal(b->world.effects, 2);
	assert_int_equal(b->steps->step[1].state, STEP_FAILED);
	assert_int_equal(b->plan->path[1].reason, PATH_OTHER);
	assert_non_null(strstr(b->plan->path[1].message, "in state connecting"));
	assert_false(owned(b, 1));
}

static void a_source_that_left_its_port_is_not_connected_from(void **state)
{
	struct bench *b = *state;

	b->world.source_gone = true;
	assert_int_equal(run(b), 0);
	assert_int_equal(b->world.effects, 0);
	assert_int_equal(b->stats.failed, 3);
	assert_int_equal(b->plan->path[2].reason, PATH_ADDRESS_MISSING);
	assert_string_equal(b->plan->path[2].message, "source 10.10.3.1 is no longer on port 0000:2b:00.0");
}

static void one_step_off_storage_refuses_the_whole_list(void **state)
{
	static const enum role roles[] = { ROLE_COMPUTE, ROLE_OTHER, ROLE_MANAGEMENT };
	struct bench *b = *state;

	for (size_t i = 0; i < ARRAY_SIZE(roles); i++) {
		b->steps->step[2].role = roles[i];
		b->err = (struct err){ 0 };
		assert_int_equal(run(b), -EPERM);
		assert_int_equal(b->err.exit, XC_REFUSED);
		assert_non_null(strstr(b->err.msg, "0000:2b:00.0"));
		assert_int_equal(b->world.point, 0);
		assert_int_equal(b->stats.skipped, 3);
		assert_false(b->data.there);
	}
}

static void a_failed_connect_does_not_stop_the_others(void **state)
{
	struct bench *b = *state;

	b->world.fail_call = 1; /* the first perform */
	assert_int_equal(run(b), 0);
	assert_int_equal(b->stats.failed, 1);
	assert_int_equal(b->stats.done, 2);
	assert_int_equal(b->plan->path[0].action, PATH_FAILED);
	assert_int_equal(b->plan->path[0].reason, PATH_NO_ANSWER);
	assert_string_equal(b->plan->path[0].message, "no answer");
	assert_false(owned(b, 0));
	assert_true(owned(b, 1));
	assert_int_equal(b->data.rec[2].state, JOURNAL_UNDONE);
}

static void what_a_failed_connect_left_is_ours(void **state)
{
	struct bench *b = *state;

	b->world.fail_call = 1;
	b->world.failure = FAKE_LEFTOVER;
	assert_int_equal(run(b), 0);
	assert_int_equal(b->plan->path[0].action, PATH_FAILED);
	assert_int_equal(b->plan->path[0].reason, PATH_TIMEOUT);
	assert_non_null(fake_find(&b->world, &b->steps->step[0].id));
	assert_true(owned(b, 0));
}

static void what_somebody_else_connected_meanwhile_is_theirs(void **state)
{
	struct bench *b = *state;

	b->world.outsider_point = 2; /* after the intent, before the effect */
	b->world.outsider = FAKE_CONNECTS;
	b->world.outsider_id = b->steps->step[0].id;
	assert_int_equal(run(b), 0);
	assert_int_equal(b->plan->path[0].action, PATH_FAILED);
	assert_non_null(fake_find(&b->world, &b->steps->step[0].id));
	assert_false(owned(b, 0));
}

static void a_controller_that_is_gone_after_its_connect_is_a_failure(void **state)
{
	struct bench *b = *state;

	b->world.outsider_point = 3;
	b->world.outsider = FAKE_DISCONNECTS;
	b->world.outsider_id = b->steps->step[0].id;
	assert_int_equal(run(b), 0);
	assert_int_equal(b->steps->step[0].state, STEP_FAILED);
	assert_false(owned(b, 0));
}

static void a_failed_proof_disconnects_and_ends_the_run(void **state)
{
	struct bench *b = *state;

	b->world.fail_call = 7; /* the proof of the second step */
	b->world.failure = FAKE_LEFTOVER;
	assert_int_equal(run(b), 0);
	assert_true(b->stats.mismatched);
	assert_int_equal(b->stats.done, 1);
	assert_int_equal(b->stats.failed, 1);
	assert_int_equal(b->stats.skipped, 1);
	assert_int_equal(b->world.ctrls, 1);
	assert_int_equal(b->plan->path[1].action, PATH_DISCONNECTED);
	assert_int_equal(b->plan->path[1].reason, PATH_PROOF_MISMATCH);
	assert_string_equal(b->plan->path[1].message, "is on mlx5_0; it was disconnected again");
	assert_int_equal(b->steps->count, STEPS + 1);
	assert_int_equal(b->steps->step[1].state, STEP_DONE);
	assert_int_equal(b->steps->step[2].state, STEP_SKIPPED);
	assert_int_equal(b->steps->step[3].kind, STEP_NVME_DISCONNECT);
	assert_int_equal(b->steps->step[3].state, STEP_DONE);
	assert_true(owned(b, 0));
	assert_false(owned(b, 1));
	assert_int_equal(b->data.rec[6].step, 4);
	assert_string_equal(b->data.rec[6].after, "absent");
}

static int deaf_perform(void *ctx, const struct step *step, enum path_reason *ret_reason, struct err *err)
{
	struct fake_world *world = ctx;

	if (step->kind == STEP_NVME_DISCONNECT)
		return err_set(err, XC_FAILED, -EBUSY, step->id.nqn, "busy");
	return fake_fx(world).perform(ctx, step, ret_reason, err);
}

static void a_mismatch_that_cannot_be_disconnected_stays_ours(void **state)
{
	struct bench *b = *state;

	b->fx.perform = deaf_perform;
	b->world.verdict = VERDICT_MISMATCH;
	assert_int_equal(run(b), 0);
	assert_int_equal(b->plan->path[0].action, PATH_FAILED);
	assert_int_equal(b->plan->path[0].reason, PATH_PROOF_MISMATCH);
	assert_string_equal(b->plan->path[0].message,
			    "is on mlx5_0; it could not be disconnected: busy; remove it "
			    "with nvme disconnect");
	assert_int_equal(b->stats.done, 0);
	assert_int_equal(b->stats.failed, 1);
	assert_true(owned(b, 0));
}

static void a_path_whose_proof_is_unknown_stays(void **state)
{
	struct bench *b = *state;

	b->world.verdict = VERDICT_UNKNOWN;
	assert_int_equal(run(b), 0);
	assert_int_equal(b->stats.done, 3);
	assert_int_equal(b->stats.unproven, 3);
	assert_int_equal(b->plan->path[0].action, PATH_CONNECTED);
	assert_int_equal(b->plan->path[0].proof, PROOF_NONE);
	assert_string_equal(b->plan->path[0].message, "cannot be read");
	assert_true(owned(b, 0));
}

static void nothing_is_begun_after_a_stop(void **state)
{
	struct bench *b = *state;

	b->world.stop_point = 4; /* during the first step */
	assert_int_equal(run(b), 0);
	assert_true(b->stats.stopped);
	assert_int_equal(b->stats.done, 1);
	assert_int_equal(b->stats.skipped, 2);
	assert_int_equal(b->world.effects, 1);
	assert_int_equal(b->plan->path[0].proof, PROOF_RDMA_NETLINK);
}

static void a_connect_that_a_signal_ended_ends_the_run(void **state)
{
	struct bench *b = *state;

	b->world.fail_call = 5;
	b->world.failure = FAKE_STOPPED;
	assert_int_equal(run(b), 0);
	assert_true(b->stats.stopped);
	assert_int_equal(b->stats.failed, 1);
	assert_int_equal(b->stats.skipped, 1);
	assert_false(owned(b, 1));
}

static void without_room_for_the_intent_nothing_is_done(void **state)
{
	struct bench *b = *state;
	struct rlimit before, none;
	int r;

	(void)signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	none = (struct rlimit){ .rlim_cur = 400, .rlim_max = before.rlim_max }; /* head and begin fit */
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &none), 0);
	r = run(b);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
	assert_true(r < 0);
	assert_int_equal(b->world.effects, 0);
	assert_int_equal(b->steps->step[0].state, STEP_FAILED);
	assert_int_equal(b->steps->step[1].state, STEP_SKIPPED);
	assert_non_null(strstr(b->err.msg, "make room in /run"));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(a_connect_is_written_down_done_and_proven),
		TEST(a_controller_that_is_live_is_kept_without_a_trace),
		TEST(a_controller_that_is_not_live_is_left_alone),
		TEST(a_source_that_left_its_port_is_not_connected_from),
		TEST(one_step_off_storage_refuses_the_whole_list),
		TEST(a_failed_connect_does_not_stop_the_others),
		TEST(what_a_failed_connect_left_is_ours),
		TEST(what_somebody_else_connected_meanwhile_is_theirs),
		TEST(a_controller_that_is_gone_after_its_connect_is_a_failure),
		TEST(a_failed_proof_disconnects_and_ends_the_run),
		TEST(a_mismatch_that_cannot_be_disconnected_stays_ours),
		TEST(a_path_whose_proof_is_unknown_stays),
		TEST(nothing_is_begun_after_a_stop),
		TEST(a_connect_that_a_signal_ended_ends_the_run),
		TEST(without_room_for_the_intent_nothing_is_done),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
