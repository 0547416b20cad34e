/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The option tables, their parser and the help that is made of them. */
#include "cmd/options.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "cmd/cmd.h"

#define AT(member) offsetof(struct options, member)

const struct opt options_global[] = {
	{ 'o', "output", "json|text", "form of the result on stdout (default json)", OPT_OUTPUT, AT(output),
	  0, 0 },
	{ 'v', "verbose", NULL, "print each effect and what it took on stderr", OPT_FLAG, AT(verbose), 0, 0 },
	{ 'V', "version", NULL, "print the version", OPT_FLAG, AT(version), 0, 0 },
	{ 'h', "help", NULL, "print this help", OPT_FLAG, AT(help), 0, 0 },
	{ 0, "sysroot", "DIR", "read the machine from this tree; nothing is applied to it", OPT_TEXT,
	  AT(sysroot), 0, 0 },
	{ 0, "config", "FILE", "config file (default /etc/nvme-partition/config.json)", OPT_TEXT, AT(config),
	  0, 0 },
	{ 0, "platform", "ID|FILE",
	  "use this platform instead of the DMI match (not to change a live machine)", OPT_TEXT, AT(platform),
	  0, 0 },
	{ 0, "wait", "SECONDS", "wait that long for the lock, an address, carrier or RDMA port (default 0)",
	  OPT_INT, AT(wait_s), 0, 86400 },
	{ 0 },
};

const struct opt options_connect[] = {
	{ 'a', "traddr", "ADDRESS", "address of a target; may be repeated", OPT_TRADDR, AT(traddr), 0, 0 },
	{ 's', "trsvcid", "PORT", "service id of the targets (default 4420)", OPT_TEXT, AT(trsvcid), 0, 0 },
	{ 'n', "nqn", "NQN", "subsystem to connect to", OPT_TEXT, AT(nqn), 0, 0 },
	{ 'w', "host-traddr", "ADDRESS|PORT",
	  "connect only from this source: an address or a storage port's name", OPT_TEXT, AT(host_traddr), 0,
	  0 },
	{ 'q', "hostnqn", "NQN", "host NQN (default: config, then /etc/nvme/hostnqn)", OPT_TEXT, AT(hostnqn),
	  0, 0 },
	{ 'I', "hostid", "UUID", "host id (default: the UUID in the host NQN)", OPT_TEXT, AT(hostid), 0, 0 },
	{ 'i', "nr-io-queues", "N", "I/O queues of each controller (default 16)", OPT_INT, AT(nr_io_queues),
	  1, 65535 },
	{ 'Q', "queue-size", "N", "entries of each I/O queue, 16 to 1024 (default 128)", OPT_INT,
	  AT(queue_size), 16, 1024 },
	{ 'k', "keep-alive-tmo", "SECONDS", "keep-alive timeout (default 5)", OPT_INT, AT(keep_alive_tmo), 0,
	  65535 },
	{ 'c', "reconnect-delay", "SECONDS", "delay between reconnects (default 10)", OPT_INT,
	  AT(reconnect_delay), 1, 65535 },
	{ 'l', "ctrl-loss-tmo", "SECONDS", "give a lost controller up after that; -1: never (default 600)",
	  OPT_INT, AT(ctrl_loss_tmo), -1, 2147483647 },
	{ 'T', "tos", "TOS", "type of service of the connection, 0 to 255", OPT_INT, AT(tos), 0, 255 },
	{ 't', "transport", "rdma", "accepted for nvme-cli's sake; nothing but rdma", OPT_TEXT, AT(transport),
	  0, 0 },
	{ 0, "connect-timeout", "SECONDS", "bound of the connection manager's phase (default 10)", OPT_INT,
	  AT(connect_timeout_s), 1, 3600 },
	{ 0, "atomic", NULL, "all or nothing: undo this run if any of it fails", OPT_FLAG, AT(atomic), 0, 0 },
	{ 0, "cores-per-port", "N", "cores that each storage port's interrupts get, 1 to 64 (default 4)",
	  OPT_INT, AT(cores_per_port), 1, CORES_PER_PORT_MAX },
	{ 0, "irqbalance", "ban|ignore|refuse",
	  "if it runs: ban the interrupts in it, place without, or do nothing (default ban)", OPT_WORD,
	  AT(irqbalance), 0, 0 },
	{ 0, "initiator", "auto|host",
	  "who connects: as the platform says, or this host in any case (default auto)", OPT_WORD,
	  AT(initiator), 0, 0 },
	{ 0, "require-offload", NULL, "fail (6) unless a BlueField-3 is seen to do the work", OPT_FLAG,
	  AT(require_offload), 0, 0 },
	{ 0, "dry-run", NULL, "plan and preflight only; change nothing", OPT_FLAG, AT(dry_run), 0, 0 },
	{ 0 },
};

const struct opt options_teardown[] = {
	{ 'n', "nqn", "NQN", "only this subsystem", OPT_TEXT, AT(nqn), 0, 0 },
	{ 0, "port", "PORT", "only what this port carries; any of its names", OPT_TEXT, AT(port), 0, 0 },
	{ 0, "force", NULL, "remove what is in use as well, but for the root file system and swap", OPT_FLAG,
	  AT(force), 0, 0 },
	{ 0, "timeout", "SECONDS", "how long to wait for the removals (default 60)", OPT_INT, AT(timeout_s),
	  0, 86400 },
	{ 0, "dry-run", NULL, "show what would be removed; change nothing", OPT_FLAG, AT(dry_run), 0, 0 },
	{ 0 },
};

const struct opt options_verify[] = {
	{ 0, "strict", NULL, "warnings and unknowns fail as well", OPT_FLAG, AT(strict), 0, 0 },
	{ 0, "only", "CHECKS", "these alone, with commas between; \"ports\" stands for all of ports.*",
	  OPT_TEXT, AT(only), 0, 0 },
	{ 0, "cores-per-port", "N", "cores that each storage port has, as connect was told (default 4)",
	  OPT_INT, AT(cores_per_port), 1, CORES_PER_PORT_MAX },
	{ 0 },
};

const struct opt options_none[] = { { 0 } };

#define OPTS_MAX 64
#define LONG_ONLY 0x100 /* getopt values of options without a letter: LONG_ONLY + index */

/* getopt's form of two tables. */
struct getopt_tables {
	const struct opt *opt[OPTS_MAX];
	struct option longs[OPTS_MAX + 1];
	char shorts[OPTS_MAX * 2 + 3];
	unsigned count;
};

static void add_table(struct getopt_tables *t, const struct opt *table)
{
	for (const struct opt *o = table; o->name && t->count < OPTS_MAX; o++) {
		t->longs[t->count] = (struct option){
			.name = o->name,
			.has_arg = o->arg ? required_argument : no_argument,
			.val = o->letter ? o->letter : LONG_ONLY + (int)t->count,
		};
		if (o->letter)
			str_append(t->shorts, sizeof(t->shorts), "%c%s", o->letter, o->arg ? ":" : "");
		t->opt[t->count++] = o;
	}
}

static const struct opt *find_opt(const struct getopt_tables *t, int value)
{
	for (unsigned i = 0; i < t->count; i++) {
		if (t->longs[i].val == value)
			return t->opt[i];
	}
	return NULL;
}

static int set_int(const struct opt *o, const char *text, int *ret, struct err *err)
{
	int64_t value;

	if (parse_i64(text, o->min, o->max, &value) < 0)
		return err_set(err, XC_USAGE, -EINVAL, text, "--%s %s: must be a number from %d to %d",
			       o->name, text, o->min, o->max);
	*ret = (int)value;
	return 0;
}

/* The words are those of --help. */
static int set_word(const struct opt *o, const char *text, const char **ret, struct err *err)
{
	size_t length = strlen(text);

	for (const char *word = o->arg; length > 0; word += strcspn(word, "|") + 1) {
		size_t end = strcspn(word, "|");

		if (end == length && memcmp(word, text, length) == 0) {
			*ret = text;
			return 0;
		}
		if (word[end] == '\0')
			break;
	}
	return err_set(err, XC_USAGE, -EINVAL, text, "--%s %s: must be one of %s", o->name, text, o->arg);
}

static int set_option(const struct opt *o, const char *text, struct options *options, struct err *err)
{
	char *member = (char *)options + o->offset;

	switch (o->kind) {
	case OPT_FLAG:
		*(bool *)member = true;
		return 0;
	case OPT_TEXT:
		if (*text == '\0')
			return err_set(err, XC_USAGE, -EINVAL, o->name, "--%s: an empty value", o->name);
		*(const char **)member = text;
		return 0;
	case OPT_TRADDR:
		if (options->traddrs == TRADDRS_MAX)
			return err_set(err, XC_USAGE, -E2BIG, o->name,
				       "--%s: more than %d times; use the config file", o->name, TRADDRS_MAX);
		options->traddr[options->traddrs++] = text;
		return 0;
	case OPT_INT:
		options->ctrl_loss_given |= o->offset == AT(ctrl_loss_tmo);
		return set_int(o, text, (int *)member, err);
	case OPT_WORD:
		return set_word(o, text, (const char **)member, err);
	case OPT_OUTPUT:
		if (strcmp(text, "json") != 0 && strcmp(text, "text") != 0)
			return err_set(err, XC_USAGE, -EINVAL, text, "--output %s: json or text", text);
		options->output = strcmp(text, "text") == 0 ? OUTPUT_TEXT : OUTPUT_JSON;
		return 0;
	}
	return -EINVAL;
}

/* What getopt did not like, in one line. */
static int bad_option(int got, char *const argv[], const char *command, struct err *err)
{
	const char *what = optind > 0 ? argv[optind - 1] : "";
	char letter[3] = { '-', (char)optopt, '\0' };

	if (optopt > 0 && optopt < LONG_ONLY && !str_starts(what, "--"))
		what = letter;
	return err_set(err, XC_USAGE, -EINVAL, what, "%s %s; see nvme-partition%s%s --help",
		       got == ':' ? "no value after"
				  : "unknown or ambiguous option, or one that takes no value:",
		       what, command[0] ? " " : "", command);
}

/* Parses options up to the first word that is none; getopt continues behind optind. */
static int parse_some(int argc, char *argv[], const struct opt *own, const char *command, struct options *ret,
		      struct err *err)
{
	struct getopt_tables t = { .shorts = "+:" };
	int got;

	add_table(&t, options_global);
	add_table(&t, own);
	opterr = 0;
	while ((got = getopt_long(argc, argv, t.shorts, t.longs, NULL)) != -1) {
		const struct opt *o = find_opt(&t, got);
		int r = o ? set_option(o, optarg, ret, err) : bad_option(got, argv, command, err);

		if (r < 0)
			return r;
	}
	return 0;
}

static const struct command *find_command(const char *name)
{
	for (const struct command *const *c = commands; *c; c++) {
		if (strcmp((*c)->name, name) == 0)
			return *c;
	}
	return NULL;
}

int options_parse(int argc, char *argv[], struct options *ret, const struct command **ret_command,
		  struct err *err)
{
	const struct command *command;
	int r;

	*ret = (struct options){
		.argc = argc,
		.argv = argv,
		.nr_io_queues = CONNECT_UNSET,
		.queue_size = CONNECT_UNSET,
		.keep_alive_tmo = CONNECT_UNSET,
		.reconnect_delay = CONNECT_UNSET,
		.tos = CONNECT_UNSET,
		.cores_per_port = CONNECT_UNSET,
		.connect_timeout_s = 10,
		.timeout_s = 60,
	};
	*ret_command = NULL;
	optind = 1;
	r = parse_some(argc, argv, options_none, "", ret, err);
	if (r < 0 || ret->help || ret->version)
		return r;
	if (optind >= argc)
		return err_set(err, XC_USAGE, -EINVAL, "", "no command; see nvme-partition --help");
	command = find_command(argv[optind]);
	if (!command)
		return err_set(err, XC_USAGE, -EINVAL, argv[optind],
			       "no command %s; see nvme-partition --help", argv[optind]);
	*ret_command = command;
	optind++;
	r = parse_some(argc, argv, command->options, command->name, ret, err);
	if (r < 0 || ret->help || ret->version)
		return r;
	if (optind < argc)
		return err_set(err, XC_USAGE, -EINVAL, argv[optind],
			       "%s takes no argument: %s; see nvme-partition %s --help", command->name,
			       argv[optind], command->name);
	return 0;
}

static void help_table(const char *title, const struct opt *table)
{
	if (!table->name)
		return;
	printf("\n%s:\n", title);
	for (const struct opt *o = table; o->name; o++) {
		char left[64];

		if (o->letter)
			str_format(left, sizeof(left), "-%c, --%s", o->letter, o->name);
		else
			str_format(left, sizeof(left), "    --%s", o->name);
		if (o->arg)
			str_append(left, sizeof(left), " %s", o->arg);
		printf("  %-36s %s\n", left, o->help);
	}
}

void options_help(const struct command *command)
{
	if (command) {
		printf("Usage: nvme-partition %s%s%s\n%s\n", command->name, command->usage[0] ? " " : "",
		       command->usage, command->summary);
		help_table("Options", command->options);
	} else {
		printf("Usage: nvme-partition [OPTION...] COMMAND [OPTION...]\n"
		       "Keeps NVMe-oF/RDMA on the storage ports of a DGX node, and proves "
		       "it.\n\nCommands:\n");
		for (const struct command *const *c = commands; *c; c++)
			printf("  %-10s %s\n", (*c)->name, (*c)->summary);
	}
	help_table("Options of every command", options_global);
	printf("\nExit status: 0 done or nothing to do, 1 failed, 2 usage, 3 refused, 4 partial, 5 drift,\n"
	       "6 environment, 7 timed out. See nvme-partition(8).\n");
}
