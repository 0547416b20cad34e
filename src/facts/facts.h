/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Facts: one reader per kernel interface, read only, all below one root handle. A reader
 * fills its part of struct topology and nothing else. What is missing or odd becomes
 * "unknown" (-1, empty) and, where a person should know, a finding "facts.readable"; only a
 * passed capacity and memory or I/O trouble are errors (XC_ENVIRONMENT), and they name the thing.
 *
 * The live machine's network and RDMA facts come by netlink (nl_*.c, the only users of
 * libnl); a tree holds them as iproute2 prints them (dump_*.c). Both fill the same structures.
 */
#pragma once

#include "base/root.h"
#include "model/bandwidth.h"
#include "model/finding.h"
#include "model/offload.h"
#include "model/plan.h"
#include "model/platform.h"
#include "model/request.h"
#include "model/settings.h"
#include "model/topology.h"

/* Everything but interrupts: dmi, cpu, net, rdma, pci, nvme, cm_ids. */
int facts_read(const struct root *root, struct topology *ret, struct findings *findings,
	       struct err *err) _must_check_;

/* The readers, in the order in which facts_read calls them. */
int facts_read_dmi(const struct root *root, struct topology *topo, struct findings *findings,
		   struct err *err) _must_check_;
int facts_read_cpus(const struct root *root, struct topology *topo, struct findings *findings,
		    struct err *err) _must_check_;
int facts_read_net(const struct root *root, struct topology *topo, struct findings *findings,
		   struct err *err) _must_check_;
int facts_read_rdma(const struct root *root, struct topology *topo, struct findings *findings,
		    struct err *err) _must_check_;
/* Needs net and rdma: ties them to their PCI functions. */
int facts_read_pci(const struct root *root, struct topology *topo, struct findings *findings,
		   struct err *err) _must_check_;
/* Clears and reads again: controllers change during connect. */
int facts_read_nvme(const struct root *root, struct topology *topo, struct findings *findings,
		    struct err *err) _must_check_;
/* For the proof after a connect: the controllers alone. Namespaces and hardware contexts are cleared. */
int facts_read_ctrls(const struct root *root, struct topology *topo, struct findings *findings,
		     struct err *err) _must_check_;
/*
 * One controller by its identity; *ret_there false: there is none. One that goes away (ctrl_state_is_gone) is
 * given only if there is no other. Reads little of the others. Its owner is read as well.
 */
int facts_find_ctrl(const struct root *root, const struct ctrl_id *id, struct ctrl *ret, bool *ret_there,
		    struct findings *findings, struct err *err) _must_check_;
/* Needs nvme: what only verify compares (ctrl_loss_tmo, reconnect_delay, src_addr, host_iface). */
int facts_read_ctrl_settings(const struct root *root, struct topology *topo, struct findings *findings,
			     struct err *err) _must_check_;
int facts_read_cm_ids(const struct root *root, struct topology *topo, struct findings *findings,
		      struct err *err) _must_check_;

/*
 * Who uses the namespaces of topo->ns: /proc/self/mountinfo and that of every other mount namespace that a
 * process is in, /proc/swaps, the holders of their block devices and partitions, and of those in turn, and
 * the members of mounted btrfs. Needs nvme. Unseen stay mounts in namespaces without a process, and whoever
 * has the device open as such (a database, a virtual machine, ZFS). XC_ENVIRONMENT if a live machine's mounts
 * or swaps cannot be read, since nothing may be taken away then.
 */
int facts_read_uses(const struct root *root, struct topology *topo, struct findings *findings,
		    struct err *err) _must_check_;

/*
 * The completion interrupts of the given functions: /proc/interrupts is streamed once, and
 * only lines of these functions that are in their msi_irqs are kept.
 */
int facts_read_irqs(const struct root *root, struct topology *topo, const struct pci_addr *pci,
		    unsigned count, struct findings *findings, struct err *err) _must_check_;

/*
 * The same of functions that are only looked at (compute HCAs), into other_irq: their CPUs and how often they
 * came. Read apart from the others, so that no index into these can ever be taken for one that is written.
 */
int facts_read_other_irqs(const struct root *root, struct topology *topo, const struct pci_addr *pci,
			  unsigned count, struct findings *findings, struct err *err) _must_check_;

/*
 * Needs cpus: the hardware threads of each online CPU, and the CPUs that are kept from the scheduler or its
 * tick. A file a CPU, so only for who places.
 */
int facts_read_cores(const struct root *root, struct topology *topo, struct findings *findings,
		     struct err *err) _must_check_;

/*
 * Needs nvme, and must follow it again: rq_affinity of the namespaces' queues, and each subsystem's
 * multipath policy.
 */
int facts_read_blk(const struct root *root, struct topology *topo, struct findings *findings,
		   struct err *err) _must_check_;

/*
 * Number of completion vectors of an RDMA device, into all its links. Live: opens the
 * device's verbs context; so only for devices that carry a controller. What cannot be read is unknown and a
 * finding: returns 0, and err stays as it was (it is there because all readers look alike).
 */
int facts_read_ncv(const struct root *root, struct topology *topo, const char *rdma_name,
		   struct findings *findings, struct err *err) _must_check_;

/*
 * Asks the routing table: for each candidate (plan_candidates) with source and oif, for IPv4 with FIB_MATCH
 * as well (nl_route.c says why), and for each portal as plain routing would go. Answers are data; an error is
 * only that nothing could be asked.
 */
int facts_ask_routes(const struct root *root, const struct topology *topo, const struct request *request,
		     struct candidates *candidates, struct findings *findings, struct err *err) _must_check_;

/* --- for verify: struct settings, after facts_read and classify --- */

/*
 * The ports whose index is in storage: PCIe links, DCB, pause, default_roce_tos. Live: DCB by rtnetlink,
 * pause by ethtool's netlink, and configfs is only read: a device whose directory nobody has made there has
 * an unknown tos. A tree has dcb.json and pause.json (tests/README). Sets all fields of all ports to unknown
 * first, also those of lldp, and so comes before it. Returns 0: what cannot be read has its "why".
 */
int facts_read_port_settings(const struct root *root, const struct topology *topo, const unsigned *storage,
			     unsigned count, struct settings *ret, struct findings *findings,
			     struct err *err) _must_check_;
/* The LLDP neighbours' chassis, of these ports: by liblldpctl if built with it, of a tree from lldp.json. */
int facts_read_lldp(const struct root *root, const struct topology *topo, const unsigned *port,
		    unsigned count, struct settings *ret, struct findings *findings,
		    struct err *err) _must_check_;
/* The GID tables of the RDMA links on these functions (and their bonds). */
int facts_read_gids(const struct root *root, const struct topology *topo, const unsigned *port,
		    unsigned count, struct settings *ret, struct findings *findings,
		    struct err *err) _must_check_;
/* arp_ignore and its kin of every interface with an address that a storage port carries. */
int facts_read_arp(const struct root *root, const struct topology *topo, struct settings *ret,
		   struct findings *findings, struct err *err) _must_check_;
/* The way of each path of the plan that has a source. */
int facts_ask_path_routes(const struct root *root, const struct topology *topo, const struct plan *plan,
			  struct settings *ret, struct findings *findings, struct err *err) _must_check_;
/* nvmf-autoconnect, the DMI UUID, /etc/nvme/hostnqn and hostid. */
int facts_read_host(const struct root *root, struct settings *ret, struct findings *findings,
		    struct err *err) _must_check_;

/* The PCIe link of a function: four files, so for every command. What has none is unknown. */
void facts_read_pcie(const struct root *root, const struct port *port, struct pcie_link *ret,
		     struct findings *findings);

/*
 * Who else configures this interface: networkd's and NetworkManager's own words below /run, by its index,
 * since either gives its files that name. Neither there: nobody. Both: networkd.
 */
void facts_read_managed(const struct root *root, const struct netdev *netdev, struct managed *ret,
			struct findings *findings);
/*
 * The cards of these ports (indexes into topo->port), which are BlueField-3, and the NVMe functions that they
 * emulate. Live: devlink's netlink and /dev/rshim*, where root alone learns all; a tree has devlink.json and
 * dev/rshim*. May be called again: it starts from nothing.
 */
int facts_read_offload(const struct root *root, const struct topology *topo, const unsigned *storage,
		       unsigned count, struct offload *ret, struct findings *findings,
		       struct err *err) _must_check_;

/* True if this process is in the initial network namespace, which nvme-rdma uses whoever calls. */
bool facts_initial_netns(void);

/*
 * True if it is in the initial PID namespace: in another one /proc shows a part of the processes, and so a
 * part of the mount namespaces.
 */
bool facts_initial_pidns(void);

/* --- input files ------------------------------------------------------------------------------ */

/* The value of "initiator" in the config; --initiator wins. */
enum config_initiator { CONFIG_INITIATOR_AUTO, CONFIG_INITIATOR_HOST };

/* The config file as read; what it does not say stays as it was in *ret. */
struct config {
	struct request request; /* portals, opts, hostnqn, hostid, ports */
	bool there;
	enum config_initiator initiator;
};

/*
 * Reads the config into *ret, whose defaults the caller has set. path NULL: the usual place,
 * where a missing file is no error. A path is one of this machine if the root is live (a relative one
 * starts in the working directory); in a tree it is one below the tree. Errors: XC_USAGE for a bad or
 * (named but) missing file, XC_ENVIRONMENT for one that must not be trusted; *ret is then as it was.
 */
#define CONFIG_PATH "etc/nvme-partition/config.json"
int facts_read_config(const struct root *root, const char *path, struct config *ret,
		      struct err *err) _must_check_;

/*
 * The platform of this machine: first the files of the admin, then the built-in ones. force:
 * an id, or a file (with a '/' in it; read as the config's path is), that replaces the DMI match; NULL:
 * none. *ret_known is false (and 0 returned) if nothing matches. Any bad file of the admin is an error,
 * matching or not: XC_USAGE, XC_ENVIRONMENT for one that must not be trusted.
 */
#define PLATFORMS_DIR "etc/nvme-partition/platforms.d"
int facts_read_platform(const struct root *root, const struct dmi *dmi, const char *force,
			struct platform *ret, bool *ret_known, struct err *err) _must_check_;

/*
 * The host's identity for the kernel, in place: what request already holds (command line, config) is
 * kept; else /etc/nvme/hostnqn, and only then hostid beside it; an NQN without a host id gets the UUID in it.
 */
int facts_read_identity(const struct root *root, struct request *request, struct err *err) _must_check_;
