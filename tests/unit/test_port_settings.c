/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What ports are set to, from a tree: attributes and dumps as they should be, missing, and made up.
 *
 * Seen to fail when: a width of 255 lanes counted; PFC's bits were in reverse; an APP table that was not in
 * the dump meant pcp; OFED's file did not win; ports that nobody asked for kept what was there before; a type
 * of service of 256 was taken.
 */
#include "unit/reading.h"

#define PCI "sys/bus/pci/devices/0000:29:00.0"
#define RDMA_CM "sys/kernel/config/rdma_cm"
#define TOS RDMA_CM "/mlx5_1/ports/1/default_roce_tos"
#define OFED "sys/class/net/enp41s0f0np0/qos/trust"
#define NAME "\"ifname\":\"enp41s0f0np0\""
#define PFC3 "\"pfc\":{\"pfc_cap\":8,\"prio_pfc\":[false,false,false,true,false,false,false,false]}"
#define DSCP "\"app\":{\"dscp_prio\":[[26,3,\" \"],[48,6,\" \"]]}"
#define GOOD_DCB "[{" NAME "," PFC3 "," DSCP "}]"
#define GOOD_PAUSE "[{" NAME ",\"autonegotiate\":false,\"rx\":false,\"tx\":false}]"

static struct settings *settings;

/* Two ports; the first one has an interface and an RDMA device. */
static int make(void **state)
{
	settings = calloc(1, sizeof(*settings));
	assert_non_null(settings);
	if (setup(state))
		return -1;
	topo->ports = 2;
	topo->netdevs = topo->rdma_links = 1;
	for (unsigned i = 0; i < 2; i++)
		topo->port[i] = (struct port){ .pci = { 0, 0x29, 0, (uint8_t)i }, .netdev = -1, .rdma = -1 };
	topo->port[0].netdev = topo->port[0].rdma = 0;
	strcpy(topo->netdev[0].name, "enp41s0f0np0");
	strcpy(topo->rdma_link[0].name, "mlx5_1");
	topo->rdma_link[0].port = 1;
	return 0;
}

static int unmake(void **state)
{
	free(settings);
	return teardown(state);
}

static const struct port_settings *read_port(unsigned port)
{
	findings.count = 0;
	assert_int_equal(facts_read_port_settings(&tree.root, topo, &port, 1, settings, &findings, &error),
			 0);
	assert_int_equal(error.code, 0);
	return &settings->port[port];
}

static const struct port_settings *read_first(void)
{
	return read_port(0);
}

static void assert_unknown(const struct port_settings *p)
{
	assert_int_equal(p->pcie_width, -1);
	assert_int_equal(p->pcie_width_max, -1);
	assert_int_equal(p->pcie_mtps, -1);
	assert_int_equal(p->pcie_mtps_max, -1);
	assert_int_equal(p->pfc, -1);
	assert_int_equal(p->trust, TRUST_UNKNOWN);
	assert_int_equal(p->pause_rx, -1);
	assert_int_equal(p->pause_tx, -1);
	assert_int_equal(p->roce_tos, -1);
	assert_int_equal(p->lldp, READ_NOT_THERE);
	assert_string_equal(p->chassis, "");
}

static void a_port_that_is_set_up_is_read_in_full(void **state)
{
	const struct port_settings *p;

	(void)state;
	tree_write(&tree, PCI "/current_link_width", "8\n");
	tree_write(&tree, PCI "/max_link_width", "16\n");
	tree_write(&tree, PCI "/current_link_speed", "16.0 GT/s PCIe\n");
	tree_write(&tree, PCI "/max_link_speed", "32.0 GT/s PCIe\n");
	tree_write(&tree, "netlink/dcb.json", GOOD_DCB);
	tree_write(&tree, "netlink/pause.json",
		   "[{\"ifname\":\"eno3\"},{" NAME ",\"rx\":true,\"tx\":false}]");
	tree_write(&tree, TOS, "106\n");
	p = read_first();
	assert_int_equal(p->pcie_width, 8);
	assert_int_equal(p->pcie_width_max, 16);
	assert_int_equal(p->pcie_mtps, 16000);
	assert_int_equal(p->pcie_mtps_max, 32000);
	assert_int_equal(p->pfc, 1 << 3);
	assert_int_equal(p->trust, TRUST_DSCP);
	assert_string_equal(p->dcb_why, "");
	assert_int_equal(p->pause_rx, 1);
	assert_int_equal(p->pause_tx, 0);
	assert_string_equal(p->pause_why, "");
	assert_int_equal(p->roce_tos, 106);
	assert_string_equal(p->roce_tos_why, "");
	assert_int_equal(findings.count, 0);
}

static void nothing_there_is_unknown_with_reasons_and_no_finding(void **state)
{
	const struct port_settings *p = read_first();

	(void)state;
	assert_unknown(p);
	assert_true(str_starts(p->dcb_why, "the driver offers no DCB"));
	assert_true(str_starts(p->pause_why, "the driver does not tell"));
	assert_true(str_starts(p->roce_tos_why, "there is no /sys/kernel/config/rdma_cm"));
	assert_int_equal(findings.count, 0);
}

static void a_port_without_interface_and_rdma_device_says_so(void **state)
{
	const struct port_settings *p;

	(void)state;
	tree_write(&tree, "netlink/dcb.json", GOOD_DCB);
	p = read_port(1);
	assert_unknown(p);
	assert_string_equal(p->dcb_why, "the port has no network interface");
	assert_string_equal(p->pause_why, "the port has no network interface");
	assert_string_equal(p->roce_tos_why, "the port has no RDMA device");
	assert_int_equal(findings.count, 0);
}

static void ports_that_are_not_asked_for_become_unknown(void **state)
{
	(void)state;
	tree_write(&tree, "netlink/dcb.json", GOOD_DCB);
	memset(&settings->port[0], 0x11, sizeof(settings->port[0]));
	memset(&settings->port[1], 0x11, sizeof(settings->port[1]));
	(void)read_port(1);
	assert_unknown(&settings->port[0]);
	assert_string_equal(settings->port[0].dcb_why, "");
	assert_string_equal(settings->port[0].roce_tos_why, "");
}

/* --- PCIe --- */

static void speeds_are_read_in_the_words_of_all_kernels(void **state)
{
	static const struct {
		const char *text;
		int mtps;
		unsigned findings;
	} cases[] = {
		{ "64.0 GT/s PCIe\n", 64000, 0 },
		{ "2.5 GT/s PCIe\n", 2500, 0 },
		{ "8 GT/s\n", 8000, 0 },
		{ "2.5 GT/s\n", 2500, 0 },
		{ "Unknown\n", -1, 0 },
		{ "Unknown speed\n", -1, 0 },
		{ "0.0 GT/s PCIe\n", -1, 0 },
		{ "1000.9 GT/s PCIe\n", 1000900, 0 },
		{ "", -1, 1 },
		{ "\n", -1, 1 },
		{ " 8.0 GT/s PCIe\n", -1, 1 },
		{ "-8.0 GT/s PCIe\n", -1, 1 },
		{ "+8.0 GT/s PCIe\n", -1, 1 },
		{ "8.00 GT/s PCIe\n", -1, 1 },
		{ "8. GT/s PCIe\n", -1, 1 },
		{ ".5 GT/s PCIe\n", -1, 1 },
		{ "8.0 GT/s PCIe x\n", -1, 1 },
		{ "8.0\n", -1, 1 },
		{ "8.0 MT/s\n", -1, 1 },
		{ "0x20 GT/s\n", -1, 1 },
		{ "1001 GT/s\n", -1, 1 },
		{ "2147484 GT/s\n", -1, 1 },
		{ "18446744073709551648.0 GT/s PCIe\n", -1, 1 },
		{ "99999999999999999999999999999999999999999999999999999999999999999999 GT/s\n", -1, 1 },
		{ "32.0 GT/s PCIe\n16.0 GT/s PCIe\n", -1, 1 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		tree_write(&tree, PCI "/current_link_speed", cases[i].text);
		assert_int_equal(read_first()->pcie_mtps, cases[i].mtps);
		assert_int_equal(findings.count, cases[i].findings);
	}
	assert_string_equal(findings.finding[0].object, "0000:29:00.0");
	assert_string_equal(findings.finding[0].check, "facts.readable");
	assert_int_equal(findings.finding[0].status, FINDING_UNKNOWN);
}

static void widths_are_numbers_of_lanes(void **state)
{
	static const struct {
		const char *text;
		int lanes;
		unsigned findings;
	} cases[] = {
		{ "1\n", 1, 0 },    { "32\n", 32, 0 },	       { "0\n", -1, 0 },
		{ "255\n", -1, 0 }, { "33\n", -1, 1 },	       { "256\n", -1, 1 },
		{ "-16\n", -1, 1 }, { "4294967312\n", -1, 1 }, { "99999999999999999999\n", -1, 1 },
		{ "x16\n", -1, 1 }, { "16 lanes\n", -1, 1 },   { "\n", -1, 1 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		tree_write(&tree, PCI "/max_link_width", cases[i].text);
		assert_int_equal(read_first()->pcie_width_max, cases[i].lanes);
		assert_int_equal(findings.count, cases[i].findings);
	}
}

/* --- DCB --- */

static void dcb_is_what_the_dump_says(void **state)
{
	static const struct {
		const char *text;
		int pfc;
		enum trust trust;
		const char *why; /* its beginning */
		unsigned findings;
	} cases[] = {
		{ "[]", -1, TRUST_UNKNOWN, "the driver offers no DCB", 0 },
		{ "[{\"ifname\":\"eno3\"," PFC3 "," DSCP "}]", -1, TRUST_UNKNOWN, "the driver offers no DCB",
		  0 },
		{ "[{" NAME "," PFC3 ",\"app\":{}}]", 8, TRUST_PCP, "", 0 },
		{ "[{" NAME "," PFC3 ",\"app\":{\"dscp_prio\":[],\"ethtype_prio\":[[8906,3,\" \"]]}}]", 8,
		  TRUST_PCP, "", 0 },
		{ "[{" NAME "," PFC3 "},{" NAME "," DSCP "}]", 8, TRUST_UNKNOWN, "the driver's DCB tells no",
		  0 },
		{ "[{" NAME "," DSCP "}]", -1, TRUST_DSCP, "the driver's DCB tells no", 0 },
		{ "[{" NAME "}]", -1, TRUST_UNKNOWN, "the driver's DCB tells no", 0 },
		{ "[{" NAME ",\"pfc\":null,\"app\":null}]", -1, TRUST_UNKNOWN, "the driver's DCB tells no",
		  0 },
		/* of other types, and of other sizes */
		{ "[{" NAME ",\"pfc\":8," DSCP "}]", -1, TRUST_DSCP,
		  "netlink/dcb.json: no usable \"prio_pfc\"", 1 },
		{ "[{" NAME ",\"pfc\":{}," DSCP "}]", -1, TRUST_DSCP, "netlink/dcb.json: no", 1 },
		{ "[{" NAME ",\"pfc\":{\"prio_pfc\":8}," DSCP "}]", -1, TRUST_DSCP, "netlink/dcb.json: no",
		  1 },
		{ "[{" NAME ",\"pfc\":{\"prio_pfc\":[true,true,true,true,true,true,true]}," DSCP "}]", -1,
		  TRUST_DSCP, "netlink/dcb.json: no", 1 },
		{ "[{" NAME ",\"pfc\":{\"prio_pfc\":[1,1,1,1,1,1,1,1]}," DSCP "}]", -1, TRUST_DSCP,
		  "netlink/dcb.json: no", 1 },
		{ "[{" NAME ",\"pfc\":{\"prio_pfc\":[true,true,true,true,true,true,true,null]}," DSCP "}]",
		  -1, TRUST_DSCP, "netlink/dcb.json: no", 1 },
		{ "[{" NAME "," PFC3 ",\"app\":[]}]", 8, TRUST_UNKNOWN, "netlink/dcb.json: no usable \"app\"",
		  1 },
		{ "[{" NAME "," PFC3 ",\"app\":\"dscp\"}]", 8, TRUST_UNKNOWN, "netlink/dcb.json: no", 1 },
		{ "[{" NAME "," PFC3 ",\"app\":{\"dscp_prio\":{}}}]", 8, TRUST_UNKNOWN,
		  "netlink/dcb.json: no", 1 },
		{ "[{" NAME "," PFC3 ",\"app\":{\"dscp_prio\":[26]}}]", 8, TRUST_UNKNOWN,
		  "netlink/dcb.json: no", 1 },
		{ "[7,null,[],{\"ifname\":7},{\"ifname\":\"\"},{" NAME "," PFC3 "," DSCP "}]", 8, TRUST_DSCP,
		  "", 1 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct port_settings *p;

		tree_write(&tree, "netlink/dcb.json", cases[i].text);
		p = read_first();
		assert_int_equal(p->pfc, cases[i].pfc);
		assert_int_equal(p->trust, cases[i].trust);
		if (cases[i].why[0] != '\0')
			assert_true(str_starts(p->dcb_why, cases[i].why));
		else
			assert_string_equal(p->dcb_why, "");
		assert_int_equal(findings.count, cases[i].findings);
	}
}

static void each_priority_has_its_bit(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 8; i++) {
		char text[256] = "[{" NAME ",\"app\":{},\"pfc\":{\"prio_pfc\":[";

		for (unsigned k = 0; k < 8; k++)
			str_append(text, sizeof(text), "%s%s", k == i ? "true" : "false",
				   k < 7 ? "," : "]}}]");
		tree_write(&tree, "netlink/dcb.json", text);
		assert_int_equal(read_first()->pfc, 1 << i);
	}
}

static void broken_dumps_are_unknown_and_said_once(void **state)
{
	static const char *const broken[] = {
		"", "{}", "7", "[", "[]x", "\xff", "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[["
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(broken); i++) {
		const struct port_settings *p;

		tree_write(&tree, "netlink/dcb.json", broken[i]);
		tree_write(&tree, "netlink/pause.json", broken[i]);
		p = read_first();
		assert_unknown(p);
		assert_true(str_starts(p->dcb_why, "netlink/dcb.json: not "));
		assert_true(str_starts(p->pause_why, "netlink/pause.json: not "));
		assert_int_equal(findings.count, 2);
		assert_string_equal(findings.finding[0].object, "dcb.json");
		assert_string_equal(findings.finding[1].object, "pause.json");
	}
}

static void what_ofed_says_of_trust_wins(void **state)
{
	static const struct {
		const char *text;
		enum trust trust;
	} cases[] = {
		{ "pcp\n", TRUST_PCP },	      { "dscp\n", TRUST_DSCP },
		{ "", TRUST_UNKNOWN },	      { "\n", TRUST_UNKNOWN },
		{ "dscp2\n", TRUST_UNKNOWN }, { "dscp\npcp\n", TRUST_UNKNOWN },
		{ "PCP\n", TRUST_UNKNOWN },   { "a-very-long-state-of-trust\n", TRUST_UNKNOWN },
	};

	(void)state;
	tree_write(&tree, "netlink/dcb.json", GOOD_DCB);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct port_settings *p;

		tree_write(&tree, OFED, cases[i].text);
		p = read_first();
		assert_int_equal(p->pfc, 8);
		assert_int_equal(p->trust, cases[i].trust);
		assert_int_equal(p->dcb_why[0] != '\0', cases[i].trust == TRUST_UNKNOWN);
		assert_int_equal(findings.count, cases[i].trust == TRUST_UNKNOWN);
	}
	/* without DCB it tells the trust, and PFC stays unknown */
	tree_unlink(&tree, "netlink/dcb.json");
	tree_write(&tree, OFED, "dscp\n");
	assert_int_equal(read_first()->trust, TRUST_DSCP);
	assert_int_equal(settings->port[0].pfc, -1);
	assert_true(str_starts(settings->port[0].dcb_why, "the driver offers no DCB"));
}

/* --- pause --- */

static void pause_is_what_the_dump_says(void **state)
{
	static const struct {
		const char *text;
		int rx, tx;
		unsigned findings;
	} cases[] = {
		{ GOOD_PAUSE, 0, 0, 0 },
		{ "[{" NAME ",\"rx\":true,\"tx\":true,\"statistics\":{}}]", 1, 1, 0 },
		{ "[{" NAME ",\"rx\":true}]", 1, -1, 0 },
		{ "[{" NAME ",\"tx\":null,\"rx\":null}]", -1, -1, 0 },
		{ "[{" NAME ",\"rx\":\"off\",\"tx\":false}]", -1, 0, 1 },
		{ "[{" NAME ",\"rx\":false,\"tx\":0}]", 0, -1, 1 },
		{ "[{" NAME ",\"rx\":[],\"tx\":99999999999999999999}]", -1, -1, 1 },
		{ "[{\"rx\":false,\"tx\":false}]", -1, -1, 1 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct port_settings *p;

		tree_write(&tree, "netlink/pause.json", cases[i].text);
		p = read_first();
		assert_int_equal(p->pause_rx, cases[i].rx);
		assert_int_equal(p->pause_tx, cases[i].tx);
		assert_int_equal(p->pause_why[0] == '\0', cases[i].rx >= 0 && cases[i].tx >= 0);
		assert_int_equal(findings.count, cases[i].findings);
	}
}

/* --- type of service --- */

static void a_type_of_service_is_a_byte(void **state)
{
	static const struct {
		const char *text;
		int tos;
	} cases[] = {
		{ "0\n", 0 },	  { "255\n", 255 },    { "256\n", -1 },
		{ "-1\n", -1 },	  { "106 107\n", -1 }, { "18446744073709551722\n", -1 },
		{ "af31\n", -1 }, { "\n", -1 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct port_settings *p;

		tree_write(&tree, TOS, cases[i].text);
		p = read_first();
		assert_int_equal(p->roce_tos, cases[i].tos);
		assert_int_equal(p->roce_tos_why[0] == '\0', cases[i].tos >= 0);
		assert_int_equal(findings.count, cases[i].tos < 0);
	}
}

static void a_directory_that_nobody_has_made_says_who_makes_it(void **state)
{
	const struct port_settings *p;

	(void)state;
	tree_write(&tree, RDMA_CM "/mlx5_10/ports/1/default_roce_tos", "106\n"); /* of another device */
	p = read_first();
	assert_int_equal(p->roce_tos, -1);
	assert_string_equal(p->roce_tos_why,
			    "the kernel shows it once somebody makes /sys/kernel/config/rdma_cm/mlx5_1 "
			    "(cma_roce_tos does)");
	assert_int_equal(findings.count, 0);
	/* as an ordinary user may find it */
	tree_write(&tree, TOS, "106\n");
	tree_chmod(&tree, TOS, 0);
	p = read_first();
	if (geteuid() != 0) {
		assert_int_equal(p->roce_tos, -1);
		assert_true(strstr(p->roce_tos_why, "Permission denied"));
		assert_int_equal(findings.count, 0);
	}
}

int main(void)
{
#define PORT(name) cmocka_unit_test_setup_teardown(name, make, unmake)
	static const struct CMUnitTest tests[] = {
		PORT(a_port_that_is_set_up_is_read_in_full),
		PORT(nothing_there_is_unknown_with_reasons_and_no_finding),
		PORT(a_port_without_interface_and_rdma_device_says_so),
		PORT(ports_that_are_not_asked_for_become_unknown),
		PORT(speeds_are_read_in_the_words_of_all_kernels),
		PORT(widths_are_numbers_of_lanes),
		PORT(dcb_is_what_the_dump_says),
		PORT(each_priority_has_its_bit),
		PORT(broken_dumps_are_unknown_and_said_once),
		PORT(what_ofed_says_of_trust_wins),
		PORT(pause_is_what_the_dump_says),
		PORT(a_type_of_service_is_a_byte),
		PORT(a_directory_that_nobody_has_made_says_who_makes_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
