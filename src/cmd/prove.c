/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What RDMA netlink says of the paths of a connect, and how that is told. */
#include "cmd/prove.h"

#include <string.h>

#include "base/clock.h"

static void set_proof(struct session *s, struct path *path, enum proof_verdict verdict, const char *why)
{
	switch (verdict) {
	case VERDICT_PROVEN:
		path->proof = PROOF_RDMA_NETLINK;
		return;
	case VERDICT_MISMATCH:
		path->reason = PATH_PROOF_MISMATCH;
		str_format(path->message, sizeof(path->message), "%s; remove it: nvme disconnect -d nvme%u",
			   why, s->topo->ctrl[path->ctrl].instance);
		return;
	case VERDICT_UNKNOWN:
		finding_add(s->findings, FINDING_UNKNOWN, "partition.bound_source", path->id.host_traddr,
			    "RDMA netlink", "%s %s:%s is not proven: %s", path->id.nqn, path->id.traddr,
			    path->id.trsvcid, why);
	}
}

static bool is_kept_live(const struct session *s, const struct path *path)
{
	return path->action == PATH_KEPT && strcmp(s->topo->ctrl[path->ctrl].state, "live") == 0;
}

/* False: what was read last does not settle all kept paths. */
static bool kept_are_settled(const struct session *s, struct live *live)
{
	char why[256];

	for (unsigned i = 0; i < s->plan->paths; i++) {
		const struct path *path = &s->plan->path[i];

		if (is_kept_live(s, path) && live_judge(live, &path->id, s->topo->rdma_link[path->rdma].name,
							why, sizeof(why)) == GROUP_UNSETTLED)
			return false;
	}
	return true;
}

int prove_kept(struct session *s, struct live *live, int wait_ms, bool *ret_clean, struct err *err)
{
	int64_t deadline = clock_ms() + wait_ms;
	int r = live_read(live, err);

	while (r == 0 && !kept_are_settled(s, live) && clock_ms() < deadline) {
		clock_sleep_ms(LIVE_SETTLE_STEP_MS);
		r = live_read(live, err);
	}
	*ret_clean = true;
	for (unsigned i = 0; r == 0 && i < s->plan->paths; i++) {
		struct path *path = &s->plan->path[i];
		enum group_verdict verdict;
		char why[256] = "";

		if (!is_kept_live(s, path))
			continue;
		verdict = live_judge(live, &path->id, s->topo->rdma_link[path->rdma].name, why, sizeof(why));
		set_proof(s, path, live_verdict(verdict), why);
		*ret_clean &= path->reason != PATH_PROOF_MISMATCH;
	}
	return r;
}

void prove_note_unproven(struct session *s)
{
	for (unsigned i = 0; i < s->plan->paths; i++) {
		struct path *path = &s->plan->path[i];

		bool kept_meanwhile = path->action == PATH_KEPT && path->message[0] != '\0';

		if ((path->action == PATH_CONNECTED || kept_meanwhile) && path->proof == PROOF_NONE &&
		    path->reason == PATH_REASON_NONE)
			set_proof(s, path, VERDICT_UNKNOWN, path->message);
	}
}
