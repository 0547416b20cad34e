/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How controllers are set up, as sysfs tells it. */

#include <limits.h>

#include "unit/nvme_tree.h"

static void read_settings(void)
{
	assert_int_equal(facts_read_nvme(&tree.root, topo, &findings, &error), 0);
	assert_int_equal(facts_read_ctrl_settings(&tree.root, topo, &findings, &error), 0);
}

static void until_they_are_read_settings_are_unknown(void **state)
{
	struct ctrl found;
	bool there;

	(void)state;
	add_ctrl("nvme2", "traddr=10.10.1.2,trsvcid=4420,host_traddr=10.10.1.1");
	put("nvme2", "ctrl_loss_tmo", "600");
	assert_int_equal(facts_read_nvme(&tree.root, topo, &findings, &error), 0);
	assert_int_equal(topo->ctrl[0].ctrl_loss_tmo, -1);
	assert_int_equal(topo->ctrl[0].reconnect_delay, -1);
	assert_string_equal(topo->ctrl[0].src_addr, "");
	assert_string_equal(topo->ctrl[0].host_iface, "");
	assert_int_equal(facts_find_ctrl(&tree.root, &topo->ctrl[0].id, &found, &there, &findings, &error),
			 0);
	assert_true(there);
	assert_int_equal(found.ctrl_loss_tmo, -1);
}

static void timeouts_are_seconds_or_off(void **state)
{
	static const struct {
		const char *text;
		int value;
		unsigned findings;
	} cases[] = {
		{ "600", 600, 0 },
		{ "0", 0, 0 },
		{ "2147483646", INT_MAX - 1, 0 },
		{ "off", INT_MAX, 0 },
		{ NULL, -1, 0 },
		{ "-1", -1, 1 },
		{ "2147483647", -1, 1 },
		{ "", -1, 1 },
		{ "Off", -1, 1 },
		{ "4294967896", -1, 1 },
		{ "600s", -1, 1 },
		{ "600\n10", -1, 1 },
		{ "offoffoffoffoffoffoffoffoffoffoffoff", -1, 1 },
	};

	(void)state;
	add_ctrl("nvme2", "traddr=10.10.1.2,trsvcid=4420");
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		findings.count = 0;
		put("nvme2", "ctrl_loss_tmo", cases[i].text ? cases[i].text : "");
		put("nvme2", "reconnect_delay", cases[i].text ? cases[i].text : "");
		if (!cases[i].text) {
			tree_unlink(&tree, "sys/class/nvme/nvme2/ctrl_loss_tmo");
			tree_unlink(&tree, "sys/class/nvme/nvme2/reconnect_delay");
		}
		read_settings();
		assert_int_equal(topo->ctrl[0].ctrl_loss_tmo, cases[i].value);
		assert_int_equal(topo->ctrl[0].reconnect_delay, cases[i].value);
		assert_int_equal(findings.count, 2 * cases[i].findings);
	}
}

static void only_tcp_tells_its_source_and_interface(void **state)
{
	static const char address[] = "traddr=10.10.1.2,trsvcid=4420,host_traddr=10.10.1.1,"
				      "host_iface=enp41s0f0np0,src_addr=10.10.1.1";

	(void)state;
	add_ctrl("nvme2", address);
	add_ctrl("nvme3", address);
	put("nvme3", "transport", "tcp");
	add_ctrl("nvme4", "traddr=fd00::2,trsvcid=4420,src_addr=fd00:0::1");
	put("nvme4", "transport", "tcp");
	add_ctrl("nvme5", "traddr=10.10.1.2,trsvcid=4420"); /* without a socket it has no source */
	put("nvme5", "transport", "tcp");
	read_settings();
	assert_string_equal(topo->ctrl[0].src_addr, "");
	assert_string_equal(topo->ctrl[0].host_iface, "");
	assert_string_equal(topo->ctrl[1].src_addr, "10.10.1.1");
	assert_string_equal(topo->ctrl[1].host_iface, "enp41s0f0np0");
	assert_string_equal(topo->ctrl[2].src_addr, "fd00::1");
	assert_string_equal(topo->ctrl[2].host_iface, "");
	assert_string_equal(topo->ctrl[3].src_addr, "");
	assert_int_equal(findings.count, 0);
}

static void a_source_that_is_none_is_unknown(void **state)
{
	static const char *const odd[] = {
		"traddr=10.10.1.2,trsvcid=4420,host_iface=ens1,src_addr=",
		"traddr=10.10.1.2,trsvcid=4420,host_iface=ens1,src_addr=store1",
		"traddr=10.10.1.2,trsvcid=4420,src_addr=10.10.1.1,host_iface=a-name-of-sixteen",
	};

	(void)state;
	add_ctrl("nvme2", "");
	put("nvme2", "transport", "tcp");
	for (size_t i = 0; i < ARRAY_SIZE(odd); i++) {
		put("nvme2", "address", odd[i]);
		assert_int_equal(facts_read_nvme(&tree.root, topo, &findings, &error), 0);
		findings.count = 0;
		assert_int_equal(facts_read_ctrl_settings(&tree.root, topo, &findings, &error), 0);
		assert_string_equal(topo->ctrl[0].src_addr, "");
		assert_string_equal(topo->ctrl[0].host_iface, "");
		assert_int_equal(findings.count, 1);
		assert_string_equal(findings.finding[0].object, "nvme2");
	}
}

static void a_controller_that_is_gone_has_unknown_settings(void **state)
{
	(void)state;
	add_ctrl("nvme2", "traddr=10.10.1.2,trsvcid=4420");
	put("nvme2", "ctrl_loss_tmo", "600");
	read_settings();
	assert_int_equal(topo->ctrl[0].ctrl_loss_tmo, 600);
	tree_unlink(&tree, "sys/class/nvme/nvme2");
	assert_int_equal(facts_read_ctrl_settings(&tree.root, topo, &findings, &error), 0);
	assert_int_equal(topo->ctrl[0].ctrl_loss_tmo, -1);
	assert_int_equal(findings.count, 0);
}

static void another_controller_of_the_same_number_is_not_read(void **state)
{
	struct root live = tree.root; /* inode numbers count on a live machine only */

	(void)state;
	add_ctrl("nvme2", "traddr=10.10.1.2,trsvcid=4420");
	put("nvme2", "ctrl_loss_tmo", "600");
	live.live = true;
	assert_int_equal(facts_read_nvme(&live, topo, &findings, &error), 0);
	assert_int_equal(facts_read_ctrl_settings(&live, topo, &findings, &error), 0);
	assert_int_equal(topo->ctrl[0].ctrl_loss_tmo, 600);
	topo->ctrl[0].inode++;
	assert_int_equal(facts_read_ctrl_settings(&live, topo, &findings, &error), 0);
	assert_int_equal(topo->ctrl[0].ctrl_loss_tmo, -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(until_they_are_read_settings_are_unknown),
		TEST(timeouts_are_seconds_or_off),
		TEST(only_tcp_tells_its_source_and_interface),
		TEST(a_source_that_is_none_is_unknown),
		TEST(a_controller_that_is_gone_has_unknown_settings),
		TEST(another_controller_of_the_same_number_is_not_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
