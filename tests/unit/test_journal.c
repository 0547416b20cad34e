/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The journal: what it holds, and what a crash, a full disk or a stranger's bytes do to it. */
#include "apply/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "lib/fakefx.h"

#define PATH JOURNAL_DIR "/" JOURNAL_FILE
#define HEAD "{\"journal\":1,\"boot_id\":\"" FAKE_BOOT_ID "\",\"version\":\"" PACKAGE_VERSION "\"}\n"
#define BEGIN "{\"run\":1,\"begin\":\"connect\",\"argv\":[\"connect\",\"-v\"],\"pid\":7}\n"
#define OBJECT                                                                                            \
	"\"object\":{\"nqn\":\"nqn.2026-01.example:s0\",\"transport\":\"rdma\",\"traddr\":\"10.10.1.2\"," \
	"\"trsvcid\":\"4420\",\"host_traddr\":\"10.10.1.1\",\"hostnqn\":\"nqn.2026-01.example:host\","    \
	"\"hostid\":\"0d1a2f2c-91f0-4c40-a0e0-4f3f2e1d0c0b\",\"cntlid\":"
#define ASKED "\"asked\":{\"nr_io_queues\":16,\"reconnect_delay\":10,\"ctrl_loss_tmo\":600},"
#define INTENT                                                                   \
	"{\"run\":1,\"step\":1,\"kind\":\"nvme-connect\"," OBJECT "null}," ASKED \
	"\"before\":\"absent\",\"after\":null,\"state\":\"intent\"}\n"
#define DONE                                                      \
	"{\"run\":1,\"step\":1,\"kind\":\"nvme-connect\"," OBJECT \
	"5,\"sysfs_inode\":4711},\"before\":\"absent\","          \
	"\"after\":\"live\",\"state\":\"done\"}\n"
#define CONNECT_DONE(inode)                                                                  \
	"{\"run\":1,\"step\":1,\"kind\":\"nvme-connect\"," OBJECT "5,\"sysfs_inode\":" inode \
	"},\"before\":\"absent\",\"after\":\"live\",\"state\":\"done\"}\n"
#define END "{\"run\":1,\"end\":\"ok\"}\n"

struct bench {
	struct root root;
	struct findings findings;
	struct step step;
	struct err err;
	struct journal *journal;
	struct journal_data data;
};

static int setup(void **state)
{
	struct bench *b = calloc(1, sizeof(*b));

	fake_root_open(&b->root);
	fake_step(&b->step, 0);
	*state = b;
	return 0;
}

static int teardown(void **state)
{
	struct bench *b = *state;

	journal_close(b->journal);
	journal_data_free(&b->data);
	fake_root_close(&b->root);
	free(b);
	return 0;
}

static int reopen(struct bench *b)
{
	journal_close(b->journal);
	b->journal = NULL;
	b->err = (struct err){ 0 };
	return journal_open(&b->root, 0, &b->journal, &b->findings, &b->err);
}

static void begin(struct bench *b)
{
	char *argv[] = { (char[]){ "connect" }, (char[]){ "-v" } };

	assert_int_equal(reopen(b), 0);
	assert_int_equal(journal_begin(b->journal, "connect", 2, argv, &b->err), 0);
}

static int intent(struct bench *b)
{
	return journal_intent(b->journal, &b->step, 1, "absent", &b->err);
}

static int outcome(struct bench *b, enum journal_state state)
{
	static const struct journal_after live = { "live", 5, 4711 }, absent = { "absent", -1, 0 };
	bool up = state == JOURNAL_DONE && b->step.kind == STEP_NVME_CONNECT;

	return journal_outcome(b->journal, &b->step, 1, state, "absent", up ? &live : &absent, &b->err);
}

static int end(struct bench *b, enum exit_class exit, bool remove)
{
	return journal_end(b->journal, exit, remove, &b->err);
}

static bool owns(struct bench *b)
{
	journal_data_free(&b->data);
	assert_int_equal(journal_read(&b->root, &b->data, &b->err), 0);
	return journal_owns(&b->data, &b->step.id, 0);
}

static void assert_text(struct bench *b, const char *text)
{
	char *is = fake_root_read(&b->root, PATH);

	assert_string_equal(is, text);
	free(is);
}

/* Puts a journal there as root would have, through the program's own directory. */
static void put(struct bench *b, const char *text)
{
	fake_root_write(&b->root, PATH, text);
}

/* --- what it holds ------------------------------------------------------------------------------ */

static void a_run_without_a_step_leaves_no_trace(void **state)
{
	struct bench *b = *state;

	begin(b);
	assert_int_equal(end(b, XC_OK, false), 0);
	assert_false(root_exists(&b->root, PATH));
	assert_false(owns(b));
	assert_false(b->data.there);
	assert_true(b->data.readable);
}

static void the_lines_are_as_documented(void **state)
{
	struct bench *b = *state;
	char *text, *pid;
	struct stat st;

	begin(b);
	assert_int_equal(intent(b), 0);
	assert_int_equal(outcome(b, JOURNAL_DONE), 0);
	assert_int_equal(end(b, XC_OK, false), 0);
	text = fake_root_read(&b->root, PATH);
	pid = strstr(text, "\"pid\":") + strlen("\"pid\":");
	assert_int_equal(strtol(pid, NULL, 10), getpid());
	*pid = '7';
	memmove(pid + 1, strchr(pid, '}'), strlen(strchr(pid, '}')) + 1);
	assert_string_equal(text, HEAD BEGIN INTENT DONE END);
	free(text);
	assert_int_equal(fstatat(b->root.fd, PATH, &st, 0), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	assert_int_equal(fstatat(b->root.fd, JOURNAL_DIR, &st, 0), 0);
	assert_int_equal(st.st_mode & 07777, 0700);
}

static void what_was_written_is_read_back(void **state)
{
	struct bench *b = *state;

	put(b, HEAD BEGIN INTENT DONE END);
	assert_true(owns(b));
	assert_int_equal(b->data.records, 4);
	assert_int_equal(b->data.last_run, 1);
	assert_false(b->data.unfinished);
	assert_false(b->data.torn);
	assert_string_equal(b->data.rec[0].command, "connect");
	assert_int_equal(b->data.rec[0].pid, 7);
	assert_int_equal(b->data.rec[2].cntlid, 5);
	assert_int_equal(b->data.rec[2].inode, 4711);
	assert_int_equal(b->data.rec[1].inode, 0);
	assert_string_equal(b->data.rec[2].after, "live");
	assert_int_equal(b->data.rec[1].cntlid, -1);
	assert_string_equal(b->data.rec[3].result, "ok");
	put(b, HEAD BEGIN INTENT);
	assert_true(owns(b));
	assert_true(b->data.unfinished);
}

static void a_second_run_follows_the_first(void **state)
{
	struct bench *b = *state;

	put(b, HEAD BEGIN INTENT);
	begin(b);
	assert_int_equal(intent(b), 0);
	assert_int_equal(end(b, XC_PARTIAL, false), 0);
	begin(b); /* nothing comes of it */
	assert_int_equal(end(b, XC_OK, false), 0);
	assert_true(owns(b));
	assert_int_equal(b->data.last_run, 2);
	assert_int_equal(b->data.records, 5);
	assert_string_equal(b->data.rec[4].result, "partial");
}

static void a_controller_is_ours_until_its_record_is_closed(void **state)
{
	struct bench *b = *state;
	struct step other = b->step;

	begin(b);
	assert_false(owns(b));
	assert_int_equal(intent(b), 0);
	assert_true(owns(b));
	assert_int_equal(outcome(b, JOURNAL_UNDONE), 0);
	assert_false(owns(b));
	assert_int_equal(intent(b), 0);
	assert_int_equal(outcome(b, JOURNAL_DONE), 0);
	assert_true(owns(b));
	strcpy(other.id.host_traddr, "10.10.1.10");
	assert_false(journal_owns(&b->data, &other.id, 0));
	b->step.kind = STEP_NVME_DISCONNECT;
	assert_int_equal(intent(b), 0);
	assert_true(owns(b)); /* begun: who knows */
	assert_int_equal(outcome(b, JOURNAL_UNDONE), 0);
	assert_true(owns(b)); /* it failed */
	assert_int_equal(intent(b), 0);
	assert_int_equal(outcome(b, JOURNAL_DONE), 0);
	assert_false(owns(b));
}

static void a_name_that_json_cannot_keep_is_refused_before_anything_is_done(void **state)
{
	struct bench *b = *state;

	begin(b);
	strcpy(b->step.id.nqn, "nqn.2026-01.example:\xff");
	assert_int_equal(intent(b), -EINVAL);
	assert_false(owns(b));
}

/* --- crashes and full disks ----------------------------------------------------------------------- */

static void a_journal_cut_anywhere_is_read_and_goes_on(void **state)
{
	static const char text[] = HEAD BEGIN INTENT DONE END;
	struct bench *b = *state;
	size_t intent_end = strlen(HEAD BEGIN INTENT);

	for (size_t length = 0; length < sizeof(text); length++) {
		char cut[sizeof(text)];
		bool torn = length > 0 && text[length - 1] != '\n';

		memcpy(cut, text, length);
		cut[length] = '\0';
		put(b, cut);
		assert_int_equal(owns(b), length >= intent_end);
		assert_int_equal(b->data.torn, torn);
		begin(b);
		assert_int_equal(journal_data(b->journal)->torn, torn);
		assert_int_equal(intent(b), 0);
		assert_true(owns(b));
		assert_false(b->data.torn);
	}
}

static void what_no_crash_cut_is_not_cut_off(void **state)
{
	static const char *const texts[] = {
		"garbage", "{", "{\"run\":1", HEAD "garbage", HEAD BEGIN "{}", HEAD BEGIN "\x01", "\r",
	};
	static const bool cut[ARRAY_SIZE(texts)] = { [1] = true };
	struct bench *b = *state;
	char blanks[] = HEAD BEGIN INTENT DONE END;

	for (char *at = blanks; (at = strchr(at, '\n')); at++)
		*at = ' ';
	for (size_t i = 0; i <= ARRAY_SIZE(texts); i++) {
		const char *text = i < ARRAY_SIZE(texts) ? texts[i] : blanks;
		bool fine = i < ARRAY_SIZE(texts) && cut[i];
		struct err err = { 0 };

		put(b, text);
		assert_int_equal(journal_open(&b->root, 0, &b->journal, &b->findings, &err),
				 fine ? 0 : -EBADMSG);
		if (fine)
			journal_close(b->journal);
		b->journal = NULL;
		assert_text(b, text);
	}
}

static void limit_size(rlim_t size)
{
	struct rlimit limit;

	assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
	limit.rlim_cur = size;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

static void a_line_that_does_not_fit_on_the_disk_is_taken_back(void **state)
{
	struct bench *b = *state;

	(void)signal(SIGXFSZ, SIG_IGN);
	put(b, HEAD BEGIN INTENT DONE END);
	begin(b);
	for (rlim_t room = 0; room < 150; room += 10) {
		limit_size(strlen(HEAD BEGIN INTENT DONE END) + room);
		b->err = (struct err){ 0 };
		assert_true(intent(b) < 0);
		limit_size(RLIM_INFINITY);
		assert_int_equal(b->err.exit, XC_ENVIRONMENT);
		assert_true(owns(b)); /* from the first run; and the file can be read */
		assert_false(b->data.torn);
	}
	assert_int_equal(intent(b), 0);
	assert_true(owns(b));
	assert_int_equal(b->data.last_run, 2);
}

static void a_journal_of_an_earlier_boot_is_set_aside(void **state)
{
	struct bench *b = *state;
	char *aside;

	put(b, HEAD BEGIN INTENT DONE END);
	fake_root_write(&b->root, "proc/sys/kernel/random/boot_id", "00000000-0000-4000-8000-000000000000\n");
	assert_false(owns(b));
	assert_true(b->data.other_boot);
	assert_false(b->data.there);
	assert_int_equal(reopen(b), 0);
	assert_int_equal(journal_data(b->journal)->records, 0);
	assert_int_equal(b->findings.count, 1);
	assert_string_equal(b->findings.finding[0].check, "journal.boot");
	assert_false(root_exists(&b->root, PATH));
	aside = fake_root_read(&b->root, PATH "." FAKE_BOOT_ID);
	assert_string_equal(aside, HEAD BEGIN INTENT DONE END);
	free(aside);
}

/* --- strictness ----------------------------------------------------------------------------------- */

static void what_this_version_does_not_know_is_refused_and_left(void **state)
{
	static const char *const bad[] = {
		"\n",
		"[]\n",
		"{}\n",
		"no journal\n",
		"{\"journal\":2,\"boot_id\":\"" FAKE_BOOT_ID "\",\"version\":\"9\"}\n",
		"{\"journal\":1,\"boot_id\":\"../../etc/passwd\",\"version\":\"0\"}\n",
		"{\"journal\":1,\"boot_id\":\"" FAKE_BOOT_ID "\",\"version\":\"0\",\"more\":1}\n",
		HEAD "{\"run\":2,\"begin\":\"connect\",\"argv\":[],\"pid\":7}\n",
		HEAD "{\"run\":1,\"begin\":\"connect\",\"argv\":{},\"pid\":7}\n",
		HEAD "{\"run\":1,\"begin\":\"connect\",\"argv\":[],\"pid\":-1}\n",
		HEAD "{\"run\":1,\"begin\":\"con\\u0000nect\",\"argv\":[],\"pid\":7}\n",
		HEAD "{\"run\":1,\"begin\":\"connect\",\"argv\":[],\"pid\":7,\"x\":1}\n",
		HEAD INTENT,
		HEAD BEGIN "{\"run\":1,\"end\":\"fine\"}\n",
		HEAD BEGIN END INTENT,
		HEAD BEGIN HEAD,
		HEAD BEGIN "{\"run\":1,\"step\":1,\"kind\":\"irq-affinity\"," OBJECT "null},\"before\":\"0\","
			   "\"after\":null,\"state\":\"intent\"}\n",
		HEAD BEGIN "{\"run\":1,\"step\":0,\"kind\":\"nvme-connect\"," OBJECT
			   "null},\"before\":\"absent\","
			   "\"after\":null,\"state\":\"intent\"}\n",
		HEAD BEGIN "{\"run\":1,\"step\":1,\"kind\":\"nvme-connect\"," OBJECT
			   "65536},\"before\":\"absent\","
			   "\"after\":null,\"state\":\"intent\"}\n",
		HEAD BEGIN "{\"run\":1,\"step\":1,\"kind\":\"nvme-connect\"," OBJECT
			   "null},\"before\":\"absent\","
			   "\"after\":null,\"state\":\"done\"}\n",
		HEAD BEGIN CONNECT_DONE("0"),
		HEAD BEGIN CONNECT_DONE("-1"),
		HEAD BEGIN CONNECT_DONE("4711.5"),
		HEAD BEGIN CONNECT_DONE("\"4711\""),
		HEAD BEGIN CONNECT_DONE("9223372036854775808"),
		HEAD BEGIN CONNECT_DONE("[]"),
		HEAD BEGIN "{\"run\":1,\"step\":1,\"kind\":\"nvme-connect\"," OBJECT "null,\"port\":1},"
			   "\"before\":\"absent\",\"after\":null,\"state\":\"intent\"}\n",
		HEAD BEGIN
		"{\"run\":1,\"step\":1,\"kind\":\"nvme-connect\",\"object\":[],\"before\":\"absent\","
		"\"after\":null,\"state\":\"intent\"}\n",
		HEAD BEGIN "{\"run\":1,\"step\":1,\"kind\":\"nvme-connect\"," OBJECT "null},\"before\":"
			   "\"a state that is longer than any state of a "
			   "controller\",\"after\":null,\"state\":\"intent\"}\n",
		HEAD BEGIN "{\"run\":1,\"step\":1,\"kind\":\"nvme-connect\"," OBJECT
			   "null},\"before\":\"absent\",\"after\":null,\"state\":\"intent\",\"why\":1}\n",
		HEAD BEGIN INTENT "{\"run\":1,\"end\":\"ok\"} {}\n",
	};
	struct bench *b = *state;

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		put(b, bad[i]);
		b->err = (struct err){ 0 };
		if (reopen(b) != -EBADMSG)
			fail_msg("case %zu was taken", i);
		assert_int_equal(b->err.exit, XC_ENVIRONMENT);
		assert_non_null(strstr(b->err.msg, "line "));
		assert_null(strchr(b->err.msg, '\n'));
		assert_text(b, bad[i]);
		b->err = (struct err){ 0 };
		assert_int_equal(journal_read(&b->root, &b->data, &b->err), -EBADMSG);
	}
}

static void any_bytes_are_taken_or_refused(void **state)
{
	static const char text[] = HEAD BEGIN INTENT DONE END;
	struct bench *b = *state;
	unsigned taken = 0, seed = 1;

	for (unsigned i = 0; i < 3000; i++) {
		char changed[sizeof(text)];

		memcpy(changed, text, sizeof(text));
		for (unsigned n = 0; n <= i % 3; n++) {
			seed = seed * 1103515245 + 12345;
			changed[(seed >> 8) % (sizeof(text) - 1)] = (char)(1 + (seed >> 24) % 255);
		}
		put(b, changed);
		b->err = (struct err){ 0 };
		journal_data_free(&b->data);
		if (journal_read(&b->root, &b->data, &b->err) == 0)
			taken++;
		else
			assert_int_equal(b->err.code, -EBADMSG);
	}
	assert_in_range(taken, 1, 2999);
}

static void there_is_a_limit_to_records_and_to_bytes(void **state)
{
	struct bench *b = *state;
	char *text = malloc(JOURNAL_RECORDS_MAX * 64UL), *at = stpcpy(text, HEAD);
	int fd;

	for (unsigned run = 1; run <= JOURNAL_RECORDS_MAX; run++)
		at += sprintf(at, "{\"run\":%u,\"begin\":\"c\",\"argv\":[],\"pid\":1}\n", run);
	put(b, text);
	begin(b);
	assert_int_equal(intent(b), -ENOSPC);
	assert_non_null(strstr(b->err.msg, "is full"));
	strcpy(at, "{\"run\":65537,\"begin\":\"c\",\"argv\":[],\"pid\":1}\n");
	put(b, text);
	assert_int_equal(reopen(b), -EBADMSG);
	assert_non_null(strstr(b->err.msg, "JOURNAL_RECORDS_MAX"));
	free(text);
	put(b, HEAD);
	fd = openat(b->root.fd, PATH, O_RDWR | O_CLOEXEC);
	assert_int_equal(ftruncate(fd, (64L << 20) + 1), 0);
	close(fd);
	assert_int_equal(reopen(b), -EFBIG);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(a_run_without_a_step_leaves_no_trace),
		TEST(the_lines_are_as_documented),
		TEST(what_was_written_is_read_back),
		TEST(a_second_run_follows_the_first),
		TEST(a_controller_is_ours_until_its_record_is_closed),
		TEST(a_name_that_json_cannot_keep_is_refused_before_anything_is_done),
		TEST(a_journal_cut_anywhere_is_read_and_goes_on),
		TEST(what_no_crash_cut_is_not_cut_off),
		TEST(a_line_that_does_not_fit_on_the_disk_is_taken_back),
		TEST(a_journal_of_an_earlier_boot_is_set_aside),
		TEST(what_this_version_does_not_know_is_refused_and_left),
		TEST(any_bytes_are_taken_or_refused),
		TEST(there_is_a_limit_to_records_and_to_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
