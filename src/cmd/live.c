/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The live world behind struct fx. */
#include "cmd/live.h"

#include <errno.h>
#include <string.h>
#include <sys/resource.h>

#include "apply/fx_irq.h"
#include "apply/fx_irqbalance.h"
#include "apply/fx_nvme.h"
#include "apply/fx_path.h"
#include "apply/fx_signals.h"
#include "base/clock.h"
#include "facts/facts.h"
#include "policy/policy.h"

/*
 * Right before the write: would the kernel's connection manager still take the planned device for this
 * source? Binding goes the way that nvme-rdma goes. Where it cannot be asked nothing is written: a guess that
 * is wrong is a connection on a compute HCA, however short.
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
	if (answer.answer != ANSWER_YES || strcmp(answer.rdma_device, step->rdma_device) != 0)
		return false;
	/* The name must still be that function's device; Soft-RoCE has no PCI function. */
	if (root_link(live->root, link, sizeof(link), "sys/class/infiniband/%s", step->rdma_device) < 0)
		return false;
	return pci_of_link(link, &pci) < 0 || pci_compare(&pci, &step->pci) == 0;
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
	if (there && step->kind == STEP_NVME_CONNECT && ctrl_state_is_gone(ctrl.state))
		there = false; /* nor does the kernel count it as a duplicate (nvmf_ip_options_match) */
	if (there) {
		ret->there = true;
		ret->leaving = ctrl_state_is_gone(ctrl.state);
		ret->inode = ctrl.inode;
		str_format(ret->owner, sizeof(ret->owner), "%s", ctrl.owner);
		ret->live = strcmp(ctrl.state, "live") == 0;
		ret->instance = (int)ctrl.instance;
		ret->cntlid = ctrl.cntlid;
		str_format(ret->state, sizeof(ret->state), "%s", ctrl.state);
	}
	ret->source_on_port = step->kind != STEP_NVME_CONNECT || there || source_is_on_port(live, step);
	return 0;
}

int live_read(struct live *live, struct err *err)
{
	int r;

	live->findings->count = 0;
	/* CM_IDs first: a controller that comes in between has too few of them for a moment, never too many.
	 */
	r = facts_read_cm_ids(live->root, live->now, live->findings, err);
	if (r == 0)
		r = facts_read_ctrls(live->root, live->now, live->findings, err);
	if (r == 0)
		proof_collect(live->now, live->groups);
	return r;
}

static bool is_live(const struct topology *topo, const struct ctrl_id *id)
{
	for (unsigned i = 0; i < topo->ctrls; i++) {
		if (strcmp(topo->ctrl[i].state, "live") == 0 && ctrl_id_equal(&topo->ctrl[i].id, id))
			return true;
	}
	return false;
}

enum group_verdict live_judge(const struct live *live, const struct ctrl_id *id, const char *rdma_device,
			      char *why, size_t size)
{
	enum group_verdict verdict = prove_group(live->now, live->groups, id, rdma_device, why, size);

	/* The queues of a group prove nothing for a controller that has none. */
	if (verdict != GROUP_PROVEN || is_live(live->now, id))
		return verdict;
	str_format(why, size, "the controller from %s to %s:%s is not live", id->host_traddr, id->traddr,
		   id->trsvcid);
	return GROUP_UNSETTLED;
}

enum proof_verdict live_verdict(enum group_verdict verdict)
{
	switch (verdict) {
	case GROUP_PROVEN:
		return VERDICT_PROVEN;
	case GROUP_MISMATCH:
		return VERDICT_MISMATCH;
	case GROUP_UNSETTLED:
	case GROUP_UNREADABLE:
		break;
	}
	return VERDICT_UNKNOWN;
}

static enum proof_verdict prove(void *ctx, const struct step *step, char *why, size_t size)
{
	int64_t deadline = clock_ms() + LIVE_SETTLE_MS;
	struct live *live = ctx;

	for (;;) {
		enum group_verdict verdict;
		struct err err = { 0 };

		if (live_read(live, &err) < 0) {
			str_format(why, size, "%s to %s:%s: %s", step->id.host_traddr, step->id.traddr,
				   step->id.trsvcid, err.msg);
			return VERDICT_UNKNOWN;
		}
		verdict = live_judge(live, &step->id, step->rdma_device, why, size);
		if (verdict != GROUP_UNSETTLED || clock_ms() >= deadline)
			return live_verdict(verdict);
		clock_sleep_ms(LIVE_SETTLE_STEP_MS);
	}
}

static int perform(void *ctx, const struct step *step, enum path_reason *ret_reason, struct err *err)
{
	struct live *live = ctx;

	return fx_nvme_connect(live->root, step, ret_reason, err);
}

static int remove_ctrl(void *ctx, const struct step *step, const struct observed *found, unsigned *ret_job,
		       struct err *err)
{
	struct live *live = ctx;
	struct fx_delete *larger = mem_grow(live->removal, live->removals, sizeof(*larger));
	int r;

	if (!larger)
		return err_set(err, XC_ENVIRONMENT, -ENOMEM, "", "out of memory");
	live->removal = larger;
	r = fx_delete_begin(live->root, &step->id, (unsigned)found->instance, found->inode,
			    &larger[live->removals], err);
	if (r < 0)
		return r;
	live->deadline = clock_ms() + (int64_t)live->removal_s * 1000;
	*ret_job = live->removals++;
	return 0;
}

static enum removal removed(void *ctx, unsigned job, struct err *err)
{
	struct live *live = ctx;
	enum removal state = fx_delete_poll(&live->removal[job], err);

	if (state != REMOVAL_PENDING)
		fx_delete_close(&live->removal[job]);
	return state;
}

static bool wait_for_removals(void *ctx)
{
	struct live *live = ctx;

	if (live->stop_ends_it && fx_signals_stop()) {
		int64_t soon = clock_ms() + LIVE_STOP_MS;

		live->deadline = soon < live->deadline ? soon : live->deadline;
		live->stop_ends_it = false;
	}
	if (clock_ms() >= live->deadline)
		return false;
	clock_sleep_ms(LIVE_REMOVAL_STEP_MS);
	return true;
}

/* --- interrupts --- */

/* The role is of the function at this address with these ids: they are read again right before the write. */
static int check_role(const struct live *live, const struct step *step, struct err *err)
{
	const struct port *port = live->planned ? topo_port(live->planned, &step->pci) : NULL;
	uint64_t vendor = 0, device = 0;
	char pci[PCI_TEXT_MAX];

	pci_format(&step->pci, pci);
	if (port && live->classes->port[port - live->planned->port].role == ROLE_STORAGE &&
	    root_hex(live->root, &vendor, "sys/bus/pci/devices/%s/vendor", pci) == 0 &&
	    root_hex(live->root, &device, "sys/bus/pci/devices/%s/device", pci) == 0 &&
	    vendor == port->vendor && device == port->device)
		return 0;
	return err_set(err, XC_REFUSED, -EPERM, step->irq_name, "%s: %s is no storage port (any more)",
		       step->irq_name, pci);
}

static void set_now(const struct fx_irq *irq, struct irq_now *ret)
{
	*ret = (struct irq_now){ .there = true,
				 .number = irq->irq,
				 .affinity = irq->affinity,
				 .effective = irq->effective,
				 .pending = irq->pending };
}

static int irq_read(void *ctx, const struct step *step, struct irq_now *ret, struct err *err)
{
	struct live *live = ctx;
	struct fx_irq irq = { 0 };
	struct err why = { 0 };
	int r = fx_irq_read(live->root, &step->pci, step->irq_name, &irq, &why);

	*ret = (struct irq_now){ 0 };
	if (r == -ENOENT)
		return 0;
	if (r < 0) {
		if (err->code == 0)
			*err = why;
		return r;
	}
	set_now(&irq, ret);
	return 0;
}

static int irq_write(void *ctx, const struct step *step, const struct cpuset *before,
		     const struct cpuset *cpus, struct irq_now *ret, struct err *err)
{
	struct live *live = ctx;
	struct fx_irq irq = { 0 };
	int r = check_role(live, step, err);

	*ret = (struct irq_now){ 0 };
	if (r < 0)
		return r;
	r = fx_irq_write(live->root, &step->pci, step->irq_name, before, cpus, FX_IRQ_WAIT_MS, &irq, err);
	if (r != -ENOENT)
		set_now(&irq, ret);
	return r;
}

static int bans_read(void *ctx, struct irqbalance *ret, struct err *err)
{
	const struct live *live = ctx;

	return fx_irqbalance_read(live->root, IRQBALANCE_WAIT_MS, ret, err);
}

static int ban(void *ctx, const struct irq_list *list, struct irqbalance *ret, struct err *err)
{
	const struct live *live = ctx;

	return fx_irqbalance_ban(live->root, list, IRQBALANCE_WAIT_MS, ret, err);
}

static int unban(void *ctx, const struct irq_list *list, uint64_t daemon, struct irqbalance *ret,
		 struct err *err)
{
	const struct live *live = ctx;

	return fx_irqbalance_unban(live->root, list, daemon, IRQBALANCE_WAIT_MS, ret, err);
}

static bool stop_requested(void *ctx)
{
	(void)ctx;
	return fx_signals_stop();
}

int live_open(struct live *live, const struct root *root, struct err *err)
{
	*live = (struct live){ .root = root, .removal_s = LIVE_REMOVAL_S };
	live->now = calloc(1, sizeof(*live->now));
	live->findings = calloc(1, sizeof(*live->findings));
	live->groups = calloc(1, sizeof(*live->groups));
	if (!live->now || !live->findings || !live->groups)
		return err_set(err, XC_ENVIRONMENT, -ENOMEM, "", "out of memory");
	return 0;
}

/* A removal holds a descriptor, and there can be more of them than the usual 1024. */
static void raise_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0)
		return;
	limit.rlim_cur = limit.rlim_max;
	(void)setrlimit(RLIMIT_NOFILE, &limit);
}

int live_effects(struct live *live, const struct topology *planned, const struct classification *classes,
		 struct fx *ret, struct err *err)
{
	const struct root *root = live->root;
	int r;

	if (!root->live)
		return err_set(err, XC_ENVIRONMENT, -EROFS, root->path,
			       "%s is not this machine: a tree is shown and planned for, never changed",
			       root->path);
	raise_limit();
	r = fx_signals_setup();
	if (r < 0)
		return err_set(err, XC_ENVIRONMENT, r, "", "signals and timer: %s", strerror(-r));
	live->planned = planned;
	live->classes = classes;
	*ret = (struct fx){
		.ctx = live,
		.observe = observe,
		.prove = prove,
		.perform = perform,
		.remove = remove_ctrl,
		.removed = removed,
		.wait = wait_for_removals,
		.irq_read = irq_read,
		.irq_write = irq_write,
		.bans_read = bans_read,
		.ban = ban,
		.unban = unban,
		.stop_requested = stop_requested,
	};
	return 0;
}

void live_close(struct live *live)
{
	for (unsigned i = 0; i < live->removals; i++)
		fx_delete_close(&live->removal[i]);
	free(live->removal);
	free(live->now);
	free(live->findings);
	free(live->groups);
}
