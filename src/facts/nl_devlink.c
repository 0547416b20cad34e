/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * DEVLINK_CMD_ESWITCH_GET and DEVLINK_CMD_INFO_GET of PCI functions
 * (Documentation/netlink/specs/devlink.yaml). The kernel's answer names the device, and is taken only if it
 * is the one that was asked for.
 */
#include "facts/nl_devlink.h"

#include <errno.h>
#include <linux/devlink.h>
#include <linux/genetlink.h>
#include <netlink/attr.h>
#include <netlink/msg.h>
#include <string.h>

#include "facts/nl_genl.h"

#define BUS "pci"

static int parse(struct nlmsghdr *hdr, const struct nl_devlink_reader *reader, uint8_t command,
		 struct nlattr **tb, int max)
{
	const char *bus, *name;
	char pci[PCI_TEXT_MAX];

	if (nl_genl_parse(hdr, reader->family, command, tb, max) < 0)
		return -EPROTO;
	bus = nlc_text(tb[DEVLINK_ATTR_BUS_NAME]);
	name = nlc_text(tb[DEVLINK_ATTR_DEV_NAME]);
	if (!bus || !name || strcmp(bus, BUS) != 0 || strcmp(name, pci_format(&reader->port->pci, pci)) != 0)
		return -EPROTO;
	return 0;
}

int nl_take_eswitch(struct nlmsghdr *hdr, void *arg)
{
	struct nlattr *tb[DEVLINK_ATTR_ESWITCH_MODE + 1], *attr;
	const struct nl_devlink_reader *reader = arg;
	uint16_t mode;

	if (parse(hdr, reader, DEVLINK_CMD_ESWITCH_GET, tb, DEVLINK_ATTR_ESWITCH_MODE) < 0)
		return -EPROTO;
	attr = tb[DEVLINK_ATTR_ESWITCH_MODE];
	if (!attr || nla_len(attr) < (int)sizeof(mode))
		return -EPROTO;
	memcpy(&mode, nla_data(attr), sizeof(mode));
	if (mode == DEVLINK_ESWITCH_MODE_LEGACY)
		reader->port->eswitch = ESWITCH_LEGACY;
	else if (mode == DEVLINK_ESWITCH_MODE_SWITCHDEV)
		reader->port->eswitch = ESWITCH_SWITCHDEV;
	else
		return -EPROTO;
	return 0;
}

/* What does not fit is left unknown. */
static void take_version(struct nlattr *version, const char *wanted, char ret[OFFLOAD_VERSION_SIZE])
{
	struct nlattr *tb[DEVLINK_ATTR_INFO_VERSION_VALUE + 1];
	const char *name, *value;

	if (nla_parse_nested(tb, DEVLINK_ATTR_INFO_VERSION_VALUE, version, NULL) < 0)
		return;
	name = nlc_text(tb[DEVLINK_ATTR_INFO_VERSION_NAME]);
	value = nlc_text(tb[DEVLINK_ATTR_INFO_VERSION_VALUE]);
	if (name && value && strcmp(name, wanted) == 0 && str_copy(ret, OFFLOAD_VERSION_SIZE, value) < 0)
		ret[0] = '\0';
}

/* Versions are one attribute each, beside one another: nlmsg_parse would keep the last one alone. */
int nl_take_devlink_info(struct nlmsghdr *hdr, void *arg)
{
	struct nlattr *tb[DEVLINK_ATTR_DEV_NAME + 1];
	const struct nl_devlink_reader *reader = arg;
	struct nlattr *pos;
	int rest;

	if (parse(hdr, reader, DEVLINK_CMD_INFO_GET, tb, DEVLINK_ATTR_DEV_NAME) < 0)
		return -EPROTO;
	nlmsg_for_each_attr(pos, hdr, GENL_HDRLEN, rest)
	{
		if (nla_type(pos) == DEVLINK_ATTR_INFO_VERSION_FIXED)
			take_version(pos, "fw.psid", reader->port->psid);
		else if (nla_type(pos) == DEVLINK_ATTR_INFO_VERSION_RUNNING)
			take_version(pos, "fw.version", reader->port->firmware);
	}
	return 0;
}

static int ask(struct nl_conn *conn, struct nl_devlink_reader *reader, uint8_t command, nlc_take take)
{
	char pci[PCI_TEXT_MAX];
	struct nl_msg *msg = nl_genl_request(reader->family, command, DEVLINK_GENL_VERSION,
					     DEVLINK_ATTR_BUS_NAME, BUS, sizeof(BUS));

	pci_format(&reader->port->pci, pci);
	if (msg && nlc_put(msg, DEVLINK_ATTR_DEV_NAME, pci, strlen(pci) + 1) < 0) {
		nlmsg_free(msg);
		msg = NULL;
	}
	return nlc_ask(conn, msg, take, reader);
}

static void read_port(struct nl_conn *conn, struct nl_devlink_reader *reader)
{
	struct offload_port *port = reader->port;
	int r = ask(conn, reader, DEVLINK_CMD_ESWITCH_GET, nl_take_eswitch);

	if (r == -EOPNOTSUPP)
		port->eswitch = ESWITCH_NONE;
	else if (r == -EACCES || r == -EPERM)
		str_format(port->eswitch_why, sizeof(port->eswitch_why),
			   "only root may ask, or the kernel is old: %s", strerror(-r));
	else if (r < 0)
		str_format(port->eswitch_why, sizeof(port->eswitch_why), "%s", strerror(-r));
	if (ask(conn, reader, DEVLINK_CMD_INFO_GET, nl_take_devlink_info) < 0) /* hints, and no half ones */
		port->firmware[0] = port->psid[0] = '\0';
}

void nl_read_devlink(struct offload *ret)
{
	struct nl_devlink_reader reader = { 0 };
	_cleanup_nlc_ struct nl_conn conn = { 0 };
	int r = nlc_open(&conn, NETLINK_GENERIC);

	if (r == 0)
		r = nl_genl_family(&conn, DEVLINK_GENL_NAME, &reader.family);
	ret->devlink_read = r < 0 ? READ_FAILED : READ_OK;
	if (r < 0) {
		str_format(ret->devlink_why, sizeof(ret->devlink_why), "%s",
			   r == -EOPNOTSUPP ? "this kernel has no devlink" : strerror(-r));
		return;
	}
	for (unsigned c = 0; c < ret->cards; c++) {
		for (unsigned p = 0; p < ret->card[c].ports; p++) {
			reader.port = &ret->card[c].port[p];
			read_port(&conn, &reader);
		}
	}
}
