/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The partition itself: where every controller's source is, and where RDMA netlink shows queue pairs. The
 * kernel reconnects by source address, so the source counts now, whatever the queue pairs still say; and a
 * controller without a source, or one whose address has moved, shows in the queue pairs alone.
 *
 * A queue pair belongs to "rdma_cm" and every HCA has one for management: what is counted are CM_IDs of
 * nvme_rdma that have a queue pair, in whatever state it is.
 *
 * fail: something is, or would reconnect, on a port that is not storage, or nobody but the routing table
 * decides; unknown: it could not be read, or not be tied to a port.
 */
#include "policy/verify_apart.h"
#include "policy/verify_ways.h"

#include <string.h>

#define TCP_SOURCES_MAX 3 /* an interface, the address in use, the one that was asked for */

static const char *const netlink = "RDMA netlink";

/* --- controllers_on_storage --- */

struct sources {
	const struct verify *v;
	const struct ways *ways;
	struct check check;
	unsigned unseen; /* without a queue pair, since they are not live */
};

/* An interface that owns the address, or one of them that is not storage; -1: none. */
static int owner_of(const struct verify *v, const struct ip *ip, bool *ret_storage)
{
	const struct topology *topo = v->topo;
	int found = -1;

	*ret_storage = false;
	for (unsigned i = 0; i < topo->addrs; i++) {
		const struct netdev *netdev;

		if (!ip_equal(&topo->addr[i].ip, ip))
			continue;
		netdev = topo_netdev(topo, topo->addr[i].ifindex);
		if (!netdev || (ip->scope[0] != '\0' && strcmp(ip->scope, netdev->name) != 0))
			continue;
		found = (int)(netdev - topo->netdev);
		*ret_storage = verify_netdev_is_storage(v, found);
		if (!*ret_storage)
			break;
	}
	return found;
}

/* What RDMA netlink says of a controller whose source, as sysfs has it, is no reason to complain. */
static void judge_by_queue_pairs(struct sources *s, const struct ctrl *ctrl, bool placed)
{
	const struct way *way = ways_find(s->ways, &ctrl->id);
	char name[NVME_NAME_SIZE], text[CTRL_TEXT_MAX], port[PORT_TEXT_MAX];
	bool live = strcmp(ctrl->state, "live") == 0;

	verify_ctrl_name(ctrl, name);
	verify_ctrl_text(ctrl, text);
	if (s->v->topo->cm_ids_read != READ_OK) {
		check_bad(&s->check, FINDING_UNKNOWN, name, netlink,
			  "where the queue pairs of %s are is unknown, RDMA netlink cannot be read: %s", text,
			  verify_cm_ids_why(s->v->topo));
	} else if (way && way->elsewhere > 0) {
		check_bad(&s->check, FINDING_FAIL, name, netlink,
			  "%s: %u queue pairs %s are on RDMA device %s (%s), which is not storage: nvme "
			  "disconnect -d %s, and connect from a storage port",
			  text, way->elsewhere, way->has_src ? "of it" : "to its portal", way->device,
			  verify_port_text(s->v, way->on, port), name);
	} else if (way && way->storage > 0) {
		check_good(&s->check);
	} else if (!live && placed &&
		   ctrl->state[0] != '\0') { /* a controller that reconnects has no CM_ID */
		s->unseen++;
		check_good(&s->check);
	} else {
		check_bad(&s->check, FINDING_UNKNOWN, name, netlink,
			  "%s is %s and has no queue pair%s: nothing tells which HCA carries it; look again, "
			  "or disconnect it",
			  text, ctrl->state[0] ? ctrl->state : "in an unknown state",
			  placed ? "" : " and no source on a storage port");
	}
}

static void judge_rdma(struct sources *s, const struct ctrl *ctrl, int netdev)
{
	char name[NVME_NAME_SIZE], text[CTRL_TEXT_MAX], file[CTRL_FILE_MAX], on[PORT_TEXT_MAX];
	bool storage = false;
	struct ip source;

	if (ip_parse(ctrl->id.host_traddr, &source) < 0) {
		judge_by_queue_pairs(s, ctrl, false);
		return;
	}
	if (netdev >= 0)
		storage = verify_netdev_is_storage(s->v, netdev);
	else
		netdev = owner_of(s->v, &source, &storage);
	if (netdev < 0 || storage) {
		judge_by_queue_pairs(s, ctrl, storage);
		return;
	}
	check_bad(
		&s->check, FINDING_FAIL, verify_ctrl_name(ctrl, name),
		verify_ctrl_file(ctrl, "address", file),
		"%s%s has its source %s on %s (%s), which is not storage: nvme disconnect -d %s, and connect "
		"from a storage port",
		verify_ctrl_text(ctrl, text),
		strcmp(ctrl->state, "live") == 0 ? "" : ", not live and judged by sysfs,",
		ctrl->id.host_traddr, s->v->topo->netdev[netdev].name,
		verify_port_text(s->v, verify_netdev_port(s->v, netdev), on), name);
}

/* Whatever is told of a TCP controller's way out: each of it must be storage. */
static void judge_tcp(struct sources *s, const struct ctrl *ctrl)
{
	const char *const address[] = { ctrl->src_addr, ctrl->id.host_traddr };
	const struct netdev *iface =
		ctrl->host_iface[0] ? topo_netdev_by_name(s->v->topo, ctrl->host_iface) : NULL;
	char name[NVME_NAME_SIZE], text[CTRL_TEXT_MAX], file[CTRL_FILE_MAX], on[PORT_TEXT_MAX];
	int netdev[TCP_SOURCES_MAX];
	bool storage[TCP_SOURCES_MAX];
	unsigned count = 0;

	if (iface) {
		netdev[count] = (int)(iface - s->v->topo->netdev);
		storage[count] = verify_netdev_is_storage(s->v, netdev[count]);
		count++;
	}
	for (unsigned i = 0; i < ARRAY_SIZE(address); i++) {
		struct ip ip;

		if (ip_parse(address[i], &ip) < 0)
			continue;
		netdev[count] = owner_of(s->v, &ip, &storage[count]);
		count += netdev[count] >= 0;
	}
	verify_ctrl_name(ctrl, name);
	verify_ctrl_text(ctrl, text);
	verify_ctrl_file(ctrl, "address", file);
	for (unsigned i = 0; i < count; i++) {
		if (storage[i])
			continue;
		check_bad(&s->check, FINDING_FAIL, name, file,
			  "%s goes by TCP through %s (%s), which is not storage: nvme disconnect -d %s, and "
			  "connect from a storage port",
			  text, s->v->topo->netdev[netdev[i]].name,
			  verify_port_text(s->v, verify_netdev_port(s->v, netdev[i]), on), name);
		return;
	}
	if (iface)
		check_good(&s->check);
	else if (count > 0)
		check_bad(&s->check, FINDING_UNKNOWN, name, file,
			  "%s has its source on a storage port, but the routing table decides where its TCP "
			  "leaves: connect it with host_iface of that port",
			  text);
	else
		check_bad(
			&s->check, FINDING_UNKNOWN, name, file,
			"%s goes by TCP, and its source is on no interface that is known: the routing table "
			"decides; nvme disconnect -d %s, and connect it with host_traddr of a storage port",
			text, name);
}

static bool is_transport(const struct ctrl *ctrl, const char *transport)
{
	return strcmp(ctrl->id.transport, transport) == 0;
}

static unsigned count_fabrics(const struct topology *topo)
{
	unsigned count = 0;

	for (unsigned i = 0; i < topo->ctrls; i++)
		count += is_transport(&topo->ctrl[i], "rdma") || is_transport(&topo->ctrl[i], "tcp") ||
			 topo->ctrl[i].id.transport[0] == '\0';
	return count;
}

static void judge_controllers(const struct verify *v, const struct ways *ways)
{
	struct sources s = {
		.v = v,
		.ways = ways,
		.check = check_begin(v->findings, "partition.controllers_on_storage",
				     "RDMA netlink, sys/class/nvme/*/address"),
	};
	char name[NVME_NAME_SIZE], file[CTRL_FILE_MAX], unseen[128] = "";
	int netdev[TOPO_CTRLS_MAX];

	for (unsigned i = 0; i < v->topo->ctrls; i++)
		netdev[i] = -1;
	for (unsigned i = 0; i < v->plan->paths; i++) {
		if (v->plan->path[i].ctrl >= 0)
			netdev[v->plan->path[i].ctrl] = v->plan->path[i].netdev;
	}
	if (!v->platform && count_fabrics(v->topo) > 0)
		check_bad(&s.check, FINDING_UNKNOWN, NULL, "sys/class/dmi/id", "%u controllers: %s",
			  count_fabrics(v->topo), VERIFY_NO_PLATFORM);
	for (unsigned i = 0; v->platform && i < v->topo->ctrls; i++) {
		const struct ctrl *ctrl = &v->topo->ctrl[i];

		if (is_transport(ctrl, "rdma") && ctrl->id.traddr[0] != '\0')
			judge_rdma(&s, ctrl, netdev[i]);
		else if (is_transport(ctrl, "tcp"))
			judge_tcp(&s, ctrl);
		else if (is_transport(ctrl, "rdma") || ctrl->id.transport[0] == '\0')
			check_bad(
				&s.check, FINDING_UNKNOWN, verify_ctrl_name(ctrl, name),
				verify_ctrl_file(ctrl, ctrl->id.transport[0] ? "address" : "transport", file),
				"/%s cannot be read, so nothing is known of the way of %s: run as root, and "
				"see the kernel's log",
				file, name);
	}
	if (s.unseen > 0)
		str_format(unseen, sizeof(unseen),
			   "; %u of them not live and without a queue pair: judged by sysfs alone", s.unseen);
	check_end(&s.check, NULL, "there is no controller over RDMA or TCP",
		  "%u controllers: the source of each is on a storage port, and so are its queue pairs%s",
		  s.check.good, unseen);
}

/* --- compute_clean --- */

/* The controllers between the same addresses as a queue pair on that device. */
static void list_controllers(const struct verify *v, const struct ways *ways, const char *device, char *buf,
			     size_t size)
{
	char text[CTRL_TEXT_MAX];
	unsigned named = 0;

	str_format(buf, size, "%s", "");
	for (unsigned i = 0; i < ways->count; i++) {
		const struct way *way = &ways->way[i];

		if (way->elsewhere == 0 || strcmp(way->device, device) != 0)
			continue;
		if (named++ == 2) {
			str_append(buf, size, ", and others");
			return;
		}
		str_append(buf, size, "%s%s", named > 1 ? ", " : "",
			   verify_ctrl_text(&v->topo->ctrl[way->ctrl], text));
	}
	if (named == 0)
		str_append(buf, size, "no controller that is known");
}

static void judge_device(const struct verify *v, const struct ways *ways, struct check *check,
			 const char *device, int port, unsigned count)
{
	char on[PORT_TEXT_MAX], list[2 * CTRL_TEXT_MAX + 32];

	if (count == 0) {
		check_good(check);
		return;
	}
	list_controllers(v, ways, device, list, sizeof(list));
	check_bad(
		check, FINDING_FAIL, device, netlink,
		"%u queue pairs of nvme_rdma are on %s (%s), which is not storage: disconnect what they are "
		"of, and connect from a storage port: %s",
		count, device, verify_port_text(v, port, on), list);
}

static void judge_devices(const struct verify *v, const struct ways *ways)
{
	const struct topology *topo = v->topo;
	struct check check = check_begin(v->findings, "partition.compute_clean", netlink);

	if (topo->cm_ids_read == READ_NOT_THERE && topo->rdma_links == 0) {
		check_skip(v->findings, check.name, NULL, "there is no RDMA device");
		return;
	}
	if (topo->cm_ids_read != READ_OK) {
		check_bad(&check, FINDING_UNKNOWN, NULL, NULL,
			  "which HCA carries queue pairs of NVMe is unknown, RDMA netlink cannot be read: %s",
			  verify_cm_ids_why(topo));
		return;
	}
	if (!v->platform) {
		check_bad(&check, FINDING_UNKNOWN, NULL, "sys/class/dmi/id", "%s", VERIFY_NO_PLATFORM);
		return;
	}
	for (unsigned i = 0; i < topo->rdma_links; i++) {
		const char *device = topo->rdma_link[i].name;

		/* A device's ports are beside each other, and have its CM_IDs in common. */
		if (i > 0 && strcmp(topo->rdma_link[i - 1].name, device) == 0)
			continue;
		if (!ways->device[i].storage)
			judge_device(v, ways, &check, device, ways->device[i].port,
				     ways->device[i].queue_pairs);
	}
	if (ways->unlisted > 0)
		judge_device(v, ways, &check, ways->unlisted_device, -1, ways->unlisted);
	check_end(&check, NULL, "every RDMA device is storage",
		  "%u RDMA devices are not storage; none has a queue pair of nvme_rdma", check.good);
}

/* --- bound_source --- */

static void judge_proof(const struct verify *v, struct check *check, const struct path *path)
{
	const struct ctrl *ctrl = &v->topo->ctrl[path->ctrl];
	char name[NVME_NAME_SIZE], text[CTRL_TEXT_MAX], why[256];
	enum group_verdict verdict;

	verify_ctrl_name(ctrl, name);
	verify_ctrl_text(ctrl, text);
	if (path->rdma < 0) {
		check_bad(check, FINDING_UNKNOWN, name, "sys/class/infiniband",
			  "the port that %s has its source on has no RDMA device now: %s", text,
			  unusable_advice(UNUSABLE_NO_RDMA));
		return;
	}
	if (!verify_is_live(v->topo, path) && v->topo->cm_ids_read == READ_OK) {
		char file[CTRL_FILE_MAX];

		check_bad(check, FINDING_UNKNOWN, name, verify_ctrl_file(ctrl, "state", file),
			  "%s is %s: its source %s is on a storage port, but it has no queue pair to prove "
			  "it by; look again when it is live",
			  text, ctrl->state[0] ? ctrl->state : "in an unknown state", path->id.host_traddr);
		return;
	}
	verdict = prove_group(v->topo, v->groups, &path->id, v->topo->rdma_link[path->rdma].name, why,
			      sizeof(why));
	switch (verdict) {
	case GROUP_PROVEN:
		check_good(check);
		return;
	case GROUP_MISMATCH:
		check_bad(check, FINDING_FAIL, name, netlink,
			  "%s: %s: its source has moved since it connected; disconnect it and connect again",
			  text, why);
		return;
	case GROUP_UNSETTLED:
	case GROUP_UNREADABLE:
		check_bad(check, FINDING_UNKNOWN, name, netlink, "%s cannot be proven: %s", text, why);
		return;
	}
}

static void judge_source(const struct verify *v, struct check *check, const struct path *path)
{
	const struct ctrl *ctrl = &v->topo->ctrl[path->ctrl];
	char name[NVME_NAME_SIZE], text[CTRL_TEXT_MAX], file[CTRL_FILE_MAX], on[PORT_TEXT_MAX];
	struct ip source;

	verify_ctrl_name(ctrl, name);
	verify_ctrl_text(ctrl, text);
	verify_ctrl_file(ctrl, "address", file);
	if (ctrl->id.traddr[0] == '\0')
		check_bad(check, FINDING_UNKNOWN, name, file,
			  "/%s cannot be read, so the source of %s is unknown", file, name);
	else if (ip_parse(path->id.host_traddr, &source) < 0)
		check_bad(
			check, FINDING_FAIL, name, file,
			"%s has no source address, so the kernel picks the HCA by route: nvme disconnect -d "
			"%s, and connect it with host_traddr of a storage port",
			text, name);
	else if (path->netdev < 0 && v->topo->net_read != READ_OK)
		check_bad(check, FINDING_UNKNOWN, name, "rtnetlink, addresses",
			  "the source %s of %s is on no interface that could be read", path->id.host_traddr,
			  text);
	else if (path->netdev < 0)
		check_bad(check, FINDING_FAIL, name, "rtnetlink, addresses",
			  "the source %s of %s is on %s now: put it on one storage port alone, or disconnect "
			  "%s and connect again",
			  path->id.host_traddr, text,
			  netdev_of_ip(v->topo, &source) == -2 ? "several interfaces" : "no interface", name);
	else if (!verify_netdev_is_storage(v, path->netdev))
		check_bad(
			check, FINDING_FAIL, name, "rtnetlink, addresses",
			"the source %s of %s is on %s (%s), which is not storage, and the kernel reconnects "
			"from there: nvme disconnect -d %s, and move the address back to a storage port",
			path->id.host_traddr, text, v->topo->netdev[path->netdev].name,
			verify_port_text(v, verify_netdev_port(v, path->netdev), on), name);
	else
		judge_proof(v, check, path);
}

static void judge_sources(const struct verify *v)
{
	struct check check =
		check_begin(v->findings, "partition.bound_source", "sys/class/nvme/*/address, RDMA netlink");

	for (unsigned i = 0; i < v->plan->paths; i++) {
		if (v->plan->path[i].ctrl < 0)
			continue;
		if (!v->platform) {
			check_bad(&check, FINDING_UNKNOWN, NULL, "sys/class/dmi/id", "%s",
				  VERIFY_NO_PLATFORM);
			break;
		}
		judge_source(v, &check, &v->plan->path[i]);
	}
	check_end(
		&check, NULL, "there is no controller over RDMA",
		"%u controllers: the source of each is on one storage port alone, and all their queue pairs "
		"are on its HCA",
		check.good);
}

void verify_partition(const struct verify *v)
{
	struct ways ways;

	ways_collect(v, &ways);
	judge_controllers(v, &ways);
	judge_devices(v, &ways);
	judge_sources(v);
	verify_subnets(v);
	verify_switches(v);
	verify_autoconnect(v);
}
