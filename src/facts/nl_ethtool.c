/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ETHTOOL_MSG_PAUSE_GET (Documentation/networking/ethtool-netlink.rst). */
#include "facts/nl_ethtool.h"

#include <errno.h>
#include <linux/ethtool_netlink.h>
#include <netlink/attr.h>
#include <netlink/msg.h>
#include <string.h>

#include "facts/nl_genl.h"

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

	if (nl_genl_parse(hdr, reader->family, ETHTOOL_MSG_PAUSE_GET_REPLY, tb, ETHTOOL_A_PAUSE_TX) < 0)
		return -EPROTO;
	reader->port->pause_rx = read_bool(tb[ETHTOOL_A_PAUSE_RX]);
	reader->port->pause_tx = read_bool(tb[ETHTOOL_A_PAUSE_TX]);
	return 0;
}

/* The kernel checks the request strictly (ethnl_parse_header_dev_get): the flag for a nest must be there. */
static int ask_pause(struct nl_conn *conn, int ifindex, struct nl_pause_reader *reader)
{
	const struct {
		struct nlattr attr;
		uint32_t ifindex;
	} header = { { sizeof(header), ETHTOOL_A_HEADER_DEV_INDEX }, (uint32_t)ifindex };

	return nlc_ask(conn,
		       nl_genl_request(reader->family, ETHTOOL_MSG_PAUSE_GET, ETHTOOL_GENL_VERSION,
				       ETHTOOL_A_PAUSE_HEADER | NLA_F_NESTED, &header, sizeof(header)),
		       nl_take_pause, reader);
}

void nl_read_pause(const struct topology *topo, const unsigned *port, unsigned count, struct settings *ret)
{
	struct nl_pause_reader reader = { 0 };
	_cleanup_nlc_ struct nl_conn conn = { 0 };
	int opened = nlc_open(&conn, NETLINK_GENERIC);

	if (opened == 0)
		opened = nl_genl_family(&conn, ETHTOOL_GENL_NAME, &reader.family);
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
