/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who may touch the journal, and how its lock turns others away. */
#include "apply/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

#include <cmocka.h>

#include "lib/fakefx.h"

#define PATH JOURNAL_DIR "/" JOURNAL_FILE
#define HEAD "{\"journal\":1,\"boot_id\":\"" FAKE_BOOT_ID "\",\"version\":\"0.1.0\"}\n"
#define BEGIN "{\"run\":1,\"begin\":\"connect\",\"argv\":[],\"pid\":7}\n"

struct bench {
	struct root root;
	struct findings findings;
	struct err err;
	struct journal *journal;
	struct journal_data data;
};

static int setup(void **state)
{
	struct bench *b = calloc(1, sizeof(*b));

	fake_root_open(&b->root);
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

static bool readable(struct bench *b)
{
	journal_data_free(&b->data);
	assert_int_equal(journal_read(&b->root, &b->data, &b->err), 0);
	return b->data.there && b->data.readable && b->data.records == 1;
}

/* --- strangers ------------------------------------------------------------------------------------ */

static void a_journal_that_others_could_have_written_is_refused(void **state)
{
	struct bench *b = *state;
	int fd = b->root.fd;

	fake_root_write(&b->root, PATH, HEAD BEGIN);
	assert_int_equal(fchmodat(fd, PATH, 0640, 0), 0);
	assert_int_equal(reopen(b), -EPERM);
	assert_int_equal(fchmodat(fd, PATH, 0600, 0), 0);
	assert_int_equal(reopen(b), 0);
	assert_int_equal(fchmodat(fd, JOURNAL_DIR, 0755, 0), 0);
	assert_int_equal(reopen(b), -EPERM);
	assert_non_null(strstr(b->err.msg, "chmod go-rwx"));
	assert_int_equal(fchmodat(fd, JOURNAL_DIR, 0700, 0), 0);
	assert_int_equal(linkat(fd, PATH, fd, JOURNAL_DIR "/second", 0), 0);
	assert_int_equal(reopen(b), -EPERM);
	assert_int_equal(unlinkat(fd, JOURNAL_DIR "/second", 0), 0);
	assert_int_equal(reopen(b), 0);
	b->root.owner++;
	assert_int_equal(reopen(b), -EPERM);
}

static void links_pipes_and_directories_are_no_journal(void **state)
{
	struct bench *b = *state;
	int fd = b->root.fd;

	fake_root_write(&b->root, "elsewhere/journal", HEAD);
	assert_int_equal(symlinkat("../elsewhere", fd, JOURNAL_DIR), 0);
	assert_int_equal(reopen(b), -ENOTDIR);
	b->err = (struct err){ 0 };
	assert_true(journal_read(&b->root, &b->data, &b->err) < 0);
	assert_int_equal(unlinkat(fd, JOURNAL_DIR, 0), 0);
	assert_int_equal(reopen(b), 0);
	assert_int_equal(symlinkat("../../elsewhere/journal", fd, PATH), 0);
	assert_int_equal(reopen(b), -ELOOP);
	b->err = (struct err){ 0 };
	assert_int_equal(journal_read(&b->root, &b->data, &b->err), -ELOOP);
	assert_int_equal(unlinkat(fd, PATH, 0), 0);
	assert_int_equal(mkfifoat(fd, PATH, 0600), 0);
	assert_int_equal(reopen(b), -EPERM);
	b->err = (struct err){ 0 };
	assert_int_equal(journal_read(&b->root, &b->data, &b->err), -EPERM);
	assert_int_equal(unlinkat(fd, PATH, 0), 0);
	assert_int_equal(mkdirat(fd, PATH, 0700), 0);
	assert_int_equal(reopen(b), -EISDIR);
}

static void a_tree_is_read_but_never_opened(void **state)
{
	struct bench *b = *state;

	fake_root_write(&b->root, PATH, HEAD BEGIN);
	assert_int_equal(fchmodat(b->root.fd, PATH, 0644, 0), 0); /* as a checkout has it */
	b->root.live = false;
	assert_true(readable(b));
	assert_int_equal(unlinkat(b->root.fd, "proc/sys/kernel/random/boot_id", 0), 0);
	assert_true(readable(b));
	assert_int_equal(reopen(b), -EROFS);
	assert_int_equal(b->err.exit, XC_ENVIRONMENT);
}

static void an_ordinary_user_learns_that_there_is_one(void **state)
{
	struct bench *b = *state;
	int r;

	if (geteuid() != 0)
		skip();
	fake_root_write(&b->root, PATH, HEAD BEGIN);
	assert_int_equal(fchmod(b->root.fd, 0755), 0);
	assert_int_equal(fchmodat(b->root.fd, "run", 0755, 0), 0);
	assert_int_equal(seteuid(65534), 0);
	r = journal_read(&b->root, &b->data, &b->err);
	assert_int_equal(seteuid(0), 0);
	assert_int_equal(r, 0);
	assert_true(b->data.there);
	assert_false(b->data.readable);
}

/* --- the lock ------------------------------------------------------------------------------------- */

/* A process that holds the lock for so many ms. Returns once it has it. */
static pid_t hold_lock(struct bench *b, int ms)
{
	int ready[2];
	char byte;
	pid_t pid;

	assert_int_equal(pipe2(ready, O_CLOEXEC), 0);
	pid = fork();
	if (pid == 0) {
		struct journal *journal;

		if (journal_open(&b->root, 0, &journal, &b->findings, &b->err) < 0)
			_exit(1);
		(void)!write(ready[1], "x", 1);
		usleep((useconds_t)ms * 1000);
		_exit(0);
	}
	(void)close(ready[1]);
	assert_int_equal(read(ready[0], &byte, 1), 1);
	(void)close(ready[0]);
	return pid;
}

static void a_second_program_is_turned_away_and_told_of_the_first(void **state)
{
	struct bench *b = *state;
	pid_t pid = hold_lock(b, 60000);
	char who[32];

	(void)snprintf(who, sizeof(who), "(pid %d)", (int)pid);
	fake_root_write(&b->root, "proc/locks", "");
	assert_int_equal(reopen(b), -ETIME);
	assert_int_equal(b->err.exit, XC_TIMEOUT);
	assert_null(strstr(b->err.msg, "(pid"));
	assert_int_equal(unlinkat(b->root.fd, "proc/locks", 0), 0);
	assert_int_equal(symlinkat("/proc/locks", b->root.fd, "proc/locks"), 0);
	assert_int_equal(reopen(b), -ETIME);
	assert_non_null(strstr(b->err.msg, who));
	assert_int_equal(kill(pid, SIGKILL), 0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_int_equal(reopen(b), 0); /* a lock dies with its process */
}

static void waiting_for_the_lock_ends_with_its_holder_or_in_time(void **state)
{
	struct bench *b = *state;
	struct timespec start, now;
	pid_t pid = hold_lock(b, 300);

	assert_int_equal(journal_open(&b->root, 30, &b->journal, &b->findings, &b->err), 0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	journal_close(b->journal);
	b->journal = NULL;
	pid = hold_lock(b, 60000);
	(void)clock_gettime(CLOCK_MONOTONIC, &start);
	assert_int_equal(journal_open(&b->root, 1, &b->journal, &b->findings, &b->err), -ETIME);
	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	assert_in_range(now.tv_sec - start.tv_sec, 1, 10);
	assert_int_equal(kill(pid, SIGKILL), 0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(a_journal_that_others_could_have_written_is_refused),
		TEST(links_pipes_and_directories_are_no_journal),
		TEST(a_tree_is_read_but_never_opened),
		TEST(an_ordinary_user_learns_that_there_is_one),
		TEST(a_second_program_is_turned_away_and_told_of_the_first),
		TEST(waiting_for_the_lock_ends_with_its_holder_or_in_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
