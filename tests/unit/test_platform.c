/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Platform files: the built-in ones, which machine they match, and what is wrong with a bad one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "facts/facts.h"
#include "unit/tree.h"

#define ADMIN PLATFORMS_DIR "/hgx.json"

static struct tree tree;
static struct platform platform;
static bool known;
static struct err error;

static int setup(void **state)
{
	(void)state;
	memset(&platform, 0, sizeof(platform));
	memset(&error, 0, sizeof(error));
	known = false;
	tree_open(&tree);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	tree_close(&tree);
	return 0;
}

static int find(const char *sys_vendor, const char *product_name, const char *force)
{
	struct dmi dmi = { 0 };

	assert_int_equal(str_copy(dmi.sys_vendor, sizeof(dmi.sys_vendor), sys_vendor), 0);
	assert_int_equal(str_copy(dmi.product_name, sizeof(dmi.product_name), product_name), 0);
	memset(&error, 0, sizeof(error));
	return facts_read_platform(&tree.root, &dmi, force, &platform, &known, &error);
}

/* A correct file; each part can be replaced by another one. */
#define HEAD "\"schema\": 1, \"id\": \"hgx\", \"initiator\": \"host-cpu\""
#define MATCH "\"match\": {\"sys_vendor\": \"Example\", \"product_name\": \"HGX 8\"}"
#define IDS "\"nic_ids\": {\"storage\": [\"15b3:1021\"]}"
#define STORAGE "\"storage\": [{\"pci\": \"0000:29:00.0\"}]"
#define GOOD "{" HEAD ", " MATCH ", " IDS ", " STORAGE "}"

struct dmi_case {
	const char *sys_vendor, *product_name, *id; /* NULL: no platform */
};

static const struct dmi_case dmi_cases[] = {
	{ "NVIDIA", "DGXH100", "dgx-h100" },
	{ "NVIDIA", "DGX H100", "dgx-h100" },
	{ "NVIDIA", "DGXH100 920-23687-2531-001", "dgx-h100" },
	{ "NVIDIA", "DGX H100-640GB", "dgx-h100" },
	{ "Nvidia", "DGXH200", "dgx-h200" },
	{ "NVIDIA", "DGXB200", "dgx-b200" },
	{ "NVIDIA", "DGXGB200", NULL },
	{ "NVIDIA", "DGXB300", NULL },
	{ "NVIDIA", "DGXA100 920-23687-2531-001", NULL },
	{ "NVIDIA", "DGXH1000", NULL },
	{ "NVIDIA", "DGXH10", NULL },
	{ "NVIDIA", "DGXH100.1", NULL },
	{ "NVIDIA", "xDGXH100", NULL },
	{ "NVIDIA", "dgxh100", NULL },
	{ "NVIDIA", "NVIDIA_DGX_Spark", NULL },
	{ "NVIDIA Corporation", "DGXH100", NULL },
	{ "Nvidia", "BlueField-3 DPU", NULL },
	{ "QEMU", "Standard PC (Q35 + ICH9, 2009)", NULL },
	{ "QEMU", "DGXH100", NULL },
	{ "Dell Inc.", "PowerEdge XE9680", NULL },
	{ "Supermicro", "SYS-421GU-TNXR", NULL },
	{ "", "DGXH100", NULL },
	{ "NVIDIA", "", NULL },
	{ "", "", NULL },
};

static void built_in_platforms_match_their_machines_only(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(dmi_cases) / sizeof(dmi_cases[0]); i++) {
		const struct dmi_case *c = &dmi_cases[i];

		assert_int_equal(find(c->sys_vendor, c->product_name, NULL), 0);
		if (known != (c->id != NULL))
			fail_msg("'%s' '%s': %s", c->sys_vendor, c->product_name,
				 known ? platform.id : "no match");
		if (known)
			assert_string_equal(platform.id, c->id);
	}
}

static void assert_port(const char *address, enum role role, int slot, int port, int node)
{
	const struct platform_port *entry;
	struct pci_addr pci;

	assert_int_equal(pci_parse(address, &pci), 0);
	entry = platform_port(&platform, &pci);
	assert_non_null(entry);
	assert_int_equal(entry->role, role);
	assert_int_equal(entry->slot, slot);
	assert_int_equal(entry->port, port);
	assert_int_equal(entry->numa_node, node);
}

static void the_h100_has_the_ports_of_its_user_guide(void **state)
{
	unsigned roles[4] = { 0 };

	(void)state;
	assert_int_equal(find("NVIDIA", "DGXH100", NULL), 0);
	assert_string_equal(platform.origin, "built in");
	assert_int_equal(platform.initiator, INITIATOR_HOST_CPU);
	for (unsigned i = 0; i < platform.ports; i++) {
		roles[platform.port[i].role]++;
		if (i > 0)
			assert_true(pci_compare(&platform.port[i - 1].pci, &platform.port[i].pci) < 0);
		if (platform.port[i].role == ROLE_STORAGE)
			assert_int_equal(platform.port[i].expect_mbps, 200000);
	}
	assert_int_equal(roles[ROLE_COMPUTE], 8);
	assert_int_equal(roles[ROLE_STORAGE], 4);
	assert_int_equal(roles[ROLE_MANAGEMENT], 3);
	assert_port("0000:29:00.0", ROLE_STORAGE, 2, 1, 0);
	assert_port("0000:29:00.1", ROLE_STORAGE, 2, 2, 0);
	assert_port("0000:aa:00.0", ROLE_STORAGE, 1, 1, 1);
	assert_port("0000:aa:00.1", ROLE_STORAGE, 1, 2, 1);
	assert_port("0000:18:00.0", ROLE_COMPUTE, -1, -1, 0);
	assert_port("0000:dc:00.0", ROLE_COMPUTE, -1, -1, 1);
	assert_port("0000:82:00.1", ROLE_MANAGEMENT, -1, -1, -1);
	assert_int_equal(platform.nic_ids, 2);
	assert_int_equal(platform.nic_id[1].role, ROLE_STORAGE);
	assert_int_equal(platform.nic_id[1].vendor, 0x15b3);
	assert_int_equal(platform.nic_id[1].device, 0x1021);
}

static void the_b200_leaves_storage_to_its_bluefield_cards(void **state)
{
	(void)state;
	assert_int_equal(find("NVIDIA", "DGXB200", NULL), 0);
	assert_int_equal(platform.initiator, INITIATOR_BLUEFIELD3_ARM);
	assert_int_equal(platform.nic_id[1].device, 0xa2dc);
	assert_port("0000:aa:00.1", ROLE_STORAGE, 1, 2, 1);
}

static void a_file_of_the_admin_comes_before_the_built_in_ones(void **state)
{
	(void)state;
	tree_write(&tree, ADMIN,
		   "{\"schema\": 1, \"id\": \"mine\", \"initiator\": \"host-cpu\", " IDS ", " STORAGE ","
		   "\"match\": {\"sys_vendor\": \"NVIDIA\", \"product_name\": \"DGXH100\"}}");
	assert_int_equal(find("NVIDIA", "DGXH100", NULL), 0);
	assert_string_equal(platform.id, "mine");
	assert_non_null(strstr(platform.origin, "/" ADMIN));
	assert_int_equal(find("NVIDIA", "DGXH200", NULL), 0);
	assert_string_equal(platform.id, "dgx-h200");
}

static void two_files_for_one_machine_are_both_named(void **state)
{
	(void)state;
	tree_write(&tree, PLATFORMS_DIR "/a.json", GOOD);
	tree_write(&tree, PLATFORMS_DIR "/b.json", GOOD);
	assert_int_equal(find("NVIDIA", "DGXH100", NULL), 0);
	assert_true(find("EXAMPLE", "HGX8", NULL) < 0);
	assert_int_equal(error.exit, XC_USAGE);
	assert_non_null(strstr(error.msg, "/a.json"));
	assert_non_null(strstr(error.msg, "/b.json"));
}

static void a_bad_file_stops_also_where_another_one_matches(void **state)
{
	(void)state;
	tree_write(&tree, ADMIN, "{}");
	assert_true(find("NVIDIA", "DGXH100", NULL) < 0);
	assert_int_equal(error.exit, XC_USAGE);
	assert_false(known);
}

static void a_file_that_others_can_write_stops(void **state)
{
	(void)state;
	tree_write(&tree, ADMIN, GOOD);
	tree_chmod(&tree, ADMIN, 0664);
	assert_true(find("NVIDIA", "DGXH100", NULL) < 0);
	assert_int_equal(error.exit, XC_ENVIRONMENT);
}

static void files_that_do_not_end_in_json_are_not_read(void **state)
{
	(void)state;
	tree_write(&tree, ADMIN ".bak", "rubbish");
	tree_write(&tree, PLATFORMS_DIR "/README", "rubbish");
	assert_int_equal(find("NVIDIA", "DGXH100", NULL), 0);
	assert_string_equal(platform.id, "dgx-h100");
}

static void an_id_replaces_the_match(void **state)
{
	(void)state;
	tree_write(&tree, ADMIN, GOOD);
	assert_int_equal(find("QEMU", "x", "dgx-b200"), 0);
	assert_string_equal(platform.id, "dgx-b200");
	assert_int_equal(find("NVIDIA", "DGXH100", "hgx"), 0);
	assert_string_equal(platform.id, "hgx");
	assert_true(find("NVIDIA", "DGXH100", "dgx-h1") < 0);
	assert_int_equal(error.exit, XC_USAGE);
	assert_non_null(strstr(error.msg, "\"dgx-h1\""));
}

static void a_path_replaces_the_match(void **state)
{
	(void)state;
	tree_write(&tree, "etc/mine.json", GOOD);
	assert_int_equal(find("NVIDIA", "DGXH100", "/etc/mine.json"), 0);
	assert_true(known);
	assert_string_equal(platform.id, "hgx");
	assert_true(find("NVIDIA", "DGXH100", "/etc/none.json") < 0);
	assert_int_equal(error.exit, XC_USAGE);
	assert_string_equal(error.msg, "/etc/none.json: is not there");
	assert_false(known);
}

static void everything_in_a_file_is_stored(void **state)
{
	(void)state;
	tree_write(&tree, ADMIN,
		   "{" HEAD ", " MATCH
		   ", \"nic_ids\": {\"compute\": [\"15b3:1023\"], \"storage\": [\"15B3:A2dc\"]},"
		   "\"storage\": [{\"pci\": \"0001:29:00.1\", \"slot\": 3, \"port\": 2, \"numa_node\": 1,"
		   "\"expect_mbps\": 100000, \"label\": \"left\"}],"
		   "\"other\": [{\"pci\": \"0000:0e:00.0\", \"label\": \"NVSwitch bridge\"}]}");
	assert_int_equal(find("example", "HGX 8 rev2", NULL), 0);
	assert_true(known);
	assert_string_equal(platform.sys_vendor, "Example");
	assert_int_equal(platform.nic_id[0].device, 0x1023);
	assert_int_equal(platform.nic_id[1].vendor, 0x15b3);
	assert_int_equal(platform.nic_id[1].device, 0xa2dc);
	assert_int_equal(platform.ports, 2);
	assert_port("0001:29:00.1", ROLE_STORAGE, 3, 2, 1);
	assert_port("0000:0e:00.0", ROLE_OTHER, -1, -1, -1);
	assert_string_equal(platform.port[0].label, "NVSwitch bridge");
	assert_int_equal(platform.port[1].expect_mbps, 100000);
}

struct bad {
	const char *text, *message; /* after "FILE: " */
};

#define WITH(part) "{" HEAD ", " MATCH ", " IDS ", " part "}"
#define TWICE(a, b) WITH("\"storage\": [" a "], " b)

static const struct bad bads[] = {
	{ "[]", "must be an object" },
	{ "{}", "has no schema (1)" },
	{ "{\"schema\": 2}", "schema: must be between 1 and 1" },
	{ "{\"schema\": 1}", "has no id" },
	{ "{\"schema\": 1, \"id\": \"a b\"}", "id: may hold small letters, digits, and - _ . only" },
	{ "{\"schema\": 1, \"id\": \"a/b\"}", "id: may hold small letters, digits, and - _ . only" },
	{ "{" HEAD "}", "has no match" },
	{ "{" HEAD ", \"match\": {}}", "match: has no sys_vendor" },
	{ "{" HEAD ", \"match\": {\"sys_vendor\": \"a\"}}", "match: has no product_name" },
	{ "{" HEAD ", \"match\": {\"sys_vendor\": \"\", \"product_name\": \"a\"}}",
	  "match.sys_vendor: must not be empty" },
	{ "{" HEAD ", \"match\": {\"bios\": \"a\"}}",
	  "match: \"bios\" is no key here; known are sys_vendor, product_name" },
	{ "{\"schema\": 1, \"id\": \"a\", " MATCH "}", "has no initiator (host-cpu or bluefield3-arm)" },
	{ "{\"schema\": 1, \"id\": \"a\", " MATCH ", \"initiator\": \"dpu\"}",
	  "initiator: \"dpu\" is none of host-cpu, bluefield3-arm" },
	{ "{" HEAD ", " MATCH "}", "has no nic_ids" },
	{ "{" HEAD ", " MATCH ", \"nic_ids\": {}}",
	  "nic_ids: has no storage: the vendor and device id of the storage ports" },
	{ "{" HEAD ", " MATCH ", \"nic_ids\": {\"storage\": [\"15b3\"]}}",
	  "nic_ids.storage[0]: must be vendor:device, as in 15b3:1021" },
	{ "{" HEAD ", " MATCH ", \"nic_ids\": {\"storage\": [\"0x15:1021\"]}}",
	  "nic_ids.storage[0]: must be vendor:device, as in 15b3:1021" },
	{ "{" HEAD ", " MATCH
	  ", \"nic_ids\": {\"storage\": [\"15b3:1021\",\"15b3:1021\",\"15b3:1021\",\"15b3:1021\","
	  "\"15b3:1021\",\"15b3:1021\",\"15b3:1021\",\"15b3:1021\",\"15b3:1021\"]}}",
	  "nic_ids.storage[8]: more than 8 ids" },
	{ "{" HEAD ", " MATCH ", " IDS "}", "has no storage: the ports that may carry storage" },
	{ WITH("\"storage\": []"), "has no storage: the ports that may carry storage" },
	{ WITH("\"storage\": {}"), "storage: must be an array" },
	{ WITH("\"storage\": [{}]"), "storage[0]: has no pci" },
	{ WITH("\"storage\": [{\"pci\": \"29:00.0\"}]"),
	  "storage[0].pci: \"29:00.0\" is no PCI address with its domain, as in 0000:29:00.0" },
	{ WITH("\"storage\": [{\"pci\": \"0000:29:00.0\", \"bdf\": 1}]"),
	  "storage[0]: \"bdf\" is no key here; known are pci, slot, port, numa_node, label, expect_mbps" },
	{ WITH("\"storage\": [{\"pci\": \"0000:29:00.0\", \"slot\": 1}]"),
	  "storage[0]: needs slot and port, or neither" },
	{ WITH("\"storage\": [{\"pci\": \"0000:29:00.0\", \"numa_node\": -1}]"),
	  "storage[0].numa_node: must be between 0 and 1023" },
	{ WITH("\"storage\": [{\"pci\": \"0000:29:00.0\", \"expect_mbps\": 0}]"),
	  "storage[0].expect_mbps: must be between 1 and 10000000" },
	{ WITH("\"storage\": [{\"pci\": \"0000:29:00.0\", \"slot\": 1, \"port\": 1},"
	       "{\"pci\": \"0000:29:00.1\", \"slot\": 1, \"port\": 1}]"),
	  "storage[1]: slot 1 port 1 is there twice" },
	{ TWICE("{\"pci\": \"0000:29:00.0\"}, {\"pci\": \"0000:29:00.0\"}", "\"other\": []"),
	  "storage[1].pci: 0000:29:00.0 is there twice (also under storage)" },
	{ TWICE("{\"pci\": \"0000:29:00.0\"}", "\"compute\": [{\"pci\": \"0000:29:00.0\"}]"),
	  "storage[0].pci: 0000:29:00.0 is there twice (also under compute)" },
	{ TWICE("{\"pci\": \"0000:29:00.0\"}", "\"management\": [{\"pci\": \"0000:29:00.0\"}]"),
	  "management[0].pci: 0000:29:00.0 is there twice (also under storage)" },
	{ TWICE("{\"pci\": \"0000:29:00.0\"}", "\"compute\": [{\"pci\": \"0000:18:00.0\", \"slot\": 1}]"),
	  "compute[0]: \"slot\" is no key here; known are pci, numa_node, label, expect_mbps" },
	{ TWICE("{\"pci\": \"0000:29:00.0\"}", "\"other\": [{\"pci\": \"0000:18:00.0\"}]"),
	  "other[0]: has no label that says what it is" },
	{ TWICE("{\"pci\": \"0000:29:00.0\"}", "\"gpus\": []"),
	  "\"gpus\" is no key here; known are schema, id, match, initiator, nic_ids, compute, storage, "
	  "management, other" },
};

static void every_mistake_names_its_place(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(bads) / sizeof(bads[0]); i++) {
		char want[1024];

		tree_write(&tree, ADMIN, bads[i].text);
		assert_true(find("Example", "HGX8", NULL) < 0);
		assert_int_equal(error.exit, XC_USAGE);
		snprintf(want, sizeof(want), "%s/" ADMIN ": %s", tree.path, bads[i].message);
		assert_string_equal(error.msg, want);
	}
}

static void more_ports_than_there_is_room_for_are_an_error(void **state)
{
	static char text[65536];
	size_t at;

	(void)state;
	at = (size_t)snprintf(text, sizeof(text), "{" HEAD ", " MATCH ", " IDS ", \"storage\": [");
	for (unsigned i = 0; i < PLATFORM_PORTS_MAX + 1; i++)
		at += (size_t)snprintf(text + at, sizeof(text) - at, "%s{\"pci\": \"0000:%02x:00.0\"}",
				       i ? "," : "", i);
	snprintf(text + at, sizeof(text) - at, "]}");
	tree_write(&tree, ADMIN, text);
	assert_true(find("Example", "HGX8", NULL) < 0);
	assert_non_null(strstr(error.msg, "storage[128]: more than 128 ports"));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(built_in_platforms_match_their_machines_only),
		TEST(the_h100_has_the_ports_of_its_user_guide),
		TEST(the_b200_leaves_storage_to_its_bluefield_cards),
		TEST(a_file_of_the_admin_comes_before_the_built_in_ones),
		TEST(two_files_for_one_machine_are_both_named),
		TEST(a_bad_file_stops_also_where_another_one_matches),
		TEST(a_file_that_others_can_write_stops),
		TEST(files_that_do_not_end_in_json_are_not_read),
		TEST(an_id_replaces_the_match),
		TEST(a_path_replaces_the_match),
		TEST(everything_in_a_file_is_stored),
		TEST(every_mistake_names_its_place),
		TEST(more_ports_than_there_is_room_for_are_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
