/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The routes of a tree: the longest prefix, and what the kernel does besides. The expectations were compared
 * with the answers of a live kernel to the same routes (RTM_GETROUTE).
 */
#include "lib/t.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "facts/dump_routes.h"
#include "facts/facts.h"
#include "unit/tree.h"

static struct dump_routes routes;
static struct dump_odd odd;

/* Interfaces are "if3" and so on, which need no link.json. */
static void load(const char *text)
{
	static const struct topology topo;
	struct err err = { 0 };
	const char *why;
	_cleanup_json_ struct json *j = json_parse(text, strlen(text), &why);

	if (!j)
		fail_msg("%s: %s", why, text);
	dump_routes_free(&routes);
	odd = (struct dump_odd){ .name = "route.json" };
	assert_int_equal(dump_routes_parse(j, &topo, &routes, &odd, &err), 0);
}

static struct route_answer ask(const char *dst, int oif)
{
	struct route_answer answer;
	struct ip ip;

	assert_int_equal(ip_parse(dst, &ip), 0);
	dump_routes_ask(&routes, &ip, oif, &answer);
	return answer;
}

/* The interface of the answer; 0: no route. */
static int via(const char *dst, int oif)
{
	struct route_answer answer = ask(dst, oif);

	assert_int_equal(answer.answer, answer.oif ? ANSWER_YES : ANSWER_NO);
	return answer.oif;
}

static void the_longest_prefix_wins_then_the_lowest_metric(void **state)
{
	(void)state;
	load("[{\"dst\":\"default\",\"gateway\":\"192.0.2.1\",\"dev\":\"if2\"},"
	     "{\"dst\":\"10.0.0.0/8\",\"dev\":\"if3\",\"metric\":200},"
	     "{\"dst\":\"10.0.0.0/8\",\"dev\":\"if4\",\"metric\":100},"
	     "{\"dst\":\"10.10.1.0/"
	     "24\",\"dev\":\"if5\",\"scope\":\"link\",\"prefsrc\":\"10.10.1.1\",\"metric\":900},"
	     "{\"dst\":\"10.10.1.7\",\"gateway\":\"10.1.1.1\",\"dev\":\"if6\"}]");
	assert_int_equal(via("10.10.1.7", 0), 6);
	assert_int_equal(via("10.10.1.8", 0), 5);
	assert_int_equal(via("10.10.2.8", 0), 4);
	assert_int_equal(via("11.0.0.1", 0), 2);
	assert_int_equal(via("fd00::1", 0), 0);
	assert_true(ask("10.10.1.8", 0).onlink);
	assert_int_equal(ask("10.10.1.8", 0).prefsrc.bytes[3], 1);
	assert_false(ask("10.10.1.7", 0).onlink);
	assert_false(ask("11.0.0.1", 0).onlink);
	assert_int_equal(odd.count, 0);
}

static void a_source_may_use_any_table_that_leads_through_its_interface(void **state)
{
	(void)state;
	load("[{\"dst\":\"10.10.1.0/24\",\"dev\":\"if5\"},"
	     "{\"dst\":\"default\",\"gateway\":\"10.10.2.254\",\"dev\":\"if6\",\"table\":\"200\"},"
	     "{\"dst\":\"10.10.2.0/24\",\"dev\":\"if6\",\"table\":\"main\"}]");
	assert_int_equal(via("10.10.1.9", 6), 6); /* by the gateway of its table */
	assert_false(ask("10.10.1.9", 6).onlink);
	assert_int_equal(via("10.10.2.9", 6), 6);
	assert_true(ask("10.10.2.9", 6).onlink);
	assert_int_equal(via("10.10.2.9", 0), 6);
	assert_int_equal(via("10.10.1.9", 7), 0);
	assert_int_equal(via("172.16.0.1", 5), 0);
	assert_int_equal(via("172.16.0.1", 0), 0); /* table 200 is not for plain routing */
}

static void a_nexthop_without_a_link_is_no_route(void **state)
{
	(void)state;
	load("[{\"dst\":\"10.10.1.0/24\",\"dev\":\"if5\",\"flags\":[\"linkdown\"]},"
	     "{\"dst\":\"10.10.2.0/"
	     "24\",\"nexthops\":[{\"gateway\":\"10.0.0.1\",\"dev\":\"if6\",\"flags\":[\"dead\"]},"
	     "{\"gateway\":\"10.0.1.1\",\"dev\":\"if7\",\"flags\":[]}]},"
	     "{\"dst\":\"default\",\"dev\":\"if8\"}]");
	assert_int_equal(via("10.10.1.2", 5), 0);
	assert_int_equal(via("10.10.1.2", 0), 8);
	assert_int_equal(via("10.10.2.2", 6), 0);
	assert_int_equal(via("10.10.2.2", 7), 7);
	assert_int_equal(via("10.10.2.2", 0), 7);
}

static void every_nexthop_is_a_way_of_its_own_interface(void **state)
{
	(void)state;
	load("[{\"dst\":\"10.77.0.0/"
	     "16\",\"nexthops\":[{\"gateway\":\"10.3.0.254\",\"dev\":\"if3\",\"weight\":1},"
	     "{\"via\":{\"family\":\"inet6\",\"host\":\"fd00::1\"},\"dev\":\"if5\"}]}]");
	assert_int_equal(via("10.77.1.1", 3), 3);
	assert_int_equal(via("10.77.1.1", 5), 5);
	assert_false(ask("10.77.1.1", 5).onlink);
	assert_int_equal(via("10.77.1.1", 4), 0);
	assert_int_equal(via("10.78.1.1", 3), 0);
}

static void a_route_that_rejects_stops_the_search_of_its_table(void **state)
{
	static const char *const types[] = { "unreachable", "prohibit", "blackhole" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(types); i++) {
		char text[512];

		snprintf(text, sizeof(text),
			 "[{\"dst\":\"10.0.0.0/8\",\"dev\":\"if3\",\"metric\":10},"
			 "{\"type\":\"%s\",\"dst\":\"10.82.1.128/25\"},{\"type\":\"%s\",\"dst\":\"10.0.0.0/"
			 "8\",\"metric\":500},"
			 "{\"type\":\"%s\",\"dst\":\"10.90.0.0/16\",\"table\":\"300\"}]",
			 types[i], types[i], types[i]);
		load(text);
		assert_int_equal(via("10.82.1.1", 3), 3);
		assert_int_equal(via("10.82.1.1", 0), 3);
		assert_int_equal(via("10.82.1.129", 3), 0);
		assert_int_equal(via("10.82.1.129", 0), 0);
		assert_int_equal(via("10.90.0.1", 3), 3); /* of another table */
	}
}

static void an_address_of_this_machine_or_a_broadcast_is_no_target(void **state)
{
	(void)state;
	load("[{\"dst\":\"10.3.0.0/"
	     "24\",\"dev\":\"if3\"},{\"dst\":\"default\",\"gateway\":\"10.4.0.254\",\"dev\":\"if4\"},"
	     "{\"type\":\"local\",\"dst\":\"10.3.0.1\",\"dev\":\"if3\",\"table\":\"local\"},"
	     "{\"type\":\"broadcast\",\"dst\":\"10.3.0.255\",\"dev\":\"if3\",\"table\":\"local\"}]");
	assert_int_equal(via("10.3.0.1", 3), 0);
	assert_int_equal(via("10.3.0.255", 3), 0);
	assert_int_equal(via("10.3.0.1", 0), 0);
	/* With another interface asked for, the kernel passes over the local route: it really goes out. */
	assert_int_equal(via("10.3.0.1", 4), 4);
}

static void for_ipv6_the_interface_is_a_preference_only(void **state)
{
	(void)state;
	load("[{\"dst\":\"fd00:3::/64\",\"dev\":\"if3\",\"metric\":256,\"flags\":[],\"pref\":\"medium\"},"
	     "{\"dst\":\"fd00:4::/64\",\"dev\":\"if5\",\"metric\":256,\"flags\":[],\"pref\":\"medium\"},"
	     "{\"dst\":\"fd00:78::/"
	     "64\",\"gateway\":\"fd00:4::fe\",\"dev\":\"if5\",\"metric\":1024,\"pref\":\"medium\"},"
	     "{\"dst\":\"fd00:79::/64\",\"dev\":\"if3\",\"metric\":1024},{\"dst\":\"fd00:79::/"
	     "64\",\"dev\":\"if5\",\"metric\":10},"
	     "{\"dst\":\"fe80::/64\",\"dev\":\"if3\",\"metric\":256},{\"dst\":\"fe80::/"
	     "64\",\"dev\":\"if5\",\"metric\":256},"
	     "{\"dst\":\"default\",\"gateway\":\"fd00:3::fe\",\"dev\":\"if3\",\"metric\":1024,\"pref\":"
	     "\"medium\"}]");
	assert_int_equal(via("fd00:3::9", 3), 3);
	assert_int_equal(via("fd00:3::9", 5), 0);
	assert_int_equal(via("fd00:78::1", 5), 5);
	assert_int_equal(via("fd00:78::1", 3),
			 0); /* the default route of if3 is not asked: one is more specific */
	assert_int_equal(via("fd00:79::1", 3), 0); /* a better metric elsewhere */
	assert_int_equal(via("fd00:99::1", 3), 3);
	assert_int_equal(via("fd00:99::1", 5), 0);
	assert_int_equal(via("fe80::1%if5", 5), 5);
	assert_int_equal(via("fe80::1%if3", 3), 3);
	assert_int_equal(via("10.0.0.1", 3), 0); /* an IPv6 default route leads no IPv4 */
}

static void a_default_route_is_of_the_family_of_what_it_names(void **state)
{
	static const struct {
		const char *text;
		bool v6;
	} cases[] = {
		{ "{\"dst\":\"default\",\"dev\":\"if3\",\"scope\":\"link\"}", false },
		{ "{\"dst\":\"default\",\"gateway\":\"10.0.0.1\",\"dev\":\"if3\"}", false },
		{ "{\"dst\":\"default\",\"via\":{\"family\":\"inet6\",\"host\":\"fe80::1\"},\"dev\":\"if3\"}",
		  false },
		{ "{\"dst\":\"default\",\"gateway\":\"fe80::1\",\"dev\":\"if3\"}", true },
		{ "{\"dst\":\"default\",\"dev\":\"if3\",\"metric\":1024,\"pref\":\"medium\"}", true },
		{ "{\"dst\":\"default\",\"dev\":\"if3\",\"prefsrc\":\"fd00::1\"}", true },
		{ "{\"dst\":\"default\",\"nexthops\":[{\"gateway\":\"fe80::1\",\"dev\":\"if3\"}]}", true },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char text[256];

		snprintf(text, sizeof(text), "[%s]", cases[i].text);
		load(text);
		if (via(cases[i].v6 ? "fd00::9" : "10.9.9.9", 0) != 3 ||
		    via(cases[i].v6 ? "10.9.9.9" : "fd00::9", 0) != 0)
			fail_msg("%s", cases[i].text);
	}
}

static void routes_that_make_no_sense_are_left_out(void **state)
{
	(void)state;
	load("[7,null,{},{\"dst\":7,\"dev\":\"if3\"},{\"dst\":\"10.0.0.0/"
	     "33\",\"dev\":\"if3\"},{\"dst\":\"10.0.0.0/\"},"
	     "{\"dst\":\"/8\",\"dev\":\"if3\"},{\"dst\":\"10.0.0.0/8/8\",\"dev\":\"if3\"},{\"dst\":\"::/"
	     "-1\",\"dev\":\"if3\"},"
	     "{\"dst\":\"10.0.0.0/8\",\"dev\":\"nobody\"},{\"dst\":\"10.0.0.0/8\"},{\"dst\":\"10.0.0.0/"
	     "8\",\"nexthops\":[]},"
	     "{\"dst\":\"10.0.0.0/8\",\"nexthops\":7},{\"dst\":\"10.0.0.0/8\",\"dev\":\"if3\",\"table\":7},"
	     "{\"dst\":\"10.0.0.0/8\",\"dev\":\"if3\",\"metric\":4294967296},"
	     "{\"dst\":\"10.0.0.0/8\",\"dev\":\"if3\",\"prefsrc\":\"x\"},"
	     "{\"dst\":\"10.0.0.0/"
	     "8\",\"dev\":\"if3\",\"table\":\"0123456789012345678901234567890123456789\"}]");
	assert_int_equal(via("10.1.1.1", 0), 0);
	assert_int_equal(odd.count, 17);
	load("[{\"type\":7,\"dst\":\"10.0.0.0/8\",\"dev\":\"if3\"},{\"dst\":\"default\",\"dev\":\"if4\"}]");
	assert_int_equal(via("10.1.1.1", 0), 0); /* a type that is not known is not taken for a way */
}

/* --- the questions of connect, over a tree --- */

static struct {
	struct topology *topo;
	struct request *request;
	struct candidates *candidates;
	struct findings *findings;
	struct tree tree;
} w;

static int setup(void **state)
{
	(void)state;
	tree_open(&w.tree);
	tree_write(&w.tree, "netlink/link.json",
		   "[{\"ifindex\":4,\"ifname\":\"ens1\"},{\"ifindex\":5,\"ifname\":\"ens2\",\"altnames\":["
		   "\"enp2\"]}]");
	tree_write(&w.tree, "netlink/route.json",
		   "[{\"dst\":\"10.10.1.0/24\",\"dev\":\"ens1\",\"prefsrc\":\"10.10.1.1\"},"
		   "{\"dst\":\"fe80::/64\",\"dev\":\"ens1\"},{\"dst\":\"fe80::/64\",\"dev\":\"enp2\"},"
		   "{\"dst\":\"default\",\"gateway\":\"10.9.9.9\",\"dev\":\"ens2\"}]");
	w.topo = calloc(1, sizeof(*w.topo));
	w.request = calloc(1, sizeof(*w.request));
	w.candidates = calloc(1, sizeof(*w.candidates));
	w.findings = calloc(1, sizeof(*w.findings));
	return w.topo && w.request && w.candidates && w.findings ? 0 : -1;
}

static int teardown(void **state)
{
	(void)state;
	free(w.topo);
	free(w.request);
	free(w.candidates);
	free(w.findings);
	tree_close(&w.tree);
	return 0;
}

static void want(const char *traddr, const char *src, int netdev)
{
	struct candidate *candidate = &w.candidates->candidate[w.candidates->count++];

	candidate->portal = w.request->portals;
	candidate->netdev = netdev;
	assert_int_equal(ip_parse(src, &candidate->src), 0);
	assert_int_equal(ip_parse(traddr, &w.request->portal[w.request->portals++].traddr), 0);
}

static void ask_all(void)
{
	struct err err = { 0 };

	assert_int_equal(facts_read_net(&w.tree.root, w.topo, w.findings, &err), 0);
	w.findings->count = 0;
	assert_int_equal(facts_ask_routes(&w.tree.root, w.topo, w.request, w.candidates, w.findings, &err),
			 0);
}

static void candidates_and_portals_get_their_answers(void **state)
{
	const struct candidate *c = w.candidates->candidate;
	const struct route_answer *plain = w.candidates->plain;

	(void)state;
	want("10.10.1.2", "10.10.1.1", 0);
	want("10.10.2.2", "10.10.1.1", 0);
	want("fe80::1%ens1", "fe80::2", 0);
	want("fe80::1%enp2", "fe80::3", 1);
	/* no interface of that name, so no candidate either */
	assert_int_equal(ip_parse("fe80::1%nobody", &w.request->portal[w.request->portals++].traddr), 0);
	ask_all();
	assert_int_equal(c[0].route.answer, ANSWER_YES);
	assert_int_equal(c[0].route.oif, 4);
	assert_true(c[0].route.onlink);
	assert_int_equal(c[1].route.answer, ANSWER_NO);
	assert_int_equal(c[2].route.answer, ANSWER_YES);
	assert_int_equal(c[3].route.answer, ANSWER_YES);
	assert_int_equal(c[3].route.oif, 5);
	assert_int_equal(plain[0].oif, 4);
	assert_int_equal(plain[1].oif, 5);
	assert_false(plain[1].onlink);
	assert_int_equal(plain[2].oif, 4);
	assert_int_equal(plain[3].oif, 5);
	assert_int_equal(plain[4].answer, ANSWER_NO);
	assert_int_equal(w.findings->count, 0);
}

static void routes_that_cannot_be_read_are_unknown(void **state)
{
	(void)state;
	want("10.10.1.2", "10.10.1.1", 0);
	tree_write(&w.tree, "netlink/route.json", "[");
	ask_all();
	assert_int_equal(w.candidates->candidate[0].route.answer, ANSWER_UNKNOWN);
	assert_int_equal(w.candidates->plain[0].answer, ANSWER_UNKNOWN);
	assert_int_equal(w.findings->count, 1);
	tree_unlink(&w.tree, "netlink/route.json");
	ask_all();
	assert_int_equal(w.candidates->candidate[0].route.answer, ANSWER_NO);
	assert_int_equal(w.candidates->plain[0].answer, ANSWER_NO);
	assert_int_equal(w.findings->count, 0);
}

/* --- the ways of paths --- */

static void add_path(struct plan *plan, const char *traddr, const char *host_traddr, int netdev)
{
	struct path *path = &plan->path[plan->paths++];

	strcpy(path->id.traddr, traddr);
	strcpy(path->id.host_traddr, host_traddr);
	path->netdev = netdev;
}

static void a_path_goes_as_plain_routing_goes_and_through_its_interface(void **state)
{
	struct plan *plan = calloc(1, sizeof(*plan));
	struct settings *settings = calloc(1, sizeof(*settings));
	const struct path_route *r = settings->route;
	struct err err = { 0 };

	(void)state;
	assert_true(plan && settings);
	memset(settings->route, 0xff, sizeof(settings->route)); /* of an earlier plan */
	add_path(plan, "10.10.1.2", "10.10.1.1", 0);
	add_path(plan, "10.10.2.2", "10.10.1.1", 0); /* by the default route, of the other interface */
	add_path(plan, "10.10.1.2", "10.10.1.1", 0); /* another subsystem behind the same portal */
	add_path(plan, "10.10.1.2", "10.10.1.1", 1); /* the same pair from another interface */
	add_path(plan, "10.10.1.2", "", -1);
	add_path(plan, "10.10.1.2", "10.99.0.1", -1); /* a source that is on no interface here */
	add_path(plan, "fe80::1%ens2", "fe80::2%ens2", 1);
	add_path(plan, "fe80::1%nobody", "fe80::2", 1);
	add_path(plan, "store1", "10.10.1.1", 0);
	add_path(plan, "fd00::1", "10.10.1.1", 0);
	assert_int_equal(facts_read_net(&w.tree.root, w.topo, w.findings, &err), 0);
	assert_int_equal(facts_ask_path_routes(&w.tree.root, w.topo, plan, settings, w.findings, &err), 0);
	assert_int_equal(r[0].plain.oif, 4);
	assert_int_equal(r[0].bound.oif, 4);
	assert_int_equal(r[1].plain.oif, 5);
	assert_int_equal(r[1].bound.answer, ANSWER_NO);
	assert_memory_equal(&r[2], &r[0], sizeof(r[0]));
	assert_int_equal(r[3].plain.oif, 4);
	assert_int_equal(r[3].bound.oif, 5); /* by its default route */
	assert_int_equal(r[4].plain.answer, ANSWER_UNASKED);
	assert_int_equal(r[5].plain.oif, 4);
	assert_int_equal(r[5].bound.answer, ANSWER_UNASKED);
	assert_int_equal(r[6].plain.oif, 5);
	assert_int_equal(r[6].bound.oif, 5);
	for (unsigned i = 7; i < 10; i++) {
		assert_int_equal(r[i].plain.answer, ANSWER_UNASKED);
		assert_int_equal(r[i].bound.answer, ANSWER_UNASKED);
	}
	tree_write(&w.tree, "netlink/route.json", "[");
	assert_int_equal(facts_ask_path_routes(&w.tree.root, w.topo, plan, settings, w.findings, &err), 0);
	assert_int_equal(r[0].plain.answer, ANSWER_UNKNOWN);
	assert_int_equal(r[2].bound.answer, ANSWER_UNKNOWN);
	free(plan);
	free(settings);
}

static int free_routes(void **state)
{
	(void)state;
	dump_routes_free(&routes);
	return 0;
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_longest_prefix_wins_then_the_lowest_metric),
		cmocka_unit_test(a_source_may_use_any_table_that_leads_through_its_interface),
		cmocka_unit_test(a_nexthop_without_a_link_is_no_route),
		cmocka_unit_test(every_nexthop_is_a_way_of_its_own_interface),
		cmocka_unit_test(a_route_that_rejects_stops_the_search_of_its_table),
		cmocka_unit_test(an_address_of_this_machine_or_a_broadcast_is_no_target),
		cmocka_unit_test(for_ipv6_the_interface_is_a_preference_only),
		cmocka_unit_test(a_default_route_is_of_the_family_of_what_it_names),
		cmocka_unit_test(routes_that_make_no_sense_are_left_out),
		cmocka_unit_test_setup_teardown(candidates_and_portals_get_their_answers, setup, teardown),
		cmocka_unit_test_setup_teardown(routes_that_cannot_be_read_are_unknown, setup, teardown),
		cmocka_unit_test_setup_teardown(a_path_goes_as_plain_routing_goes_and_through_its_interface,
						setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, free_routes);
}
