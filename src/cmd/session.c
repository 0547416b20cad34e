/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Opening, filling and closing a session. */
#include "cmd/session.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "facts/facts.h"
#include "policy/policy.h"

#define ARM_SIDE_TEXT                                                                                  \
	"this is the Arm side of a BlueField (%s): nvme-partition %s runs on its host, whose connect " \
	"says in offload.plan what is to be done here"

/*
 * The large members, in one piece: one mapping to make and to drop, of which only touched pages cost
 * anything.
 */
struct store {
	struct topology topo;
	struct classification classes;
	struct pcie_link pcie[TOPO_PORTS_MAX]; /* of storage ports; else never looked at */
	struct bandwidth bandwidth;
	struct findings findings;
	struct candidates candidates;
	struct plan plan;
	struct plan placed;
	struct queues queues;
	struct proof_groups groups;
	struct steps steps;
	struct journal_claims claims;
	struct affinity affinity;
	struct irqbalance balance;
	struct offload offload;
	char policy_script[POLICY_SCRIPT_MAX];
	struct err errors[ERRORS_MAX];
};

int session_open(struct session *s, const struct options *options, struct err *err)
{
	struct store *store = calloc(1, sizeof(*store));

	*s = (struct session){ .root = ROOT_INIT };
	if (!store)
		return err_set(err, XC_ENVIRONMENT, -ENOMEM, "", "out of memory");
	s->store = store;
	s->topo = &store->topo;
	s->classes = &store->classes;
	s->findings = &store->findings;
	s->candidates = &store->candidates;
	s->plan = &store->plan;
	s->placed = &store->placed;
	s->queues = &store->queues;
	s->groups = &store->groups;
	s->steps = &store->steps;
	s->claims = &store->claims;
	s->affinity = &store->affinity;
	s->balance = &store->balance;
	s->offload = &store->offload;
	s->policy_script = store->policy_script;
	s->errors = store->errors;
	s->result.errors = s->errors;
	s->result.findings = s->findings;
	return root_open(options->sysroot, &s->root, err);
}

void session_close(struct session *s)
{
	root_close(&s->root);
	free(s->store);
}

enum exit_class session_fail(struct session *s, const struct err *err)
{
	if (s->error_count < ERRORS_MAX)
		s->errors[s->error_count++] = *err;
	s->result.error_count = s->error_count;
	return err->exit;
}

int session_identify(struct session *s, const struct options *options, struct err *err)
{
	int r = facts_read_dmi(&s->root, s->topo, s->findings, err);

	if (r < 0)
		return r;
	r = facts_read_platform(&s->root, &s->topo->dmi, options->platform, &s->platform, &s->platform_known,
				err);
	s->bad_file = r < 0 && !options->platform;
	if (r < 0 || !s->platform_known)
		return r;
	s->result.platform = &s->platform;
	s->result.deferred = s->platform.initiator == INITIATOR_BLUEFIELD3_ARM;
	return 0;
}

static void read_bandwidth(struct session *s)
{
	for (unsigned i = 0; i < s->topo->ports; i++) {
		if (s->classes->port[i].role == ROLE_STORAGE && !s->topo->port[i].vf)
			facts_read_pcie(&s->root, &s->topo->port[i], &s->store->pcie[i], s->findings);
	}
	bandwidth_of(s->topo, s->classes, s->platform_known ? &s->platform : NULL, s->store->pcie,
		     &s->store->bandwidth);
	for (unsigned i = 0; i < s->classes->bonds; i++) {
		struct bond_class *bond = &s->classes->bond[i];

		bandwidth_of_bond(s->topo, bond, &s->store->bandwidth, &bond->given_mbps,
				  &bond->possible_mbps);
	}
	s->result.bandwidth = &s->store->bandwidth;
}

int session_read(struct session *s, struct err *err)
{
	int r;

	s->findings->count = s->kept_findings;
	s->findings->lost = 0;
	r = facts_read(&s->root, s->topo, s->findings, err);
	if (r < 0)
		return r;
	classify(s->topo, s->platform_known ? &s->platform : NULL, s->classes, s->findings);
	read_bandwidth(s);
	s->result.topo = s->topo;
	s->result.classes = s->classes;
	return 0;
}

int session_read_offload(struct session *s, struct err *err)
{
	unsigned storage[TOPO_PORTS_MAX], count = 0;
	int r;

	if (!s->platform_known || s->platform.initiator != INITIATOR_BLUEFIELD3_ARM)
		return 0;
	for (unsigned i = 0; i < s->topo->ports; i++) {
		if (s->classes->port[i].role == ROLE_STORAGE)
			storage[count++] = i;
	}
	r = facts_read_offload(&s->root, s->topo, storage, count, s->offload, s->findings, err);
	if (r < 0)
		return r;
	offload_judge(s->topo, s->classes, s->offload);
	s->result.offload = s->offload;
	return 0;
}

int session_refuse_arm_side(const struct session *s, struct err *err)
{
	const struct dmi *dmi = &s->topo->dmi;

	if (!offload_is_arm_side(dmi))
		return 0;
	return err_set(err, XC_ENVIRONMENT, -ENODEV, dmi->product_name, ARM_SIDE_TEXT, dmi->product_name,
		       s->result.command);
}

/* Whom the registry names owns it, whoever made it. journal NULL: who made what is unknown. */
static void set_owner(struct path *path, const struct ctrl *ctrl, const struct journal_data *journal)
{
	if (ctrl->owner[0] != '\0') {
		path->owner = OWNER_REGISTERED;
		str_format(path->registered, sizeof(path->registered), "%s", ctrl->owner);
	} else if (journal) {
		path->owner = journal_owns(journal, &ctrl->id, ctrl->inode) ? OWNER_US : OWNER_OTHER;
	}
}

/* The journal says which controllers are ours; an ordinary user cannot read it and does not know. */
static void read_owners(struct session *s)
{
	struct journal_data journal = { 0 };
	struct err err = { 0 };
	bool unreadable = journal_read(&s->root, &journal, &err) < 0, known;

	if (unreadable) /* who made what is unknown then; a run that changes something has refused it before
			 */
		finding_add(s->findings, FINDING_UNKNOWN, "journal.readable",
			    "/" JOURNAL_DIR "/" JOURNAL_FILE, JOURNAL_DIR "/" JOURNAL_FILE, "%s", err.msg);
	known = !unreadable && (!journal.there || journal.readable);
	for (unsigned i = 0; i < s->plan->paths; i++) {
		struct path *path = &s->plan->path[i];

		path->owner = OWNER_UNKNOWN;
		if (path->ctrl >= 0)
			set_owner(path, &s->topo->ctrl[path->ctrl], known ? &journal : NULL);
	}
	journal_data_free(&journal);
}

/* A path's queues complete there, or would. */
static bool is_of_a_path(const struct session *s, const struct plan *plan, unsigned rdma)
{
	for (unsigned i = 0; i < plan->paths; i++) {
		const struct path *path = &plan->path[i];

		if (path->rdma == (int)rdma && path->port >= 0 &&
		    s->classes->port[path->port].role == ROLE_STORAGE &&
		    (path->ctrl >= 0 || path->action == PATH_WOULD_CONNECT))
			return true;
	}
	return false;
}

/* RDMA netlink shows queues there: those of a bond's path are on another member's device after a failover. */
static bool has_queues(const struct session *s, const struct rdma_link *link)
{
	const struct port *port = link->has_pci ? topo_port(s->topo, &link->pci) : NULL;

	if (!port || s->classes->port[port - s->topo->port].role != ROLE_STORAGE)
		return false;
	for (unsigned i = 0; i < s->topo->cm_ids; i++) {
		if (strcmp(s->topo->cm_id[i].owner, "nvme_rdma") == 0 &&
		    strcmp(s->topo->cm_id[i].rdma_name, link->name) == 0)
			return true;
	}
	return false;
}

int session_read_vectors(struct session *s, const struct plan *plan, struct err *err)
{
	int r = 0;

	for (unsigned i = 0; r == 0 && i < s->topo->rdma_links; i++) {
		const struct rdma_link *link = &s->topo->rdma_link[i];

		if (link->ncv < 0 && (is_of_a_path(s, plan, i) || has_queues(s, link)))
			r = facts_read_ncv(&s->root, s->topo, link->name, s->findings, err);
	}
	return r;
}

int session_read_queues(struct session *s, struct err *err)
{
	struct pci_addr storage[TOPO_PORTS_MAX];
	unsigned count = 0;
	int r;

	read_owners(s);

	for (unsigned i = 0; i < s->topo->ports; i++) {
		if (s->classes->port[i].role == ROLE_STORAGE)
			storage[count++] = s->topo->port[i].pci;
	}
	r = facts_read_irqs(&s->root, s->topo, storage, count, s->findings, err);
	if (r == 0)
		r = session_read_vectors(s, s->plan, err);
	if (r < 0)
		return r;
	queues_of(s->topo, s->plan, s->queues);
	s->result.queues = s->queues;
	return 0;
}

int session_check_tree(const struct session *s, const struct options *options, struct err *err)
{
	if (s->root.live || options->dry_run)
		return 0;
	return err_set(err, XC_ENVIRONMENT, -EROFS, options->sysroot,
		       "%s is not this machine: add --dry-run to plan for it", options->sysroot);
}

int session_check_environment(const struct session *s, const struct options *options, struct err *err)
{
	const char *command = s->result.command;

	if (!s->root.live)
		return session_check_tree(s, options, err);
	if (!options->dry_run && geteuid() != 0)
		return err_set(err, XC_ENVIRONMENT, -EPERM, "", "%s needs root%s", command,
			       strcmp(command, "connect") == 0 ? "; --dry-run does not" : "");
	return session_check_netns(s, err);
}

int session_check_netns(const struct session *s, struct err *err)
{
	if (!s->root.live || facts_initial_netns())
		return 0;
	return err_set(err, XC_ENVIRONMENT, -ENONET, "",
		       "this is not the initial network namespace, which nvme-rdma always uses; "
		       "run it there (nsenter --net=/proc/1/ns/net)");
}

void session_prove_paths(struct session *s)
{
	proof_collect(s->topo, s->groups);
	for (unsigned i = 0; i < s->plan->paths; i++) {
		struct path *path = &s->plan->path[i];
		char why[256];

		/* The queues of a group prove nothing for a controller that has none. */
		if (path->rdma < 0 || path->ctrl < 0 || strcmp(s->topo->ctrl[path->ctrl].state, "live") != 0)
			continue;
		if (prove_group(s->topo, s->groups, &path->id, s->topo->rdma_link[path->rdma].name, why,
				sizeof(why)) == GROUP_PROVEN)
			path->proof = PROOF_RDMA_NETLINK;
	}
}

void session_note_unfinished(struct session *s, const struct journal_data *journal, const char *ways)
{
	if (journal->unfinished)
		finding_add(s->findings, FINDING_WARN, "journal.unfinished", "/" JOURNAL_DIR "/" JOURNAL_FILE,
			    JOURNAL_DIR "/" JOURNAL_FILE, "an earlier run did not come to its end; %s", ways);
}

int session_open_journal(struct session *s, int wait_s, struct journal **ret, struct err *err)
{
	int r = journal_open(&s->root, wait_s, ret, s->findings, err);

	s->kept_findings = s->findings->count;
	return r;
}
