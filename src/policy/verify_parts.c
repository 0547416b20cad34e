/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of verify share. */
#include "policy/verify_parts.h"

#include <string.h>

const char *verify_ctrl_text(const struct ctrl *ctrl, char buf[static CTRL_TEXT_MAX])
{
	str_format(buf, CTRL_TEXT_MAX, "nvme%u (%s at %s:%s)", ctrl->instance,
		   ctrl->id.nqn[0] ? ctrl->id.nqn : "no NQN yet",
		   ctrl->id.traddr[0] ? ctrl->id.traddr : "an unknown address", ctrl->id.trsvcid);
	return buf;
}

const char *verify_ctrl_name(const struct ctrl *ctrl, char buf[static NVME_NAME_SIZE])
{
	str_format(buf, NVME_NAME_SIZE, "nvme%u", ctrl->instance);
	return buf;
}

const char *verify_ctrl_file(const struct ctrl *ctrl, const char *file, char buf[static CTRL_FILE_MAX])
{
	str_format(buf, CTRL_FILE_MAX, "sys/class/nvme/nvme%u/%s", ctrl->instance, file);
	return buf;
}

const char *verify_cm_ids_why(const struct topology *topo)
{
	return topo->cm_ids_why[0] ? topo->cm_ids_why : "no RDMA devices";
}

bool verify_is_live(const struct topology *topo, const struct path *path)
{
	return path->ctrl >= 0 && strcmp(topo->ctrl[path->ctrl].state, "live") == 0;
}

bool verify_is_discovery(const struct verify *v, const struct path *path)
{
	const struct ctrl *ctrl = path->ctrl >= 0 ? &v->topo->ctrl[path->ctrl] : NULL;

	if (strcmp(path->id.nqn, NQN_DISCOVERY) == 0)
		return true;
	if (!ctrl)
		return false;
	if (ctrl->kind[0] != '\0')
		return strcmp(ctrl->kind, "discovery") == 0;
	/* An older kernel does not say. One that was asked for with I/O queues is none. */
	return ctrl->queue_count == 1 && v->asked[path - v->plan->path].opts.nr_io_queues <= 0;
}

/* A bridge, or anything else that policy does not look through, over a port: it is never storage. */
static int port_below(const struct topology *topo, int netdev)
{
	for (unsigned i = 0; i < topo->ports; i++) {
		if (topo->port[i].netdev >= 0 &&
		    netdev_is_above(topo, &topo->netdev[netdev], &topo->netdev[topo->port[i].netdev]))
			return (int)i;
	}
	return -1;
}

bool verify_netdev_is_storage(const struct verify *v, int netdev)
{
	struct carrier carrier;

	carrier_of(v->topo, v->classes, netdev, &carrier);
	return carrier.storage && carrier.port >= 0;
}

int verify_netdev_port(const struct verify *v, int netdev)
{
	struct carrier carrier;

	carrier_of(v->topo, v->classes, netdev, &carrier);
	return carrier.port >= 0 ? carrier.port : port_below(v->topo, netdev);
}

const char *verify_port_text(const struct verify *v, int port, char buf[static PORT_TEXT_MAX])
{
	char pci[PCI_TEXT_MAX];

	if (port < 0)
		str_format(buf, PORT_TEXT_MAX, "no port that is known");
	else
		str_format(buf, PORT_TEXT_MAX, "%s, %s", pci_format(&v->topo->port[port].pci, pci),
			   v->classes->port[port].role == ROLE_OTHER
				   ? "not named by the platform"
				   : role_name(v->classes->port[port].role));
	return buf;
}

/* In a RoCE LAG the first function's device serves all members. */
static bool is_lag_of_others(const struct classification *classes, int port)
{
	for (unsigned b = 0; b < classes->bonds; b++) {
		const struct bond_class *bond = &classes->bond[b];

		for (unsigned m = 0; m < bond->members; m++) {
			if (bond->member[m] == port && bond->roce_lag == ROCE_LAG_ACTIVE && !bond->storage)
				return true;
		}
	}
	return false;
}

bool verify_rdma_is_storage(const struct verify *v, unsigned rdma, int *ret_port)
{
	const struct topology *topo = v->topo;
	const struct rdma_link *link = &topo->rdma_link[rdma];
	const struct port *port = link->has_pci ? topo_port(topo, &link->pci) : NULL;
	const struct netdev *netdev = topo_netdev(topo, link->netdev_ifindex);

	*ret_port = -1;
	if (link->has_pci) {
		*ret_port = port ? (int)(port - topo->port) : -1;
		return port && !link->subfunction && v->classes->port[*ret_port].role == ROLE_STORAGE &&
		       !is_lag_of_others(v->classes, *ret_port);
	}
	if (!netdev)
		return false;
	*ret_port = verify_netdev_port(v, (int)(netdev - topo->netdev));
	return verify_netdev_is_storage(v, (int)(netdev - topo->netdev));
}

bool verify_port_has_link(const struct topology *topo, int port)
{
	int netdev = topo->port[port].netdev, rdma = topo->port[port].rdma;

	if (netdev < 0)
		return rdma >= 0 && topo->rdma_link[rdma].active;
	return topo->netdev[netdev].up && topo->netdev[netdev].carrier;
}

enum link_layer verify_link_layer(const struct topology *topo, int port)
{
	int netdev = topo->port[port].netdev, rdma = topo->port[port].rdma;

	if (rdma >= 0 && topo->rdma_link[rdma].link_layer != LINK_LAYER_UNKNOWN)
		return topo->rdma_link[rdma].link_layer;
	if (netdev < 0)
		return LINK_LAYER_UNKNOWN;
	return topo->netdev[netdev].infiniband ? LINK_LAYER_INFINIBAND : LINK_LAYER_ETHERNET;
}

void verify_unread(const struct verify *v, struct check *check)
{
	if (v->topo->net_read != READ_OK)
		check_bad(check, FINDING_UNKNOWN, "interfaces", "rtnetlink",
			  "interfaces or addresses could not all be read: see facts.readable");
}

void verify_addrs_collect(const struct verify *v, bool usable, struct verify_addrs *ret)
{
	const struct topology *topo = v->topo;

	ret->count = 0;
	for (unsigned i = 0; i < topo->addrs; i++) {
		const struct netaddr *addr = &topo->addr[i];
		const struct netdev *netdev = topo_netdev(topo, addr->ifindex);
		unsigned at = ret->count;

		if ((usable && !addr->usable) || !netdev || netdev->loopback || ip_is_linklocal6(&addr->ip) ||
		    ip_is_special(&addr->ip))
			continue;
		ret->addr[at] = i;
		ret->netdev[at] = (int)(netdev - topo->netdev);
		ret->storage[at] = at > 0 && ret->netdev[at - 1] == ret->netdev[at]
					   ? ret->storage[at - 1]
					   : verify_netdev_is_storage(v, ret->netdev[at]);
		ret->count++;
	}
}

const char *verify_addr_text(const struct netaddr *addr, char buf[static ADDR_TEXT_MAX])
{
	char ip[IP_TEXT_MAX];

	str_format(buf, ADDR_TEXT_MAX, "%s/%u", ip_format(&addr->ip, ip), addr->prefixlen);
	return buf;
}

bool verify_same_subnet(const struct netaddr *a, const struct netaddr *b)
{
	return ip_same_subnet(&a->ip, &b->ip, a->prefixlen < b->prefixlen ? a->prefixlen : b->prefixlen);
}
