/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * teardown: every failure x every crash x every outsider (matrix.h), from every state in which a connect can
 * have left world and journal, whatever happened to it. Then one more teardown, in peace: what was there
 * before is there, or what the outsider made of it, and nothing of ours.
 *
 * And for the plan of each fixture, as the golden documents of connect --dry-run have it: each failure, crash
 * and outsider, in the connect and in the teardown.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include "base/json.h"
#include "fault/matrix.h"
#include "lib/t.h"

/* --- from each state ---------------------------------------------------------------------------------- */

struct undoing {
	struct seen starts; /* of a teardown, whatever the order of their objects */
	struct seen ends;
	unsigned depth, cases;
};

static int compare_words(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Objects are alike: their order and that of their claims do not make another state. */
static void sort_key(const char *key, char ret[static KEY_SIZE])
{
	char copy[KEY_SIZE], *word[FAKE_OBJECTS_MAX], *rest = NULL;
	unsigned words = 0;

	str_format(copy, sizeof(copy), "%s", key);
	for (char *at = strtok_r(copy, " ", &rest); at; at = strtok_r(NULL, " ", &rest))
		word[words++] = strchr(at, ':');
	qsort(word, words, sizeof(word[0]), compare_words);
	ret[0] = '\0';
	for (unsigned i = 0; i < words; i++)
		str_append(ret, KEY_SIZE, "%s", word[i]);
}

/* In the middle of the matrix of a connect: that of a teardown. */
static void tear_down(struct bench *b, void *arg)
{
	struct undoing *undoing = arg;
	struct matrix matrix = {
		.process = TEARDOWN, .depth = undoing->depth, .then = matrix_go_on, .arg = &undoing->ends
	};
	struct snapshot here;
	char key[KEY_SIZE];

	snapshot_take(b, &here);
	sort_key(here.key, key);
	if (seen_add(&undoing->starts, key))
		undoing->cases += matrix_run(b, &here, &matrix);
	snapshot_free(&here);
}

static void from_wherever_a_connect_ended_a_teardown_brings_back_what_was(void **state)
{
	static const struct {
		enum process process;
		unsigned objects, refused, depth, undo_depth;
	} plans[] = {
		{ CONNECT, 1, 0, 3, 3 }, { CONNECT, 2, 0, 1, 2 }, { CONNECT, 2, 0, 3, 1 },
		{ CONNECT, 3, 4, 1, 1 }, { ATOMIC, 2, 2, 2, 1 },
	};
	struct undoing undoing = { .depth = 0 };
	struct bench *b = *state;

	for (size_t i = 0; i < ARRAY_SIZE(plans); i++) {
		struct matrix matrix = { .process = plans[i].process,
					 .depth = plans[i].depth,
					 .then = tear_down,
					 .arg = &undoing };
		struct snapshot start;
		unsigned before = undoing.cases, outer;

		undoing.depth = plans[i].undo_depth;
		bench_reset(b, plans[i].objects);
		b->world.refused = plans[i].refused;
		snapshot_take(b, &start);
		outer = matrix_run(b, &start, &matrix);
		snapshot_free(&start);
		print_message("# plan %zu: %u cases of a connect, %u states, %u cases of a teardown\n", i,
			      outer, undoing.starts.count, undoing.cases - before);
	}
	print_message("# %u states in which a teardown can leave them\n", undoing.ends.count);
	seen_free(&undoing.starts);
	seen_free(&undoing.ends);
}

/* --- the plans of the fixtures -------------------------------------------------------------------------- */

#define DOCUMENT_MAX (1UL << 20)

static void take_path(struct bench *b, const struct json *path, char key[static KEY_SIZE])
{
	struct step step;
	char action[32];

	fake_step(&step, 0);
	assert_int_equal(json_get_str(path, "nqn", step.id.nqn, sizeof(step.id.nqn)), 0);
	assert_int_equal(json_get_str(path, "traddr", step.id.traddr, sizeof(step.id.traddr)), 0);
	assert_int_equal(json_get_str(path, "trsvcid", step.id.trsvcid, sizeof(step.id.trsvcid)), 0);
	assert_int_equal(json_get_str(path, "host_traddr", step.id.host_traddr, sizeof(step.id.host_traddr)),
			 0);
	assert_int_equal(json_get_str(path, "action", action, sizeof(action)), 0);
	if (strcmp(action, "kept") == 0)
		fake_connect(&b->world, &step.id, false);
	else if (strcmp(action, "would-connect") != 0)
		return;
	assert_true(b->world.objects < FAKE_OBJECTS_MAX);
	b->world.object[b->world.objects++] = step.id;
	str_append(key, KEY_SIZE, " %s %s %s %s", action, step.id.host_traddr, step.id.traddr,
		   strchr(step.id.nqn, ':'));
}

/* What a golden document would connect or keep are the objects. False: nothing, or the same as another. */
static bool take_plan(struct bench *b, const char *text, struct seen *seen)
{
	const char *why;
	_cleanup_json_ struct json *j = json_parse(text, strlen(text), &why);
	const struct json *paths = json_get(j, "paths");
	char key[KEY_SIZE] = "";

	bench_reset(b, 0);
	for (size_t i = 0; i < json_length(paths); i++)
		take_path(b, json_at(paths, i), key);
	return b->world.objects > 0 && seen_add(seen, key);
}

static unsigned try_plan(struct bench *b, struct seen *seen)
{
	struct matrix matrix = { .process = CONNECT, .depth = 1, .then = matrix_go_on, .arg = seen };
	struct snapshot fresh, connected;
	unsigned cases;

	snapshot_take(b, &fresh);
	cases = matrix_run(b, &fresh, &matrix);
	snapshot_restore(b, &fresh);
	process_run(b, CONNECT);
	assert_null(b->wrong);
	snapshot_take(b, &connected);
	matrix.process = TEARDOWN;
	cases += matrix_run(b, &connected, &matrix);
	snapshot_restore(b, &fresh);
	b->world.refused = 1U << (b->world.objects - 1);
	snapshot_free(&fresh);
	snapshot_take(b, &fresh);
	matrix.process = ATOMIC;
	if (b->world.objects > 1) /* else nothing is taken back */
		cases += matrix_run(b, &fresh, &matrix);
	snapshot_free(&connected);
	snapshot_free(&fresh);
	return cases;
}

static void the_plan_of_each_fixture_can_fail_anywhere(void **state)
{
	_cleanup_names_ struct names names = NAMES_INIT;
	const char *srcdir = getenv("srcdir");
	struct seen plans = { 0 };
	struct bench *b = *state;
	struct root golden = { .fd = -1 };
	unsigned documents = 0, cases = 0;
	char path[512];

	if (!srcdir)
		skip();
	(void)snprintf(path, sizeof(path), "%s/tests/golden", srcdir);
	golden.fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_true(golden.fd >= 0);
	assert_int_equal(root_list(&golden, &names, "."), 0);
	for (size_t i = 0; i < names.count; i++) {
		_cleanup_free_ char *text = NULL;
		struct seen seen = { 0 };

		if (!str_starts(names.name[i], "connect-") || !strstr(names.name[i], ".out"))
			continue;
		assert_true(root_read_all(&golden, &text, DOCUMENT_MAX, "%s", names.name[i]) >= 0);
		if (text[0] != '{')
			continue;
		documents++;
		if (take_plan(b, text, &plans))
			cases += try_plan(b, &seen);
		seen_free(&seen);
	}
	print_message("# %u documents, %u plans, %u cases\n", documents, plans.count, cases);
	assert_in_range(plans.count, 5, documents);
	seen_free(&plans);
	(void)close(golden.fd);
}

/* --- other ends -------------------------------------------------------------------------------------------
 */

static void limit_file(rlim_t size)
{
	struct rlimit limit;

	assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
	limit.rlim_cur = size;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

/* So much room is left on the disk: for the begin, and each line of each removal, cut anywhere. */
static void a_disk_that_fills_up_keeps_what_is_claimed(void **state)
{
	static const struct {
		enum fake_outsider outsider;
		enum fake_failure failure; /* FAKE_ERROR: none */
	} ways[] = {
		{ FAKE_NOBODY, FAKE_ERROR },  { FAKE_NOBODY, FAKE_LATE },	{ FAKE_NOBODY, FAKE_BUSY },
		{ FAKE_REMAKES, FAKE_ERROR }, { FAKE_DISCONNECTS, FAKE_ERROR },
	};
	struct bench *b = *state;
	struct seen seen = { 0 };
	unsigned broken_off = 0;
	struct snapshot start;
	size_t full;

	(void)signal(SIGXFSZ, SIG_IGN);
	bench_reset(b, 2);
	process_run(b, CONNECT);
	snapshot_take(b, &start);
	full = strlen(start.journal);
	for (unsigned i = 0; i < 5 * 2400; i += 47) {
		unsigned room = i / 5, way = i % 5;

		snapshot_restore(b, &start);
		b->world.outsider = (struct fake_when){ .object = 0, .call = 2 }; /* its removal */
		b->world.outsider_way = ways[way].outsider;
		b->world.outsider_id = b->world.object[0];
		b->world.failure = ways[way].failure;
		b->world.fail = (struct fake_when){ 1, ways[way].failure == FAKE_ERROR ? FAKE_NEVER : 2 };
		limit_file(full + room);
		process_run(b, TEARDOWN);
		limit_file(RLIM_INFINITY);
		broken_off += b->result < 0;
		if (!b->wrong)
			matrix_go_on(b, &seen);
		if (b->wrong)
			fail_msg("%s: disk full after %u bytes more, way %u", b->wrong, room, way);
	}
	assert_in_range(broken_off, 100, 250);
	snapshot_free(&start);
	seen_free(&seen);
}

/* As after a connect that was killed: the kernel goes on with it. */
static void what_has_no_subsystem_yet_is_claimed_until_it_has_one(void **state)
{
	struct bench *b = *state;
	struct fake_ctrl *ctrl;

	bench_reset(b, 1);
	b->world.fail = (struct fake_when){ .object = 0, .call = 3 };
	process_run(b, CONNECT);
	assert_null(b->wrong);
	ctrl = fake_find(&b->world, &b->world.object[0]);
	ctrl->unnamed = true;
	str_format(ctrl->state, sizeof(ctrl->state), "connecting");
	fake_world_next(&b->world);
	process_run(b, TEARDOWN);
	assert_null(b->wrong);
	assert_int_equal(b->exit, XC_PARTIAL);
	assert_int_equal(b->world.effects, 0);
	assert_int_equal(b->claims->count, 1);
	ctrl->unnamed = false;
	process_finish(b);
	assert_null(b->wrong);
	assert_int_equal(b->world.ctrls, 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, bench_setup, bench_teardown)
	const struct CMUnitTest tests[] = {
		TEST(from_wherever_a_connect_ended_a_teardown_brings_back_what_was),
		TEST(the_plan_of_each_fixture_can_fail_anywhere),
		TEST(a_disk_that_fills_up_keeps_what_is_claimed),
		TEST(what_has_no_subsystem_yet_is_claimed_until_it_has_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
