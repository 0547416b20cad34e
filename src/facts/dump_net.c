/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What "ip -details -json link show" and "ip -json address show" printed. */
#include "facts/dump_net.h"

#include <ctype.h>
#include <limits.h>
#include <string.h>

#include "facts/dump_file.h"
#include "facts/dump_routes.h"
#include "facts/net.h"

/* A hardware address as iproute2 prints it, in lower case; anything else stays unknown. */
static void read_mac(const struct json *object, const char *key, char *ret, size_t size)
{
	const char *text = json_text(json_get(object, key));

	ret[0] = '\0';
	if (!text || text[strspn(text, "0123456789abcdefABCDEF:")] != '\0' || str_copy(ret, size, text) < 0)
		return;
	for (; *ret != '\0'; ret++)
		*ret = (char)tolower((unsigned char)*ret);
}

static enum bond_mode read_bond_mode(const struct json *info)
{
	const char *text = json_text(json_get(info, "mode"));

	for (int mode = BOND_BALANCE_RR; text && mode < BOND_UNKNOWN; mode++) {
		if (strcmp(text, bond_mode_name((enum bond_mode)mode)) == 0)
			return (enum bond_mode)mode;
	}
	return BOND_UNKNOWN;
}

static int read_number(const struct json *object, const char *key, int max)
{
	int64_t value;

	return json_get_i64(object, key, 0, max, &value) < 0 ? -1 : (int)value;
}

static void read_bond(const struct json *data, struct bond_info *ret)
{
	const struct json *info = json_get(data, "ad_info");
	const char *rate = json_text(json_get(data, "ad_lacp_rate"));

	ret->miimon = read_number(data, "miimon", INT_MAX);
	ret->hash = bond_hash_parse(json_text(json_get(data, "xmit_hash_policy")));
	if (rate && (strcmp(rate, "slow") == 0 || strcmp(rate, "fast") == 0))
		ret->lacp_rate = strcmp(rate, "fast") == 0;
	ret->aggregator = read_number(info, "aggregator", UINT16_MAX);
	ret->aggregator_ports = read_number(info, "num_ports", UINT16_MAX);
	read_mac(info, "partner_mac", ret->partner_mac, sizeof(ret->partner_mac));
}

static void read_member(const struct json *info, struct member_info *ret)
{
	const struct json *data = json_get(info, "info_slave_data");
	const char *kind = json_text(json_get(info, "info_slave_kind"));
	const char *state = json_text(json_get(data, "state"));

	if (!kind || strcmp(kind, "bond") != 0)
		return;
	if (state && (strcmp(state, "ACTIVE") == 0 || strcmp(state, "BACKUP") == 0))
		ret->active = strcmp(state, "ACTIVE") == 0;
	ret->mii = bond_mii_parse(json_text(json_get(data, "mii_status")));
	ret->failures = read_number(data, "link_failure_count", INT_MAX);
	ret->aggregator = read_number(data, "ad_aggregator_id", UINT16_MAX);
	ret->actor_state = read_number(data, "ad_actor_oper_port_state", UINT8_MAX);
	ret->partner_state = read_number(data, "ad_partner_oper_port_state", UINT16_MAX);
}

/* NULL, or the key that is missing or wrong. */
static const char *read_link(const struct json *entry, struct netdev *ret)
{
	const struct json *info = json_get(entry, "linkinfo");
	const struct json *flags = json_get(entry, "flags");
	const char *type = json_text(json_get(entry, "link_type"));
	bool has_lower;
	int64_t number;

	if (json_get_i64(entry, "ifindex", 1, INT_MAX, &number) < 0)
		return "ifindex";
	ret->ifindex = (int)number;
	if (json_get_str(entry, "ifname", ret->name, sizeof(ret->name)) < 0 || !net_name_ok(ret->name))
		return "ifname";
	ret->mtu = json_get_i64(entry, "mtu", 0, INT_MAX, &number) < 0 ? -1 : (int)number;
	ret->up = dump_has_word(flags, "UP");
	ret->carrier = dump_has_word(flags, "LOWER_UP");
	ret->loopback = dump_has_word(flags, "LOOPBACK");
	ret->infiniband = type && strcmp(type, "infiniband") == 0;
	has_lower = json_get(entry, "link") ||
		    json_get(entry, "link_index"); /* the latter: in another namespace */
	ret->kind = net_kind_of(json_text(json_get(info, "info_kind")), has_lower,
				json_text(json_get(entry, "phys_port_name")));
	ret->bond_mode = ret->kind == NET_BOND ? read_bond_mode(json_get(info, "info_data")) : BOND_UNKNOWN;
	bond_info_unknown(&ret->bond);
	member_info_unknown(&ret->member);
	if (ret->kind == NET_BOND)
		read_bond(json_get(info, "info_data"), &ret->bond);
	read_member(info, &ret->member);
	read_mac(entry, "address", ret->mac, sizeof(ret->mac));
	read_mac(entry, "permaddr", ret->perm_mac, sizeof(ret->perm_mac));
	/* iproute2 prints the permanent address only where it is not the current one (print_linkinfo). */
	if (!json_get(entry, "permaddr") && ret->kind == NET_PLAIN && !ret->loopback)
		memcpy(ret->perm_mac, ret->mac, sizeof(ret->perm_mac));
	return NULL;
}

static int add_link(const struct json *entry, struct topology *topo, struct netdev *netdev,
		    struct findings *findings, struct err *err)
{
	const struct json *altnames = json_get(entry, "altnames");
	int r = 0;

	for (size_t i = 0; r == 0 && i < json_length(altnames); i++) {
		const char *name = json_text(json_at(altnames, i));

		r = net_add_altname(netdev, name ? name : "", findings, err);
	}
	return r < 0 ? r : net_add(topo, netdev, err);
}

/* Master, lower and active member are names, which may come later in the file. */
static void resolve(const struct json *entry, const struct topology *topo, struct netdev *netdev)
{
	const struct json *data = json_get(json_get(entry, "linkinfo"), "info_data");

	netdev->master_ifindex = dump_ifindex(topo, entry, "master");
	if (netdev->kind == NET_VLAN)
		netdev->lower_ifindex = dump_ifindex(topo, entry, "link");
	if (netdev->kind == NET_BOND)
		netdev->active_ifindex = dump_ifindex(topo, data, "active_slave");
}

int dump_links(const struct json *array, struct topology *topo, struct findings *findings, struct err *err)
{
	struct dump_odd odd = { .name = "link.json" };
	size_t length = json_length(array);
	unsigned first = topo->netdevs;

	for (size_t i = 0; i < length; i++) {
		struct netdev netdev = { 0 };
		const char *wrong = read_link(json_at(array, i), &netdev);
		int r;

		if (wrong) {
			dump_odd_add(&odd, i, wrong);
			continue;
		}
		r = add_link(json_at(array, i), topo, &netdev, findings, err);
		if (r < 0)
			return r;
	}
	for (size_t i = 0, n = first; i < length && n < topo->netdevs; i++) {
		struct netdev same = { 0 };

		if (!read_link(json_at(array, i), &same)) /* else it was left out above as well */
			resolve(json_at(array, i), topo, &topo->netdev[n++]);
	}
	dump_odd_report(&odd, findings);
	return 0;
}

static bool is_true(const struct json *object, const char *key)
{
	bool value = false;

	return json_get_bool(object, key, &value) == 0 && value;
}

static bool read_addr(const struct json *info, struct netaddr *ret)
{
	const char *text = json_text(json_get(info, "local"));
	int64_t prefixlen;

	if (!text || ip_parse(text, &ret->ip) < 0 ||
	    json_get_i64(info, "prefixlen", 0, ret->ip.family == 4 ? 32 : 128, &prefixlen) < 0)
		return false;
	ret->prefixlen = (unsigned)prefixlen;
	/* Why not a temporary one: see nl_take_addr. */
	ret->usable = !is_true(info, "tentative") && !is_true(info, "dadfailed") &&
		      !is_true(info, "deprecated") && !is_true(info, "temporary");
	return true;
}

int dump_addrs(const struct json *array, struct topology *topo, struct findings *findings, struct err *err)
{
	struct dump_odd odd = { .name = "addr.json" };

	for (size_t i = 0; i < json_length(array); i++) {
		const struct json *entry = json_at(array, i);
		const struct json *infos = json_get(entry, "addr_info");
		int64_t ifindex;

		if (json_get_i64(entry, "ifindex", 1, INT_MAX, &ifindex) < 0) {
			dump_odd_add(&odd, i, "ifindex");
			continue;
		}
		if (!json_is_array(infos))
			dump_odd_add(&odd, i, "addr_info");
		for (size_t k = 0; k < json_length(infos); k++) {
			struct netaddr addr = { .ifindex = (int)ifindex };
			int r = 0;

			if (read_addr(json_at(infos, k), &addr))
				r = net_add_addr(topo, &addr, err);
			else
				dump_odd_add(&odd, i, "local");
			if (r < 0)
				return r;
		}
	}
	dump_odd_report(&odd, findings);
	return 0;
}

int dump_default_routes(const struct json *array, struct topology *topo, struct findings *findings,
			struct err *err)
{
	struct dump_odd odd = { .name = "route.json" };
	struct dump_routes routes = { 0 };
	int r = dump_routes_parse(array, topo, &routes, &odd, err);

	for (size_t i = 0; r == 0 && i < routes.count; i++) {
		const struct dump_route *route = &routes.route[i];

		if (route->prefixlen == 0 && route->kind == DUMP_ROUTE_UNICAST)
			r = net_add_default(topo, route->dst.family, route->ifindex, err);
	}
	dump_routes_free(&routes);
	dump_odd_report(&odd, findings);
	return r;
}

int dump_read_net(const struct root *root, struct topology *topo, struct findings *findings, struct err *err)
{
	static const struct {
		const char *name;
		int (*parse)(const struct json *, struct topology *, struct findings *, struct err *);
	} files[] = {
		{ "link.json", dump_links },
		{ "addr.json", dump_addrs },
		{ "route.json", dump_default_routes },
	};

	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		_cleanup_json_ struct json *array = dump_read_or_note(root, files[i].name, findings);
		int r = files[i].parse(array, topo, findings, err);

		if (r < 0)
			return r;
	}
	return 0;
}
