/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who the host is by firmware and files, and whether nvme-cli connects it at boot. */

#include "unit/settings_reading.h"

#define UNIT "nvmf-autoconnect.service"
#define ETC "etc/systemd/system/"
#define USR "usr/lib/systemd/system/"
#define UUID "7e1c3a52-0f4b-4d6e-9a51-3c5d2b8f0001"

static void read_host(void)
{
	findings.count = 0;
	assert_int_equal(facts_read_host(&tree.root, settings, &findings, &error), 0);
}

static void nothing_there_is_no_autoconnect_and_no_identity(void **state)
{
	(void)state;
	settings->autoconnect = READ_OK;
	strcpy(settings->product_uuid, UUID);
	strcpy(settings->hostid, UUID);
	read_host();
	assert_int_equal(settings->autoconnect, READ_NOT_THERE);
	assert_string_equal(settings->autoconnect_config, "");
	assert_string_equal(settings->product_uuid, "");
	assert_string_equal(settings->hostnqn, "");
	assert_string_equal(settings->hostid, "");
	assert_int_equal(findings.count, 0);
}

static void a_unit_is_enabled_by_a_link_of_one_that_wants_it(void **state)
{
	static const char *const links[] = {
		ETC "default.target.wants/" UNIT,
		ETC "multi-user.target.requires/" UNIT,
		"run/systemd/system/x.target.wants/" UNIT,
		USR "remote-fs.target.wants/" UNIT,
		"lib/systemd/system/default.target.wants/" UNIT,
	};

	(void)state;
	tree_write(&tree, USR UNIT, "[Unit]\n"); /* that it is there does not enable it */
	tree_link(&tree, ETC "default.target.wants/nvmefc-boot-connections.service", "/dev/null");
	tree_link(&tree, ETC "wants/" UNIT, "/" USR UNIT);
	read_host();
	assert_int_equal(settings->autoconnect, READ_NOT_THERE);
	for (size_t i = 0; i < ARRAY_SIZE(links); i++) {
		tree_link(&tree, links[i], "/a/target/that/is/not/there/" UNIT);
		read_host();
		assert_int_equal(settings->autoconnect, READ_OK);
		tree_unlink(&tree, links[i]);
		read_host();
		assert_int_equal(settings->autoconnect, READ_NOT_THERE);
	}
	assert_int_equal(findings.count, 0);
}

static void a_masked_unit_is_not_enabled(void **state)
{
	(void)state;
	tree_write(&tree, USR UNIT, "[Unit]\n");
	tree_link(&tree, ETC "default.target.wants/" UNIT, "/" USR UNIT);
	tree_link(&tree, ETC UNIT, "/dev/null");
	read_host();
	assert_int_equal(settings->autoconnect, READ_NOT_THERE);
	tree_unlink(&tree, ETC UNIT);
	tree_write(&tree, ETC UNIT, ""); /* an empty file masks as well */
	read_host();
	assert_int_equal(settings->autoconnect, READ_NOT_THERE);
	tree_write(&tree, ETC UNIT, "[Unit]\n"); /* the admin's own comes before all others */
	tree_link(&tree, "run/systemd/system/" UNIT, "/dev/null");
	read_host();
	assert_int_equal(settings->autoconnect, READ_OK);
	tree_unlink(&tree, ETC UNIT);
	read_host();
	assert_int_equal(settings->autoconnect, READ_NOT_THERE);
}

static void units_that_cannot_be_listed_are_unknown_unless_it_is_seen_elsewhere(void **state)
{
	(void)state;
	tree_link(&tree, "etc/systemd/system", "system"); /* to itself */
	read_host();
	assert_int_equal(settings->autoconnect, READ_FAILED);
	assert_int_equal(findings.count, 1);
	assert_string_equal(findings.finding[0].object, UNIT);
	tree_link(&tree, USR "default.target.wants/" UNIT, "/" USR UNIT);
	read_host();
	assert_int_equal(settings->autoconnect, READ_OK);
}

static void a_configuration_is_one_that_says_something(void **state)
{
	static const struct {
		const char *discovery, *config, *expected;
	} cases[] = {
		{ "# Used for extracting default parameters\n#\n\n  # -t rdma\n", NULL, "" },
		{ "", "", "" },
		{ "#\n-t rdma -a 10.10.1.2", NULL, "/etc/nvme/discovery.conf" },
		{ "#\n-t rdma -a 10.10.1.2\n", "[{}]", "/etc/nvme/discovery.conf" },
		{ "#", "[]\n", "" },
		{ NULL, " [ ] ", "" },
		{ NULL, "[{\"hostnqn\": \"x\"}]", "/etc/nvme/config.json" },
		{ NULL, "[", "/etc/nvme/config.json" },
		{ NULL, "{\"subsystems\": []}", "/etc/nvme/config.json" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		tree_write(&tree, "etc/nvme/discovery.conf", cases[i].discovery ? cases[i].discovery : "");
		tree_write(&tree, "etc/nvme/config.json", cases[i].config ? cases[i].config : "");
		if (!cases[i].discovery)
			tree_unlink(&tree, "etc/nvme/discovery.conf");
		if (!cases[i].config)
			tree_unlink(&tree, "etc/nvme/config.json");
		read_host();
		assert_string_equal(settings->autoconnect_config, cases[i].expected);
		assert_int_equal(findings.count, 0);
	}
}

static void a_configuration_that_cannot_be_read_counts(void **state)
{
	(void)state;
	tree_write_bytes(&tree, "etc/nvme/config.json", "\0-t rdma", 9);
	read_host();
	assert_string_equal(settings->autoconnect_config, "/etc/nvme/config.json");
	tree_unlink(&tree, "etc/nvme/config.json");
	tree_write(&tree, "etc/nvme/config.json/x", "");
	read_host();
	assert_string_equal(settings->autoconnect_config, "/etc/nvme/config.json");
	assert_int_equal(findings.count, 1);
}

static void the_product_uuid_is_one_of_a_machine(void **state)
{
	static const char *const odd[] = { "",
					   "Not Specified\n",
					   "7e1c3a52\n",
					   UUID "0\n",
					   "00000000-0000-0000-0000-000000000000\n",
					   "FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF\n" };

	(void)state;
	tree_write(&tree, "sys/class/dmi/id/product_uuid", "7E1C3A52-0F4B-4D6E-9A51-3C5D2B8F0001\n");
	read_host();
	assert_string_equal(settings->product_uuid, UUID);
	assert_int_equal(findings.count, 0);
	for (size_t i = 0; i < ARRAY_SIZE(odd); i++) {
		tree_write(&tree, "sys/class/dmi/id/product_uuid", odd[i]);
		read_host();
		assert_string_equal(settings->product_uuid, "");
		assert_int_equal(findings.count, 1);
		assert_string_equal(findings.finding[0].object, "dmi");
	}
}

static void a_product_uuid_that_only_root_may_read_is_nothing_to_tell(void **state)
{
	bool root = geteuid() == 0;

	(void)state;
	tree_write(&tree, "sys/class/dmi/id/product_uuid", UUID "\n");
	tree_chmod(&tree, "sys/class/dmi/id/product_uuid", 0);
	if (root)
		assert_int_equal(seteuid(65534), 0);
	read_host();
	if (root)
		assert_int_equal(seteuid(0), 0);
	assert_string_equal(settings->product_uuid, "");
	assert_int_equal(findings.count, 0);
}

static void the_identity_is_that_of_the_files(void **state)
{
	(void)state;
	tree_write(&tree, "etc/nvme/hostnqn", "nqn.2014-08.org.nvmexpress:uuid:" UUID "\n");
	read_host();
	assert_string_equal(settings->hostnqn, "nqn.2014-08.org.nvmexpress:uuid:" UUID);
	assert_string_equal(settings->hostid, ""); /* none is made up from the NQN */
	tree_write(&tree, "etc/nvme/hostid", UUID "\n");
	read_host();
	assert_string_equal(settings->hostid, UUID);
	assert_int_equal(findings.count, 0);
	tree_write(&tree, "etc/nvme/hostnqn", "host1\n");
	tree_write(&tree, "etc/nvme/hostid", "host1\n");
	read_host();
	assert_string_equal(settings->hostnqn, "");
	assert_string_equal(settings->hostid, "");
	assert_int_equal(findings.count, 2);
	assert_int_equal(error.code, 0); /* a finding, no error */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		SETTINGS_TEST(nothing_there_is_no_autoconnect_and_no_identity),
		SETTINGS_TEST(a_unit_is_enabled_by_a_link_of_one_that_wants_it),
		SETTINGS_TEST(a_masked_unit_is_not_enabled),
		SETTINGS_TEST(units_that_cannot_be_listed_are_unknown_unless_it_is_seen_elsewhere),
		SETTINGS_TEST(a_configuration_is_one_that_says_something),
		SETTINGS_TEST(a_configuration_that_cannot_be_read_counts),
		SETTINGS_TEST(the_product_uuid_is_one_of_a_machine),
		SETTINGS_TEST(a_product_uuid_that_only_root_may_read_is_nothing_to_tell),
		SETTINGS_TEST(the_identity_is_that_of_the_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
