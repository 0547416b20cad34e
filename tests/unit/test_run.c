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
#include <sys/stat.h>

#include <cmocka.h>

#include "lib/fakefx.h"

#define STEPS 3
#define WAY(i) "10.10." #i ".2:4420 from 10.10." #i ".1: "

struct bench {
	struct root root;
	struct fake_world world;
	struct fx fx;
	struct steps *steps;
	struct plan *plan;
	struct findings *findings;
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
	r = run_steps(&b->fx, journal, b->steps, b->plan, &b->err);
	if (journal_end(journal, XC_OK, &ignored) < 0)
		assert_int_not_equal(r, 0);
	journal_close(journal);
	journal_data_free(&b->data);
	assert_int_equal(journal_read(&b->root, &b->data, &ignored), 0);
	assert_int_equal(b->world.unwritten, 0);
	return r;
}

static void assert_steps(struct bench *b, unsigned done, unsigned skipped, unsigned failed)
{
	unsigned count[STEP_FAILED + 1] = { 0 };

	for (unsigned i = 0; i < STEPS; i++)
		count[b->steps->step[i].state]++;
	assert_true(count[STEP_DONE] == done && count[STEP_SKIPPED] == skipped &&
		    count[STEP_FAILED] == failed);
}

static void assert_failed(struct bench *b, unsigned i, const char *message)
{
	assert_int_equal(b->plan->path[i].action, PATH_FAILED);
	assert_int_equal(b->plan->path[i].reason, PATH_OTHER);
	assert_string_equal(b->plan->path[i].message, message);
}

static bool owned(struct bench *b, unsigned i)
{
	return journal_owns(&b->data, &b->steps->step[i].id);
}

static void a_connect_is_written_down_done_and_proven(void **state)
{
	struct bench *b = *state;

	assert_int_equal(run(b), 0);
	assert_steps(b, 3, 0, 0);
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
	assert_steps(b, 0, 3, 0);
	assert_int_equal(b->world.effects, 0);
	assert_int_equal(b->plan->path[0].action, PATH_KEPT);
	assert_int_equal(b->plan->path[0].proof, PROOF_RDMA_NETLINK);
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
	assert_failed(b, 1,
		      WAY(2) "such a controller is there, in state connecting; wait until it is live, or "
			     "disconnect it");
	assert_false(owned(b, 1));
}

static void a_source_that_left_its_port_is_not_connected_from(void **state)
{
	struct bench *b = *state;

	b->world.source_gone = true;
	assert_int_equal(run(b), 0);
	assert_int_equal(b->world.effects, 0);
	assert_steps(b, 0, 0, 3);
	assert_int_equal(b->plan->path[2].reason, PATH_ADDRESS_MISSING);
	assert_string_equal(b->plan->path[2].message,
			    WAY(3) "source 10.10.3.1 is no longer on port 0000:2b:00.0");
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
		assert_steps(b, 0, 3, 0);
		assert_failed(b, 0, WAY(1) "not begun: the plan holds a step that is refused");
		assert_false(b->data.there);
	}
}

static void a_failed_connect_does_not_stop_the_others(void **state)
{
	struct bench *b = *state;

	b->world.fail_call = 1; /* the first perform */
	assert_int_equal(run(b), 0);
	assert_steps(b, 2, 0, 1);
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

static void a_controller_that_is_not_found_after_its_connect_may_be_ours_still(void **state)
{
	struct bench *b = *state;

	b->world.outsider_point = 3;
	b->world.outsider = FAKE_DISCONNECTS;
	b->world.outsider_id = b->steps->step[0].id;
	assert_int_equal(run(b), 0);
	assert_steps(b, 2, 0, 1);
	assert_failed(b, 0,
		      WAY(1) "the kernel says that it is connected, and no such controller is there; look "
			     "with nvme list-subsys");
	assert_true(owned(b, 0));
}

static void a_failed_proof_disconnects_and_ends_the_run(void **state)
{
	struct bench *b = *state;

	b->world.fail_call = 7; /* the proof of the second step */
	b->world.failure = FAKE_LEFTOVER;
	assert_int_equal(run(b), 0);
	assert_failed(b, 2, WAY(3) "not begun: a path before it was on the wrong device");
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
	assert_string_equal(
		b->plan->path[0].message,
		"is on mlx5_0; it could not be disconnected: busy; remove it with nvme disconnect");
	assert_steps(b, 1, 2, 0);
	assert_int_equal(b->steps->step[3].state, STEP_FAILED);
	assert_true(owned(b, 0));
}

static void limit_file(rlim_t size)
{
	struct rlimit limit;

	assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
	limit.rlim_cur = size;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

/* A run with room for a journal of so many bytes. */
static void run_within(struct bench *b, rlim_t size)
{
	(void)signal(SIGXFSZ, SIG_IGN);
	limit_file(size);
	assert_true(run(b) < 0);
	limit_file(RLIM_INFINITY);
}

/* As if the disk were full, as soon as the kernel has connected. */
static int filling_perform(void *ctx, const struct step *step, enum path_reason *ret_reason, struct err *err)
{
	struct fake_world *world = ctx;
	struct stat st;

	assert_int_equal(fstatat(world->root->fd, JOURNAL_DIR "/" JOURNAL_FILE, &st, 0), 0);
	limit_file((rlim_t)st.st_size);
	world->disk_full = true;
	return fake_fx(world).perform(ctx, step, ret_reason, err);
}

static void a_mismatch_is_disconnected_even_if_the_journal_takes_nothing_more(void **state)
{
	struct bench *b = *state;

	b->world.verdict = VERDICT_MISMATCH;
	b->fx.perform = filling_perform;
	run_within(b, RLIM_INFINITY);
	assert_non_null(strstr(b->err.msg, "make room in /run"));
	assert_int_equal(b->world.ctrls, 0);
	assert_int_equal(b->world.effects, 2);
	assert_int_equal(b->plan->path[0].action, PATH_DISCONNECTED);
	assert_int_equal(b->plan->path[0].reason, PATH_PROOF_MISMATCH);
	assert_string_equal(b->plan->path[0].message, "is on mlx5_0; it was disconnected again");
	assert_failed(b, 1, WAY(2) "not begun: the journal failed");
}

static void a_connect_whose_outcome_cannot_be_written_is_proven_and_the_last(void **state)
{
	struct bench *b = *state;

	b->fx.perform = filling_perform;
	run_within(b, RLIM_INFINITY);
	assert_int_equal(b->world.ctrls, 1);
	assert_int_equal(b->plan->path[0].action, PATH_CONNECTED);
	assert_int_equal(b->plan->path[0].proof, PROOF_RDMA_NETLINK);
	assert_failed(b, 2, WAY(3) "not begun: the journal failed");
	assert_true(owned(b, 0));
}

static void a_connect_that_cannot_be_read_back_is_proven_too(void **state)
{
	struct bench *b = *state;

	b->world.verdict = VERDICT_MISMATCH;
	b->world.fail_call = 2; /* observing after the first perform */
	assert_int_equal(run(b), -EIO);
	assert_int_equal(b->world.ctrls, 0);
	assert_int_equal(b->plan->path[0].action, PATH_DISCONNECTED);
	assert_false(owned(b, 0));
	assert_failed(b, 1, WAY(2) "not begun: what is there could not be read");
}

static void a_connect_that_cannot_be_read_back_is_not_called_connected(void **state)
{
	struct bench *b = *state;

	b->world.fail_call = 2;
	assert_int_equal(run(b), -EIO);
	assert_int_equal(b->world.ctrls, 1);
	assert_failed(b, 0, WAY(1) "the kernel says that it is connected, and that could not be read back");
	assert_int_equal(b->plan->path[0].proof, PROOF_NONE);
	assert_true(owned(b, 0));
}

static void a_mismatch_that_cannot_be_looked_for_is_disconnected(void **state)
{
	struct bench *b = *state;

	b->world.verdict = VERDICT_MISMATCH;
	b->world.fail_call = 4; /* observing before the disconnect */
	assert_int_equal(run(b), -EIO);
	assert_int_equal(b->world.ctrls, 0);
	assert_int_equal(b->plan->path[0].action, PATH_DISCONNECTED);
	assert_false(owned(b, 0));
}

/* An outsider makes the first step's controller after the plan was made. */
static int run_meanwhile(struct bench *b, enum proof_verdict verdict)
{
	b->world.outsider_point = 0;
	b->world.outsider = FAKE_CONNECTS;
	b->world.outsider_id = b->steps->step[0].id;
	b->world.verdict = verdict;
	return run(b);
}

static void what_came_meanwhile_on_the_wrong_device_stays_and_ends_the_run(void **state)
{
	struct bench *b = *state;

	assert_int_equal(run_meanwhile(b, VERDICT_MISMATCH), 0);
	assert_int_equal(b->world.effects, 0);
	assert_int_equal(b->world.ctrls, 1);
	assert_int_equal(b->plan->path[0].action, PATH_KEPT);
	assert_int_equal(b->plan->path[0].reason, PATH_PROOF_MISMATCH);
	assert_string_equal(b->plan->path[0].message,
			    "is on mlx5_0; this run did not make it; remove it: nvme disconnect -d nvme0");
	assert_failed(b, 1, WAY(2) "not begun: a path before it was on the wrong device");
	assert_steps(b, 0, 3, 0);
}

static void what_came_meanwhile_and_is_not_proven_says_why(void **state)
{
	struct bench *b = *state;

	assert_int_equal(run_meanwhile(b, VERDICT_UNKNOWN), 0);
	assert_int_equal(b->plan->path[0].action, PATH_KEPT);
	assert_int_equal(b->plan->path[0].reason, PATH_REASON_NONE);
	assert_string_equal(b->plan->path[0].message, "cannot be read");
	assert_steps(b, 2, 1, 0);
}

static void a_path_whose_proof_is_unknown_stays(void **state)
{
	struct bench *b = *state;

	b->world.verdict = VERDICT_UNKNOWN;
	assert_int_equal(run(b), 0);
	assert_steps(b, 3, 0, 0);
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
	assert_steps(b, 1, 2, 0);
	assert_failed(b, 1, WAY(2) "not begun: stopped by a signal");
	assert_int_equal(b->world.effects, 1);
	assert_int_equal(b->plan->path[0].proof, PROOF_RDMA_NETLINK);
}

static void a_connect_that_a_signal_ended_ends_the_run(void **state)
{
	struct bench *b = *state;

	b->world.fail_call = 5;
	b->world.failure = FAKE_STOPPED;
	assert_int_equal(run(b), 0);
	assert_steps(b, 1, 1, 1);
	assert_failed(b, 2, WAY(3) "not begun: stopped by a signal");
	assert_false(owned(b, 1));
}

static void without_room_for_the_intent_nothing_is_done(void **state)
{
	struct bench *b = *state;

	run_within(b, 400); /* head and begin fit */
	assert_int_equal(b->world.effects, 0);
	assert_steps(b, 0, 2, 1);
	assert_true(str_starts(b->plan->path[0].message, WAY(1) ""));
	assert_failed(b, 1, WAY(2) "not begun: the journal failed");
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
		TEST(a_controller_that_is_not_found_after_its_connect_may_be_ours_still),
		TEST(a_failed_proof_disconnects_and_ends_the_run),
		TEST(a_mismatch_that_cannot_be_disconnected_stays_ours),
		TEST(a_mismatch_is_disconnected_even_if_the_journal_takes_nothing_more),
		TEST(a_connect_whose_outcome_cannot_be_written_is_proven_and_the_last),
		TEST(a_connect_that_cannot_be_read_back_is_proven_too),
		TEST(a_connect_that_cannot_be_read_back_is_not_called_connected),
		TEST(a_mismatch_that_cannot_be_looked_for_is_disconnected),
		TEST(what_came_meanwhile_on_the_wrong_device_stays_and_ends_the_run),
		TEST(what_came_meanwhile_and_is_not_proven_says_why),
		TEST(a_path_whose_proof_is_unknown_stays),
		TEST(nothing_is_begun_after_a_stop),
		TEST(a_connect_that_a_signal_ended_ends_the_run),
		TEST(without_room_for_the_intent_nothing_is_done),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
