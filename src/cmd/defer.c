/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Leaving the connections to the cards, with what can be seen of them and what they have to be told. */
#include "cmd/defer.h"

#include <errno.h>
#include <string.h>

#include "policy/offload.h"

int defer_decide(struct session *s, const struct options *options, const struct config *config,
		 struct err *err)
{
	bool host = options->initiator ? strcmp(options->initiator, "host") == 0
				       : config->initiator == CONFIG_INITIATOR_HOST;
	const char *by =
		options->initiator ? "--initiator host" : "\"initiator\": \"host\" in the config file";

	if (options->require_offload && host)
		return err_set(
			err, XC_USAGE, -EINVAL, "require-offload",
			"--require-offload contradicts %s: where the host connects nothing is offloaded", by);
	if (options->require_offload && !s->result.deferred)
		return err_set(err, XC_ENVIRONMENT, -ENODEV, s->platform.id,
			       "--require-offload: on platform %s the initiator is the host, and nothing is "
			       "offloaded",
			       s->platform.id);
	if (!s->result.deferred || !host)
		return 0;
	s->result.deferred = false;
	finding_add(s->findings, FINDING_WARN, "offload.forced", s->platform.id, NULL,
		    "the host is the initiator since it was told to be (%s), though on platform %s the "
		    "BlueField-3 cards are",
		    by, s->platform.id);
	s->kept_findings = s->findings->count;
	return 0;
}

static int refuse_host_ctrls(const struct session *s, struct err *err)
{
	unsigned count;
	const struct ctrl *ctrl = offload_host_ctrl(s->topo, &count);
	char more[48] = "";

	if (!ctrl)
		return 0;
	if (count > 1)
		str_format(more, sizeof(more), " (and %u more)", count - 1);
	return err_set(
		err, XC_REFUSED, -EBUSY, ctrl->id.nqn,
		"nvme%u%s is a controller of this host (%s, %s at %s:%s), where the BlueField-3 is the "
		"initiator: nvme disconnect -d nvme%u (teardown, if this program made it), or say "
		"--initiator host",
		ctrl->instance, more, ctrl->id.transport, ctrl->id.nqn, ctrl->id.traddr, ctrl->id.trsvcid,
		ctrl->instance);
}

/* Of the cards that the plan is for; without one, the best of any. */
static enum offload_state state_of_plan(const struct offload *offload)
{
	for (unsigned i = 0; i < offload->paths; i++) {
		int card = offload->path[i].card;

		if (card >= 0 && offload->card[card].state != OFFLOAD_ACTIVE)
			return offload->card[card].state;
	}
	return offload->state;
}

/* Without an NQN of this host the card's software takes its own. */
static int plan(struct session *s, struct request *request, struct err *err)
{
	struct err why = { 0 };

	if (facts_read_identity(&s->root, request, &why) < 0) {
		finding_add(s->findings, FINDING_UNKNOWN, "offload.plan", why.object, NULL,
			    "offload.plan has no hostnqn: %s", why.msg);
		request->hostnqn[0] = '\0';
	}
	return offload_plan(s->topo, s->classes, request, s->offload, err);
}

int defer_connect(struct session *s, const struct options *options, struct request *request, struct err *err)
{
	enum offload_state state;
	int r = session_read(s, err);

	if (r == 0)
		r = session_read_offload(s, err);
	if (r == 0)
		r = plan(s, request, err);
	if (r < 0)
		return r;
	offload_advise(s->offload, s->findings, s->notice, sizeof(s->notice));
	r = refuse_host_ctrls(s, err);
	state = state_of_plan(s->offload);
	if (r == 0 && options->require_offload && state != OFFLOAD_ACTIVE)
		r = err_set(
			err, XC_ENVIRONMENT, -ENODEV, "offload",
			"the offload is %s, not active (--require-offload): offload.cards has the evidence",
			offload_state_name(state));
	return r;
}
