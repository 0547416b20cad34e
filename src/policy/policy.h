/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Policy: what everything is and what should happen, from values to values. No I/O, no clock,
 * no malloc, no printf to a stream: make check looks at the symbols these objects use.
 */
#pragma once

#include "base/err.h"
#include "model/affinity.h"
#include "model/bandwidth.h"
#include "model/bond_plan.h"
#include "model/classification.h"
#include "model/finding.h"
#include "model/journal_rec.h"
#include "model/plan.h"
#include "model/queue.h"
#include "model/step.h"

/* --- classify.c: roles, from the platform file alone; usable, from the machine --- */

/* platform NULL: every port is "other". */
void classify(const struct topology *topo, const struct platform *platform, struct classification *ret,
	      struct findings *findings);
/* What classify and verify say of a storage port that is not there, so that it is one finding. */
#define PORTS_PRESENT_EVIDENCE "sys/bus/pci/devices"
void port_missing_text(const struct platform_port *entry, char *buf, size_t size);

/* --- bandwidth.c: what the storage ports give, and where the rest is lost --- */

/* platform NULL: unknown. pcie: parallel to topology.port. */
void bandwidth_of(const struct topology *topo, const struct classification *classes,
		  const struct platform *platform, const struct pcie_link *pcie, struct bandwidth *ret);
/* Of the members of a bond, within their cards; -1: it is not of storage ports. */
void bandwidth_of_bond(const struct topology *topo, const struct bond_class *bond, const struct bandwidth *bw,
		       int64_t *ret_given, int64_t *ret_possible);

/* --- bond_rules.c: whether mlx5 makes one RDMA device of a bond (RoCE LAG) --- */

/* member: indexes into ports; foreign: how many members more are no ports. */
void roce_rules(const struct topology *topo, const int *member, unsigned members, unsigned foreign,
		enum bond_mode mode, struct roce_rules *ret);
/* Possible, impossible or unknown, and why: half a sentence about the bond. */
enum roce_lag roce_rules_verdict(const struct roce_rules *rules, const char **ret_why);
/* The rules, the verdict and the reason of a bond whose members are known. */
void judge_roce_lag(const struct topology *topo, struct bond_class *bond);

/* --- plan_bond.c, bond_meet.c, bond_disturb.c: a bond that is asked for --- */

/*
 * paths: plan_show, with the owners as the journal has them. managed: parallel to topology.port (NULL with
 * request.print). XC_REFUSED, with ret->refusal and what would work in err; ret holds what was known by then.
 */
int plan_bond(const struct topology *topo, const struct classification *classes, const struct plan *paths,
	      const struct managed *managed, const struct bond_request *request, struct bond_plan *ret,
	      struct findings *findings, struct err *err) _must_check_;

/* --- source.c: which port a netdev's addresses belong to --- */

struct carrier {
	int port;     /* index into ports: the function whose RDMA device carries it; -1 */
	int rdma;     /* index into rdma_links; -1 */
	bool storage; /* every port below the netdev is storage */
	enum unusable unusable;
};

/* Walks down VLANs and bonds. */
void carrier_of(const struct topology *topo, const struct classification *classes, int netdev,
		struct carrier *ret);

/* The port whose own netdev this is; index into ports, -1: none. */
int port_of_netdev(const struct topology *topo, const struct netdev *netdev);

/* True if upper is the port's netdev, a bond or bridge over it, or a VLAN above one of them. */
bool netdev_is_above(const struct topology *topo, const struct netdev *upper,
		     const struct netdev *port_netdev);

/* "0000:29:00.0, 0000:29:00.1 (link-down)", or "none": for messages that say what would work. */
void storage_ports_text(const struct topology *topo, const struct classification *classes, char *buf,
			size_t size);

/*
 * The netdev that owns an address; -1: none on this machine; -2: several, so that it is open which HCA the
 * kernel would take (__ip_dev_find).
 */
int netdev_of_ip(const struct topology *topo, const struct ip *ip);

/* plan_show.c: port, netdev and rdma of a path, from its source address as it is now; -1: none. */
void path_locate(const struct topology *topo, const struct classification *classes, struct path *path);

/*
 * A port in any of its names: PCI address, slotN/pM, permanent MAC, RDMA device, netdev (altnames
 * included), compared whole. Index into ports; -1: no such port; -2: the name fits several.
 */
int port_by_name(const struct topology *topo, const struct classification *classes, const char *name);

/* --- candidates.c: which sources could reach a portal --- */

/* XC_REFUSED, XC_ENVIRONMENT: -w or a port of the config names no storage port, or none at all. */
int plan_candidates(const struct topology *topo, const struct classification *classes,
		    const struct request *request, struct candidates *ret, struct err *err) _must_check_;

/* --- plan_connect.c: candidates with their answers to paths and skips --- */

int plan_connect(const struct topology *topo, const struct classification *classes,
		 const struct request *request, const struct candidates *candidates, struct plan *ret,
		 struct findings *findings, struct err *err) _must_check_;

/* --- plan_show.c: every rdma controller as a path that was not asked for --- */
void plan_show(const struct topology *topo, const struct classification *classes, struct plan *ret);

/*
 * What was asked for and is not there: a path without a controller, in its place. -E2BIG: more than
 * PATHS_MAX.
 */
int plan_add_absent(struct plan *plan, const struct ctrl_id *id) _must_check_;

/*
 * The same, and those of plan that would be connected: all that completes on a port, whoever asked for it.
 * -E2BIG: more than PATHS_MAX.
 */
int plan_placed(const struct topology *topo, const struct classification *classes, const struct plan *plan,
		struct plan *ret) _must_check_;

/* --- plan_teardown.c: what the journal says is ours, to paths that go and paths that stay --- */

struct teardown {
	const char *nqn; /* only this subsystem; NULL: all */
	int port;	 /* only what this port carries, by its source address; index into ports, -1: all */
	bool force;	 /* what is used may go as well, but for the root file system and swap */
};

/*
 * A path for each claim that the request selects:
 *
 *	would-disconnect	it is there, or leaving already; if somebody uses a namespace of it, a finding
 *				"teardown.in_use" names the paths that are left
 *	none			it is gone, and its claim wants to be closed
 *	foreign, not-ours	what is there under these names is not ours
 *	kept, in-use		a namespace that is used would have no path left that takes I/O, as far as
 *				is known: one that is live (or unknown) goes, and none stays that is live and
 *				that ANA lets pass; or none stays at all
 *				or its namespaces cannot be read, and so not who uses them (force goes on)
 *	failed, first-connect	it has no subsystem yet, and so no name to be told by: worth another look
 *	failed, pending		the same, and it is leaving
 *	failed, other		its inode is the claim's, but its names could not be read
 *
 * Needs nvme and uses.
 */
int plan_teardown(const struct topology *topo, const struct classification *classes,
		  const struct journal_claims *claims, const struct teardown *teardown, struct plan *ret,
		  struct findings *findings, struct err *err) _must_check_;

/* --- queues.c --- */
void queues_of(const struct topology *topo, const struct plan *plan, struct queues *ret);

/* The completion vector of a queue (0: the admin queue) on a device (index into rdma_links); -1: unknown. */
int queue_vector(const struct topology *topo, int rdma, unsigned qid);
/* A controller with so many I/O queues uses the vectors below this number; 0: unknown. */
unsigned queue_vectors(const struct topology *topo, int rdma, unsigned io_queues);
/*
 * The function whose interrupts are the vectors: in a RoCE LAG that of the device, whatever the port;
 * Soft-RoCE has none of its own, so its port's. NULL: none.
 */
const struct pci_addr *queue_function(const struct topology *topo, int port, int rdma);

/* --- cores.c: which cores are set apart for which storage port, used or not --- */
void cores_of(const struct topology *topo, const struct classification *classes, unsigned cores_per_port,
	      struct affinity *ret, struct findings *findings);

/* --- place.c: which interrupts belong on which of these cores --- */

/*
 * After cores_of: affinity.irq, the ports in use and the cores that they reserve. Interrupts are those that
 * exist, of the vectors that the plan's controllers complete on; for a path that would be connected, those
 * that so many I/O queues would (0: none). Nothing where a number of vectors is unknown.
 */
void place_irqs(const struct topology *topo, const struct classification *classes, const struct plan *plan,
		unsigned nr_io_queues, struct affinity *affinity);

/* --- plan_restore.c: bans that have outlived their interrupts --- */

/*
 * A step for each ban of values whose number is not, or no longer, that of its interrupt: the driver was
 * loaded again, and the number may by now be that of a compute HCA, which irqbalance is to move.
 */
int plan_stale_bans(const struct topology *topo, const struct classification *classes,
		    const struct journal_values *values, struct steps *ret, struct err *err) _must_check_;

/* --- advice.c: what is not this program's to change, but stands in the way of placement --- */

/*
 * Findings about what was read last (once a document): vectors that cannot be placed since they are not
 * known, compute vectors on reserved cores, subsystems that share vectors, rq_affinity, multipath policies.
 */
void place_advice(const struct topology *topo, const struct classification *classes, const struct plan *plan,
		  const struct affinity *affinity, struct findings *findings);

/* A finding for each bond whose HCA carries vectors that are not placed, as after a failover. */
void place_failover(const struct topology *topo, const struct classification *classes,
		    const struct plan *plan, const struct affinity *affinity, struct findings *findings);

/* --- lower.c: plan to steps --- */
int lower_connect(const struct plan *plan, const struct topology *topo, const struct classification *classes,
		  const struct request *request, struct steps *ret, struct err *err) _must_check_;

/* The paths that go, and those that are gone (STEP_SKIPPED); the newest claim first. */
int lower_teardown(const struct plan *plan, const struct topology *topo, const struct classification *classes,
		   const struct journal_claims *claims, struct steps *ret, struct err *err) _must_check_;

/* The interrupts that are not where they belong (IRQ_WOULD_SET), after the steps that are there. */
int lower_place(const struct topology *topo, const struct classification *classes,
		const struct affinity *affinity, struct steps *ret, struct err *err) _must_check_;

/* --- plan_restore.c: the values that the journal says we changed --- */

/*
 * Which of them go back: those of functions on which none of our controllers is left after plan (all claims
 * that plan does not remove, selected or not), and with port only that one. With nqn as well: a run that was
 * killed after it had removed the controllers left them for the next one. affinity->irq gets an entry for
 * each (would-restore, or foreign where topo.irq says so), ret the steps after those that are there: the
 * newest first, bans last; what is back already, or gone, is STEP_SKIPPED.
 */
int plan_restore(const struct topology *topo, const struct classification *classes,
		 const struct journal_claims *claims, const struct journal_values *values,
		 const struct teardown *teardown, const struct plan *plan, struct affinity *affinity,
		 struct steps *ret, struct err *err) _must_check_;

/* --- proof.c --- */
enum group_verdict { GROUP_PROVEN, GROUP_MISMATCH, GROUP_UNSETTLED, GROUP_UNREADABLE };

/* All controllers between one source and one portal, and where their queue pairs are. */
struct proof_group {
	struct ip src, dst;
	uint16_t port;
	unsigned expected;	     /* queues of its live controllers, the admin queues included */
	bool uncounted;		     /* the queues of a live controller could not be read */
	unsigned found;		     /* nvme_rdma CM_IDs with a queue pair in RTS */
	char device[RDMA_NAME_SIZE]; /* of the first one */
	char other[RDMA_NAME_SIZE];  /* another device that has one; empty: none */
};

struct proof_groups {
	struct proof_group group[TOPO_CTRLS_MAX]; /* sorted */
	unsigned count;
};

/* Reads the groups off controllers and CM_IDs, once for all of them. */
void proof_collect(const struct topology *topo, struct proof_groups *ret);

/*
 * The proof of one group (host_traddr, traddr, trsvcid): every nvme_rdma CM_ID of it whose queue pair is
 * in RTS is on rdma_device, none elsewhere, and their number is the sum of the queue counts of the group's
 * live controllers. UNSETTLED: the number differs, which a connect of somebody else causes for a moment.
 */
enum group_verdict prove_group(const struct topology *topo, struct proof_groups *groups,
			       const struct ctrl_id *id, const char *rdma_device, char *why, size_t size);

/* --- verdict.c: exit statuses --- */
/* atomic: what is up does not make it partial, as all of this run was undone (1) or nothing was begun. */
enum exit_class verdict_connect(const struct plan *plan, const struct topology *topo, bool dry_run,
				bool atomic);

/*
 * Refused (3) if all that stays was refused and nothing went; timeout (7) if all that stays is being deleted;
 * partial (4) if anything else stays; else OK.
 */
enum exit_class verdict_teardown(const struct plan *plan);
