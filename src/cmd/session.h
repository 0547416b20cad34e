/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A session: all that one run of the program holds. main opens it, the command fills it, report reads its
 * result. Large members come from calloc, since only touched pages cost memory.
 */
#pragma once

#include "apply/journal.h"
#include "base/root.h"
#include "cmd/options.h"
#include "model/result.h"
#include "policy/offload.h"
#include "policy/policy.h"

#define ERRORS_MAX (PATHS_MAX + SKIPS_MAX + 1)
#define POLICY_SCRIPT_MAX (512 + 48 * TOPO_PORTS_MAX) /* a line for each storage port */

struct store;

struct session {
	struct root root;
	struct store *store; /* holds what the pointers below point to */
	struct topology *topo;
	struct platform platform;
	bool platform_known;
	struct classification *classes;
	struct findings *findings;
	unsigned kept_findings; /* the first ones are not of a reading, and stay when all is read again */
	struct candidates *candidates;
	struct plan *plan;
	struct plan *placed; /* plan_placed */
	struct queues *queues;
	struct proof_groups *groups;
	struct steps *steps;
	struct journal_claims *claims;
	struct affinity *affinity;
	struct irqbalance *balance;
	struct offload *offload; /* session_read_offload */
	char *policy_script;	 /* POLICY_SCRIPT_MAX bytes */
	struct err *errors;
	unsigned error_count;
	char notice[1024]; /* one line for stderr that is no error; empty: none */
	bool bad_file;	   /* a config or platform file is at fault: a usage error that gets a document */
	struct result result;
};

int session_open(struct session *s, const struct options *options, struct err *err) _must_check_;
void session_close(struct session *s);

/* Notes one error for stderr and "errors"; returns its exit status. */
enum exit_class session_fail(struct session *s, const struct err *err);

/* DMI and the platform file: enough to know what machine this is. */
int session_identify(struct session *s, const struct options *options, struct err *err) _must_check_;

/* All facts, and the classification. May be called again: it starts from nothing. */
int session_read(struct session *s, struct err *err) _must_check_;

/*
 * After session_read, where the platform's initiator is the BlueField-3: what can be seen of the cards, into
 * s->result.offload. Elsewhere it does nothing.
 */
int session_read_offload(struct session *s, struct err *err) _must_check_;

/* XC_ENVIRONMENT on the Arm side of a BlueField: roles are those of the host's ports. After session_identify.
 */
int session_refuse_arm_side(const struct session *s, struct err *err) _must_check_;

/*
 * What show and connect say of controllers that exist: the owners (from the journal), interrupts and vectors
 * of the storage ports' queues. Call it when plan.path[].ctrl is up to date.
 */
int session_read_queues(struct session *s, struct err *err) _must_check_;

/* How many completion vectors the devices of these paths have; a device that is not storage's is not opened.
 */
int session_read_vectors(struct session *s, const struct plan *plan, struct err *err) _must_check_;

/* A tree takes dry runs alone. */
int session_check_tree(const struct session *s, const struct options *options, struct err *err) _must_check_;
/* Of a live machine: its initial network namespace. */
int session_check_netns(const struct session *s, struct err *err) _must_check_;

/* Before a command that changes the machine: this one, root (but for a dry run), its network namespace. */
int session_check_environment(const struct session *s, const struct options *options,
			      struct err *err) _must_check_;

/* The device that carries each controller that is there, as RDMA netlink had it when all was read. */
void session_prove_paths(struct session *s);

/* A finding if the last run of the journal was killed. ways: what can be done, and what this run does. */
void session_note_unfinished(struct session *s, const struct journal_data *journal, const char *ways);

/* journal_open(), with what it finds kept among the findings. */
int session_open_journal(struct session *s, int wait_s, struct journal **ret, struct err *err) _must_check_;
