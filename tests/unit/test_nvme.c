/* SPDX-License-Identifier: GPL-2.0-or-later */
/* NVMe controllers in sysfs: identity, namespaces, queues, and controllers in a hurry. */

#include "unit/nvme_tree.h"

static void read_nvme(void)
{
	assert_int_equal(facts_read_nvme(&tree.root, topo, &findings, &error), 0);
}

static void a_controller_is_read_with_everything(void **state)
{
	const struct ctrl *ctrl = &topo->ctrl[0];

	(void)state;
	add_ctrl("nvme2", "traddr=10.10.1.2,trsvcid=4420,host_traddr=10.10.1.1");
	read_nvme();
	assert_int_equal(topo->ctrls, 1);
	assert_int_equal(ctrl->instance, 2);
	assert_string_equal(ctrl->id.nqn, "nqn.2026-01.example:s1");
	assert_string_equal(ctrl->id.transport, "rdma");
	assert_string_equal(ctrl->id.traddr, "10.10.1.2");
	assert_string_equal(ctrl->id.trsvcid, "4420");
	assert_string_equal(ctrl->id.host_traddr, "10.10.1.1");
	assert_string_equal(ctrl->id.hostnqn, HOSTNQN);
	assert_string_equal(ctrl->id.hostid, UUID);
	assert_string_equal(ctrl->state, "live");
	assert_int_equal(ctrl->cntlid, 1);
	assert_int_equal(ctrl->queue_count, 17);
	assert_int_equal(findings.count, 0);
}

struct address_case {
	const char *text, *traddr, *trsvcid, *host_traddr;
};

static const struct address_case addresses[] = {
	{ "traddr=10.10.1.2,trsvcid=4420", "10.10.1.2", "4420", "" },
	{ "host_traddr=10.10.1.1,trsvcid=1,traddr=10.10.1.2", "10.10.1.2", "1", "10.10.1.1" },
	{ "traddr=FD00:0:0::2,trsvcid=4420,host_traddr=fd00::0001", "fd00::2", "4420", "fd00::1" },
	{ "traddr=fe80::2%ens1,trsvcid=4420,host_traddr=fe80::1%ens1", "fe80::2%ens1", "4420",
	  "fe80::1%ens1" },
	{ "traddr=10.10.1.2,trsvcid=4420,host_iface=ens1,src_addr=10.10.1.9", "10.10.1.2", "4420", "" },
	{ "traddr=nn-0x20:pn-0x10,host_traddr=nn-0x21:pn-0x11", "nn-0x20:pn-0x10", "", "nn-0x21:pn-0x11" },
	/* not what the kernel writes: nothing of it is taken */
	{ "traddr=10.10.1.2,traddr=10.10.1.3", "", "", "" },
	{ "traddr=10.10.1.2,trsvcid", "", "", "" },
	{ "traddr=10.10.1.2,,trsvcid=4420", "", "", "" },
	{ "traddr=,trsvcid=4420", "", "", "" },
	{ "=10.10.1.2", "", "", "" },
	{ "trsvcid=4420,host_traddr=10.10.1.1", "", "", "" },
	{ "xtraddr=10.10.1.2", "", "", "" },
	{ "traddr=10.10.1.2,trsvcid=44204420442044204420442044204420", "", "", "" },
	{ "traddr=aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "", "", "" },
};

static void addresses_are_taken_apart_strictly(void **state)
{
	const struct ctrl_id *id = &topo->ctrl[0].id;

	(void)state;
	add_ctrl("nvme0", "");
	for (size_t i = 0; i < ARRAY_SIZE(addresses); i++) {
		findings.count = 0;
		put("nvme0", "address", addresses[i].text);
		read_nvme();
		assert_int_equal(topo->ctrls, 1);
		assert_string_equal(id->traddr, addresses[i].traddr);
		assert_string_equal(id->trsvcid, addresses[i].trsvcid);
		assert_string_equal(id->host_traddr, addresses[i].host_traddr);
		assert_int_equal(findings.count, addresses[i].traddr[0] == '\0');
	}
	assert_string_equal(findings.finding[0].object, "nvme0");
	assert_string_equal(findings.finding[0].evidence, "/sys/class/nvme/nvme0/address");
}

static void a_controller_in_its_first_connect_has_no_nqn_yet(void **state)
{
	(void)state;
	add_ctrl("nvme0", "traddr=10.10.1.2,trsvcid=4420");
	put("nvme0", "subsysnqn", "(efault)");
	put("nvme0", "state", "connecting");
	read_nvme();
	assert_string_equal(topo->ctrl[0].id.nqn, "");
	assert_string_equal(topo->ctrl[0].state, "connecting");
	assert_int_equal(findings.count, 0);
}

static void numbers_that_are_none_are_unknown_and_said(void **state)
{
	(void)state;
	add_ctrl("nvme0", "traddr=10.10.1.2,trsvcid=4420");
	put("nvme0", "cntlid", "one");
	put("nvme0", "queue_count", "99999999999");
	add_ctrl("nvme1", "traddr=10.10.1.2,trsvcid=4420");
	tree_unlink(&tree, "sys/class/nvme/nvme1/cntlid");
	read_nvme();
	assert_int_equal(topo->ctrl[0].cntlid, -1);
	assert_int_equal(topo->ctrl[0].queue_count, -1);
	assert_int_equal(topo->ctrl[1].cntlid, -1);
	assert_int_equal(findings.count, 2); /* the two that hold something odd */
}

static void controllers_come_in_the_order_of_their_numbers(void **state)
{
	(void)state;
	add_ctrl("nvme10", "traddr=10.10.1.3,trsvcid=4420");
	add_ctrl("nvme9", "traddr=10.10.1.2,trsvcid=4420");
	tree_write(&tree, "sys/class/nvme/nvme-subsys0/transport", "rdma\n");
	tree_write(&tree, "sys/class/nvme/nvme01/transport", "rdma\n");
	read_nvme();
	assert_int_equal(topo->ctrls, 2);
	assert_int_equal(topo->ctrl[0].instance, 9);
	assert_int_equal(topo->ctrl[1].instance, 10);
}

static void namespaces_have_their_own_and_their_multipath_name(void **state)
{
	(void)state;
	add_ctrl("nvme3", "traddr=10.10.1.2,trsvcid=4420");
	add_namespace("nvme3", "nvme0c3n1", "20", UUID, "2097152");
	add_namespace("nvme3", "nvme0c3n2", "3", "00000000-0000-0000-0000-000000000000", "0");
	add_namespace("nvme3", "nvme3n7", "4", "", "-1");	/* no multipath; a size that is none */
	add_namespace("nvme3", "nvme0c4n9", "9", UUID, "8");	/* another controller's */
	add_namespace("nvme3", "nvme0c3n8", "none", UUID, "8"); /* a number that is none */
	add_namespace("nvme3", "ng0c3n1", "1", UUID, "8");	/* the character device */
	add_namespace("nvme3", "nvme0c3n1p1", "1", UUID, "8");	/* a partition */
	read_nvme();
	assert_int_equal(topo->nss, 3);
	assert_int_equal(topo->ns[0].nsid, 3);
	assert_string_equal(topo->ns[0].uuid, "");
	assert_int_equal(topo->ns[0].size_bytes, 0);
	assert_int_equal(topo->ns[1].nsid, 4);
	assert_string_equal(topo->ns[1].device, "nvme3n7");
	assert_string_equal(topo->ns[1].path_device, "nvme3n7");
	assert_int_equal(topo->ns[1].size_bytes, -1);
	assert_int_equal(topo->ns[2].nsid, 20);
	assert_string_equal(topo->ns[2].device, "nvme0n1");
	assert_string_equal(topo->ns[2].path_device, "nvme0c3n1");
	assert_string_equal(topo->ns[2].uuid, UUID);
	assert_int_equal(topo->ns[2].size_bytes, 1073741824);
	assert_int_equal(findings.count, 2);
}

static void queues_are_read_from_one_namespace(void **state)
{
	(void)state;
	add_ctrl("nvme0", "traddr=10.10.1.2,trsvcid=4420");
	add_namespace("nvme0", "nvme0c0n1", "1", UUID, "8");
	add_namespace("nvme0", "nvme0c0n2", "2", UUID, "8");
	put("nvme0", "nvme0c0n1/mq/10/cpu_list", "3, 4, 112");
	put("nvme0", "nvme0c0n1/mq/2/cpu_list", "1");
	put("nvme0", "nvme0c0n1/mq/3/cpu_list", "3, 99999999999");
	put("nvme0", "nvme0c0n2/mq/0/cpu_list", "0");
	add_ctrl("nvme1", "traddr=10.10.1.3,trsvcid=4420");
	add_namespace("nvme1", "nvme0c1n1", "1", UUID, "8"); /* gone before its queues were read */
	add_namespace("nvme1", "nvme0c1n2", "2", UUID, "8");
	put("nvme1", "nvme0c1n2/mq/0/cpu_list", "0");
	read_nvme();
	assert_int_equal(topo->hctxs, 3);
	assert_int_equal(topo->hctx[0].number, 2);
	assert_int_equal(topo->hctx[1].number, 10);
	assert_int_equal(cpuset_count(&topo->hctx[1].cpus), 3);
	assert_true(cpuset_has(&topo->hctx[1].cpus, 112));
	assert_int_equal(topo->hctx[2].ctrl, 1);
	assert_int_equal(findings.count, 1);
	assert_string_equal(findings.finding[0].evidence, "/sys/class/nvme/nvme0/nvme0c0n1/mq/3/cpu_list");
}

static void pcie_controllers_are_listed_without_their_disks(void **state)
{
	(void)state;
	add_ctrl("nvme0", "0000:ab:00.0");
	put("nvme0", "transport", "pcie");
	add_namespace("nvme0", "nvme0n1", "1", UUID, "8");
	read_nvme();
	assert_int_equal(topo->ctrls, 1);
	assert_string_equal(topo->ctrl[0].id.traddr, "0000:ab:00.0");
	assert_int_equal(topo->nss, 0);
	assert_int_equal(findings.count, 0);
}

static void a_namespace_that_cannot_be_read_is_known_to_be_missed(void **state)
{
	(void)state;
	add_ctrl("nvme0", "traddr=10.10.1.2,trsvcid=4420");
	add_namespace("nvme0", "nvme0c0n1", "1", UUID, "8");
	add_namespace("nvme0", "nvme0c0n2", "no number", UUID, "8");
	add_ctrl("nvme1", "traddr=10.10.1.3,trsvcid=4420");
	add_namespace("nvme1", "nvme0c1n1", "1", UUID, "8");
	read_nvme();
	assert_int_equal(topo->nss, 2);
	assert_true(topo->ctrl[0].nss_unread);
	assert_false(topo->ctrl[1].nss_unread);
}

static void reading_again_replaces_what_was_read(void **state)
{
	(void)state;
	add_ctrl("nvme0", "traddr=10.10.1.2,trsvcid=4420");
	add_namespace("nvme0", "nvme0c0n1", "1", UUID, "8");
	put("nvme0", "nvme0c0n1/mq/0/cpu_list", "0");
	read_nvme();
	read_nvme();
	assert_int_equal(topo->ctrls, 1);
	assert_int_equal(topo->nss, 1);
	assert_int_equal(topo->hctxs, 1);
}

static void a_controller_that_has_gone_is_left_out(void **state)
{
	(void)state;
	tree_link(&tree, "sys/class/nvme/nvme0", "../../devices/virtual/nvme-fabrics/ctl/nvme0");
	read_nvme();
	assert_int_equal(topo->ctrls, 0);
	assert_int_equal(findings.count, 0);

	/* On this machine every controller has a transport: without it, it went while it was read. */
	add_ctrl("nvme1", "nonsense");
	add_namespace("nvme1", "nvme0c1n1", "1", UUID, "8");
	put("nvme1", "nvme0c1n1/mq/0/cpu_list", "0");
	tree_unlink(&tree, "sys/class/nvme/nvme1/transport");
	tree.root.live = true;
	read_nvme();
	assert_int_equal(topo->ctrls, 0);
	assert_int_equal(topo->nss, 0);
	assert_int_equal(topo->hctxs, 0);
	assert_int_equal(findings.count, 0);

	/* In a tree it is a file that somebody lost. */
	tree.root.live = false;
	read_nvme();
	assert_int_equal(topo->ctrls, 1);
	assert_int_equal(findings.count, 2);
}

static void text_that_does_not_fit_is_unknown_and_said(void **state)
{
	char nqn[300];

	(void)state;
	memset(nqn, 'n', sizeof(nqn) - 1);
	nqn[sizeof(nqn) - 1] = '\0';
	add_ctrl("nvme0", "traddr=10.10.1.2,trsvcid=4420");
	put("nvme0", "subsysnqn", nqn);
	put("nvme0", "hostid", "none");
	put("nvme0", "transport", "");
	read_nvme();
	assert_int_equal(topo->ctrls, 1);
	assert_string_equal(topo->ctrl[0].id.transport, "");
	assert_string_equal(topo->ctrl[0].id.nqn, "");
	assert_string_equal(topo->ctrl[0].id.hostid, "");
	assert_int_equal(findings.count, 3);
}

/* Each file costs a read per controller and look: one that cannot be read would be told. */
static void the_proof_reads_no_other_file_of_a_controller(void **state)
{
	static const char *const others[] = {
		"cntrltype", "ctrl_loss_tmo", "dctype",		 "fast_io_fail_tmo", "firmware_rev", "kato",
		"model",     "numa_node",     "reconnect_delay", "serial",	     "sqsize"
	};
	char text[ROOT_LINE_MAX + 1];

	(void)state;
	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	add_ctrl("nvme0", "traddr=10.10.1.2,trsvcid=4420");
	add_namespace("nvme0", "nvme0c0n1", "none", UUID, "8");
	for (size_t i = 0; i < ARRAY_SIZE(others); i++) {
		char path[96];

		snprintf(path, sizeof(path), "sys/class/nvme/nvme0/%s", others[i]);
		tree_write(&tree, path, text);
	}
	assert_int_equal(facts_read_ctrls(&tree.root, topo, &findings, &error), 0);
	assert_int_equal(topo->ctrls, 1);
	assert_string_equal(topo->ctrl[0].id.hostid, UUID);
	assert_int_equal(topo->ctrl[0].queue_count, 17);
	assert_int_equal(topo->nss, 0);
	assert_int_equal(findings.count, 0);
}

static void a_path_is_usable_as_far_as_ana_says(void **state)
{
	static const struct {
		const char *text;
		bool usable;
	} cases[] = {
		{ "optimized", true },	      { "non-optimized", true },  { "inaccessible", false },
		{ "persistent-loss", false }, { "change", false },	  { "", false },
		{ "optimized ", true },	      { "invalid state", false }, { "optimizedx", false },
	};

	(void)state;
	add_ctrl("nvme3", "traddr=10.10.1.2,trsvcid=4420");
	add_namespace("nvme3", "nvme0c3n1", "1", UUID, "8");
	read_nvme();
	assert_true(topo->ns[0].ana_usable); /* a subsystem without ANA */
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		put("nvme3", "nvme0c3n1/ana_state", cases[i].text);
		read_nvme();
		assert_int_equal(topo->ns[0].ana_usable, cases[i].usable);
	}
	assert_int_equal(findings.count, 0);
	put("nvme3", "nvme0c3n1/ana_state", "optimized\noptimized");
	read_nvme();
	assert_false(topo->ns[0].ana_usable);
	assert_int_equal(findings.count, 1);
	assert_string_equal(findings.finding[0].evidence, "/sys/class/nvme/nvme3/nvme0c3n1/ana_state");
}

static void more_controllers_than_there_is_room_for_are_an_error(void **state)
{
	char path[64];

	(void)state;
	for (unsigned i = 0; i < TOPO_CTRLS_MAX + 1; i++) {
		snprintf(path, sizeof(path), "sys/class/nvme/nvme%u/transport", i);
		tree_write(&tree, path, "pcie\n");
	}
	assert_int_equal(facts_read_nvme(&tree.root, topo, &findings, &error), -E2BIG);
	assert_string_equal(error.object, "NVMe controllers");
}

static void without_the_driver_there_are_none(void **state)
{
	(void)state;
	read_nvme();
	assert_int_equal(topo->ctrls, 0);
	assert_int_equal(findings.count, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_controller_is_read_with_everything),
		TEST(addresses_are_taken_apart_strictly),
		TEST(a_controller_in_its_first_connect_has_no_nqn_yet),
		TEST(numbers_that_are_none_are_unknown_and_said),
		TEST(controllers_come_in_the_order_of_their_numbers),
		TEST(the_proof_reads_no_other_file_of_a_controller),
		TEST(a_path_is_usable_as_far_as_ana_says),
		TEST(namespaces_have_their_own_and_their_multipath_name),
		TEST(queues_are_read_from_one_namespace),
		TEST(pcie_controllers_are_listed_without_their_disks),
		TEST(a_namespace_that_cannot_be_read_is_known_to_be_missed),
		TEST(reading_again_replaces_what_was_read),
		TEST(a_controller_that_has_gone_is_left_out),
		TEST(text_that_does_not_fit_is_unknown_and_said),
		TEST(more_controllers_than_there_is_room_for_are_an_error),
		TEST(without_the_driver_there_are_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
