/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The dumps of a tree: what ip and rdma print, and what they never would. */
#include "unit/dumps_world.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "facts/dump_net.h"
#include "facts/dump_rdma.h"

static struct json *parse(const char *text)
{
	const char *why;
	struct json *j = json_parse(text, strlen(text), &why);

	if (!j)
		fail_msg("%s: %.200s", why, text);
	return j;
}

static int links(struct world *w, const char *text)
{
	_cleanup_json_ struct json *j = parse(text);

	return dump_links(j, w->topo, w->findings, &w->err);
}

static int addrs(struct world *w, const char *text)
{
	_cleanup_json_ struct json *j = parse(text);

	return dump_addrs(j, w->topo, w->findings, &w->err);
}

static int defaults(struct world *w, const char *text)
{
	_cleanup_json_ struct json *j = parse(text);

	return dump_default_routes(j, w->topo, w->findings, &w->err);
}

static int rdma_links(struct world *w, const char *text)
{
	_cleanup_json_ struct json *j = parse(text);

	return dump_rdma_links(j, w->topo, w->findings, &w->err);
}

static int cm_ids(struct world *w, const char *text)
{
	_cleanup_json_ struct json *j = parse(text);

	return dump_cm_ids(j, w->topo, w->resources, &w->err);
}

static int qps(struct world *w, const char *text)
{
	_cleanup_json_ struct json *j = parse(text);

	return dump_qps(j, w->topo, w->resources, &w->err);
}

#define BOND                                                                                                \
	"[{\"ifindex\":3,\"ifname\":\"ens1\",\"flags\":[\"BROADCAST\",\"SLAVE\",\"UP\",\"LOWER_UP\"],"      \
	"\"mtu\":9000,\"master\":\"bond0\",\"link_type\":\"ether\",\"address\":\"02:00:5E:00:29:00\","      \
	"\"permaddr\":\"02:00:5e:00:aa:01\",\"linkinfo\":{\"info_slave_kind\":\"bond\"},"                   \
	"\"altnames\":[\"enp41s0f1np1\"]},"                                                                 \
	"{\"ifindex\":9,\"link\":\"bond0\",\"ifname\":\"bond0.100\",\"flags\":[\"UP\"],\"mtu\":1500,"       \
	"\"link_type\":\"ether\",\"address\":\"02:00:5e:00:29:00\",\"linkinfo\":{\"info_kind\":\"vlan\"}}," \
	"{\"ifindex\":7,\"ifname\":\"bond0\",\"flags\":[\"MASTER\",\"UP\",\"LOWER_UP\"],\"mtu\":9000,"      \
	"\"link_type\":\"ether\",\"address\":\"02:00:5e:00:29:00\",\"linkinfo\":{\"info_kind\":\"bond\","   \
	"\"info_data\":{\"mode\":\"active-backup\",\"active_slave\":\"ens1\"}}}]"

static void links_tell_members_masters_and_what_is_below_a_vlan(void **state)
{
	struct world *w = *state;
	const struct netdev *n = w->topo->netdev;

	assert_int_equal(links(w, BOND), 0);
	assert_int_equal(w->topo->netdevs, 3);
	assert_int_equal(n[0].ifindex, 3);
	assert_int_equal(n[0].kind, NET_PLAIN);
	assert_int_equal(n[0].master_ifindex, 7);
	assert_true(n[0].up && n[0].carrier && !n[0].loopback && !n[0].infiniband);
	assert_string_equal(n[0].mac, "02:00:5e:00:29:00");
	assert_string_equal(n[0].perm_mac, "02:00:5e:00:aa:01");
	assert_int_equal(n[0].altnames, 1);
	assert_string_equal(n[0].altname[0], "enp41s0f1np1");
	assert_int_equal(n[1].kind, NET_VLAN);
	assert_int_equal(n[1].lower_ifindex, 7);
	assert_true(n[1].up && !n[1].carrier);
	assert_int_equal(n[2].kind, NET_BOND);
	assert_int_equal(n[2].bond_mode, BOND_ACTIVE_BACKUP);
	assert_int_equal(n[2].active_ifindex, 3);
	assert_string_equal(n[2].perm_mac, "");
	assert_int_equal(w->findings->count, 0);
}

static void a_permanent_address_that_is_the_current_one_is_not_printed(void **state)
{
	struct world *w = *state;

	assert_int_equal(links(w, "[{\"ifindex\":2,\"ifname\":\"ens1\",\"address\":\"02:00:5e:00:29:00\"},"
				  "{\"ifindex\":3,\"ifname\":\"ens2\",\"address\":\"not a MAC\"}]"),
			 0);
	assert_string_equal(w->topo->netdev[0].perm_mac, "02:00:5e:00:29:00");
	assert_string_equal(w->topo->netdev[1].mac, "");
	assert_string_equal(w->topo->netdev[1].perm_mac, "");
	assert_int_equal(w->topo->netdev[0].mtu, -1);
	assert_int_equal(w->topo->netdev[0].bond_mode, BOND_UNKNOWN);
}

static void what_is_no_name_is_left_out(void **state)
{
	static const char *const names[] = { "",	 ".",	     "..",   "a/b",	 "../x",
					     "a b",	 "a\\u0001", "a\\n", "a\\u007f", "abcdefghijklmnop",
					     "a\\u0000b" };
	struct world *w = *state;

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		char text[128];

		snprintf(text, sizeof(text), "[{\"ifindex\":5,\"ifname\":\"%s\"}]", names[i]);
		assert_int_equal(links(w, text), 0);
		assert_int_equal(w->topo->netdevs, 0);
		assert_int_equal(w->findings->count, i + 1);
		snprintf(text, sizeof(text),
			 "[{\"ifindex\":5,\"ifname\":\"%s\",\"port\":1,\"state\":\"DOWN\"}]",
			 i == 9 ? "" : names[i]); /* RDMA names may be longer */
		assert_int_equal(rdma_links(w, text), 0);
		assert_int_equal(w->topo->rdma_links, 0);
		w->findings->count--;
	}
}

static void odd_entries_are_one_finding_however_many_they_are(void **state)
{
	struct world *w = *state;

	assert_int_equal(
		links(w, "[1,\"x\",null,[],{},{\"ifindex\":\"5\",\"ifname\":\"a\"},"
			 "{\"ifindex\":1e3,\"ifname\":\"a\"},{\"ifindex\":0,\"ifname\":\"a\"},"
			 "{\"ifindex\":99999999999999999999,\"ifname\":\"a\"},{\"ifindex\":6,\"ifname\":7},"
			 "{\"ifindex\":8,\"ifname\":\"good\"}]"),
		0);
	assert_int_equal(w->topo->netdevs, 1);
	assert_string_equal(w->topo->netdev[0].name, "good");
	assert_int_equal(w->findings->count, 1);
	assert_string_equal(w->findings->finding[0].check, "facts.readable");
	assert_int_equal(w->findings->finding[0].status, FINDING_UNKNOWN);
	assert_string_equal(w->findings->finding[0].message,
			    "netlink/link.json: entry 0 has no usable \"ifindex\", and 9 more like it");
}

static void an_entry_that_is_left_out_does_not_shift_the_others(void **state)
{
	struct world *w = *state;

	assert_int_equal(links(w, "[{\"ifindex\":5,\"ifname\":\"a b\",\"master\":\"y\"},"
				  "{\"ifindex\":5,\"ifname\":\"x\",\"master\":\"if12\"},"
				  "{\"ifindex\":6,\"ifname\":\"y\",\"master\":\"nobody\"}]"),
			 0);
	assert_int_equal(w->topo->netdevs, 2);
	assert_int_equal(w->topo->netdev[0].master_ifindex, 12);
	assert_int_equal(w->topo->netdev[1].master_ifindex, 0);
}

/* An array of count entries; each '#' of the entry becomes its number. */
static char *many(unsigned count, const char *entry)
{
	char *text = malloc(count * 160 + 3), *at = text;

	*at++ = '[';
	for (unsigned i = 1; i <= count; i++) {
		for (const char *c = entry; *c != '\0'; c++) {
			if (*c == '#')
				at += sprintf(at, "%u", i);
			else
				*at++ = *c;
		}
		*at++ = i < count ? ',' : ']';
	}
	*at = '\0';
	return text;
}

static void more_than_there_is_room_for_is_an_error_that_says_of_what(void **state)
{
	static const struct {
		int (*run)(struct world *w, const char *text);
		unsigned max;
		const char *entry, *what;
	} cases[] = {
		{ links, TOPO_NETDEVS_MAX, "{\"ifindex\":#,\"ifname\":\"n#\"}", "network interfaces" },
		{ rdma_links, TOPO_RDMA_MAX,
		  "{\"ifindex\":#,\"ifname\":\"r#\",\"port\":1,\"state\":\"DOWN\"}", "RDMA ports" },
		{ defaults, TOPO_DEFAULTS_MAX, "{\"dst\":\"default\",\"dev\":\"if#\",\"metric\":#}",
		  "default routes" },
		{ cm_ids, TOPO_CM_IDS_MAX, "{\"ifindex\":1,\"ifname\":\"m\",\"lqpn\":#,\"comm\":\"c#\"}",
		  "CM_IDs" },
		{ addrs, TOPO_ADDRS_MAX,
		  "{\"ifindex\":1,\"addr_info\":[{\"local\":\"::1\",\"prefixlen\":64}]}", "IP addresses" },
	};
	struct world *w = *state;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char *text = many(cases[i].max, cases[i].entry);

		memset(&w->err, 0, sizeof(w->err));
		w->topo->netdevs = w->topo->rdma_links = w->topo->default_routes = 0;
		w->topo->cm_ids = w->topo->addrs = 0;
		assert_int_equal(cases[i].run(w, text), 0);
		free(text);
		text = many(1, cases[i].entry);
		/* if1 is there already, and one default route through it is enough */
		if (cases[i].run == defaults) {
			free(text);
			text = strdup("[{\"dst\":\"default\",\"dev\":\"if9999\"}]");
		}
		assert_int_equal(cases[i].run(w, text), -E2BIG);
		assert_int_equal(w->err.exit, XC_ENVIRONMENT);
		assert_string_equal(w->err.object, cases[i].what);
		free(text);
	}
}

static void a_name_too_many_is_an_error_as_well(void **state)
{
	struct world *w = *state;

	assert_int_equal(links(w, "[{\"ifindex\":1,\"ifname\":\"x\",\"altnames\":[\"1\",\"2\",\"3\",\"4\","
				  "\"5\",\"6\",\"7\",\"8\"]}]"),
			 0);
	assert_int_equal(w->topo->netdev[0].altnames, TOPO_ALTNAMES_MAX);
	assert_int_equal(links(w, "[{\"ifindex\":2,\"ifname\":\"y\",\"altnames\":[\"a\",\"b\",\"c\",\"d\","
				  "\"e\",\"f\",\"g\",\"h\",7,\"/\",\"i\"]}]"),
			 -E2BIG);
	assert_string_equal(w->err.object, "alternative names of one interface");
	assert_int_equal(w->findings->count, 2);
}

static void addresses_in_doubt_are_not_usable(void **state)
{
	struct world *w = *state;

	assert_int_equal(
		addrs(w,
		      "[{\"ifindex\":4,\"ifname\":\"x\",\"addr_info\":["
		      "{\"family\":\"inet\",\"local\":\"10.10.1.1\",\"prefixlen\":24},"
		      "{\"family\":\"inet6\",\"local\":\"fd00::1\",\"prefixlen\":64,\"tentative\":true},"
		      "{\"family\":\"inet6\",\"local\":\"fd00::2\",\"prefixlen\":64,\"dadfailed\":true},"
		      "{\"family\":\"inet6\",\"local\":\"fd00::3\",\"prefixlen\":64,\"deprecated\":true},"
		      "{\"family\":\"inet6\",\"local\":\"fd00::4\",\"prefixlen\":64,\"nodad\":true},"
		      "{\"family\":\"inet6\",\"local\":\"fd00::5\",\"prefixlen\":64,\"temporary\":true},"
		      "{\"family\":\"inet\",\"local\":\"10.10.1.6\",\"prefixlen\":24,\"secondary\":true},"
		      "{\"local\":\"10.0.0.1\",\"prefixlen\":33},{\"local\":\"10.0.0.256\",\"prefixlen\":8},"
		      "{\"local\":10,\"prefixlen\":8},{\"local\":\"::1\",\"prefixlen\":-1},7]},"
		      "{\"ifindex\":5,\"addr_info\":{}},{\"ifindex\":[],\"addr_info\":[]}]"),
		0);
	assert_int_equal(w->topo->addrs, 7);
	for (unsigned i = 0; i < 7; i++)
		assert_int_equal(w->topo->addr[i].usable, i == 0 || i == 4 || i == 6);
	assert_int_equal(w->topo->addr[0].prefixlen, 24);
	assert_int_equal(w->topo->addr[0].ifindex, 4);
	assert_int_equal(w->findings->count, 1);
}

static void default_routes_are_every_nexthop_of_every_table_once(void **state)
{
	struct world *w = *state;

	assert_int_equal(
		defaults(w, "[{\"dst\":\"default\",\"gateway\":\"10.0.0.1\",\"dev\":\"if2\"},"
			    "{\"dst\":\"default\",\"dev\":\"if3\",\"table\":\"200\"},"
			    "{\"dst\":\"default\",\"nexthops\":[{\"gateway\":\"fd00::1\",\"dev\":\"if4\"},"
			    "{\"gateway\":\"fd00::2\",\"dev\":\"if5\",\"flags\":[\"dead\"]}]},"
			    "{\"dst\":\"default\",\"dev\":\"if2\",\"metric\":9},"
			    "{\"dst\":\"default\",\"dev\":\"if6\",\"metric\":1024,\"pref\":\"medium\"},"
			    "{\"type\":\"unreachable\",\"dst\":\"default\",\"dev\":\"if7\"},"
			    "{\"dst\":\"10.0.0.0/8\",\"dev\":\"if8\"}]"),
		0);
	assert_int_equal(w->topo->default_routes, 5);
	for (unsigned i = 0; i < 5; i++) {
		assert_int_equal(w->topo->default_route[i].ifindex, i + 2);
		assert_int_equal(w->topo->default_route[i].family, i < 2 ? 4 : 6);
	}
	assert_int_equal(w->findings->count, 0);
	assert_int_equal(defaults(w, "[{\"dst\":\"default\",\"nhid\":7}]"), 0);
	assert_int_equal(w->findings->count, 1); /* it leads somewhere, but where is unknown */
}

static void rdma_links_tell_state_and_netdev(void **state)
{
	struct world *w = *state;
	const struct rdma_link *l = w->topo->rdma_link;

	assert_int_equal(links(w, BOND), 0);
	assert_int_equal(
		rdma_links(w,
			   "[{\"ifindex\":1,\"ifname\":\"mlx5_1\",\"port\":1,\"state\":\"ACTIVE\","
			   "\"netdev\":\"ens1\",\"netdev_index\":33},"
			   "{\"ifindex\":2,\"ifname\":\"mlx5_2\",\"port\":2,\"state\":\"DOWN\",\"netdev\":"
			   "\"ens1\"},"
			   "{\"ifindex\":3,\"ifname\":\"mlx5_3\",\"port\":1,\"state\":\"ACTIVE \\u001b[2J\"},"
			   "{\"ifindex\":4,\"ifname\":\"mlx5_4\",\"port\":0,\"state\":\"ACTIVE\"},"
			   "{\"ifindex\":-4,\"ifname\":\"mlx5_5\",\"port\":1,\"state\":\"ACTIVE\"}]"),
		0);
	assert_int_equal(w->topo->rdma_links, 3);
	assert_true(l[0].active);
	assert_string_equal(l[0].state, "active");
	assert_int_equal(l[0].netdev_ifindex, 33);
	assert_int_equal(l[0].ncv, -1);
	assert_false(l[1].active);
	assert_int_equal(l[1].port, 2);
	assert_int_equal(l[1].netdev_ifindex, 3);
	assert_string_equal(l[2].state, "");
	assert_false(l[2].active);
	assert_int_equal(w->findings->count, 1);
}

static void only_cm_ids_of_the_kernel_are_kept(void **state)
{
	struct world *w = *state;
	const struct cm_id *c = w->topo->cm_id;

	w->topo->cm_ids_read = READ_OK;
	assert_int_equal(
		cm_ids(w,
		       "[{" HEAD "\"lqpn\":17,\"comm\":\"nvme_rdma\",\"src-addr\":\"10.10.1.1:60660\","
		       "\"dst-addr\":\"10.10.1.2:4420\"},"
		       "{" HEAD "\"lqpn\":18,\"pid\":77,\"comm\":\"nvme_rdma\"}," /* a process of that name */
		       "{" HEAD "\"lqpn\":19}," /* a process that has ended */
		       "{" HEAD "\"comm\":\"nvmet_rdma\",\"src-addr\":\"fd00::1:4420\"},"
		       "{" HEAD
		       "\"lqpn\":20,\"comm\":\"nvme_rdma\",\"src-addr\":\"fe80::5054:ff:fe00:103:33000\","
		       "\"dst-addr\":\"fd00:10:1::2:4420\"}]"),
		0);
	assert_int_equal(w->topo->cm_ids_read, READ_OK);
	assert_int_equal(w->topo->cm_ids, 3);
	assert_string_equal(c[0].owner, "nvme_rdma");
	assert_true(c[0].has_addrs && c[0].has_qp);
	assert_int_equal(c[0].src_port, 60660);
	assert_int_equal(c[0].dst_port, 4420);
	assert_int_equal(c[0].dst.bytes[3], 2);
	assert_false(c[1].has_addrs || c[1].has_qp);
	assert_int_equal(c[2].src.family, 6);
	assert_int_equal(c[2].src_port, 33000);
	assert_int_equal(c[2].dst.bytes[15], 2);
}

static void one_cm_id_that_makes_no_sense_leaves_no_proof(void **state)
{
	static const struct {
		const char *text, *key;
	} cases[] = {
		{ "[{\"ifname\":\"mlx5_1\",\"comm\":\"nvme_rdma\"}]", "ifname" },
		{ "[7]", "ifname" },
		{ "[{\"ifindex\":1,\"ifname\":\"a/b\",\"comm\":\"nvme_rdma\"}]", "ifname" },
		{ "[{" HEAD "\"comm\":5}]", "comm" },
		{ "[{" HEAD "\"comm\":\"\"}]", "comm" },
		{ "[{" HEAD "\"comm\":\"nvme_rdma\",\"lqpn\":\"17\"}]", "lqpn" },
		{ "[{" HEAD "\"comm\":\"nvme_rdma\",\"lqpn\":4294967296}]", "lqpn" },
		{ "[{" HEAD "\"comm\":\"nvme_rdma\",\"src-addr\":\"10.10.1.1\"}]", "src-addr" },
		{ "[{" HEAD "\"comm\":\"nvme_rdma\",\"src-addr\":\":1\"}]", "src-addr" },
		{ "[{" HEAD "\"comm\":\"nvme_rdma\",\"src-addr\":\"[fd00::1]:1\"}]", "src-addr" },
		{ "[{" HEAD
		  "\"comm\":\"nvme_rdma\",\"src-addr\":\"1.1.1.1:1\",\"dst-addr\":\"1.1.1.1:65536\"}]",
		  "dst-addr" },
		{ "[{" HEAD "\"comm\":\"nvme_rdma\",\"dst-addr\":[]}]", "dst-addr" },
	};
	struct world *w = *state;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		w->topo->cm_ids_read = READ_OK;
		w->topo->cm_ids_why[0] = '\0';
		assert_int_equal(cm_ids(w, cases[i].text), 0);
		assert_int_equal(w->topo->cm_ids_read, READ_FAILED);
		if (!strstr(w->topo->cm_ids_why, cases[i].key))
			fail_msg("%s: %s", cases[i].text, w->topo->cm_ids_why);
	}
	w->topo->cm_ids_read = READ_OK;
	assert_int_equal(qps(w, "[{" HEAD "\"lqpn\":17,\"state\":\"RTS\"},{" HEAD "\"lqpn\":18}]"), 0);
	assert_int_equal(w->topo->cm_ids_read, READ_FAILED);
	w->topo->cm_ids_read = READ_OK;
	assert_int_equal(qps(w, "[{" HEAD "\"state\":\"RTS\"}]"), 0);
	assert_int_equal(w->topo->cm_ids_read, READ_FAILED);
}

/* Every key with every value that it should not have: nothing may crash, whatever it becomes. */
static void hostile_values_crash_nothing(void **state)
{
	static const char *const keys[] = {
		"ifindex",	"ifname",    "flags",	      "mtu",	  "link",  "master",  "linkinfo",
		"address",	"permaddr",  "altnames",      "dst",	  "dev",   "gateway", "nexthops",
		"table",	"metric",    "addr_info",     "port",	  "state", "netdev",  "comm",
		"lqpn",		"pid",	     "src-addr",      "dst-addr", "type",  "prefsrc", "pref",
		"netdev_index", "link_type", "phys_port_name"
	};
	static const char *const values[] = {
		"null",
		"true",
		"-1",
		"0",
		"18446744073709551616",
		"-9223372036854775809",
		"1e400",
		"1.5",
		"\"\"",
		"[]",
		"{}",
		"[[[[[[[[[[[[[[]]]]]]]]]]]]]]",
		"[null,{},7,\"x\",[]]",
		"{\"info_kind\":[],\"info_data\":7}",
		"{\"info_kind\":\"bond\",\"info_data\":{\"mode\":{},\"active_slave\":[]}}",
		"\"0123456789012345678901234567890123456789012345678901234567890123456789\"",
		"\"::1/129\"",
		"\":::\"",
		"\"if99999999999\"",
		"\"10.0.0.0/\""
	};
	struct world *w = *state;

	for (size_t k = 0; k < ARRAY_SIZE(keys); k++) {
		for (size_t v = 0; v < ARRAY_SIZE(values); v++) {
			char text[1024] = "[{";

			for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
				str_append(text, sizeof(text), "%s\"%s\":%s", i ? "," : "", keys[i],
					   i == k			  ? values[v]
					   : i == 0 || i == 17 || i == 21 ? "1"
									  : "\"x\"");
			str_append(text, sizeof(text), "}]");
			assert_int_equal(links(w, text), 0);
			assert_int_equal(addrs(w, text), 0);
			assert_int_equal(defaults(w, text), 0);
			assert_int_equal(rdma_links(w, text), 0);
			assert_int_equal(cm_ids(w, text), 0);
			assert_int_equal(qps(w, text), 0);
			w->topo->netdevs = w->topo->rdma_links = 0;
			w->findings->count = 0;
		}
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		T(links_tell_members_masters_and_what_is_below_a_vlan),
		T(a_permanent_address_that_is_the_current_one_is_not_printed),
		T(what_is_no_name_is_left_out),
		T(odd_entries_are_one_finding_however_many_they_are),
		T(an_entry_that_is_left_out_does_not_shift_the_others),
		T(more_than_there_is_room_for_is_an_error_that_says_of_what),
		T(a_name_too_many_is_an_error_as_well),
		T(addresses_in_doubt_are_not_usable),
		T(default_routes_are_every_nexthop_of_every_table_once),
		T(rdma_links_tell_state_and_netdev),
		T(only_cm_ids_of_the_kernel_are_kept),
		T(one_cm_id_that_makes_no_sense_leaves_no_proof),
		T(hostile_values_crash_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
