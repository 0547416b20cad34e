/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The JSON document, from results built by hand. */
#include "unit/report_world.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static void json_has_every_key_in_order_even_after_an_early_error(void **state)
{
	static const char *const keys[] = { "schema_version", "tool",	  "command",   "result",  "changed",
					    "dry_run",	      "platform", "initiator", "ports",	  "bonds",
					    "bandwidth",      "paths",	  "affinity",  "offload", "steps",
					    "skipped",	      "findings", "errors" };
	struct world *w = *state;
	const char *at;

	w->result = (struct result){
		.command = "connect", .exit = XC_USAGE, .errors = w->error, .error_count = 1
	};
	err_set(&w->error[0], XC_USAGE, -EINVAL, "etc/nvme-partition/config.json", "unknown key \"nnq\"");
	world_json(w, "early-error");
	at = w->text;
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		char line[64];

		str_format(line, sizeof(line), "\n  \"%s\":", keys[i]);
		at = strstr(at, line);
		assert_non_null(at);
	}
	assert_string_equal(text_at(w->json, "result"), "usage");
	assert_string_equal(text_at(w->json, "errors.0.code"), "usage");
	assert_null(member(w->json, "initiator"));
	assert_true(json_is_array(member(w->json, "ports")));
}

static void json_ports_say_what_is_known_and_null_for_the_rest(void **state)
{
	struct world *w = *state;
	struct json *j;

	w->classes->port[0].slot = 2;
	w->classes->port[0].port = 1;
	w->topo->port[1].netdev = w->topo->port[1].rdma = w->topo->port[1].numa_node = -1;
	w->topo->port[1].speed_mbps = -1;
	w->classes->port[1].unusable = UNUSABLE_NO_NETDEV;
	w->result.command = "show";
	j = world_json(w, "ports");
	assert_int_equal(json_length(member(j, "ports")), 3);
	assert_string_equal(text_at(j, "ports.0.pci"), "0000:29:00.0");
	assert_string_equal(text_at(j, "ports.0.role"), "storage");
	assert_string_equal(text_at(j, "ports.0.netdev"), "enp41s0f0np0");
	assert_string_equal(text_at(j, "ports.0.link_layer"), "ethernet");
	assert_number_at(j, "ports.0", "slot", 2);
	assert_number_at(j, "ports.0", "speed_mbps", 200000);
	assert_null(member(j, "ports.0.unusable_reason"));
	assert_null(member(j, "ports.0.master"));
	assert_null(member(j, "ports.1.netdev"));
	assert_null(member(j, "ports.1.rdma_port"));
	assert_null(member(j, "ports.1.mtu"));
	assert_null(member(j, "ports.1.numa_node"));
	assert_null(member(j, "ports.1.speed_mbps"));
	assert_string_equal(text_at(j, "ports.1.unusable_reason"), "no-netdev");
	assert_string_equal(text_at(j, "ports.2.role"), "compute");
	assert_null(member(j, "ports.2.slot"));
}

static void json_addresses_are_sorted_by_value_and_have_no_scope(void **state)
{
	struct world *w = *state;
	struct json *list;

	world_add_addr(w, 10, "fe80::1%enp41s0f0np0", 64);
	world_add_addr(w, 10, "10.10.10.1", 24);
	world_add_addr(w, 11, "10.10.5.1", 24);
	world_add_addr(w, 10, "10.10.9.1", 24);
	list = member(world_json(w, "addresses"), "ports.0.addresses");
	assert_int_equal(json_length(list), 3);
	assert_string_equal(json_text(json_at(list, 0)), "10.10.9.1/24");
	assert_string_equal(json_text(json_at(list, 1)), "10.10.10.1/24");
	assert_string_equal(json_text(json_at(list, 2)), "fe80::1/64");
}

static void json_bonds_name_members_and_ports_name_their_master(void **state)
{
	struct world *w = *state;
	struct json *j;

	world_add_bond(w);
	j = world_json(w, "bond");
	assert_string_equal(text_at(j, "bonds.0.netdev"), "bond0");
	assert_string_equal(text_at(j, "bonds.0.mode"), "active-backup");
	assert_string_equal(text_at(j, "bonds.0.members.1"), "0000:29:00.1");
	assert_string_equal(text_at(j, "bonds.0.active"), "0000:29:00.1");
	assert_string_equal(text_at(j, "bonds.0.roce_lag"), "possible");
	assert_string_equal(text_at(j, "ports.1.master"), "bond0");
	assert_null(member(j, "ports.2.master"));
	w->topo->netdev[w->classes->bond[0].netdev].bond_mode = BOND_UNKNOWN;
	w->classes->bond[0].active = w->classes->bond[0].carrier = -1;
	j = world_json(w, "bond-unknown");
	assert_null(member(j, "bonds.0.mode"));
	assert_null(member(j, "bonds.0.carrier_pci"));
}

static void json_paths_hold_the_queues_and_namespaces_of_their_own_controller(void **state)
{
	struct world *w = *state;
	struct json *j;

	world_add_irqs(w, 8);
	world_add_path(w, 3, "10.10.1.2");
	world_add_path(w, 0, "10.10.1.3");
	world_add_path(w, 2, "10.10.1.4");
	w->topo->hctx[0].ctrl = 2;
	w->topo->hctx[0].number = 1;
	cpuset_add(&w->topo->hctx[0].cpus, 0);
	cpuset_add(&w->topo->hctx[0].cpus, 56);
	w->topo->hctxs = 1;
	w->queues->queue[4].hctx = 0;
	j = world_json(w, "paths");
	assert_int_equal(json_length(member(j, "paths.0.queues")), 3);
	assert_int_equal(json_length(member(j, "paths.1.queues")), 0);
	assert_int_equal(json_length(member(j, "paths.2.queues")), 2);
	assert_int_equal(json_length(member(j, "paths.0.namespaces")), 1);
	assert_string_equal(text_at(j, "paths.2.controller"), "nvme2");
	assert_string_equal(text_at(j, "paths.2.namespaces.0.path_device"), "nvme0c2n1");
	assert_string_equal(text_at(j, "paths.2.queues.1.hctx_cpus"), "0,56");
	assert_number_at(j, "paths.2.queues.1", "hctx", 1);
	assert_number_at(j, "paths.2.queues.1", "irq", 41);
	assert_string_equal(text_at(j, "paths.2.queues.1.vector_source"), "kernel-formula");
	assert_null(member(j, "paths.2.queues.0.hctx_cpus"));
	assert_string_equal(text_at(j, "paths.0.queues.2.effective_cpus"), "54");
}

static void json_queues_without_a_known_vector_claim_nothing(void **state)
{
	struct world *w = *state;
	struct json *j;

	world_add_path(w, 1, "10.10.1.2");
	w->queues->queue[0].vector = -1;
	j = world_json(w, "no-vector");
	assert_null(member(j, "paths.0.queues.0.vector"));
	assert_null(member(j, "paths.0.queues.0.vector_source"));
	assert_null(member(j, "paths.0.queues.0.irq"));
	assert_null(member(j, "paths.0.queues.0.local"));
}

static void json_paths_without_a_controller_say_why(void **state)
{
	struct world *w = *state;
	struct path *path = world_add_path(w, 4, "10.10.1.2");
	struct json *j;

	path->ctrl = path->netdev = path->rdma = -1;
	path->action = PATH_FAILED;
	path->proof = PROOF_NONE;
	path->owner = OWNER_UNKNOWN;
	path->reason = PATH_NO_LISTENER;
	PUT(path->message, "nothing listens at 10.10.1.2:4420");
	w->result.exit = XC_FAILED;
	j = world_json(w, "failed");
	assert_null(member(j, "paths.0.controller"));
	assert_null(member(j, "paths.0.cntlid"));
	assert_null(member(j, "paths.0.owner"));
	assert_null(member(j, "paths.0.rdma_device"));
	assert_int_equal(json_length(member(j, "paths.0.queues")), 0);
	assert_string_equal(text_at(j, "paths.0.error.reason"), "no-listener");
	assert_string_equal(text_at(j, "paths.0.action"), "failed");
}

static void json_names_the_owner(void **state)
{
	struct world *w = *state;
	struct path *path = world_add_path(w, 1, "10.10.1.2");

	assert_string_equal(text_at(world_json(w, "owner-us"), "paths.0.owner"), "nvme-partition");
	path->owner = OWNER_OTHER;
	assert_string_equal(text_at(world_json(w, "owner-other"), "paths.0.owner"), "other");
	path->owner = OWNER_REGISTERED;
	PUT(path->registered, "stas");
	assert_string_equal(text_at(world_json(w, "owner-registered"), "paths.0.owner"), "stas");
}

static void json_steps_are_numbered_and_say_from_what_to_what(void **state)
{
	struct world *w = *state;
	struct json *j;

	w->steps->count = 2;
	w->steps->step[0].kind = STEP_NVME_CONNECT;
	w->steps->step[1].kind = STEP_NVME_DISCONNECT;
	w->result.dry_run = w->result.changed = true;
	j = world_json(w, "steps");
	assert_number_at(j, "steps.0", "step", 1);
	assert_number_at(j, "steps.1", "step", 2);
	assert_null(member(j, "steps.0.from"));
	assert_string_equal(text_at(j, "steps.0.to"), "live");
	assert_string_equal(text_at(j, "steps.1.from"), "live");
	assert_null(member(j, "steps.1.to"));
	assert_string_equal(text_at(j, "steps.1.state"), "would");
}

static void json_result_is_deferred_for_connect_alone(void **state)
{
	struct world *w = *state;
	bool deferred = false;
	struct json *j;

	w->result.deferred = true;
	w->platform->initiator = INITIATOR_BLUEFIELD3_ARM;
	j = world_json(w, "deferred");
	assert_string_equal(text_at(j, "result"), "deferred");
	assert_string_equal(text_at(j, "initiator.model"), "bluefield3-arm");
	w->result.command = "show";
	j = world_json(w, "show-deferred");
	assert_string_equal(text_at(j, "result"), "ok");
	assert_int_equal(json_get_bool(member(j, "initiator"), "deferred", &deferred), 0);
	assert_true(deferred);
	w->result.command = "connect";
	w->result.exit = XC_REFUSED;
	assert_string_equal(text_at(world_json(w, "refused"), "result"), "refused");
}

static void json_says_in_its_place_that_findings_were_lost(void **state)
{
	struct world *w = *state;
	struct json *list;

	for (unsigned i = 0; i <= FINDINGS_MAX; i++)
		finding_add(w->findings, FINDING_WARN, i == 0 ? "routes.arp" : "ports.link", "", "", "%u", i);
	findings_sort(w->findings);
	list = member(world_json(w, "lost"), "findings");
	assert_int_equal(json_length(list), FINDINGS_MAX + 1);
	assert_string_equal(text_at(json_at(list, FINDINGS_MAX - 1), "check"), "report.findings");
	assert_string_equal(text_at(json_at(list, FINDINGS_MAX - 1), "status"), "unknown");
	assert_string_equal(text_at(json_at(list, FINDINGS_MAX), "check"), "routes.arp");
}

static void json_renders_a_full_machine(void **state)
{
	struct world *w = *state;
	struct json *j;

	world_add_irqs(w, 8);
	while (w->plan->paths < TOPO_CTRLS_MAX)
		world_add_path(w, w->plan->paths % 32, "10.10.1.2");
	j = world_json(w, NULL);
	assert_int_equal(json_length(member(j, "paths")), TOPO_CTRLS_MAX);
	assert_int_equal(json_length(member(j, "paths.1023.queues")), 31);
	assert_string_equal(text_at(j, "paths.1023.namespaces.0.device"), "nvme1023n1");
}

static void json_with_hostile_names_is_still_json(void **state)
{
	struct world *w = *state;

	world_fill_hostile(w);
	/* Bytes that are no UTF-8 become U+FFFD, everything else comes back as it was. */
	assert_string_equal(text_at(world_json(w, "hostile"), "paths.0.nqn"),
			    "a\"b\\c\n\x1b[2J\x7f\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xe2\x82\xac\xc2\x9b");
	for (const char *at = w->text; *at != '\0'; at++)
		assert_true((unsigned char)*at >= ' ' || *at == '\n');
}

static void a_full_disk_is_an_error(void **state)
{
	struct world *w = *state;
	FILE *out = fopen("/dev/full", "we");

	if (!out)
		skip();
	assert_int_equal(report_json(&w->result, out), -ENOSPC);
	(void)fclose(out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WORLD_TEST(json_has_every_key_in_order_even_after_an_early_error),
		WORLD_TEST(json_ports_say_what_is_known_and_null_for_the_rest),
		WORLD_TEST(json_addresses_are_sorted_by_value_and_have_no_scope),
		WORLD_TEST(json_bonds_name_members_and_ports_name_their_master),
		WORLD_TEST(json_paths_hold_the_queues_and_namespaces_of_their_own_controller),
		WORLD_TEST(json_queues_without_a_known_vector_claim_nothing),
		WORLD_TEST(json_paths_without_a_controller_say_why),
		WORLD_TEST(json_names_the_owner),
		WORLD_TEST(json_steps_are_numbered_and_say_from_what_to_what),
		WORLD_TEST(json_result_is_deferred_for_connect_alone),
		WORLD_TEST(json_says_in_its_place_that_findings_were_lost),
		WORLD_TEST(json_renders_a_full_machine),
		WORLD_TEST(json_with_hostile_names_is_still_json),
		WORLD_TEST(a_full_disk_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
