/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Connecting and disconnecting over files that stand in for the kernel's; a FIFO blocks as a connect does. */
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

#include "apply/fx_signals.h"
#include "lib/fakefx.h"

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
/* No machine has as many: should libnvme look for it, it finds nothing. */
#define INSTANCE 400000000
#define CTRL "sys/class/nvme/nvme400000000/"

static void write_ctrl(const struct root *root, const struct ctrl_id *id)
{
	char address[256];

	fake_root_write(root, CTRL "transport", "rdma\n");
	fake_root_write(root, CTRL "hostnqn", id->hostnqn);
	fake_root_write(root, CTRL "hostid", id->hostid);
	fake_root_write(root, CTRL "delete_controller", "");
	snprintf(address, sizeof(address), "traddr=%s,trsvcid=%s,host_traddr=%s,src_addr=0.0.0.0\n", id->traddr,
		 id->trsvcid, id->host_traddr);
	fake_root_write(root, CTRL "address", address);
	fake_root_write(root, CTRL "subsysnqn", id->nqn);
}

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
		    "nqn=nqn.2026-01.example:s0,transport=rdma,traddr=10.10.1.2,trsvcid=4420,host_traddr=10.10.1.1,"
		    "hostnqn=nqn.2026-01.example:host,hostid=0d1a2f2c-91f0-4c40-a0e0-4f3f2e1d0c0b,nr_io_queues=16,"
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
	static const char *const evil[] = { "nqn.2026-01.example:s1,host_traddr=10.0.0.1", "nqn.a b", "nqn.a\nb", "" };
	struct bench *b = *state;
	enum path_reason reason;

	fake_root_write(&b->root, FABRICS, "");
	for (size_t i = 0; i < ARRAY_SIZE(evil) * 5; i++) {
		struct step step = b->step;
		struct err err = { 0 };
		char *field[] = { step.id.nqn, step.id.hostnqn, step.id.traddr, step.id.host_traddr, step.id.hostid };

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
	write_ctrl(&b->root, &b->step.id);
	b->root.live = false;
	assert_int_equal(fx_nvme_connect(&b->root, &b->step, &reason, &b->err), -EROFS);
	b->err = (struct err){ 0 };
	assert_int_equal(fx_nvme_disconnect(&b->root, &b->step.id, INSTANCE, &b->err), -EROFS);
	assert_int_equal(b->err.exit, XC_ENVIRONMENT);
	assert_file(&b->root, FABRICS, "");
	assert_file(&b->root, CTRL "delete_controller", "");
}

static void a_missing_module_is_named_with_its_remedy(void **state)
{
	struct bench *b = *state;

	assert_int_equal(fx_nvme_available(&b->root, &b->err), -ENOENT);
	assert_int_equal(b->err.exit, XC_ENVIRONMENT);
	assert_non_null(strstr(b->err.msg, "modprobe nvme-rdma"));
}

/* A FIFO that is full blocks the writer as the connection manager does. */
static int full_fifo(struct bench *b)
{
	static const char junk[4096];
	int fd;

	fake_root_write(&b->root, "dev/.keep", "");
	assert_int_equal(mkfifoat(b->root.fd, FABRICS, 0600), 0);
	fd = openat(b->root.fd, FABRICS, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	assert_true(fd >= 0);
	while (write(fd, junk, sizeof(junk)) > 0)
		;
	return fd;
}

static void a_connect_ends_at_its_deadline_and_takes_away_what_appeared(void **state)
{
	struct bench *b = *state;
	struct step *step = &b->step;
	int fd = full_fifo(b);
	enum path_reason reason;
	pid_t pid;

	pid = fork();
	if (pid == 0) {
		usleep(300000);
		write_ctrl(&b->root, &step->id);
		_exit(0);
	}
	step->timeout_s = 1;
	assert_int_equal(fx_nvme_connect(&b->root, step, &reason, &b->err), -ETIMEDOUT);
	assert_int_equal(reason, PATH_TIMEOUT);
	assert_int_equal(b->err.exit, XC_TIMEOUT);
	assert_non_null(strstr(b->err.msg, "10.10.1.2:4420: not connected within 1 s"));
	assert_file(&b->root, CTRL "delete_controller", "1");
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	close(fd);
}

static void a_failed_connect_leaves_alone_what_was_there_before(void **state)
{
	struct bench *b = *state;
	struct step *step = &b->step;
	int fd = full_fifo(b);
	enum path_reason reason;

	write_ctrl(&b->root, &step->id);
	step->timeout_s = 1;
	assert_int_equal(fx_nvme_connect(&b->root, step, &reason, &b->err), -ETIMEDOUT);
	assert_file(&b->root, CTRL "delete_controller", "");
	close(fd);
}

/* In a process of its own: a stop that was asked for is not forgotten. */
static void a_stop_ends_a_connect_at_once(void **state)
{
	struct bench *b = *state;
	struct step *step = &b->step;
	int fd = full_fifo(b), status;
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

static void only_the_very_controller_is_deleted(void **state)
{
	struct bench *b = *state;
	struct ctrl_id other = b->step.id;

	write_ctrl(&b->root, &b->step.id);
	strcpy(other.host_traddr, "10.10.1.10");
	assert_int_equal(fx_nvme_disconnect(&b->root, &other, INSTANCE, &b->err), -ESTALE);
	assert_int_equal(b->err.exit, XC_REFUSED);
	b->err = (struct err){ 0 };
	assert_int_equal(fx_nvme_disconnect(&b->root, &other, INSTANCE + 1, &b->err), -ESTALE);
	assert_file(&b->root, CTRL "delete_controller", "");
	assert_int_equal(fx_nvme_disconnect(&b->root, &b->step.id, INSTANCE, &b->err), 0);
	assert_file(&b->root, CTRL "delete_controller", "1");
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
		TEST(a_stop_ends_a_connect_at_once),
		TEST(only_the_very_controller_is_deleted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
