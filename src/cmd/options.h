/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Options: one table for the program and one a command. The tables are the one source: parsing and --help
 * come from them, the manual and the completions are compared with them by make check.
 */
#pragma once

#include "base/err.h"
#include "model/request.h"

enum output { OUTPUT_JSON, OUTPUT_TEXT };

#define TRADDRS_MAX 256

/* Everything that can be given; NULL and CONNECT_UNSET where it was not. */
struct options {
	int argc; /* as main got them, for the journal */
	char *const *argv;
	enum output output;
	bool verbose, help, version;
	const char *sysroot;
	const char *config;
	const char *platform;
	int wait_s;
	/* connect */
	const char *traddr[TRADDRS_MAX];
	unsigned traddrs;
	const char *trsvcid, *nqn, *host_traddr, *hostnqn, *hostid, *transport;
	int nr_io_queues, queue_size, keep_alive_tmo, reconnect_delay, ctrl_loss_tmo, tos;
	bool ctrl_loss_given; /* its -1 has a meaning */
	int connect_timeout_s;
	bool atomic;
	int cores_per_port;	/* CONNECT_UNSET; of verify as well */
	const char *irqbalance; /* ban, ignore, refuse; NULL */
	const char *initiator;	/* auto, host; NULL */
	bool require_offload;
	bool dry_run; /* of teardown as well, as is nqn */
	/* teardown */
	const char *port;
	bool force;
	int timeout_s;
	/* verify */
	bool strict;
	const char *only;
};

enum opt_kind { OPT_FLAG, OPT_TEXT, OPT_TRADDR, OPT_INT, OPT_WORD, OPT_OUTPUT };

struct opt {
	char letter;	  /* 0: long form only */
	const char *name; /* NULL ends a table */
	const char *arg;  /* for --help; NULL: takes none; of OPT_WORD the words, as "a|b" */
	const char *help;
	enum opt_kind kind;
	size_t offset; /* of the member in struct options */
	int min, max;  /* of OPT_INT */
};

struct command; /* cmd/cmd.h */

extern const struct opt options_global[];
extern const struct opt options_connect[];
extern const struct opt options_teardown[];
extern const struct opt options_verify[];
extern const struct opt options_none[];

/*
 * Parses argv: options of the program, the command's name, and then options of either. *ret_command is NULL
 * only with help or version. A mistake is one line in err (XC_USAGE).
 */
int options_parse(int argc, char *argv[], struct options *ret, const struct command **ret_command,
		  struct err *err) _must_check_;

/* --help of the program (command NULL) or of a command, on stdout. */
void options_help(const struct command *command);
