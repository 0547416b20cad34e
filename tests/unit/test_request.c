/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What connect is asked for: the command line over the config over what holds without either. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cmd.h"
#include "cmd/request.h"

/* main.c has it, and is not in the library. */
const struct command *const commands[] = { &command_connect, NULL };

#define ARGS_MAX 16

struct asked {
	char *argv[ARGS_MAX];
	struct options options;
	struct request request;
	struct err err;
};

static int setup(void **state)
{
	struct asked *asked = calloc(1, sizeof(*asked));

	if (!asked)
		return -1;
	request_defaults(&asked->request);
	*state = asked;
	return 0;
}

static int teardown(void **state)
{
	free(*state);
	return 0;
}

/* "nvme-partition connect -a 10.10.1.2 -n nqn.a" and two words; NULL: none. */
static int parse(struct asked *asked, const char *option, const char *value)
{
	static const char *const first[] = { "nvme-partition", "connect", "-a", "10.10.1.2", "-n", "nqn.a" };
	const struct command *command;
	int argc = 0;

	for (size_t i = 0; i < ARRAY_SIZE(first); i++)
		asked->argv[argc++] = (char *)(uintptr_t)first[i];
	if (option)
		asked->argv[argc++] = (char *)(uintptr_t)option;
	if (value)
		asked->argv[argc++] = (char *)(uintptr_t)value;
	memset(&asked->err, 0, sizeof(asked->err));
	return options_parse(argc, asked->argv, &asked->options, &command, &asked->err);
}

static void ask(struct asked *asked, const char *option, const char *value)
{
	assert_int_equal(parse(asked, option, value), 0);
	assert_int_equal(request_make(&asked->options, &asked->request, &asked->err), 0);
}

static void placement_has_defaults(void **state)
{
	struct asked *asked = *state;

	ask(asked, NULL, NULL);
	assert_int_equal(asked->request.cores_per_port, 4);
	assert_int_equal(asked->request.irqbalance, REQUEST_BAN);
}

static void the_command_line_wins_over_the_config(void **state)
{
	struct asked *asked = *state;

	asked->request.cores_per_port = 8; /* as the config said */
	asked->request.irqbalance = REQUEST_REFUSE;
	ask(asked, NULL, NULL);
	assert_int_equal(asked->request.cores_per_port, 8);
	assert_int_equal(asked->request.irqbalance, REQUEST_REFUSE);
	ask(asked, "--cores-per-port", "64");
	assert_int_equal(asked->request.cores_per_port, 64);
	ask(asked, "--irqbalance", "ban");
	assert_int_equal(asked->request.irqbalance, REQUEST_BAN);
	ask(asked, "--irqbalance=ignore", NULL);
	assert_int_equal(asked->request.irqbalance, REQUEST_IGNORE);
	ask(asked, "--irqbalance", "refuse");
	assert_int_equal(asked->request.irqbalance, REQUEST_REFUSE);
}

static void a_bad_value_is_a_usage_error(void **state)
{
	static const char *const bad[][2] = {
		{ "--irqbalance", "" },	     { "--irqbalance", "ba" },	       { "--irqbalance", "bans" },
		{ "--irqbalance", "Ban" },   { "--irqbalance", "ban|ignore" }, { "--irqbalance", "ignore|" },
		{ "--irqbalance", NULL },    { "--cores-per-port", "0" },      { "--cores-per-port", "65" },
		{ "--cores-per-port", "x" }, { "--cores-per-port", "-1" },     { "--cores-per-port", NULL },
	};
	struct asked *asked = *state;

	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		if (parse(asked, bad[i][0], bad[i][1]) == 0)
			fail_msg("%s %s was taken", bad[i][0], bad[i][1] ? bad[i][1] : "");
		assert_int_equal(asked->err.exit, XC_USAGE);
	}
	assert_true(parse(asked, "--irqbalance", "kill") < 0);
	assert_string_equal(asked->err.msg, "--irqbalance kill: must be one of ban|ignore|refuse");
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(placement_has_defaults),
		TEST(the_command_line_wins_over_the_config),
		TEST(a_bad_value_is_a_usage_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
