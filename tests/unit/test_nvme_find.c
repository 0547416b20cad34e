/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which NVMe controller is which: found by identity, told from its successors, and whose it is.
 *
 * Seen to catch: the first of a leaving one and its successor taken, or a leaving one never; an inode of a
 * tree; an owner that cannot be read, or has control characters, taken for none or as it is; a local disk's
 * owner.
 */

#include "unit/nvme_tree.h"

static void read_nvme(void)
{
	assert_int_equal(facts_read_nvme(&tree.root, topo, &findings, &error), 0);
}

static bool find(struct ctrl *ret)
{
	static const struct ctrl_id id = {
		.nqn = "nqn.2026-01.example:s1",
		.transport = "rdma",
		.traddr = "10.10.1.2",
		.trsvcid = "4420",
		.host_traddr = "10.10.1.1",
		.hostnqn = HOSTNQN,
		.hostid = UUID,
	};
	bool there;

	assert_int_equal(facts_find_ctrl(&tree.root, &id, ret, &there, &findings, &error), 0);
	assert_int_equal(findings.count, 0);
	return there;
}

static void a_controller_is_found_by_its_identity(void **state)
{
	struct ctrl ctrl;

	(void)state;
	assert_false(find(&ctrl));
	add_ctrl("nvme0", "traddr=10.10.1.2,trsvcid=4420");
	add_ctrl("nvme1", "traddr=10.10.1.2,trsvcid=4420,host_traddr=10.10.1.1");
	put("nvme1", "hostid", "00000000-0f4b-4d6e-9a51-3c5d2b8f0002");
	assert_false(find(&ctrl));
	add_ctrl("nvme2", "traddr=10.10.1.2,trsvcid=4420,host_traddr=10.10.1.1");
	assert_true(find(&ctrl));
	assert_int_equal(ctrl.instance, 2);
	assert_int_equal(ctrl.cntlid, 1);
}

static void one_that_goes_away_is_found_only_if_there_is_no_other(void **state)
{
	static const char *const states[] = { "deleting", "deleting (no IO)", "dead" };
	struct ctrl ctrl;

	(void)state;
	add_ctrl("nvme1", "traddr=10.10.1.2,trsvcid=4420,host_traddr=10.10.1.1");
	add_ctrl("nvme3", "traddr=10.10.1.2,trsvcid=4420,host_traddr=10.10.1.1");
	for (size_t i = 0; i < ARRAY_SIZE(states); i++) {
		put("nvme1", "state", states[i]);
		put("nvme3", "state", states[i]);
		assert_true(find(&ctrl));
		assert_int_equal(ctrl.instance, 1);
		assert_string_equal(ctrl.state, states[i]);
	}
	add_ctrl("nvme2", "traddr=10.10.1.2,trsvcid=4420,host_traddr=10.10.1.1");
	put("nvme2", "state", "connecting");
	assert_true(find(&ctrl));
	assert_int_equal(ctrl.instance, 2);
}

static ino_t inode_of(const char *ctrl)
{
	char path[256];
	struct stat st;

	snprintf(path, sizeof(path), "%s/sys/class/nvme/%s", tree.path, ctrl);
	assert_int_equal(stat(path, &st), 0);
	return st.st_ino;
}

static void a_live_controller_has_the_inode_of_its_directory(void **state)
{
	struct ctrl ctrl;

	(void)state;
	add_ctrl("nvme1", "traddr=10.10.1.3,trsvcid=4420,host_traddr=10.10.1.1");
	add_ctrl("nvme2", "traddr=10.10.1.2,trsvcid=4420,host_traddr=10.10.1.1");
	read_nvme();
	assert_int_equal(topo->ctrl[1].inode, 0); /* a tree's says nothing */
	assert_true(find(&ctrl));
	assert_int_equal(ctrl.inode, 0);

	tree.root.live = true;
	read_nvme();
	assert_int_equal(topo->ctrl[0].inode, inode_of("nvme1"));
	assert_int_equal(topo->ctrl[1].inode, inode_of("nvme2"));
	assert_true(find(&ctrl));
	assert_int_equal(ctrl.inode, inode_of("nvme2"));
}

struct owner_case {
	const char *text, *owner;
	unsigned findings;
};

static void the_owner_comes_from_the_registry(void **state)
{
	static const struct owner_case cases[] = {
		{ "discoverd\n", "discoverd", 0 },
		{ "nbft", "nbft", 0 },
		{ " \ttwo words \t\n", "two words", 0 },
		{ "nvme-partition\n", "", 0 }, /* that is us: the journal knows */
		{ "nvme-partition2\n", "nvme-partition2", 0 },
		{ "\n", "unknown", 1 },
		{ "", "unknown", 1 },
		{ "a\nb\n", "unknown", 1 },
		{ "a\033[2Jb\n", "unknown", 1 },
		{ "a\177\n", "unknown", 1 },
		{ "a\tb\n", "unknown", 1 },
		{ "\303\244\n", "unknown", 1 },
		{ "0123456789012345678901234567890123456789012345678901234567890123\n", "unknown", 1 },
		{ "012345678901234567890123456789012345678901234567890123456789012\n",
		  "012345678901234567890123456789012345678901234567890123456789012", 0 },
	};

	(void)state;
	add_ctrl("nvme1", "traddr=10.10.1.2,trsvcid=4420,host_traddr=10.10.1.1");
	add_ctrl("nvme2", "traddr=10.10.1.3,trsvcid=4420,host_traddr=10.10.1.1");
	tree_write(&tree, "run/nvme/registry/nvme2/seqnum", "5\n");
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct ctrl ctrl;

		tree_write(&tree, "run/nvme/registry/nvme1/owner", cases[i].text);
		findings.count = 0;
		read_nvme();
		assert_string_equal(topo->ctrl[0].owner, cases[i].owner);
		assert_string_equal(topo->ctrl[1].owner, "");
		assert_int_equal(findings.count, cases[i].findings);
		assert_int_equal(facts_find_ctrl(&tree.root, &topo->ctrl[0].id, &ctrl, &(bool){ false },
						 &findings, &error),
				 0);
		assert_string_equal(ctrl.owner, cases[i].owner);
	}
}

static void a_registry_that_cannot_be_read_makes_the_owner_unknown(void **state)
{
	(void)state;
	add_ctrl("nvme1", "traddr=10.10.1.2,trsvcid=4420");
	tree_write(&tree, "run/nvme/registry/nvme1/owner/x", "");
	add_ctrl("nvme2", "traddr=10.10.1.3,trsvcid=4420");
	tree_write(&tree, "run/nvme/registry/nvme2", "no directory\n");
	read_nvme();
	assert_string_equal(topo->ctrl[0].owner, "unknown");
	assert_string_equal(topo->ctrl[1].owner, "unknown");
	assert_int_equal(findings.count, 2);
	assert_string_equal(findings.finding[0].check, "facts.readable");
	assert_string_equal(findings.finding[0].object, "nvme1");
	assert_string_equal(findings.finding[0].evidence, "/run/nvme/registry/nvme1/owner");
}

static void local_controllers_have_no_owner(void **state)
{
	(void)state;
	add_ctrl("nvme0", "0000:ab:00.0");
	put("nvme0", "transport", "pcie");
	tree_write(&tree, "run/nvme/registry/nvme0/owner", "somebody\n");
	read_nvme();
	assert_string_equal(topo->ctrl[0].owner, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_controller_is_found_by_its_identity),
		TEST(one_that_goes_away_is_found_only_if_there_is_no_other),
		TEST(a_live_controller_has_the_inode_of_its_directory),
		TEST(the_owner_comes_from_the_registry),
		TEST(a_registry_that_cannot_be_read_makes_the_owner_unknown),
		TEST(local_controllers_have_no_owner),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
