/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who uses a namespace: mounts of all kinds, in all mount namespaces, and files that cannot be read.
 *
 * Seen to catch: the root of any namespace taken for the machine's; a namespace judged by a process in a
 * chroot; an ended process taken for an error, a live machine's missing file for none; one member of a btrfs
 * alone counted; a source of any file system believed, or followed out of /dev; lines that are cut or hold a
 * NUL.
 */

#include "unit/uses_tree.h"

#include <sys/fsuid.h>

#define BTRFS "sys/fs/btrfs/5f0d7c1e-6b2a-4c3d-8e4f-000000000001/devices/"
#define BTRFS2 "sys/fs/btrfs/5f0d7c1e-6b2a-4c3d-8e4f-000000000002/devices/"

static void add_disks(void)
{
	add_ns("nvme0n1");
	add_ns("nvme0n2");
	add_disk("nvme0n1", "259:0");
	add_disk("nvme0n2", "259:1");
}

/* --- mount namespaces ------------------------------------------------------------------------- */

static void the_root_is_that_of_process_1(void **state)
{
	(void)state;
	add_disks();
	add_mount("self", "259:0", "/", "/dev/nvme0n1");
	EXPECT_USES("root nvme0n1: nvme0n1 > /"); /* nobody else is there */
	add_mount("1", "259:1", "/", "/dev/nvme0n2");
	expect_uses((const char *const[]){ "mount nvme0n1: nvme0n1 > /", "root nvme0n2: nvme0n2 > /" }, 2);
	add_process("self", 10);
	add_process("1", 11);
	tree_link(&tree, "proc/1/root", "/not/all/of/it");
	add_process("2", 11);
	tree_write(&tree, "proc/2/mountinfo", "not needed\n");
	expect_uses((const char *const[]){ "mount nvme0n1: nvme0n1 > /", "root nvme0n2: nvme0n2 > /" }, 2);
	assert_int_equal(findings.count, 0);
}

static void in_one_namespace_with_process_1_its_file_is_not_needed(void **state)
{
	(void)state;
	add_disks();
	add_process("self", 10);
	add_process("1", 10);
	add_process("77", 10);
	add_mount("self", "259:0", "/", "/dev/nvme0n1");
	tree_write(&tree, "proc/1/mountinfo", "nonsense\n");
	tree_write(&tree, "proc/77/mountinfo", "nonsense\n");
	EXPECT_USES("root nvme0n1: nvme0n1 > /");
	assert_int_equal(findings.count, 0);
}

static void a_mount_in_another_namespace_is_told_with_a_process(void **state)
{
	(void)state;
	add_disks();
	add_process("self", 10);
	add_process("1", 10);
	add_process("4711", 12);
	add_process("4712", 12);
	add_process("99", 11);
	add_mount("self", "8:1", "/", "/dev/sda1");
	add_mount("self", "259:0", "/mnt", "/dev/nvme0n1");
	add_mount("4711", "259:0", "/host/mnt", "/dev/nvme0n1"); /* told already */
	add_mount("4711", "259:1", "/", "/dev/nvme0n2");
	add_mount("4711", "259:1", "/b", "/dev/nvme0n2");
	add_mount("4712", "259:1", "/not-needed", "/dev/nvme0n2");
	add_mount("99", "8:1", "/", "/dev/sda1");
	EXPECT_USES("mount nvme0n1: nvme0n1 > /mnt", "mount nvme0n2: nvme0n2 > / (process 4711)",
		    "mount nvme0n2: nvme0n2 > /b (process 4711)");
}

static void processes_that_end_are_left_out(void **state)
{
	(void)state;
	add_disks();
	add_process("self", 10);
	add_mount("self", "8:1", "/", "/dev/sda1");
	add_process("5", 11); /* without mountinfo */
	add_process("6", 11);
	add_mount("6", "259:1", "/data", "/dev/nvme0n2");
	tree_write(&tree, "proc/7/stat", "");
	tree_write(&tree, "proc/8/ns/mnt", "no link");
	tree_write(&tree, "proc/sys/fs/mount-max", "100000\n");
	EXPECT_USES("mount nvme0n2: nvme0n2 > /data (process 6)");
	assert_int_equal(findings.count, 0);
}

static void a_process_that_sees_its_whole_namespace_is_asked(void **state)
{
	(void)state;
	add_disks();
	add_process("self", 10);
	add_mount("self", "8:1", "/", "/dev/sda1");
	add_process("5", 11);
	tree_link(&tree, "proc/5/root", "/a/root/directory/with/a/long/name");
	add_mount("5", "259:0", "/", "/dev/nvme0n1");
	add_process("6", 11);
	tree_link(&tree, "proc/6/root", "/");
	add_mount("6", "259:1", "/data", "/dev/nvme0n2");
	EXPECT_USES("mount nvme0n2: nvme0n2 > /data (process 6)");

	/* Nobody sees all of it: what each sees counts. */
	tree_unlink(&tree, "proc/6/root");
	tree_link(&tree, "proc/6/root", "/b");
	expect_uses((const char *const[]){ "mount nvme0n1: nvme0n1 > / (process 5)",
					   "mount nvme0n2: nvme0n2 > /data (process 6)" },
		    2);
}

/* Runs as somebody who may not look into proc/5, with this effective user. False: not possible here. */
static bool read_denied(bool as_root, int *ret)
{
	bool possible = geteuid() != 0 || setfsuid(65534) == 0;

	if (geteuid() != 0 ? as_root : setfsuid(65534) != 65534)
		return false;
	if (geteuid() == 0 && !as_root && seteuid(65534) < 0)
		possible = false;
	if (possible)
		*ret = facts_read_uses(&tree.root, topo, &findings, &error);
	if (geteuid() != getuid())
		assert_int_equal(seteuid(getuid()), 0);
	setfsuid(getuid());
	return possible;
}

static void namespaces_that_may_not_be_looked_at_are_one_finding(void **state)
{
	bool possible;
	int r;

	(void)state;
	add_disks();
	add_process("self", 10);
	add_mount("self", "259:0", "/mnt", "/dev/nvme0n1");
	add_process("1", 11);
	add_mount("1", "259:1", "/", "/dev/nvme0n2");
	add_process("5", 12);
	tree_chmod(&tree, "proc/1/ns", 0);
	tree_chmod(&tree, "proc/5/ns", 0);
	tree.root.live = true;
	possible = read_denied(false, &r);
	tree_chmod(&tree, "proc/1/ns", 0755);
	tree_chmod(&tree, "proc/5/ns", 0755);
	if (!possible)
		skip();
	assert_int_equal(r, 0);
	assert_int_equal(topo->uses, 2);
	assert_int_equal(topo->use[1].kind, USE_ROOT); /* anybody may read the mounts of process 1 */
	assert_int_equal(findings.count, 1);
	assert_int_equal(findings.finding[0].status, FINDING_UNKNOWN);
	assert_string_equal(findings.finding[0].check, "facts.readable");
	assert_string_equal(findings.finding[0].message,
			    "/proc/1/ns/mnt: Permission denied; what is mounted for 2 processes alone is not "
			    "seen (root sees it)");
}

static void root_that_may_not_look_takes_nothing_away(void **state)
{
	bool possible;
	int r;

	(void)state;
	add_disks();
	add_process("self", 10);
	add_mount("self", "259:0", "/mnt", "/dev/nvme0n1");
	add_process("5", 12);
	add_mount("5", "259:1", "/", "/dev/nvme0n2");
	tree_chmod(&tree, "proc/5/mountinfo", 0);
	tree.root.live = true;
	possible = read_denied(true, &r);
	if (!possible)
		skip();
	assert_int_equal(r, -EACCES);
	assert_int_equal(error.exit, XC_ENVIRONMENT);
	assert_non_null(strstr(error.msg, "CAP_SYS_PTRACE"));
}

/* --- file systems without a device number ----------------------------------------------------- */

static void a_btrfs_is_found_by_its_source_and_used_on_all_members(void **state)
{
	(void)state;
	add_disks();
	tree_write(&tree, BTRFS "nvme0n1", "");
	tree_write(&tree, BTRFS "sdb", "");
	tree_write(&tree, BTRFS "nvme0n2", "");
	tree_write(&tree, "sys/fs/btrfs/features/raid1c34", "0\n");
	add_mount("self", "0:44", "/pool", "/dev/sdb");
	add_mount("self", "0:45", "/elsewhere", "/dev/sdc");
	EXPECT_USES("mount nvme0n1: nvme0n1 > /pool", "mount nvme0n2: nvme0n2 > /pool");
}

static void a_btrfs_whose_mount_is_not_seen_is_used(void **state)
{
	(void)state;
	add_disks();
	tree_write(&tree, BTRFS "nvme0n1", "");
	tree_write(&tree, BTRFS2 "sdb", "");
	tree_write(&tree, "sys/fs/btrfs/features/devices/nvme0n2", "");
	EXPECT_USES("mount nvme0n1: nvme0n1 > btrfs 5f0d7c1e-6b2a-4c3d-8e4f-000000000001");
}

static void a_swap_file_on_btrfs_and_its_root_are_of_all_members(void **state)
{
	(void)state;
	add_disks();
	tree_write(&tree, BTRFS "nvme0n1", "");
	tree_write(&tree, BTRFS "nvme0n2", "");
	add_mount("self", "0:44", "/", "/dev/nvme0n2");
	put_swaps("/swap                                   file\t\t8388604\t\t0\t\t-2\n");
	EXPECT_USES("root nvme0n1: nvme0n1 > /", "swap nvme0n1: nvme0n1 > / > /swap",
		    "root nvme0n2: nvme0n2 > /", "swap nvme0n2: nvme0n2 > / > /swap");
}

struct source_case {
	const char *source;
	bool found;
};

static void a_source_is_followed_within_dev_alone(void **state)
{
	static const struct source_case cases[] = {
		{ "/dev/nvme0n1", true },
		{ "/dev/mapper/vg-data", true },
		{ "/dev/disk/by-id/nvme-x", true },
		{ "/dev/vg/data", true },
		{ "/dev/block/259:0", true },
		{ "/dev/nvme0n10", false },
		{ "/dev/shm/x", false }, /* anybody can put a link there */
		{ "/dev/../dev/vg/data", false },
		{ "/dev/", false },
		{ "/dev//nvme0n1", false },
		{ "nvme0n1", false },
		{ "server:/dev/nvme0n1", false },
		{ "/mnt/nvme0n1", false },
		{ "", false },
	};

	(void)state;
	add_ns("nvme0n1");
	add_disk("nvme0n1", "259:0");
	add_holder("nvme0n1", "dm-0");
	add_dm("dm-0", "253:0", "vg-data");
	tree_link(&tree, "dev/disk/by-id/nvme-x", "../../nvme0n1");
	tree_link(&tree, "dev/vg/data", "../dm-0");
	tree_link(&tree, "dev/shm/x", "../nvme0n1");
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		add_mount("self", "0:44", "/mnt", cases[i].source);
		assert_int_equal(facts_read_uses(&tree.root, topo, &findings, &error), 0);
		assert_int_equal(topo->uses, cases[i].found ? 2 : 1);
		tree_unlink(&tree, "proc/self/mountinfo");
	}
	/* A device number is the better answer. */
	add_mount("self", "8:1", "/mnt", "/dev/nvme0n1");
	EXPECT_USES("holder nvme0n1: nvme0n1 > dm-0 (vg-data)");
}

static void thousands_of_mounts_are_read_in_one_go(void **state)
{
	char point[64], source[64];

	(void)state;
	add_disks();
	tree_link(&tree, "dev/disk/by-id/x", "../../nvme0n2");
	for (unsigned i = 0; i < 5000; i++) {
		snprintf(point, sizeof(point), "/pods/%u", i);
		snprintf(source, sizeof(source), "/dev/disk/by-id/%u", i);
		add_mount("self", i % 2 ? "0:44" : "8:1", point, i % 4 ? "overlay" : source);
	}
	add_mount("self", "259:0", "/mnt", "/dev/nvme0n1");
	add_mount("self", "0:50", "/mnt2", "/dev/disk/by-id/x");
	EXPECT_USES("mount nvme0n1: nvme0n1 > /mnt", "mount nvme0n2: nvme0n2 > /mnt2");
}

/* --- what cannot be read ---------------------------------------------------------------------- */

static void expect_failure(int code, const char *object)
{
	error = (struct err){ 0 };
	tree.root.live = true;
	assert_int_equal(facts_read_uses(&tree.root, topo, &findings, &error), code);
	assert_int_equal(error.exit, XC_ENVIRONMENT);
	assert_string_equal(error.object, object);
	tree.root.live = false;
}

static void a_live_machine_has_mounts_but_perhaps_no_swap(void **state)
{
	(void)state;
	add_disks();
	expect_failure(-ENOENT, "proc/self/mountinfo");
	add_mount("self", "259:0", "/mnt", "/dev/nvme0n1");
	tree.root.live = true;
	EXPECT_USES("mount nvme0n1: nvme0n1 > /mnt");
}

static void lines_that_no_kernel_writes_make_a_file_unreadable(void **state)
{
	static const char *const lines[] = {
		"nonsense\n",
		"\n",
		"36 35 259:0 / /mnt rw\n",
		"36 35 259:0 / /mnt rw - ext4\n",
		"36 35 259:0 / /mnt rw master:1 ext4 /dev/nvme0n1 rw\n",
		"36 35 259:0  / /mnt rw - ext4 /dev/nvme0n1 rw\n",
		"36 35 259 / /mnt rw - ext4 /dev/nvme0n1 rw\n",
		"36 35 259: / /mnt rw - ext4 /dev/nvme0n1 rw\n",
		"36 35 259:0x / /mnt rw - ext4 /dev/nvme0n1 rw\n",
		"36 35 259:0 / mnt rw - ext4 /dev/nvme0n1 rw\n",
		"36 35 259:0 / /mnt\\04 rw - ext4 /dev/nvme0n1 rw\n",
		"36 35 259:0 / /mnt\\000 rw - ext4 /dev/nvme0n1 rw\n",
		"36 35 259:0 / /mnt\\777 rw - ext4 /dev/nvme0n1 rw\n",
		"36 35 259:0 / /mnt rw - ext4 /dev/nvme0n1\\ rw\n",
	};

	(void)state;
	add_disks();
	for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
		findings.count = 0;
		tree_write(&tree, "proc/self/mountinfo", lines[i]);
		expect_uses(NULL, 0);
		assert_int_equal(findings.count, 1);
		assert_string_equal(findings.finding[0].evidence, "/proc/self/mountinfo");
		expect_failure(-EINVAL, "proc/self/mountinfo");
	}
	tree_write_bytes(&tree, "proc/self/mountinfo", "36 35 259:0 / /m rw - ext4 x rw\n\0\n", 34);
	expect_failure(-EINVAL, "proc/self/mountinfo");
	/* An empty source, and one line without an end, are as good as others. */
	tree_write(&tree, "proc/self/mountinfo",
		   "36 35 0:4 / /a rw - tmpfs  rw\n36 35 259:0 / /b rw - ext4 x rw");
	EXPECT_USES("mount nvme0n1: nvme0n1 > /b");
}

static void swaps_that_no_kernel_writes_are_unreadable(void **state)
{
	static const char *const lines[] = { "/dev/nvme0n1\n", "/dev/nvme0n1 disk 1 0 -2\n",
					     " partition 1 0 -2\n", "/a\\9 file 1 0 -2\n" };

	(void)state;
	add_disks();
	add_mount("self", "259:1", "/mnt", "/dev/nvme0n2");
	for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
		findings.count = 0;
		put_swaps(lines[i]);
		EXPECT_USES("mount nvme0n2: nvme0n2 > /mnt");
		assert_int_equal(findings.count, 1);
		assert_string_equal(findings.finding[0].evidence, "/proc/swaps");
		expect_failure(-EINVAL, "proc/swaps");
	}
	tree_write(&tree, "proc/swaps", "");
	EXPECT_USES("mount nvme0n2: nvme0n2 > /mnt");
}

static void another_namespaces_file_that_is_odd_counts_as_much(void **state)
{
	(void)state;
	add_disks();
	add_process("self", 10);
	add_mount("self", "259:1", "/mnt", "/dev/nvme0n2");
	add_process("5", 11);
	tree_link(&tree, "proc/5/root", "/");
	tree_write(&tree, "proc/5/mountinfo", "nonsense\n");
	EXPECT_USES("mount nvme0n2: nvme0n2 > /mnt");
	assert_int_equal(findings.count, 1);
	expect_failure(-EINVAL, "proc/5/mountinfo");
	tree_link(&tree, "proc/6/ns/mnt", "net:[11]");
	expect_failure(-EINVAL, "proc");
}

static void members_of_a_btrfs_that_cannot_be_listed_are_an_error(void **state)
{
	(void)state;
	add_disks();
	add_mount("self", "259:1", "/mnt", "/dev/nvme0n2");
	tree_write(&tree, "sys/fs/btrfs/5f0d7c1e-6b2a-4c3d-8e4f-000000000001/devices", "no directory\n");
	expect_failure(-ENOTDIR, "sys/fs/btrfs/5f0d7c1e-6b2a-4c3d-8e4f-000000000001/devices");
	EXPECT_USES("mount nvme0n2: nvme0n2 > /mnt");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_root_is_that_of_process_1),
		TEST(in_one_namespace_with_process_1_its_file_is_not_needed),
		TEST(a_mount_in_another_namespace_is_told_with_a_process),
		TEST(processes_that_end_are_left_out),
		TEST(a_process_that_sees_its_whole_namespace_is_asked),
		TEST(namespaces_that_may_not_be_looked_at_are_one_finding),
		TEST(root_that_may_not_look_takes_nothing_away),
		TEST(a_btrfs_is_found_by_its_source_and_used_on_all_members),
		TEST(a_btrfs_whose_mount_is_not_seen_is_used),
		TEST(a_swap_file_on_btrfs_and_its_root_are_of_all_members),
		TEST(a_source_is_followed_within_dev_alone),
		TEST(thousands_of_mounts_are_read_in_one_go),
		TEST(a_live_machine_has_mounts_but_perhaps_no_swap),
		TEST(lines_that_no_kernel_writes_make_a_file_unreadable),
		TEST(swaps_that_no_kernel_writes_are_unreadable),
		TEST(another_namespaces_file_that_is_odd_counts_as_much),
		TEST(members_of_a_btrfs_that_cannot_be_listed_are_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
