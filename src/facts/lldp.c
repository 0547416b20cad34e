/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which switch a port hangs on: the chassis id of its LLDP neighbour. */
#include "facts/lldp.h"

#include <ctype.h>
#include <string.h>

#include "facts/dump_file.h"
#include "facts/facts.h"

#define DUMP "lldp.json"

static const struct netdev *netdev_of(const struct lldp *lldp, unsigned i)
{
	const struct port *port = &lldp->topo->port[lldp->port[i]];

	return port->netdev < 0 ? NULL : &lldp->topo->netdev[port->netdev];
}

static struct port_settings *settings_of(const struct lldp *lldp, unsigned i)
{
	return &lldp->settings->port[lldp->port[i]];
}

static bool has_lldp(const struct netdev *netdev)
{
	return netdev && !netdev->infiniband;
}

/* The index of the port among those that are asked for; -1: none. */
static int find(const struct lldp *lldp, const char *ifname)
{
	for (unsigned i = 0; i < lldp->count; i++) {
		const struct netdev *netdev = netdev_of(lldp, i);

		if (has_lldp(netdev) && strcmp(netdev->name, ifname) == 0)
			return (int)i;
	}
	return -1;
}

static void set(struct port_settings *port, enum read_state state, const char *why)
{
	port->lldp = state;
	port->chassis[0] = '\0';
	str_format(port->lldp_why, sizeof(port->lldp_why), "%s", why);
}

bool lldp_listens(struct lldp *lldp, const char *ifname)
{
	int i = find(lldp, ifname);

	if (i >= 0)
		set(settings_of(lldp, (unsigned)i), READ_OK, "");
	return i >= 0;
}

static bool is_printable(const char *text)
{
	if (!text || text[0] == '\0')
		return false;
	for (; *text != '\0'; text++) {
		if (*text < ' ' || *text > '~')
			return false;
	}
	return true;
}

/* "mac 02:00:5e:00:00:01". The name of a chassis is no key: two may have the same. False: it is none. */
static bool format_chassis(char ret[static LLDP_ID_SIZE], const char *type, const char *value)
{
	if (!is_printable(type) || strchr(type, ' ') || !is_printable(value) ||
	    strlen(type) + 1 + strlen(value) >= LLDP_ID_SIZE)
		return false;
	str_format(ret, LLDP_ID_SIZE, "%s %s", type, value);
	for (char *at = ret; strcmp(type, "mac") == 0 && *at != '\0'; at++)
		*at = (char)tolower((unsigned char)*at);
	return true;
}

void lldp_neighbour(struct lldp *lldp, const char *ifname, const char *via, const char *type,
		    const char *value)
{
	int i = find(lldp, ifname);
	struct port_settings *port = i < 0 ? NULL : settings_of(lldp, (unsigned)i);
	char chassis[LLDP_ID_SIZE];

	if (!port || port->lldp != READ_OK)
		return;
	/* The same switch has another id in another protocol (CDP): they cannot be compared. */
	if (via && strcmp(via, "LLDP") != 0)
		return;
	if (!via || !format_chassis(chassis, type, value))
		set(port, READ_FAILED, "the chassis id of its LLDP neighbour makes no sense");
	else if (port->chassis[0] != '\0' && strcmp(port->chassis, chassis) != 0)
		set(port, READ_FAILED, "it has several LLDP neighbours: which is its switch cannot be told");
	else
		memcpy(port->chassis, chassis, sizeof(chassis));
}

/* --- a tree --- */

static bool read_interfaces(struct lldp *lldp, const struct json *interfaces, struct dump_odd *odd)
{
	for (size_t i = 0; i < json_length(interfaces); i++) {
		const struct json *entry = json_at(interfaces, i);
		const struct json *id = json_at(json_get(json_at(json_get(entry, "chassis"), 0), "id"), 0);
		const char *name = json_text(json_get(entry, "name"));

		if (name)
			lldp_neighbour(lldp, name, json_text(json_get(entry, "via")),
				       json_text(json_get(id, "type")), json_text(json_get(id, "value")));
		else
			dump_odd_add(odd, i, "name");
	}
	return !interfaces || json_is_array(interfaces);
}

/* {"lldp": [{"interface": [...]}]}: json0, unlike json, has arrays also of one (lldpcli(8)). */
static bool read_dump(struct lldp *lldp, const struct json *dump, struct dump_odd *odd)
{
	const struct json *lists = json_get(dump, "lldp");
	bool good = json_is_array(lists);

	for (size_t i = 0; i < json_length(lists); i++) {
		const struct json *list = json_at(lists, i);

		good = good && json_is_object(list) &&
		       read_interfaces(lldp, json_get(list, "interface"), odd);
	}
	return good;
}

static enum read_state read_tree(const struct root *root, struct lldp *lldp, char why[static DUMP_WHY_SIZE],
				 struct findings *findings)
{
	struct dump_odd odd = { .name = DUMP };
	_cleanup_json_ struct json *dump = NULL;
	enum read_state state = dump_read_object(root, DUMP, &dump, why);

	if (state == READ_NOT_THERE)
		str_format(why, DUMP_WHY_SIZE, "there is no netlink/" DUMP);
	if (state != READ_OK)
		return state;
	for (unsigned i = 0; i < lldp->count; i++) {
		if (has_lldp(netdev_of(lldp, i)))
			set(settings_of(lldp, i), READ_OK, "");
	}
	if (!read_dump(lldp, dump, &odd)) {
		str_format(why, DUMP_WHY_SIZE,
			   "netlink/" DUMP ": not what \"lldpcli -f json0 show neighbors\" prints");
		return READ_FAILED;
	}
	dump_odd_report(&odd, findings);
	return READ_OK;
}

/* --- both --- */

/* What holds for each port until somebody says that it listens there. */
static void set_all(struct lldp *lldp, enum read_state state, const char *why)
{
	for (unsigned i = 0; i < lldp->count; i++) {
		const struct netdev *netdev = netdev_of(lldp, i);

		if (has_lldp(netdev))
			set(settings_of(lldp, i), state, why);
		else
			set(settings_of(lldp, i), READ_NOT_THERE,
			    netdev ? "InfiniBand has no LLDP" : "it has no interface");
	}
}

int facts_read_lldp(const struct root *root, const struct topology *topo, const unsigned *port,
		    unsigned count, struct settings *ret, struct findings *findings, struct err *err)
{
	struct lldp lldp = { .topo = topo, .port = port, .count = count, .settings = ret };
	char why[DUMP_WHY_SIZE] = "";
	enum read_state state;

	(void)err; /* all readers look alike; what cannot be read is unknown */
	set_all(&lldp, READ_NOT_THERE, "lldpd does not listen there");
	state = root->live ? lldp_ctl_ask(&lldp, NULL, why) : read_tree(root, &lldp, why, findings);
	if (state != READ_OK)
		set_all(&lldp, state, why);
	if (state == READ_FAILED)
		finding_add(findings, FINDING_UNKNOWN, "facts.readable", root->live ? "lldpd" : DUMP, NULL,
			    "%s", why);
	return 0;
}
