/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * policy/plan_teardown.c: which claims are meant, what is there of them, and in which order it goes. What is
 * in use is in test_plan_teardown_uses.c.
 *
 * Seen to catch: the other inode taken for ours; any inode needed to be known; the registry not asked; the
 * names compared without hostnqn when a step looks for its path; a PCIe controller taken; the oldest claim
 * first; a claim that is gone left out of the steps; a CM_ID of another service or owner believed.
 */
#include "unit/teardown_world.h"

#include <errno.h>

/* --- which claims --- */

static void nothing_of_ours_is_nothing_to_do(void **state)
{
	struct world *w = *state;
	struct ctrl_id id = id_of(S1, "10.10.1.2", PORT_A);

	add_ctrl(w, &id, 7, "live");
	assert_int_equal(plan(w), XC_OK);
	assert_int_equal(w->plan.paths, 0);
	assert_int_equal(w->steps.count, 0);
}

static void all_that_is_ours_goes_and_nothing_else(void **state)
{
	struct world *w = *state;
	struct ctrl_id id = id_of(S1, "10.10.1.9", PORT_A);

	add_ours(w, S1, "10.10.1.2", PORT_A);
	add_ctrl(w, &id, 7, "live");
	add_ours(w, S2, "10.10.2.2", PORT_B);
	assert_int_equal(plan(w), XC_OK);
	assert_int_equal(w->plan.paths, 2);
	for (unsigned i = 0; i < 2; i++) {
		assert_int_equal(action_of(w, i), PATH_WOULD_DISCONNECT);
		assert_int_equal(path_of(w, i)->reason, PATH_REASON_NONE);
		assert_int_equal(path_of(w, i)->ctrl, 2 * i);
		assert_int_equal(path_of(w, i)->port, i);
		assert_int_equal(path_of(w, i)->portal, -1);
	}
}

static void nqn_selects_one_subsystem(void **state)
{
	struct world *w = *state;

	add_ours(w, S1, "10.10.1.2", PORT_A);
	add_ours(w, S2, "10.10.1.2", PORT_A);
	add_ours(w, S1 "0", "10.10.1.2", PORT_A); /* not S1, for all that it starts so */
	w->what.nqn = S1;
	plan(w);
	assert_int_equal(w->plan.paths, 1);
	assert_int_equal(action_of(w, 0), PATH_WOULD_DISCONNECT);
	assert_int_equal(w->steps.count, 1);
}

static void nqn_and_port_select_what_both_do(void **state)
{
	struct world *w = *state;

	add_ours(w, S1, "10.10.1.2", PORT_A);
	add_ours(w, S1, "10.10.2.2", PORT_B);
	add_ours(w, S2, "10.10.2.2", PORT_B);
	w->what.port = 1;
	plan(w);
	assert_int_equal(w->plan.paths, 2);
	assert_int_equal(find_path(w, 0), w->plan.paths);
	w->what.nqn = S1;
	plan(w);
	assert_int_equal(w->plan.paths, 1);
	assert_int_equal(find_path(w, 1), 0);
}

static void a_port_that_is_none_is_an_error(void **state)
{
	struct world *w = *state;

	w->what.port = 2;
	assert_int_equal(
		plan_teardown(&w->topo, &w->classes, &w->claims, &w->what, &w->plan, &w->findings, &w->err),
		-EINVAL);
	assert_int_equal(w->err.exit, XC_FAILED);
}

static struct cm_id *add_cm_id(struct world *w, const char *device)
{
	struct cm_id *cm = &w->topo.cm_id[w->topo.cm_ids++];

	*cm = (struct cm_id){ .owner = "nvme_rdma",
			      .has_addrs = true,
			      .src = ip("10.10.7.1"),
			      .dst = ip("10.10.7.2"),
			      .dst_port = 4420 };
	PUT(cm->rdma_name, device);
	return cm;
}

/* Its source address has moved away; its connections are still where they were. */
static void the_device_of_its_connections_selects_as_well(void **state)
{
	struct world *w = *state;
	struct cm_id *cm;

	add_ours(w, S1, "10.10.7.2", "10.10.7.1");
	w->what.port = 0;
	plan(w);
	assert_int_equal(w->plan.paths, 0);

	cm = add_cm_id(w, "mlx5_1");
	plan(w);
	assert_int_equal(w->plan.paths, 1);
	assert_int_equal(path_of(w, 0)->port, -1);
	assert_int_equal(w->steps.count, 1);
	w->what.port = 1;
	plan(w);
	assert_int_equal(w->plan.paths, 0);

	w->what.port = 0;
	cm->dst_port = 4421;
	plan(w);
	assert_int_equal(w->plan.paths, 0);
	add_cm_id(w, "mlx5_1")->has_addrs = false;
	add_cm_id(w, "mlx5_1")->src = ip(PORT_A);
	add_cm_id(w, "mlx5_1")->dst = ip("10.10.7.3");
	PUT(add_cm_id(w, "mlx5_1")->owner, "nvmet_rdma");
	add_cm_id(w, "mlx5_10");
	plan(w);
	assert_int_equal(w->plan.paths, 0);
	w->topo.port[0].rdma = -1;
	plan(w);
	assert_int_equal(w->plan.paths, 0);
}

static void an_address_on_two_interfaces_is_of_no_port(void **state)
{
	struct world *w = *state;

	add_ours(w, S1, "10.10.1.2", PORT_A);
	w->topo.addr[w->topo.addrs++] = (struct netaddr){ .ifindex = 3, .ip = ip(PORT_A) };
	for (int port = 0; port < 2; port++) {
		w->what.port = port;
		plan(w);
		assert_int_equal(w->plan.paths, 0);
	}
}

static void an_address_on_a_bond_is_of_the_port_that_carries_it(void **state)
{
	struct world *w = *state;
	struct bond_class *bond = &w->classes.bond[w->classes.bonds++];

	w->topo.netdev[w->topo.netdevs++] = (struct netdev){ .ifindex = 9, .kind = NET_BOND };
	*bond = (struct bond_class){
		.netdev = 2, .member = { 0, 1 }, .members = 2, .active = 1, .carrier = 1
	};
	w->topo.addr[0].ifindex = 9;
	add_ours(w, S1, "10.10.1.2", PORT_A);
	w->what.port = 0;
	plan(w);
	assert_int_equal(w->plan.paths, 0);
	w->what.port = 1;
	plan(w);
	assert_int_equal(w->plan.paths, 1);
	assert_int_equal(path_of(w, 0)->port, 1);
}

/* --- what is there of a claim --- */

/* One claim and one controller of its names. */
static void a_controller_is_ours_by_names_and_inode(void **state)
{
	static const struct {
		uint64_t claim, ctrl;
		const char *state, *owner;
		enum path_action action;
	} cases[] = {
		{ 5, 5, "live", "", PATH_WOULD_DISCONNECT },
		{ 5, 6, "live", "", PATH_FOREIGN },
		{ 5, 0, "live", "", PATH_WOULD_DISCONNECT }, /* a tree shows none */
		{ 0, 6, "live", "", PATH_WOULD_DISCONNECT }, /* killed before "done" */
		{ 0, 0, "", "", PATH_WOULD_DISCONNECT },
		{ 5, 5, "connecting", "", PATH_WOULD_DISCONNECT },
		{ 5, 5, "deleting", "", PATH_WOULD_DISCONNECT },	 /* watched until it is gone */
		{ 5, 5, "deleting (no IO)", "", PATH_WOULD_DISCONNECT }, /* as the kernel spells it */
		{ 5, 6, "deleting", "", PATH_NONE },			 /* theirs, and as good as gone */
		{ 5, 6, "dead", "", PATH_NONE },
		{ 5, 6, "", "", PATH_FOREIGN },
		{ 5, 5, "live", "stas", PATH_FOREIGN },
		{ 0, 6, "live", "stas", PATH_FOREIGN },
		{ 5, 5, "live", "unknown", PATH_FOREIGN },
		{ 5, 6, "live", "stas", PATH_FOREIGN },
	};
	struct world *w = *state;
	struct ctrl_id id = id_of(S1, "10.10.1.2", PORT_A);

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct path *path;

		w->claims.count = w->topo.ctrls = 0;
		add_claim(w, &id, cases[i].claim);
		PUT(add_ctrl(w, &id, cases[i].ctrl, cases[i].state)->owner, cases[i].owner);
		w->what.force = i % 2; /* no matter */
		plan(w);
		path = path_of(w, 0);
		if (path->action != cases[i].action)
			fail_msg("case %zu: %s", i, path_action_name(path->action));
		assert_int_equal(path->ctrl, path->action == PATH_WOULD_DISCONNECT ? 0 : -1);
		assert_int_equal(path->reason,
				 path->action == PATH_FOREIGN ? PATH_NOT_OURS : PATH_REASON_NONE);
		assert_int_equal(w->steps.count, path->action == PATH_FOREIGN ? 0 : 1);
	}
}

static void every_name_counts(void **state)
{
	struct world *w = *state;
	struct ctrl_id id = id_of(S1, "10.10.1.2", PORT_A);
	struct ctrl *ctrl;

	add_claim(w, &id, 0);
	ctrl = add_ctrl(w, &id, 6, "live");
#define WITHOUT(field, value)                                 \
	do {                                                  \
		ctrl->id = id;                                \
		PUT(ctrl->id.field, value);                   \
		plan(w);                                      \
		assert_int_equal(action_of(w, 0), PATH_NONE); \
	} while (0)
	WITHOUT(nqn, S2);
	WITHOUT(transport, "tcp");
	WITHOUT(traddr, "10.10.1.3");
	WITHOUT(trsvcid, "4421");
	WITHOUT(host_traddr, PORT_B);
	WITHOUT(host_traddr, "");
	WITHOUT(hostnqn, "nqn.2026-01.example:other");
	WITHOUT(hostid, "11111111-1111-1111-1111-111111111111");
#undef WITHOUT
}

static void a_foreign_one_is_named_with_the_reason(void **state)
{
	struct world *w = *state;
	struct ctrl_id id = id_of(S1, "fd00::2", "fd00::1");

	add_claim(w, &id, 5);
	add_ctrl(w, &id, 6, "live")->instance = 3;
	plan(w);
	assert_text(path_of(w, 0)->message, "nvme3 to [fd00::2]:4420 from fd00::1 is left alone: somebody");
	assert_text(path_of(w, 0)->message, "nvme disconnect -d nvme3");
	w->topo.ctrl[0].inode = 5;
	PUT(w->topo.ctrl[0].owner, "stas");
	plan(w);
	assert_text(path_of(w, 0)->message, "its owner in /run/nvme/registry is stas");
}

/* Ours on its way out, and beside it a new one of the same names. */
static void ours_is_found_beside_a_new_one(void **state)
{
	struct world *w = *state;
	struct ctrl_id id = id_of(S1, "10.10.1.2", PORT_A);

	add_claim(w, &id, 5);
	add_ctrl(w, &id, 6, "live");
	add_ctrl(w, &id, 5, "deleting");
	plan(w);
	assert_int_equal(action_of(w, 0), PATH_WOULD_DISCONNECT);
	assert_int_equal(path_of(w, 0)->ctrl, 1);
}

static void of_two_without_a_number_the_one_that_stays_is_ours(void **state)
{
	struct world *w = *state;
	struct ctrl_id id = id_of(S1, "10.10.1.2", PORT_A);

	add_claim(w, &id, 0);
	add_ctrl(w, &id, 5, "deleting");
	add_ctrl(w, &id, 6, "live");
	add_ctrl(w, &id, 7, "deleting");
	plan(w);
	assert_int_equal(path_of(w, 0)->ctrl, 1);
}

static void one_without_a_subsystem_has_no_name_to_be_told_by(void **state)
{
	static const struct {
		uint64_t claim, ctrl;
		const char *nqn, *traddr, *state;
		enum path_action action;
		enum path_reason reason;
		enum exit_class exit;
	} cases[] = {
		{ 0, 6, "", "10.10.1.2", "connecting", PATH_FAILED, PATH_FIRST_CONNECT, XC_PARTIAL },
		{ 0, 6, "", "10.10.1.2", "", PATH_FAILED, PATH_FIRST_CONNECT, XC_PARTIAL },
		{ 0, 6, "", "10.10.1.2", "deleting", PATH_FAILED, PATH_PENDING, XC_TIMEOUT },
		{ 0, 6, "", "10.10.1.3", "connecting", PATH_NONE, PATH_REASON_NONE, XC_OK },
		{ 0, 6, S2, "10.10.1.2", "connecting", PATH_NONE, PATH_REASON_NONE, XC_OK },
		{ 5, 6, "", "10.10.1.2", "connecting", PATH_NONE, PATH_REASON_NONE, XC_OK },
		{ 5, 5, "", "10.10.1.2", "connecting", PATH_FAILED, PATH_FIRST_CONNECT, XC_PARTIAL },
		{ 5, 0, "", "10.10.1.2", "connecting", PATH_FAILED, PATH_FIRST_CONNECT, XC_PARTIAL },
	};
	struct world *w = *state;
	struct ctrl_id id = id_of(S1, "10.10.1.2", PORT_A);

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		enum exit_class exit;

		w->claims.count = w->topo.ctrls = 0;
		add_claim(w, &id, cases[i].claim);
		PUT(add_ctrl(w, &id, cases[i].ctrl, cases[i].state)->id.nqn, cases[i].nqn);
		PUT(w->topo.ctrl[0].id.traddr, cases[i].traddr);
		exit = plan(w);
		if (action_of(w, 0) != cases[i].action || path_of(w, 0)->reason != cases[i].reason ||
		    exit != cases[i].exit)
			fail_msg("case %zu: %s, exit %d", i, path_action_name(action_of(w, 0)), exit);
		assert_int_equal(path_of(w, 0)->message[0] != '\0', cases[i].action == PATH_FAILED);
		assert_int_equal(w->steps.count, cases[i].action == PATH_FAILED ? 0 : 1);
	}
}

/* That it is gone would close its claim, and nobody would ever remove it. */
static void one_whose_names_cannot_be_read_is_not_gone(void **state)
{
	struct world *w = *state;
	struct ctrl *ctrl = add_ours(w, S1, "10.10.1.2", PORT_A);

	ctrl->id = (struct ctrl_id){ 0 };
	assert_int_equal(plan(w), XC_PARTIAL);
	assert_int_equal(action_of(w, 0), PATH_FAILED);
	assert_int_equal(path_of(w, 0)->reason, PATH_OTHER);
	assert_text(path_of(w, 0)->message, "nvme0 to 10.10.1.2:4420 from 10.10.1.1: ");
	assert_int_equal(w->steps.count, 0);
}

static void a_pcie_controller_is_never_touched(void **state)
{
	struct world *w = *state;
	struct ctrl_id id = id_of(S1, "0000:01:00.0", "");

	PUT(id.transport, "pcie"); /* no journal can say so */
	add_claim(w, &id, 0);
	add_ctrl(w, &id, 5, "live");
	plan(w);
	assert_int_equal(action_of(w, 0), PATH_NONE);
	assert_int_equal(path_of(w, 0)->ctrl, -1);
	w->topo.ctrl[0].id.nqn[0] = '\0';
	plan(w);
	assert_int_equal(action_of(w, 0), PATH_NONE);
}

/* --- paths and steps --- */

static void paths_are_sorted_and_steps_go_from_the_newest_claim_back(void **state)
{
	struct world *w = *state;
	const struct step *step = w->steps.step;

	add_ours(w, S2, "10.10.1.2", PORT_A);
	add_ours(w, S1, "10.10.1.10", PORT_A);
	add_ours(w, S1, "10.10.1.2", PORT_B);
	add_ours(w, S1, "10.10.1.2", PORT_A);
	plan(w);
	assert_int_equal(w->plan.paths, 4);
	for (unsigned i = 1; i < 4; i++)
		assert_true(ctrl_id_compare(&w->plan.path[i - 1].id, &w->plan.path[i].id) < 0);
	assert_int_equal(w->steps.count, 4);
	for (unsigned i = 0; i < 4; i++) {
		assert_true(is_step_of(&step[i], &w->claims.claim[3 - i]));
		assert_int_equal(step[i].state, STEP_WOULD);
		assert_ptr_equal(&w->plan.path[step[i].path], path_of(w, 3 - i));
		assert_int_equal(step[i].role, ROLE_STORAGE);
		assert_int_equal(step[i].pci.function, path_of(w, 3 - i)->port);
	}
}

static void a_claim_that_is_gone_is_a_step_to_be_closed(void **state)
{
	struct world *w = *state;
	struct ctrl_id id = id_of(S1, "10.10.1.2", PORT_A);

	add_claim(w, &id, 5);
	PUT(id.nqn, S2);
	add_claim(w, &id, 0);
	assert_int_equal(plan(w), XC_OK);
	assert_int_equal(w->steps.count, 2);
	for (unsigned i = 0; i < 2; i++) {
		assert_int_equal(action_of(w, i), PATH_NONE);
		assert_int_equal(w->steps.step[i].state, STEP_SKIPPED);
		assert_true(is_step_of(&w->steps.step[i], &w->claims.claim[1 - i]));
	}
}

static void what_stays_and_what_was_not_selected_is_no_step(void **state)
{
	struct world *w = *state;

	add_ours(w, S1, "10.10.1.2", PORT_A)->inode = 1; /* foreign */
	add_ours(w, S1, "10.10.1.3", PORT_A)->id.nqn[0] = '\0';
	add_ns(w, add_ours(w, S1, "10.10.1.4", PORT_A), "nvme0n1");
	add_use(w, "nvme0n1", USE_MOUNT, "nvme0n1 > /mnt");
	add_ours(w, S2, "10.10.1.5", PORT_A);
	add_ours(w, S1, "10.10.1.6", PORT_A);
	w->what.nqn = S1;
	assert_int_equal(plan(w), XC_PARTIAL);
	assert_int_equal(w->plan.paths, 4);
	assert_int_equal(w->steps.count, 1);
	assert_true(is_step_of(&w->steps.step[0], &w->claims.claim[4]));
}

/* The kernel lets two hosts of one machine have the same path; one of them is in use here. */
static void two_hosts_on_one_path_are_not_mixed_up(void **state)
{
	struct world *w = *state;
	struct ctrl_id id = id_of(S1, "10.10.1.2", PORT_A);

	for (unsigned i = 0; i < 4; i++) {
		str_format(id.hostnqn, sizeof(id.hostnqn), "nqn.2026-01.example:host%u", (i * 3) % 4);
		add_claim(w, &id, 5 + i);
		add_ctrl(w, &id, 5 + i, "live");
	}
	add_ns(w, &w->topo.ctrl[2], "nvme0n1");
	add_use(w, "nvme0n1", USE_MOUNT, "nvme0n1 > /mnt");
	assert_int_equal(plan(w), XC_PARTIAL);
	assert_int_equal(action_of(w, 2), PATH_KEPT);
	assert_int_equal(w->steps.count, 3);
	assert_true(is_step_of(&w->steps.step[0], &w->claims.claim[3]));
	assert_true(is_step_of(&w->steps.step[1], &w->claims.claim[1]));
	assert_true(is_step_of(&w->steps.step[2], &w->claims.claim[0]));
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(nothing_of_ours_is_nothing_to_do),
		TEST(all_that_is_ours_goes_and_nothing_else),
		TEST(nqn_selects_one_subsystem),
		TEST(nqn_and_port_select_what_both_do),
		TEST(a_port_that_is_none_is_an_error),
		TEST(the_device_of_its_connections_selects_as_well),
		TEST(an_address_on_two_interfaces_is_of_no_port),
		TEST(an_address_on_a_bond_is_of_the_port_that_carries_it),
		TEST(a_controller_is_ours_by_names_and_inode),
		TEST(every_name_counts),
		TEST(a_foreign_one_is_named_with_the_reason),
		TEST(ours_is_found_beside_a_new_one),
		TEST(of_two_without_a_number_the_one_that_stays_is_ours),
		TEST(one_without_a_subsystem_has_no_name_to_be_told_by),
		TEST(one_whose_names_cannot_be_read_is_not_gone),
		TEST(a_pcie_controller_is_never_touched),
		TEST(paths_are_sorted_and_steps_go_from_the_newest_claim_back),
		TEST(a_claim_that_is_gone_is_a_step_to_be_closed),
		TEST(what_stays_and_what_was_not_selected_is_no_step),
		TEST(two_hosts_on_one_path_are_not_mixed_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
