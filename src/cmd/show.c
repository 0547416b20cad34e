/* SPDX-License-Identifier: GPL-2.0-or-later */
/* show: what every port is and why, and where the controllers that exist complete. Changes nothing. */
#include "cmd/cmd.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "facts/facts.h"
#include "policy/policy.h"

/* show needs nothing of a config; one that is named is checked. */
static int check_config(struct session *s, const char *path, struct err *err)
{
	_cleanup_free_ struct config *config = calloc(1, sizeof(*config));
	int r = config ? facts_read_config(&s->root, path, config, err)
		       : err_set(err, XC_ENVIRONMENT, -ENOMEM, path, "out of memory");

	s->bad_file = r < 0;
	return r;
}

static int show(struct session *s, const struct options *options, struct err *err)
{
	int r = options->config ? check_config(s, options->config, err) : 0;

	if (r == 0)
		r = session_identify(s, options, err);
	if (r == 0)
		r = session_read(s, err);
	if (r < 0)
		return r;
	plan_show(s->topo, s->classes, s->plan);
	s->result.plan = s->plan;
	session_prove_paths(s);
	return session_read_queues(s, err);
}

static enum exit_class run(struct session *s, const struct options *options)
{
	struct err err = { 0 };

	return show(s, options, &err) < 0 ? session_fail(s, &err) : XC_OK;
}

const struct command command_show = {
	.name = "show",
	.summary = "Show ports with their role and the reason for it, controllers, queues, IRQs, CPUs",
	.usage = "[OPTION...]",
	.options = options_none,
	.run = run,
};
