/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * policy/plan_teardown.c: who would miss what goes.
 *
 * Seen to catch: each path judged as if it went alone; a path that is connecting, leaving, of unknown state
 * or barred by ANA counted as one that is left; ANA's word believed on the path that goes; a leaving
 * controller refused; findings that name what was left before the refusals; root or swap forced; the first
 * use told instead of the weightiest; namespaces looked up without being sorted; the answer for one namespace
 * taken for the next.
 */
#include "unit/teardown_world.h"

#include <time.h>

/*
 * The controllers of nvme0n1, a word each: '-' before it is ours and among what goes. l live, a live but ANA
 * lets nothing pass, c connecting, r resetting, d deleting, ? unknown.
 */
static void add_paths(struct world *w, const char *words)
{
	static const char *const states[] = {
		['l'] = "live",	     ['a'] = "live",	 ['c'] = "connecting",
		['r'] = "resetting", ['d'] = "deleting", ['?'] = "",
	};

	w->claims.count = w->topo.ctrls = w->topo.nss = 0;
	for (const char *at = words; *at != '\0'; at += *at == ' ') {
		struct ctrl_id id = id_of(S1, "10.10.1.2", PORT_A);
		uint64_t inode = 1000 + w->topo.ctrls;
		struct ctrl *ctrl;

		str_format(id.trsvcid, sizeof(id.trsvcid), "%u", 4420 + w->topo.ctrls);
		if (*at == '-') {
			add_claim(w, &id, inode);
			at++;
		}
		ctrl = add_ctrl(w, &id, inode, states[(unsigned char)*at]);
		add_ns(w, ctrl, "nvme0n1")->ana_usable = *at != 'a';
		at++;
	}
}

static void a_namespace_that_is_used_keeps_a_path_that_takes_io(void **state)
{
	static const struct {
		const char *paths;
		const char *comes_to; /* of ours: g goes, k kept */
		const char *left;     /* what the finding says; NULL: there is none */
	} cases[] = {
		{ "-l", "k", NULL },
		{ "-l l", "g", "paths left to it: nvme1 (live)" },
		{ "l -l l", "g", "paths left to it: nvme0 (live), nvme2 (live)" },
		{ "-l c", "k", NULL },
		{ "-l r", "k", NULL },
		{ "-l a", "k", NULL },
		{ "-l ?", "k", NULL },
		{ "-l d", "k", NULL },
		{ "-l c l", "g", "paths left to it: nvme1 (connecting), nvme2 (live)" },
		/* Where none was live the last one of any state is kept. */
		{ "-c", "k", NULL },
		{ "-c d", "k", NULL },
		{ "-c c", "g", "paths left to it: nvme1 (connecting)" },
		{ "-c ?", "g", "paths left to it: nvme1 (state unknown)" },
		{ "-c -c", "kk", NULL },
		{ "-r c", "g", "paths left to it: nvme1 (connecting)" },
		{ "-c a", "g", "paths left to it: nvme1 (live, no I/O by ANA)" },
		/* What goes may take I/O in the next moment, and what is unknown may do it now. */
		{ "-a", "k", NULL },
		{ "-a c", "k", NULL },
		{ "-a a", "k", NULL },
		{ "-a l", "g", "paths left to it: nvme1 (live)" },
		{ "-? c", "k", NULL },
		{ "-? l", "g", "paths left to it: nvme1 (live)" },
		/* All together. */
		{ "-l -l", "kk", NULL },
		{ "-l -c", "kk", NULL },
		{ "-l -l c", "kk", NULL },
		{ "-l -l l", "gg", "paths left to it: nvme2 (live)" },
		/* Nobody keeps what is leaving, and nobody loses it by this run. */
		{ "-d", "g", NULL },
		{ "-d l", "g", NULL },
		{ "-d -l", "gk", NULL },
		{ "-d -l l", "gg", "paths left to it: nvme2 (live)" },
	};
	struct world *w = *state;

	add_use(w, "nvme0n1", USE_MOUNT, "nvme0n1 > /mnt/data");
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		add_paths(w, cases[i].paths);
		plan(w);
		for (unsigned k = 0; k < w->claims.count; k++) {
			bool kept = cases[i].comes_to[k] == 'k';

			if (action_of(w, k) != (kept ? PATH_KEPT : PATH_WOULD_DISCONNECT))
				fail_msg("%s: path %u: %s", cases[i].paths, k,
					 path_action_name(action_of(w, k)));
			assert_int_equal(path_of(w, k)->reason, kept ? PATH_IN_USE : PATH_REASON_NONE);
			assert_true(path_of(w, k)->ctrl >= 0);
		}
		if (w->findings.count != (cases[i].left ? 1 : 0))
			fail_msg("%s: %u findings", cases[i].paths, w->findings.count);
		if (!cases[i].left)
			continue;
		assert_int_equal(w->findings.finding[0].status, FINDING_WARN);
		assert_string_equal(w->findings.finding[0].check, "teardown.in_use");
		assert_string_equal(w->findings.finding[0].object, "nvme0n1");
		assert_text(w->findings.finding[0].message, "nvme0n1 is in use (nvme0n1 > /mnt/data)");
		assert_text(w->findings.finding[0].message, cases[i].left);
		assert_null(strstr(w->findings.finding[0].message, "--force"));
	}
}

static void what_nobody_uses_goes_down_to_the_last_path(void **state)
{
	struct world *w = *state;

	add_paths(w, "-l -l");
	add_ours(w, S2, "10.10.2.2", PORT_B); /* without any namespace */
	add_use(w, "nvme0n10", USE_ROOT, "nvme0n10 > /");
	assert_int_equal(plan(w), XC_OK);
	assert_int_equal(w->steps.count, 3);
	assert_int_equal(w->findings.count, 0);
}

static void force_is_not_for_root_and_swap(void **state)
{
	static const struct {
		enum use_kind kind;
		bool force;
		enum path_action action;
		const char *says;
	} cases[] = {
		{ USE_HOLDER, false, PATH_KEPT, "; close what holds it first, or give --force" },
		{ USE_HOLDER, true, PATH_WOULD_DISCONNECT, NULL },
		{ USE_MOUNT, false, PATH_KEPT, "; unmount it first, or give --force" },
		{ USE_MOUNT, true, PATH_WOULD_DISCONNECT, NULL },
		{ USE_SWAP, false, PATH_KEPT, "; swapoff it first; --force does not help" },
		{ USE_SWAP, true, PATH_KEPT, "; swapoff it first; --force does not help" },
		{ USE_ROOT, false, PATH_KEPT, "; it is the root file system; --force does not help" },
		{ USE_ROOT, true, PATH_KEPT, "; it is the root file system; --force does not help" },
	};
	struct world *w = *state;

	add_paths(w, "-l c");
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		bool kept = cases[i].action == PATH_KEPT;

		w->topo.uses = 0;
		add_use(w, "nvme0n1", cases[i].kind, "nvme0n1p1 > dm-0 (vg-data)");
		w->what.force = cases[i].force;
		assert_int_equal(plan(w), kept ? XC_REFUSED : XC_OK);
		assert_int_equal(action_of(w, 0), cases[i].action);
		assert_int_equal(w->findings.count, kept ? 0 : 1);
		if (kept) {
			assert_text(path_of(w, 0)->message,
				    "nvme0 to 10.10.1.2:4420 from 10.10.1.1 is kept: nvme0n1 is in use "
				    "(nvme0n1p1 > dm-0 (vg-data)) and ");
			assert_text(path_of(w, 0)->message, cases[i].says);
		} else {
			assert_text(w->findings.finding[0].message,
				    "paths left to it: nvme1 (connecting) (--force)");
		}
	}
	w->topo.nss = 1;
	w->topo.use[0].kind = USE_MOUNT;
	plan(w);
	assert_text(w->findings.finding[0].message, "paths left to it: none (--force)");
}

static void root_and_swap_go_without_force_while_a_path_is_left(void **state)
{
	struct world *w = *state;

	add_paths(w, "-l l");
	add_use(w, "nvme0n1", USE_ROOT, "nvme0n1p1 > /");
	add_use(w, "nvme0n1", USE_SWAP, "nvme0n1p2 > swap");
	assert_int_equal(plan(w), XC_OK);
	assert_int_equal(action_of(w, 0), PATH_WOULD_DISCONNECT);
	assert_int_equal(w->findings.count, 2);
}

static void one_used_namespace_of_several_keeps_the_controller(void **state)
{
	struct world *w = *state;

	add_paths(w, "-l");
	add_ns(w, &w->topo.ctrl[0], "nvme0n2");
	add_ns(w, &w->topo.ctrl[0], "nvme0n3");
	add_use(w, "nvme0n2", USE_MOUNT, "nvme0n2 > /mnt/two");
	assert_int_equal(plan(w), XC_REFUSED);
	assert_text(path_of(w, 0)->message, "nvme0n2 is in use (nvme0n2 > /mnt/two)");
}

static void one_is_refused_and_the_other_goes(void **state)
{
	struct world *w = *state;

	add_paths(w, "-l");
	add_ns(w, add_ours(w, S2, "10.10.2.2", PORT_B), "nvme1n1");
	add_use(w, "nvme0n1", USE_MOUNT, "nvme0n1 > /mnt");
	assert_int_equal(plan(w), XC_PARTIAL);
	assert_int_equal(action_of(w, 0), PATH_KEPT);
	assert_int_equal(action_of(w, 1), PATH_WOULD_DISCONNECT);
	assert_int_equal(w->steps.count, 1);
	assert_true(is_step_of(&w->steps.step[0], &w->claims.claim[1]));
}

static void a_path_that_was_not_selected_is_one_that_is_left(void **state)
{
	struct world *w = *state;

	add_ns(w, add_ours(w, S1, "10.10.1.2", PORT_A), "nvme0n1");
	add_ns(w, add_ours(w, S1, "10.10.2.2", PORT_B), "nvme0n1");
	add_use(w, "nvme0n1", USE_MOUNT, "nvme0n1 > /mnt");
	assert_int_equal(plan(w), XC_REFUSED); /* all of ours */
	for (int port = 0; port < 2; port++) {
		w->what.port = port;
		assert_int_equal(plan(w), XC_OK);
		assert_int_equal(w->plan.paths, 1);
		assert_int_equal(w->findings.count, 1);
	}
	PUT(w->topo.ctrl[0].state, "connecting");
	assert_int_equal(plan(w), XC_REFUSED);
}

static void what_is_not_ours_is_left_whatever_the_journal_says(void **state)
{
	struct world *w = *state;

	add_ns(w, add_ours(w, S1, "10.10.1.2", PORT_A), "nvme0n1");
	add_ns(w, add_ours(w, S1, "10.10.2.2", PORT_B), "nvme0n1");
	w->topo.ctrl[1].inode = 1;
	add_use(w, "nvme0n1", USE_MOUNT, "nvme0n1 > /mnt");
	assert_int_equal(plan(w), XC_PARTIAL);
	assert_int_equal(action_of(w, 0), PATH_WOULD_DISCONNECT);
	assert_text(w->findings.finding[0].message, "paths left to it: nvme1 (live)");
}

/* nvme0 is kept for nvme0n2 alone, and so nvme0n1 has it still. */
static void the_findings_say_what_is_left_after_the_refusals(void **state)
{
	struct world *w = *state;

	add_paths(w, "-l -l l");
	add_ns(w, &w->topo.ctrl[0], "nvme0n2");
	add_use(w, "nvme0n1", USE_MOUNT, "nvme0n1 > /mnt/one");
	add_use(w, "nvme0n2", USE_MOUNT, "nvme0n2 > /mnt/two");
	assert_int_equal(plan(w), XC_PARTIAL);
	assert_int_equal(action_of(w, 0), PATH_KEPT);
	assert_int_equal(action_of(w, 1), PATH_WOULD_DISCONNECT);
	assert_int_equal(w->findings.count, 1);
	assert_string_equal(w->findings.finding[0].object, "nvme0n1");
	assert_string_equal(w->findings.finding[0].evidence, "nvme0n1 > /mnt/one");
	assert_text(w->findings.finding[0].message, "paths left to it: nvme0 (live), nvme2 (live)");
}

/* By controller, as they are read. */
static void namespaces_are_told_apart_in_any_order(void **state)
{
	struct world *w = *state;

	add_paths(w, "-l l -l");
	w->topo.nss = 0;
	add_ns(w, &w->topo.ctrl[0], "nvme0n1");
	add_ns(w, &w->topo.ctrl[0], "nvme0n2");
	add_ns(w, &w->topo.ctrl[1], "nvme0n1");
	add_ns(w, &w->topo.ctrl[2], "nvme0n2");
	add_use(w, "nvme0n1", USE_ROOT, "nvme0n1 > /");
	add_use(w, "nvme0n2", USE_MOUNT, "nvme0n2 > /mnt");
	assert_int_equal(plan(w), XC_REFUSED);
	for (unsigned i = 0; i < 2; i++)
		assert_text(path_of(w, i)->message, "nvme0n2 is in use");
	w->topo.uses = 1;
	assert_int_equal(plan(w), XC_OK);
	assert_text(w->findings.finding[0].message, "paths left to it: nvme1 (live)");
}

static void the_weightiest_use_is_told(void **state)
{
	static const struct {
		enum use_kind first, second;
		const char *told;
	} cases[] = {
		{ USE_HOLDER, USE_MOUNT, "(two)" }, { USE_MOUNT, USE_HOLDER, "(one)" },
		{ USE_MOUNT, USE_SWAP, "(two)" },   { USE_SWAP, USE_MOUNT, "(one)" },
		{ USE_SWAP, USE_ROOT, "(two)" },    { USE_ROOT, USE_SWAP, "(one)" },
		{ USE_ROOT, USE_HOLDER, "(one)" },  { USE_MOUNT, USE_MOUNT, "(one)" },
	};
	struct world *w = *state;

	add_paths(w, "-l");
	add_ns(w, &w->topo.ctrl[0], "nvme0n2");
	for (size_t i = 0; i < ARRAY_SIZE(cases) * 2; i++) {
		size_t at = i / 2;

		w->topo.uses = 0;
		add_use(w, "nvme0n1", cases[at].first, "one");
		/* Of the same namespace, and of another one. */
		add_use(w, i % 2 ? "nvme0n2" : "nvme0n1", cases[at].second, "two");
		plan(w);
		assert_text(path_of(w, 0)->message, cases[at].told);
	}
	/* What force allows is not told of what it does not. */
	w->topo.uses = 0;
	w->what.force = true;
	add_use(w, "nvme0n1", USE_SWAP, "one");
	add_use(w, "nvme0n2", USE_MOUNT, "two");
	assert_int_equal(plan(w), XC_REFUSED);
	assert_text(path_of(w, 0)->message, "(one)");
}

/* --- as large as it may be --- */

static double cpu_seconds(void)
{
	return (double)clock() / CLOCKS_PER_SEC;
}

/* Every second claim is of a controller that is there; each device has one to many paths and uses. */
static void fill(struct world *w, unsigned devices)
{
	for (unsigned i = 0; i < JOURNAL_CLAIMS_MAX; i++) {
		struct ctrl_id id = id_of(S1, "10.10.1.2", PORT_A);

		str_format(id.traddr, sizeof(id.traddr), "10.10.%u.%u", i / 250, i % 250 + 1);
		add_claim(w, &id, i % 3 ? 1000 + i : 0);
		if (i % 2)
			add_ctrl(w, &id, 1000 + i, "live");
	}
	for (unsigned i = 0; i < TOPO_NSS_MAX; i++) {
		char device[NVME_NAME_SIZE];

		str_format(device, sizeof(device), "nvme0n%u", i % devices);
		add_ns(w, &w->topo.ctrl[i * TOPO_CTRLS_MAX / TOPO_NSS_MAX], device);
	}
	for (unsigned i = 0; i < TOPO_USES_MAX; i++) {
		char device[NVME_NAME_SIZE];

		str_format(device, sizeof(device), "nvme0n%u", i * devices / TOPO_USES_MAX);
		add_use(w, device, (enum use_kind)(i % 4), device);
	}
	for (unsigned i = 0; i < TOPO_CM_IDS_MAX; i++) { /* 64 queues a controller */
		w->topo.cm_id[i] = (struct cm_id){ .owner = "nvme_rdma",
						   .rdma_name = "mlx5_2",
						   .has_addrs = true,
						   .src = ip(PORT_A),
						   .dst = ip("10.10.99.1"),
						   .dst_port = (uint16_t)(i / 64 + 1) };
	}
	w->topo.cm_ids = TOPO_CM_IDS_MAX;
}

static void a_full_machine_is_planned_in_a_moment(void **state)
{
	static const unsigned devices[] = { 1, 64, TOPO_USES_MAX };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(devices) * 3; i++) {
		void *fresh = NULL;
		struct world *w;
		double start, took;

		setup(&fresh);
		w = fresh;
		fill(w, devices[i / 3]);
		w->what.force = i % 3 == 1;
		w->what.port = i % 3 == 2 ? 1 : -1; /* none of them, but each is looked for */
		start = cpu_seconds();
		plan(w);
		took = cpu_seconds() - start;
		print_message("# %u used namespaces, %s: %.3f s\n", devices[i / 3],
			      i % 3 == 0   ? "all"
			      : i % 3 == 1 ? "--force"
					   : "--port",
			      took);
		assert_int_equal(w->plan.paths, i % 3 == 2 ? 0 : JOURNAL_CLAIMS_MAX);
		if (took > 5) /* with sanitizers and under load; else less than a tenth */
			fail_msg("%.1f s", took);
		teardown(&fresh);
	}
}

static void what_cannot_be_looked_at_may_be_in_use(void **state)
{
	struct world *w = *state;
	struct ctrl *ctrl = add_ours(w, S1, "10.10.1.2", PORT_A);

	ctrl->nss_unread = true;
	assert_int_equal(plan(w), XC_REFUSED);
	assert_int_equal(action_of(w, 0), PATH_KEPT);
	assert_int_equal(path_of(w, 0)->reason, PATH_IN_USE);
	assert_text(path_of(w, 0)->message, "its namespaces cannot be read, and so not who uses them");
	w->what.force = true;
	assert_int_equal(plan(w), XC_OK);
	assert_int_equal(action_of(w, 0), PATH_WOULD_DISCONNECT);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(a_namespace_that_is_used_keeps_a_path_that_takes_io),
		TEST(what_nobody_uses_goes_down_to_the_last_path),
		TEST(force_is_not_for_root_and_swap),
		TEST(root_and_swap_go_without_force_while_a_path_is_left),
		TEST(one_used_namespace_of_several_keeps_the_controller),
		TEST(one_is_refused_and_the_other_goes),
		TEST(a_path_that_was_not_selected_is_one_that_is_left),
		TEST(what_is_not_ours_is_left_whatever_the_journal_says),
		TEST(the_findings_say_what_is_left_after_the_refusals),
		TEST(namespaces_are_told_apart_in_any_order),
		TEST(the_weightiest_use_is_told),
		TEST(what_cannot_be_looked_at_may_be_in_use),
		cmocka_unit_test(a_full_machine_is_planned_in_a_moment),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
