/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which source addresses could reach a portal: those that storage ports carry. */
#include "policy/policy.h"

#include <errno.h>
#include <string.h>

/* What -w and the config's "ports" leave to choose from. */
struct filter {
	bool by_ip;
	struct ip ip;
	int port; /* index into ports; -1: any */
	int allowed[REQUEST_PORTS_MAX];
	unsigned alloweds; /* 0: any */
};

static int refuse_source(const struct topology *topo, const struct classification *classes, int netdev,
			 int port, const char *given, struct err *err)
{
	char pci[PCI_TEXT_MAX] = "no PCI function", storage[512];
	const char *role = "other";

	if (port >= 0) {
		pci_format(&topo->port[port].pci, pci);
		role = role_name(classes->port[port].role);
	}
	storage_ports_text(topo, classes, storage, sizeof(storage));
	return err_set(err, XC_REFUSED, -EPERM, given,
		       "source %s is %s (%s, role %s), not a storage port; storage ports here: %s", given,
		       netdev >= 0 ? topo->netdev[netdev].name : "a port without interface", pci, role,
		       storage);
}

static int filter_by_ip(const struct topology *topo, const struct classification *classes, const char *given,
			struct filter *ret, struct err *err)
{
	int netdev = netdev_of_ip(topo, &ret->ip);
	struct carrier carrier;

	ret->by_ip = true;
	if (netdev == -2)
		return err_set(err, XC_ENVIRONMENT, -ENOTUNIQ, given,
			       "source address %s is on several interfaces of this machine, so it is "
			       "open which HCA it would take; remove it from all but the storage port",
			       given);
	if (netdev < 0)
		return err_set(err, XC_ENVIRONMENT, -EADDRNOTAVAIL, given,
			       "source address %s is not on this machine; give a storage port the "
			       "address first, or name the port instead",
			       given);
	carrier_of(topo, classes, netdev, &carrier);
	if (!carrier.storage)
		return refuse_source(topo, classes, netdev, carrier.port, given, err);
	return 0;
}

static int filter_by_name(const struct topology *topo, const struct classification *classes,
			  const char *given, enum exit_class missing, int *ret, struct err *err)
{
	int port = port_by_name(topo, classes, given);
	char storage[512];

	if (port == -2)
		return err_set(err, missing == XC_REFUSED ? XC_REFUSED : XC_USAGE, -ENOTUNIQ, given,
			       "port name %s fits more than one port; use a PCI address", given);
	if (port < 0) {
		storage_ports_text(topo, classes, storage, sizeof(storage));
		return err_set(err, missing, -ENODEV, given,
			       "no port of this machine is named %s; storage ports here: %s", given, storage);
	}
	if (classes->port[port].role != ROLE_STORAGE)
		return refuse_source(topo, classes, topo->port[port].netdev, port, given, err);
	*ret = port;
	return 0;
}

static int make_filter(const struct topology *topo, const struct classification *classes,
		       const struct request *request, struct filter *ret, struct err *err)
{
	int r = 0;

	*ret = (struct filter){ .port = -1 };
	if (ip_parse(request->host_traddr, &ret->ip) == 0)
		r = filter_by_ip(topo, classes, request->host_traddr, ret, err);
	else if (request->host_traddr[0] != '\0')
		r = filter_by_name(topo, classes, request->host_traddr, XC_ENVIRONMENT, &ret->port, err);
	for (unsigned i = 0; r == 0 && i < request->port_names; i++)
		r = filter_by_name(topo, classes, request->port_name[i], XC_REFUSED,
				   &ret->allowed[ret->alloweds++], err);
	return r;
}

static bool filter_allows(const struct filter *filter, const struct ip *ip, int port)
{
	if (filter->by_ip && !ip_equal(&filter->ip, ip))
		return false;
	if (filter->port >= 0 && filter->port != port)
		return false;
	for (unsigned i = 0; i < filter->alloweds; i++) {
		if (filter->allowed[i] == port)
			return true;
	}
	return filter->alloweds == 0;
}

/* A source must be of the portal's family, and a link-local one of the very link that the portal names. */
static bool fits_portal(const struct netdev *netdev, const struct ip *src, const struct ip *traddr)
{
	if (src->family != traddr->family || ip_is_special(src))
		return false;
	if (ip_is_linklocal6(src) != ip_is_linklocal6(traddr))
		return false;
	return !ip_is_linklocal6(src) || strcmp(traddr->scope, netdev->name) == 0;
}

static bool is_bond_member(const struct topology *topo, const struct netdev *netdev)
{
	const struct netdev *master = topo_netdev(topo, netdev->master_ifindex);

	return master && master->kind == NET_BOND;
}

/* The address as a source for the portal; false: it is none. */
static bool make_candidate(const struct topology *topo, const struct classification *classes,
			   const struct netaddr *addr, const struct ip *traddr, const struct filter *filter,
			   struct candidate *ret)
{
	const struct netdev *netdev = topo_netdev(topo, addr->ifindex);
	struct carrier carrier;

	if (!netdev || !addr->usable || !netdev->up || !fits_portal(netdev, &addr->ip, traddr))
		return false;
	if (!ip_is_linklocal6(&addr->ip) &&
	    netdev_of_ip(topo, &addr->ip) < 0) /* on several: see unreached.c */
		return false;
	if (is_bond_member(topo, netdev)) /* its addresses are dead: the bond owns the link */
		return false;
	carrier_of(topo, classes, (int)(netdev - topo->netdev), &carrier);
	if (!carrier.storage || carrier.port < 0 || carrier.rdma < 0)
		return false;
	if (carrier.unusable != USABLE &&
	    !(carrier.unusable == UNUSABLE_NO_ADDRESS && ip_is_linklocal6(&addr->ip)))
		return false;
	if (!filter_allows(filter, &addr->ip, carrier.port))
		return false;
	*ret = (struct candidate){
		.port = carrier.port,
		.netdev = (int)(netdev - topo->netdev),
		.rdma = carrier.rdma,
		.src = addr->ip,
		.prefixlen = addr->prefixlen,
	};
	if (ip_is_linklocal6(&addr->ip) && str_copy(ret->src.scope, sizeof(ret->src.scope), netdev->name) < 0)
		return false;
	return true;
}

int plan_candidates(const struct topology *topo, const struct classification *classes,
		    const struct request *request, struct candidates *ret, struct err *err)
{
	struct filter filter;
	int r = make_filter(topo, classes, request, &filter, err);

	ret->count = 0;
	for (unsigned p = 0; r == 0 && p < request->portals; p++) {
		ret->plain[p] = (struct route_answer){ 0 };
		for (unsigned a = 0; a < topo->addrs; a++) {
			struct candidate candidate;

			if (!make_candidate(topo, classes, &topo->addr[a], &request->portal[p].traddr,
					    &filter, &candidate))
				continue;
			if (ret->count == CANDIDATES_MAX)
				return err_set(err, XC_ENVIRONMENT, -E2BIG, "CANDIDATES_MAX",
					       "more than %d pairs of source and portal "
					       "(CANDIDATES_MAX); name fewer portals in one run",
					       CANDIDATES_MAX);
			candidate.portal = p;
			ret->candidate[ret->count++] = candidate;
		}
	}
	return r;
}
