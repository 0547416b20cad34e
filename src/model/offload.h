/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The offload to BlueField-3 cards, as far as the host can see it: what was read of each card and of the NVMe
 * functions that it emulates (facts), what follows from that (policy), and the plan for the card's own
 * software. Neither names nor part numbers say in which mode a card is: what does is listed as evidence.
 */
#pragma once

#include "model/plan.h"

#define OFFLOAD_CARDS_MAX 16
#define OFFLOAD_PORTS_MAX 8 /* a card */
#define OFFLOAD_ENDPOINTS_MAX 1024
#define OFFLOAD_NSS_MAX 8192
#define OFFLOAD_EVIDENCE_MAX 24 /* a card */
#define OFFLOAD_EVIDENCE_SIZE 192
#define OFFLOAD_WHY_SIZE 128
#define OFFLOAD_VERSION_SIZE 64

enum offload_state {
	OFFLOAD_UNKNOWN,
	OFFLOAD_ACTIVE,	     /* an emulated controller is live, with a namespace that has a size */
	OFFLOAD_IDLE,	     /* there is an emulated function, and no such controller */
	OFFLOAD_NO_ENDPOINT, /* DPU mode, and no emulated function */
	OFFLOAD_NIC_MODE,    /* the Arm cores are off (BlueField Modes of Operation) */
};

enum card_mode { CARD_MODE_UNKNOWN, CARD_MODE_DPU, CARD_MODE_NIC };

/* What the card itself says, by rshim. */
enum bf_mode {
	BF_MODE_UNREAD,
	BF_MODE_DPU,
	BF_MODE_NIC,
	BF_MODE_UNCLEAR, /* rshim does not know it, or two of one card do not agree */
};

/* A network function of a card. */
struct offload_port {
	struct pci_addr pci;
	uint16_t vendor, device;
	bool infiniband;
	enum eswitch eswitch;
	char eswitch_why[OFFLOAD_WHY_SIZE]; /* why it is unknown; empty: nobody was asked */
	char firmware[OFFLOAD_VERSION_SIZE];
	char psid[OFFLOAD_VERSION_SIZE]; /* a hint at the model, not at the mode */
};

struct offload_card {
	struct pci_addr pci; /* of its first network function */
	struct offload_port port[OFFLOAD_PORTS_MAX];
	unsigned ports;
	bool managed; /* there is the SoC management function, as in either mode */
	struct pci_addr management;
	enum bf_mode rshim;
	char rshim_name[16]; /* rshim0; empty: no rshim that can be read is of this card */
	/* of policy */
	int slot; /* -1: the platform does not say */
	enum card_mode mode;
	enum offload_state state;
	char evidence[OFFLOAD_EVIDENCE_MAX][OFFLOAD_EVIDENCE_SIZE];
	unsigned evidences;
};

/* An NVMe function that a BlueField emulates. */
struct offload_endpoint {
	struct pci_addr pci;
	uint16_t vendor, device;
	int card; /* index into card; -1: of none of them, or open of which */
	bool vf;
	char driver[32];		 /* empty: none */
	char controller[NVME_NAME_SIZE]; /* nvme2; empty: none */
	char state[24];			 /* of that controller; empty: unknown */
	bool unread;			 /* it may have namespaces that could not be read */
	unsigned nss;			 /* in offload.ns */
};

struct offload_ns {
	unsigned endpoint; /* index into endpoint */
	uint32_t nsid;
	char device[NVME_NAME_SIZE];
	int64_t size_bytes; /* -1: unknown */
};

/* JSON-RPC methods of SPDK and of SNAP-4. */
enum rpc_method {
	RPC_BDEV_NVME_ATTACH_CONTROLLER,
	RPC_BDEV_NVME_DETACH_CONTROLLER,
	RPC_NVME_SUBSYSTEM_CREATE,
	RPC_NVME_SUBSYSTEM_DESTROY,
	RPC_NVME_NAMESPACE_CREATE,
	RPC_NVME_NAMESPACE_DESTROY,
	RPC_NVME_CONTROLLER_CREATE,
	RPC_NVME_CONTROLLER_DESTROY,
	RPC_NVME_CONTROLLER_ATTACH_NS,
	RPC_NVME_CONTROLLER_DETACH_NS,
	RPC_NVME_CONTROLLER_RESUME,
};

struct rpc {
	enum rpc_method method;
	unsigned id;   /* of the JSON-RPC request, from 1 */
	unsigned take; /* the request whose result has the ctrl_id; 0: none is needed */
};

#define OFFLOAD_PATHS_MAX 2048
#define OFFLOAD_RPCS_MAX 6 /* a path: connect one way, or the other */

/* A path that an initiator on the card would have, and the requests that make it. */
struct offload_path {
	struct portal portal;
	char hostaddr[IP_TEXT_MAX]; /* the card's own source; empty: not known here */
	int card;		    /* index into card; -1: nothing says which */
	unsigned subsystem;	    /* from 0: its SPDK controller is offloadN, its SNAP namespace N + 1 */
	int num_io_queues;
	int ctrlr_loss_timeout_sec, reconnect_delay_sec; /* -1: for ever; as SPDK wants them */
	struct rpc request[OFFLOAD_RPCS_MAX];
	unsigned requests;
	struct rpc inverse[OFFLOAD_RPCS_MAX]; /* to be sent after those of later paths */
	unsigned inverses;
};

struct offload {
	struct offload_card card[OFFLOAD_CARDS_MAX]; /* sorted by PCI address */
	unsigned cards;
	struct offload_endpoint endpoint[OFFLOAD_ENDPOINTS_MAX]; /* sorted by PCI address */
	unsigned endpoints;
	struct offload_ns ns[OFFLOAD_NSS_MAX]; /* sorted by (endpoint, nsid) */
	unsigned nss;
	enum read_state devlink_read;
	char devlink_why[OFFLOAD_WHY_SIZE];
	char rshim_why[OFFLOAD_WHY_SIZE]; /* why an rshim tells nothing; empty: none did not */
	bool tmfifo;			  /* tmfifo_net0 is there */
	bool unseen; /* functions could not be read: there may be endpoints that are not listed */
	/*
	 * EOPNOTSUPP means that somebody else manages the eswitch. Before 6.0 mlx5 said so of every card
	 * without SR-IOV as well (eswitch_devlink_esw_mode_check).
	 */
	bool not_ours_is_sure;
	enum offload_state state;
	struct offload_path path[OFFLOAD_PATHS_MAX]; /* in the order in which they are to be made */
	unsigned paths;
	char hostnqn[NQN_SIZE]; /* of all paths; empty: not known */
};

const char *offload_state_name(enum offload_state state);
const char *card_mode_name(enum card_mode mode); /* NULL for unknown */
const char *eswitch_name(enum eswitch eswitch);	 /* legacy, switchdev; NULL for the others */
const char *rpc_method_name(enum rpc_method method);
/* A controller and a namespace of it are what "active" means. */
bool offload_endpoint_is_live(const struct offload *offload, unsigned endpoint);
