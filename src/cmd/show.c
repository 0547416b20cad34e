/* SPDX-License-Identifier: GPL-2.0-or-later */
/* show: what every port is and why, and where the controllers that exist complete. Changes nothing. */
#include "cmd/cmd.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/place.h"
#include "cmd/request.h"
#include "facts/facts.h"
#include "policy/policy.h"

/* Of a config that is named: how many cores a port has is asked for there, and who connects. */
static int read_config(struct session *s, const char *path, unsigned *ret_cores, bool *ret_host,
		       struct err *err)
{
	_cleanup_free_ struct config *config = calloc(1, sizeof(*config));
	int r;

	if (!config)
		return err_set(err, XC_ENVIRONMENT, -ENOMEM, path, "out of memory");
	request_defaults(&config->request);
	r = facts_read_config(&s->root, path, config, err);
	s->bad_file = r < 0;
	*ret_cores = config->request.cores_per_port;
	*ret_host = config->initiator == CONFIG_INITIATOR_HOST;
	return r;
}

/* What can be seen of the cards that are the initiator; and of which of the two sides this is. */
static int say_offload(struct session *s, bool host, struct err *err)
{
	char line[512];
	int r = session_read_offload(s, err);

	s->result.deferred &= !host;
	if (r == 0 && s->result.offload)
		offload_advise(s->offload, s->findings, line, sizeof(line));
	if (offload_is_arm_side(&s->topo->dmi))
		finding_add(
			s->findings, FINDING_WARN, "platform.arm_side", s->topo->dmi.product_name,
			"sys/class/dmi/id/product_name",
			"this is the Arm side of a BlueField: which ports are storage is known on its host "
			"alone, where connect and verify run");
	return r;
}

static int show(struct session *s, const struct options *options, struct err *err)
{
	unsigned cores_per_port = CORES_PER_PORT_DEFAULT;
	bool host = false;
	int r = options->config ? read_config(s, options->config, &cores_per_port, &host, err) : 0;

	if (r == 0)
		r = session_identify(s, options, err);
	if (r == 0)
		r = session_read(s, err);
	if (r == 0)
		r = say_offload(s, host, err);
	if (r < 0)
		return r;
	plan_show(s->topo, s->classes, s->plan);
	s->result.plan = s->plan;
	session_prove_paths(s);
	r = session_read_queues(s, err);
	if (r == 0)
		r = place_read(s, cores_per_port, 0, err);
	if (r < 0)
		return r;
	place_failover(s->topo, s->classes, s->plan, s->affinity, s->findings);
	return place_advise(s, err);
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
