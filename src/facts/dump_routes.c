/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What "ip -json route show table all" printed, and the longest prefix in it. */
#include "facts/dump_routes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/parse.h"
#include "facts/sysfs.h"

static enum dump_route_kind read_kind(const struct json *entry)
{
	static const char *const rejects[] = { "unreachable", "prohibit", "blackhole", "throw" };
	const struct json *type = json_get(entry, "type");
	const char *text = json_text(type);

	if (!type || (text && strcmp(text, "unicast") == 0))
		return DUMP_ROUTE_UNICAST;
	for (size_t i = 0; text && i < ARRAY_SIZE(rejects); i++) {
		if (strcmp(text, rejects[i]) == 0)
			return DUMP_ROUTE_REJECT;
	}
	return DUMP_ROUTE_OTHER;
}

/* 4, 6 or 0 for what is no address. */
static uint8_t family_of(const char *text)
{
	struct ip ip;

	return text && ip_parse(text, &ip) == 0 ? ip.family : 0;
}

/*
 * "default" does not say of which family. A gateway of the route's own family does ("via" is one of another),
 * so does a preferred source, and IPv6 routes alone have a preference (RTA_PREF, rt6_fill_node).
 */
static uint8_t default_family(const struct json *entry)
{
	const struct json *first = json_at(json_get(entry, "nexthops"), 0);
	uint8_t family = family_of(json_text(json_get(entry, "gateway")));

	if (family == 0)
		family = family_of(json_text(json_get(first, "gateway")));
	if (family == 0)
		family = family_of(json_text(json_get(entry, "prefsrc")));
	if (family == 0)
		family = json_get(entry, "pref") ? 6 : 4;
	return family;
}

/* "default", "10.10.1.0/24", or an address alone. */
static bool read_dst(const struct json *entry, struct dump_route *ret)
{
	const char *text = json_text(json_get(entry, "dst"));
	char address[IP_TEXT_MAX];
	const char *slash;
	uint64_t prefixlen;

	if (!text)
		return false;
	if (strcmp(text, "default") == 0) {
		ret->dst.family = default_family(entry);
		return true;
	}
	if (str_copy(address, sizeof(address), text) < 0)
		return false;
	slash = strchr(text, '/');
	if (slash)
		address[slash - text] = '\0';
	if (ip_parse(address, &ret->dst) < 0)
		return false;
	prefixlen = ret->dst.family == 4 ? 32 : 128;
	if (slash && parse_u64(slash + 1, prefixlen, &prefixlen) < 0)
		return false;
	ret->prefixlen = (unsigned)prefixlen;
	return true;
}

static bool read_table(const struct json *entry, struct dump_route *ret)
{
	int r = json_get_str(entry, "table", ret->table, sizeof(ret->table));

	if (r < 0)
		return r == -ENOENT;
	if (strcmp(ret->table, "main") == 0)
		ret->table[0] = '\0';
	return true;
}

/* NULL, or the key that is missing or wrong. */
static const char *read_route(const struct json *entry, struct dump_route *ret)
{
	const char *prefsrc = json_text(json_get(entry, "prefsrc"));
	int64_t metric = 0;
	int r;

	if (!read_dst(entry, ret))
		return "dst";
	if (!read_table(entry, ret))
		return "table";
	ret->kind = read_kind(entry);
	r = json_get_i64(entry, "metric", 0, UINT32_MAX, &metric);
	if (r < 0 && r != -ENOENT)
		return "metric";
	ret->metric = (uint32_t)metric;
	if (prefsrc && ip_parse(prefsrc, &ret->prefsrc) < 0)
		return "prefsrc";
	return NULL;
}

static void read_nexthop(const struct json *hop, const struct topology *topo, struct dump_route *ret)
{
	const struct json *flags = json_get(hop, "flags");

	ret->ifindex = dump_ifindex(topo, hop, "dev");
	ret->gateway = json_get(hop, "gateway") || json_get(hop, "via");
	ret->down = dump_has_word(flags, "dead") || dump_has_word(flags, "linkdown");
}

static int add(struct dump_routes *routes, const struct dump_route *route, struct err *err)
{
	struct dump_route *larger;

	if (routes->count == DUMP_ROUTES_MAX)
		return sysfs_full(err, "routes", DUMP_ROUTES_MAX);
	larger = mem_grow(routes->route, routes->count, sizeof(*larger));
	if (!larger)
		return err_set(err, XC_ENVIRONMENT, -ENOMEM, "route.json", "netlink/route.json: no memory");
	routes->route = larger;
	routes->route[routes->count++] = *route;
	return 0;
}

static int add_nexthops(const struct json *entry, size_t index, const struct topology *topo,
			struct dump_route *route, struct dump_routes *ret, struct dump_odd *odd,
			struct err *err)
{
	const struct json *hops = json_get(entry, "nexthops");
	size_t count = hops ? json_length(hops) : 1;

	if (count == 0)
		dump_odd_add(odd, index, "nexthops");
	for (size_t i = 0; i < count; i++) {
		int r;

		read_nexthop(hops ? json_at(hops, i) : entry, topo, route);
		if (route->kind == DUMP_ROUTE_UNICAST && route->ifindex == 0) {
			dump_odd_add(odd, index, "dev");
			continue;
		}
		r = add(ret, route, err);
		if (r < 0)
			return r;
	}
	return 0;
}

int dump_routes_parse(const struct json *array, const struct topology *topo, struct dump_routes *ret,
		      struct dump_odd *odd, struct err *err)
{
	for (size_t i = 0; i < json_length(array); i++) {
		struct dump_route route = { 0 };
		const char *wrong = read_route(json_at(array, i), &route);
		int r;

		if (wrong) {
			dump_odd_add(odd, i, wrong);
			continue;
		}
		r = add_nexthops(json_at(array, i), i, topo, &route, ret, odd, err);
		if (r < 0)
			return r;
	}
	return 0;
}

void dump_routes_free(struct dump_routes *routes)
{
	free(routes->route);
	*routes = (struct dump_routes){ 0 };
}

static bool covers(const struct dump_route *route, const struct ip *dst)
{
	return route->prefixlen == 0 ? route->dst.family == dst->family
				     : ip_same_subnet(&route->dst, dst, route->prefixlen);
}

static bool better(const struct dump_route *a, const struct dump_route *b)
{
	return a->prefixlen != b->prefixlen ? a->prefixlen > b->prefixlen : a->metric < b->metric;
}

/*
 * What keeps the kernel from using route through oif: a more specific route of the same table that rejects
 * (fib_table_lookup stops there, whatever the interface), or for IPv6, where a source makes oif a
 * preference only (ip6_route_output_flags_noref), one that leads elsewhere.
 */
static const struct dump_route *find_obstacle(const struct dump_routes *routes, const struct ip *dst, int oif,
					      const struct dump_route *route)
{
	for (size_t i = 0; i < routes->count; i++) {
		const struct dump_route *r = &routes->route[i];
		bool elsewhere =
			dst->family == 6 && r->kind == DUMP_ROUTE_UNICAST && !r->down && r->ifindex != oif;

		if ((elsewhere || r->kind == DUMP_ROUTE_REJECT) && covers(r, dst) && better(r, route) &&
		    strcmp(r->table, route->table) == 0)
			return r;
	}
	return NULL;
}

/* True if the destination is an address of this machine, a broadcast address, or the like. */
static bool is_not_unicast(const struct dump_routes *routes, const struct ip *dst, int oif)
{
	for (size_t i = 0; i < routes->count; i++) {
		const struct dump_route *r = &routes->route[i];

		if (r->kind == DUMP_ROUTE_OTHER && covers(r, dst) && (oif == 0 || r->ifindex == oif))
			return true;
	}
	return false;
}

void dump_routes_ask(const struct dump_routes *routes, const struct ip *dst, int oif,
		     struct route_answer *ret)
{
	const struct dump_route *best = NULL;

	*ret = (struct route_answer){ .answer = ANSWER_NO };
	if (is_not_unicast(routes, dst, oif))
		return;
	for (size_t i = 0; i < routes->count; i++) {
		const struct dump_route *r = &routes->route[i];
		bool fits =
			oif == 0 ? r->table[0] == '\0' : r->kind == DUMP_ROUTE_UNICAST && r->ifindex == oif;

		if (fits && !r->down && r->kind != DUMP_ROUTE_OTHER && covers(r, dst) &&
		    (!best || better(r, best)))
			best = r;
	}
	if (!best || best->kind == DUMP_ROUTE_REJECT || (oif != 0 && find_obstacle(routes, dst, oif, best)))
		return;
	*ret = (struct route_answer){
		.answer = ANSWER_YES,
		.oif = best->ifindex,
		.onlink = !best->gateway,
		.prefsrc = best->prefsrc,
	};
}
