/* SPDX-License-Identifier: GPL-2.0-or-later */
/* facts/managed.c: who else configures an interface. */
#include "unit/reading.h"

#define NETWORKD "run/systemd/netif/links/7"
#define MANAGER "run/NetworkManager/devices/7"

static struct managed read_managed(void)
{
	const struct netdev netdev = { .ifindex = 7, .name = "enp41s0f0np0" };
	struct managed ret;

	findings.count = 0;
	facts_read_managed(&tree.root, &netdev, &ret, &findings);
	return ret;
}

static void without_either_daemon_nobody_configures_it(void **state)
{
	(void)state;
	assert_int_equal(read_managed().by, MANAGER_NONE);
	tree_write(&tree, "run/systemd/netif/links/70", "ADMIN_STATE=configured\n"); /* another interface */
	assert_int_equal(read_managed().by, MANAGER_NONE);
	assert_int_equal(findings.count, 0);
}

static void networkd_says_which_file_configures_it(void **state)
{
	static const struct {
		const char *text;
		enum manager by;
		const char *file;
	} cases[] = {
		{ "ADMIN_STATE=configured\nNETWORK_FILE=/run/systemd/network/10-netplan-a.network\n",
		  MANAGER_NETWORKD, "/run/systemd/network/10-netplan-a.network" },
		{ "ADMIN_STATE=configuring\n", MANAGER_NETWORKD, "" },
		{ "ADMIN_STATE=failed\nNETWORK_FILE=/etc/a.network", MANAGER_NETWORKD, "/etc/a.network" },
		{ "NETWORK_FILE=/etc/a.network\n", MANAGER_NETWORKD, "/etc/a.network" },
		{ "ADMIN_STATE=something-new\n", MANAGER_NETWORKD, "" },
		{ "# This is private data. Do not parse.\nADMIN_STATE=unmanaged\n", MANAGER_NONE, "" },
		{ "ADMIN_STATE=configured\nADMIN_STATE=unmanaged\n", MANAGER_NONE, "" },
		{ "ADMIN_STATE=pending\n", MANAGER_UNKNOWN, "" },
		{ "ADMIN_STATE_X=unmanaged\n", MANAGER_UNKNOWN, "" },
		{ "", MANAGER_UNKNOWN, "" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct managed got;

		tree_write(&tree, NETWORKD, cases[i].text);
		got = read_managed();
		assert_int_equal(got.by, cases[i].by);
		assert_string_equal(got.file, cases[i].file);
	}
}

static void networkmanager_says_whether_it_has_it(void **state)
{
	static const struct {
		const char *text;
		enum manager by;
	} cases[] = {
		{ "[device]\nmanaged=true\nroute-metric-default-effective=100\n", MANAGER_NETWORKMANAGER },
		{ "[device]\nmanaged=false\n", MANAGER_NONE },
		{ "[device]\nconnection-uuid=x\n", MANAGER_UNKNOWN },
		{ "[device]\nmanaged=perhaps\n", MANAGER_UNKNOWN },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		tree_write(&tree, MANAGER, cases[i].text);
		assert_int_equal(read_managed().by, cases[i].by);
	}
	tree_write(&tree, NETWORKD, "ADMIN_STATE=configured\n");
	tree_write(&tree, MANAGER, "managed=true\n");
	assert_int_equal(read_managed().by, MANAGER_NETWORKD);
	tree_write(&tree, NETWORKD, "ADMIN_STATE=unmanaged\n");
	assert_int_equal(read_managed().by, MANAGER_NETWORKMANAGER);
}

static void what_cannot_be_read_is_not_free(void **state)
{
	(void)state;
	tree_write_bytes(&tree, NETWORKD, "ADMIN_STATE=unmanaged\0\n", 23);
	assert_int_equal(read_managed().by, MANAGER_UNKNOWN);
	assert_int_equal(findings.count, 1);
	tree_unlink(&tree, NETWORKD);
	tree_write(&tree, MANAGER "/directory", "");
	assert_int_equal(read_managed().by, MANAGER_UNKNOWN);
	assert_int_equal(findings.count, 1);
}

static void a_name_that_is_too_long_is_never_cut(void **state)
{
	char text[MANAGED_FILE_SIZE + 64] = "NETWORK_FILE=";

	(void)state;
	memset(text + strlen(text), 'a', MANAGED_FILE_SIZE);
	tree_write(&tree, NETWORKD, text);
	assert_int_equal(read_managed().by, MANAGER_NETWORKD);
	assert_string_equal(read_managed().file, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(without_either_daemon_nobody_configures_it),
		TEST(networkd_says_which_file_configures_it),
		TEST(networkmanager_says_whether_it_has_it),
		TEST(what_cannot_be_read_is_not_free),
		TEST(a_name_that_is_too_long_is_never_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
