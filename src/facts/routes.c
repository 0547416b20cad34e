/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which way the kernel would go from a source to a portal. */
#include "facts/facts.h"

#include <errno.h>
#include <string.h>

#include "facts/dump_routes.h"
#include "facts/nl_route.h"

struct way {
	struct nl_route *nl;	 /* of the live machine */
	struct dump_routes dump; /* of a tree */
	bool unreadable;	 /* no question can be answered any more */
	struct findings *findings;
};

static int way_open(const struct root *root, const struct topology *topo, struct way *way, struct err *err)
{
	struct dump_odd odd = { .name = "route.json" }; /* facts_read_net has told it */
	_cleanup_json_ struct json *array = NULL;
	char why[DUMP_WHY_SIZE];

	if (root->live)
		return nl_route_open(&way->nl, err);
	way->unreadable = dump_read(root, "route.json", &array, why) == READ_FAILED;
	if (way->unreadable)
		finding_add(way->findings, FINDING_UNKNOWN, "facts.readable", "routes", NULL,
			    "what the routes are is unknown: %s", why);
	return dump_routes_parse(array, topo, &way->dump, &odd, err);
}

static void way_close(struct way *way)
{
	nl_route_close(way->nl);
	dump_routes_free(&way->dump);
}

static void ask(struct way *way, const struct ip *src, const struct ip *dst, int oif,
		struct route_answer *ret)
{
	int r;

	*ret = (struct route_answer){ .answer = ANSWER_UNKNOWN };
	if (way->unreadable)
		return;
	if (!way->nl) {
		dump_routes_ask(&way->dump, dst, oif, ret);
		return;
	}
	r = nl_route_ask(way->nl, src, dst, oif, ret);
	if (r == 0)
		return;
	/* Each question waits for its answer: once is enough. */
	way->unreadable = true;
	finding_add(way->findings, FINDING_UNKNOWN, "facts.readable", "routes", NULL,
		    "the kernel does not tell its routes: %s", strerror(-r));
}

static void ask_candidate(struct way *way, const struct topology *topo, const struct portal *portal,
			  struct candidate *candidate)
{
	/* Of a link-local portal this is the interface that its scope names: it has no other candidates. */
	int oif = topo->netdev[candidate->netdev].ifindex;

	ask(way, &candidate->src, &portal->traddr, oif, &candidate->route);
}

static void ask_plain(struct way *way, const struct topology *topo, const struct portal *portal,
		      struct route_answer *ret)
{
	const struct netdev *scope = NULL;

	if (portal->traddr.scope[0] != '\0') {
		scope = topo_netdev_by_name(topo, portal->traddr.scope);
		if (!scope) {
			*ret = (struct route_answer){ .answer = ANSWER_NO };
			return;
		}
	}
	ask(way, NULL, &portal->traddr, scope ? scope->ifindex : 0, ret);
}

int facts_ask_routes(const struct root *root, const struct topology *topo, const struct request *request,
		     struct candidates *candidates, struct findings *findings, struct err *err)
{
	struct way way = { .findings = findings };
	int r = way_open(root, topo, &way, err);

	for (unsigned i = 0; r == 0 && i < candidates->count; i++) {
		struct candidate *candidate = &candidates->candidate[i];

		ask_candidate(&way, topo, &request->portal[candidate->portal], candidate);
	}
	for (unsigned i = 0; r == 0 && i < request->portals; i++)
		ask_plain(&way, topo, &request->portal[i], &candidates->plain[i]);
	way_close(&way);
	return r;
}
