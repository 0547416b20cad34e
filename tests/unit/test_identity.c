/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The pair of host NQN and host id: where each comes from, and what is said when one is missing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "facts/facts.h"
#include "unit/tree.h"

#define UUID "7e1c3a52-0f4b-4d6e-9a51-3c5d2b8f0001"
#define OTHER_UUID "00000000-0f4b-4d6e-9a51-3c5d2b8f0002"
#define HOSTNQN "nqn.2014-08.org.nvmexpress:uuid:" UUID

static struct tree tree;
static struct request request;
static struct err error;

static int setup(void **state)
{
	(void)state;
	memset(&request, 0, sizeof(request));
	memset(&error, 0, sizeof(error));
	tree_open(&tree);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	tree_close(&tree);
	return 0;
}

static void assert_pair(const char *hostnqn, const char *hostid)
{
	assert_int_equal(facts_read_identity(&tree.root, &request, &error), 0);
	assert_string_equal(request.hostnqn, hostnqn);
	assert_string_equal(request.hostid, hostid);
}

static void assert_refused(enum exit_class exit, const char *message)
{
	assert_true(facts_read_identity(&tree.root, &request, &error) < 0);
	assert_int_equal(error.exit, exit);
	assert_string_equal(error.msg, message);
}

static void the_pair_comes_from_the_two_files(void **state)
{
	(void)state;
	tree_write(&tree, "etc/nvme/hostnqn", HOSTNQN "\n");
	tree_write(&tree, "etc/nvme/hostid", OTHER_UUID "\n");
	assert_pair(HOSTNQN, OTHER_UUID);
}

static void without_a_hostid_file_the_uuid_in_the_nqn_is_taken(void **state)
{
	(void)state;
	tree_write(&tree, "etc/nvme/hostnqn", HOSTNQN);
	assert_pair(HOSTNQN, UUID);
}

static void a_given_nqn_never_goes_with_the_hostid_file(void **state)
{
	(void)state;
	tree_write(&tree, "etc/nvme/hostnqn", "nqn.2026-01.example:other\n");
	tree_write(&tree, "etc/nvme/hostid", OTHER_UUID "\n");
	strcpy(request.hostnqn, HOSTNQN);
	assert_pair(HOSTNQN, UUID);
}

static void a_given_pair_is_kept(void **state)
{
	(void)state;
	strcpy(request.hostnqn, "nqn.2026-01.example:h");
	strcpy(request.hostid, OTHER_UUID);
	assert_pair("nqn.2026-01.example:h", OTHER_UUID);
}

static void a_given_hostid_goes_with_the_nqn_of_the_file(void **state)
{
	(void)state;
	tree_write(&tree, "etc/nvme/hostnqn", HOSTNQN "\n");
	tree_write(&tree, "etc/nvme/hostid", UUID "\n");
	strcpy(request.hostid, OTHER_UUID);
	assert_pair(HOSTNQN, OTHER_UUID);
}

static void a_given_nqn_without_a_uuid_needs_a_hostid(void **state)
{
	(void)state;
	tree_write(&tree, "etc/nvme/hostid", UUID "\n");
	strcpy(request.hostnqn, "nqn.2026-01.example:h");
	assert_refused(XC_USAGE,
		       "the host NQN nqn.2026-01.example:h has no UUID in it: give the host id as well (-I)");
}

static void a_missing_hostnqn_file_comes_with_its_remedy(void **state)
{
	(void)state;
	assert_refused(XC_ENVIRONMENT, "/etc/nvme/hostnqn is not there: this host has no NQN "
				       "(nvme gen-hostnqn > /etc/nvme/hostnqn, or give -q)");
}

static void a_blank_hostnqn_file_is_no_identity(void **state)
{
	(void)state;
	tree_write(&tree, "etc/nvme/hostnqn", " \n");
	assert_refused(XC_ENVIRONMENT, "/etc/nvme/hostnqn is empty (nvme gen-hostnqn > /etc/nvme/hostnqn)");
}

static void a_hostnqn_file_with_something_else_is_no_identity(void **state)
{
	static const char *const texts[] = { "host1\n", HOSTNQN "\n" HOSTNQN "\n", "nqn.a b\n", "nqn.a,b\n" };

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		memset(&error, 0, sizeof(error));
		tree_write(&tree, "etc/nvme/hostnqn", texts[i]);
		assert_refused(XC_ENVIRONMENT, "/etc/nvme/hostnqn does not hold one NQN "
					       "(nvme gen-hostnqn > /etc/nvme/hostnqn)");
	}
}

static void a_hostnqn_file_with_too_long_an_nqn_says_how_long(void **state)
{
	char text[NQN_LENGTH_MAX + 3] = "nqn.";

	(void)state;
	memset(text + 4, 'a', NQN_LENGTH_MAX - 3);
	text[NQN_LENGTH_MAX + 1] = '\n';
	tree_write(&tree, "etc/nvme/hostnqn", text);
	assert_refused(XC_ENVIRONMENT, "/etc/nvme/hostnqn: the NQN has 224 bytes, at most 223 are allowed "
				       "(nvme gen-hostnqn > /etc/nvme/hostnqn)");
}

static void a_broken_hostid_file_is_not_passed_over(void **state)
{
	(void)state;
	tree_write(&tree, "etc/nvme/hostnqn", HOSTNQN "\n");
	tree_write(&tree, "etc/nvme/hostid", "\n");
	assert_refused(XC_ENVIRONMENT, "/etc/nvme/hostid does not hold one UUID "
				       "(write the UUID in /etc/nvme/hostnqn there, or remove it)");
	assert_string_equal(request.hostnqn, "");
}

static void an_nqn_file_without_a_uuid_needs_the_hostid_file(void **state)
{
	(void)state;
	tree_write(&tree, "etc/nvme/hostnqn", "nqn.2026-01.example:h\n");
	assert_refused(XC_ENVIRONMENT,
		       "/etc/nvme/hostnqn has no UUID in it, and there is no /etc/nvme/hostid "
		       "(nvme gen-hostnqn > /etc/nvme/hostnqn)");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_pair_comes_from_the_two_files),
		TEST(without_a_hostid_file_the_uuid_in_the_nqn_is_taken),
		TEST(a_given_nqn_never_goes_with_the_hostid_file),
		TEST(a_given_pair_is_kept),
		TEST(a_given_hostid_goes_with_the_nqn_of_the_file),
		TEST(a_given_nqn_without_a_uuid_needs_a_hostid),
		TEST(a_missing_hostnqn_file_comes_with_its_remedy),
		TEST(a_blank_hostnqn_file_is_no_identity),
		TEST(a_hostnqn_file_with_something_else_is_no_identity),
		TEST(a_hostnqn_file_with_too_long_an_nqn_says_how_long),
		TEST(a_broken_hostid_file_is_not_passed_over),
		TEST(an_nqn_file_without_a_uuid_needs_the_hostid_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
