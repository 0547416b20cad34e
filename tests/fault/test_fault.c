/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Every failure x every crash x every outsider, over a plan of connects: whatever happens, the journal on
 * disk says exactly what is ours.
 *
 *	failure	  call k fails (with and without an effect left, a proof unknown or wrong), or none
 *	crash	  at point c, before or after a call, so between any two of journal and world; or none
 *	outsider  connects or disconnects the object of step j between two calls; or nobody does, whatever the
 *		  proof of every step says
 *
 * The oracle, after each case:
 *	- no effect happened without its intent on disk before (on a full disk a controller on the wrong
 *	  device is disconnected without one: the record of its connect is there, and open);
 *	- what is on the wrong device does not stay, even if the disk is full;
 *	- every controller in the world that the run made is owned by the journal;
 *	- no other one is, but for one case that cannot be told apart: an intent that is still open (the run
 *	  crashed, or could not read the world back), and somebody else connected the very same one meanwhile;
 *	- a later run makes all that is missing, and one after that does nothing and writes nothing (looked at
 *	  where nobody, or an outsider, had made the first object).
 *
 * Mutants that were seen to turn it red: the intent written after the effect; no "undone" after EALREADY;
 * "undone" though the failed connect left a controller; no record of the disconnect after a failed proof;
 * "done" written for a disconnect that failed.
 */
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

#define STEPS 2
#define CALLS (STEPS * 4 + 3) /* observe, perform, observe, prove; and a disconnect once */
#define POINTS (CALLS * 2)

struct bench {
	struct root root;
	struct fake_world world;
	struct steps *steps;
	struct plan *plan;
	struct findings *findings;
	struct journal *journal;
	int result;
	bool crashed;
	unsigned runs;
};

static int setup(void **state)
{
	struct bench *b = calloc(1, sizeof(*b));

	b->steps = calloc(1, sizeof(*b->steps));
	b->plan = calloc(1, sizeof(*b->plan));
	b->findings = calloc(1, sizeof(*b->findings));
	fake_root_open(&b->root);
	*state = b;
	return 0;
}

static int teardown(void **state)
{
	struct bench *b = *state;

	fake_root_close(&b->root);
	free(b->steps);
	free(b->plan);
	free(b->findings);
	free(b);
	return 0;
}

/* One process: opens the journal, runs, ends or crashes. What it had open is closed as the kernel would. */
static void run(struct bench *b)
{
	char *argv[] = { (char[]){ "nvme-partition" }, (char[]){ "connect" } };
	struct fx fx = fake_fx(&b->world);
	struct err err = { 0 };

	b->steps->count = b->plan->paths = STEPS;
	for (unsigned i = 0; i < STEPS; i++) {
		fake_step(&b->steps->step[i], i);
		memset(&b->plan->path[i], 0, sizeof(b->plan->path[i]));
	}
	b->crashed = false;
	b->runs++;
	assert_int_equal(journal_open(&b->root, 0, &b->journal, b->findings, &err), 0);
	assert_int_equal(journal_begin(b->journal, "connect", 2, argv, &err), 0);
	if (setjmp(b->world.crash) == 0) {
		b->result = run_steps(&fx, b->journal, b->steps, b->plan, &err);
		assert_int_equal(b->result < 0, err.code < 0);
		err = (struct err){ 0 };
		if (journal_end(b->journal, XC_OK, &err) < 0)
			b->result = err.code;
	} else {
		b->crashed = true;
	}
	journal_close(b->journal);
}

static bool intent_open(const struct journal_data *data, const struct ctrl_id *id)
{
	const struct journal_rec *last = NULL;

	for (unsigned i = 0; i < data->records; i++) {
		if (data->rec[i].type == JOURNAL_STEP && ctrl_id_equal(&data->rec[i].id, id))
			last = &data->rec[i];
	}
	return last && last->state == JOURNAL_INTENT;
}

/* The oracle. Returns what is wrong, or NULL. */
static const char *check(struct bench *b)
{
	struct journal_data data;
	struct err err = { 0 };
	const char *wrong = NULL;

	if (b->world.unwritten)
		return "an effect without its intent";
	if (journal_read(&b->root, &data, &err) < 0)
		return "the journal cannot be read";
	for (unsigned i = 0; i < b->world.ctrls; i++) {
		const struct fake_ctrl *ctrl = &b->world.ctrl[i];
		bool owned = journal_owns(&data, &ctrl->id);

		if (ctrl->ours && !owned)
			wrong = "ours, and the journal does not know it";
		if (!ctrl->ours && owned && !intent_open(&data, &ctrl->id))
			wrong = "somebody else's, and the journal takes it for ours";
	}
	/* A later run that had nothing to do writes nothing, not even for the one that crashed. */
	if (!b->crashed && b->result == 0 && data.unfinished && b->runs == 1)
		wrong = "a run that came to its end has none";
	journal_data_free(&data);
	return wrong;
}

/* The program is started again, and perhaps once more. */
static const char *check_recovery(struct bench *b, bool once_more)
{
	char *before, *after;
	unsigned effects;
	const char *wrong;

	b->world.fail_call = b->world.crash_point = b->world.outsider_point = FAKE_NEVER;
	b->world.verdict = VERDICT_PROVEN;
	b->world.disk_full = false;
	run(b);
	wrong = check(b);
	if (wrong)
		return wrong;
	if (b->result < 0 || b->world.ctrls != STEPS)
		return "a later run did not make what was missing";
	if (!once_more)
		return NULL;
	effects = b->world.effects;
	before = fake_root_read(&b->root, JOURNAL_DIR "/" JOURNAL_FILE);
	run(b);
	after = fake_root_read(&b->root, JOURNAL_DIR "/" JOURNAL_FILE);
	if (b->world.effects != effects || strcmp(before, after) != 0)
		wrong = "the run after it changed something";
	free(before);
	free(after);
	return wrong;
}

static void new_world(struct bench *b)
{
	fake_world_init(&b->world, &b->root);
	b->runs = 0;
	(void)unlinkat(b->root.fd, JOURNAL_DIR "/" JOURNAL_FILE, 0);
}

struct scenario {
	unsigned fail_call, crash_point, outsider_point;
	enum fake_failure failure;
	enum fake_outsider outsider;
	enum proof_verdict verdict;
	unsigned object;
};

/* Returns the number of cases that this was: none if it went as with another failure. */
static unsigned try(struct bench *b, const struct scenario *s)
{
	/* What was disconnected is made by the first run after it, as what was never there. */
	bool once_more = s->outsider != FAKE_DISCONNECTS && s->object == 0;
	struct step step;
	const char *wrong;

	new_world(b);
	b->world.fail_call = s->fail_call;
	b->world.failure = s->failure;
	b->world.crash_point = s->crash_point;
	b->world.outsider_point = s->outsider_point;
	b->world.outsider = s->outsider;
	b->world.verdict = s->verdict;
	fake_step(&step, s->object);
	b->world.outsider_id = step.id;
	run(b);
	if (s->failure != FAKE_ERROR && !b->world.failed_otherwise)
		return 0;
	wrong = check(b);
	if (!wrong)
		wrong = check_recovery(b, once_more);
	if (wrong)
		fail_msg("%s: call %d fails in way %d, crash at %d, outsider way %d on step %u at %d, "
			 "verdict %d",
			 wrong, (int)s->fail_call, s->failure, (int)s->crash_point, s->outsider, s->object,
			 (int)s->outsider_point, s->verdict);
	return 1;
}

/*
 * Before a step is begun and after it is settled nobody looks at its object: one point stands for all. The
 * second step begins after three calls or more, the first one is settled after seven or less.
 */
static bool looked_away(const struct scenario *s)
{
	return s->object == 0 ? s->outsider_point > 7 * 2
			      : s->outsider_point > 0 && s->outsider_point < 3 * 2;
}

/* Every outsider for one failure and crash; one that would come after the crash is nobody. */
static unsigned try_outsiders(struct bench *b, struct scenario s)
{
	unsigned cases = 0;

	s.outsider = FAKE_NOBODY;
	s.outsider_point = FAKE_NEVER;
	s.object = 0;
	for (int verdict = VERDICT_PROVEN; verdict <= VERDICT_UNKNOWN; verdict++) {
		s.verdict = (enum proof_verdict)verdict;
		cases += try(b, &s);
	}
	s.verdict = VERDICT_PROVEN;
	for (s.object = 0; s.object < STEPS; s.object++) {
		/* After a call and before the next one are the same to an outsider. */
		for (s.outsider_point = 0; s.outsider_point < POINTS && s.outsider_point <= s.crash_point;
		     s.outsider_point += 2) {
			if (looked_away(&s))
				continue;
			s.outsider = FAKE_CONNECTS;
			cases += try(b, &s);
			s.outsider = FAKE_DISCONNECTS;
			cases += try(b, &s);
		}
	}
	return cases;
}

static void the_journal_says_what_is_ours_whatever_happens(void **state)
{
	struct bench *b = *state;
	unsigned cases = 0;

	for (int failure = FAKE_ERROR; failure <= FAKE_STOPPED; failure++) {
		for (unsigned call = 0; call <= CALLS; call++) {
			for (unsigned point = 0; point <= POINTS; point++) {
				struct scenario s = {
					.failure = (enum fake_failure)failure,
					.fail_call = call < CALLS ? call : FAKE_NEVER,
					.crash_point = point < POINTS ? point : FAKE_NEVER,
				};

				/* A failure after the crash is none, and none has no kinds. */
				if (s.fail_call == FAKE_NEVER ? failure != FAKE_ERROR
							      : s.fail_call * 2 > s.crash_point)
					continue;
				cases += try_outsiders(b, s);
			}
		}
	}
	print_message("%u cases\n", cases);
	assert_in_range(cases, 5000, 1000000);
}

/* A run on a disk with so much room for the journal, and the oracle after it. */
static const char *try_full(struct bench *b, rlim_t size, enum proof_verdict verdict)
{
	struct rlimit before, limit;
	const char *wrong;

	new_world(b);
	b->world.disk_full = true;
	b->world.verdict = verdict;
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	limit = (struct rlimit){ .rlim_cur = size, .rlim_max = before.rlim_max };
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	run(b);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
	wrong = check(b);
	if (!wrong && verdict == VERDICT_MISMATCH && b->world.ctrls > 0)
		wrong = "what is on the wrong device stayed";
	return wrong;
}

/* The disk is full after so many bytes: head, begin, any line of any step, cut anywhere. */
static void a_disk_that_fills_up_hides_nothing(void **state)
{
	static const enum proof_verdict verdicts[] = { VERDICT_PROVEN, VERDICT_MISMATCH };
	struct bench *b = *state;
	unsigned broken_off = 0;

	(void)signal(SIGXFSZ, SIG_IGN);
	for (rlim_t i = 0; i < 2 * 3000; i += 13) {
		rlim_t size = i / 2;
		enum proof_verdict verdict = verdicts[i % 2];
		const char *wrong = try_full(b, size, verdict);

		broken_off += b->result < 0;
		if (!wrong)
			wrong = check_recovery(b, true);
		if (wrong)
			fail_msg("%s: disk full after %u bytes, verdict %d", wrong, (unsigned)size, verdict);
	}
	assert_in_range(broken_off, 100, 300);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(the_journal_says_what_is_ours_whatever_happens, setup,
						teardown),
		cmocka_unit_test_setup_teardown(a_disk_that_fills_up_hides_nothing, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
