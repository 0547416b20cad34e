/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The checks of verify: from what was read, whoever made it, to one finding or more a check. None needs an
 * earlier run of this program. fail: a promise of the partition is broken, or something that was asked for is
 * not so; warn: advice; unknown: the evidence could not be read; skip: the check does not apply here.
 */
#pragma once

#include "model/irqbalance.h"
#include "model/offload.h"
#include "model/settings.h"
#include "policy/policy.h"

/* What was asked for, of one controller: the journal's word, else the config's. */
struct asked {
	bool known;
	const char *origin; /* "journal", "config" */
	struct connect_opts opts;
};

struct verify {
	const struct topology *topo;
	const struct classification *classes;
	const struct platform *platform; /* NULL: unknown, and no port is storage */
	const struct settings *settings;
	/*
	 * plan_show: every rdma controller; and, among them by id, those that were asked for and are not
	 * there (ctrl -1): paths.live fails then.
	 */
	const struct plan *plan;
	struct proof_groups *groups;	     /* after proof_collect */
	const struct affinity *affinity;     /* after cores_of and place_irqs */
	const struct irqbalance *irqbalance; /* as read; NULL: it was not asked */
	const char *irqbalance_why;	     /* why it could not be */
	const struct asked *asked;	     /* parallel to plan.path */
	const char *asked_why;		     /* why not all that was asked for is known; NULL: it is */
	const struct bandwidth *bandwidth;   /* NULL: not known */
	bool config_unread;		     /* it is there, and not for this user */
	const struct offload *offload;	     /* after offload_judge; NULL: the initiator is the host */
	struct findings *findings;
};

/* controllers_on_storage, compute_clean, bound_source, subnets_disjoint, switches_disjoint, autoconnect_off
 */
void verify_partition(const struct verify *v);
/* present, link, speed, pcie_width, mtu, addresses, roce_gid, pfc, trust, pause, roce_tos */
void verify_ports(const struct verify *v);
/* egress, arp */
void verify_routes(const struct verify *v);
/* live, both_sockets, namespaces, queue_count, timeouts, iopolicy */
void verify_paths(const struct verify *v);
/* irqs, node_local, effective, isolated, irqbalance, rq_affinity */
void verify_affinity(const struct verify *v);
/* members, mode, roce_lag */
void verify_bond(const struct verify *v);
/* pair, same, machine */
void verify_identity(const struct verify *v);
/* host_clean, mode, endpoints */
void verify_offload(const struct verify *v);

/* All of the above. */
void verify_all(const struct verify *v);
/* True if name is a check of this program ("paths.live"), or the first part of one's name ("paths"). */
bool verify_is_check(const char *name, size_t length);
