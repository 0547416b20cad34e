/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Families of generic netlink, and the head of their messages. */
#include "facts/nl_genl.h"

#include <errno.h>
#include <linux/genetlink.h>
#include <netlink/attr.h>
#include <netlink/msg.h>
#include <string.h>

int nl_genl_parse(struct nlmsghdr *hdr, unsigned type, uint8_t command, struct nlattr **tb, int max)
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

	if (nl_genl_parse(hdr, GENL_ID_CTRL, CTRL_CMD_NEWFAMILY, tb, CTRL_ATTR_FAMILY_ID) < 0)
		return -EPROTO;
	attr = tb[CTRL_ATTR_FAMILY_ID];
	if (attr && nla_len(attr) >= (int)sizeof(family))
		memcpy(&family, nla_data(attr), sizeof(family));
	if (family < GENL_MIN_ID)
		return -EPROTO;
	*ret = family;
	return 0;
}

struct nl_msg *nl_genl_request(uint16_t type, uint8_t command, uint8_t version, int attr, const void *data,
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

int nl_genl_family(struct nl_conn *conn, const char *name, uint16_t *ret)
{
	int r = nlc_ask(conn,
			nl_genl_request(GENL_ID_CTRL, CTRL_CMD_GETFAMILY, 1, CTRL_ATTR_FAMILY_NAME, name,
					strlen(name) + 1),
			nl_take_family, ret);

	return r == -ENOENT ? -EOPNOTSUPP : r; /* ctrl_getfamily */
}
