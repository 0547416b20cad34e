/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The plan of connect: each portal from each usable storage port that has a real route to it, what
 * exists already, and a reason for everything that is not done.
 */
#include "policy/planner.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* --- what exists --- */

static bool is_portal_of(const struct ctrl *ctrl, const struct portal *portal)
{
	struct ip traddr;

	return strcmp(ctrl->id.transport, "rdma") == 0 && strcmp(ctrl->id.nqn, portal->nqn) == 0 &&
	       strcmp(ctrl->id.trsvcid, portal->trsvcid) == 0 && ip_parse(ctrl->id.traddr, &traddr) == 0 &&
	       ip_equal(&traddr, &portal->traddr) && !ctrl_state_is_gone(ctrl->state);
}

/* Why a controller of a requested portal cannot stand beside ours; NULL: it can. */
static const char *conflict_of(const struct planner *p, const struct ctrl *ctrl)
{
	struct carrier carrier = { .storage = false };
	struct ip source;
	int netdev;

	if (ctrl->id.host_traddr[0] == '\0')
		return "has no source address, so the kernel may move it to any HCA";
	if (ip_parse(ctrl->id.host_traddr, &source) < 0)
		return "has a source address that cannot be read";
	netdev = netdev_of_ip(p->topo, &source);
	if (netdev >= 0)
		carrier_of(p->topo, p->classes, netdev, &carrier);
	if (!carrier.storage)
		return "has a source address that is not a storage port's";
	if (strcmp(ctrl->id.hostnqn, p->request->hostnqn) != 0 ||
	    strcmp(ctrl->id.hostid, p->request->hostid) != 0)
		return "is connected under another host identity";
	return NULL;
}

static bool plan_conflict(struct planner *p, unsigned portal)
{
	for (unsigned i = 0; i < p->topo->ctrls; i++) {
		const struct ctrl *ctrl = &p->topo->ctrl[i];
		char text[PORTAL_TEXT_MAX];
		const char *why;
		struct skip *skip;

		if (!is_portal_of(ctrl, &p->request->portal[portal]))
			continue;
		why = conflict_of(p, ctrl);
		if (!why)
			continue;
		skip = plan_add_skip(p, portal, SKIP_CONFLICT);
		str_format(skip->message, sizeof(skip->message),
			   "nvme%u to %s %s%s%s; remove it first: nvme disconnect -d nvme%u", ctrl->instance,
			   plan_portal_text(&p->request->portal[portal], text), why,
			   ctrl->id.host_traddr[0] ? ": " : "", ctrl->id.host_traddr, ctrl->instance);
		return true;
	}
	return false;
}

static int existing_ctrl(const struct planner *p, const struct portal *portal, const struct ctrl_id *id)
{
	for (unsigned i = 0; i < p->topo->ctrls; i++) {
		if (is_portal_of(&p->topo->ctrl[i], portal) && ctrl_id_equal(&p->topo->ctrl[i].id, id))
			return (int)i;
	}
	return -1;
}

/* --- candidates to paths --- */

/* True if a controller from this source to the portal exists. */
static bool is_connected(const struct planner *p, const struct candidate *c)
{
	struct ip source;

	for (unsigned i = 0; i < p->topo->ctrls; i++) {
		if (is_portal_of(&p->topo->ctrl[i], &p->request->portal[c->portal]) &&
		    ip_parse(p->topo->ctrl[i].id.host_traddr, &source) == 0 && ip_equal(&source, &c->src))
			return true;
	}
	return false;
}

/* Better sources first: one that the connection manager accepts, then the portal's own subnet, then no VLAN.
 */
static bool is_better(const struct planner *p, const struct candidate *a, const struct candidate *b)
{
	const struct ip *traddr = &p->request->portal[a->portal].traddr;
	bool a_failed = a->probe.answer == ANSWER_NO || a->probe.answer == ANSWER_UNKNOWN;
	bool b_failed = b->probe.answer == ANSWER_NO || b->probe.answer == ANSWER_UNKNOWN;
	int a_bits = ip_same_subnet(&a->src, traddr, a->prefixlen) ? (int)a->prefixlen : -1;
	int b_bits = ip_same_subnet(&b->src, traddr, b->prefixlen) ? (int)b->prefixlen : -1;

	if (a_failed != b_failed)
		return b_failed;
	if (is_connected(p, a) != is_connected(p, b)) /* one path a port: the one that is there */
		return is_connected(p, a);
	if (a_bits != b_bits)
		return a_bits > b_bits;
	if (a->netdev != b->netdev)
		return p->topo->netdev[a->netdev].kind != NET_VLAN &&
		       p->topo->netdev[b->netdev].kind == NET_VLAN;
	return ip_compare(&a->src, &b->src) < 0;
}

/* True if no other candidate of the same portal and port is better. */
static bool is_chosen(const struct planner *p, unsigned first, unsigned end, unsigned i)
{
	const struct candidate *c = &p->candidates->candidate[i];

	if (c->route.answer != ANSWER_YES)
		return false;
	for (unsigned k = first; k < end; k++) {
		const struct candidate *other = &p->candidates->candidate[k];

		if (k == i || other->port != c->port || other->route.answer != ANSWER_YES)
			continue;
		if (is_better(p, other, c) || (k < i && !is_better(p, c, other)))
			return false;
	}
	return true;
}

static void judge_probe(const struct planner *p, const struct candidate *c, struct path *path)
{
	const struct probe_answer *probe = &c->probe;
	const char *planned = p->topo->rdma_link[c->rdma].name;

	if (probe->answer == ANSWER_YES || probe->answer == ANSWER_UNASKED) /* unasked: a tree */
		return;
	path->action = PATH_FAILED;
	if (probe->answer == ANSWER_UNKNOWN) {
		path->reason = PATH_NO_RDMA_DEVICE;
		str_format(path->message, sizeof(path->message),
			   "the RDMA connection manager could not be asked about source %s (%s): load "
			   "rdma_ucm and "
			   "ib_uverbs; nothing is connected on a guess",
			   path->id.host_traddr, strerrorname_np(-probe->code));
	} else if (probe->code == -EXDEV) {
		path->reason = PATH_PROOF_MISMATCH;
		str_format(path->message, sizeof(path->message),
			   "source %s: the connection manager would use port %u of RDMA device %s, not "
			   "port %u of %s, the storage port's; look for the address in the GID tables of "
			   "both",
			   path->id.host_traddr, probe->rdma_port, probe->rdma_device,
			   p->topo->rdma_link[c->rdma].port, planned);
	} else if (probe->stage == PROBE_BIND && probe->code == -EADDRNOTAVAIL) {
		path->reason = PATH_ADDRESS_MISSING;
		str_format(path->message, sizeof(path->message),
			   "source address %s is not on this machine (any more)", path->id.host_traddr);
	} else if (probe->stage == PROBE_BIND) {
		path->reason = PATH_NO_RDMA_DEVICE;
		str_format(path->message, sizeof(path->message),
			   "source address %s has no RDMA device (no RoCE GID for it yet, or RoCE off): %s",
			   path->id.host_traddr, strerrorname_np(-probe->code));
	} else {
		path->reason = PATH_NO_ANSWER;
		str_format(path->message, sizeof(path->message),
			   "%s does not answer %s on %s: check the address, the cable, the VLAN and the "
			   "target (%s)",
			   path->id.traddr, path->id.host_traddr, p->topo->netdev[c->netdev].name,
			   strerrorname_np(-probe->code));
	}
}

static int add_path(struct planner *p, const struct candidate *c, struct err *err)
{
	const struct portal *portal = &p->request->portal[c->portal];
	struct path *path;

	if (p->plan->paths == PATHS_MAX)
		return err_set(err, XC_ENVIRONMENT, -E2BIG, "PATHS_MAX",
			       "more than %d paths (PATHS_MAX); name fewer portals in one run", PATHS_MAX);
	path = &p->plan->path[p->plan->paths++];
	*path = (struct path){
		.portal = (int)c->portal,
		.port = c->port,
		.netdev = c->netdev,
		.rdma = c->rdma,
		.action = PATH_WOULD_CONNECT,
		.owner = OWNER_UNKNOWN,
	};
	memcpy(path->id.nqn, portal->nqn, sizeof(path->id.nqn));
	memcpy(path->id.hostnqn, p->request->hostnqn, sizeof(path->id.hostnqn));
	memcpy(path->id.hostid, p->request->hostid, sizeof(path->id.hostid));
	str_format(path->id.transport, sizeof(path->id.transport), "rdma");
	str_format(path->id.trsvcid, sizeof(path->id.trsvcid), "%s", portal->trsvcid);
	ip_format(&portal->traddr, path->id.traddr);
	ip_format(&c->src, path->id.host_traddr);
	path->ctrl = existing_ctrl(p, portal, &path->id);
	if (path->ctrl >= 0)
		path->action = PATH_KEPT;
	else
		judge_probe(p, c, path);
	return 0;
}

/* --- the plan --- */

static bool is_duplicate(const struct request *request, unsigned portal)
{
	const struct portal *a = &request->portal[portal];

	for (unsigned i = 0; i < portal; i++) {
		const struct portal *b = &request->portal[i];

		if (ip_equal(&a->traddr, &b->traddr) && strcmp(a->trsvcid, b->trsvcid) == 0 &&
		    strcmp(a->nqn, b->nqn) == 0)
			return true;
	}
	return false;
}

/* candidates are sorted by portal; [first, end) are this portal's. */
static int plan_portal(struct planner *p, unsigned portal, unsigned first, unsigned end, struct err *err)
{
	unsigned before = p->plan->paths;
	char text[PORTAL_TEXT_MAX];

	if (is_duplicate(p->request, portal)) {
		struct skip *skip = plan_add_skip(p, portal, SKIP_DUPLICATE);

		str_format(skip->message, sizeof(skip->message), "portal %s of %s was named twice",
			   plan_portal_text(&p->request->portal[portal], text), skip->nqn);
		return 0;
	}
	if (plan_conflict(p, portal))
		return 0;
	for (unsigned i = first; i < end; i++) {
		int r = is_chosen(p, first, end, i) ? add_path(p, &p->candidates->candidate[i], err) : 0;

		if (r < 0)
			return r;
	}
	if (p->plan->paths == before)
		plan_unreached(p, portal, first, end);
	else
		(void)plan_unasked(p, portal, first, end);
	return 0;
}

/* What a person should know of the ports that carry paths. */
static void note_ports(struct planner *p)
{
	char pci[PCI_TEXT_MAX];

	for (unsigned i = 0; i < p->topo->ports; i++) {
		bool used = false;

		for (unsigned k = 0; k < p->plan->paths; k++)
			used |= p->plan->path[k].port == (int)i;
		if (used && p->classes->port[i].inband)
			finding_add(p->findings, FINDING_WARN, "ports.inband",
				    pci_format(&p->topo->port[i].pci, pci), "default route",
				    "%s carries the node's default route as well: storage and management "
				    "share it",
				    pci);
	}
	for (unsigned b = 0; b < p->classes->bonds; b++) {
		const struct bond_class *bond = &p->classes->bond[b];
		const struct netdev *netdev = &p->topo->netdev[bond->netdev];
		bool used = false;

		for (unsigned k = 0; k < p->plan->paths; k++)
			used |= netdev_is_above(p->topo, &p->topo->netdev[p->plan->path[k].netdev],
						&p->topo->netdev[p->topo->port[bond->member[0]].netdev]);
		if (used && !bond->one_card)
			finding_add(p->findings, FINDING_WARN, "bond.roce_lag", netdev->name,
				    "bond mode and members",
				    "%s is over two cards: no RoCE LAG, and a failover breaks every "
				    "connection for seconds; two source addresses and NVMe multipath do "
				    "better",
				    netdev->name);
	}
}

static int compare_paths(const void *a, const void *b)
{
	return ctrl_id_compare(&((const struct path *)a)->id, &((const struct path *)b)->id);
}

static int compare_skips(const void *a, const void *b)
{
	const struct skip *x = a, *y = b;
	struct ctrl_id i = { 0 }, k = { 0 };
	int order;

	memcpy(i.traddr, x->traddr, sizeof(i.traddr));
	memcpy(k.traddr, y->traddr, sizeof(k.traddr));
	memcpy(i.trsvcid, x->trsvcid, sizeof(x->trsvcid));
	memcpy(k.trsvcid, y->trsvcid, sizeof(y->trsvcid));
	order = ctrl_id_compare(&i, &k);
	return order ? order : strcmp(x->nqn, y->nqn);
}

_Static_assert(SKIPS_MAX >= REQUEST_PORTALS_MAX, "one skip a portal");

int plan_connect(const struct topology *topo, const struct classification *classes,
		 const struct request *request, const struct candidates *candidates, struct plan *ret,
		 struct findings *findings, struct err *err)
{
	struct planner planner = { topo, classes, request, candidates, ret, findings };
	unsigned end = 0;

	ret->paths = 0;
	ret->skips = 0;
	for (unsigned portal = 0; portal < request->portals; portal++) {
		unsigned first = end;
		int r;

		while (end < candidates->count && candidates->candidate[end].portal == portal)
			end++;
		r = plan_portal(&planner, portal, first, end, err);
		if (r < 0)
			return r;
	}
	qsort(ret->path, ret->paths, sizeof(ret->path[0]), compare_paths);
	qsort(ret->skip, ret->skips, sizeof(ret->skip[0]), compare_skips);
	note_ports(&planner);
	return 0;
}
