/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The ban list, over the socket of a daemon that stands in for irqbalance, and for hostile ones. */
#include "apply/fx_irqbalance.h"

#include "lib/t.h"

#include "apply/fx_signals.h"
#include "base/clock.h"
#include "unit/irqbalance_daemon.h"

struct bench {
	struct root root;
	struct irqbalance seen;
	struct irq_list ours;
	struct err err;
	pid_t pid[2];
};

#define WAIT_MS 300

static int setup(void **state)
{
	struct bench *b = calloc(1, sizeof(*b));

	fake_root_open(&b->root);
	*state = b;
	return irq_list_add(&b->ours, 43) + irq_list_add(&b->ours, 1044);
}

static int teardown(void **state)
{
	struct bench *b = *state;

	for (size_t i = 0; i < ARRAY_SIZE(b->pid); i++) {
		if (b->pid[i] > 0)
			daemon_end(b->pid[i]);
	}
	fake_root_close(&b->root);
	free(b);
	return 0;
}

static void start(struct bench *b, const struct daemon_plan *plan)
{
	b->pid[b->pid[0] > 0] = daemon_start(&b->root, plan);
}

static int ban(struct bench *b, int wait_ms)
{
	b->err = (struct err){ 0 };
	return fx_irqbalance_ban(&b->root, &b->ours, wait_ms, &b->seen, &b->err);
}

static void assert_sent(const struct bench *b, const char *text)
{
	char *is = fake_root_read(&b->root, DAEMON_LOG);

	assert_string_equal(is, text);
	free(is);
}

static void assert_bans(const struct bench *b, const char *text)
{
	char is[256] = "";

	for (unsigned i = 0; i < b->seen.bans.count; i++)
		str_append(is, sizeof(is), "%s%u", i ? " " : "", b->seen.bans.irq[i]);
	assert_string_equal(is, text);
}

/* The ban failed with this, nothing was sent. */
static void assert_unreachable(struct bench *b, int r, int code, const char *why)
{
	assert_int_equal(r, code);
	assert_int_equal(b->seen.state, IRQBALANCE_UNREACHABLE);
	assert_int_equal(b->err.code, code);
	assert_int_equal(b->err.exit, XC_PARTIAL);
	if (!strstr(b->err.msg, why))
		assert_string_equal(b->err.msg, why);
	assert_false(b->seen.changed);
	assert_sent(b, "");
}

static void ours_are_added_to_what_others_banned_and_alone_taken_away(void **state)
{
	struct bench *b = *state;

	start(b, &(struct daemon_plan){ .bans = "0 5 9" });
	assert_int_equal(ban(b, WAIT_MS), 0);
	assert_int_equal(b->seen.state, IRQBALANCE_BANNED);
	assert_true(b->seen.changed);
	assert_int_equal(b->seen.pid, b->pid[0]);
	assert_bans(b, "0 5 9 43 1044");
	assert_sent(b, "settings ban irqs 0 5 9 43 1044.\n");
	assert_int_equal(fx_irqbalance_unban(&b->root, &b->ours, b->seen.born, WAIT_MS, &b->seen, &b->err),
			 0);
	assert_int_equal(b->seen.state, IRQBALANCE_RUNNING);
	assert_true(b->seen.changed);
	assert_bans(b, "0 5 9");
	assert_sent(b, "settings ban irqs 0 5 9 43 1044.\nsettings ban irqs 0 5 9.\n");
}

static void the_last_ban_that_is_taken_away_leaves_an_empty_list(void **state)
{
	struct bench *b = *state;

	start(b, &(struct daemon_plan){ .bans = "43 1044" });
	assert_int_equal(fx_irqbalance_unban(&b->root, &b->ours, 0, WAIT_MS, &b->seen, &b->err), 0);
	assert_bans(b, "");
	assert_sent(b, "settings ban irqs NONE.\n");
}

static void what_is_banned_already_is_not_sent_again(void **state)
{
	struct bench *b = *state;

	start(b, &(struct daemon_plan){ .bans = "1044 43 7" });
	assert_int_equal(ban(b, WAIT_MS), 0);
	assert_int_equal(b->seen.state, IRQBALANCE_BANNED);
	assert_false(b->seen.changed);
	b->ours.count = 0;
	assert_int_equal(fx_irqbalance_unban(&b->root, &b->ours, 0, WAIT_MS, &b->seen, &b->err), 0);
	assert_sent(b, "");
}

static void the_bans_of_another_daemon_are_not_ours(void **state)
{
	struct bench *b = *state;

	start(b, &(struct daemon_plan){ .bans = "43" });
	assert_int_equal(fx_irqbalance_read(&b->root, WAIT_MS, &b->seen, &b->err), 0);
	assert_int_equal(
		fx_irqbalance_unban(&b->root, &b->ours, b->seen.born + 1, WAIT_MS, &b->seen, &b->err), 0);
	assert_bans(b, "43");
	assert_sent(b, "");
}

static void no_daemon_is_absent(void **state)
{
	struct bench *b = *state;

	fake_root_write(&b->root, "proc/1/comm", "systemd\n");
	assert_int_equal(ban(b, WAIT_MS), 0);
	assert_int_equal(b->seen.state, IRQBALANCE_ABSENT);
	/* What a daemon left behind that was killed. */
	start(b, &(struct daemon_plan){ 0 });
	daemon_end(b->pid[0]);
	b->pid[0] = 0;
	fake_root_write(&b->root, "proc/4711/comm", "irqbalance\n");
	fake_root_write(&b->root, "proc/4711/stat", "4711 (irqbalance) Z 1 1\n");
	assert_int_equal(ban(b, WAIT_MS), 0);
	assert_int_equal(b->seen.state, IRQBALANCE_ABSENT);
	assert_int_equal(fx_irqbalance_unban(&b->root, &b->ours, 0, WAIT_MS, &b->seen, &b->err), 0);
	assert_int_equal(b->seen.state, IRQBALANCE_ABSENT);
	/* It does not hide the one that came after it. */
	start(b, &(struct daemon_plan){ .name = "irqbalance4800.sock" });
	assert_int_equal(ban(b, WAIT_MS), 0);
	assert_int_equal(b->seen.state, IRQBALANCE_BANNED);
}

static void a_daemon_without_a_socket_is_not_absent(void **state)
{
	struct bench *b = *state;

	fake_root_write(&b->root, "proc/77/comm", "irqbalance\n");
	assert_unreachable(b, ban(b, WAIT_MS), -ENOTCONN, "irqbalance (pid 77) has no socket in ");
}

static void a_list_that_would_be_cut_is_not_sent(void **state)
{
	struct bench *b = *state;

	start(b, &(struct daemon_plan){ .bans = "5" });
	for (unsigned i = 0; i < 96; i++)
		assert_int_equal(irq_list_add(&b->ours, 2000 + i), 0);
	assert_int_equal(ban(b, WAIT_MS), -E2BIG);
	assert_int_equal(b->seen.state, IRQBALANCE_LIST_TOO_LONG);
	assert_non_null(strstr(b->err.msg, "more than the 500 bytes"));
	assert_false(b->seen.changed);
	assert_sent(b, "");
}

static void a_list_that_the_daemon_did_not_take_is_an_error(void **state)
{
	struct bench *b = *state;

	start(b, &(struct daemon_plan){ .bans = "5", .is_deaf = true });
	assert_int_equal(ban(b, WAIT_MS), -EIO);
	assert_int_equal(b->seen.state, IRQBALANCE_UNREACHABLE);
	assert_true(b->seen.changed);
	assert_bans(b, "5");
}

static void a_hostile_answer_is_not_acted_upon(void **state)
{
	static char huge[3 << 20];
	static const struct {
		const char *text;
		size_t length;
	} answer[] = {
#define ANSWER(text) { text, sizeof(text) - 1 }
		ANSWER(""),
		ANSWER("no"),
		ANSWER("SLEEP 10 IRQ -43 LOAD 0 DIFF 0 CLASS 0 BANNED 0"),
		ANSWER("SLEEP 10 IRQ 43 LOAD 0 DIFF 0 CLASS 0 IRQ 10"),
		ANSWER("SLEEP 10 BANNED 0\0"),
		ANSWER("\xff\xfe\0\0\0"),
		{ huge, sizeof(huge) },
#undef ANSWER
	};
	struct bench *b = *state;

	memset(huge, '4', sizeof(huge));
	memcpy(huge, "SLEEP 10 IRQ ", 13);
	for (size_t i = 0; i < ARRAY_SIZE(answer); i++) {
		start(b,
		      &(struct daemon_plan){ .answer = answer[i].text, .answer_length = answer[i].length });
		assert_unreachable(b, ban(b, 5000), -EPROTO, "an answer");
		daemon_end(b->pid[0]);
		b->pid[0] = 0;
		assert_int_equal(unlinkat(b->root.fd, DAEMON_DIR "/irqbalance4711.sock", 0), 0);
	}
}

static void an_answer_that_never_ends_is_given_up(void **state)
{
	struct bench *b = *state;

	start(b, &(struct daemon_plan){ .dribbles = true });
	assert_unreachable(b, ban(b, WAIT_MS), -ETIMEDOUT, "does not answer in time");
}

static void a_busy_daemon_is_waited_for(void **state)
{
	struct bench *b = *state;

	start(b, &(struct daemon_plan){ .busy_ms = 400 });
	assert_unreachable(b, ban(b, 100), -ETIMEDOUT, "does not answer in time");
	assert_int_equal(ban(b, 5000), 0);
	assert_int_equal(b->seen.state, IRQBALANCE_BANNED);
}

static void a_stopped_daemon_is_given_up_early_and_lives_on(void **state)
{
	struct bench *b = *state;
	int64_t begin = clock_ms();
	char path[64], text[64];

	start(b, &(struct daemon_plan){ 0 });
	assert_int_equal(kill(b->pid[0], SIGSTOP), 0);
	snprintf(path, sizeof(path), "proc/%d/stat", b->pid[0]);
	snprintf(text, sizeof(text), "%d (a) R (b) T 1 1\n", b->pid[0]);
	fake_root_write(&b->root, path, text);
	assert_unreachable(b, ban(b, IRQBALANCE_WAIT_MS), -ETIMEDOUT, "is stopped, and does not answer");
	assert_true(clock_ms() - begin < IRQBALANCE_STOPPED_MS + 1500);
	/* Others gave up as well, and its backlog is full: then its socket's name tells its pid. */
	fake_root_write(&b->root, "proc/4711/stat", text);
	for (unsigned i = 0; i < 3; i++)
		assert_unreachable(b, ban(b, 100), -ETIMEDOUT, "is stopped");
	assert_int_equal(kill(b->pid[0], SIGCONT), 0);
	assert_int_equal(ban(b, 5000), 0);
	assert_int_equal(b->seen.state, IRQBALANCE_BANNED);
	assert_true(daemon_end(b->pid[0]));
	b->pid[0] = 0;
}

static void a_stop_signal_ends_the_waiting(void **state)
{
	struct bench *b = *state;
	pid_t pid;
	int status;

	start(b, &(struct daemon_plan){ .busy_ms = 60000 });
	pid = fork();
	if (pid == 0) {
		if (fx_signals_setup() < 0 || raise(SIGTERM) != 0)
			_exit(2);
		_exit(ban(b, 20000) == -EINTR ? 0 : 1);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

static void two_daemons_are_told_and_not_talked_to(void **state)
{
	struct bench *b = *state;

	start(b, &(struct daemon_plan){ 0 });
	start(b, &(struct daemon_plan){ .name = "irqbalance5000.sock" });
	assert_unreachable(b, ban(b, WAIT_MS), -EEXIST, "irqbalance (pid 5000) is not the only one");
}

static void a_socket_that_others_could_have_made_is_not_used(void **state)
{
	struct bench *b = *state;

	start(b, &(struct daemon_plan){ 0 });
	assert_int_equal(fchmodat(b->root.fd, DAEMON_DIR, 0777, 0), 0);
	assert_unreachable(b, ban(b, WAIT_MS), -EPERM, "others than root can write its directory");
	assert_int_equal(fchmodat(b->root.fd, DAEMON_DIR, 0755, 0), 0);
	assert_int_equal(renameat(b->root.fd, DAEMON_DIR "/irqbalance4711.sock", b->root.fd, "run/elsewhere"),
			 0);
	assert_int_equal(symlinkat("../elsewhere", b->root.fd, DAEMON_DIR "/irqbalance4711.sock"), 0);
	assert_unreachable(b, ban(b, WAIT_MS), -EPERM, "its socket is not root's");
	assert_int_equal(unlinkat(b->root.fd, DAEMON_DIR "/irqbalance4711.sock", 0), 0);
	fake_root_write(&b->root, DAEMON_DIR "/irqbalance4711.sock", "");
	assert_unreachable(b, ban(b, WAIT_MS), -EPERM, "its socket is not root's");
}

static void a_daemon_that_is_not_roots_is_not_talked_to(void **state)
{
	struct bench *b = *state;

	if (getuid() != 0)
		skip();
	start(b, &(struct daemon_plan){ .is_nobodys = true });
	assert_unreachable(b, ban(b, WAIT_MS), -EPERM, "is not root's process");
}

static void a_version_whose_answer_overruns_its_buffer_is_not_asked(void **state)
{
	struct bench *b = *state;

	/* 1.6 names it /run/irqbalance//irqbalance<pid>.sock */
	start(b, &(struct daemon_plan){ .name = "/irqbalance4711.sock" });
	assert_unreachable(b, ban(b, WAIT_MS), -EPROTONOSUPPORT, "is older than 1.7");
}

static void a_tree_has_no_daemon_to_be_asked(void **state)
{
	struct bench *b = *state;

	start(b, &(struct daemon_plan){ 0 });
	b->root.live = false;
	assert_int_equal(ban(b, WAIT_MS), -EROFS);
	assert_int_equal(b->err.exit, XC_ENVIRONMENT);
	assert_sent(b, "");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(ours_are_added_to_what_others_banned_and_alone_taken_away),
		TEST(the_last_ban_that_is_taken_away_leaves_an_empty_list),
		TEST(what_is_banned_already_is_not_sent_again),
		TEST(the_bans_of_another_daemon_are_not_ours),
		TEST(no_daemon_is_absent),
		TEST(a_daemon_without_a_socket_is_not_absent),
		TEST(a_list_that_would_be_cut_is_not_sent),
		TEST(a_list_that_the_daemon_did_not_take_is_an_error),
		TEST(a_hostile_answer_is_not_acted_upon),
		TEST(an_answer_that_never_ends_is_given_up),
		TEST(a_busy_daemon_is_waited_for),
		TEST(a_stopped_daemon_is_given_up_early_and_lives_on),
		TEST(a_stop_signal_ends_the_waiting),
		TEST(two_daemons_are_told_and_not_talked_to),
		TEST(a_socket_that_others_could_have_made_is_not_used),
		TEST(a_daemon_that_is_not_roots_is_not_talked_to),
		TEST(a_version_whose_answer_overruns_its_buffer_is_not_asked),
		TEST(a_tree_has_no_daemon_to_be_asked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
