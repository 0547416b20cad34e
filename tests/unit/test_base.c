/* SPDX-License-Identifier: GPL-2.0-or-later */
/* base/: strict parsing. Tables of {input, expected}. */
#include "lib/t.h"

#include <errno.h>
#include <string.h>

#include "base/cpuset.h"
#include "base/err.h"
#include "base/inet.h"
#include "base/json.h"
#include "base/parse.h"
#include "base/pci.h"

static void cpu_lists_parse_in_every_form_the_kernel_prints(void **state)
{
	static const struct {
		const char *text;
		int r;
		const char *canonical;
	} cases[] = {
		{ "", 0, "" },
		{ "\n", 0, "" },
		{ "0\n", 0, "0" },
		{ "0-55,112-167\n", 0, "0-55,112-167" },
		{ "0, 1, 2\n", 0, "0-2" },
		{ "5,3,4", 0, "3-5" },
		{ "2047", 0, "2047" },
		{ "0-2047", 0, "0-2047" },
		{ "2048", -ERANGE, NULL },
		{ "4294967296", -ERANGE, NULL },
		{ "99999999999999999999999", -ERANGE, NULL },
		{ "5-3", -EINVAL, NULL },
		{ "1,", -EINVAL, NULL },
		{ ",1", -EINVAL, NULL },
		{ "1-", -EINVAL, NULL },
		{ "-1", -EINVAL, NULL },
		{ "a", -EINVAL, NULL },
		{ "1 2", -EINVAL, NULL },
		{ "1--2", -EINVAL, NULL },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct cpuset set;
		char text[CPUSET_TEXT_MAX];
		int r = cpuset_parse(cases[i].text, &set);

		if (r != cases[i].r)
			fail_msg("\"%s\": %d instead of %d", cases[i].text, r, cases[i].r);
		if (r < 0)
			continue;
		assert_int_equal(cpuset_format(&set, text, sizeof(text)), 0);
		assert_string_equal(text, cases[i].canonical);
	}
}

static void the_longest_cpu_list_fits_its_buffer(void **state)
{
	struct cpuset set = { 0 }, back;
	char text[CPUSET_TEXT_MAX], small[4];

	(void)state;
	for (unsigned cpu = 0; cpu < CPUS_MAX; cpu += 2)
		cpuset_add(&set, cpu);
	assert_int_equal(cpuset_format(&set, text, sizeof(text)), 0);
	assert_int_equal(cpuset_parse(text, &back), 0);
	assert_true(cpuset_equal(&set, &back));
	assert_int_equal(cpuset_count(&set), CPUS_MAX / 2);
	assert_int_equal(cpuset_format(&set, small, sizeof(small)), -ENOSPC);
	cpuset_add(&set, CPUS_MAX); /* beyond the end: not added, not written elsewhere */
	assert_true(cpuset_equal(&set, &back));
}

static void pci_addresses_parse_whole_or_not_at_all(void **state)
{
	static const struct {
		const char *text;
		int r;
	} cases[] = {
		{ "0000:29:00.0", 0 },
		{ "0001:ff:1f.7", 0 },
		{ "10000:01:00.0", 0 },
		{ "ffffffff:ff:1f.7", 0 },
		{ "29:00.0", -EINVAL },
		{ "0000:29:00", -EINVAL },
		{ "0000:29:00.8", -EINVAL },
		{ "0000:29:20.0", -EINVAL },
		{ "0000:29:00.0 ", -EINVAL },
		{ " 0000:29:00.0", -EINVAL },
		{ "0000:29:00.00", -EINVAL },
		{ "0000:2g:00.0", -EINVAL },
		{ "", -EINVAL },
		{ "000000000:29:00.0", -EINVAL },
		{ "0000-29-00.0", -EINVAL },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct pci_addr pci;
		char text[PCI_TEXT_MAX];
		int r = pci_parse(cases[i].text, &pci);

		if (r != cases[i].r)
			fail_msg("\"%s\": %d instead of %d", cases[i].text, r, cases[i].r);
		if (r == 0)
			assert_string_equal(pci_format(&pci, text), cases[i].text);
	}
}

static void the_last_function_of_a_link_is_the_device(void **state)
{
	struct pci_addr pci;
	char text[PCI_TEXT_MAX];

	(void)state;
	assert_int_equal(
		pci_of_link("../../devices/pci0000:24/0000:24:01.0/0000:29:00.0/net/enp41s0f0np0", &pci), 0);
	assert_string_equal(pci_format(&pci, text), "0000:29:00.0");
	assert_int_equal(pci_of_link("../../devices/pci0000:24/0000:29:00.1/virtio3/net/eth0", &pci), 0);
	assert_string_equal(pci_format(&pci, text), "0000:29:00.1");
	assert_int_equal(pci_of_link("../../devices/virtual/net/bond0", &pci), -ENOENT);
	assert_int_equal(pci_of_link("", &pci), -ENOENT);
	assert_int_equal(pci_of_link("////", &pci), -ENOENT);
}

static void addresses_are_numeric_and_have_one_spelling(void **state)
{
	static const struct {
		const char *text, *canonical; /* NULL: refused */
	} cases[] = {
		{ "10.10.1.2", "10.10.1.2" },
		{ "FD00:10:1:0::2", "fd00:10:1::2" },
		{ "fe80::1%ens1", "fe80::1%ens1" },
		{ "fe80::1", "fe80::1" },
		{ "10.10.1", NULL },
		{ "10.10.1.2.3", NULL },
		{ "010.10.1.2", NULL },
		{ "store1", NULL },
		{ "10.10.1.2%ens1", NULL },
		{ "fd00::1%ens1", NULL },
		{ "fe80::1%", NULL },
		{ "fe80::1%a,b", NULL },
		{ "fe80::1%averylonginterfacename", NULL },
		{ "[fe80::1]", NULL },
		{ "", NULL },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct ip ip;
		char text[IP_TEXT_MAX];
		int r = ip_parse(cases[i].text, &ip);

		if ((r == 0) != (cases[i].canonical != NULL))
			fail_msg("\"%s\": %d", cases[i].text, r);
		if (r == 0)
			assert_string_equal(ip_format(&ip, text), cases[i].canonical);
	}
}

static bool same_subnet(const char *a, const char *b, unsigned prefixlen)
{
	struct ip x, y;

	assert_int_equal(ip_parse(a, &x), 0);
	assert_int_equal(ip_parse(b, &y), 0);
	return ip_same_subnet(&x, &y, prefixlen);
}

static void subnets_are_compared_bit_by_bit(void **state)
{
	(void)state;
	assert_true(same_subnet("10.10.1.1", "10.10.1.2", 24));
	assert_false(same_subnet("10.10.1.1", "10.10.2.1", 24));
	assert_true(same_subnet("10.10.1.0", "10.10.1.1", 31));
	assert_false(same_subnet("10.10.1.1", "10.10.1.2", 31));
	assert_false(same_subnet("10.10.1.1", "10.10.1.2", 32));
	assert_true(same_subnet("10.10.1.1", "192.0.2.1", 0));
	assert_false(same_subnet("10.10.1.1", "10.10.1.1", 33));
	assert_true(same_subnet("fd00::1", "fd00::ffff", 64));
	assert_false(same_subnet("fd00::1", "10.0.0.1", 0));
}

static void numbers_are_decimal_and_in_range(void **state)
{
	uint64_t u;
	int64_t i;

	(void)state;
	assert_int_equal(parse_u64("0", 10, &u), 0);
	assert_int_equal(parse_u64("18446744073709551615", UINT64_MAX, &u), 0);
	assert_true(u == UINT64_MAX);
	assert_int_equal(parse_u64("18446744073709551616", UINT64_MAX, &u), -ERANGE);
	assert_int_equal(parse_u64("11", 10, &u), -ERANGE);
	assert_int_equal(parse_u64("", 10, &u), -EINVAL);
	assert_int_equal(parse_u64("+1", 10, &u), -EINVAL);
	assert_int_equal(parse_u64(" 1", 10, &u), -EINVAL);
	assert_int_equal(parse_u64("1x", 10, &u), -EINVAL);
	assert_int_equal(parse_i64("-1", -1, 10, &i), 0);
	assert_int_equal(i, -1);
	assert_int_equal(parse_i64("--1", -1, 10, &i), -EINVAL);
	assert_int_equal(parse_i64("-2", -1, 10, &i), -ERANGE);
	assert_int_equal(parse_hex("0x15b3", 0xffff, &u), 0);
	assert_int_equal(u, 0x15b3);
	assert_int_equal(parse_hex("0x", 0xffff, &u), -EINVAL);
	assert_int_equal(parse_hex("fffff", 0xffff, &u), -ERANGE);
	assert_int_equal(parse_hex("11112222333344445", UINT64_MAX, &u), -ERANGE);
}

static void nqns_hold_nothing_that_the_option_string_would_take_apart(void **state)
{
	char longest[NQN_LENGTH_MAX + 2] = "nqn.";

	(void)state;
	memset(longest + 4, 'a', NQN_LENGTH_MAX - 4);
	assert_int_equal(parse_nqn(longest), 0);
	longest[NQN_LENGTH_MAX] = 'a';
	assert_int_equal(parse_nqn(longest), -ENAMETOOLONG);
	assert_int_equal(parse_nqn("nqn.2026-01.example:s1"), 0);
	assert_int_equal(parse_nqn("nqn."), -EINVAL);
	assert_int_equal(parse_nqn("nqn.a,hostnqn=b"), -EINVAL);
	assert_int_equal(parse_nqn("nqn.a b"), -EINVAL);
	assert_int_equal(parse_nqn("nqn.a\n"), -EINVAL);
	assert_int_equal(parse_nqn("iqn.a"), -EINVAL);
}

static void utf8_is_counted_and_nothing_else_is_an_nqn(void **state)
{
	static const struct {
		const char *text;
		size_t length;
	} cases[] = {
		{ "", 0 },
		{ "a", 1 },
		{ "\x7f", 1 },
		{ "\xc3\xa9x", 2 },
		{ "\xe2\x82\xac", 3 },
		{ "\xed\x9f\xbf", 3 },
		{ "\xf0\x9f\x98\x80", 4 },
		{ "\xf4\x8f\xbf\xbf", 4 },
		{ "\x80", 0 },	   /* a continuation */
		{ "\xc0\x80", 0 }, /* overlong */
		{ "\xc1\xbf", 0 },
		{ "\xe0\x9f\xbf", 0 },
		{ "\xf0\x8f\xbf\xbf", 0 },
		{ "\xed\xa0\x80", 0 },	   /* a surrogate */
		{ "\xf4\x90\x80\x80", 0 }, /* beyond U+10FFFF */
		{ "\xf5\x80\x80\x80", 0 },
		{ "\xff", 0 },
		{ "\xc3", 0 }, /* cut off */
		{ "\xe2\x82", 0 },
		{ "\xf0\x9f\x98", 0 },
		{ "\xc3\x28", 0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char nqn[32];
		bool forbidden = cases[i].text[0] == 0x7f;

		if (parse_utf8_length(cases[i].text) != cases[i].length)
			fail_msg("case %zu: %zu", i, parse_utf8_length(cases[i].text));
		str_format(nqn, sizeof(nqn), "nqn.a%s", cases[i].text);
		if ((parse_nqn(nqn) == 0) != (i == 0 || (cases[i].length > 0 && !forbidden)))
			fail_msg("NQN of case %zu: %d", i, parse_nqn(nqn));
	}
}

static void arrays_grow_at_powers_of_two(void **state)
{
	unsigned *array = NULL;

	(void)state;
	for (unsigned i = 0; i < 1000; i++) {
		unsigned *larger = mem_grow(array, i, sizeof(*larger));

		assert_non_null(larger);
		if (i == 5)
			assert_ptr_equal(larger, array);
		array = larger;
		array[i] = i;
	}
	assert_int_equal(array[999], 999);
	free(array);
}

static void uuids_and_service_ids_are_checked_digit_by_digit(void **state)
{
	char uuid[UUID_SIZE], svcid[SVCID_SIZE];

	(void)state;
	assert_int_equal(parse_uuid("7E1C3A52-0f4b-4d6e-9a51-3c5d2b8f0001", uuid), 0);
	assert_string_equal(uuid, "7e1c3a52-0f4b-4d6e-9a51-3c5d2b8f0001");
	assert_int_equal(parse_uuid("7e1c3a520f4b4d6e9a513c5d2b8f0001", uuid), -EINVAL);
	assert_int_equal(parse_uuid("7e1c3a52-0f4b-4d6e-9a51-3c5d2b8f000g", uuid), -EINVAL);
	assert_int_equal(
		parse_nqn_uuid("nqn.2014-08.org.nvmexpress:uuid:7e1c3a52-0f4b-4d6e-9a51-3c5d2b8f0001", uuid),
		0);
	assert_int_equal(parse_nqn_uuid("nqn.2026-01.example:host", uuid), -ENOENT);
	assert_int_equal(parse_svcid("4420", svcid), 0);
	assert_int_equal(parse_svcid("04420", svcid), -EINVAL);
	assert_int_equal(parse_svcid("0", svcid), -EINVAL);
	assert_int_equal(parse_svcid("65536", svcid), -EINVAL);
	assert_int_equal(parse_svcid("nvme", svcid), -EINVAL);
}

static bool parses(const char *text)
{
	const char *why;
	struct json *j = json_parse(text, strlen(text), &why);
	bool ok = j != NULL;

	json_free(j);
	if (!ok && *why == '\0')
		fail_msg("%s: no reason", text);
	return ok;
}

static void json_is_one_value_and_nothing_after_it(void **state)
{
	char deep[256];

	(void)state;
	assert_true(parses("{\"a\": [1, 2]}"));
	assert_true(parses("{} \n\t"));
	assert_false(parses(""));
	assert_false(parses("{"));
	assert_false(parses("{}{}"));
	assert_false(parses("{} x"));
	assert_false(parses("null"));
	assert_false(parses("{\"a\": 1,}"));
	assert_false(parses("{\"a\": \"\xff\"}"));
	memset(deep, '[', sizeof(deep) - 1);
	deep[sizeof(deep) - 1] = '\0';
	assert_false(parses(deep));
}

static void json_getters_tell_missing_from_wrong(void **state)
{
	static const char text[] =
		"{\"s\": \"abc\", \"n\": 5, \"x\": 1.5, \"b\": true, \"z\": null, \"big\": "
		"99999999999999999999, \"nul\": \"a\\u0000b\"}";
	const char *why;
	_cleanup_json_ struct json *j = json_parse(text, strlen(text), &why);
	char buf[8], tiny[3];
	int64_t n;
	bool b;

	(void)state;
	assert_non_null(j);
	assert_int_equal(json_get_str(j, "s", buf, sizeof(buf)), 0);
	assert_int_equal(json_get_str(j, "s", tiny, sizeof(tiny)), -ENAMETOOLONG);
	assert_int_equal(json_get_str(j, "n", buf, sizeof(buf)), -EINVAL);
	assert_int_equal(json_get_str(j, "nul", buf, sizeof(buf)), -EINVAL);
	assert_int_equal(json_get_str(j, "none", buf, sizeof(buf)), -ENOENT);
	assert_int_equal(json_get_str(j, "z", buf, sizeof(buf)), -ENOENT);
	assert_int_equal(json_get_i64(j, "n", 0, 4, &n), -ERANGE);
	assert_int_equal(json_get_i64(j, "n", 0, 5, &n), 0);
	assert_int_equal(json_get_i64(j, "x", 0, 5, &n), -EINVAL);
	assert_int_equal(json_get_i64(j, "big", 0, 5, &n), -ERANGE);
	assert_int_equal(json_get_bool(j, "b", &b), 0);
	assert_int_equal(json_get_bool(j, "n", &b), -EINVAL);
	assert_null(json_get(json_get(j, "s"), "a")); /* a member of what is no object */
	assert_int_equal(json_length(json_get(j, "s")), 0);
	assert_string_equal(json_unknown_key(j, (const char *const[]){ "s", NULL }), "n");
}

static void text_that_is_no_utf8_still_makes_valid_json(void **state)
{
	static const char *const texts[] = {
		"\xff", "a\xc3", "\xed\xa0\x80", "\xc0\x80", "\xf4\x90\x80\x80", "ok \xc3\xa9"
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		_cleanup_json_ struct json *j = json_object_new();
		_cleanup_free_ char *out = NULL;

		json_set_str(j, "k", texts[i]);
		out = json_format(j);
		assert_true(parses(out));
	}
}

static void the_first_error_is_kept(void **state)
{
	struct err err = { 0 };

	(void)state;
	assert_int_equal(err_set(&err, XC_USAGE, -EINVAL, "a", "first %d", 1), -EINVAL);
	assert_int_equal(err_set(&err, XC_FAILED, -EIO, "b", "second"), -EIO);
	assert_int_equal(err.code, -EINVAL);
	assert_int_equal(err.exit, XC_USAGE);
	assert_string_equal(err.msg, "first 1");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(cpu_lists_parse_in_every_form_the_kernel_prints),
		cmocka_unit_test(the_longest_cpu_list_fits_its_buffer),
		cmocka_unit_test(pci_addresses_parse_whole_or_not_at_all),
		cmocka_unit_test(the_last_function_of_a_link_is_the_device),
		cmocka_unit_test(addresses_are_numeric_and_have_one_spelling),
		cmocka_unit_test(subnets_are_compared_bit_by_bit),
		cmocka_unit_test(numbers_are_decimal_and_in_range),
		cmocka_unit_test(nqns_hold_nothing_that_the_option_string_would_take_apart),
		cmocka_unit_test(utf8_is_counted_and_nothing_else_is_an_nqn),
		cmocka_unit_test(arrays_grow_at_powers_of_two),
		cmocka_unit_test(uuids_and_service_ids_are_checked_digit_by_digit),
		cmocka_unit_test(json_is_one_value_and_nothing_after_it),
		cmocka_unit_test(json_getters_tell_missing_from_wrong),
		cmocka_unit_test(text_that_is_no_utf8_still_makes_valid_json),
		cmocka_unit_test(the_first_error_is_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
