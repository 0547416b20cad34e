/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * DCB and pause messages as the kernel makes them (dcbnl_ieee_fill, pause_fill_reply), and shorter than it
 * ever would; and the kernel itself, as far as lo goes.
 *
 * Seen to fail when: lengths of PFC, of an APP entry or of the family were not looked at; the rest of a table
 * was forgotten; the command of an answer did not count; the request had no flag for its nest.
 */
#include "unit/netlink_world.h"

#include <errno.h>
#include <linux/dcbnl.h>
#include <linux/ethtool_netlink.h>
#include <linux/genetlink.h>
#include <linux/rtnetlink.h>
#include <netlink/attr.h>
#include <netlink/msg.h>
#include <string.h>

#include "facts/nl_conn.h"
#include "facts/nl_dcb.h"
#include "facts/nl_ethtool.h"
#include "facts/nl_genl.h"

#define FAMILY 21 /* any number from GENL_MIN_ID on */

static struct port_settings port;
static struct nl_pause_reader pause_reader = { .family = FAMILY, .port = &port };

static void forget(void)
{
	port = (struct port_settings){ .pfc = -1, .pause_rx = -1, .pause_tx = -1 };
}

/* take() also gives shorter ones, which may tell less, but nothing else. */
static int take_whole(struct nl_msg *msg, nlc_take function, void *arg)
{
	struct nlmsghdr *hdr = nlmsg_hdr(msg), *whole = malloc(hdr->nlmsg_len);
	int r;

	assert_non_null(whole);
	memcpy(whole, hdr, hdr->nlmsg_len);
	(void)take(msg, function, arg);
	forget();
	r = function(whole, arg);
	free(whole);
	return r;
}

/* --- DCB --- */

static struct nl_msg *dcb_msg(uint8_t command)
{
	struct dcbmsg dcb = { .cmd = command };
	struct nl_msg *msg = nlc_request(RTM_GETDCB, 0, &dcb, sizeof(dcb));

	assert_non_null(msg);
	nla_put_string(msg, DCB_ATTR_IFNAME, "enp41s0f0np0");
	return msg;
}

static void put_pfc(struct nl_msg *msg, uint8_t bits, size_t size)
{
	struct ieee_pfc pfc = { .pfc_cap = 8, .pfc_en = bits };

	nla_put(msg, DCB_ATTR_IEEE_PFC, (int)size, &pfc);
}

static void put_app(struct nl_msg *msg, uint8_t selector, size_t size)
{
	struct dcb_app app = { .selector = selector, .priority = 3, .protocol = 26 };

	nla_put(msg, DCB_ATTR_IEEE_APP, (int)size, &app);
}

/* With the selectors of a table; a 0 ends them. */
static int take_dcb(uint8_t pfc, const char *selectors)
{
	struct nl_msg *msg = dcb_msg(DCB_CMD_IEEE_GET);
	struct nlattr *ieee = nla_nest_start(msg, DCB_ATTR_IEEE), *table;
	const unsigned char ets[64] = { 0 };

	nla_put(msg, DCB_ATTR_IEEE_ETS, sizeof(ets), ets);
	put_pfc(msg, pfc, sizeof(struct ieee_pfc));
	table = nla_nest_start(msg, DCB_ATTR_IEEE_APP_TABLE);
	for (; *selectors != '\0'; selectors++)
		put_app(msg, (uint8_t)*selectors, sizeof(struct dcb_app));
	nla_nest_end_keep_empty(msg, table);		  /* as the kernel does */
	nla_put(msg, DCB_ATTR_DCB_BUFFER + 30, 4, "new"); /* of a newer kernel */
	nla_nest_end(msg, ieee);
	return take_whole(msg, nl_take_dcb, &port);
}

static void pfc_is_the_kernels_bit_map(void **state)
{
	(void)state;
	assert_int_equal(take_dcb(0x08, ""), 0);
	assert_int_equal(port.pfc, 0x08);
	assert_int_equal(take_dcb(0xff, ""), 0);
	assert_int_equal(port.pfc, 0xff);
	assert_int_equal(take_dcb(0, ""), 0);
	assert_int_equal(port.pfc, 0);
}

static void a_dscp_entry_means_that_the_dscp_is_trusted(void **state)
{
	static const struct {
		const char *selectors;
		enum trust trust;
	} cases[] = {
		{ "", TRUST_PCP }, /* a table without any */
		{ "\x05", TRUST_DSCP },
		{ "\x01\x04\x05\x01", TRUST_DSCP },
		{ "\x01\x02\x03\x04\xff\x06", TRUST_PCP }, /* others */
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		assert_int_equal(take_dcb(0, cases[i].selectors), 0);
		assert_int_equal(port.trust, cases[i].trust);
	}
}

static void what_the_driver_does_not_tell_stays_unknown(void **state)
{
	struct nl_msg *msg = dcb_msg(DCB_CMD_IEEE_GET);
	struct nlattr *ieee = nla_nest_start(msg, DCB_ATTR_IEEE);

	(void)state;
	nla_put_u32(msg, DCB_ATTR_IEEE_ETS, 7);
	nla_nest_end(msg, ieee);
	assert_int_equal(take_whole(msg, nl_take_dcb, &port), 0);
	assert_int_equal(port.pfc, -1);
	assert_int_equal(port.trust, TRUST_UNKNOWN);
}

static void a_pfc_that_is_cut_short_is_refused(void **state)
{
	(void)state;
	for (size_t size = 0; size < sizeof(struct ieee_pfc); size++) {
		struct nl_msg *msg = dcb_msg(DCB_CMD_IEEE_GET);
		struct nlattr *ieee = nla_nest_start(msg, DCB_ATTR_IEEE);

		put_pfc(msg, 0x08, size);
		nla_nest_end(msg, ieee);
		assert_int_equal(take_whole(msg, nl_take_dcb, &port), -EPROTO);
		assert_int_equal(port.pfc, -1);
	}
}

/* It could have been the one with the DSCP. */
static void a_table_with_an_entry_that_is_cut_short_is_refused(void **state)
{
	(void)state;
	for (size_t size = 0; size < sizeof(struct dcb_app); size++) {
		struct nl_msg *msg = dcb_msg(DCB_CMD_IEEE_GET);
		struct nlattr *ieee = nla_nest_start(msg, DCB_ATTR_IEEE), *table;

		put_pfc(msg, 0x08, sizeof(struct ieee_pfc));
		table = nla_nest_start(msg, DCB_ATTR_IEEE_APP_TABLE);
		put_app(msg, 1, sizeof(struct dcb_app));
		put_app(msg, 5, size);
		nla_nest_end(msg, table);
		nla_nest_end(msg, ieee);
		assert_int_equal(take_whole(msg, nl_take_dcb, &port), -EPROTO);
		assert_int_equal(port.trust, TRUST_UNKNOWN);
		assert_int_equal(port.pfc, -1);
	}
}

static void a_table_that_ends_within_an_entry_is_refused(void **state)
{
	static const unsigned char pieces[][8] = {
		{ 1, 0, 0, 0, 0, 0, 0, 0 },   /* an attribute shorter than its head */
		{ 99, 0, 1, 0, 5, 3, 26, 0 }, /* one that is longer than the table */
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(pieces); i++) {
		struct nl_msg *msg = dcb_msg(DCB_CMD_IEEE_GET);
		struct nlattr *ieee = nla_nest_start(msg, DCB_ATTR_IEEE);

		nla_put(msg, DCB_ATTR_IEEE_APP_TABLE, sizeof(pieces[i]), pieces[i]);
		nla_nest_end(msg, ieee);
		assert_int_equal(take_whole(msg, nl_take_dcb, &port), -EPROTO);
		assert_int_equal(port.trust, TRUST_UNKNOWN);
	}
}

static void entries_of_another_kind_are_passed_over(void **state)
{
	struct nl_msg *msg = dcb_msg(DCB_CMD_IEEE_GET);
	struct nlattr *ieee = nla_nest_start(msg, DCB_ATTR_IEEE), *table;

	(void)state;
	table = nla_nest_start(msg, DCB_ATTR_IEEE_APP_TABLE);
	nla_put(msg, DCB_ATTR_IEEE_APP + 1, 4, "\x05\x03\x1a"); /* newer: DCB_ATTR_DCB_APP */
	nla_nest_end(msg, table);
	nla_nest_end(msg, ieee);
	assert_int_equal(take_whole(msg, nl_take_dcb, &port), 0);
	assert_int_equal(port.trust, TRUST_PCP);
}

static void answers_to_something_else_are_refused(void **state)
{
	struct nl_msg *msg = dcb_msg(DCB_CMD_CEE_GET);
	struct nlattr *ieee = nla_nest_start(msg, DCB_ATTR_IEEE);

	(void)state;
	put_pfc(msg, 0x08, sizeof(struct ieee_pfc));
	nla_nest_end(msg, ieee);
	assert_int_equal(take_whole(msg, nl_take_dcb, &port), -EPROTO);
	assert_int_equal(take_whole(dcb_msg(DCB_CMD_IEEE_GET), nl_take_dcb, &port), -EPROTO);
	assert_int_equal(take_whole(nlc_request(RTM_NEWLINK, 0, NULL, 0), nl_take_dcb, &port), -EPROTO);
	assert_int_equal(port.pfc, -1);
}

/* --- pause --- */

static struct nl_msg *genl_msg(int type, uint8_t command)
{
	struct genlmsghdr genl = { .cmd = command };
	struct nl_msg *msg = nlc_request(type, 0, &genl, sizeof(genl));

	assert_non_null(msg);
	return msg;
}

static struct nl_msg *pause_msg(void)
{
	struct nl_msg *msg = genl_msg(FAMILY, ETHTOOL_MSG_PAUSE_GET_REPLY);
	struct nlattr *head = nla_nest_start(msg, ETHTOOL_A_PAUSE_HEADER);

	nla_put_u32(msg, ETHTOOL_A_HEADER_DEV_INDEX, 3);
	nla_put_string(msg, ETHTOOL_A_HEADER_DEV_NAME, "enp41s0f0np0");
	nla_nest_end(msg, head);
	nla_put_u8(msg, ETHTOOL_A_PAUSE_AUTONEG, 0);
	return msg;
}

static void pause_is_told_for_each_direction(void **state)
{
	struct nl_msg *msg = pause_msg();

	(void)state;
	nla_put_u8(msg, ETHTOOL_A_PAUSE_RX, 0);
	nla_put_u8(msg, ETHTOOL_A_PAUSE_TX, 7);	      /* not 0: it is on */
	nla_put_u8(msg, ETHTOOL_A_PAUSE_MAX + 20, 1); /* of a newer kernel */
	assert_int_equal(take_whole(msg, nl_take_pause, &pause_reader), 0);
	assert_int_equal(port.pause_rx, 0);
	assert_int_equal(port.pause_tx, 1);
}

static void a_direction_that_is_not_told_is_unknown(void **state)
{
	struct nl_msg *msg = pause_msg();

	(void)state;
	nla_put_u8(msg, ETHTOOL_A_PAUSE_TX, 0);
	nla_put(msg, ETHTOOL_A_PAUSE_RX, 0, ""); /* nothing in it */
	assert_int_equal(take_whole(msg, nl_take_pause, &pause_reader), 0);
	assert_int_equal(port.pause_rx, -1);
	assert_int_equal(port.pause_tx, 0);
}

static void an_answer_of_another_family_or_command_is_refused(void **state)
{
	(void)state;
	assert_int_equal(
		take_whole(genl_msg(FAMILY + 1, ETHTOOL_MSG_PAUSE_GET_REPLY), nl_take_pause, &pause_reader),
		-EPROTO);
	assert_int_equal(take_whole(genl_msg(FAMILY, ETHTOOL_MSG_PAUSE_NTF), nl_take_pause, &pause_reader),
			 -EPROTO);
	assert_int_equal(take_whole(nlc_request(FAMILY, 0, NULL, 0), nl_take_pause, &pause_reader), -EPROTO);
}

static void the_family_is_a_number_that_a_family_can_have(void **state)
{
	static const struct {
		uint16_t id;
		int size, r;
	} cases[] = {
		{ FAMILY, 2, 0 },  { 65535, 2, 0 },	   { 15, 2, -EPROTO },
		{ 0, 2, -EPROTO }, { FAMILY, 1, -EPROTO }, { FAMILY, 0, -EPROTO },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct nl_msg *msg = genl_msg(GENL_ID_CTRL, CTRL_CMD_NEWFAMILY);
		uint16_t family = 0;

		nla_put_string(msg, CTRL_ATTR_FAMILY_NAME, ETHTOOL_GENL_NAME);
		nla_put(msg, CTRL_ATTR_FAMILY_ID, cases[i].size, &cases[i].id);
		assert_int_equal(take_whole(msg, nl_take_family, &family), cases[i].r);
		assert_int_equal(family, cases[i].r == 0 ? cases[i].id : 0);
	}
	assert_int_equal(
		take_whole(genl_msg(GENL_ID_CTRL, CTRL_CMD_NEWFAMILY), nl_take_family, &(uint16_t){ 0 }),
		-EPROTO);
}

/* --- the kernel: reading needs no rights, lo always is there, and has neither --- */

/* One port with this interface. */
static const struct port_settings *read_live(int ifindex, const char *name, struct settings *settings)
{
	static const unsigned first = 0;

	w.topo->ports = w.topo->netdevs = 1;
	w.topo->port[0].netdev = 0;
	w.topo->netdev[0].ifindex = ifindex;
	strcpy(w.topo->netdev[0].name, name);
	forget();
	settings->port[0] = port;
	nl_read_dcb(w.topo, &first, 1, settings);
	nl_read_pause(w.topo, &first, 1, settings);
	return &settings->port[0];
}

static void lo_has_neither_dcb_nor_pause(void **state)
{
	struct settings *settings = calloc(1, sizeof(*settings));
	const struct port_settings *lo;
	struct nl_conn conn = { 0 };

	(void)state;
	assert_non_null(settings);
	if (nlc_open(&conn, NETLINK_GENERIC) < 0) {
		free(settings);
		skip();
	}
	nlc_close(&conn);
	lo = read_live(1, "lo", settings);
	assert_int_equal(lo->pfc, -1);
	assert_int_equal(lo->trust, TRUST_UNKNOWN);
	assert_string_equal(lo->dcb_why, DCB_NONE);
	assert_int_equal(lo->pause_rx, -1);
	assert_int_equal(lo->pause_tx, -1);
	assert_string_equal(lo->pause_why, PAUSE_NONE);
	free(settings);
}

/* The kernel looks for the interface after it has found nothing wrong with the question. */
static void the_kernel_understands_the_questions(void **state)
{
	struct settings *settings = calloc(1, sizeof(*settings));
	const struct port_settings *none;

	(void)state;
	assert_non_null(settings);
	none = read_live(0x7ffffff0, "no-such-port", settings);
	if (strcmp(none->dcb_why, DCB_NONE) != 0) /* a kernel without DCB */
		assert_string_equal(none->dcb_why, "DCB of no-such-port: No such device");
	if (strcmp(none->pause_why, PAUSE_NONE) != 0) /* a kernel without ethtool's netlink */
		assert_string_equal(none->pause_why, "pause of no-such-port: No such device");
	free(settings);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		T(pfc_is_the_kernels_bit_map),
		T(a_dscp_entry_means_that_the_dscp_is_trusted),
		T(what_the_driver_does_not_tell_stays_unknown),
		T(a_pfc_that_is_cut_short_is_refused),
		T(a_table_with_an_entry_that_is_cut_short_is_refused),
		T(a_table_that_ends_within_an_entry_is_refused),
		T(entries_of_another_kind_are_passed_over),
		T(answers_to_something_else_are_refused),
		T(pause_is_told_for_each_direction),
		T(a_direction_that_is_not_told_is_unknown),
		T(an_answer_of_another_family_or_command_is_refused),
		T(the_family_is_a_number_that_a_family_can_have),
		T(lo_has_neither_dcb_nor_pause),
		T(the_kernel_understands_the_questions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
