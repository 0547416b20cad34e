/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The program: parses, opens a session, runs one command, prints its result and its errors, exits. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "cmd/cmd.h"
#include "report/report.h"

const struct command *const commands[] = { &command_show, &command_connect, &command_verify,
					   &command_teardown, NULL };

/* One error, one line; what comes from outside must not steer the terminal. */
static void print_line(const char *text)
{
	char line[sizeof(((struct err *)0)->msg)];

	str_format(line, sizeof(line), "%s", text);
	for (char *c = line; *c != '\0'; c++) {
		if ((unsigned char)*c < ' ' || *c == 0x7f)
			*c = '?';
	}
	fprintf(stderr, "nvme-partition: %s\n", line);
}

static void print_error(const struct err *err)
{
	print_line(err->msg);
}

static enum exit_class run_command(const struct command *command, const struct options *options)
{
	struct session session;
	struct err err = { 0 };
	enum exit_class exit;
	int r = 0;

	log_enable(options->verbose);
	if (session_open(&session, options, &err) < 0) {
		print_error(&err);
		session_close(&session);
		return err.exit;
	}
	session.result.command = command->name;
	session.result.dry_run = options->dry_run;
	exit = command->run(&session, options);
	session.result.exit = exit;
	for (unsigned i = 0; i < session.error_count; i++)
		print_error(&session.errors[i]);
	if (session.notice[0] != '\0')
		print_line(session.notice);
	findings_sort(session.findings);
	if (exit != XC_USAGE || session.bad_file) /* a bad option has no result */
		r = options->output == OUTPUT_TEXT ? report_text(&session.result, stdout)
						   : report_json(&session.result, stdout);
	if (r < 0) {
		fprintf(stderr, "nvme-partition: stdout: %s; what was done is done\n", strerror(-r));
		if (exit == XC_OK)
			exit = session.result.changed && !session.result.dry_run ? XC_PARTIAL : XC_FAILED;
	}
	session_close(&session);
	return exit;
}

/* Closed ones would be given to the journal, and what is printed would land in it. */
static void open_standard_files(void)
{
	int fd;

	do {
		fd = open("/dev/null", O_RDWR);
	} while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd >= 0)
		(void)close(fd);
}

int main(int argc, char *argv[])
{
	const struct command *command;
	struct options options;
	struct err err = { 0 };

	open_standard_files();

	if (options_parse(argc, argv, &options, &command, &err) < 0) {
		print_error(&err);
		return err.exit;
	}
	if (options.version) {
		printf("nvme-partition %s\n", PACKAGE_VERSION);
		return XC_OK;
	}
	if (options.help) {
		options_help(command);
		return XC_OK;
	}
	return (int)run_command(command, &options);
}
