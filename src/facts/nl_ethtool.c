/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ETHTOOL_MSG_PAUSE_GET (Documentation/networking/ethtool-netlink.rst). Of generic netlink only the number of
 * the family is needed, which is not worth another library.
 */
#include "facts/nl_ethtool.h"

#include <errno.h>
#include <linux/ethtool_netlink.h>
#include <linux/genetlink.h>
#include <netlink/attr.h>
#include <netlink/msg.h>
#include <string.h>

#include "facts/nl_conn.h"

/* An answer of generic netlink with this command. 0 or -EPROTO. */
static int parse(struct nlmsghdr *hdr, unsigned type, uint8_t command, struct nlattr **tb, int max)
{
	struct genlmsghdr genl;

	if (hdr->nlmsg_type != type || nlmsg_parse(hdr, GENL_HDRLEN, tb, max, NULL) < 0)
		return -EPROTO;
	memcpy(&genl, nlmsg_data(hdr), sizeof(genl));
	return genl.cmd == command ? 0 : -EPROTO;
}

int nl_take_family(struct nlmsghdr *hdr, void *arg)
{
	struct nlattr *tb[CTRL_ATTR_FAMILY_ID + 1], *attr;
	uint16_t *ret = arg, family = 0;

	if (parse(hdr, GENL_ID_CTRL, CTRL_CMD_NEWFAMILY, tb, CTRL_ATTR_FAMILY_ID) < 0)
		return -EPROTO;
	attr = tb[CTRL_ATTR_FAMILY_ID];
	if (attr && nla_len(attr) >= (int)sizeof(family))
		memcpy(&family, nla_data(attr), sizeof(family));
	if (family < GENL_MIN_ID)
		return -EPROTO;
	*ret = family;
	return 0;
}

/* 0, 1; anything but 0 means yes. -1: not told. */
static int read_bool(const struct nlattr *attr)
{
	uint8_t value;

	return nlc_u8(attr, &value) ? value != 0 : -1;
}

int nl_take_pause(struct nlmsghdr *hdr, void *arg)
{
	struct nlattr *tb[ETHTOOL_A_PAUSE_TX + 1];
	const struct nl_pause_reader *reader = arg;

	if (parse(hdr, reader->family, ETHTOOL_MSG_PAUSE_GET_REPLY, tb, ETHTOOL_A_PAUSE_TX) < 0)
		return -EPROTO;
	reader->port->pause_rx = read_bool(tb[ETHTOOL_A_PAUSE_RX]);
	reader->port->pause_tx = read_bool(tb[ETHTOOL_A_PAUSE_TX]);
	return 0;
}

/* With one attribute. */
static struct nl_msg *request(uint16_t type, uint8_t command, uint8_t version, int attr, const void *data,
			      size_t size)
{
	const struct genlmsghdr genl = { .cmd = command, .version = version };
	struct nl_msg *msg = nlc_request(type, 0, &genl, sizeof(genl));

	if (msg && nlc_put(msg, attr, data, size) < 0) {
		nlmsg_free(msg);
		return NULL;
	}
	return msg;
}

static int ask_family(struct nl_conn *conn, uint16_t *ret)
{
	return nlc_ask(conn,
		       request(GENL_ID_CTRL, CTRL_CMD_GETFAMILY, 1, CTRL_ATTR_FAMILY_NAME, ETHTOOL_GENL_NAME,
			       sizeof(ETHTOOL_GENL_NAME)),
		       nl_take_family, ret);
}

/* The kernel checks the request strictly (ethnl_parse_header_dev_get): the flag for a nest must be there. */
static int ask_pause(struct nl_conn *conn, int ifindex, struct nl_pause_reader *reader)
{
	const struct {
		struct nlattr attr;
		uint32_t ifindex;
	} header = { { sizeof(header), ETHTOOL_A_HEADER_DEV_INDEX }, (uint32_t)ifindex };

	return nlc_ask(conn,
		       request(reader->family, ETHTOOL_MSG_PAUSE_GET, ETHTOOL_GENL_VERSION,
			       ETHTOOL_A_PAUSE_HEADER | NLA_F_NESTED, &header, sizeof(header)),
		       nl_take_pause, reader);
}

void nl_read_pause(const struct topology *topo, const unsigned *port, unsigned count, struct settings *ret)
{
	struct nl_pause_reader reader = { 0 };
	_cleanup_nlc_ struct nl_conn conn = { 0 };
	int opened = nlc_open(&conn, NETLINK_GENERIC);

	if (opened == 0)
		opened = ask_family(&conn, &reader.family);
	if (opened == -ENOENT) /* ctrl_getfamily: the kernel has no such family */
		opened = -EOPNOTSUPP;
	for (unsigned i = 0; i < count; i++) {
		const struct netdev *netdev = port_settings_netdev(topo, port[i]);
		struct port_settings *settings = &ret->port[port[i]];
		int r = opened;

		if (!netdev)
			continue;
		reader.port = settings;
		if (r == 0)
			r = ask_pause(&conn, netdev->ifindex, &reader);
		if (r == -ETIMEDOUT)
			opened = r; /* it will not answer the next one either */
		if (r == -EOPNOTSUPP)
			str_format(settings->pause_why, sizeof(settings->pause_why), PAUSE_NONE);
		else if (r < 0)
			str_format(settings->pause_why, sizeof(settings->pause_why), "pause of %s: %s",
				   netdev->name, strerror(-r));
	}
}
