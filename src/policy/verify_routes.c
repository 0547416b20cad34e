/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Routes. RDMA-CM binds a controller to the interface of its source (addr.c, addr4_resolve), so there must be
 * a route through that one: without, the kernel assumes that the portal is on the link, and asks for it in
 * vain. fail: there is none. What plain routing would do is advice, since only IPv6 and the answers to ARP
 * follow it.
 */
#include "policy/verify_parts.h"

#include <string.h>

static const char *oif_name(const struct topology *topo, const struct route_answer *answer)
{
	const struct netdev *netdev = topo_netdev(topo, answer->oif);

	return netdev ? netdev->name : "an unknown interface";
}

/* --- egress --- */

static void judge_route(const struct verify *v, struct check *check, unsigned i)
{
	const struct path *path = &v->plan->path[i];
	const struct path_route *route = &v->settings->route[i];
	const struct netdev *netdev = &v->topo->netdev[path->netdev];
	char name[NVME_NAME_SIZE], text[CTRL_TEXT_MAX];
	const struct ctrl *ctrl = &v->topo->ctrl[path->ctrl];

	verify_ctrl_name(ctrl, name);
	verify_ctrl_text(ctrl, text);
	if (route->bound.answer == ANSWER_NO)
		check_bad(check, FINDING_FAIL, name, NULL,
			  "%s: no route from %s through %s leads to %s: add one, or see to the interface's "
			  "subnet",
			  text, path->id.host_traddr, netdev->name, path->id.traddr);
	else if (route->bound.answer != ANSWER_YES)
		check_bad(check, FINDING_UNKNOWN, name, NULL,
			  "%s: whether a route from %s through %s leads to %s could not be asked", text,
			  path->id.host_traddr, netdev->name, path->id.traddr);
	else if (route->bound.oif != netdev->ifindex)
		check_bad(check, FINDING_FAIL, name, NULL,
			  "%s: the way from %s to %s is bound to %s and leaves through %s: add a route "
			  "through %s",
			  text, path->id.host_traddr, path->id.traddr, netdev->name,
			  oif_name(v->topo, &route->bound), netdev->name);
	else if (route->plain.answer == ANSWER_NO)
		check_bad(check, FINDING_WARN, name, NULL,
			  "%s: without its interface no route from %s leads to %s, only RDMA gets there: ip "
			  "rule "
			  "add from %s to a table that leaves through %s",
			  text, path->id.host_traddr, path->id.traddr, path->id.host_traddr, netdev->name);
	else if (route->plain.answer != ANSWER_YES)
		check_bad(check, FINDING_UNKNOWN, name, NULL,
			  "%s: where plain routing leads from %s to %s could not be asked", text,
			  path->id.host_traddr, path->id.traddr);
	else if (route->plain.oif != netdev->ifindex)
		check_bad(check, FINDING_WARN, name, NULL,
			  "%s: plain routing from %s to %s leaves through %s, not through %s: ip rule add "
			  "from %s to "
			  "a table that leaves through %s",
			  text, path->id.host_traddr, path->id.traddr, oif_name(v->topo, &route->plain),
			  netdev->name, path->id.host_traddr, netdev->name);
	else
		check_good(check);
}

static void check_egress(const struct verify *v)
{
	struct check check = check_begin(v->findings, "routes.egress", "rtnetlink, RTM_GETROUTE");

	for (unsigned i = 0; i < v->plan->paths; i++) {
		/* A source that no interface has is partition.bound_source's. */
		if (v->plan->path[i].ctrl >= 0 && v->plan->path[i].netdev >= 0)
			judge_route(v, &check, i);
	}
	check_end(&check, NULL, "there is no controller over RDMA with a source on an interface",
		  "%u controllers: the route to the portal leaves through the interface of the source",
		  check.good);
}

/* --- arp --- */

/* "arp_ignore 0 (wanted 1 or 2), ...", of what is not as it must be; empty: all is. */
static void list_wrong(const struct netdev_settings *s, char *buf, size_t size)
{
	str_format(buf, size, "%s", "");
	if (s->arp_ignore >= 0 && s->arp_ignore != 1 && s->arp_ignore != 2)
		str_append(buf, size, "arp_ignore %d (wanted 2, or 1)", s->arp_ignore);
	if (s->arp_announce >= 0 && s->arp_announce != 2)
		str_append(buf, size, "%sarp_announce %d (wanted 2)", buf[0] ? ", " : "", s->arp_announce);
	if (s->rp_filter == 1)
		str_append(buf, size, "%srp_filter 1 (wanted 2, or 0)", buf[0] ? ", " : "");
}

/* A controller of the interface whose plain route leaves through another one; -1: none. */
static int stray_path(const struct verify *v, int netdev)
{
	for (unsigned i = 0; i < v->plan->paths; i++) {
		const struct route_answer *plain = &v->settings->route[i].plain;

		if (v->plan->path[i].netdev == netdev && plain->answer == ANSWER_YES &&
		    plain->oif != v->topo->netdev[netdev].ifindex)
			return (int)i;
	}
	return -1;
}

static bool is_unasked(const struct verify *v, int netdev)
{
	for (unsigned i = 0; i < v->plan->paths; i++) {
		enum answer answer = v->settings->route[i].plain.answer;

		if (v->plan->path[i].netdev == netdev &&
		    (answer == ANSWER_UNKNOWN || answer == ANSWER_UNASKED))
			return true;
	}
	return false;
}

static void judge_arp(const struct verify *v, struct check *check, int netdev, bool ipv4, const char *twin)
{
	const struct netdev_settings *s = &v->settings->netdev[netdev];
	const char *name = v->topo->netdev[netdev].name;
	int stray = stray_path(v, netdev);
	char list[256] = "", file[96];

	str_format(file, sizeof(file), "proc/sys/net/ipv4/conf/%s", name);
	if (ipv4)
		list_wrong(s, list, sizeof(list));
	if (stray >= 0)
		str_append(list, sizeof(list), "%sno source rule from %s (wanted ip rule add from it)",
			   list[0] ? ", " : "", v->plan->path[stray].id.host_traddr);
	if (list[0] != '\0')
		check_bad(check, FINDING_WARN, name, file,
			  "%s shares a subnet with %s and has %s: a peer may learn the other port's MAC "
			  "address; set "
			  "them, or give each port a subnet of its own",
			  name, twin, list);
	else if (is_unasked(v, netdev))
		check_bad(check, FINDING_UNKNOWN, name, "rtnetlink, RTM_GETROUTE",
			  "%s shares a subnet with %s, and whether its sources leave through it could not be "
			  "asked",
			  name, twin);
	else if (ipv4 && (s->arp_ignore < 0 || s->arp_announce < 0 || s->rp_filter < 0))
		check_bad(check, FINDING_UNKNOWN, name, file,
			  "%s shares a subnet with %s, and not all of arp_ignore, arp_announce and rp_filter "
			  "can be "
			  "read: see sysctl net.ipv4.conf.%s",
			  name, twin, name);
	else
		check_good(check);
}

/* Each interface once, with the first other one that shares a subnet with it. IPv6 knows no ARP. */
static void check_arp(const struct verify *v)
{
	struct check check = check_begin(v->findings, "routes.arp", "proc/sys/net/ipv4/conf");
	struct verify_addrs addrs;
	bool done[TOPO_NETDEVS_MAX] = { false };

	if (!v->platform) {
		check_bad(&check, FINDING_UNKNOWN, NULL, "sys/class/dmi/id", "%s", VERIFY_NO_PLATFORM);
		return;
	}
	verify_addrs_collect(v, true, &addrs);
	for (unsigned i = 0; i < addrs.count; i++) {
		const struct netaddr *addr = &v->topo->addr[addrs.addr[i]];

		for (unsigned k = 0; addrs.storage[i] && !done[addrs.netdev[i]] && k < addrs.count; k++) {
			if (!addrs.storage[k] || addrs.netdev[k] == addrs.netdev[i] ||
			    !verify_same_subnet(addr, &v->topo->addr[addrs.addr[k]]))
				continue;
			done[addrs.netdev[i]] = true;
			judge_arp(v, &check, addrs.netdev[i], addr->ip.family == 4,
				  v->topo->netdev[addrs.netdev[k]].name);
		}
	}
	check_end(&check, NULL, "no two storage ports share a subnet",
		  "%u interfaces share a subnet, and each answers for its own addresses alone", check.good);
}

void verify_routes(const struct verify *v)
{
	check_egress(v);
	check_arp(v);
}
