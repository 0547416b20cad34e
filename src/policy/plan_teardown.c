/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the journal says is ours: what of it goes, and what of it stays, and why. */
#include "policy/policy.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct undoing {
	const struct topology *topo;
	const struct teardown *teardown;
	struct plan *plan;
	struct findings *findings;
	bool goes[TOPO_CTRLS_MAX];		   /* this run removes it */
	const struct use *refused[TOPO_CTRLS_MAX]; /* it does not go, as this use would miss it */
	const struct ns *by_device[TOPO_NSS_MAX];  /* all, sorted */
	uint16_t carried[TOPO_CM_IDS_MAX];	   /* CM_IDs on the port's device, of each pair of ends */
	unsigned carried_count;
};

_Static_assert(TOPO_CM_IDS_MAX - 1 <= UINT16_MAX, "an index fits");

/* --- which claims, and what is there of them -------------------------------------------------------- */

static bool has_same_ends(const struct cm_id *a, const struct cm_id *b)
{
	return a->dst_port == b->dst_port && ip_equal(&a->dst, &b->dst) && ip_equal(&a->src, &b->src);
}

/* What is connected on the RDMA device of the port. The queues of one controller mostly follow each other. */
static void list_carried(struct undoing *p)
{
	const struct topology *topo = p->topo;
	int rdma = p->teardown->port < 0 ? -1 : topo->port[p->teardown->port].rdma;

	for (unsigned i = 0; rdma >= 0 && i < topo->cm_ids; i++) {
		const struct cm_id *cm = &topo->cm_id[i];

		if (!cm->has_addrs || strcmp(cm->owner, "nvme_rdma") != 0 ||
		    strcmp(cm->rdma_name, topo->rdma_link[rdma].name) != 0)
			continue;
		if (p->carried_count == 0 ||
		    !has_same_ends(cm, &topo->cm_id[p->carried[p->carried_count - 1]]))
			p->carried[p->carried_count++] = (uint16_t)i;
	}
}

/* True if a connection of the path is on the RDMA device of the port, wherever its address is by now. */
static bool is_carried(const struct undoing *p, const struct ctrl_id *id)
{
	struct cm_id ends = { 0 };
	uint64_t service;

	if (ip_parse(id->host_traddr, &ends.src) < 0 || ip_parse(id->traddr, &ends.dst) < 0 ||
	    parse_u64(id->trsvcid, UINT16_MAX, &service) < 0)
		return false;
	ends.dst_port = (uint16_t)service;
	for (unsigned i = 0; i < p->carried_count; i++) {
		if (has_same_ends(&p->topo->cm_id[p->carried[i]], &ends))
			return true;
	}
	return false;
}

static bool is_selected(const struct undoing *p, const struct path *path)
{
	const struct teardown *td = p->teardown;

	if (td->nqn && strcmp(td->nqn, path->id.nqn) != 0)
		return false;
	return td->port < 0 || path->port == td->port || is_carried(p, &path->id);
}

/* A controller that is ours in all but its name, which it does not have yet. */
static bool is_unnamed(const struct ctrl *ctrl, const struct journal_claim *claim)
{
	struct ctrl_id named;

	if (ctrl->id.nqn[0] != '\0')
		return false;
	named = ctrl->id;
	memcpy(named.nqn, claim->id.nqn, sizeof(named.nqn));
	return ctrl_id_equal(&named, &claim->id);
}

/* What is there of a claim: indexes into ctrls, -1: none. */
struct match {
	int ours;
	int unnamed;
	int unread; /* it may be ours, but by what could be read of its names it is not */
	int other;  /* of these names, and not ours */
};

static bool is_rdma(const struct ctrl *ctrl)
{
	return strcmp(ctrl->id.transport, "rdma") == 0;
}

static void match_ours(const struct topology *topo, const struct journal_claim *claim, struct match *ret)
{
	for (unsigned i = 0; i < topo->ctrls; i++) {
		const struct ctrl *ctrl = &topo->ctrl[i];
		bool known = claim->inode != 0 && ctrl->inode != 0;

		if (known && claim->inode != ctrl->inode)
			continue;
		if (is_rdma(ctrl) && ctrl_id_equal(&ctrl->id, &claim->id)) {
			if (ret->ours < 0 || ctrl_state_is_gone(topo->ctrl[ret->ours].state))
				ret->ours = (int)i;
		} else if (is_rdma(ctrl) && is_unnamed(ctrl, claim)) {
			ret->unnamed = (int)i;
		} else if (known ||
			   (claim->inode == 0 && ctrl->unread && strcmp(ctrl->id.transport, "pcie") != 0)) {
			ret->unread = (int)i;
		}
	}
}

static struct match match_claim(const struct topology *topo, const struct journal_claim *claim)
{
	struct match ret = { -1, -1, -1, -1 };

	match_ours(topo, claim, &ret);
	for (unsigned i = 0; ret.ours < 0 && ret.other < 0 && i < topo->ctrls; i++) {
		const struct ctrl *ctrl = &topo->ctrl[i];

		if (is_rdma(ctrl) && !ctrl_state_is_gone(ctrl->state) && ctrl_id_equal(&ctrl->id, &claim->id))
			ret.other = (int)i;
	}
	return ret;
}

/* "nvme3 to [fd00::2]:4420 from fd00::1" */
#define CTRL_TEXT_MAX (2 * IP_TEXT_MAX + 64)
static const char *ctrl_text(const struct ctrl *ctrl, const struct ctrl_id *id,
			     char buf[static CTRL_TEXT_MAX])
{
	bool v6 = strchr(id->traddr, ':');

	str_format(buf, CTRL_TEXT_MAX, "nvme%u to %s%s%s:%s from %s", ctrl->instance, v6 ? "[" : "",
		   id->traddr, v6 ? "]" : "", id->trsvcid, id->host_traddr);
	return buf;
}

static void set_foreign(struct path *path, const struct ctrl *ctrl)
{
	char text[CTRL_TEXT_MAX];

	path->ctrl = -1; /* set again by whoever reads the machine last */
	path->action = PATH_FOREIGN;
	path->reason = PATH_NOT_OURS;
	if (ctrl->owner[0] != '\0')
		str_format(path->message, sizeof(path->message),
			   "%s is left alone: its owner in /run/nvme/registry is %s (if that is stale: nvme "
			   "registry delete nvme%u)",
			   ctrl_text(ctrl, &path->id, text), ctrl->owner, ctrl->instance);
	else
		str_format(path->message, sizeof(path->message),
			   "%s is left alone: somebody else made it after ours was gone; if it is to go: "
			   "nvme disconnect -d nvme%u",
			   ctrl_text(ctrl, &path->id, text), ctrl->instance);
}

static void set_failed(struct path *path, enum path_reason reason, const struct ctrl *ctrl, const char *why)
{
	char text[CTRL_TEXT_MAX];

	path->action = PATH_FAILED;
	path->reason = reason;
	str_format(path->message, sizeof(path->message), "%s: %s", ctrl_text(ctrl, &path->id, text), why);
}

static void set_unnamed(struct path *path, const struct ctrl *ctrl)
{
	if (ctrl_state_is_gone(ctrl->state))
		set_failed(path, PATH_PENDING, ctrl,
			   "it is being deleted, and was not gone in time; run teardown again to see");
	else
		set_failed(path, PATH_FIRST_CONNECT, ctrl,
			   "its first connect still runs, and the kernel does not delete it before that is "
			   "over; run teardown again then");
}

/* Who cannot be seen may be there. */
static void set_unread(struct path *path, const struct ctrl *ctrl)
{
	char text[CTRL_TEXT_MAX];

	path->action = PATH_KEPT;
	path->reason = PATH_IN_USE;
	str_format(path->message, sizeof(path->message),
		   "%s is kept: its namespaces cannot be read, and so not who uses them; look with show, or "
		   "give "
		   "--force",
		   ctrl_text(ctrl, &path->id, text));
}

static void judge_claim(struct undoing *p, const struct journal_claim *claim, struct path *path)
{
	struct match match = match_claim(p->topo, claim);
	const struct ctrl *ours = match.ours >= 0 ? &p->topo->ctrl[match.ours] : NULL;

	if (ours && ours->owner[0] == '\0' && ours->nss_unread && !p->teardown->force) {
		path->ctrl = match.ours;
		set_unread(path, ours);
	} else if (ours && ours->owner[0] == '\0') {
		path->action = PATH_WOULD_DISCONNECT;
		path->ctrl = match.ours;
		/* One that is leaving goes whatever this run does: nobody loses it by that. */
		p->goes[match.ours] = !ctrl_state_is_gone(ours->state);
	} else if (ours) {
		set_foreign(path, ours);
	} else if (match.unread >= 0) {
		set_failed(path, PATH_OTHER, &p->topo->ctrl[match.unread],
			   "it may be what this program made, but its names cannot be read to compare them; "
			   "it is "
			   "left alone; run teardown again");
	} else if (match.unnamed >= 0) {
		set_unnamed(path, &p->topo->ctrl[match.unnamed]);
	} else if (match.other >= 0) {
		set_foreign(path, &p->topo->ctrl[match.other]);
	}
}

/* --- what is in use --------------------------------------------------------------------------------- */

static int compare_devices(const void *a, const void *b)
{
	const struct ns *x = *(const struct ns *const *)a, *y = *(const struct ns *const *)b;
	int order = strcmp(x->device, y->device);

	return order ? order : (x > y) - (x < y);
}

static void sort_namespaces(struct undoing *p)
{
	for (unsigned i = 0; i < p->topo->nss; i++)
		p->by_device[i] = &p->topo->ns[i];
	qsort(p->by_device, p->topo->nss, sizeof(p->by_device[0]), compare_devices);
}

/* The paths of one namespace. Leaving ones count for nothing. */
struct reach {
	unsigned first, end; /* in by_device */
	bool goes;	     /* some path of it does */
	bool goes_live;	     /* one that does takes I/O, as far as is known: perhaps soon, perhaps unseen */
	bool stays;
	bool stays_live; /* and one surely takes I/O */
};

static void find_reach(const struct undoing *p, const char *device, struct reach *ret)
{
	unsigned low = 0, high = p->topo->nss;

	while (low < high) {
		unsigned middle = low + (high - low) / 2;

		if (strcmp(p->by_device[middle]->device, device) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	*ret = (struct reach){ .first = low, .end = low };
	while (ret->end < p->topo->nss && strcmp(p->by_device[ret->end]->device, device) == 0)
		ret->end++;
}

static void weigh(const struct undoing *p, const char *device, struct reach *ret)
{
	find_reach(p, device, ret);
	for (unsigned i = ret->first; i < ret->end; i++) {
		const struct ns *ns = p->by_device[i];
		const char *state = p->topo->ctrl[ns->ctrl].state;
		bool live = strcmp(state, "live") == 0;

		if (p->goes[ns->ctrl]) {
			ret->goes = true;
			/* Whatever ANA says: after a path has failed it may just turn to the next one. */
			ret->goes_live |= live || state[0] == '\0';
		} else if (!ctrl_state_is_gone(state)) {
			ret->stays = true;
			ret->stays_live |= live && ns->ana_usable;
		}
	}
}

static bool loses_last(const struct reach *reach)
{
	return reach->goes && (!reach->stays || (reach->goes_live && !reach->stays_live));
}

static bool is_forced(const struct teardown *teardown, const struct use *use)
{
	switch (use->kind) {
	case USE_HOLDER:
	case USE_MOUNT:
		return teardown->force;
	case USE_SWAP:
	case USE_ROOT:
		break;
	}
	return false;
}

static const char *what_to_do(const struct use *use)
{
	switch (use->kind) {
	case USE_HOLDER:
		return "close what holds it first, or give --force";
	case USE_MOUNT:
		return "unmount it first, or give --force";
	case USE_SWAP:
		return "swapoff it first; --force does not help";
	case USE_ROOT:
		break;
	}
	return "it is the root file system; --force does not help";
}

/*
 * All is judged against all that the run would remove, refused or not: so what is refused here can only leave
 * others more paths than they were judged by.
 */
static void find_refused(struct undoing *p)
{
	struct reach reach = { 0 };

	for (unsigned i = 0; i < p->topo->uses; i++) {
		const struct use *use = &p->topo->use[i];

		if (i == 0 || strcmp(use[-1].device, use->device) != 0)
			weigh(p, use->device, &reach);
		if (is_forced(p->teardown, use) || !loses_last(&reach))
			continue;
		for (unsigned k = reach.first; k < reach.end; k++) {
			const struct use **told = &p->refused[p->by_device[k]->ctrl];

			if (!*told || (*told)->kind < use->kind) /* the weightier kinds come later */
				*told = use;
		}
	}
}

static void refuse(struct undoing *p)
{
	for (unsigned i = 0; i < p->plan->paths; i++) {
		struct path *path = &p->plan->path[i];
		const struct use *use;
		char text[CTRL_TEXT_MAX];

		if (path->action != PATH_WOULD_DISCONNECT || !p->goes[path->ctrl] || !p->refused[path->ctrl])
			continue;
		use = p->refused[path->ctrl];
		p->goes[path->ctrl] = false;
		path->action = PATH_KEPT;
		path->reason = PATH_IN_USE;
		str_format(path->message, sizeof(path->message),
			   "%s is kept: %s is in use (%s) and would have no path left that takes I/O; %s",
			   ctrl_text(&p->topo->ctrl[path->ctrl], &path->id, text), use->device, use->way,
			   what_to_do(use));
	}
}

/* "nvme1 (live), nvme3 (connecting)" */
static void name_staying(const struct undoing *p, const struct reach *reach, char *buf, size_t size)
{
	str_format(buf, size, "%s", "");
	for (unsigned i = reach->first; i < reach->end; i++) {
		const struct ns *ns = p->by_device[i];
		const struct ctrl *ctrl = &p->topo->ctrl[ns->ctrl];

		if (!p->goes[ns->ctrl] && !ctrl_state_is_gone(ctrl->state))
			str_append(buf, size, "%snvme%u (%s%s)", buf[0] ? ", " : "", ctrl->instance,
				   ctrl->state[0] ? ctrl->state : "state unknown",
				   ns->ana_usable ? "" : ", no I/O by ANA");
	}
}

/* What is used and loses paths nevertheless: which are left to it. */
static void note_uses(struct undoing *p)
{
	struct reach reach = { 0 };
	char names[256] = "";

	for (unsigned i = 0; i < p->topo->uses; i++) {
		const struct use *use = &p->topo->use[i];

		if (i == 0 || strcmp(use[-1].device, use->device) != 0) {
			weigh(p, use->device, &reach);
			name_staying(p, &reach, names, sizeof(names));
		}
		if (reach.goes)
			finding_add(p->findings, FINDING_WARN, "teardown.in_use", use->device, use->way,
				    "%s is in use (%s); paths left to it: %s%s", use->device, use->way,
				    names[0] ? names : "none", loses_last(&reach) ? " (--force)" : "");
	}
}

/* --- the plan ------------------------------------------------------------------------------------------ */

/* The order of "paths", and then by what that does not look at: no two claims are equal. */
static int compare_paths(const void *a, const void *b)
{
	const struct path *x = a, *y = b;
	int order = ctrl_id_compare(&x->id, &y->id);

	if (order == 0)
		order = strcmp(x->id.hostnqn, y->id.hostnqn);
	return order ? order : strcmp(x->id.hostid, y->id.hostid);
}

static void plan_claim(struct undoing *p, const struct classification *classes,
		       const struct journal_claim *claim)
{
	struct path *path = &p->plan->path[p->plan->paths];

	*path = (struct path){ .id = claim->id, .portal = -1, .ctrl = -1, .action = PATH_NONE };
	path_locate(p->topo, classes, path);
	if (!is_selected(p, path))
		return;
	judge_claim(p, claim, path);
	p->plan->paths++; /* PATHS_MAX holds every claim */
}

int plan_teardown(const struct topology *topo, const struct classification *classes,
		  const struct journal_claims *claims, const struct teardown *teardown, struct plan *ret,
		  struct findings *findings, struct err *err)
{
	struct undoing p = { .topo = topo, .teardown = teardown, .plan = ret, .findings = findings };

	ret->paths = ret->skips = 0;
	if (teardown->port >= (int)topo->ports)
		return err_set(err, XC_FAILED, -EINVAL, "", "no such port");
	list_carried(&p);
	for (unsigned i = 0; i < claims->count; i++)
		plan_claim(&p, classes, &claims->claim[i]);
	sort_namespaces(&p);
	find_refused(&p);
	refuse(&p);
	note_uses(&p);
	qsort(ret->path, ret->paths, sizeof(ret->path[0]), compare_paths);
	return 0;
}

_Static_assert(PATHS_MAX >= JOURNAL_CLAIMS_MAX, "a path for every claim");

/* --- and its steps ------------------------------------------------------------------------------------- */

static const struct path *find_path(const struct plan *plan, const struct ctrl_id *id)
{
	const struct path key = { .id = *id };

	return bsearch(&key, plan->path, plan->paths, sizeof(key), compare_paths);
}

int lower_teardown(const struct plan *plan, const struct topology *topo, const struct classification *classes,
		   const struct journal_claims *claims, struct steps *ret, struct err *err)
{
	ret->count = 0;
	for (unsigned i = claims->count; i-- > 0;) {
		const struct path *path = find_path(plan, &claims->claim[i].id);
		struct step *step = &ret->step[ret->count];

		if (!path || (path->action != PATH_WOULD_DISCONNECT && path->action != PATH_NONE))
			continue;
		if (ret->count == STEPS_MAX)
			return err_set(err, XC_ENVIRONMENT, -E2BIG, "STEPS_MAX",
				       "more than %d steps (STEPS_MAX)", STEPS_MAX);
		ret->count++;
		*step = (struct step){
			.kind = STEP_NVME_DISCONNECT,
			.state = path->action == PATH_NONE ? STEP_SKIPPED : STEP_WOULD,
			.id = claims->claim[i].id,
			.inode = claims->claim[i].inode,
			.path = (int)(path - plan->path),
		};
		if (path->port >= 0) {
			step->pci = topo->port[path->port].pci;
			step->role = classes->port[path->port].role;
		}
	}
	return 0;
}
