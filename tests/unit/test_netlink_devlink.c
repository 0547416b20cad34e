/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * devlink messages as the kernel makes them (devlink_nl_eswitch_fill, devlink_nl_info_fill), shorter than it
 * ever would, and about something else; and the kernel itself.
 *
 * Seen to fail when: an answer about another device was taken; of several versions only the last one was
 * looked at; the length of the mode was not.
 */
#include "unit/netlink_world.h"

#include <errno.h>
#include <linux/devlink.h>
#include <linux/genetlink.h>
#include <netlink/attr.h>
#include <netlink/msg.h>

#include "facts/nl_devlink.h"

#define FAMILY 22

static struct offload_port port;
static struct nl_devlink_reader reader = { .family = FAMILY, .port = &port };

static void forget(void)
{
	port = (struct offload_port){ .pci = { 0, 0x29, 0, 1 } };
}

static struct nl_msg *message(uint16_t family, uint8_t command, const char *bus, const char *name)
{
	const struct genlmsghdr genl = { .cmd = command, .version = 1 };
	struct nl_msg *msg = nlc_request(family, 0, &genl, sizeof(genl));

	assert_non_null(msg);
	nla_put_string(msg, DEVLINK_ATTR_BUS_NAME, bus);
	nla_put_string(msg, DEVLINK_ATTR_DEV_NAME, name);
	return msg;
}

static int take_whole(struct nl_msg *msg, nlc_take function)
{
	struct nlmsghdr *hdr = nlmsg_hdr(msg), *whole = malloc(hdr->nlmsg_len);
	int r;

	assert_non_null(whole);
	memcpy(whole, hdr, hdr->nlmsg_len);
	forget();
	(void)take(msg, function, &reader);
	forget();
	r = function(whole, &reader);
	free(whole);
	return r;
}

static int take_mode(const char *bus, const char *name, uint16_t mode)
{
	struct nl_msg *msg = message(FAMILY, DEVLINK_CMD_ESWITCH_GET, bus, name);

	nla_put(msg, DEVLINK_ATTR_ESWITCH_MODE, sizeof(mode), &mode);
	return take_whole(msg, nl_take_eswitch);
}

static void the_mode_is_one_of_two(void **state)
{
	(void)state;
	assert_int_equal(take_mode("pci", "0000:29:00.1", DEVLINK_ESWITCH_MODE_LEGACY), 0);
	assert_int_equal(port.eswitch, ESWITCH_LEGACY);
	assert_int_equal(take_mode("pci", "0000:29:00.1", DEVLINK_ESWITCH_MODE_SWITCHDEV), 0);
	assert_int_equal(port.eswitch, ESWITCH_SWITCHDEV);
	assert_int_equal(take_mode("pci", "0000:29:00.1", 7), -EPROTO); /* of a newer kernel */
	assert_int_equal(port.eswitch, ESWITCH_UNKNOWN);
}

static void an_answer_about_something_else_is_refused(void **state)
{
	struct nl_msg *msg;

	(void)state;
	assert_int_equal(take_mode("pci", "0000:29:00.0", 0), -EPROTO);
	assert_int_equal(take_mode("auxiliary", "0000:29:00.1", 0), -EPROTO);
	msg = message(FAMILY + 1, DEVLINK_CMD_ESWITCH_GET, "pci", "0000:29:00.1");
	assert_int_equal(take_whole(msg, nl_take_eswitch), -EPROTO);
	msg = message(FAMILY, DEVLINK_CMD_INFO_GET, "pci", "0000:29:00.1");
	assert_int_equal(take_whole(msg, nl_take_eswitch), -EPROTO);
	assert_int_equal(port.eswitch, ESWITCH_UNKNOWN);
}

static void a_mode_that_is_missing_or_short_is_refused(void **state)
{
	struct nl_msg *msg = message(FAMILY, DEVLINK_CMD_ESWITCH_GET, "pci", "0000:29:00.1");

	(void)state;
	assert_int_equal(take_whole(msg, nl_take_eswitch), -EPROTO);
	msg = message(FAMILY, DEVLINK_CMD_ESWITCH_GET, "pci", "0000:29:00.1");
	nla_put(msg, DEVLINK_ATTR_ESWITCH_MODE, 1, "\1");
	assert_int_equal(take_whole(msg, nl_take_eswitch), -EPROTO);
	assert_int_equal(port.eswitch, ESWITCH_UNKNOWN);
}

static void put_version(struct nl_msg *msg, int kind, const char *name, const char *value)
{
	struct nlattr *nest = nla_nest_start(msg, kind);

	if (name)
		nla_put_string(msg, DEVLINK_ATTR_INFO_VERSION_NAME, name);
	if (value)
		nla_put_string(msg, DEVLINK_ATTR_INFO_VERSION_VALUE, value);
	nla_nest_end(msg, nest);
}

static void versions_are_found_among_others(void **state)
{
	struct nl_msg *msg = message(FAMILY, DEVLINK_CMD_INFO_GET, "pci", "0000:29:00.1");

	(void)state;
	nla_put_string(msg, DEVLINK_ATTR_INFO_DRIVER_NAME, "mlx5_core");
	put_version(msg, DEVLINK_ATTR_INFO_VERSION_FIXED, "fw.psid", "MT_0000000884");
	put_version(msg, DEVLINK_ATTR_INFO_VERSION_RUNNING, "fw.version", "32.43.1014");
	put_version(msg, DEVLINK_ATTR_INFO_VERSION_RUNNING, "fw", "32.43.9999");
	put_version(msg, DEVLINK_ATTR_INFO_VERSION_STORED, "fw.version", "32.44.1000");
	put_version(msg, DEVLINK_ATTR_INFO_VERSION_RUNNING, NULL, NULL);
	put_version(msg, DEVLINK_ATTR_INFO_VERSION_RUNNING, "fw.version", NULL);
	assert_int_equal(take_whole(msg, nl_take_devlink_info), 0);
	assert_string_equal(port.psid, "MT_0000000884");
	assert_string_equal(port.firmware, "32.43.1014");
}

static void a_version_that_does_not_fit_is_unknown(void **state)
{
	struct nl_msg *msg = message(FAMILY, DEVLINK_CMD_INFO_GET, "pci", "0000:29:00.1");
	char text[OFFLOAD_VERSION_SIZE + 1];

	(void)state;
	memset(text, '1', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	put_version(msg, DEVLINK_ATTR_INFO_VERSION_FIXED, "fw.psid", text);
	nla_put(msg, DEVLINK_ATTR_INFO_VERSION_RUNNING, 3, "abc"); /* no nest */
	assert_int_equal(take_whole(msg, nl_take_devlink_info), 0);
	assert_string_equal(port.psid, "");
	assert_string_equal(port.firmware, "");
}

/* There is no such device here, or no devlink: neither is a mode. */
static void the_kernel_is_asked_and_never_believed_to_have_said_more(void **state)
{
	struct offload *offload = calloc(1, sizeof(*offload));

	(void)state;
	assert_non_null(offload);
	offload->cards = offload->card[0].ports = 1;
	offload->card[0].port[0].pci = (struct pci_addr){ 0xfffe, 0xff, 0x1f, 7 };
	nl_read_devlink(offload);
	assert_int_equal(offload->card[0].port[0].eswitch, ESWITCH_UNKNOWN);
	if (offload->devlink_read == READ_OK)
		assert_true(offload->card[0].port[0].eswitch_why[0] != '\0');
	else
		assert_true(offload->devlink_why[0] != '\0');
	free(offload);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		T(the_mode_is_one_of_two),
		T(an_answer_about_something_else_is_refused),
		T(a_mode_that_is_missing_or_short_is_refused),
		T(versions_are_found_among_others),
		T(a_version_that_does_not_fit_is_unknown),
		T(the_kernel_is_asked_and_never_believed_to_have_said_more),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
