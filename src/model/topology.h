/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What was read of the machine: plain values, fixed capacities, indexes instead of
 * pointers, -1 (or the enum's UNKNOWN) for what could not be read. Filled by facts/, judged
 * by policy/, printed by report/. One calloc holds it all; nothing inside is freed.
 *
 * Passing a capacity is an error that names it, never a truncation. The structure is large
 * (about 53 MB) but only touched pages cost memory, so it must come from calloc and
 * must not be copied or cleared as a whole.
 */
#pragma once

#include <stdint.h>

#include "base/cpuset.h"
#include "base/inet.h"
#include "base/parse.h"
#include "base/pci.h"
#include "model/bond.h"

#define TOPO_PORTS_MAX 512 /* PCI network functions, VFs included */
#define TOPO_NETDEVS_MAX 2048
#define TOPO_ALTNAMES_MAX 8 /* a netdev */
#define TOPO_ADDRS_MAX 4096
#define TOPO_DEFAULTS_MAX 64 /* default routes */
#define TOPO_RDMA_MAX 1024   /* RDMA links: a device's port each */
#define TOPO_CTRLS_MAX 1024
#define TOPO_SUBSYSS_MAX 1024
#define TOPO_NSS_MAX 8192
#define TOPO_HCTXS_MAX 65536
#define TOPO_IRQS_MAX 16384
#define TOPO_NODES_MAX 64
#define TOPO_CM_IDS_MAX 65536
#define TOPO_USES_MAX 4096

#define RDMA_NAME_SIZE 64 /* IB_DEVICE_NAME_MAX */
#define NVME_NAME_SIZE 32 /* DISK_NAME_LEN */
#define IOPOLICY_SIZE 32
#define IRQ_NAME_SIZE 80
#define ALTNAME_SIZE 128 /* ALTIFNAMSIZ */
#define DMI_SIZE 128
#define OWNER_SIZE 64 /* a name in nvme-cli's registry */
#define USE_WAY_SIZE 256

enum link_layer { LINK_LAYER_UNKNOWN, LINK_LAYER_ETHERNET, LINK_LAYER_INFINIBAND };

enum bond_mode { /* the kernel's numbers, if_bonding.h */
		 BOND_BALANCE_RR,
		 BOND_ACTIVE_BACKUP,
		 BOND_BALANCE_XOR,
		 BOND_BROADCAST,
		 BOND_8023AD,
		 BOND_BALANCE_TLB,
		 BOND_BALANCE_ALB,
		 BOND_UNKNOWN,
};

/* How the switch inside the card works (devlink). NONE: EOPNOTSUPP, this host has none to manage. */
enum eswitch { ESWITCH_UNKNOWN, ESWITCH_NONE, ESWITCH_LEGACY, ESWITCH_SWITCHDEV };

enum net_kind { NET_PLAIN, NET_BOND, NET_VLAN, NET_OTHER };

struct dmi {
	char sys_vendor[DMI_SIZE]; /* empty: could not be read */
	char product_name[DMI_SIZE];
};

/* A network interface. Members of a bond have it as their master. */
struct netdev {
	int ifindex;
	char name[IFNAMSIZ];
	char altname[TOPO_ALTNAMES_MAX][ALTNAME_SIZE];
	unsigned altnames;
	char mac[64];	   /* current, lower case with colons */
	char perm_mac[64]; /* permanent; empty: unknown */
	enum net_kind kind;
	bool infiniband; /* ARPHRD_INFINIBAND: IPoIB */
	bool loopback;
	bool up;      /* IFF_UP */
	bool carrier; /* IFF_LOWER_UP */
	int mtu;
	int master_ifindex; /* bond, bridge, VRF; 0: none */
	int lower_ifindex;  /* the device below a VLAN; 0: none */
	bool has_pci;
	struct pci_addr pci;	   /* the function its sysfs link goes through */
	bool subfunction;	   /* of an auxiliary device (SF) of that function: never a port */
	enum bond_mode bond_mode;  /* of a bond */
	int active_ifindex;	   /* of an active-backup bond; 0: none */
	struct bond_info bond;	   /* of a bond; else unknown */
	struct member_info member; /* of a member of one; else unknown */
};

struct netaddr {
	int ifindex;
	struct ip ip;
	unsigned prefixlen;
	bool usable; /* as a source: neither tentative, nor failed DAD, nor deprecated, nor temporary */
};

/* One nexthop of a default route, of any table. */
struct default_route {
	uint8_t family; /* 4, 6 */
	int ifindex;
};

/* One port of an RDMA device, as "rdma link" prints it. */
struct rdma_link {
	unsigned index; /* of the device, in RDMA netlink */
	char name[RDMA_NAME_SIZE];
	unsigned port;
	bool active;	/* port state ACTIVE */
	char state[16]; /* as rdma link prints it, lower case: active, down, init, armed, ... */
	enum link_layer link_layer;
	int netdev_ifindex; /* what RDMA netlink names; of a RoCE LAG a slave; 0: none */
	bool has_pci;
	struct pci_addr pci; /* of its device link; rxe has none */
	bool subfunction;
	int ncv; /* ibv_context.num_comp_vectors; -1: unknown */
};

/* A PCI network function. */
struct port {
	struct pci_addr pci;
	uint16_t vendor, device; /* 0: could not be read */
	uint32_t class;
	int numa_node; /* -1: unknown */
	bool vf;
	struct pci_addr pf; /* of a VF */
	int vfs;	    /* sriov_numvfs: enabled now; -1: unknown. Without SR-IOV 0 */
	enum eswitch eswitch;
	int netdev;	/* index into netdevs; -1: none */
	int rdma;	/* index into rdma_links; -1: none */
	int speed_mbps; /* -1: unknown or no link */
};

struct ctrl_id { /* what a controller is; never nvmeN, which the kernel reuses */
	char nqn[NQN_SIZE];
	char transport[16];
	char traddr[IP_TEXT_MAX];
	char trsvcid[32];
	char host_traddr[IP_TEXT_MAX]; /* empty: none */
	char hostnqn[NQN_SIZE];
	char hostid[UUID_SIZE];
};

/* An NVMe controller of any transport. */
struct ctrl {
	unsigned instance; /* N of nvmeN, as long as this topology is true */
	struct ctrl_id id; /* nqn is "" while the kernel does not show one yet */
	char state[24];	   /* live, connecting, ... ; empty: unknown */
	int cntlid;	   /* -1: unknown, as below */
	int queue_count;   /* with the admin queue */
	bool unread;	   /* one of the above could not be read: it may be another one than it seems */
	bool nss_unread;   /* it may have namespaces that could not be read */
	/*
	 * Of its directory in sysfs: which one of all that ever were nvmeN this is. kernfs gives no number
	 * twice in a boot (kernfs_node.id: allocated cyclically, with a generation). 0: unknown (a tree).
	 */
	uint64_t inode;
	char owner[OWNER_SIZE]; /* in nvme-cli's registry; "": none; "unknown": it cannot be read */
	/* Of a fabrics controller: facts_read_ctrl_settings. */
	int ctrl_loss_tmo;	    /* seconds; -1: unknown, as below; INT_MAX: off, for ever */
	int reconnect_delay;	    /* seconds */
	char src_addr[IP_TEXT_MAX]; /* of TCP: the source in use; empty: unknown */
	char host_iface[IFNAMSIZ];  /* of TCP; empty: none */
	char kind[16];		    /* cntrltype: io, discovery, admin; empty: unknown */
};

struct ns {
	unsigned ctrl; /* index into ctrls */
	uint32_t nsid;
	char device[NVME_NAME_SIZE];	  /* what one mounts: nvme0n1 */
	char path_device[NVME_NAME_SIZE]; /* the hidden path: nvme0c1n1; equal without multipath */
	char uuid[UUID_SIZE];		  /* empty: none */
	int64_t size_bytes;		  /* -1: unknown */
	/* False: ANA says that this path takes no I/O now (neither optimized nor non-optimized). */
	bool ana_usable;
};

enum use_kind {
	USE_HOLDER, /* a block device above it: device mapper, md, bcache */
	USE_MOUNT,  /* in any mount namespace; a member of a mounted btrfs too */
	USE_SWAP,   /* a device or a file */
	USE_ROOT,   /* the root file system of this machine */
};

/* Who would miss a namespace. */
struct use {
	char device[NVME_NAME_SIZE]; /* as ns.device */
	enum use_kind kind;
	char way[USE_WAY_SIZE]; /* from it to its user: "nvme0n1p1 > dm-0 (vg-data) > /mnt/data" */
};

struct hctx { /* of a controller's first namespace: the tag set is the controller's */
	unsigned ctrl;
	unsigned number; /* queue id - 1 */
	struct cpuset cpus;
};

/* A completion interrupt of a port. Async and control vectors are not listed. */
struct irq {
	unsigned irq;
	struct pci_addr pci;
	unsigned vector; /* from 0, whatever number the driver's names start at */
	char name[IRQ_NAME_SIZE];
	uint64_t count; /* interrupts since it was made, on all CPUs */
	bool affinity_known, effective_known;
	struct cpuset affinity, effective;
};

struct node {
	unsigned id;
	struct cpuset cpus;
};

/* One CM_ID with an owner in the kernel, from RDMA netlink. */
struct cm_id {
	unsigned rdma_index;
	char rdma_name[RDMA_NAME_SIZE];
	char owner[32]; /* nvme_rdma, nvmet_rdma, ...; empty: a process */
	bool has_addrs;
	struct ip src, dst;
	uint16_t src_port, dst_port;
	bool has_qp;
	bool qp_rts; /* its queue pair is in RTS: only then it carries traffic */
};

/* An NVMe subsystem as the host sees it: what its controllers' paths are joined in. */
struct subsys {
	char nqn[NQN_SIZE];
	char iopolicy[IOPOLICY_SIZE]; /* numa, round-robin, queue-depth; empty: unknown, or no multipath */
};

enum read_state { READ_NOT_THERE, READ_OK, READ_FAILED };

struct topology {
	bool live;
	struct dmi dmi;

	struct cpuset online;
	struct node node[TOPO_NODES_MAX];
	unsigned nodes;

	/* READ_FAILED: some interfaces, addresses or RDMA ports may be missing, or be other than they seem.
	 */
	enum read_state net_read, rdma_read;

	struct netdev netdev[TOPO_NETDEVS_MAX];
	unsigned netdevs;
	struct netaddr addr[TOPO_ADDRS_MAX];
	unsigned addrs;
	struct default_route default_route[TOPO_DEFAULTS_MAX];
	unsigned default_routes;

	struct rdma_link rdma_link[TOPO_RDMA_MAX]; /* sorted by name (strverscmp), port */
	unsigned rdma_links;
	struct port port[TOPO_PORTS_MAX]; /* sorted by PCI address */
	unsigned ports;

	struct ctrl ctrl[TOPO_CTRLS_MAX]; /* sorted by instance */
	unsigned ctrls;
	struct ns ns[TOPO_NSS_MAX]; /* sorted by (ctrl, nsid) */
	unsigned nss;
	struct hctx hctx[TOPO_HCTXS_MAX]; /* sorted by (ctrl, number) */
	unsigned hctxs;

	struct use use[TOPO_USES_MAX]; /* of the namespaces above; sorted by (device, way) */
	unsigned uses;

	struct irq irq[TOPO_IRQS_MAX]; /* of storage ports only; sorted by (pci, vector) */
	unsigned irqs;

	struct cm_id cm_id[TOPO_CM_IDS_MAX];
	unsigned cm_ids;
	enum read_state cm_ids_read; /* READ_FAILED: nothing can be proven */
	char cm_ids_why[160];	     /* why it failed */

	/* CPU topology: facts_read_cores. Before it nothing is known, and no core is one for storage. */
	int core[CPUS_MAX]; /* of an online CPU: the lowest of its hardware threads; -1: unknown */
	struct cpuset isolated, nohz_full;
	bool isolated_known, nohz_full_known;

	/* Beside the queues: facts_read_blk, facts_read_other_irqs. */
	struct subsys subsys[TOPO_SUBSYSS_MAX];
	unsigned subsyss;
	int rq_affinity[TOPO_NSS_MAX];	     /* of ns of the same index: 0, 1, 2; -1: unknown */
	struct irq other_irq[TOPO_IRQS_MAX]; /* never written; sorted by (pci, vector), effective not read */
	unsigned other_irqs;
};

/* Look-ups by value; NULL: none. */
const struct netdev *topo_netdev(const struct topology *topo, int ifindex);
const struct netdev *topo_netdev_by_name(const struct topology *topo, const char *name);
const struct port *topo_port(const struct topology *topo, const struct pci_addr *pci);
const struct irq *topo_irq(const struct topology *topo, const struct pci_addr *pci, unsigned vector);
const struct node *topo_node(const struct topology *topo, int id);

const char *bond_mode_name(enum bond_mode mode);    /* "active-backup", ...; "unknown" */
const char *link_layer_name(enum link_layer layer); /* NULL for unknown */
/*
 * Reads sysfs's "address" of a fabrics controller, "traddr=...,trsvcid=...,host_traddr=..." in any order
 * (fabrics.c nvmf_get_address), into id's addresses, which must be empty; they come out in one spelling.
 * Other keys are not part of the identity. 0, or -EINVAL / -ENAMETOOLONG with the three empty.
 */
int ctrl_address_parse(const char *text, struct ctrl_id *id) _must_check_;

/* Deleting or dead: the kernel does not count it as a duplicate any more (nvmf_ip_options_match). */
bool ctrl_state_is_gone(const char *state);

/* Same (nqn, transport, traddr, trsvcid, host_traddr, hostnqn, hostid), addresses by value. */
bool ctrl_id_equal(const struct ctrl_id *a, const struct ctrl_id *b);
/* Order by (nqn, traddr, trsvcid, host_traddr), the order of "paths". */
int ctrl_id_compare(const struct ctrl_id *a, const struct ctrl_id *b);
