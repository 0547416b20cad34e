/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * RTM_GETDCB with DCB_CMD_IEEE_GET: one question and one answer an interface, which is asked for by its name
 * (dcb_doit). What a driver does not have is missing in the answer (dcbnl_ieee_fill).
 */
#include "facts/nl_dcb.h"

#include <errno.h>
#include <linux/dcbnl.h>
#include <linux/rtnetlink.h>
#include <netlink/attr.h>
#include <netlink/msg.h>
#include <string.h>
#include <sys/socket.h>

#include "facts/nl_conn.h"

/* False: there is one, and it is shorter than the kernel makes it. */
static bool read_pfc(const struct nlattr *attr, int *ret)
{
	struct ieee_pfc pfc;

	if (!attr)
		return true;
	if (nla_len(attr) < (int)sizeof(pfc))
		return false;
	memcpy(&pfc, nla_data(attr), sizeof(pfc));
	*ret = pfc.pfc_en;
	return true;
}

/*
 * The kernel has no word for it: mlx5 trusts the DSCP if and only if somebody maps one to a priority
 * (mlx5e_dcbnl_ieee_setapp). One entry that cannot be read could be that one.
 */
static bool read_trust(const struct nlattr *table, enum trust *ret)
{
	enum trust trust = TRUST_PCP;
	const struct nlattr *pos;
	int rest;

	if (!table)
		return true;
	nla_for_each_nested(pos, table, rest)
	{
		struct dcb_app app;

		if (nla_type(pos) != DCB_ATTR_IEEE_APP)
			continue;
		if (nla_len(pos) < (int)sizeof(app))
			return false;
		memcpy(&app, nla_data(pos), sizeof(app));
		if (app.selector == IEEE_8021QAZ_APP_SEL_DSCP)
			trust = TRUST_DSCP;
	}
	if (rest != 0)
		return false;
	*ret = trust;
	return true;
}

int nl_take_dcb(struct nlmsghdr *hdr, void *arg)
{
	struct port_settings *ret = arg;
	struct nlattr *tb[DCB_ATTR_IEEE + 1], *ieee[DCB_ATTR_IEEE_APP_TABLE + 1];
	enum trust trust = TRUST_UNKNOWN;
	struct dcbmsg dcb;
	int pfc = -1;

	if (hdr->nlmsg_type != RTM_GETDCB || nlmsg_parse(hdr, sizeof(dcb), tb, DCB_ATTR_IEEE, NULL) < 0)
		return -EPROTO;
	memcpy(&dcb, nlmsg_data(hdr), sizeof(dcb));
	if (dcb.cmd != DCB_CMD_IEEE_GET || !tb[DCB_ATTR_IEEE] ||
	    nla_parse_nested(ieee, DCB_ATTR_IEEE_APP_TABLE, tb[DCB_ATTR_IEEE], NULL) < 0)
		return -EPROTO;
	if (!read_pfc(ieee[DCB_ATTR_IEEE_PFC], &pfc) || !read_trust(ieee[DCB_ATTR_IEEE_APP_TABLE], &trust))
		return -EPROTO;
	ret->pfc = pfc;
	ret->trust = trust;
	return 0;
}

static struct nl_msg *request(const char *ifname)
{
	const struct dcbmsg dcb = { .dcb_family = AF_UNSPEC, .cmd = DCB_CMD_IEEE_GET };
	struct nl_msg *msg = nlc_request(RTM_GETDCB, 0, &dcb, sizeof(dcb));

	if (msg && nlc_put(msg, DCB_ATTR_IFNAME, ifname, strlen(ifname) + 1) < 0) {
		nlmsg_free(msg);
		return NULL;
	}
	return msg;
}

void nl_read_dcb(const struct topology *topo, const unsigned *port, unsigned count, struct settings *ret)
{
	_cleanup_nlc_ struct nl_conn conn = { 0 };
	int opened = nlc_open(&conn, NETLINK_ROUTE);

	for (unsigned i = 0; i < count; i++) {
		const struct netdev *netdev = port_settings_netdev(topo, port[i]);
		struct port_settings *settings = &ret->port[port[i]];
		int r = opened;

		if (!netdev)
			continue;
		if (r == 0)
			r = nlc_ask(&conn, request(netdev->name), nl_take_dcb, settings);
		if (r == -ETIMEDOUT)
			opened = r; /* it will not answer the next one either */
		if (r == -EOPNOTSUPP)
			str_format(settings->dcb_why, sizeof(settings->dcb_why), DCB_NONE);
		else if (r < 0)
			str_format(settings->dcb_why, sizeof(settings->dcb_why), "DCB of %s: %s",
				   netdev->name, strerror(-r));
	}
}
