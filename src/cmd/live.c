/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The live world behind struct fx. */
#include "cmd/live.h"

#include <errno.h>
#include <string.h>

#include "apply/fx_nvme.h"
#include "apply/fx_path.h"
#include "apply/fx_signals.h"
#include "base/clock.h"
#include "facts/facts.h"
#include "policy/policy.h"

/*
 * Right before the write: would the kernel's connection manager still take the planned device for this
 * source? Binding goes the way that nvme-rdma goes. Where it cannot be asked, the proof after the connect
 * decides.
 */
static bool source_is_on_port(const struct live *live, const struct step *step)
{
	struct probe_answer answer = { 0 };
	struct pci_addr pci;
	char link[512];
	struct ip source;

	if (ip_parse(step->id.host_traddr, &source) < 0)
		return false;
	fx_path_bind(&source, &answer);
	if (answer.answer == ANSWER_NO ||
	    (answer.answer == ANSWER_YES && strcmp(answer.rdma_device, step->rdma_device) != 0))
		return false;
	/* The name must still be the device of that card; Soft-RoCE has no PCI function. */
	if (root_link(live->root, link, sizeof(link), "sys/class/infiniband/%s", step->rdma_device) < 0)
		return false;
	return pci_of_link(link, &pci) < 0 || pci_same_card(&pci, &step->pci);
}

static int observe(void *ctx, const struct step *step, struct observed *ret, struct err *err)
{
	struct live *live = ctx;
	struct ctrl ctrl;
	bool there;
	int r = facts_find_ctrl(live->root, &step->id, &ctrl, &there, live->findings, err);

	*ret = (struct observed){ .instance = -1, .cntlid = -1 };
	if (r < 0)
		return r;
	if (there) {
		ret->there = true;
		ret->live = strcmp(ctrl.state, "live") == 0;
		ret->instance = (int)ctrl.instance;
		ret->cntlid = ctrl.cntlid;
		str_format(ret->state, sizeof(ret->state), "%s", ctrl.state);
	}
	ret->source_on_port = step->kind != STEP_NVME_CONNECT || there || source_is_on_port(live, step);
	return 0;
}

enum proof_verdict live_prove(struct live *live, const struct ctrl_id *id, const char *rdma_device, char *why,
			      size_t size)
{
	int64_t deadline = clock_ms() + PROOF_SETTLE_MS;

	for (;;) {
		struct err err = { 0 };

		live->findings->count = 0;
		/* Controllers after CM_IDs: a queue that appears in between is counted by neither too early.
		 */
		if (facts_read_cm_ids(live->root, live->now, live->findings, &err) < 0 ||
		    facts_read_ctrls(live->root, live->now, live->findings, &err) < 0) {
			str_format(why, size, "%s", err.msg);
			return VERDICT_UNKNOWN;
		}
		proof_collect(live->now, live->groups);
		switch (prove_group(live->now, live->groups, id, rdma_device, why, size)) {
		case GROUP_PROVEN:
			return VERDICT_PROVEN;
		case GROUP_MISMATCH:
			return VERDICT_MISMATCH;
		case GROUP_UNREADABLE:
			return VERDICT_UNKNOWN;
		case GROUP_UNSETTLED:
			break;
		}
		if (clock_ms() >= deadline)
			return VERDICT_UNKNOWN;
		clock_sleep_ms(20);
	}
}

static enum proof_verdict prove(void *ctx, const struct step *step, char *why, size_t size)
{
	return live_prove(ctx, &step->id, step->rdma_device, why, size);
}

static int perform(void *ctx, const struct step *step, enum path_reason *ret_reason, struct err *err)
{
	struct live *live = ctx;
	struct ctrl ctrl;
	bool there;
	int r;

	switch (step->kind) {
	case STEP_NVME_CONNECT:
		return fx_nvme_connect(live->root, step, ret_reason, err);
	case STEP_NVME_DISCONNECT:
		r = facts_find_ctrl(live->root, &step->id, &ctrl, &there, live->findings, err);
		if (r < 0 || !there)
			return r;
		return fx_nvme_disconnect(live->root, &step->id, ctrl.instance, err);
	}
	return -EINVAL;
}

static bool stop_requested(void *ctx)
{
	(void)ctx;
	return fx_signals_stop();
}

int live_open(struct live *live, const struct root *root, struct fx *ret, struct err *err)
{
	int r;

	*live = (struct live){ .root = root };
	if (!root->live)
		return err_set(err, XC_ENVIRONMENT, -EROFS, root->path,
			       "%s is not this machine: a tree is shown and planned for, never changed",
			       root->path);
	live->now = calloc(1, sizeof(*live->now));
	live->findings = calloc(1, sizeof(*live->findings));
	live->groups = calloc(1, sizeof(*live->groups));
	if (!live->now || !live->findings || !live->groups)
		return err_set(err, XC_ENVIRONMENT, -ENOMEM, "", "out of memory");
	r = fx_signals_setup();
	if (r < 0)
		return err_set(err, XC_ENVIRONMENT, r, "", "signals and timer: %s", strerror(-r));
	*ret = (struct fx){
		.ctx = live,
		.observe = observe,
		.prove = prove,
		.perform = perform,
		.stop_requested = stop_requested,
	};
	return 0;
}

void live_close(struct live *live)
{
	free(live->now);
	free(live->findings);
	free(live->groups);
}
