/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The plan of connect in the field's words: which portal is reached from which storage
 * port, what exists already, what is refused and why. Policy makes it in two passes: candidates
 * (which sources could reach a portal), which the kernel is then asked about, and the paths.
 */
#pragma once

#include "model/classification.h"
#include "model/request.h"

#define CANDIDATES_MAX 8192
#define PATHS_MAX 2048
#define SKIPS_MAX 2048

/* What the kernel said of one way from a source to a portal. */
enum answer {
	ANSWER_UNASKED,
	ANSWER_YES,
	ANSWER_NO,	/* no route through that netdev; no such address; another device */
	ANSWER_UNKNOWN, /* could not be asked */
};

struct route_answer {
	enum answer answer;
	int oif;	   /* ifindex; 0: none */
	bool onlink;	   /* without a gateway */
	struct ip prefsrc; /* the source the kernel would choose */
};

/* Answer of the connection manager for (source, portal). */
enum probe_stage { PROBE_NONE, PROBE_BIND, PROBE_RESOLVE };
struct probe_answer {
	enum answer answer;
	enum probe_stage stage;		  /* where it ended, if not ANSWER_YES */
	int code;			  /* -errno */
	char rdma_device[RDMA_NAME_SIZE]; /* the device the kernel would use; empty: unknown */
	unsigned rdma_port;
};

struct candidate {
	unsigned portal; /* index into request.portal */
	int port;	 /* index into ports: the function that carries the source */
	int netdev;	 /* index into netdevs: owns the source address (port, VLAN or bond) */
	int rdma;	 /* index into rdma_links: the device that must carry it */
	struct ip src;
	unsigned prefixlen;
	struct route_answer route; /* with source, oif and FIB_MATCH */
	struct probe_answer probe;
};

struct candidates {
	struct candidate candidate[CANDIDATES_MAX];
	unsigned count;
	struct route_answer plain[REQUEST_PORTALS_MAX]; /* per portal: no source, no oif */
};

enum path_action {
	PATH_NONE,
	PATH_CONNECTED,
	PATH_KEPT,
	PATH_WOULD_CONNECT,
	PATH_DISCONNECTED,
	PATH_WOULD_DISCONNECT,
	PATH_FAILED,
	PATH_FOREIGN,
};

enum path_reason {
	PATH_REASON_NONE,
	PATH_NO_LISTENER,
	PATH_NO_ANSWER,
	PATH_NQN_UNKNOWN,
	PATH_HOST_NOT_ALLOWED,
	PATH_ADDRESS_MISSING,
	PATH_NO_RDMA_DEVICE,
	PATH_TIMEOUT,
	PATH_PROOF_MISMATCH,
	PATH_IN_USE,	    /* its removal would take the last path from something that uses it */
	PATH_NOT_OURS,	    /* a controller of the same names that somebody else made, or owns */
	PATH_FIRST_CONNECT, /* its first connect still runs: the kernel does not delete it (EBUSY) */
	PATH_PENDING,	    /* it is being deleted, and was not gone in time */
	PATH_OTHER,
};

enum proof { PROOF_NONE, PROOF_RDMA_NETLINK };

enum owner { OWNER_UNKNOWN, OWNER_US, OWNER_OTHER, OWNER_REGISTERED };

struct path {
	struct ctrl_id id;
	int portal; /* index into request.portal; -1: not asked for */
	int port;   /* indexes as in struct candidate; -1: unknown */
	int netdev;
	int rdma;
	int ctrl; /* index into ctrls; -1: not there */
	enum path_action action;
	enum proof proof;
	enum owner owner;
	char registered[OWNER_SIZE]; /* OWNER_REGISTERED: who */
	enum path_reason reason;
	char message[512]; /* with a reason */
};

enum skip_reason {
	SKIP_NOT_VIA_STORAGE,
	SKIP_NO_ROUTE,
	SKIP_PORT_UNUSABLE,
	SKIP_TRANSPORT_MISMATCH,
	SKIP_DUPLICATE,
	SKIP_CONFLICT,
	SKIP_INVALID,
	SKIP_DISCOVERY_SUBSYSTEM,
};

struct skip {
	char nqn[NQN_SIZE];
	char traddr[IP_TEXT_MAX];
	char trsvcid[SVCID_SIZE];
	enum skip_reason reason;
	bool may_come;	/* a port, its carrier or its address may still appear: --wait waits for it */
	bool timed_out; /* still so when --wait ended */
	char message[512];
};

struct plan {
	struct path path[PATHS_MAX]; /* sorted by id */
	unsigned paths;
	struct skip skip[SKIPS_MAX]; /* sorted by (traddr, trsvcid, nqn) */
	unsigned skips;
};

const char *path_action_name(enum path_action action);
const char *path_reason_name(enum path_reason reason); /* NULL for none */
const char *proof_name(enum proof proof);
const char *path_owner_name(const struct path *path); /* NULL for unknown */
const char *skip_reason_name(enum skip_reason reason);
