/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Connecting over files that stand in for the kernel's; a FIFO blocks as a connect does. */
#include "apply/fx_nvme.h"

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

#include "apply/fx_nvme_why.h"
#include "apply/fx_signals.h"
#include "lib/fakefx.h"
#include "unit/ctrl_dir.h"

struct bench {
	struct root root;
	struct step step;
	struct err err;
};

static int setup(void **state)
{
	struct bench *b = calloc(1, sizeof(*b));

	fake_root_open(&b->root);
	fake_step(&b->step, 0);
	*state = b;
	return fx_signals_setup();
}

static int teardown(void **state)
{
	struct bench *b = *state;

	fake_root_close(&b->root);
	free(b);
	return 0;
}

#define FABRICS "dev/nvme-fabrics"

static void assert_file(const struct root *root, const char *path, const char *text)
{
	char *is = fake_root_read(root, path);

	assert_string_equal(is, text);
	free(is);
}

static void the_kernel_is_told_everything_and_no_interface(void **state)
{
	struct bench *b = *state;
	struct step *step = &b->step;
	enum path_reason reason;

	fake_root_write(&b->root, FABRICS, "");
	assert_int_equal(fx_nvme_available(&b->root, &b->err), 0);
	assert_int_equal(fx_nvme_connect(&b->root, step, &reason, &b->err), 0);
	assert_file(&b->root, FABRICS,
		    "nqn=nqn.2026-01.example:s0,transport=rdma,traddr=10.10.1.2,trsvcid=4420,host_traddr=10."
		    "10.1.1,"
		    "hostnqn=nqn.2026-01.example:host,hostid=0d1a2f2c-91f0-4c40-a0e0-4f3f2e1d0c0b,nr_io_"
		    "queues=16,"
		    "queue_size=128,keep_alive_tmo=5,reconnect_delay=10,ctrl_loss_tmo=600");
	step->opts.tos = 104;
	step->opts.ctrl_loss_forever = true;
	fake_root_write(&b->root, FABRICS, "");
	assert_int_equal(fx_nvme_connect(&b->root, step, &reason, &b->err), 0);
	char *text = fake_root_read(&b->root, FABRICS);

	assert_non_null(strstr(text, ",ctrl_loss_tmo=-1,tos=104"));
	free(text);
}

static void a_value_that_holds_an_option_is_never_written(void **state)
{
	static const char *const evil[] = { "nqn.2026-01.example:s1,host_traddr=10.0.0.1", "nqn.a b",
					    "nqn.a\nb", "" };
	struct bench *b = *state;
	enum path_reason reason;

	fake_root_write(&b->root, FABRICS, "");
	for (size_t i = 0; i < ARRAY_SIZE(evil) * 5; i++) {
		struct step step = b->step;
		struct err err = { 0 };
		char *field[] = { step.id.nqn, step.id.hostnqn, step.id.traddr, step.id.host_traddr,
				  step.id.hostid };

		strncpy(field[i % 5], evil[i / 5], UUID_SIZE - 1);
		field[i % 5][UUID_SIZE - 1] = '\0';
		assert_int_equal(fx_nvme_connect(&b->root, &step, &reason, &err), -EINVAL);
		assert_int_equal(err.exit, XC_REFUSED);
	}
	assert_file(&b->root, FABRICS, "");
}

static void a_tree_is_never_written_to(void **state)
{
	struct bench *b = *state;
	enum path_reason reason;

	fake_root_write(&b->root, FABRICS, "");
	b->root.live = false;
	assert_int_equal(fx_nvme_connect(&b->root, &b->step, &reason, &b->err), -EROFS);
	assert_int_equal(b->err.exit, XC_ENVIRONMENT);
	assert_file(&b->root, FABRICS, "");
}

static void a_missing_module_is_named_with_its_remedy(void **state)
{
	struct bench *b = *state;

	assert_int_equal(fx_nvme_available(&b->root, &b->err), -ENOENT);
	assert_int_equal(b->err.exit, XC_ENVIRONMENT);
	assert_non_null(strstr(b->err.msg, "modprobe nvme-rdma"));
}

/* A FIFO that is full blocks the writer as the connection manager does. */
static int connect_blocks(struct bench *b)
{
	return full_fifo(&b->root, FABRICS);
}

/* True if the process that played the kernel saw the controller deleted. */
static bool was_deleted(const struct bench *b, pid_t kernel)
{
	int status;

	return waitpid(kernel, &status, 0) == kernel && WIFEXITED(status) && WEXITSTATUS(status) == 0 &&
	       !root_exists(&b->root, CTRL);
}

static void a_connect_ends_at_its_deadline_and_takes_away_what_appeared(void **state)
{
	struct bench *b = *state;
	struct step *step = &b->step;
	int fd = connect_blocks(b);
	enum path_reason reason;
	pid_t pid;

	pid = fork();
	if (pid == 0) {
		usleep(300000);
		ctrl_write(&b->root, &step->id);
		_exit(ctrl_remove_when_asked(&b->root) ? 0 : 1);
	}
	step->timeout_s = 1;
	assert_int_equal(fx_nvme_connect(&b->root, step, &reason, &b->err), -ETIMEDOUT);
	assert_int_equal(reason, PATH_TIMEOUT);
	assert_int_equal(b->err.exit, XC_TIMEOUT);
	assert_non_null(strstr(b->err.msg, "10.10.1.2:4420: not connected within 1 s"));
	assert_null(strstr(b->err.msg, "is left of it"));
	assert_true(was_deleted(b, pid));
	close(fd);
}

static void a_failed_connect_leaves_alone_what_was_there_before(void **state)
{
	struct bench *b = *state;
	struct step *step = &b->step;
	int fd = connect_blocks(b);
	enum path_reason reason;

	ctrl_write(&b->root, &step->id);
	step->timeout_s = 1;
	assert_int_equal(fx_nvme_connect(&b->root, step, &reason, &b->err), -ETIMEDOUT);
	assert_file(&b->root, CTRL_DELETE, "");
	close(fd);
}

static void what_appeared_meanwhile_and_is_another_is_left_alone(void **state)
{
	struct bench *b = *state;
	struct ctrl_id other = b->step.id;
	int fd = connect_blocks(b);
	enum path_reason reason;
	pid_t pid;

	strcpy(other.hostnqn, "nqn.2026-01.example:other");
	pid = fork();
	if (pid == 0) {
		usleep(300000);
		ctrl_write(&b->root, &other);
		_exit(0);
	}
	b->step.timeout_s = 1;
	assert_int_equal(fx_nvme_connect(&b->root, &b->step, &reason, &b->err), -ETIMEDOUT);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_file(&b->root, CTRL_DELETE, "");
	assert_null(strstr(b->err.msg, "is left of it"));
	close(fd);
}

/*
 * Connects while somebody, the kernel or another, makes a controller id; then the write comes to its end.
 * Returns what the connect said. deleted: it must be deleted then, and else it must stay.
 */
static int connect_and_make(struct bench *b, const struct ctrl_id *id, bool deleted)
{
	int fd = connect_blocks(b), r;
	enum path_reason reason;
	pid_t pid = fork();

	if (pid == 0) {
		usleep(200000);
		ctrl_write(&b->root, id);
		drain(fd);
		_exit(!deleted || ctrl_remove_when_asked(&b->root) ? 0 : 1);
	}
	b->step.timeout_s = 5;
	r = fx_nvme_connect(&b->root, &b->step, &reason, &b->err);
	if (deleted)
		assert_true(was_deleted(b, pid));
	else
		assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_int_equal(reason, PATH_OTHER);
	close(fd);
	return r;
}

static void a_controller_under_another_name_than_was_asked_for_is_disconnected(void **state)
{
	struct bench *b = *state;
	struct ctrl_id other = b->step.id;

	strcpy(other.nqn, "nqn.2026-01.example:itself");
	strcpy(b->step.id.traddr, "fd00::2");
	strcpy(other.traddr, "fd00:0::2"); /* the same, written otherwise */
	assert_true(connect_and_make(b, &other, true) < 0);
	assert_string_equal(b->err.msg, "[fd00::2]:4420: the target answers as subsystem "
					"nqn.2026-01.example:itself, not as nqn.2026-01.example:s0; it was "
					"disconnected again (give -n nqn.2026-01.example:itself)");
}

static void a_connect_that_came_to_its_end_leaves_alone_what_it_made_and_what_others_made(void **state)
{
	struct bench *b = *state;
	struct ctrl_id id[] = { b->step.id, b->step.id, b->step.id };

	strcpy(id[1].nqn, "nqn.2026-01.example:other");
	strcpy(id[1].host_traddr, "10.10.1.10");
	strcpy(id[2].nqn, "nqn.2026-01.example:other");
	strcpy(id[2].hostid, "0d1a2f2c-91f0-4c40-a0e0-4f3f2e1d0c0c");
	for (size_t i = 0; i < ARRAY_SIZE(id); i++) {
		assert_int_equal(connect_and_make(b, &id[i], false), 0);
		assert_file(&b->root, CTRL_DELETE, "");
		assert_int_equal(unlinkat(b->root.fd, FABRICS, 0), 0);
		ctrl_remove(&b->root);
	}
}

/* One that was there before the connect is not what it made. */
static void an_older_controller_under_another_name_stays(void **state)
{
	struct bench *b = *state;
	struct ctrl_id other = b->step.id;

	strcpy(other.nqn, "nqn.2026-01.example:other");
	ctrl_write(&b->root, &other);
	assert_int_equal(connect_and_make(b, &other, false), 0);
	assert_file(&b->root, CTRL_DELETE, "");
}

/*
 * In a process of its own, since a stop that was asked for is not forgotten: blocks for good, unless the
 * signals do what they should. True if it exits with 0 within 5 s.
 */
static bool ends_in_time(int (*block)(void))
{
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		(void)signal(SIGTERM, SIG_DFL);
		_exit(fx_signals_setup() < 0 ? 2 : block());
	}
	for (unsigned i = 0; i < 500; i++) {
		if (waitpid(pid, &status, WNOHANG) == pid)
			return WIFEXITED(status) && WEXITSTATUS(status) == 0;
		usleep(10000);
	}
	(void)kill(pid, SIGKILL);
	(void)waitpid(pid, &status, 0);
	return false;
}

/* Reads from a pipe into which nobody writes. */
static bool read_is_interrupted(void)
{
	int ends[2];
	char byte;

	return pipe(ends) == 0 && read(ends[0], &byte, 1) < 0 && errno == EINTR;
}

static int stop_between_arming_and_blocking(void)
{
	if (fx_signals_arm(60) < 0 || raise(SIGTERM) != 0)
		return 3;
	return read_is_interrupted() && !fx_signals_disarm() && fx_signals_stop() ? 0 : 1;
}

static int stop_before_arming(void)
{
	if (raise(SIGTERM) != 0 || fx_signals_arm(60) < 0)
		return 3;
	return read_is_interrupted() && !fx_signals_disarm() && fx_signals_stop() ? 0 : 1;
}

static int deadline_twice(void)
{
	if (fx_signals_arm(1) < 0 || !read_is_interrupted() || !read_is_interrupted() || !fx_signals_disarm())
		return 1;
	return fx_signals_arm(60) < 0 || fx_signals_disarm() || fx_signals_stop() ? 2 : 0;
}

static void a_signal_that_comes_before_the_call_blocks_ends_it_too(void **state)
{
	(void)state;
	assert_true(ends_in_time(stop_between_arming_and_blocking));
	assert_true(ends_in_time(stop_before_arming));
	assert_true(ends_in_time(deadline_twice));
}

/* In a process of its own, as above. */
static void a_stop_ends_a_connect_at_once(void **state)
{
	struct bench *b = *state;
	struct step *step = &b->step;
	int fd = connect_blocks(b), status;
	pid_t pid = fork();

	if (pid == 0) {
		const struct timespec soon = { .tv_nsec = 200000000 };
		enum path_reason reason;
		pid_t self = getpid();
		int r;

		(void)signal(SIGTERM, SIG_DFL);
		if (fx_signals_setup() < 0)
			_exit(2);
		if (fork() == 0) {
			(void)nanosleep(&soon, NULL);
			(void)kill(self, SIGTERM);
			_exit(0);
		}
		step->timeout_s = 30;
		r = fx_nvme_connect(&b->root, step, &reason, &b->err);
		_exit(r == -EINTR && fx_signals_stop() && strstr(b->err.msg, "stopped by a signal") ? 0 : 1);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
	close(fd);
}

static void every_failure_has_one_line_that_says_where(void **state)
{
	static const int codes[] = { EALREADY,	 EINVAL, EOPNOTSUPP, ENETUNREACH, ECONNREFUSED, EACCES,
				     ECONNRESET, EIO,	 ENODEV,     EINTR,	  ENOMEM,	ETIMEDOUT };
	static const char *const lines[] = {
		NULL,
		"",
		"nvme nvme0: Connect rejected: status 10 (stale conn).\nnvme nvme0: rdma failed (-104)\n",
		"nvme_fabrics: found same hostid but different hostnqn\n",
		"nvme_fabrics: no handler found for transport rdma.\n",
		"no end",
	};
	struct bench *b = *state;

	strcpy(b->step.id.traddr, "fd00::2");
	for (size_t c = 0; c < ARRAY_SIZE(codes); c++) {
		for (size_t l = 0; l < ARRAY_SIZE(lines); l++) {
			for (int reason = PATH_NO_LISTENER; reason <= PATH_OTHER; reason++) {
				struct err err = { 0 };

				assert_int_equal(fx_nvme_explain(&b->step, -codes[c],
								 (enum path_reason)reason, lines[l], &err),
						 -codes[c]);
				assert_true(str_starts(err.msg, "[fd00::2]:4420: "));
				assert_string_equal(err.object, "[fd00::2]:4420");
				assert_null(strchr(err.msg, '\n'));
				assert_int_not_equal(err.exit, XC_OK);
			}
		}
	}
}

static void without_the_log_both_causes_are_named(void **state)
{
	struct bench *b = *state;

	(void)fx_nvme_explain(&b->step, -ECONNRESET, PATH_OTHER, NULL, &b->err);
	assert_non_null(strstr(b->err.msg, "no answer to 10.10.1.1, or nobody listens on service id 4420"));
	b->err = (struct err){ 0 };
	(void)fx_nvme_explain(&b->step, -EIO, PATH_OTHER, NULL, &b->err);
	assert_non_null(strstr(b->err.msg, "does not offer nqn.2026-01.example:s0 there, or does not admit"));
	b->err = (struct err){ 0 };
	(void)fx_nvme_explain(&b->step, -EIO, PATH_OTHER,
			      "nvme nvme0: Connect command failed: controller is busy or not available\n"
			      "nvme nvme0: something later\n",
			      &b->err);
	assert_non_null(strstr(b->err.msg, "the kernel said: nvme nvme0: Connect command failed: controller "
					   "is busy or not available"));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(the_kernel_is_told_everything_and_no_interface),
		TEST(a_value_that_holds_an_option_is_never_written),
		TEST(a_tree_is_never_written_to),
		TEST(a_missing_module_is_named_with_its_remedy),
		TEST(a_connect_ends_at_its_deadline_and_takes_away_what_appeared),
		TEST(a_failed_connect_leaves_alone_what_was_there_before),
		TEST(what_appeared_meanwhile_and_is_another_is_left_alone),
		TEST(a_controller_under_another_name_than_was_asked_for_is_disconnected),
		TEST(a_connect_that_came_to_its_end_leaves_alone_what_it_made_and_what_others_made),
		TEST(an_older_controller_under_another_name_stays),
		TEST(a_signal_that_comes_before_the_call_blocks_ends_it_too),
		TEST(a_stop_ends_a_connect_at_once),
		TEST(every_failure_has_one_line_that_says_where),
		TEST(without_the_log_both_causes_are_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
