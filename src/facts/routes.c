/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which way the kernel would go from a source to a portal: before a connect, and for a path that is there. */
#include "facts/facts.h"

#include <errno.h>
#include <stdlib.h>
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

/* --- the ways of paths that are there --- */

/* What is asked of a path: many have the same source and portal, with other subsystems behind it. */
struct path_question {
	bool there;
	struct ip src, dst;
	int scope;  /* the interface of a link-local portal, without which nothing can be asked; 0: none */
	int netdev; /* ifindex of the interface that the source is of; 0: unknown */
};

/* A path without a source goes as plain routing goes: which way that was is the connection's to say. */
static struct path_question question_of(const struct topology *topo, const struct path *path)
{
	struct path_question q = { 0 };
	const struct netdev *scope;

	if (path->id.host_traddr[0] == '\0' || ip_parse(path->id.host_traddr, &q.src) < 0 ||
	    ip_parse(path->id.traddr, &q.dst) < 0 || q.src.family != q.dst.family)
		return q;
	q.there = true;
	q.netdev = path->netdev < 0 ? 0 : topo->netdev[path->netdev].ifindex;
	if (q.dst.scope[0] == '\0')
		return q;
	scope = topo_netdev_by_name(topo, q.dst.scope);
	q.scope = scope ? scope->ifindex : 0;
	q.there = scope;
	return q;
}

static bool same_question(const struct path_question *a, const struct path_question *b)
{
	return a->there && b->there && a->scope == b->scope && a->netdev == b->netdev &&
	       ip_compare(&a->src, &b->src) == 0 && ip_compare(&a->dst, &b->dst) == 0;
}

/*
 * Live, the rules that look at the source decide in both. Of a tree nobody knows them ("ip rule" is not in
 * it): its plain answer is that of the main table, as if there were none. Where a rule sends each source to a
 * table of its own, a tree may therefore tell another way than its machine goes; the bound answer, which may
 * come from any table that leads through the interface, is not touched by that.
 */
static void ask_path(struct way *way, const struct path_question *q, struct path_route *ret)
{
	ask(way, &q->src, &q->dst, q->scope, &ret->plain);
	if (q->netdev > 0)
		ask(way, &q->src, &q->dst, q->netdev, &ret->bound);
}

int facts_ask_path_routes(const struct root *root, const struct topology *topo, const struct plan *plan,
			  struct settings *ret, struct findings *findings, struct err *err)
{
	_cleanup_free_ struct path_question *question = calloc(plan->paths + 1, sizeof(*question));
	struct way way = { .findings = findings };
	int r;

	if (!question)
		return err_set(err, XC_ENVIRONMENT, -ENOMEM, "routes", "no memory to ask for routes");
	r = way_open(root, topo, &way, err);
	for (unsigned i = 0; r == 0 && i < plan->paths; i++) {
		unsigned first = 0;

		ret->route[i] = (struct path_route){ 0 };
		question[i] = question_of(topo, &plan->path[i]);
		while (first < i && !same_question(&question[first], &question[i]))
			first++;
		if (first < i)
			ret->route[i] = ret->route[first];
		else if (question[i].there)
			ask_path(&way, &question[i], &ret->route[i]);
	}
	way_close(&way);
	return r;
}
