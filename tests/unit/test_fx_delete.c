/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Deleting over files that stand in for the kernel's: a FIFO that is full blocks as a dead link does, and a
 * plain directory that is removed has no files either. What the kernel may answer: test_fx_delete_answers.c.
 *
 * Wrong versions that the two were seen to catch: looking by name whether it is gone; gone because the write
 * is over; not gone as the write failed; another identity, another inode, PCIe, a tree; a child that keeps
 * stderr, its session, its directory, its signals; signals left blocked in the parent; a close that waits; no
 * way without close_range; a child without status (killed, SIGCHLD ignored) that is awaited for good or
 * counts as a failure; EBUSY, or another errno, of one that is leaving; ENODEV and EINTR as failures; a state
 * that cannot be read as leaving; a descriptor left open; a wait without an end.
 */
#include "apply/fx_delete.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/wait.h>

#include <cmocka.h>

#include "base/clock.h"
#include "unit/delete_world.h"

static enum removal poll_ended(struct bench *b)
{
	enum removal removal;

	assert_true(ended(b, &removal));
	return removal;
}

static void it_is_gone_once_its_directory_is_and_not_when_the_write_is_over(void **state)
{
	struct bench *b = *state;

	assert_int_equal(begin(b), 0);
	assert_int_equal(poll_ended(b), REMOVAL_PENDING);
	assert_true(is_written(b));
	assert_int_equal(fx_delete_poll(&b->del, &b->err), REMOVAL_PENDING);
	ctrl_remove(&b->root);
	assert_int_equal(fx_delete_poll(&b->del, &b->err), REMOVAL_GONE);
	assert_int_equal(b->err.code, 0);
}

static void what_is_gone_is_gone_while_the_write_still_blocks(void **state)
{
	struct bench *b = *state;
	int fd = full_fifo(&b->root, CTRL_DELETE);

	assert_int_equal(begin(b), 0);
	assert_int_equal(fx_delete_poll(&b->del, &b->err), REMOVAL_PENDING);
	ctrl_remove(&b->root);
	assert_int_equal(fx_delete_poll(&b->del, &b->err), REMOVAL_GONE);
	assert_int_not_equal(b->del.child, 0);
	drain(fd);
	assert_int_equal(poll_ended(b), REMOVAL_GONE);
	close(fd);
}

static void a_new_one_of_the_same_name_is_neither_taken_for_it_nor_touched(void **state)
{
	struct bench *b = *state;

	assert_int_equal(unlinkat(b->root.fd, CTRL_DELETE, 0), 0);
	assert_int_equal(begin(b), 0);
	assert_int_equal(fx_delete_poll(&b->del, &b->err), REMOVAL_PENDING);
	ctrl_remove(&b->root);
	ctrl_write(&b->root, &b->id);
	assert_int_equal(fx_delete_poll(&b->del, &b->err), REMOVAL_GONE);
	assert_false(is_written(b));
}

static void one_without_the_attribute_is_only_watched(void **state)
{
	struct bench *b = *state;

	assert_int_equal(unlinkat(b->root.fd, CTRL_DELETE, 0), 0);
	assert_int_equal(begin(b), 0);
	assert_int_equal(b->del.child, 0);
	assert_int_equal(fx_delete_poll(&b->del, &b->err), REMOVAL_PENDING);
	ctrl_remove(&b->root);
	assert_int_equal(fx_delete_poll(&b->del, &b->err), REMOVAL_GONE);
}

/* --- what is not the controller --------------------------------------------------------------- */

static void assert_left_alone(struct bench *b, const struct ctrl_id *id, unsigned instance, uint64_t inode)
{
	struct err err = { 0 };
	char only[16];
	unsigned open = descriptors(getpid(), only);

	assert_int_equal(fx_delete_begin(&b->root, id, instance, inode, &b->del, &err), -ESTALE);
	assert_int_equal(descriptors(getpid(), only), open);
	assert_int_equal(err.exit, XC_REFUSED);
	assert_string_equal(err.object, "10.10.1.2:4420");
	assert_true(str_starts(err.msg, "10.10.1.2:4420: nvme"));
	assert_non_null(strstr(err.msg, "left alone"));
	assert_int_equal(b->del.dir, -1);
	assert_int_equal(b->del.child, 0);
	assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* no child at all */
	assert_false(is_written(b));
}

static void another_identity_is_left_alone(void **state)
{
	struct bench *b = *state;
	struct ctrl_id other[] = { b->id, b->id, b->id, b->id };

	strcpy(other[0].nqn, "nqn.2026-01.example:other");
	strcpy(other[1].host_traddr, "10.10.1.10");
	strcpy(other[2].hostnqn, "nqn.2026-01.example:other");
	strcpy(other[3].hostid, "0d1a2f2c-91f0-4c40-a0e0-4f3f2e1d0c0c");
	for (size_t i = 0; i < ARRAY_SIZE(other); i++)
		assert_left_alone(b, &other[i], CTRL_INSTANCE, 0);
	assert_left_alone(b, &b->id, CTRL_INSTANCE + 1, 0);
}

static void another_inode_is_left_alone(void **state)
{
	struct bench *b = *state;
	struct stat st;

	assert_int_equal(fstatat(b->root.fd, CTRL, &st, 0), 0);
	assert_left_alone(b, &b->id, CTRL_INSTANCE, st.st_ino + 1);
	assert_int_equal(fx_delete_begin(&b->root, &b->id, CTRL_INSTANCE, st.st_ino, &b->del, &b->err), 0);
	assert_int_equal(poll_ended(b), REMOVAL_PENDING);
	assert_true(is_written(b));
}

static void a_pcie_controller_is_never_deleted(void **state)
{
	struct bench *b = *state;
	struct ctrl_id pcie = b->id;

	strcpy(pcie.transport, "pcie");
	fake_root_write(&b->root, CTRL "transport", "pcie\n");
	assert_left_alone(b, &pcie, CTRL_INSTANCE, 0);
	assert_left_alone(b, &b->id, CTRL_INSTANCE, 0);
}

static void one_whose_identity_cannot_be_read_is_left_alone(void **state)
{
	static const char *const file[] = { CTRL "transport", CTRL "address", CTRL "subsysnqn",
					    CTRL "hostnqn", CTRL "hostid" };
	struct bench *b = *state;

	for (size_t i = 0; i < ARRAY_SIZE(file); i++) {
		assert_int_equal(unlinkat(b->root.fd, file[i], 0), 0);
		assert_left_alone(b, &b->id, CTRL_INSTANCE, 0);
		ctrl_write(&b->root, &b->id);
	}
	for (size_t i = 0; i < ARRAY_SIZE(file); i++) {
		struct err err = { 0 };

		fake_root_write(&b->root, file[i], i == 0 ? "rdma\nrdma\n" : "a\nb\n");
		assert_int_equal(fx_delete_begin(&b->root, &b->id, CTRL_INSTANCE, 0, &b->del, &err), -EINVAL);
		assert_non_null(strstr(err.msg, "what nvme3 is cannot be read"));
		ctrl_write(&b->root, &b->id);
	}
	assert_false(is_written(b));
}

static void a_tree_is_never_written_to(void **state)
{
	struct bench *b = *state;

	b->root.live = false;
	assert_int_equal(begin(b), -EROFS);
	assert_int_equal(b->err.exit, XC_ENVIRONMENT);
	assert_false(is_written(b));
}

/* --- the child -------------------------------------------------------------------------------- */

static void the_writer_holds_nothing_and_hears_nothing(void **state)
{
	struct bench *b = *state;
	int fd = full_fifo(&b->root, CTRL_DELETE);
	char path[64], cwd[PATH_MAX] = "";
	uint64_t blocked;
	sigset_t none;

	(void)sigemptyset(&none);
	assert_int_equal(sigprocmask(SIG_SETMASK, &none, NULL), 0);
	assert_int_equal(begin(b), 0);
	assert_int_equal(blocked_signals(getpid()), 0);
	assert_true(blocks(b));
	assert_int_equal(getsid(b->del.child), b->del.child);
	str_format(path, sizeof(path), "/proc/%d/cwd", (int)b->del.child);
	assert_true(readlink(path, cwd, sizeof(cwd) - 1) > 0);
	assert_string_equal(cwd, "/");
	blocked = blocked_signals(b->del.child);
	for (int signal = 1; signal < 32; signal++) {
		if (signal != SIGKILL && signal != SIGSTOP)
			assert_true(blocked & 1ULL << (signal - 1));
	}
	assert_int_equal(kill(b->del.child, SIGTERM), 0);
	usleep(50000);
	assert_int_equal(fx_delete_poll(&b->del, &b->err), REMOVAL_PENDING);
	assert_int_not_equal(b->del.child, 0);
	drain(fd);
	assert_int_equal(poll_ended(b), REMOVAL_PENDING);
	close(fd);
}

static void a_writer_that_blocks_is_left_behind_and_nobody_waits_for_it(void **state)
{
	struct bench *b = *state;
	int fd = full_fifo(&b->root, CTRL_DELETE), pipes[2][2], status;
	pid_t child;

	for (size_t i = 0; i < 2; i++) /* not to be closed by an exec, as the pipes of whoever started us */
		assert_int_equal(pipe(pipes[i]), 0);
	assert_int_equal(begin(b), 0);
	child = b->del.child;
	assert_true(blocks(b));
	(void)alarm(20); /* ends the program if it waits */
	fx_delete_close(&b->del);
	(void)alarm(0);
	assert_int_equal(b->del.dir, -1);
	assert_int_equal(kill(child, 0), 0);
	assert_int_equal(waitpid(child, &status, WNOHANG), 0);
	for (size_t i = 0; i < 2; i++) {
		struct pollfd end = { .fd = pipes[i][0], .events = POLLIN };

		close(pipes[i][1]);
		assert_int_equal(poll(&end, 1, 5000), 1);
		assert_true(end.revents & POLLHUP);
		close(pipes[i][0]);
	}
	fx_delete_close(&b->del); /* once more is no harm */
	drain(fd);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	close(fd);
}

static void the_directory_tells_of_a_writer_that_was_killed(void **state)
{
	struct bench *b = *state;
	int fd = full_fifo(&b->root, CTRL_DELETE);

	assert_int_equal(begin(b), 0);
	assert_int_equal(kill(b->del.child, SIGKILL), 0);
	assert_int_equal(poll_ended(b), REMOVAL_PENDING);
	ctrl_remove(&b->root);
	assert_int_equal(fx_delete_poll(&b->del, &b->err), REMOVAL_GONE);
	close(fd);
}

static void the_directory_tells_where_sigchld_is_ignored(void **state)
{
	struct bench *b = *state;
	enum removal ended, gone;
	int r;

	(void)signal(SIGCHLD, SIG_IGN);
	r = begin(b);
	ended = r == 0 ? poll_ended(b) : REMOVAL_FAILED;
	ctrl_remove(&b->root);
	gone = fx_delete_poll(&b->del, &b->err);
	(void)signal(SIGCHLD, SIG_DFL);
	assert_int_equal(r, 0);
	assert_int_equal(ended, REMOVAL_PENDING);
	assert_int_equal(gone, REMOVAL_GONE);
}

/* --- what the kernel says ---------------------------------------------------------------------- */

static void a_write_that_fails_is_told(void **state)
{
	struct bench *b = *state;
	int fd = full_fifo(&b->root, CTRL_DELETE);

	assert_int_equal(begin(b), 0);
	assert_true(blocks(b));
	close(fd);
	assert_int_equal(poll_ended(b), REMOVAL_FAILED);
	assert_int_equal(b->err.code, -EPIPE);
	assert_int_equal(b->err.exit, XC_FAILED);
	assert_string_equal(b->err.object, "10.10.1.2:4420");
	assert_string_equal(b->err.msg, "10.10.1.2:4420: nvme3 could not be disconnected: Broken pipe");
	b->err = (struct err){ 0 };
	set_state(b, "deleting (no IO)\n");
	assert_int_equal(fx_delete_poll(&b->del, &b->err), REMOVAL_PENDING);
	ctrl_remove(&b->root);
	assert_int_equal(fx_delete_poll(&b->del, &b->err), REMOVAL_GONE);
	assert_int_equal(b->err.code, 0);
}

static void an_attribute_that_cannot_be_opened_is_told(void **state)
{
	struct bench *b = *state;

	assert_int_equal(unlinkat(b->root.fd, CTRL_DELETE, 0), 0);
	assert_int_equal(mkdirat(b->root.fd, CTRL_DELETE, 0700), 0);
	assert_int_equal(begin(b), -EISDIR);
	assert_string_equal(b->err.msg, "10.10.1.2:4420: nvme3 could not be disconnected: Is a directory");
	assert_int_equal(b->del.dir, -1);
	assert_int_equal(unlinkat(b->root.fd, CTRL_DELETE, AT_REMOVEDIR), 0);
}

/* --- all of it ------------------------------------------------------------------------------- */

static void to_wait_ends_when_it_is_gone(void **state)
{
	struct bench *b = *state;
	int64_t start = clock_ms();
	int status;
	pid_t pid = fork();

	if (pid == 0)
		_exit(ctrl_remove_when_asked(&b->root) ? 0 : 1);
	assert_int_equal(fx_delete_wait(&b->root, &b->id, CTRL_INSTANCE, 20000, &b->err), 0);
	assert_true(clock_ms() - start < 10000);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void to_wait_ends_when_the_time_is_up(void **state)
{
	struct bench *b = *state;
	int fd = full_fifo(&b->root, CTRL_DELETE);
	int64_t start = clock_ms();

	(void)alarm(20); /* ends the program if it waits for good */
	assert_int_equal(fx_delete_wait(&b->root, &b->id, CTRL_INSTANCE, 200, &b->err), -ETIMEDOUT);
	(void)alarm(0);
	assert_in_range(clock_ms() - start, 200, 2000);
	assert_int_equal(b->err.exit, XC_TIMEOUT);
	assert_non_null(strstr(b->err.msg, "nvme3 is still being deleted"));
	drain(fd);
	assert_true(waitpid(-1, NULL, 0) > 0);
	close(fd);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, bench_setup, bench_teardown)
	const struct CMUnitTest tests[] = {
		TEST(it_is_gone_once_its_directory_is_and_not_when_the_write_is_over),
		TEST(what_is_gone_is_gone_while_the_write_still_blocks),
		TEST(a_new_one_of_the_same_name_is_neither_taken_for_it_nor_touched),
		TEST(one_without_the_attribute_is_only_watched),
		TEST(another_identity_is_left_alone),
		TEST(another_inode_is_left_alone),
		TEST(a_pcie_controller_is_never_deleted),
		TEST(one_whose_identity_cannot_be_read_is_left_alone),
		TEST(a_tree_is_never_written_to),
		TEST(the_writer_holds_nothing_and_hears_nothing),
		TEST(a_writer_that_blocks_is_left_behind_and_nobody_waits_for_it),
		TEST(the_directory_tells_of_a_writer_that_was_killed),
		TEST(the_directory_tells_where_sigchld_is_ignored),
		TEST(a_write_that_fails_is_told),
		TEST(an_attribute_that_cannot_be_opened_is_told),
		TEST(to_wait_ends_when_it_is_gone),
		TEST(to_wait_ends_when_the_time_is_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
