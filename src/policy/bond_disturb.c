/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who would be disturbed by a bond that is made or changed: enslaving takes a member down, and forming or
 * breaking a RoCE LAG removes its RDMA device, with which nvme-rdma deletes every controller on it
 * (nvme_rdma_remove_one), whoever made it.
 */
#include "policy/plan_bond.h"

#include <string.h>

/* The ports that are touched: the new members, and those of the bond that is changed. */
static bool is_touched(const struct bonding *b, int port)
{
	const struct bond_class *bond = b->plan->bond >= 0 ? &b->classes->bond[b->plan->bond] : NULL;

	for (unsigned i = 0; i < b->plan->members; i++) {
		if (b->plan->member[i] == port)
			return true;
	}
	for (unsigned i = 0; bond && i < bond->members; i++) {
		if (bond->member[i] == port)
			return true;
	}
	return false;
}

static int judge_inband(struct bonding *b)
{
	char text[BOND_PORT_TEXT_MAX];

	for (unsigned i = 0; i < b->topo->ports && !b->request->allow_inband; i++) {
		if (is_touched(b, (int)i) && b->classes->port[i].inband)
			return bond_refuse(
				b, BOND_REFUSED_INBAND, (int)i,
				"%s carries the default route, itself or through what is above it: "
				"bonding it can cut off this machine. Take the other storage ports, "
				"or give --allow-inband from a console",
				bond_port_text(b, (int)i, text));
	}
	return 0;
}

static int judge_managed(struct bonding *b)
{
	char text[BOND_PORT_TEXT_MAX];

	for (unsigned i = 0; i < b->topo->ports; i++) {
		const struct managed *m = &b->managed[i];

		if (!is_touched(b, (int)i) || m->by == MANAGER_NONE)
			continue;
		bond_port_text(b, (int)i, text);
		if (m->by == MANAGER_UNKNOWN)
			return bond_refuse(
				b, BOND_REFUSED_MANAGED, (int)i,
				"whether systemd-networkd or NetworkManager configures %s is not "
				"known, and either would undo the bond: see networkctl status, nmcli "
				"device; or configure it there, from --print netplan",
				text);
		return bond_refuse(b, BOND_REFUSED_MANAGED, (int)i,
				   "%s configures %s%s%s%s and would undo the bond: put what --print netplan "
				   "prints into its configuration",
				   manager_name(m->by), text, m->file[0] ? " (" : "", m->file,
				   m->file[0] ? ")" : "");
	}
	return 0;
}

/* --- controllers --- */

static bool is_on_touched_rdma(const struct bonding *b, const char *rdma_name)
{
	for (unsigned i = 0; i < b->topo->ports; i++) {
		const struct port *port = &b->topo->port[i];

		if (port->rdma >= 0 && is_touched(b, (int)i) &&
		    strcmp(b->topo->rdma_link[port->rdma].name, rdma_name) == 0)
			return true;
	}
	return false;
}

/* Its source is on a member, or on what is above one; or its device is a member's. */
static bool path_is_touched(const struct bonding *b, const struct path *path)
{
	if (path->port >= 0 && is_touched(b, path->port))
		return true;
	if (path->rdma >= 0 && is_on_touched_rdma(b, b->topo->rdma_link[path->rdma].name))
		return true;
	for (unsigned i = 0; path->netdev >= 0 && i < b->topo->ports; i++) {
		if (b->topo->port[i].netdev >= 0 && is_touched(b, (int)i) &&
		    netdev_is_above(b->topo, &b->topo->netdev[path->netdev],
				    &b->topo->netdev[b->topo->port[i].netdev]))
			return true;
	}
	return false;
}

/* The queue pairs of this path, wherever its source address is by now. */
static bool cm_id_is_of(const struct cm_id *id, const struct path *path)
{
	struct ip src, dst;

	return id->has_addrs && ip_parse(path->id.traddr, &dst) == 0 && ip_equal(&id->dst, &dst) &&
	       (ip_parse(path->id.host_traddr, &src) < 0 || ip_equal(&id->src, &src));
}

static bool has_queues_on_touched(const struct bonding *b, const struct path *path)
{
	for (unsigned i = 0; i < b->topo->cm_ids; i++) {
		const struct cm_id *id = &b->topo->cm_id[i];

		if (strcmp(id->owner, "nvme_rdma") == 0 && cm_id_is_of(id, path) &&
		    is_on_touched_rdma(b, id->rdma_name))
			return true;
	}
	return false;
}

/* CM_IDs of nvme-rdma on a member's device that no known controller has: one is being made. */
static bool has_stray_queue(const struct bonding *b)
{
	for (unsigned i = 0; i < b->topo->cm_ids; i++) {
		const struct cm_id *id = &b->topo->cm_id[i];
		bool known = false;

		if (strcmp(id->owner, "nvme_rdma") != 0 || !is_on_touched_rdma(b, id->rdma_name))
			continue;
		for (unsigned p = 0; p < b->paths->paths && !known; p++)
			known = cm_id_is_of(id, &b->paths->path[p]);
		if (!known)
			return true;
	}
	return false;
}

static int judge_path(struct bonding *b, const struct path *path)
{
	const struct ctrl *ctrl = &b->topo->ctrl[path->ctrl];

	if (path->owner != OWNER_US)
		return bond_refuse(b, BOND_REFUSED_FOREIGN, b->plan->member[0],
				   "nvme%u (%s at %s:%s) is over these ports and is not of this program: it "
				   "would be deleted with the RDMA device. Disconnect it first: nvme "
				   "disconnect -d nvme%u",
				   ctrl->instance, ctrl->id.nqn, ctrl->id.traddr, ctrl->id.trsvcid,
				   ctrl->instance);
	b->plan->drained++;
	if (b->request->drain)
		return 0;
	return bond_refuse(b, BOND_REFUSED_LIVE, b->plan->member[0],
			   "nvme%u (%s at %s:%s) is over these ports, and would be deleted with the RDMA "
			   "device: --drain disconnects what this program has connected, bonds, and connects "
			   "again",
			   ctrl->instance, ctrl->id.nqn, ctrl->id.traddr, ctrl->id.trsvcid);
}

/* Somebody else's first: --drain would not help there. */
static int judge_controllers(struct bonding *b)
{
	int r = 0;

	if (b->topo->cm_ids_read == READ_FAILED)
		return bond_refuse(b, BOND_REFUSED_UNREAD, b->plan->member[0],
				   "which controllers are on these ports could not be read: %s",
				   b->topo->cm_ids_why);
	for (int foreign = 1; foreign >= 0 && r == 0; foreign--) {
		for (unsigned i = 0; i < b->paths->paths && r == 0; i++) {
			const struct path *path = &b->paths->path[i];

			if (path->ctrl >= 0 && (path->owner != OWNER_US) == foreign &&
			    (path_is_touched(b, path) || has_queues_on_touched(b, path)))
				r = judge_path(b, path);
		}
	}
	if (r == 0 && has_stray_queue(b))
		return bond_refuse(
			b, BOND_REFUSED_UNREAD, b->plan->member[0],
			"an NVMe queue is on these ports that no controller is known for: one is being "
			"made or removed; try again");
	return r;
}

int bond_disturb(struct bonding *b)
{
	int r = judge_inband(b);

	if (r < 0 || b->request->print)
		return r;
	r = judge_managed(b);
	return r == 0 ? judge_controllers(b) : r;
}
