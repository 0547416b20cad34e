/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * policy/verify.c: every check has its word, and a machine that is right passes.
 *
 * Wrong versions that test_verify_* were seen to catch: CM_IDs without a queue pair counted, those of rdma_cm
 * instead of nvme_rdma, those on unlisted devices not; any port taken for storage, a subfunction, a RoCE LAG
 * with another role's member; the wider of two prefixes not asked; a proof unsettled, passed; one of an
 * address's interfaces asked; MTU 4200 refused, RoCE v1 accepted, priority 4 for 3; rp_filter 1 accepted; the
 * interface of a bound route not compared; any queue count; timeouts not rounded; a UUID swapped wrongly, a
 * zero one taken; a vector elsewhere, missing, at another node, passed; findings beyond 32 not counted.
 */
#include "unit/verify_world.h"

static const char *const built[] = {
	"partition.controllers_on_storage",
	"partition.compute_clean",
	"partition.bound_source",
	"partition.subnets_disjoint",
	"partition.switches_disjoint",
	"partition.autoconnect_off",
	"ports.present",
	"ports.link",
	"ports.speed",
	"ports.pcie_width",
	"ports.mtu",
	"ports.addresses",
	"ports.roce_gid",
	"ports.pfc",
	"ports.trust",
	"ports.pause",
	"ports.roce_tos",
	"routes.egress",
	"routes.arp",
	"paths.live",
	"paths.both_sockets",
	"paths.namespaces",
	"paths.queue_count",
	"paths.timeouts",
	"paths.iopolicy",
	"affinity.irqs",
	"affinity.effective",
	"affinity.node_local",
	"affinity.isolated",
	"affinity.irqbalance",
	"affinity.rq_affinity",
	"identity.pair",
	"identity.same",
	"identity.machine",
};

static const char *const unbuilt[] = {
	"bond.members",	      "bond.mode",    "bond.roce_lag",
	"offload.host_clean", "offload.mode", "offload.endpoints",
};

static const char *status_of(const struct verify_world *w, const char *check)
{
	for (unsigned i = 0; i < w->w.findings.count; i++) {
		if (strcmp(w->w.findings.finding[i].check, check) == 0)
			return finding_status_name(w->w.findings.finding[i].status);
	}
	return "silent";
}

static void what_is_right_passes(void **state)
{
	struct verify_world *w = *state;

	verify_world_read(w, "h100+live");
	verify_world_run(w, verify_all);
	verify_world_assert_alone(w, "", __FILE__, __LINE__);
	for (unsigned i = 0; i < ARRAY_SIZE(built); i++) {
		/* Each port has a subnet of its own. */
		if (strcmp(built[i], "routes.arp") == 0)
			assert_string_equal(status_of(w, built[i]), "skip");
		else
			assert_passes(w, built[i]);
	}
	assert_int_equal(w->w.findings.count, ARRAY_SIZE(built) + ARRAY_SIZE(unbuilt));
}

static void what_is_not_built_is_skipped(void **state)
{
	struct verify_world *w = *state;

	verify_world_read(w, "h100+live");
	verify_world_run(w, verify_all);
	for (unsigned i = 0; i < ARRAY_SIZE(unbuilt); i++)
		assert_string_equal(status_of(w, unbuilt[i]), "skip");
}

static void no_check_is_silent_where_there_is_nothing(void **state)
{
	struct verify_world *w = *state;

	verify_world_read(w, "h100");
	w->v.platform = NULL;
	w->w.topo.ports = w->w.topo.rdma_links = w->w.topo.addrs = w->w.topo.irqs = 0;
	w->w.topo.netdevs = 0;
	w->settings.product_uuid[0] = '\0';
	verify_world_again(w);
	verify_world_run(w, verify_all);
	for (unsigned i = 0; i < ARRAY_SIZE(built); i++) {
		assert_string_not_equal(status_of(w, built[i]), "silent");
		if (strcmp(built[i], "partition.autoconnect_off") != 0)
			assert_string_not_equal(status_of(w, built[i]), "pass");
	}
}

static void nothing_passes_on_an_unknown_platform_that_the_platform_decides(void **state)
{
	struct verify_world *w = *state;

	verify_world_read(w, "h100+live");
	w->v.platform = NULL;
	verify_world_again(w);
	verify_world_run(w, verify_all);
	for (unsigned i = 0; i < ARRAY_SIZE(built); i++) {
		if (strncmp(built[i], "ports.", 6) == 0 ||
		    (strncmp(built[i], "partition.", 10) == 0 && !strstr(built[i], "autoconnect")))
			assert_says(w, built[i], FINDING_UNKNOWN, "", "/etc/nvme-partition/platforms.d");
	}
	assert_says(w, "paths.both_sockets", FINDING_UNKNOWN, "", "platforms.d");
}

static void what_was_seen_by_two_is_said_once(void **state)
{
	struct verify_world *w = *state;
	const struct topology *topo = &w->w.topo;
	unsigned last;

	verify_world_read(w, "h100+live");
	for (unsigned i = 0; i < topo->subsyss; i++)
		strcpy(w->w.topo.subsys[i].iopolicy, "numa");
	w->w.topo.rq_affinity[0] = 2;
	last = verify_world_port(w, "0000:aa:00.1");
	w->w.topo.port[last].pci.function = 7;
	verify_world_again(w);
	w->w.findings.count = 0;
	classify(topo, &w->w.platform, &w->w.classes, &w->w.findings);
	place_advice(topo, &w->w.classes, &w->w.plan, &w->w.affinity, &w->w.findings);
	verify_all(&w->v);
	findings_sort(&w->w.findings);
	for (unsigned i = 0; i + 1 < w->w.findings.count; i++) {
		const struct finding *f = &w->w.findings.finding[i];

		assert_false(strcmp(f[0].check, f[1].check) == 0 && strcmp(f[0].object, f[1].object) == 0);
	}
	assert_says(w, "ports.present", FINDING_WARN, "0000:aa:00.1", "is not there");
	assert_non_null(place_world_finding(&w->w, "paths.iopolicy", w->w.plan.path[0].id.nqn));
	assert_non_null(place_world_finding(&w->w, "affinity.rq_affinity", topo->ns[0].path_device));
}

static void checks_are_known_by_name_and_by_group(void **state)
{
	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(built); i++)
		assert_true(verify_is_check(built[i], strlen(built[i])));
	for (unsigned i = 0; i < ARRAY_SIZE(unbuilt); i++)
		assert_true(verify_is_check(unbuilt[i], strlen(unbuilt[i])));
	assert_true(verify_is_check("paths", 5));
	assert_true(verify_is_check("paths.live,ports", 10));
	assert_false(verify_is_check("paths.live", 9));
	assert_false(verify_is_check("paths.", 6));
	assert_false(verify_is_check("path", 4));
	assert_false(verify_is_check("live", 4));
	assert_false(verify_is_check("", 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		VERIFY_TEST(what_is_right_passes),
		VERIFY_TEST(what_is_not_built_is_skipped),
		VERIFY_TEST(no_check_is_silent_where_there_is_nothing),
		VERIFY_TEST(nothing_passes_on_an_unknown_platform_that_the_platform_decides),
		VERIFY_TEST(what_was_seen_by_two_is_said_once),
		cmocka_unit_test(checks_are_known_by_name_and_by_group),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
