/* SPDX-License-Identifier: GPL-2.0-or-later */
/* base/: reads below a root, and which files are trusted. */
#include "lib/t.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>

#include "unit/tree.h"

static struct tree tree;
static struct err error;

static int setup(void **state)
{
	(void)state;
	memset(&error, 0, sizeof(error));
	tree_open(&tree);
	tree_link(&tree, "outside", "/etc");
	tree_link(&tree, "up", "../../../../../../etc/passwd");
	tree_link(&tree, "link", "good");
	tree_write(&tree, "good", "value \n");
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	tree_close(&tree);
	return 0;
}

static void a_tree_cannot_reach_out_of_itself(void **state)
{
	char buf[64];

	(void)state;
	assert_false(tree.root.live);
	assert_int_equal(root_line(&tree.root, buf, sizeof(buf), "good"), 0);
	assert_string_equal(buf, "value");
	assert_false(root_exists(&tree.root, "outside/passwd"));
	assert_false(root_exists(&tree.root, "up"));
	assert_false(root_exists(&tree.root, "../../etc/passwd"));
	assert_false(root_exists(&tree.root, "/good"));
	assert_false(root_exists(&tree.root, "%02000d", 1)); /* longer than any path that is formatted */
	assert_true(root_exists(&tree.root, "good"));
	assert_int_equal(root_line(&tree.root, buf, sizeof(buf), "/etc/passwd"), -EINVAL);
	assert_int_equal(root_link(&tree.root, buf, sizeof(buf), "link"), 0);
	assert_string_equal(buf, "good");
	assert_int_equal(root_link(&tree.root, buf, sizeof(buf), "good"), -EINVAL);
}

static void nor_on_a_kernel_without_openat2(void **state)
{
	tree.root.has_openat2 = false;
	a_tree_cannot_reach_out_of_itself(state);
}

static void an_attribute_is_one_line_that_fits(void **state)
{
	char buf[64], tiny[3], text[ROOT_LINE_MAX + 1];

	(void)state;
	memset(text, 'x', ROOT_LINE_MAX);
	text[ROOT_LINE_MAX] = '\0';
	tree_write(&tree, "long", text);
	tree_write(&tree, "two", "a\nb\n");
	tree_write(&tree, "empty", "");
	tree_write_bytes(&tree, "nul", "a\0b", 3);
	assert_int_equal(root_line(&tree.root, buf, sizeof(buf), "two"), -EINVAL);
	assert_int_equal(root_line(&tree.root, buf, sizeof(buf), "nul"), -EINVAL);
	assert_int_equal(root_line(&tree.root, buf, sizeof(buf), "empty"), 0);
	assert_string_equal(buf, "");
	assert_int_equal(root_line(&tree.root, tiny, sizeof(tiny), "good"), -ENAMETOOLONG);
	assert_int_equal(root_line(&tree.root, buf, sizeof(buf), "long"), -EFBIG);
	assert_int_equal(root_line(&tree.root, buf, sizeof(buf), "none"), -ENOENT);
	assert_int_equal(root_line(&tree.root, buf, sizeof(buf), "%s", "outside"), -ENOENT);
}

static void what_is_no_directory_is_no_root(void **state)
{
	struct root root;
	char path[128];

	(void)state;
	tree_full(&tree, "good", path, sizeof(path));
	assert_int_equal(root_open(path, &root, &error), -ENOTDIR);
	assert_int_equal(error.exit, XC_USAGE);
}

/* --- trusted files --- */

#define FILE_PATH "etc/np/c.json"

static void put_file(void)
{
	tree_write(&tree, FILE_PATH, "{}");
}

static void assert_read(const char *path)
{
	_cleanup_free_ char *text = NULL;

	error = (struct err){ 0 };
	if (root_read_trusted(&tree.root, path, &text, &error) != 2)
		fail_msg("%s: %s", path, error.msg);
	assert_string_equal(text, "{}");
}

/* message: what stands after the name of the file; %s in it is the tree. */
static void assert_refused(const char *path, int code, const char *fmt, ...) _printf_(3, 4);
static void assert_refused(const char *path, int code, const char *fmt, ...)
{
	char what[512], message[1024];
	char *text = NULL;
	va_list args;

	va_start(args, fmt);
	vsnprintf(what, sizeof(what), fmt, args);
	va_end(args);
	snprintf(message, sizeof(message), "%s/%s: %s", tree.path, path, what);
	error = (struct err){ 0 };
	assert_int_equal(root_read_trusted(&tree.root, path, &text, &error), code);
	assert_int_equal(error.exit, XC_ENVIRONMENT);
	assert_string_equal(error.msg, message);
	assert_null(text);
}

static void assert_not_there(const char *path)
{
	char *text = NULL;

	error = (struct err){ 0 };
	assert_int_equal(root_read_trusted(&tree.root, path, &text, &error), -ENOENT);
	assert_int_equal(error.code, 0);
}

static void a_file_that_nobody_else_can_write_is_trusted(void **state)
{
	(void)state;
	put_file();
	assert_read(FILE_PATH);
	assert_read("/" FILE_PATH);
	assert_read("etc//./np/c.json");
	assert_read("etc/../etc/np/../np/c.json");
	assert_not_there("etc/np/none.json");
	assert_not_there("etc/none/c.json");
}

static void a_file_that_others_can_write_is_not(void **state)
{
	static const mode_t modes[] = { 0666, 0664, 01666 };

	(void)state;
	put_file();
	for (size_t i = 0; i < ARRAY_SIZE(modes); i++) {
		tree_chmod(&tree, FILE_PATH, modes[i]);
		assert_refused(FILE_PATH, -EPERM,
			       "it can be written by others than root; not read (chmod go-w it)");
	}
}

static void nor_is_one_below_a_directory_that_others_can_write(void **state)
{
	static const char *const directories[] = { "etc", "etc/np" };

	(void)state;
	put_file();
	for (size_t i = 0; i < ARRAY_SIZE(directories); i++) {
		tree_chmod(&tree, directories[i], 0775);
		assert_refused(FILE_PATH, -EPERM,
			       "its directory %s/%s can be written by others than root; not read "
			       "(chmod go-w %s/%s)",
			       tree.path, directories[i], tree.path, directories[i]);
		tree_chmod(&tree, directories[i], 0755);
	}
	assert_read(FILE_PATH);
}

static void a_sticky_directory_may_be_writable(void **state)
{
	(void)state;
	put_file();
	tree_chmod(&tree, "etc", 01777);
	tree_chmod(&tree, "etc/np", 01777);
	assert_read(FILE_PATH);
}

/* As root by giving it away, else by trusting somebody else. Returns whose it is now. */
static unsigned make_foreign(const char *path)
{
	char full[256];

	if (geteuid() != 0) {
		tree.root.owner = geteuid() + 1;
		return geteuid();
	}
	tree_full(&tree, path, full, sizeof(full));
	tree.root.owner = 0;
	assert_int_equal(chown(full, 12345, (gid_t)-1), 0);
	return 12345;
}

static void what_belongs_to_somebody_else_is_not_trusted(void **state)
{
	unsigned owner;

	(void)state;
	tree_write(&tree, "c.json", "{}");
	owner = make_foreign("c.json");
	assert_refused("c.json", -EPERM, "it belongs to user %u, not to root; not read (chown root it)",
		       owner);
	put_file();
	owner = make_foreign("etc");
	assert_refused(FILE_PATH, -EPERM,
		       "its directory %s/etc belongs to user %u, not to root; not read (chown root %s/etc)",
		       tree.path, owner, tree.path);
}

static void no_link_is_followed_on_the_way(void **state)
{
	(void)state;
	put_file();
	tree_link(&tree, "etc/other", "np");
	assert_refused("etc/other/c.json", -ENOTDIR,
		       "%s/etc/other is a symbolic link or no directory; not read (put a directory there, or "
		       "give the path without links)",
		       tree.path);
	tree_link(&tree, "elsewhere", "etc");
	assert_refused("elsewhere/np/c.json", -ENOTDIR,
		       "%s/elsewhere is a symbolic link or no directory; not read (put a directory there, or "
		       "give the path without links)",
		       tree.path);
	assert_refused("good/c.json", -ENOTDIR,
		       "%s/good is a symbolic link or no directory; not read (put a directory there, or "
		       "give the path without links)",
		       tree.path);
	assert_refused("link", -ELOOP, "is a symbolic link; not read (put the file itself there)");
}

static void a_tree_is_not_left_by_its_parent(void **state)
{
	char path[128];

	(void)state;
	put_file();
	assert_read("../../" FILE_PATH); /* as "/.." is "/" */
	assert_read("etc/../../../" FILE_PATH);
	str_format(path, sizeof(path), "..%s/%s", strrchr(tree.path, '/'), FILE_PATH);
	assert_not_there(path); /* where it would be from outside */
	assert_refused("..", -EINVAL, "is no regular file; not read");
	assert_refused("etc/np/", -EINVAL, "is no regular file; not read");
	assert_refused("etc/np/..", -EINVAL, "is no regular file; not read");
}

static void what_cannot_be_one_file_is_refused_with_its_reason(void **state)
{
	char path[NAME_MAX + 32];
	char *large = malloc(TRUSTED_MAX + 1);

	(void)state;
	assert_non_null(large);
	memset(large, ' ', TRUSTED_MAX + 1);
	tree_write_bytes(&tree, FILE_PATH, large, TRUSTED_MAX + 1);
	free(large);
	assert_refused(FILE_PATH, -EFBIG, "is larger than 1 MiB");
	memset(path, 'x', sizeof(path) - 1);
	strcpy(path + NAME_MAX + 1, "/c.json");
	assert_refused(path, -ENAMETOOLONG, "File name too long");
	strcpy(path + NAME_MAX, "/c.json"); /* that long a name is only not there */
	assert_not_there(path);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(a_tree_cannot_reach_out_of_itself),
		TEST(nor_on_a_kernel_without_openat2),
		TEST(an_attribute_is_one_line_that_fits),
		TEST(what_is_no_directory_is_no_root),
		TEST(a_file_that_nobody_else_can_write_is_trusted),
		TEST(a_file_that_others_can_write_is_not),
		TEST(nor_is_one_below_a_directory_that_others_can_write),
		TEST(a_sticky_directory_may_be_writable),
		TEST(what_belongs_to_somebody_else_is_not_trusted),
		TEST(no_link_is_followed_on_the_way),
		TEST(a_tree_is_not_left_by_its_parent),
		TEST(what_cannot_be_one_file_is_refused_with_its_reason),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
