/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A machine with two storage ports, and a journal of what was made on them, for the tests of plan_teardown.c.
 */
#pragma once

#include "lib/t.h"

#include <stdlib.h>
#include <string.h>

#include "policy/policy.h"

#define S1 "nqn.2026-01.example:s1"
#define S2 "nqn.2026-01.example:s2"
#define PORT_A "10.10.1.1" /* of port 0, mlx5_1 */
#define PORT_B "10.10.2.1" /* of port 1, mlx5_2 */

#define PUT(dst, src) assert_int_equal(str_copy(dst, sizeof(dst), src), 0)

struct world {
	struct topology topo;
	struct classification classes;
	struct journal_claims claims;
	struct teardown what; /* all, unless a test says else */
	struct plan plan;
	struct steps steps;
	struct findings findings;
	struct err err;
};

static struct ip ip(const char *text)
{
	struct ip ret;

	assert_int_equal(ip_parse(text, &ret), 0);
	return ret;
}

static int setup(void **state)
{
	struct world *w = calloc(1, sizeof(*w));

	assert_non_null(w);
	w->what.port = -1;
	w->topo.ports = w->topo.netdevs = w->topo.rdma_links = w->topo.addrs = 2;
	for (unsigned i = 0; i < 2; i++) {
		w->topo.port[i] = (struct port){ .pci = { .bus = 0x29, .function = (uint8_t)i },
						 .netdev = (int)i,
						 .rdma = (int)i };
		w->topo.netdev[i].ifindex = (int)i + 2;
		w->topo.addr[i] = (struct netaddr){ .ifindex = (int)i + 2, .ip = ip(i ? PORT_B : PORT_A) };
		str_format(w->topo.rdma_link[i].name, RDMA_NAME_SIZE, "mlx5_%u", i + 1);
		w->classes.port[i].role = ROLE_STORAGE;
	}
	*state = w;
	return 0;
}

static int teardown(void **state)
{
	free(*state);
	return 0;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

static struct ctrl_id id_of(const char *nqn, const char *traddr, const char *host_traddr)
{
	struct ctrl_id id = { .transport = "rdma", .trsvcid = "4420", .hostnqn = "nqn.2026-01.example:host" };

	PUT(id.nqn, nqn);
	PUT(id.traddr, traddr);
	PUT(id.host_traddr, host_traddr);
	return id;
}

/* The journal's next claim. inode 0: its "done" is missing. */
static struct journal_claim *add_claim(struct world *w, const struct ctrl_id *id, uint64_t inode)
{
	struct journal_claim *claim = &w->claims.claim[w->claims.count++];

	*claim = (struct journal_claim){ .id = *id, .inode = inode };
	return claim;
}

/* The machine's next controller, nvmeN from 0. */
static struct ctrl *add_ctrl(struct world *w, const struct ctrl_id *id, uint64_t inode, const char *state)
{
	struct ctrl *ctrl = &w->topo.ctrl[w->topo.ctrls];

	*ctrl = (struct ctrl){ .instance = w->topo.ctrls++, .id = *id, .inode = inode };
	PUT(ctrl->state, state);
	return ctrl;
}

/* One that was made by us, and is there. */
static inline struct ctrl *add_ours(struct world *w, const char *nqn, const char *traddr,
				    const char *host_traddr)
{
	struct ctrl_id id = id_of(nqn, traddr, host_traddr);
	uint64_t inode = 1000 + w->topo.ctrls;

	add_claim(w, &id, inode);
	return add_ctrl(w, &id, inode, "live");
}

static inline struct ns *add_ns(struct world *w, const struct ctrl *ctrl, const char *device)
{
	struct ns *ns = &w->topo.ns[w->topo.nss++];

	*ns = (struct ns){ .ctrl = (unsigned)(ctrl - w->topo.ctrl), .ana_usable = true };
	PUT(ns->device, device);
	return ns;
}

static inline void add_use(struct world *w, const char *device, enum use_kind kind, const char *way)
{
	struct use *use = &w->topo.use[w->topo.uses++];

	*use = (struct use){ .kind = kind };
	PUT(use->device, device);
	PUT(use->way, way);
}

/* Plans and lowers; returns the exit of a dry run. */
static enum exit_class plan(struct world *w)
{
	w->findings.count = 0;
	assert_int_equal(
		plan_teardown(&w->topo, &w->classes, &w->claims, &w->what, &w->plan, &w->findings, &w->err),
		0);
	assert_int_equal(lower_teardown(&w->plan, &w->topo, &w->classes, &w->claims, &w->steps, &w->err), 0);
	return verdict_teardown(&w->plan);
}

/* Of the claim of this number: plan.paths if it was not selected. */
static inline unsigned find_path(const struct world *w, unsigned claim)
{
	unsigned i = 0;

	while (i < w->plan.paths && !ctrl_id_equal(&w->plan.path[i].id, &w->claims.claim[claim].id))
		i++;
	return i;
}

static inline const struct path *path_of(const struct world *w, unsigned claim)
{
	unsigned i = find_path(w, claim);

	assert_true(i < w->plan.paths);
	return &w->plan.path[i];
}

static inline enum path_action action_of(const struct world *w, unsigned claim)
{
	return path_of(w, claim)->action;
}

static inline bool is_step_of(const struct step *step, const struct journal_claim *claim)
{
	return step->kind == STEP_NVME_DISCONNECT && step->inode == claim->inode &&
	       ctrl_id_equal(&step->id, &claim->id);
}

static inline void assert_text(const char *text, const char *wanted)
{
	if (!strstr(text, wanted))
		fail_msg("\"%s\" does not say \"%s\"", text, wanted);
}
