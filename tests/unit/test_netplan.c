/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report/netplan.c, and what the real netplan makes of it where it is installed. */
#include "lib/t.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/netplan.h"
#include "unit/tree.h"

struct world {
	struct topology topo;
	struct bond_plan plan;
	char *text;
	size_t size;
};

static int setup(void **state)
{
	static const char *const names[] = { "enp41s0f0np0", "enp41s0f1np1" };
	struct world *w = calloc(1, sizeof(*w));

	assert_non_null(w);
	for (unsigned i = 0; i < 2; i++) {
		w->topo.port[i].netdev = (int)i;
		str_format(w->topo.netdev[i].name, IFNAMSIZ, "%s", names[i]);
	}
	w->topo.ports = w->topo.netdevs = 2;
	w->plan = (struct bond_plan){
		.name = "storage-slot2", .mode = BOND_8023AD, .mtu = 9000, .member = { 0, 1 }, .members = 2
	};
	w->plan.addresses = 2;
	w->plan.address[0].prefixlen = 24;
	w->plan.address[1].prefixlen = 64;
	assert_int_equal(ip_parse("10.10.1.1", &w->plan.address[0].ip), 0);
	assert_int_equal(ip_parse("fd00::1", &w->plan.address[1].ip), 0);
	*state = w;
	return 0;
}

static int teardown(void **state)
{
	struct world *w = *state;

	free(w->text);
	free(w);
	return 0;
}

static int print(struct world *w)
{
	FILE *out;
	int r;

	free(w->text);
	w->text = NULL;
	out = open_memstream(&w->text, &w->size);
	assert_non_null(out);
	r = report_netplan(&w->topo, &w->plan, out);
	assert_int_equal(fclose(out), 0);
	return r;
}

static void a_bond_of_lacp_is_written_whole(void **state)
{
	struct world *w = *state;

	assert_int_equal(print(w), 0);
	assert_string_equal(w->text, "network:\n"
				     "  version: 2\n"
				     "  ethernets:\n"
				     "    \"enp41s0f0np0\":\n"
				     "      dhcp4: false\n"
				     "      dhcp6: false\n"
				     "      optional: true\n"
				     "      mtu: 9000\n"
				     "    \"enp41s0f1np1\":\n"
				     "      dhcp4: false\n"
				     "      dhcp6: false\n"
				     "      optional: true\n"
				     "      mtu: 9000\n"
				     "  bonds:\n"
				     "    \"storage-slot2\":\n"
				     "      interfaces:\n"
				     "        - \"enp41s0f0np0\"\n"
				     "        - \"enp41s0f1np1\"\n"
				     "      dhcp4: false\n"
				     "      dhcp6: false\n"
				     "      optional: true\n"
				     "      mtu: 9000\n"
				     "      addresses:\n"
				     "        - \"10.10.1.1/24\"\n"
				     "        - \"fd00::1/64\"\n"
				     "      parameters:\n"
				     "        mode: \"802.3ad\"\n"
				     "        mii-monitor-interval: 100\n"
				     "        lacp-rate: \"fast\"\n"
				     "        transmit-hash-policy: \"layer3+4\"\n");
}

static void what_is_not_known_or_does_not_apply_is_left_out(void **state)
{
	struct world *w = *state;

	w->plan.mode = BOND_ACTIVE_BACKUP;
	w->plan.mtu = -1;
	w->plan.addresses = 0;
	assert_int_equal(print(w), 0);
	assert_null(strstr(w->text, "mtu"));
	assert_null(strstr(w->text, "addresses"));
	assert_null(strstr(w->text, "lacp"));
	assert_null(strstr(w->text, "hash"));
	w->plan.mode = BOND_BALANCE_XOR;
	assert_int_equal(print(w), 0);
	assert_null(strstr(w->text, "lacp"));
	assert_non_null(strstr(w->text, "layer3+4"));
}

static void names_and_modes_that_are_not_safe_are_refused(void **state)
{
	static const char *const names[] = { "", "a\"b", "a:b", "a\\b", "-a", "a\nb", "a%b", "a#b" };
	struct world *w = *state;

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		str_format(w->topo.netdev[1].name, IFNAMSIZ, "%s", names[i]);
		assert_int_equal(print(w), -EINVAL);
		assert_int_equal(w->size, 0);
	}
	str_format(w->topo.netdev[1].name, IFNAMSIZ, "ens2");
	w->plan.mode = BOND_BALANCE_RR;
	assert_int_equal(print(w), -EINVAL);
	w->plan.mode = BOND_8023AD;
	w->topo.port[1].netdev = -1;
	assert_int_equal(print(w), -EINVAL);
}

/* A file that netplan made, as one string. */
static char *generated(struct tree *tree, const char *name)
{
	char *text = NULL;

	if (root_read_all(&tree->root, &text, 65536, "run/systemd/network/%s", name) < 0)
		fail_msg("netplan made no %s", name);
	return text;
}

static void netplan_takes_it_for_the_same_bond(void **state)
{
	static const char *const wanted[] = { "Kind=bond", "Mode=802.3ad", "LACPTransmitRate=fast",
					      "TransmitHashPolicy=layer3+4", "MIIMonitorSec=100ms" };
	struct world *w = *state;
	struct tree tree;
	char command[256];
	char *text;

	assert_int_equal(print(w), 0);
	tree_open(&tree);
	tree_write(&tree, "etc/netplan/60-storage.yaml", w->text);
	tree_chmod(&tree, "etc/netplan/60-storage.yaml", 0600);
	snprintf(command, sizeof(command), "netplan generate --root-dir %s >&2", tree.path);
	assert_int_equal(system(command), 0);
	text = generated(&tree, "10-netplan-storage-slot2.netdev");
	for (size_t i = 0; i < ARRAY_SIZE(wanted); i++) {
		if (!strstr(text, wanted[i]))
			fail_msg("%s is not in what netplan made:\n%s", wanted[i], text);
	}
	free(text);
	text = generated(&tree, "10-netplan-storage-slot2.network");
	assert_non_null(strstr(text, "Address=10.10.1.1/24"));
	free(text);
	text = generated(&tree, "10-netplan-enp41s0f1np1.network");
	assert_non_null(strstr(text, "Bond=storage-slot2"));
	free(text);
	tree_close(&tree);
}

#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(a_bond_of_lacp_is_written_whole), T(what_is_not_known_or_does_not_apply_is_left_out),
		T(names_and_modes_that_are_not_safe_are_refused),
		T(netplan_takes_it_for_the_same_bond), /* the last one */
	};
	bool there = system("command -v netplan >/dev/null 2>&1") == 0;

	/* cmocka's own way to skip is a failure to automake. */
	if (!there)
		printf("skip netplan_takes_it_for_the_same_bond # netplan is not installed\n");
	return _cmocka_run_group_tests("tests", tests, ARRAY_SIZE(tests) - !there, NULL, NULL);
}
