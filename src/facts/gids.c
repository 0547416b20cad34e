/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * GID tables: which addresses an RDMA device can send from, and as what. An address of an interface gets
 * there by the kernel (roce_gid_mgmt.c), for a VLAN or a bond above a port into that port's device.
 */
#include "facts/facts.h"

#include <errno.h>
#include <string.h>

#include "facts/sysfs.h"

#define CLASS "sys/class/infiniband"
#define EMPTY_RUN 16
#define LEVELS_MAX 8 /* of interfaces on each other */

struct table { /* of one RDMA link */
	const struct root *root;
	const struct topology *topo;
	unsigned rdma;
	const struct rdma_link *link;
	bool infiniband; /* its GIDs are no addresses of an interface */
	enum read_state state;
	struct findings *findings;
};

/* One finding for the first of them: a table has 255 entries. */
static void unreadable(struct table *table, int code, const char *file)
{
	if (table->state != READ_FAILED)
		sysfs_unreadable(table->findings, table->link->name, code, CLASS "/%s/ports/%u/%s",
				 table->link->name, table->link->port, file);
	table->state = READ_FAILED;
}

static int read_attr(const struct table *table, const char *file, char *ret, size_t size)
{
	return root_line(table->root, ret, size, CLASS "/%s/ports/%u/%s", table->link->name,
			 table->link->port, file);
}

/* False: there is none, or it cannot be told. Reading the type of an empty entry fails with EINVAL. */
static bool read_type(struct table *table, unsigned index, struct gid *ret)
{
	char file[64], text[32];
	int r;

	str_format(file, sizeof(file), "gid_attrs/types/%u", index);
	r = read_attr(table, file, text, sizeof(text));
	if (r < 0 && r != -EINVAL)
		unreadable(table, r, file);
	ret->roce_v2 = r == 0 && strcmp(text, "RoCE v2") == 0;
	return r == 0;
}

/* One without an interface fails in the same way. */
static void read_ndev(struct table *table, unsigned index, struct gid *ret)
{
	const struct netdev *netdev;
	char file[64], name[IFNAMSIZ];
	int r;

	str_format(file, sizeof(file), "gid_attrs/ndevs/%u", index);
	r = read_attr(table, file, name, sizeof(name));
	if (r < 0 && r != -EINVAL && r != -ENOENT && r != -ENODEV)
		unreadable(table, r, file);
	netdev = r < 0 ? NULL : topo_netdev_by_name(table->topo, name);
	if (!netdev)
		return;
	ret->ifindex = netdev->ifindex;
	if (ip_is_linklocal6(&ret->ip))
		memcpy(ret->ip.scope, netdev->name, sizeof(ret->ip.scope));
}

/* "0000:0000:0000:0000:0000:ffff:0a0a:0101" (show_port_gid, "%pI6"). True if it is an address. */
static bool read_ip(struct table *table, unsigned index, struct ip *ret)
{
	static const uint8_t none[16], mapped[12] = { [10] = 0xff, [11] = 0xff };
	char file[32], text[64];
	int r;

	str_format(file, sizeof(file), "gids/%u", index);
	r = read_attr(table, file, text, sizeof(text));
	if (r == 0 && (text[strspn(text, "0123456789abcdefABCDEF:")] != '\0' || ip_parse(text, ret) < 0))
		r = -EINVAL;
	if (r < 0) {
		unreadable(table, r, file);
		return false;
	}
	if (memcmp(ret->bytes, none, sizeof(none)) == 0)
		return false;
	if (memcmp(ret->bytes, mapped, sizeof(mapped)) == 0)
		return ip_from_bytes(&ret->bytes[sizeof(mapped)], 4, ret) == 0;
	return true;
}

/* The interface is the device's, a VLAN above it, or the bond that it is a member of, or a VLAN above that.
 */
static bool is_above(const struct topology *topo, const struct netdev *upper, const struct netdev *base)
{
	for (unsigned depth = 0; upper && depth < LEVELS_MAX; depth++) {
		if (upper->ifindex == base->ifindex ||
		    (base->master_ifindex > 0 && upper->ifindex == base->master_ifindex))
			return true;
		upper = upper->lower_ifindex > 0 ? topo_netdev(topo, upper->lower_ifindex) : NULL;
	}
	return false;
}

static bool has_gid(const struct settings *settings, unsigned first, const struct ip *ip)
{
	for (unsigned i = first; i < settings->gids; i++) {
		if (settings->gid[i].roce_v2 && ip_equal(&settings->gid[i].ip, ip))
			return true;
	}
	return false;
}

/* The GIDs from number first on hold every address that the device should have. */
static bool is_complete(const struct table *table, const struct settings *settings, unsigned first)
{
	const struct topology *topo = table->topo;
	const struct netdev *base = topo_netdev(topo, table->link->netdev_ifindex);

	for (unsigned i = 0; base && i < topo->addrs; i++) {
		const struct netdev *netdev = topo_netdev(topo, topo->addr[i].ifindex);

		if (netdev && is_above(topo, netdev, base) && !has_gid(settings, first, &topo->addr[i].ip))
			return false;
	}
	return base != NULL;
}

/*
 * The kernel gives the first free entry (find_gid), so behind a long run of empty ones there is hardly more:
 * the rest of the 255 (Soft-RoCE: 1024) is read only if something is missing.
 */
static int read_table(struct table *table, struct settings *ret, struct err *err)
{
	_cleanup_names_ struct names names = NAMES_INIT;
	unsigned first = ret->gids, empty = 0;
	int r;

	table->state = READ_NOT_THERE;
	if (!sysfs_is_name(table->link->name))
		return 0;
	r = root_list(table->root, &names, CLASS "/%s/ports/%u/gids", table->link->name, table->link->port);
	if (r < 0) {
		if (r != -ENOENT) /* the device is gone */
			unreadable(table, r, "gids");
		return 0;
	}
	table->state = READ_OK;
	for (size_t i = 0; i < names.count; i++) { /* in the order of numbers */
		struct gid gid = { .rdma = table->rdma };

		if (!sysfs_numbered(names.name[i], "", &gid.index) || !read_ip(table, gid.index, &gid.ip) ||
		    !read_type(table, gid.index, &gid)) {
			if (++empty == EMPTY_RUN && is_complete(table, ret, first))
				break;
			continue;
		}
		empty = 0;
		if (!table->infiniband)
			read_ndev(table, gid.index, &gid);
		if (ret->gids == GIDS_MAX)
			return sysfs_full(err, "GIDs", GIDS_MAX);
		ret->gid[ret->gids++] = gid;
	}
	return 0;
}

/* The bond that the port's interface is a member of; 0: none. */
static int bond_of(const struct topology *topo, const struct port *port)
{
	const struct netdev *master =
		port->netdev < 0 ? NULL : topo_netdev(topo, topo->netdev[port->netdev].master_ifindex);

	return master && master->kind == NET_BOND ? master->ifindex : 0;
}

/*
 * The ports that are meant, and the other members of their bonds: a RoCE LAG has one device, at the first
 * function (mlx5_lag_add_devices), and a bond over two cards has its address at either.
 */
static void find_ports(const struct topology *topo, const unsigned *port, unsigned count,
		       bool ret[static TOPO_PORTS_MAX])
{
	int bond[TOPO_PORTS_MAX];

	for (unsigned i = 0; i < topo->ports; i++)
		bond[i] = bond_of(topo, &topo->port[i]);
	for (unsigned p = 0; p < count; p++) {
		for (unsigned i = 0; i < topo->ports; i++)
			ret[i] |= i == port[p] || (bond[i] > 0 && bond[i] == bond[port[p]]);
	}
}

static bool is_wanted(const struct topology *topo, unsigned rdma, const bool wanted[static TOPO_PORTS_MAX])
{
	const struct rdma_link *link = &topo->rdma_link[rdma];

	for (unsigned i = 0; i < topo->ports; i++) {
		const struct port *port = &topo->port[i];

		if (wanted[i] && (port->rdma == (int)rdma || (link->has_pci && !link->subfunction &&
							      pci_compare(&link->pci, &port->pci) == 0)))
			return true;
	}
	return false;
}

int facts_read_gids(const struct root *root, const struct topology *topo, const unsigned *port,
		    unsigned count, struct settings *ret, struct findings *findings, struct err *err)
{
	bool wanted[TOPO_PORTS_MAX] = { false };
	int r = 0;

	find_ports(topo, port, count, wanted);
	ret->gids = 0;
	memset(ret->gids_read, 0, sizeof(ret->gids_read));
	for (unsigned i = 0; r == 0 && i < topo->rdma_links; i++) {
		struct table table = {
			.root = root,
			.topo = topo,
			.rdma = i,
			.link = &topo->rdma_link[i],
			.infiniband = topo->rdma_link[i].link_layer == LINK_LAYER_INFINIBAND,
			.findings = findings,
		};

		if (is_wanted(topo, i, wanted))
			r = read_table(&table, ret, err);
		ret->gids_read[i] = table.state;
	}
	return r;
}
