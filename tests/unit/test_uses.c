/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who uses a namespace: what is stacked on it, and the file systems and swaps on that.
 *
 * Seen to catch: a circle that looks unused, or never ends; only the device next to a holder counted as held;
 * a directory without "partition", or of another name, taken for one; every mount above a swap file, or one
 * whose name merely begins the same, taken for its own; uses that differ in kind alone merged; texts shown
 * raw or cut within a character.
 */

#include "facts/users.h"
#include "unit/uses_tree.h"

#define BTRFS "sys/fs/btrfs/5f0d7c1e-6b2a-4c3d-8e4f-000000000001/devices/"

/* nvme0n1 with one partition */
static void add_partitioned(void)
{
	add_ns("nvme0n1");
	add_disk("nvme0n1", "259:0");
	add_partition("nvme0n1", "nvme0n1p1", "259:1");
}

static void without_a_namespace_nothing_is_read(void **state)
{
	(void)state;
	topo->uses = 7;
	tree.root.live = true; /* where a missing mountinfo would be an error */
	expect_uses(NULL, 0);
}

static void a_tree_without_proc_and_block_devices_has_no_uses(void **state)
{
	(void)state;
	add_ns("nvme0n1");
	expect_uses(NULL, 0);
	assert_int_equal(findings.count, 0);
}

static void what_nobody_uses_has_no_use(void **state)
{
	(void)state;
	add_partitioned();
	put_block("nvme0n1", "queue/rotational", "0\n");
	put_block("nvme0n1", "nvme0n1p2/start", "0\n"); /* neither is a partition */
	add_holder("nvme0n1p2", "dm-0");
	put_block("nvme0n1", "other/partition", "1\n");
	add_holder("other", "dm-0");
	add_mount("self", "8:1", "/", "/dev/sda1");
	put_swaps("/dev/sda2                               partition\t8388604\t\t0\t\t-2\n");
	expect_uses(NULL, 0);
	assert_int_equal(findings.count, 0);
}

static void a_mounted_partition_is_a_use_of_its_disk(void **state)
{
	(void)state;
	add_partitioned();
	add_mount("self", "259:1", "/mnt/data", "/dev/nvme0n1p1");
	add_mount("self", "259:10", "/mnt/other", "/dev/nvme9n1");
	add_mount("self", "25:91", "/mnt/another", "/dev/nvme9n1");
	EXPECT_USES("mount nvme0n1: nvme0n1p1 > /mnt/data");
}

static void a_mounted_disk_is_told_with_each_mount_point_once(void **state)
{
	(void)state;
	add_partitioned();
	add_ns("nvme0n1"); /* by another controller */
	add_ns("nvme0n2");
	add_disk("nvme0n2", "259:2");
	add_mount("self", "259:2", "/b", "/dev/nvme0n2");
	add_mount("self", "259:0", "/z", "/dev/nvme0n1");
	add_mount("self", "259:0", "/a", "/dev/nvme0n1");
	add_mount("self", "259:0", "/z", "/dev/nvme0n1");
	EXPECT_USES("mount nvme0n1: nvme0n1 > /a", "mount nvme0n1: nvme0n1 > /z",
		    "mount nvme0n2: nvme0n2 > /b");
}

static void without_multipath_the_path_is_what_is_mounted(void **state)
{
	(void)state;
	add_ns("nvme3n1");
	add_disk("nvme3n1", "259:7");
	add_ns("nvme0n1");
	strcpy(topo->ns[1].path_device, "nvme0c1n1"); /* hidden: nobody can have opened it */
	add_disk("nvme0c1n1", "259:8");
	add_holder("nvme0c1n1", "dm-0");
	add_mount("self", "259:7", "/mnt", "/dev/nvme3n1");
	add_mount("self", "259:8", "/mnt2", "/dev/nvme0c1n1");
	EXPECT_USES("mount nvme3n1: nvme3n1 > /mnt");
}

static void device_mapper_is_told_with_its_name(void **state)
{
	(void)state;
	add_partitioned();
	add_holder("nvme0n1p1", "dm-0");
	add_dm("dm-0", "253:0", "vg-data");
	add_mount("self", "253:0", "/mnt/data", "/dev/mapper/vg-data");
	EXPECT_USES("holder nvme0n1: nvme0n1p1 > dm-0 (vg-data)",
		    "mount nvme0n1: nvme0n1p1 > dm-0 (vg-data) > /mnt/data");
}

static void device_mapper_on_device_mapper_is_told_to_its_end(void **state)
{
	(void)state;
	add_ns("nvme0n1");
	add_disk("nvme0n1", "259:0");
	add_holder("nvme0n1", "dm-0");
	add_dm("dm-0", "253:0", "luks");
	add_holder("dm-0", "dm-1");
	add_holder("dm-0", "dm-2");
	add_dm("dm-1", "253:1", "vg-a");
	add_dm("dm-2", "253:2", "vg-b");
	add_mount("self", "253:1", "/a", "/dev/mapper/vg-a");
	EXPECT_USES("holder nvme0n1: nvme0n1 > dm-0 (luks) > dm-1 (vg-a)",
		    "mount nvme0n1: nvme0n1 > dm-0 (luks) > dm-1 (vg-a) > /a",
		    "holder nvme0n1: nvme0n1 > dm-0 (luks) > dm-2 (vg-b)");
}

static void an_array_over_two_namespaces_is_a_use_of_both(void **state)
{
	(void)state;
	add_ns("nvme0n10");
	add_ns("nvme0n2");
	add_disk("nvme0n10", "259:0");
	add_disk("nvme0n2", "259:1");
	add_holder("nvme0n10", "md127");
	add_holder("nvme0n2", "md127");
	add_disk("md127", "9:127");
	add_partition("md127", "md127p1", "259:9");
	add_mount("self", "259:9", "/raid", "/dev/md127p1");
	EXPECT_USES("holder nvme0n2: nvme0n2 > md127p1", "mount nvme0n2: nvme0n2 > md127p1 > /raid",
		    "holder nvme0n10: nvme0n10 > md127p1", "mount nvme0n10: nvme0n10 > md127p1 > /raid");
}

static void a_device_that_is_reached_twice_is_told_once(void **state)
{
	(void)state;
	add_ns("nvme0n1");
	add_holder("nvme0n1", "dm-0");
	add_holder("nvme0n1", "dm-1");
	add_holder("dm-0", "dm-2");
	add_holder("dm-1", "dm-2");
	add_dm("dm-0", "253:0", "vg-pool_tmeta");
	add_dm("dm-1", "253:1", "vg-pool_tdata");
	add_dm("dm-2", "253:2", "vg-pool-tpool");
	add_mount("self", "253:2", "/thin", "/dev/mapper/vg-pool-tpool");
	EXPECT_USES("holder nvme0n1: nvme0n1 > dm-0 (vg-pool_tmeta) > dm-2 (vg-pool-tpool)",
		    "mount nvme0n1: nvme0n1 > dm-0 (vg-pool_tmeta) > dm-2 (vg-pool-tpool) > /thin");
}

static void holders_in_a_circle_end_and_count(void **state)
{
	(void)state;
	add_partitioned();
	add_holder("nvme0n1p1", "dm-0");
	add_holder("dm-0", "dm-1");
	add_holder("dm-1", "dm-0");
	add_ns("nvme2n1");
	add_holder("nvme2n1", "dm-5");
	add_holder("dm-5", "nvme2n1");
	EXPECT_USES("holder nvme0n1: nvme0n1p1 > dm-0 > dm-1", "holder nvme2n1: nvme2n1 > dm-5");
}

static void a_swap_device_is_found_by_its_name(void **state)
{
	(void)state;
	add_partitioned();
	add_ns("nvme0n2");
	add_holder("nvme0n2", "dm-0");
	add_dm("dm-0", "253:0", "vg-swap");
	put_swaps("/dev/nvme0n1p1                          partition\t8388604\t\t0\t\t-2\n"
		  "/dev/dm-0                               partition\t8388604\t\t0\t\t-3\n"
		  "/dev/zram0                              partition\t8388604\t\t0\t\t100\n");
	EXPECT_USES("swap nvme0n1: nvme0n1p1 > swap", "holder nvme0n2: nvme0n2 > dm-0 (vg-swap)",
		    "swap nvme0n2: nvme0n2 > dm-0 (vg-swap) > swap");
	/* a node without udev, a link, and seen from a root directory without /dev above it */
	put_swaps("/dev/mapper/vg-swap                     partition\t8388604\t\t0\t\t-2\n");
	expect_uses((const char *const[]){ "holder nvme0n2: nvme0n2 > dm-0 (vg-swap)",
					   "swap nvme0n2: nvme0n2 > dm-0 (vg-swap) > swap" },
		    2);
	tree_link(&tree, "dev/vg/swap", "../dm-0");
	put_swaps("/dev/vg/swap                            partition\t8388604\t\t0\t\t-2\n");
	expect_uses((const char *const[]){ "holder nvme0n2: nvme0n2 > dm-0 (vg-swap)",
					   "swap nvme0n2: nvme0n2 > dm-0 (vg-swap) > swap" },
		    2);
	put_swaps("/nvme0n1p1                              partition\t8388604\t\t0\t\t-2\n");
	expect_uses((const char *const[]){ "swap nvme0n1: nvme0n1p1 > swap",
					   "holder nvme0n2: nvme0n2 > dm-0 (vg-swap)" },
		    2);
}

static void a_swap_file_belongs_to_the_nearest_mount(void **state)
{
	(void)state;
	add_partitioned();
	add_ns("nvme0n2");
	add_disk("nvme0n2", "259:2");
	add_mount("self", "259:0", "/", "/dev/nvme0n1");
	add_mount("self", "259:1", "/mnt/data", "/dev/nvme0n1p1");
	add_mount("self", "259:2", "/mnt/data2", "/dev/nvme0n2");
	put_swaps("/mnt/data/swap\\040file                   file\t\t8388604\t\t0\t\t-2\n");
	EXPECT_USES("root nvme0n1: nvme0n1 > /", "mount nvme0n1: nvme0n1p1 > /mnt/data",
		    "swap nvme0n1: nvme0n1p1 > /mnt/data > /mnt/data/swap file",
		    "mount nvme0n2: nvme0n2 > /mnt/data2");
	put_swaps("/mnt/data3/swap                         file\t\t8388604\t\t0\t\t-2\n");
	expect_uses((const char *const[]){ "root nvme0n1: nvme0n1 > /",
					   "swap nvme0n1: nvme0n1 > / > /mnt/data3/swap",
					   "mount nvme0n1: nvme0n1p1 > /mnt/data",
					   "mount nvme0n2: nvme0n2 > /mnt/data2" },
		    4);
}

static void a_swap_file_below_two_mounts_in_one_place_is_of_both(void **state)
{
	(void)state;
	add_partitioned();
	add_mount("self", "8:1", "/", "/dev/sda1");
	add_mount("self", "259:0", "/swap", "/dev/nvme0n1"); /* a file can be mounted over a file */
	add_mount("self", "259:1", "/swap", "/dev/nvme0n1p1");
	put_swaps("/swap                                   file\t\t8388604\t\t0\t\t-2\n");
	EXPECT_USES("mount nvme0n1: nvme0n1 > /swap", "swap nvme0n1: nvme0n1 > /swap > /swap",
		    "mount nvme0n1: nvme0n1p1 > /swap", "swap nvme0n1: nvme0n1p1 > /swap > /swap");
}

static void names_that_no_kernel_has_are_said_and_left_out(void **state)
{
	(void)state;
	add_partitioned();
	add_holder("nvme0n1", "dm-\033[2J");
	add_holder("nvme0n1", "dm-a-name-that-is-longer-than-the-kernels");
	add_holder("nvme0n1p1", "dm-0");
	put_block("dm-0", "dm/name", "a\nb\n");
	put_block("dm-0", "dev", "253\n");
	EXPECT_USES("holder nvme0n1: nvme0n1p1 > dm-0");
	assert_int_equal(findings.count, 4);
	for (unsigned i = 0; i < findings.count; i++) {
		assert_string_equal(findings.finding[i].check, "facts.readable");
		assert_null(strchr(findings.finding[i].message, '\033'));
	}

	/* On this machine nothing may be taken away then. */
	tree.root.live = true;
	assert_int_equal(facts_read_uses(&tree.root, topo, &findings, &error), -EINVAL);
	assert_int_equal(error.exit, XC_ENVIRONMENT);
	assert_string_equal(error.object, "sys/class/block/nvme0n1/holders");
}

static void a_name_with_control_characters_comes_out_plain(void **state)
{
	(void)state;
	add_partitioned();
	add_holder("nvme0n1p1", "dm-0");
	add_dm("dm-0", "253:0", "a\177\303\244\302\233");
	add_mount("self", "253:0", "/mnt/\\033[2J\\011\\012\\040\\134\\377\303\244", "/dev/dm-0");
	EXPECT_USES("holder nvme0n1: nvme0n1p1 > dm-0 (a?\303\244?)",
		    "mount nvme0n1: nvme0n1p1 > dm-0 (a?\303\244?) > /mnt/?[2J?? \\?\303\244");
}

static void a_way_that_is_too_long_is_cut_between_characters(void **state)
{
	char point[400] = "/";

	(void)state;
	add_ns("nvme0n1");
	add_disk("nvme0n1", "259:0");
	for (size_t i = 1; i + 2 < sizeof(point); i += 2)
		memcpy(point + i, "\303\244", 3);
	add_mount("self", "259:0", point, "/dev/nvme0n1");
	memcpy(point + 300, "b", 2); /* differs beyond what is shown */
	add_mount("self", "259:0", point, "/dev/nvme0n1");
	assert_int_equal(facts_read_uses(&tree.root, topo, &findings, &error), 0);
	assert_int_equal(topo->uses, 1);
	assert_true(strlen(topo->use[0].way) >= USE_WAY_SIZE - 2);
	assert_string_equal(topo->use[0].way + strlen(topo->use[0].way) - 5, "\303\244...");
}

static void uses_that_differ_beyond_what_is_shown_are_all_there(void **state)
{
	char label[128];

	(void)state;
	memset(label, 'x', sizeof(label) - 1);
	label[sizeof(label) - 1] = '\0';
	add_ns("nvme0n1");
	add_holder("nvme0n1", "dm-0");
	add_holder("dm-0", "dm-1");
	add_dm("dm-0", "253:0", label);
	add_dm("dm-1", "253:1", label);
	add_mount("self", "253:1", "/", "/dev/dm-1");
	add_mount("self", "253:1", "/mnt", "/dev/dm-1");
	put_swaps("/mnt/swap                               file\t\t8388604\t\t0\t\t-2\n");
	assert_int_equal(facts_read_uses(&tree.root, topo, &findings, &error), 0);
	assert_int_equal(topo->uses, 4);
	for (unsigned i = 0; i < topo->uses; i++) {
		assert_int_equal(topo->use[i].kind, i); /* holder, mount, swap, root */
		assert_string_equal(topo->use[i].way, topo->use[0].way);
	}
}

static void a_few_uses_of_a_kind_are_told(void **state)
{
	char point[32];

	(void)state;
	add_ns("nvme0n1");
	add_disk("nvme0n1", "259:0");
	for (unsigned i = 0; i < TOPO_USES_MAX + 1; i++) {
		snprintf(point, sizeof(point), "/%u", i);
		add_mount("self", "259:0", point, "/dev/nvme0n1");
	}
	add_holder("nvme0n1", "md0");
	add_disk("md0", "9:0");
	add_ns("nvme0n2");
	add_holder("nvme0n2", "md0");
	assert_int_equal(facts_read_uses(&tree.root, topo, &findings, &error), 0);
	/* The mounts of the first, and of both that they are held. */
	assert_int_equal(topo->uses, USES_TOLD_MAX + 2);
}

static void more_devices_than_there_is_room_for_are_an_error(void **state)
{
	char ours[160], text[160];

	(void)state;
	for (unsigned i = 0; i < TOPO_NSS_MAX; i++) {
		snprintf(text, sizeof(text), "nvme0n%u", i);
		add_ns(text);
	}
	tree_write(&tree, BTRFS "nvme0n1", "");
	tree_full(&tree, BTRFS "nvme0n1", ours, sizeof(ours));
	for (unsigned i = 0; i <= TOPO_NSS_MAX; i++) {
		snprintf(text, sizeof(text), "%s/" BTRFS "sd%u", tree.path, i);
		assert_int_equal(link(ours, text), 0);
	}
	assert_int_equal(facts_read_uses(&tree.root, topo, &findings, &error), -E2BIG);
	assert_string_equal(error.object, "block devices on NVMe namespaces");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(without_a_namespace_nothing_is_read),
		TEST(a_tree_without_proc_and_block_devices_has_no_uses),
		TEST(what_nobody_uses_has_no_use),
		TEST(a_mounted_partition_is_a_use_of_its_disk),
		TEST(a_mounted_disk_is_told_with_each_mount_point_once),
		TEST(without_multipath_the_path_is_what_is_mounted),
		TEST(device_mapper_is_told_with_its_name),
		TEST(device_mapper_on_device_mapper_is_told_to_its_end),
		TEST(an_array_over_two_namespaces_is_a_use_of_both),
		TEST(a_device_that_is_reached_twice_is_told_once),
		TEST(holders_in_a_circle_end_and_count),
		TEST(a_swap_device_is_found_by_its_name),
		TEST(a_swap_file_belongs_to_the_nearest_mount),
		TEST(a_swap_file_below_two_mounts_in_one_place_is_of_both),
		TEST(names_that_no_kernel_has_are_said_and_left_out),
		TEST(a_name_with_control_characters_comes_out_plain),
		TEST(a_way_that_is_too_long_is_cut_between_characters),
		TEST(uses_that_differ_beyond_what_is_shown_are_all_there),
		TEST(a_few_uses_of_a_kind_are_told),
		TEST(more_devices_than_there_is_room_for_are_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
