/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The config file: what it accepts, and which line it says when it does not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "facts/facts.h"
#include "unit/tree.h"

#define UUID "7e1c3a52-0f4b-4d6e-9a51-3c5d2b8f0001"
#define HOSTNQN "nqn.2014-08.org.nvmexpress:uuid:" UUID

static struct tree tree;
static struct config config;
static struct err error;

static int setup(void **state)
{
	(void)state;
	memset(&config, 0, sizeof(config));
	memset(&error, 0, sizeof(error));
	config.request.opts =
		(struct connect_opts){ .nr_io_queues = 16, .ctrl_loss_tmo = 600, .tos = CONNECT_UNSET };
	tree_open(&tree);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	tree_close(&tree);
	return 0;
}

static int read_text(const char *text)
{
	tree_write(&tree, CONFIG_PATH, text);
	return facts_read_config(&tree.root, NULL, &config, &error);
}

static void assert_message_ends(const char *end)
{
	size_t length = strlen(error.msg), tail = strlen(end);

	if (length < tail || strcmp(error.msg + length - tail, end) != 0)
		fail_msg("'%s' does not end in '%s'", error.msg, end);
}

static void a_missing_file_in_the_usual_place_is_no_error(void **state)
{
	(void)state;
	assert_int_equal(facts_read_config(&tree.root, NULL, &config, &error), 0);
	assert_false(config.there);
	assert_int_equal(config.request.opts.nr_io_queues, 16);
}

static void a_missing_file_that_was_named_is_a_usage_error(void **state)
{
	(void)state;
	assert_true(facts_read_config(&tree.root, "/etc/other.json", &config, &error) < 0);
	assert_int_equal(error.exit, XC_USAGE);
	assert_message_ends("/etc/other.json: is not there");
}

static void a_named_path_is_below_the_tree(void **state)
{
	(void)state;
	tree_write(&tree, "etc/other.json", "{\"ports\": [\"slot2/p1\"]}");
	assert_int_equal(facts_read_config(&tree.root, "/etc/other.json", &config, &error), 0);
	assert_int_equal(config.request.port_names, 1);
	assert_int_equal(facts_read_config(&tree.root, "etc/other.json", &config, &error), 0);
}

static void a_relative_path_on_this_machine_starts_in_the_working_directory(void **state)
{
	struct root live = ROOT_INIT;
	char before[512];

	(void)state;
	tree_write(&tree, "here/my.json", "{\"ports\": [\"slot2/p1\"]}");
	assert_int_equal(root_open(NULL, &live, &error), 0);
	live.owner = tree.root.owner; /* the tests need not be root's */
	assert_non_null(getcwd(before, sizeof(before)));
	assert_int_equal(chdir(tree.path), 0);
	assert_int_equal(facts_read_config(&live, "here/my.json", &config, &error), 0);
	assert_int_equal(chdir(before), 0);
	root_close(&live);
	assert_string_equal(config.request.port_name[0], "slot2/p1");
}

static void everything_that_connect_uses_is_stored(void **state)
{
	const struct request *request = &config.request;
	char text[IP_TEXT_MAX];

	(void)state;
	assert_int_equal(
		read_text(
			"{\"hostnqn\": \"" HOSTNQN
			"\", \"connect\": {\"nr_io_queues\": 8, \"queue_size\": 64,"
			"\"keep_alive_tmo\": 0, \"reconnect_delay\": 2, \"ctrl_loss_tmo\": 30, \"tos\": 106},"
			"\"initiator\": \"host\", \"ports\": [\"slot1/p1\", \"0000:29:00.0\"],"
			"\"targets\": [{\"nqn\": \"nqn.a\", \"traddr\": [\"10.1.0.2\", \"fd00:0::2\"]},"
			"{\"nqn\": \"nqn.b\", \"traddr\": [\"fe80::2%ens1\"], \"trsvcid\": \"4421\"}]}"),
		0);
	assert_true(config.there);
	assert_int_equal(config.initiator, CONFIG_INITIATOR_HOST);
	assert_string_equal(request->hostnqn, HOSTNQN);
	assert_string_equal(request->hostid, UUID);
	assert_int_equal(request->opts.nr_io_queues, 8);
	assert_int_equal(request->opts.queue_size, 64);
	assert_int_equal(request->opts.keep_alive_tmo, 0);
	assert_int_equal(request->opts.reconnect_delay, 2);
	assert_int_equal(request->opts.ctrl_loss_tmo, 30);
	assert_false(request->opts.ctrl_loss_forever);
	assert_int_equal(request->opts.tos, 106);
	assert_int_equal(request->port_names, 2);
	assert_string_equal(request->port_name[1], "0000:29:00.0");
	assert_int_equal(request->portals, 3);
	assert_string_equal(request->portal[1].nqn, "nqn.a");
	assert_string_equal(ip_format(&request->portal[1].traddr, text), "fd00::2");
	assert_string_equal(request->portal[1].trsvcid, "4420");
	assert_string_equal(ip_format(&request->portal[2].traddr, text), "fe80::2%ens1");
	assert_string_equal(request->portal[2].trsvcid, "4421");
}

static void placement_is_stored(void **state)
{
	(void)state;
	config.request.cores_per_port = 4;
	assert_int_equal(read_text("{\"affinity\": {\"irqbalance\": \"refuse\"}}"), 0);
	assert_int_equal(config.request.irqbalance, REQUEST_REFUSE);
	assert_int_equal(config.request.cores_per_port, 4);
	assert_int_equal(read_text("{\"affinity\": {\"irqbalance\": \"ignore\", \"cores_per_port\": 64}}"),
			 0);
	assert_int_equal(config.request.irqbalance, REQUEST_IGNORE);
	assert_int_equal(config.request.cores_per_port, 64);
	assert_int_equal(read_text("{\"affinity\": {\"irqbalance\": null, \"cores_per_port\": null}}"), 0);
	assert_int_equal(config.request.irqbalance, REQUEST_IGNORE);
	assert_int_equal(config.request.cores_per_port, 64);
	assert_int_equal(read_text("{\"affinity\": {\"irqbalance\": \"ban\"}}"), 0);
	assert_int_equal(config.request.irqbalance, REQUEST_BAN);
}

static void what_is_not_said_stays_as_it_was(void **state)
{
	(void)state;
	strcpy(config.request.hostnqn, "nqn.before");
	assert_int_equal(read_text("{\"connect\": {\"queue_size\": 32, \"tos\": null}}"), 0);
	assert_int_equal(config.request.opts.nr_io_queues, 16);
	assert_int_equal(config.request.opts.queue_size, 32);
	assert_int_equal(config.request.opts.tos, CONNECT_UNSET);
	assert_int_equal(config.initiator, CONFIG_INITIATOR_AUTO);
	assert_string_equal(config.request.hostnqn, "nqn.before");
}

static void ctrl_loss_tmo_minus_one_is_forever(void **state)
{
	(void)state;
	assert_int_equal(read_text("{\"connect\": {\"ctrl_loss_tmo\": -1}}"), 0);
	assert_true(config.request.opts.ctrl_loss_forever);
}

static void the_parts_of_other_commands_are_accepted(void **state)
{
	(void)state;
	assert_int_equal(read_text("{\"discovery\": [{\"traddr\": \"10.1.0.2\", \"trsvcid\": \"8009\"}, "
				   "{\"traddr\": \"10.1.0.3\"}],"
				   "\"bonds\": [{\"name\": \"bond0\", \"ports\": [\"slot1/p2\", "
				   "\"slot2/p2\"], \"mode\": \"802.3ad\","
				   "\"mtu\": 9000, \"addresses\": [\"10.1.0.1/24\", \"fd00::1/64\"]}]}"),
			 0);
}

struct bad {
	const char *text, *message; /* after "FILE: " */
};

static const struct bad bads[] = {
	{ "[]", "must be an object" },
	{ "{\"target\": []}",
	  "\"target\" is no key here; known are hostnqn, hostid, connect, initiator, targets, "
	  "discovery, ports, bonds, affinity" },
	{ "{\"a\\nb\": 1}",
	  "\"a?b\" is no key here; known are hostnqn, hostid, connect, initiator, targets, discovery, "
	  "ports, bonds, affinity" },
	{ "{\"hostnqn\": 1}", "hostnqn: must be a string" },
	{ "{\"hostnqn\": \"iqn.x\"}", "hostnqn: is no NQN (nqn...., without blanks and commas)" },
	{ "{\"hostnqn\": \"nqn.a,b\"}", "hostnqn: is no NQN (nqn...., without blanks and commas)" },
	{ "{\"hostnqn\": \"nqn.a\"}", "hostnqn: has no UUID in it; give hostid as well" },
	{ "{\"hostid\": \"17\"}", "hostid: is no UUID" },
	{ "{\"connect\": []}", "connect: must be an object" },
	{ "{\"connect\": {\"nr_queues\": 1}}",
	  "connect: \"nr_queues\" is no key here; known are nr_io_queues, queue_size, "
	  "keep_alive_tmo, reconnect_delay, ctrl_loss_tmo, tos" },
	{ "{\"connect\": {\"nr_io_queues\": \"16\"}}", "connect.nr_io_queues: must be a whole number" },
	{ "{\"connect\": {\"nr_io_queues\": 16.0}}", "connect.nr_io_queues: must be a whole number" },
	{ "{\"connect\": {\"nr_io_queues\": 0}}", "connect.nr_io_queues: must be between 1 and 65535" },
	{ "{\"connect\": {\"nr_io_queues\": 65536}}", "connect.nr_io_queues: must be between 1 and 65535" },
	{ "{\"connect\": {\"queue_size\": 15}}", "connect.queue_size: must be between 16 and 1024" },
	{ "{\"connect\": {\"queue_size\": 99999999999999999999}}",
	  "connect.queue_size: must be between 16 and 1024" },
	{ "{\"connect\": {\"keep_alive_tmo\": -1}}", "connect.keep_alive_tmo: must be between 0 and 65535" },
	{ "{\"connect\": {\"reconnect_delay\": 0}}", "connect.reconnect_delay: must be between 1 and 65535" },
	{ "{\"connect\": {\"ctrl_loss_tmo\": -2}}",
	  "connect.ctrl_loss_tmo: must be between -1 and 2147483647" },
	{ "{\"connect\": {\"tos\": 256}}", "connect.tos: must be between 0 and 255" },
	{ "{\"initiator\": \"dpu\"}", "initiator: \"dpu\" is none of auto, host" },
	{ "{\"targets\": {}}", "targets: must be an array" },
	{ "{\"targets\": [1]}", "targets[0]: must be an object" },
	{ "{\"targets\": [{\"traddr\": [\"10.1.0.2\"]}]}", "targets[0]: has no nqn" },
	{ "{\"targets\": [{\"nqn\": \"nqn.a\"}]}", "targets[0]: has no traddr" },
	{ "{\"targets\": [{\"nqn\": \"nqn.a\", \"traddr\": []}]}", "targets[0]: has no traddr" },
	{ "{\"targets\": [{\"nqn\": \"x\", \"traddr\": []}]}",
	  "targets[0].nqn: is no NQN (nqn...., without blanks and commas)" },
	{ "{\"targets\": [{\"nqn\": \"nqn.2014-08.org.nvmexpress.discovery\", \"traddr\": [\"10.1.0.2\"]}]}",
	  "targets[0].nqn: is the discovery subsystem, which has no namespaces" },
	{ "{\"targets\": [{\"nqn\": \"nqn.a\", \"traddr\": \"10.1.0.2\"}]}",
	  "targets[0].traddr: must be an array" },
	{ "{\"targets\": [{\"nqn\": \"nqn.a\", \"traddr\": [null]}]}",
	  "targets[0].traddr[0]: must be a string" },
	{ "{\"targets\": [{\"nqn\": \"nqn.a\", \"traddr\": [\"10.1.0.2\"]}, {\"nqn\": \"nqn.a\", \"traddr\": "
	  "[\"10.1.0.2\", \"store1\"]}]}",
	  "targets[1].traddr[1]: \"store1\" is a host name; give its address" },
	{ "{\"targets\": [{\"nqn\": \"nqn.a\", \"traddr\": [\"10.1.0.256\"]}]}",
	  "targets[0].traddr[0]: \"10.1.0.256\" is no IP address" },
	{ "{\"targets\": [{\"nqn\": \"nqn.a\", \"traddr\": [\"fe80::1\"]}]}",
	  "targets[0].traddr[0]: \"fe80::1\" is link-local: name its interface, as in fe80::1%ens1" },
	{ "{\"targets\": [{\"nqn\": \"nqn.a\", \"traddr\": [\"127.0.0.1\"]}]}",
	  "targets[0].traddr[0]: \"127.0.0.1\" is an address that no port can have" },
	{ "{\"targets\": [{\"nqn\": \"nqn.a\", \"traddr\": [\"10.1.0.2\"], \"trsvcid\": 4420}]}",
	  "targets[0].trsvcid: must be a string" },
	{ "{\"targets\": [{\"nqn\": \"nqn.a\", \"traddr\": [\"10.1.0.2\"], \"trsvcid\": \"nvme\"}]}",
	  "targets[0].trsvcid: must be a port number, as in \"4420\"" },
	{ "{\"discovery\": [{}]}", "discovery[0]: has no traddr" },
	{ "{\"discovery\": [{\"traddr\": \"x\"}]}",
	  "discovery[0].traddr: \"x\" is a host name; give its address" },
	{ "{\"discovery\": [{\"traddr\": \"10.1.0.2\", \"nqn\": \"\"}]}",
	  "discovery[0]: \"nqn\" is no key here; known are traddr, trsvcid" },
	{ "{\"ports\": [\"\"]}", "ports[0]: must not be empty" },
	{ "{\"ports\": [\"a\\u0007\"]}", "ports[0]: must not hold control characters" },
	{ "{\"ports\": \"slot1/p1\"}", "ports: must be an array" },
	{ "{\"bonds\": [{\"slaves\": []}]}",
	  "bonds[0]: \"slaves\" is no key here; known are name, ports, mode, mtu, addresses" },
	{ "{\"bonds\": [{\"name\": \"a/b\"}]}", "bonds[0].name: cannot be the name of an interface" },
	{ "{\"bonds\": [{\"name\": \"a234567890123456\"}]}", "bonds[0].name: must have at most 15 bytes" },
	{ "{\"bonds\": [{\"ports\": [1]}]}", "bonds[0].ports[0]: must be a string" },
	{ "{\"bonds\": [{\"mode\": \"balance-rr\"}]}",
	  "bonds[0].mode: \"balance-rr\" is none of active-backup, 802.3ad, balance-xor" },
	{ "{\"bonds\": [{\"mtu\": 10}]}", "bonds[0].mtu: must be between 68 and 65535" },
	{ "{\"bonds\": [{\"addresses\": [\"10.1.0.1\"]}]}",
	  "bonds[0].addresses[0]: has no prefix length, as in 10.10.1.1/24" },
	{ "{\"bonds\": [{\"addresses\": [\"10.1.0.1/33\"]}]}",
	  "bonds[0].addresses[0]: has a wrong prefix length" },
	{ "{\"affinity\": {\"cores\": 4}}",
	  "affinity: \"cores\" is no key here; known are cores_per_port, irqbalance" },
	{ "{\"affinity\": {\"cores_per_port\": 0}}", "affinity.cores_per_port: must be between 1 and 64" },
	{ "{\"affinity\": {\"cores_per_port\": 65}}", "affinity.cores_per_port: must be between 1 and 64" },
	{ "{\"affinity\": {\"irqbalance\": \"kill\"}}",
	  "affinity.irqbalance: \"kill\" is none of ban, ignore, refuse" },
};

static void every_mistake_names_its_place(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(bads) / sizeof(bads[0]); i++) {
		char want[1024];

		memset(&error, 0, sizeof(error));
		assert_true(read_text(bads[i].text) < 0);
		assert_int_equal(error.exit, XC_USAGE);
		snprintf(want, sizeof(want), "%s/" CONFIG_PATH ": %s", tree.path, bads[i].message);
		assert_string_equal(error.msg, want);
		assert_null(strchr(error.msg, '\n'));
	}
}

/* json-c says why, in words that differ between its versions. */
static void what_is_not_json_is_a_mistake(void **state)
{
	static const char *const texts[] = { "", "{", "{} x", "{\"a\": 1,}", "// none\n{}", "null" };

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		memset(&error, 0, sizeof(error));
		assert_true(read_text(texts[i]) < 0);
		assert_int_equal(error.exit, XC_USAGE);
		if (!strstr(error.msg, "config.json: is not JSON: "))
			fail_msg("'%s': %s", texts[i], error.msg);
	}
}

static void a_bad_file_changes_nothing(void **state)
{
	(void)state;
	assert_true(read_text("{\"connect\": {\"queue_size\": 32}, \"initiator\": \"x\"}") < 0);
	assert_int_equal(config.request.opts.queue_size, 0);
	assert_false(config.there);
}

static void a_file_that_others_can_write_is_not_trusted(void **state)
{
	(void)state;
	tree_write(&tree, CONFIG_PATH, "{}");
	tree_chmod(&tree, CONFIG_PATH, 0666);
	assert_true(facts_read_config(&tree.root, NULL, &config, &error) < 0);
	assert_int_equal(error.exit, XC_ENVIRONMENT);
}

static void more_portals_than_there_is_room_for_are_an_error(void **state)
{
	char *text = malloc(64 + 1025 * 16), *at;

	(void)state;
	assert_non_null(text);
	at = text + sprintf(text, "{\"targets\": [{\"nqn\": \"nqn.a\", \"traddr\": [");
	for (unsigned i = 0; i < 1025; i++)
		at += sprintf(at, "%s\"10.1.%u.%u\"", i ? "," : "", i / 200, i % 200 + 1);
	strcpy(at, "]}]}");
	assert_true(read_text(text) < 0);
	assert_message_ends("targets[0].traddr[1024]: more than 1024 portals");
	free(text);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_missing_file_in_the_usual_place_is_no_error),
		TEST(a_missing_file_that_was_named_is_a_usage_error),
		TEST(a_named_path_is_below_the_tree),
		TEST(a_relative_path_on_this_machine_starts_in_the_working_directory),
		TEST(everything_that_connect_uses_is_stored),
		TEST(placement_is_stored),
		TEST(what_is_not_said_stays_as_it_was),
		TEST(ctrl_loss_tmo_minus_one_is_forever),
		TEST(the_parts_of_other_commands_are_accepted),
		TEST(every_mistake_names_its_place),
		TEST(what_is_not_json_is_a_mistake),
		TEST(a_bad_file_changes_nothing),
		TEST(a_file_that_others_can_write_is_not_trusted),
		TEST(more_portals_than_there_is_room_for_are_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
