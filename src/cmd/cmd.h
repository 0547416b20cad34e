/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The commands: what each is called, what it takes, and the function that is the command. */
#pragma once

#include "cmd/options.h"
#include "cmd/session.h"

struct command {
	const char *name;
	const char *summary;
	const char *usage; /* after the name, for --help */
	const struct opt *options;
	/* Fills session->result and the lists it points to; what went wrong is among session's errors. */
	enum exit_class (*run)(struct session *session, const struct options *options);
};

extern const struct command command_show;
extern const struct command command_connect;
extern const struct command command_teardown;
extern const struct command command_verify;

/* All of them, ended by NULL, in the order of --help. */
extern const struct command *const commands[];
