/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * facts/offload.c, endpoint.c, rshim.c, dump_devlink.c: which functions are a card's, and files that hold
 * anything.
 *
 * Seen to fail when: any NVMe function with a Mellanox bridge above it counted; the first of two rshims won;
 * a size that cannot be read was 0; a release without a number was a new kernel.
 */
#include "unit/reading.h"

#include <unistd.h>

#include "facts/offload.h"

#define UP "sys/devices/pci0000:24/0000:24:01.0/"
#define DEVICES "sys/bus/pci/devices/"

static struct offload *offload;
static const unsigned storage[] = { 0, 1 };

static int offload_setup(void **state)
{
	offload = calloc(1, sizeof(*offload));
	assert_non_null(offload);
	return setup(state);
}

static int offload_teardown(void **state)
{
	free(offload);
	return teardown(state);
}

#define OTEST(name) cmocka_unit_test_setup_teardown(name, offload_setup, offload_teardown)

/* A function with its ids in the tree, below these bridges. */
static void put(const char *above, const char *pci, const char *vendor, const char *device, const char *class)
{
	char path[256], target[256];
	const struct {
		const char *name, *text;
	} files[] = { { "vendor", vendor }, { "device", device }, { "class", class } };

	for (unsigned i = 0; i < ARRAY_SIZE(files); i++) {
		snprintf(path, sizeof(path), UP "%s%s/%s", above, pci, files[i].name);
		tree_write(&tree, path, files[i].text);
	}
	snprintf(path, sizeof(path), DEVICES "%s", pci);
	snprintf(target, sizeof(target), "../../../devices/pci0000:24/0000:24:01.0/%s%s", above, pci);
	tree_link(&tree, path, target);
}

static void put_nvme(const char *above, const char *pci, const char *device)
{
	put(above, pci, "0x15b3\n", device, "0x010802\n");
}

/* A card with one InfiniBand and one Ethernet port. */
static void put_card(void)
{
	for (unsigned i = 0; i < 2; i++) {
		struct port *port = &topo->port[topo->ports++];

		*port = (struct port){ .vendor = 0x15b3, .device = 0xa2dc, .class = i ? 0x020000 : 0x020700 };
		assert_int_equal(pci_parse(i ? "0000:29:00.1" : "0000:29:00.0", &port->pci), 0);
		put("", i ? "0000:29:00.1" : "0000:29:00.0", "0x15b3\n", "0xa2dc\n", "0x020000\n");
	}
}

static void read_again(void)
{
	findings.count = 0;
	assert_int_equal(
		facts_read_offload(&tree.root, topo, storage, topo->ports, offload, &findings, &error), 0);
}

static void put_controller(const char *pci, const char *name, const char *state)
{
	char path[256];

	snprintf(path, sizeof(path), DEVICES "%s/nvme/%s/state", pci, name);
	tree_write(&tree, path, state);
}

static void put_namespace(const char *pci, const char *where, const char *nsid, const char *size)
{
	char path[256];

	snprintf(path, sizeof(path), DEVICES "%s/nvme/%s/nsid", pci, where);
	tree_write(&tree, path, nsid);
	snprintf(path, sizeof(path), DEVICES "%s/nvme/%s/size", pci, where);
	if (size)
		tree_write(&tree, path, size);
}

/* --- which functions --- */

static void ports_of_one_card_are_one_card(void **state)
{
	(void)state;
	put_card();
	put("", "0000:29:00.2", "0x15b3\n", "0xc2d5\n", "0x080100\n");
	read_again();
	assert_int_equal(offload->cards, 1);
	assert_int_equal(offload->card[0].ports, 2);
	assert_true(offload->card[0].port[0].infiniband);
	assert_false(offload->card[0].port[1].infiniband);
	assert_true(offload->card[0].managed);
	assert_int_equal(offload->card[0].management.function, 2);
	assert_int_equal(offload->endpoints, 0);
	assert_false(offload->unseen);
	assert_int_equal(findings.count, 0);
}

static void an_nvme_function_on_the_card_is_an_endpoint_whatever_its_ids(void **state)
{
	(void)state;
	put_card();
	put("", "0000:29:00.3", "0x1234\n", "0x5678\n", "0x010802\n");
	put("", "0000:0c:00.0", "0x1344\n", "0x51c3\n", "0x010802\n"); /* a disk */
	put("", "0000:29:00.4", "0x15b3\n", "0x6001\n", "0x010000\n"); /* not of the class */
	read_again();
	assert_int_equal(offload->endpoints, 1);
	assert_int_equal(offload->endpoint[0].card, 0);
	assert_int_equal(offload->endpoint[0].vendor, 0x1234);
}

static void behind_the_cards_switch_the_id_must_say_so(void **state)
{
	(void)state;
	topo->ports = 0;
	put("", "0000:25:00.0", "0x15b3\n", "0x197b\n", "0x060400\n");
	put_card();
	tree_unlink(&tree, DEVICES "0000:29:00.0");
	tree_unlink(&tree, DEVICES "0000:29:00.1");
	put("0000:25:00.0/", "0000:29:00.0", "0x15b3\n", "0xa2dc\n", "0x020000\n");
	put("0000:25:00.0/", "0000:29:00.1", "0x15b3\n", "0xa2dc\n", "0x020000\n");
	put_nvme("0000:25:00.0/", "0000:2b:00.0", "0x6001\n");
	put("0000:25:00.0/", "0000:2c:00.0", "0x1344\n", "0x51c3\n", "0x010802\n"); /* a disk there */
	read_again();
	assert_int_equal(offload->endpoints, 1);
	assert_int_equal(offload->endpoint[0].pci.bus, 0x2b);
	assert_int_equal(offload->endpoint[0].card, 0);
}

static void an_emulated_function_elsewhere_is_of_no_card(void **state)
{
	(void)state;
	put_card();
	put_nvme("", "0000:82:00.2", "0x6001\n");
	read_again();
	assert_int_equal(offload->endpoints, 1);
	assert_int_equal(offload->endpoint[0].card, -1);
}

static void a_virtual_function_is_its_physical_functions(void **state)
{
	(void)state;
	put_card();
	put_nvme("", "0000:29:00.3", "0x6001\n");
	put_nvme("", "0000:2a:01.0", "0x6001\n");
	tree_link(&tree, DEVICES "0000:2a:01.0/physfn", "../0000:29:00.3");
	put_nvme("", "0000:2a:01.1", "0x6001\n");
	tree_link(&tree, DEVICES "0000:2a:01.1/physfn", "../nonsense");
	read_again();
	assert_int_equal(offload->endpoints, 3);
	assert_true(offload->endpoint[1].vf);
	assert_int_equal(offload->endpoint[1].card, 0);
	assert_int_equal(offload->endpoint[2].card, -1);
}

static void a_function_that_cannot_be_read_is_unseen(void **state)
{
	static const char *const odd[] = { "", "nvme\n", "0x1000000\n", "0x0108020108020108020\n" };

	(void)state;
	put_card();
	for (unsigned i = 0; i < ARRAY_SIZE(odd); i++) {
		tree_write(&tree, DEVICES "0000:29:00.1/class", "0x020000\n");
		read_again();
		assert_false(offload->unseen);
		tree_write(&tree, DEVICES "0000:29:00.1/class", odd[i]);
		read_again();
		assert_true(offload->unseen);
	}
	tree_write(&tree, DEVICES "0000:29:00.1/class", "0x020000\n");
	put("", "0000:0c:00.0", "what\n", "0x6001\n", "0x010802\n"); /* it may be one */
	read_again();
	assert_true(offload->unseen);
	assert_int_equal(offload->endpoints, 0);
	assert_int_equal(findings.count, 1);
}

/* --- what the host made of them --- */

static void a_controller_is_read_with_its_namespaces(void **state)
{
	(void)state;
	put_card();
	put_nvme("", "0000:29:00.3", "0x6001\n");
	tree_link(&tree, DEVICES "0000:29:00.3/driver", "../../../bus/pci/drivers/nvme");
	put_controller("0000:29:00.3", "nvme2", "live\n");
	put_namespace("0000:29:00.3", "nvme2/nvme2c2n2", "2\n", "0\n");
	put_namespace("0000:29:00.3", "nvme2/nvme2c2n1", "1\n", "8\n");
	put_namespace("0000:29:00.3", "nvme2/ng2n1", "1\n", "8\n");	/* its character device */
	put_namespace("0000:29:00.3", "nvme2/nvme2c7n1", "1\n", "8\n"); /* another controller's */
	read_again();
	assert_string_equal(offload->endpoint[0].driver, "nvme");
	assert_string_equal(offload->endpoint[0].controller, "nvme2");
	assert_string_equal(offload->endpoint[0].state, "live");
	assert_int_equal(offload->endpoint[0].nss, 2);
	assert_int_equal(offload->nss, 2);
	assert_string_equal(offload->ns[0].device, "nvme2n1");
	assert_int_equal(offload->ns[0].size_bytes, 4096);
	assert_int_equal(offload->ns[1].size_bytes, 0);
	assert_true(offload_endpoint_is_live(offload, 0));
	assert_false(offload->endpoint[0].unread);
	read_again(); /* from nothing */
	assert_int_equal(offload->nss, 2);
	assert_int_equal(offload->endpoints, 1);
}

static void what_the_kernel_does_not_write_is_unread(void **state)
{
	static const char *const odd[] = { "", "much\n", "-1\n", "9223372036854775807\n", "8 8\n" };

	(void)state;
	put_card();
	put_nvme("", "0000:29:00.3", "0x6001\n");
	tree_link(&tree, DEVICES "0000:29:00.3/driver", "nvme");
	put_controller("0000:29:00.3", "nvme2", "live\n");
	for (unsigned i = 0; i < ARRAY_SIZE(odd); i++) {
		put_namespace("0000:29:00.3", "nvme2/nvme2n1", "1\n", odd[i]);
		read_again();
		assert_true(offload->endpoint[0].unread);
		assert_int_equal(offload->ns[0].size_bytes, -1);
		assert_false(offload_endpoint_is_live(offload, 0));
		assert_int_equal(findings.count, 1);
		put_namespace("0000:29:00.3", "nvme2/nvme2n1", odd[i][0] == '8' ? "0\n" : odd[i], "8\n");
		read_again();
		assert_int_equal(offload->nss, 0);
	}
	put_controller("0000:29:00.3", "nvme2", "a\nb\n");
	read_again();
	assert_string_equal(offload->endpoint[0].state, "");
	assert_true(offload->endpoint[0].unread);
}

static void another_driver_or_state_is_not_live(void **state)
{
	(void)state;
	put_card();
	put_nvme("", "0000:29:00.3", "0x6001\n");
	put_controller("0000:29:00.3", "nvme2", "live\n");
	put_namespace("0000:29:00.3", "nvme2/nvme2n1", "1\n", "8\n");
	read_again();
	assert_false(offload_endpoint_is_live(offload, 0)); /* no driver */
	tree_link(&tree, DEVICES "0000:29:00.3/driver", "../vfio-pci");
	read_again();
	assert_false(offload_endpoint_is_live(offload, 0));
	tree_unlink(&tree, DEVICES "0000:29:00.3/driver");
	tree_link(&tree, DEVICES "0000:29:00.3/driver", "../nvme");
	read_again();
	assert_true(offload_endpoint_is_live(offload, 0));
	put_controller("0000:29:00.3", "nvme2", "resetting\n");
	read_again();
	assert_false(offload_endpoint_is_live(offload, 0));
}

/* --- rshim --- */

static void check_rshim(const char *text, enum bf_mode mode)
{
	tree_write(&tree, "dev/rshim0/misc", text);
	read_again();
	assert_int_equal(offload->card[0].rshim, mode);
}

static void rshim_tells_the_mode_of_its_card(void **state)
{
	(void)state;
	put_card();
	check_rshim("BF_MODE         DPU mode\nDEV_NAME        pcie-0000:29:00.2\n", BF_MODE_DPU);
	assert_string_equal(offload->card[0].rshim_name, "rshim0");
	check_rshim("DEV_NAME pcie-0000:29:00.2\r\nBF_MODE\tNIC mode  \r\n", BF_MODE_NIC);
	check_rshim("DEV_NAME pcie-0000:29:00.2\nBF_MODE Unknown\n", BF_MODE_UNCLEAR);
	check_rshim("DEV_NAME pcie-0000:29:00.2\nBF_MODE dpu mode\n", BF_MODE_UNCLEAR);
	check_rshim("DEV_NAME pcie-0000:29:00.2\nXBF_MODE DPU mode\nBF_MODES DPU mode\n", BF_MODE_UNCLEAR);
	check_rshim("DEV_NAME pcie-0000:29:00.2\n", BF_MODE_UNCLEAR);
}

static void an_rshim_of_nobody_says_nothing(void **state)
{
	static const char *const odd[] = {
		"",
		"BF_MODE DPU mode\n",
		"BF_MODE DPU mode\nDEV_NAME\n",
		"BF_MODE DPU mode\nDEV_NAME ",
		"BF_MODE DPU mode\nDEV_NAME usb-1-2\n",
		"BF_MODE DPU mode\nDEV_NAME pcie-0000:aa:00.2\n",
		"BF_MODE DPU mode\nDEV_NAME pcie-0000:29:00.2x\n",
		"BF_MODE DPU mode\nDEV_NAME 0000:29:00.2\n",
	};

	(void)state;
	put_card();
	for (unsigned i = 0; i < ARRAY_SIZE(odd); i++)
		check_rshim(odd[i], BF_MODE_UNREAD);
	tree_write_bytes(&tree, "dev/rshim0/misc", "DEV_NAME pcie-0000:29:00.2\n\0BF_MODE DPU mode\n", 45);
	read_again();
	assert_int_equal(offload->card[0].rshim, BF_MODE_UNREAD);
	assert_non_null(strstr(offload->rshim_why, "rshim0"));
}

/* A child asks, since the driver is one of user space and can hang: here a file of the tree, as if it were
 * one. */
static void the_drivers_answer_comes_by_way_of_a_child(void **state)
{
	(void)state;
	put_card();
	check_rshim("BF_MODE DPU mode\nDEV_NAME pcie-0000:29:00.2\n", BF_MODE_DPU);
	offload->card[0].rshim_name[0] = '\0';
	tree.root.live = true;
	offload->card[0].rshim = BF_MODE_UNREAD;
	rshim_read(&tree.root, offload, &findings);
	assert_int_equal(offload->card[0].rshim, BF_MODE_DPU);
	tree_chmod(&tree, "dev/rshim0/misc", 0);
	offload->card[0].rshim = BF_MODE_UNREAD;
	offload->card[0].rshim_name[0] = '\0';
	rshim_read(&tree.root, offload, &findings);
	if (geteuid() != 0) {
		assert_int_equal(offload->card[0].rshim, BF_MODE_UNREAD);
		assert_non_null(strstr(offload->rshim_why, "rshim0"));
	}
	tree_chmod(&tree, "dev/rshim0/misc", 0644);
	tree.root.live = false;
}

static void two_rshims_of_one_card_that_differ_tell_nothing(void **state)
{
	(void)state;
	put_card();
	tree_write(&tree, "dev/rshim1/misc", "DEV_NAME pcie-0000:29:00.2\nBF_MODE NIC mode\n");
	check_rshim("DEV_NAME pcie-0000:29:00.2\nBF_MODE DPU mode\n", BF_MODE_UNCLEAR);
	check_rshim("DEV_NAME pcie-0000:29:00.2\nBF_MODE NIC mode\n", BF_MODE_NIC);
}

/* --- devlink and the kernel --- */

static void check_devlink(const char *text, enum eswitch eswitch, unsigned noticed)
{
	tree_write(&tree, "netlink/devlink.json", text);
	read_again();
	assert_int_equal(offload->card[0].port[1].eswitch, eswitch);
	assert_int_equal(findings.count, noticed);
}

static void devlink_tells_who_manages_the_eswitch(void **state)
{
	(void)state;
	put_card();
	read_again();
	assert_int_equal(offload->devlink_read, READ_NOT_THERE);
	check_devlink("{\"dev\":{\"pci/0000:29:00.1\":{\"mode\":\"legacy\"}}}", ESWITCH_LEGACY, 0);
	check_devlink("{\"dev\":{\"pci/0000:29:00.1\":{\"mode\":\"switchdev\"}}}", ESWITCH_SWITCHDEV, 0);
	check_devlink("{\"dev\":{\"pci/0000:29:00.1\":{\"error\":\"Operation not supported\"}}}",
		      ESWITCH_NONE, 0);
	check_devlink("{\"dev\":{\"pci/0000:29:00.1\":{\"error\":\"Operation not permitted\"}}}",
		      ESWITCH_UNKNOWN, 0);
	assert_string_equal(offload->card[0].port[1].eswitch_why, "Operation not permitted");
	check_devlink("{\"dev\":{\"pci/0000:aa:00.1\":{\"mode\":\"legacy\"}}}", ESWITCH_UNKNOWN, 0);
}

static void a_devlink_dump_that_makes_no_sense_is_unknown_and_said(void **state)
{
	static const char *const odd[] = { "{", "[]", "3", "" };

	(void)state;
	put_card();
	for (unsigned i = 0; i < ARRAY_SIZE(odd); i++) {
		check_devlink(odd[i], ESWITCH_UNKNOWN, 1);
		assert_int_equal(offload->devlink_read, READ_FAILED);
		assert_true(offload->devlink_why[0] != '\0');
	}
	check_devlink("{\"dev\":{\"pci/0000:29:00.1\":{\"mode\":\"other\"}}}", ESWITCH_UNKNOWN, 1);
	check_devlink("{\"dev\":{\"pci/0000:29:00.1\":{\"mode\":1}}}", ESWITCH_UNKNOWN, 1);
	check_devlink("{\"dev\":{\"pci/0000:29:00.1\":[]}}", ESWITCH_UNKNOWN, 1);
	check_devlink("{\"dev\":[\"pci/0000:29:00.1\"],\"info\":7}", ESWITCH_UNKNOWN, 0);
}

static void firmware_and_psid_are_whole_or_unknown(void **state)
{
	char text[512];

	(void)state;
	put_card();
	check_devlink("{\"info\":{\"pci/0000:29:00.1\":{\"versions\":{\"fixed\":{\"fw.psid\":\"MT_1\"},"
		      "\"running\":{\"fw.version\":\"32.1\"}}}}}",
		      ESWITCH_UNKNOWN, 0);
	assert_string_equal(offload->card[0].port[1].psid, "MT_1");
	assert_string_equal(offload->card[0].port[1].firmware, "32.1");
	snprintf(text, sizeof(text),
		 "{\"info\":{\"pci/"
		 "0000:29:00.1\":{\"versions\":{\"fixed\":{\"fw.psid\":\"%0100d\"},\"running\":3}}}}",
		 1);
	check_devlink(text, ESWITCH_UNKNOWN, 0);
	assert_string_equal(offload->card[0].port[1].psid, "");
	assert_string_equal(offload->card[0].port[1].firmware, "");
}

static void only_a_kernel_that_is_known_to_be_new_is_believed(void **state)
{
	static const struct {
		const char *release;
		bool sure;
	} cases[] = {
		{ "6.8.0-1025-nvidia\n", true },
		{ "10.0.1\n", true },
		{ "5.15.0-1\n", false },
		{ "", false },
		{ "6\n", false },
		{ "six.8\n", false },
		{ ".6\n", false },
		{ "99999999999.1\n", false },
	};

	(void)state;
	put_card();
	read_again();
	assert_false(offload->not_ours_is_sure);
	for (unsigned i = 0; i < ARRAY_SIZE(cases); i++) {
		tree_write(&tree, "proc/sys/kernel/osrelease", cases[i].release);
		read_again();
		assert_int_equal(offload->not_ours_is_sure, cases[i].sure);
	}
}

static void more_cards_than_there_is_room_for_are_an_error(void **state)
{
	unsigned all[OFFLOAD_CARDS_MAX + 1];

	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(all); i++) {
		topo->port[topo->ports++].pci.bus = (uint8_t)i;
		all[i] = i;
	}
	assert_int_equal(
		facts_read_offload(&tree.root, topo, all, OFFLOAD_CARDS_MAX, offload, &findings, &error), 0);
	assert_int_equal(
		facts_read_offload(&tree.root, topo, all, ARRAY_SIZE(all), offload, &findings, &error),
		-E2BIG);
	assert_int_equal(error.exit, XC_ENVIRONMENT);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		OTEST(ports_of_one_card_are_one_card),
		OTEST(an_nvme_function_on_the_card_is_an_endpoint_whatever_its_ids),
		OTEST(behind_the_cards_switch_the_id_must_say_so),
		OTEST(an_emulated_function_elsewhere_is_of_no_card),
		OTEST(a_virtual_function_is_its_physical_functions),
		OTEST(a_function_that_cannot_be_read_is_unseen),
		OTEST(a_controller_is_read_with_its_namespaces),
		OTEST(what_the_kernel_does_not_write_is_unread),
		OTEST(another_driver_or_state_is_not_live),
		OTEST(rshim_tells_the_mode_of_its_card),
		OTEST(an_rshim_of_nobody_says_nothing),
		OTEST(the_drivers_answer_comes_by_way_of_a_child),
		OTEST(two_rshims_of_one_card_that_differ_tell_nothing),
		OTEST(devlink_tells_who_manages_the_eswitch),
		OTEST(a_devlink_dump_that_makes_no_sense_is_unknown_and_said),
		OTEST(firmware_and_psid_are_whole_or_unknown),
		OTEST(only_a_kernel_that_is_known_to_be_new_is_believed),
		OTEST(more_cards_than_there_is_room_for_are_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
