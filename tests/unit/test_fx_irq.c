/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Moving interrupts over files that stand in for the kernel's; a write to one is answered as the kernel does.
 */
#include "apply/fx_irq.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "lib/t.h"

#include "base/clock.h"
#include "lib/fakefx.h"

#define PORT "sys/bus/pci/devices/0000:29:00.0"
#define NAME "mlx5_comp7@pci:0000:29:00.0"

static const struct pci_addr pci = { .bus = 0x29 };

struct bench {
	struct root root;
	struct fx_irq now;
	struct err err;
};

/* The kernel's part in the next write(2), if armed. */
enum kernel { KERNEL_OFF, KERNEL_MOVES, KERNEL_FAILS, KERNEL_IS_OVERTAKEN };
static struct {
	enum kernel does;
	int code;
	unsigned writes;
	void (*first)(void); /* just before it answers */
} kernel;
static const struct root *machine;

static void put(const char *path, const char *text)
{
	fake_root_write(machine, path, text);
}

/* This one instead of the C library's. */
ssize_t write(int fd, const void *buf, size_t length)
{
	enum kernel does = kernel.does;

	kernel.does = KERNEL_OFF;
	if (does != KERNEL_OFF) {
		kernel.writes++;
		if (kernel.first)
			kernel.first();
	}
	switch (does) {
	case KERNEL_FAILS:
		errno = kernel.code;
		return -1;
	case KERNEL_IS_OVERTAKEN:
		put("proc/irq/43/smp_affinity_list", "0-1\n");
		return (ssize_t)length;
	case KERNEL_MOVES:
		if (ftruncate(fd, 0) < 0)
			abort();
		break;
	case KERNEL_OFF:
		break;
	}
	return syscall(SYS_write, fd, buf, length);
}

static void put_irq(unsigned irq, const char *function, const char *name, const char *cpus)
{
	char path[128], text[128];

	snprintf(path, sizeof(path), "sys/bus/pci/devices/%s/msi_irqs/%u", function, irq);
	put(path, "msix\n");
	snprintf(path, sizeof(path), "sys/kernel/irq/%u/actions", irq);
	snprintf(text, sizeof(text), "%s\n", name);
	put(path, text);
	snprintf(text, sizeof(text), "%s\n", cpus);
	snprintf(path, sizeof(path), "proc/irq/%u/smp_affinity_list", irq);
	put(path, text);
	snprintf(path, sizeof(path), "proc/irq/%u/effective_affinity_list", irq);
	put(path, text);
}

static int setup(void **state)
{
	struct bench *b = calloc(1, sizeof(*b));

	fake_root_open(&b->root);
	machine = &b->root;
	memset(&kernel, 0, sizeof(kernel));
	put_irq(42, "0000:29:00.0", "mlx5_async0@pci:0000:29:00.0", "0");
	put_irq(43, "0000:29:00.0", NAME, "7");
	put_irq(44, "0000:29:00.0", "mlx5_comp8@pci:0000:29:00.0", "8");
	put_irq(143, "0000:18:00.0", "mlx5_comp7@pci:0000:18:00.0", "7");
	*state = b;
	return 0;
}

static int teardown(void **state)
{
	struct bench *b = *state;

	fake_root_close(&b->root);
	free(b);
	return 0;
}

static struct cpuset cpus(const char *text)
{
	struct cpuset set;

	assert_int_equal(cpuset_parse(text, &set), 0);
	return set;
}

static void assert_cpus(const struct cpuset *set, const char *text)
{
	char is[CPUSET_TEXT_MAX];

	assert_int_equal(cpuset_format(set, is, sizeof(is)), 0);
	assert_string_equal(is, text);
}

/* Moves the interrupt of that name from before to to, as the kernel plans it. */
static int move_named(struct bench *b, const char *name, const char *before, const char *to, enum kernel does,
		      int code)
{
	struct cpuset from = cpus(before), there = cpus(to);
	int r;

	b->err = (struct err){ 0 };
	kernel.does = does;
	kernel.code = code;
	r = fx_irq_write(&b->root, &pci, name, &from, &there, 60, &b->now, &b->err);
	kernel.does = KERNEL_OFF;
	assert_int_equal(b->err.code, r);
	return r;
}

static int move(struct bench *b, const char *before, const char *to, enum kernel does, int code)
{
	return move_named(b, NAME, before, to, does, code);
}

static void assert_file(const char *path, const char *text)
{
	char *is = fake_root_read(machine, path);

	assert_string_equal(is, text);
	free(is);
}

static void follow(void)
{
	put("proc/irq/43/effective_affinity_list", "52\n");
}

static void an_interrupt_is_moved_and_read_back(void **state)
{
	struct bench *b = *state;

	kernel.first = follow;
	assert_int_equal(move(b, "7", "52", KERNEL_MOVES, 0), 0);
	assert_int_equal(b->now.irq, 43);
	assert_true(b->now.changed);
	assert_false(b->now.pending);
	assert_cpus(&b->now.affinity, "52");
	assert_cpus(&b->now.effective, "52");
	assert_file("proc/irq/43/smp_affinity_list", "52");
	/* And back. */
	assert_int_equal(move(b, "52", "0-55,112-167", KERNEL_MOVES, 0), 0);
	assert_file("proc/irq/43/smp_affinity_list", "0-55,112-167");
	assert_false(b->now.pending);
}

static void one_that_is_there_already_is_not_written(void **state)
{
	struct bench *b = *state;

	assert_int_equal(move(b, "0", "7", KERNEL_MOVES, 0), 0);
	assert_false(b->now.changed);
	assert_false(b->now.pending);
	assert_int_equal(kernel.writes, 0);
}

static void one_that_others_have_moved_is_left_alone(void **state)
{
	struct bench *b = *state;

	assert_int_equal(move(b, "9", "52", KERNEL_MOVES, 0), -ESTALE);
	assert_false(b->now.changed);
	assert_int_equal(kernel.writes, 0);
	assert_string_equal(b->err.msg, "interrupt 43, " NAME ": not moved: it is on CPU 7; somebody else "
					"moves it (irqbalance?)");
}

static void one_that_is_moved_again_at_once_is_no_success(void **state)
{
	struct bench *b = *state;

	assert_int_equal(move(b, "7", "52", KERNEL_IS_OVERTAKEN, 0), -ESTALE);
	assert_true(b->now.changed);
	assert_cpus(&b->now.affinity, "0-1");
}

static void an_effective_cpu_that_does_not_follow_is_pending_and_no_failure(void **state)
{
	struct bench *b = *state;
	int64_t begin = clock_ms();

	assert_int_equal(move(b, "7", "52", KERNEL_MOVES, 0), 0);
	assert_true(clock_ms() - begin >= 60);
	assert_true(b->now.changed);
	assert_true(b->now.pending);
	assert_cpus(&b->now.effective, "7");
	/* Once the next interrupt came: */
	follow();
	assert_int_equal(fx_irq_read(&b->root, &pci, NAME, &b->now, &b->err), 0);
	assert_false(b->now.pending);
}

static void follow_later(void)
{
	pid_t pid = fork();

	if (pid == 0) {
		usleep(25000);
		follow();
		_exit(0);
	}
}

static void an_effective_cpu_that_follows_late_is_waited_for(void **state)
{
	struct bench *b = *state;

	kernel.first = follow_later;
	assert_int_equal(move(b, "7", "52", KERNEL_MOVES, 0), 0);
	assert_false(b->now.pending);
	assert_true(waitpid(-1, NULL, 0) > 0);
}

static void an_effective_cpu_that_nobody_tells_is_unknown(void **state)
{
	struct bench *b = *state;

	put("proc/irq/43/effective_affinity_list", "\n");
	assert_int_equal(move(b, "7", "52", KERNEL_MOVES, 0), 0);
	assert_true(b->now.pending);
	assert_true(cpuset_is_empty(&b->now.effective));
	assert_int_equal(unlinkat(b->root.fd, "proc/irq/43/effective_affinity_list", 0), 0);
	assert_int_equal(fx_irq_read(&b->root, &pci, NAME, &b->now, &b->err), 0);
	assert_true(b->now.pending);
}

static void each_answer_of_the_kernel_has_its_meaning(void **state)
{
	static const struct {
		int code, r;
		const char *why;
	} row[] = {
		{ ENOSPC, -ENOSPC, "no interrupt vector is left on CPU 52" },
		{ EIO, -EIO, "the kernel manages it" },
		{ EPERM, -EIO, "the kernel manages it" },
		{ EINVAL, -EINVAL, "CPU 52 is offline or not there" },
		{ EOVERFLOW, -EINVAL, "CPU 52 is offline or not there" },
		{ ERANGE, -EINVAL, "CPU 52 is offline or not there" },
		{ ENOMEM, -ENOMEM, "cannot be moved to CPU 52: " },
	};
	struct bench *b = *state;

	for (size_t i = 0; i < ARRAY_SIZE(row); i++) {
		assert_int_equal(move(b, "7", "52", KERNEL_FAILS, row[i].code), row[i].r);
		assert_int_equal(b->err.exit, XC_PARTIAL);
		assert_string_equal(b->err.object, NAME);
		assert_non_null(strstr(b->err.msg, row[i].why));
		assert_false(b->now.changed);
		assert_cpus(&b->now.affinity, "7");
	}
	assert_int_equal(kernel.writes, ARRAY_SIZE(row));
}

static void vanish(void)
{
	if (unlinkat(machine->fd, PORT "/msi_irqs/43", 0) < 0)
		abort();
}

static void one_that_goes_away_while_it_is_written_is_gone_and_not_managed(void **state)
{
	struct bench *b = *state;

	kernel.first = vanish;
	assert_int_equal(move(b, "7", "52", KERNEL_FAILS, EIO), -ENOENT);
}

static void the_number_is_the_one_that_the_name_has_now(void **state)
{
	struct bench *b = *state;
	unsigned irq;

	assert_int_equal(fx_irq_find(&b->root, &pci, NAME, &irq), 0);
	assert_int_equal(irq, 43);
	/* The driver was loaded again: the name has another number, and the number another name. */
	put_irq(43, "0000:29:00.0", "mlx5_comp0@pci:0000:29:00.0", "0");
	put_irq(1000, "0000:29:00.0", NAME, "7");
	assert_int_equal(fx_irq_find(&b->root, &pci, NAME, &irq), 0);
	assert_int_equal(irq, 1000);
	assert_int_equal(move(b, "7", "52", KERNEL_MOVES, 0), 0);
	assert_int_equal(b->now.irq, 1000);
	assert_file("proc/irq/43/smp_affinity_list", "0\n");
}

static void a_name_that_is_not_there_or_there_twice_is_nobody(void **state)
{
	struct bench *b = *state;
	unsigned irq;

	/* Of another function, or shared by two handlers. */
	put_irq(43, "0000:29:00.0", NAME ",eth0", "7");
	put_irq(50, "0000:29:00.1", NAME, "7");
	put(PORT "/msi_irqs/x", "msix\n");
	put(PORT "/msi_irqs/99999999999", "msix\n");
	assert_int_equal(fx_irq_find(&b->root, &pci, NAME, &irq), -ENOENT);
	assert_int_equal(move(b, "7", "52", KERNEL_MOVES, 0), -ENOENT);
	assert_non_null(strstr(b->err.msg, "of 0000:29:00.0: is not there any more"));
	put_irq(60, "0000:29:00.0", NAME, "7");
	put_irq(61, "0000:29:00.0", NAME, "7");
	assert_int_equal(fx_irq_find(&b->root, &pci, NAME, &irq), -ENOTUNIQ);
	assert_int_equal(move(b, "7", "52", KERNEL_MOVES, 0), -ENOTUNIQ);
	assert_int_equal(kernel.writes, 0);
}

static void a_name_that_cannot_be_read_is_not_taken_for_another(void **state)
{
	struct bench *b = *state;
	unsigned irq;

	put("sys/kernel/irq/43/actions", "a\nb\n");
	assert_int_equal(fx_irq_find(&b->root, &pci, NAME, &irq), -EBADMSG);
	assert_int_equal(fx_irq_find(&b->root, &pci, "mlx5_comp8@pci:0000:29:00.0", &irq), 0);
	assert_int_equal(irq, 44);
}

static void only_a_completion_interrupt_of_the_function_is_ever_written(void **state)
{
	static const char *const name[] = {
		"mlx5_async0@pci:0000:29:00.0",
		"mlx5_combined0@pci:0000:29:00.0",
		"mlx5_comp7@pci:0000:18:00.0",
		"mlx5_comp@pci:0000:29:00.0",
		"mlx5_comp7x@pci:0000:29:00.0",
		"mlx5_comp7@pci:0000:29:00.01",
		"mlx5_comp7@pci:0000:29:00.0@pci",
		"mlx5_comp-7@pci:0000:29:00.0",
		"mlx5_async-0",
		"mlx5_comp-7",
		"eth0",
		"eth0-",
		"-7",
		"eth0-7x",
		"eth0-rx-x",
		"",
		"mlx5_comp99999999999999999999@pci:0000:29:00.0",
	};
	struct bench *b = *state;

	for (size_t i = 0; i < ARRAY_SIZE(name); i++) {
		put_irq(200, "0000:29:00.0", name[i], "7");
		assert_int_equal(move_named(b, name[i], "7", "52", KERNEL_MOVES, 0), -ENOTSUP);
		assert_int_equal(b->err.exit, XC_REFUSED);
	}
	assert_int_equal(kernel.writes, 0);
	put_irq(200, "0000:29:00.0", "eth0-7", "7"); /* older drivers */
	assert_int_equal(move_named(b, "eth0-7", "7", "52", KERNEL_MOVES, 0), 0);
	assert_int_equal(b->now.irq, 200);
}

static void a_tree_and_a_file_that_may_not_be_opened_are_not_written(void **state)
{
	struct bench *b = *state;

	b->root.live = false;
	assert_int_equal(move(b, "7", "52", KERNEL_MOVES, 0), -EROFS);
	assert_int_equal(b->err.exit, XC_ENVIRONMENT);
	b->root.live = true;
	assert_int_equal(unlinkat(b->root.fd, "proc/irq/43/smp_affinity_list", 0), 0);
	assert_int_equal(move(b, "7", "52", KERNEL_MOVES, 0), -ENOENT);
	put("proc/irq/43/smp_affinity_list", "7\n");
	assert_int_equal(fchmodat(b->root.fd, "proc/irq/43/smp_affinity_list", 0400, 0), 0);
	if (getuid() != 0) {
		assert_int_equal(move(b, "7", "52", KERNEL_MOVES, 0), -EPERM);
		assert_int_equal(b->err.exit, XC_ENVIRONMENT);
	}
	assert_int_equal(kernel.writes, 0);
}

static void a_list_that_is_none_is_an_error(void **state)
{
	static const char *const list[] = { "", "\n", "x\n", "7-\n", "5-2\n", "4096\n", "7,\n", "-7\n" };
	struct bench *b = *state;

	for (size_t i = 0; i < ARRAY_SIZE(list); i++) {
		put("proc/irq/43/smp_affinity_list", list[i]);
		b->err = (struct err){ 0 };
		assert_int_equal(move(b, "7", "52", KERNEL_MOVES, 0), -EBADMSG);
		assert_true(b->now.pending);
	}
	assert_int_equal(kernel.writes, 0);
	put("proc/irq/43/smp_affinity_list", "7\n");
	assert_int_equal(move(b, "7", "", KERNEL_MOVES, 0), -EINVAL);
	assert_int_equal(kernel.writes, 0);
}

static void a_kernel_that_does_not_tell_names_is_told_of(void **state)
{
	struct bench *b = *state;

	assert_int_equal(renameat(b->root.fd, "sys/kernel/irq", b->root.fd, "sys/kernel/off"), 0);
	assert_int_equal(move(b, "7", "52", KERNEL_MOVES, 0), -ENOSYS);
	assert_non_null(strstr(b->err.msg, "/sys/kernel/irq"));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(an_interrupt_is_moved_and_read_back),
		TEST(one_that_is_there_already_is_not_written),
		TEST(one_that_others_have_moved_is_left_alone),
		TEST(one_that_is_moved_again_at_once_is_no_success),
		TEST(an_effective_cpu_that_does_not_follow_is_pending_and_no_failure),
		TEST(an_effective_cpu_that_follows_late_is_waited_for),
		TEST(an_effective_cpu_that_nobody_tells_is_unknown),
		TEST(each_answer_of_the_kernel_has_its_meaning),
		TEST(one_that_goes_away_while_it_is_written_is_gone_and_not_managed),
		TEST(the_number_is_the_one_that_the_name_has_now),
		TEST(a_name_that_is_not_there_or_there_twice_is_nobody),
		TEST(a_name_that_cannot_be_read_is_not_taken_for_another),
		TEST(only_a_completion_interrupt_of_the_function_is_ever_written),
		TEST(a_tree_and_a_file_that_may_not_be_opened_are_not_written),
		TEST(a_list_that_is_none_is_an_error),
		TEST(a_kernel_that_does_not_tell_names_is_told_of),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
