/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What "dcb -j pfc show", "dcb -j app show" and "ethtool --json -a" printed. */
#include "facts/dump_qos.h"

#include <errno.h>
#include <string.h>

#include "facts/dump_file.h"

#define PRIORITIES 8 /* IEEE_8021QAZ_MAX_TCS */

/* prio_pfc is an array of a boolean for each priority. NULL, or the key that is wrong. */
static const char *read_pfc(const struct json *entry, struct port_settings *ret)
{
	const struct json *pfc = json_get(entry, "pfc"), *list = json_get(pfc, "prio_pfc");
	int bits = 0;

	if (!pfc)
		return NULL;
	if (json_length(list) != PRIORITIES)
		return "prio_pfc";
	for (unsigned i = 0; i < PRIORITIES; i++) {
		bool on;

		if (json_truth(json_at(list, i), &on) < 0)
			return "prio_pfc";
		bits |= on << i;
	}
	ret->pfc = bits;
	return NULL;
}

/* A table without DSCP entries has no dscp_prio (dcb_app_print_filtered). Why this is trust: nl_dcb.c. */
static const char *read_trust(const struct json *entry, struct port_settings *ret)
{
	const struct json *app = json_get(entry, "app"), *list = json_get(app, "dscp_prio");

	if (!app)
		return NULL;
	if (!json_is_object(app))
		return "app";
	if (list && !json_is_array(list))
		return "dscp_prio";
	for (size_t i = 0; i < json_length(list); i++) {
		if (!json_is_array(json_at(list, i)))
			return "dscp_prio";
	}
	ret->trust = json_length(list) > 0 ? TRUST_DSCP : TRUST_PCP;
	return NULL;
}

static const char *take_dcb(const struct json *entry, struct port_settings *ret)
{
	const char *wrong = read_pfc(entry, ret), *wrong_too = read_trust(entry, ret);

	return wrong ? wrong : wrong_too;
}

static const char *take_pause(const struct json *entry, struct port_settings *ret)
{
	bool rx = false, tx = false;
	int got_rx = json_get_bool(entry, "rx", &rx), got_tx = json_get_bool(entry, "tx", &tx);

	if (got_rx == 0)
		ret->pause_rx = rx;
	if (got_tx == 0)
		ret->pause_tx = tx;
	return got_rx == -EINVAL ? "rx" : got_tx == -EINVAL ? "tx" : NULL;
}

struct file {
	const char *name;
	const char *(*take)(const struct json *entry, struct port_settings *ret); /* NULL, or a wrong key */
	char *(*why)(struct port_settings *port);
	const char *none; /* why an interface is not there */
};

static void set_why(const struct file *file, struct port_settings *port, const char *text)
{
	str_format(file->why(port), SETTING_WHY_SIZE, "%s", text);
}

static bool is_of(const struct json *entry, const struct netdev *netdev)
{
	const char *ifname = json_text(json_get(entry, "ifname"));

	return ifname && strcmp(ifname, netdev->name) == 0;
}

/* The first entry of the interface counts. */
static void take_port(const struct json *array, const struct file *file, const struct netdev *netdev,
		      struct port_settings *ret, struct dump_odd *odd)
{
	const char *wrong;
	size_t i = 0;

	while (i < json_length(array) && !is_of(json_at(array, i), netdev))
		i++;
	if (i == json_length(array)) {
		set_why(file, ret, file->none);
		return;
	}
	wrong = file->take(json_at(array, i), ret);
	if (!wrong)
		return;
	dump_odd_add(odd, i, wrong);
	str_format(file->why(ret), SETTING_WHY_SIZE, "netlink/%s: no usable \"%s\" of %s", file->name, wrong,
		   netdev->name);
}

static void note_names(const struct json *array, struct dump_odd *odd)
{
	for (size_t i = 0; i < json_length(array); i++) {
		if (!json_text(json_get(json_at(array, i), "ifname")))
			dump_odd_add(odd, i, "ifname");
	}
}

static void read_file(const struct root *root, const struct file *file, const struct topology *topo,
		      const unsigned *port, unsigned count, struct settings *ret, struct findings *findings)
{
	struct dump_odd odd = { .name = file->name };
	_cleanup_json_ struct json *array = NULL;
	char why[DUMP_WHY_SIZE] = "";
	enum read_state state = dump_read(root, file->name, &array, why);

	if (state == READ_FAILED)
		finding_add(findings, FINDING_UNKNOWN, "facts.readable", file->name, NULL, "%s", why);
	note_names(array, &odd);
	for (unsigned i = 0; i < count; i++) {
		const struct netdev *netdev = port_settings_netdev(topo, port[i]);

		if (netdev && state == READ_FAILED)
			set_why(file, &ret->port[port[i]], why);
		else if (netdev)
			take_port(array, file, netdev, &ret->port[port[i]], &odd);
	}
	dump_odd_report(&odd, findings);
}

static char *dcb_why(struct port_settings *port)
{
	return port->dcb_why;
}

static char *pause_why(struct port_settings *port)
{
	return port->pause_why;
}

void dump_read_dcb(const struct root *root, const struct topology *topo, const unsigned *port, unsigned count,
		   struct settings *ret, struct findings *findings)
{
	static const struct file file = { "dcb.json", take_dcb, dcb_why, DCB_NONE };

	read_file(root, &file, topo, port, count, ret, findings);
}

void dump_read_pause(const struct root *root, const struct topology *topo, const unsigned *port,
		     unsigned count, struct settings *ret, struct findings *findings)
{
	static const struct file file = { "pause.json", take_pause, pause_why, PAUSE_NONE };

	read_file(root, &file, topo, port, count, ret, findings);
}
