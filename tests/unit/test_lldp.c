/* SPDX-License-Identifier: GPL-2.0-or-later */
/* LLDP neighbours: of a tree, and of an lldpd that is not there or says nothing. */

#include <sys/socket.h>
#include <sys/un.h>

#include "unit/settings_reading.h"

#include "base/clock.h"
#include "facts/lldp.h"

#define MAC "02:00:5e:aa:00:01"

static const unsigned ports[] = { 0, 1, 2, 3 };

/* ens1, ens2, InfiniBand, and a function without an interface. */
static void add_ports(void)
{
	(void)add_port("ens1");
	(void)add_port("ens2");
	(void)add_port("ib0");
	(void)add_port(NULL);
	topo->netdev[2].infiniband = true;
}

static void read_lldp(const char *text)
{
	findings.count = 0;
	if (text)
		tree_write(&tree, "netlink/lldp.json", text);
	assert_int_equal(
		facts_read_lldp(&tree.root, topo, ports, ARRAY_SIZE(ports), settings, &findings, &error), 0);
}

/* An interface of lldpcli's. */
#define NEIGHBOUR(name, via, type, value)                                                                  \
	"{\"name\":\"" name "\",\"via\":\"" via "\",\"rid\":\"1\",\"chassis\":[{\"id\":[{\"type\":\"" type \
	"\",\"value\":\"" value "\"}],\"name\":[{\"value\":\"leaf1\"}]}]}"
#define SHOW(interfaces) "{\"lldp\":[{\"interface\":[" interfaces "]}]}"

static void assert_port(unsigned i, enum read_state state, const char *chassis, const char *why)
{
	assert_int_equal(settings->port[i].lldp, state);
	assert_string_equal(settings->port[i].chassis, chassis);
	assert_string_equal(settings->port[i].lldp_why, why);
}

static void a_port_has_the_chassis_of_its_neighbour(void **state)
{
	(void)state;
	add_ports();
	read_lldp(SHOW(NEIGHBOUR("ens1", "LLDP", "mac", "02:00:5E:AA:00:01") "," NEIGHBOUR(
		"ib0", "LLDP", "mac", MAC) "," NEIGHBOUR("ens9", "LLDP", "local", "Leaf 9")));
	assert_port(0, READ_OK, "mac " MAC, "");
	assert_port(1, READ_OK, "", "");
	assert_port(2, READ_NOT_THERE, "", "InfiniBand has no LLDP");
	assert_port(3, READ_NOT_THERE, "", "it has no interface");
	read_lldp(SHOW(NEIGHBOUR("ens2", "LLDP", "local", "Leaf 9"))); /* the earlier one is forgotten */
	assert_port(0, READ_OK, "", "");
	assert_port(1, READ_OK, "local Leaf 9", "");
	assert_int_equal(findings.count, 0);
}

static void no_neighbour_at_all_is_an_answer(void **state)
{
	(void)state;
	add_ports();
	read_lldp("{\"lldp\":[{}]}");
	assert_port(0, READ_OK, "", "");
	read_lldp("{\"lldp\":[]}");
	assert_port(1, READ_OK, "", "");
	assert_int_equal(findings.count, 0);
}

static void without_a_dump_nobody_listens(void **state)
{
	(void)state;
	add_ports();
	read_lldp(NULL);
	assert_port(0, READ_NOT_THERE, "", "there is no netlink/lldp.json");
	assert_port(2, READ_NOT_THERE, "", "InfiniBand has no LLDP");
	assert_int_equal(findings.count, 0);
}

static void a_dump_that_is_none_is_unknown(void **state)
{
	static const char *const odd[] = {
		"",
		"{\"lldp\":",
		"[]",
		"{}",
		"{\"lldp\":{\"interface\":[]}}",
		"{\"lldp\":[7]}",
		"{\"lldp\":[{\"interface\":{\"ens1\":{}}}]}", /* lldpcli -f json */
	};

	(void)state;
	add_ports();
	for (size_t i = 0; i < ARRAY_SIZE(odd); i++) {
		read_lldp(odd[i]);
		assert_int_equal(settings->port[0].lldp, READ_FAILED);
		assert_string_equal(settings->port[0].chassis, "");
		assert_true(str_starts(settings->port[0].lldp_why, "netlink/lldp.json: "));
		assert_int_equal(findings.count, 1);
		assert_string_equal(findings.finding[0].object, "lldp.json");
	}
}

static void a_neighbour_that_makes_no_sense_makes_its_port_unknown(void **state)
{
	char longer[LLDP_ID_SIZE] = "", text[1024];
	const char *const odd[] = {
		SHOW(NEIGHBOUR("ens1", "LLDP", "mac", "")),
		SHOW(NEIGHBOUR("ens1", "LLDP", "", MAC)),
		SHOW(NEIGHBOUR("ens1", "LLDP", "a mac", MAC)),
		SHOW(NEIGHBOUR("ens1", "LLDP", "local", "a\\nb")),
		SHOW(NEIGHBOUR("ens1", "LLDP", "local", "\xc3\xa4")),
		SHOW("{\"name\":\"ens1\",\"via\":\"LLDP\"}"),
		SHOW("{\"name\":\"ens1\",\"via\":\"LLDP\",\"chassis\":[{\"id\":[7]}]}"),
		SHOW("{\"name\":\"ens1\",\"chassis\":[]}"),
		text,
	};

	(void)state;
	add_ports();
	memset(longer, '0', LLDP_ID_SIZE - strlen("mac ")); /* one too many */
	snprintf(text, sizeof(text),
		 SHOW("{\"name\":\"ens1\",\"via\":\"LLDP\",\"chassis\":[{\"id\":[{\"type\":\"mac\",\"value\":"
		      "\"%s\"}]}]}"),
		 longer);
	for (size_t i = 0; i < ARRAY_SIZE(odd); i++) {
		read_lldp(odd[i]);
		assert_port(0, READ_FAILED, "", "the chassis id of its LLDP neighbour makes no sense");
		assert_port(1, READ_OK, "", "");
	}
}

static void of_two_neighbours_none_is_taken(void **state)
{
	(void)state;
	add_ports();
	read_lldp(SHOW(NEIGHBOUR("ens1", "LLDP", "mac", MAC) "," NEIGHBOUR(
		"ens1", "LLDP", "mac", "02:00:5e:aa:00:02") "," NEIGHBOUR("ens1", "LLDP", "mac", MAC)));
	assert_port(0, READ_FAILED, "", "it has several LLDP neighbours: which is its switch cannot be told");
	/* the same twice, and the same switch in another protocol */
	read_lldp(SHOW(NEIGHBOUR("ens1", "CDPv2", "local", "leaf1") "," NEIGHBOUR(
		"ens1", "LLDP", "mac", MAC) "," NEIGHBOUR("ens1", "LLDP", "mac", MAC)));
	assert_port(0, READ_OK, "mac " MAC, "");
}

static void an_entry_without_a_name_is_said(void **state)
{
	(void)state;
	add_ports();
	read_lldp(SHOW("{\"via\":\"LLDP\"},7," NEIGHBOUR("ens1", "LLDP", "mac", MAC)));
	assert_port(0, READ_OK, "mac " MAC, "");
	assert_int_equal(findings.count, 1);
	assert_string_equal(findings.finding[0].object, "lldp.json");
}

/* --- the live machine --- */

#ifdef HAVE_LLDPCTL

static struct sockaddr_un socket_of_tree(void)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };

	snprintf(address.sun_path, sizeof(address.sun_path), "%s/lldpd.socket", tree.path);
	return address;
}

static struct lldp asking(void)
{
	add_ports();
	return (struct lldp){ .topo = topo, .port = ports, .count = ARRAY_SIZE(ports), .settings = settings };
}

static void an_lldpd_that_does_not_run_is_not_there(void **state)
{
	struct sockaddr_un address = socket_of_tree();
	struct lldp lldp = asking();
	char why[SETTING_WHY_SIZE] = "";
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	(void)state;
	assert_int_equal(lldp_ctl_ask(&lldp, address.sun_path, why), READ_NOT_THERE);
	assert_string_equal(why, "lldpd does not run");
	assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof(address)),
			 0); /* it has left its socket */
	assert_int_equal(lldp_ctl_ask(&lldp, address.sun_path, why), READ_NOT_THERE);
	(void)close(fd);
}

static void an_lldpd_that_says_nothing_is_waited_for_a_second(void **state)
{
	struct sockaddr_un address = socket_of_tree();
	struct lldp lldp = asking();
	char why[SETTING_WHY_SIZE] = "";
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);
	int64_t start = clock_ms();

	(void)state;
	assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	assert_int_equal(listen(fd, 0), 0);
	assert_int_equal(lldp_ctl_ask(&lldp, address.sun_path, why), READ_FAILED);
	assert_true(str_starts(why, "lldpd does not answer: "));
	assert_in_range(clock_ms() - start, LLDP_CTL_MS - 1, LLDP_CTL_MS + 2000);
	/* Nobody has accepted the first one, and there is no room for another: no waiting at all. */
	start = clock_ms();
	assert_int_equal(lldp_ctl_ask(&lldp, address.sun_path, why), READ_FAILED);
	(void)close(fd);
}

#else

static void without_the_library_nobody_can_ask(void **state)
{
	struct lldp lldp = { .topo = topo };
	char why[SETTING_WHY_SIZE] = "";

	(void)state;
	assert_int_equal(lldp_ctl_ask(&lldp, NULL, why), READ_NOT_THERE);
	assert_string_equal(why, "built without liblldpctl");
}

#endif

int main(void)
{
	const struct CMUnitTest tests[] = {
		SETTINGS_TEST(a_port_has_the_chassis_of_its_neighbour),
		SETTINGS_TEST(no_neighbour_at_all_is_an_answer),
		SETTINGS_TEST(without_a_dump_nobody_listens),
		SETTINGS_TEST(a_dump_that_is_none_is_unknown),
		SETTINGS_TEST(a_neighbour_that_makes_no_sense_makes_its_port_unknown),
		SETTINGS_TEST(of_two_neighbours_none_is_taken),
		SETTINGS_TEST(an_entry_without_a_name_is_said),
#ifdef HAVE_LLDPCTL
		SETTINGS_TEST(an_lldpd_that_does_not_run_is_not_there),
		SETTINGS_TEST(an_lldpd_that_says_nothing_is_waited_for_a_second),
#else
		SETTINGS_TEST(without_the_library_nobody_can_ask),
#endif
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
