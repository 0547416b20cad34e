/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the kernel may answer while a controller is deleted; a filter of system calls answers for it. */
#include "apply/fx_delete.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <cmocka.h>

#include "unit/delete_world.h"

/*
 * From now on, for this process and its children: the system call number fails with code. Of write: a write
 * to descriptor 0 only.
 */
static bool kernel_answers(int number, int code)
{
	const uint32_t fail = SECCOMP_RET_ERRNO | (uint32_t)code;
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)number, 0, 4),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_write, 0, 2),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, fail),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog program = { .len = ARRAY_SIZE(filter), .filter = filter };

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

/* What fails in a process of its own, as a filter is for good. Whatever differs from 0 it exits with. */
static int in_a_process(struct bench *b, int (*what)(struct bench *b, int argument), int argument)
{
	int status;
	pid_t pid = fork();

	if (pid == 0)
		_exit(what(b, argument));
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

#define NO_FILTERS 77

static int poll_after(struct bench *b, int code)
{
	enum removal removal;

	if (!kernel_answers(SYS_write, code))
		return NO_FILTERS;
	if (begin(b) < 0 || !ended(b, &removal))
		return 99;
	if (removal == REMOVAL_FAILED
		    ? b->err.code != -code || !strstr(b->err.msg, "nvme3 could not be disconnected: ")
		    : b->err.code != 0)
		return 98;
	return (int)fx_delete_poll(&b->del, &b->err);
}

static void each_answer_to_the_write_has_its_meaning(void **state)
{
	static const struct {
		int code;
		const char *state;
		enum removal removal;
	} rows[] = {
		{ EBUSY, "new\n", REMOVAL_BUSY },	  { EBUSY, "connecting\n", REMOVAL_BUSY },
		{ EBUSY, "deleting\n", REMOVAL_PENDING }, { EBUSY, "deleting (no IO)\n", REMOVAL_PENDING },
		{ EBUSY, "two\nlines\n", REMOVAL_BUSY },  { ENOENT, "live\n", REMOVAL_PENDING },
		{ ENODEV, "live\n", REMOVAL_PENDING },	  { EINTR, "live\n", REMOVAL_PENDING },
		{ EIO, "live\n", REMOVAL_FAILED },	  { EACCES, "live\n", REMOVAL_FAILED },
		{ EHWPOISON, "live\n", REMOVAL_FAILED },  { EACCES, "deleting\n", REMOVAL_PENDING },
	};
	struct bench *b = *state;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		int r;

		set_state(b, rows[i].state);
		r = in_a_process(b, poll_after, rows[i].code);
		if (r == NO_FILTERS)
			skip();
		if (r != (int)rows[i].removal)
			print_error("row %zu: %d\n", i, r);
		assert_int_equal(r, rows[i].removal);
	}
	assert_false(is_written(b));
}

static int gone_after(struct bench *b, int code)
{
	enum removal removal;

	if (!kernel_answers(SYS_write, code))
		return NO_FILTERS;
	if (begin(b) < 0 || !ended(b, &removal))
		return 99;
	ctrl_remove(&b->root);
	return fx_delete_poll(&b->del, &b->err) == REMOVAL_GONE ? 0 : 1;
}

static void what_is_gone_is_gone_whatever_the_write_said(void **state)
{
	static const int codes[] = { EBUSY, EIO, ENODEV };
	struct bench *b = *state;

	for (size_t i = 0; i < ARRAY_SIZE(codes); i++) {
		int r;

		ctrl_write(&b->root, &b->id);
		r = in_a_process(b, gone_after, codes[i]);
		if (r == NO_FILTERS)
			skip();
		assert_int_equal(r, 0);
	}
}

static int no_process(struct bench *b, int code)
{
	uint64_t before = blocked_signals(getpid());

	if (!kernel_answers(SYS_clone, code))
		return NO_FILTERS;
	if (begin(b) != -code || b->err.code != -code || b->del.dir != -1 || b->del.child != 0)
		return 1;
	return blocked_signals(getpid()) == before ? 0 : 2;
}

static void without_a_child_nothing_is_written(void **state)
{
	struct bench *b = *state;
	int r = in_a_process(b, no_process, EAGAIN);

	if (r == NO_FILTERS)
		skip();
	assert_int_equal(r, 0);
	assert_false(is_written(b));
}

static int close_each(struct bench *b, int code)
{
	bool closed;

	if (!kernel_answers(SYS_close_range, code))
		return NO_FILTERS;
	if (begin(b) < 0)
		return 1;
	closed = blocks(b);
	(void)kill(b->del.child, SIGKILL);
	return closed ? 0 : 2;
}

static void a_kernel_that_cannot_close_a_range_closes_one_by_one(void **state)
{
	struct bench *b = *state;
	int fd = full_fifo(&b->root, CTRL_DELETE), r = in_a_process(b, close_each, ENOSYS);

	close(fd);
	if (r == NO_FILTERS)
		skip();
	assert_int_equal(r, 0);
}

static int wait_after(struct bench *b, int code)
{
	if (!kernel_answers(SYS_write, code))
		return NO_FILTERS;
	if (fx_delete_wait(&b->root, &b->id, CTRL_INSTANCE, 20000, &b->err) != -code || b->err.code != -code)
		return 1;
	return waitpid(-1, NULL, WNOHANG) == -1 ? 0 : 2;
}

static void to_wait_ends_when_the_kernel_refuses(void **state)
{
	struct bench *b = *state;
	int r = in_a_process(b, wait_after, EBUSY);

	if (r == NO_FILTERS)
		skip();
	assert_int_equal(r, 0);
	assert_int_equal(in_a_process(b, wait_after, EIO), 0);
	strcpy(b->id.host_traddr, "10.10.1.10");
	assert_int_equal(fx_delete_wait(&b->root, &b->id, CTRL_INSTANCE, 20000, &b->err), -ESTALE);
	assert_false(is_written(b));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, bench_setup, bench_teardown)
	const struct CMUnitTest tests[] = {
		TEST(each_answer_to_the_write_has_its_meaning),
		TEST(what_is_gone_is_gone_whatever_the_write_said),
		TEST(without_a_child_nothing_is_written),
		TEST(a_kernel_that_cannot_close_a_range_closes_one_by_one),
		TEST(to_wait_ends_when_the_kernel_refuses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
