/* SPDX-License-Identifier: GPL-2.0-or-later */
/* RDMA devices, ports, CM_IDs and queue pairs, as the kernel's own resource tables list them. */
#include "facts/nl_rdma.h"

#include <errno.h>
#include <limits.h>
#include <netinet/in.h>
#include <netlink/attr.h>
#include <netlink/msg.h>
#include <rdma/rdma_netlink.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

#include "facts/net.h"
#include "facts/nl_conn.h"
#include "facts/sysfs.h"

#define ATTR_LAST (RDMA_NLDEV_ATTR_MAX - 1) /* newer kernels have more, which are passed over */
#define PAUSE_MS 20
#define QP_STATE_RTS 3 /* enum ib_qp_state, include/rdma/ib_verbs.h */

static int type_of(int command)
{
	return RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, command);
}

/* There is no family header: the attributes follow the message's own. */
static int parse(struct nlmsghdr *hdr, int command, struct nlattr **tb)
{
	if (hdr->nlmsg_type != type_of(command) || nlmsg_parse(hdr, 0, tb, ATTR_LAST, NULL) < 0)
		return -EPROTO;
	return 0;
}

int nl_take_device(struct nlmsghdr *hdr, void *arg)
{
	struct nl_rdma_reader *reader = arg;
	struct nlattr *tb[ATTR_LAST + 1];
	struct nl_rdma_device device = { 0 };
	const char *name;

	if (parse(hdr, RDMA_NLDEV_CMD_GET, tb) < 0 || !nlc_u32(tb[RDMA_NLDEV_ATTR_DEV_INDEX], &device.index))
		return -EPROTO;
	name = nlc_text(tb[RDMA_NLDEV_ATTR_DEV_NAME]);
	if (!name || !net_name_ok(name) || str_copy(device.name, sizeof(device.name), name) < 0) {
		reader->odd++;
		return 0;
	}
	/* In the list of devices this is the number of ports. */
	if (!nlc_u32(tb[RDMA_NLDEV_ATTR_PORT_INDEX], &device.ports))
		device.ports = 0;
	if (reader->devices == ARRAY_SIZE(reader->device))
		return sysfs_full(reader->err, "RDMA devices", ARRAY_SIZE(reader->device));
	reader->device[reader->devices++] = device;
	return 0;
}

/* enum ib_port_state, in the words of rdma link (link_state_to_str). */
static const char *state_name(uint8_t state)
{
	static const char *const names[] = { "nop", "down", "init", "armed", "active", "active_defer" };

	return state < ARRAY_SIZE(names) ? names[state] : "unknown";
}

static struct rdma_link link_of(const struct nl_rdma_device *device, unsigned port)
{
	struct rdma_link link = { .index = device->index, .port = port, .ncv = -1 };

	memcpy(link.name, device->name, sizeof(link.name));
	return link;
}

int nl_take_port(struct nlmsghdr *hdr, void *arg)
{
	struct nl_rdma_reader *reader = arg;
	struct nlattr *tb[ATTR_LAST + 1];
	struct rdma_link link;
	uint32_t port, ifindex;
	uint8_t state;

	if (parse(hdr, RDMA_NLDEV_CMD_PORT_GET, tb) < 0 || !nlc_u32(tb[RDMA_NLDEV_ATTR_PORT_INDEX], &port))
		return -EPROTO;
	link = link_of(&reader->device[reader->current], port);
	if (nlc_u8(tb[RDMA_NLDEV_ATTR_PORT_STATE], &state)) {
		link.active = strcmp(state_name(state), "active") == 0;
		str_format(link.state, sizeof(link.state), "%s", state_name(state));
	}
	if (nlc_u32(tb[RDMA_NLDEV_ATTR_NDEV_INDEX], &ifindex) && ifindex <= INT_MAX)
		link.netdev_ifindex = (int)ifindex;
	return rdma_add_link(reader->topo, &link, reader->err);
}

/* A table of entries, each a nest of its own. One that the port filter left empty is passed over. */
static int for_each_entry(struct nlmsghdr *hdr, int command, int table, struct nl_rdma_reader *reader,
			  int (*take)(struct nlattr *const *tb, struct nl_rdma_reader *reader))
{
	struct nlattr *tb[ATTR_LAST + 1], *entry[ATTR_LAST + 1], *pos;
	uint32_t index;
	int rest;

	if (parse(hdr, command, tb) < 0 || !nlc_u32(tb[RDMA_NLDEV_ATTR_DEV_INDEX], &index) ||
	    index != reader->device[reader->current].index || !tb[table])
		return -EPROTO;
	nla_for_each_nested(pos, tb[table], rest)
	{
		int r;

		if (nla_len(pos) == 0)
			continue;
		if (nla_parse_nested(entry, ATTR_LAST, pos, NULL) < 0)
			return -EPROTO;
		r = take(entry, reader);
		if (r < 0)
			return r;
	}
	return 0;
}

/* The attribute is a sockaddr_storage; of another family (AF_IB) there is no address to tell. */
static bool read_endpoint(const struct nlattr *attr, struct ip *ret_ip, uint16_t *ret_port)
{
	struct sockaddr_storage ss = { 0 };
	size_t length = attr ? (size_t)nla_len(attr) : 0;

	if (!attr)
		return false;
	memcpy(&ss, nla_data(attr), length < sizeof(ss) ? length : sizeof(ss));
	if (length < (ss.ss_family == AF_INET6 ? sizeof(struct sockaddr_in6) : sizeof(struct sockaddr_in)))
		return false;
	return ip_from_sockaddr((const struct sockaddr *)&ss, ret_ip, ret_port) == 0;
}

static int take_cm_id(struct nlattr *const *tb, struct nl_rdma_reader *reader)
{
	const struct nl_rdma_device *device = &reader->device[reader->current];
	const char *owner = nlc_text(tb[RDMA_NLDEV_ATTR_RES_KERN_NAME]);
	struct cm_id cm_id = { .rdma_index = device->index };
	uint32_t lqpn = 0;

	if (tb[RDMA_NLDEV_ATTR_RES_KERN_NAME] && !owner)
		return -EPROTO;
	if (!owner) /* of a process, dead or alive (fill_res_name_pid) */
		return 0;
	memcpy(cm_id.rdma_name, device->name, sizeof(cm_id.rdma_name));
	str_format(cm_id.owner, sizeof(cm_id.owner), "%s", owner);
	cm_id.has_qp = nlc_u32(tb[RDMA_NLDEV_ATTR_RES_LQPN], &lqpn);
	cm_id.has_addrs = read_endpoint(tb[RDMA_NLDEV_ATTR_RES_SRC_ADDR], &cm_id.src, &cm_id.src_port) &&
			  read_endpoint(tb[RDMA_NLDEV_ATTR_RES_DST_ADDR], &cm_id.dst, &cm_id.dst_port);
	return rdma_add_cm_id(reader->topo, reader->resources, &cm_id, lqpn, reader->err);
}

int nl_take_cm_ids(struct nlmsghdr *hdr, void *arg)
{
	return for_each_entry(hdr, RDMA_NLDEV_CMD_RES_CM_ID_GET, RDMA_NLDEV_ATTR_RES_CM_ID, arg, take_cm_id);
}

static int take_qp(struct nlattr *const *tb, struct nl_rdma_reader *reader)
{
	struct rdma_qp qp = { .rdma_index = reader->device[reader->current].index };
	uint8_t state;

	if (!nlc_u32(tb[RDMA_NLDEV_ATTR_RES_LQPN], &qp.lqpn) ||
	    !nlc_u8(tb[RDMA_NLDEV_ATTR_RES_STATE], &state))
		return -EPROTO;
	qp.rts = state == QP_STATE_RTS;
	return rdma_add_qp(reader->resources, &qp, reader->err);
}

int nl_take_qps(struct nlmsghdr *hdr, void *arg)
{
	return for_each_entry(hdr, RDMA_NLDEV_CMD_RES_QP_GET, RDMA_NLDEV_ATTR_RES_QP, arg, take_qp);
}

static int dump(struct nl_conn *conn, int command, const struct nl_rdma_device *device, nlc_take take,
		struct nl_rdma_reader *reader)
{
	struct nl_msg *msg = nlc_request(type_of(command), NLM_F_DUMP, NULL, 0);

	if (msg && device && nlc_put_u32(msg, RDMA_NLDEV_ATTR_DEV_INDEX, device->index) < 0) {
		nlmsg_free(msg);
		return -EMSGSIZE;
	}
	return nlc_ask(conn, msg, take, reader);
}

/* Worth another try: a table that changed, a device that has just gone, a queue pair that cannot be queried
 * now. */
static bool is_passing(int error, const struct err *err)
{
	return error < 0 && err->code == 0 && error != -ETIMEDOUT && error != -ENOMEM;
}

static void pause_before_retry(void)
{
	const struct timespec pause = { .tv_nsec = PAUSE_MS * 1000000L };

	(void)nanosleep(&pause, NULL);
}

/* A port that the device has and netlink did not show (fill_port_info fails, and the dump ends early): state
 * unknown. */
static int add_silent_ports(const struct nl_rdma_device *device, unsigned first, struct topology *topo,
			    struct findings *findings, struct err *err)
{
	for (unsigned port = 1; port <= device->ports; port++) {
		struct rdma_link link = link_of(device, port);
		unsigned i = first;
		int r;

		while (i < topo->rdma_links && topo->rdma_link[i].port != port)
			i++;
		if (i < topo->rdma_links)
			continue;
		finding_add(findings, FINDING_UNKNOWN, "facts.readable", device->name, NULL,
			    "the kernel does not tell the state of port %u of %s", port, device->name);
		r = rdma_add_link(topo, &link, err);
		if (r < 0)
			return r;
		if (port == UINT_MAX)
			break;
	}
	return 0;
}

static int read_links(struct nl_conn *conn, struct nl_rdma_reader *reader, struct findings *findings)
{
	struct topology *topo = reader->topo;
	int r = dump(conn, RDMA_NLDEV_CMD_GET, NULL, nl_take_device, reader);

	if (reader->odd > 0)
		finding_add(findings, FINDING_UNKNOWN, "facts.readable", "RDMA netlink", NULL,
			    "%u RDMA devices have names that are none and are left out", reader->odd);
	for (reader->current = 0; r == 0 && reader->current < reader->devices; reader->current++) {
		const struct nl_rdma_device *device = &reader->device[reader->current];
		unsigned first = topo->rdma_links;

		r = dump(conn, RDMA_NLDEV_CMD_PORT_GET, device, nl_take_port, reader);
		if (is_passing(r, reader->err))
			r = 0; /* its ports are told below */
		if (r == 0)
			r = add_silent_ports(device, first, topo, findings, reader->err);
	}
	return r;
}

int nl_read_rdma(struct topology *topo, bool *ret_told, struct findings *findings, struct err *err)
{
	struct nl_rdma_reader *reader = calloc(1, sizeof(*reader));
	_cleanup_nlc_ struct nl_conn conn = { 0 };
	int r = reader ? nlc_open(&conn, NETLINK_RDMA) : -ENOMEM;

	if (r == 0) {
		reader->topo = topo;
		reader->err = err;
		r = read_links(&conn, reader, findings);
	}
	free(reader);
	*ret_told = r == 0;
	if (r < 0 && err->code != 0)
		return r;
	if (r < 0)
		finding_add(findings, FINDING_UNKNOWN, "facts.readable", "RDMA netlink", NULL,
			    "the state of RDMA devices is unknown: %s", strerror(-r));
	return 0;
}

/* True if a CM_ID from first on has a queue pair. */
static bool have_qps(const struct topology *topo, unsigned first)
{
	for (unsigned i = first; i < topo->cm_ids; i++) {
		if (topo->cm_id[i].has_qp)
			return true;
	}
	return false;
}

/*
 * All devices afresh, not those of the topology: the proof is also that no other device has any. Queue pairs
 * are read only where the kernel has connections: for each the driver asks its firmware (ib_query_qp), and a
 * compute HCA has thousands of other people's.
 */
static int read_resources(struct nl_conn *conn, struct nl_rdma_reader *reader, const char **ret_where)
{
	struct topology *topo = reader->topo;
	int r;

	topo->cm_ids = 0;
	reader->resources->qps = 0;
	reader->devices = 0;
	reader->odd = 0;
	*ret_where = "devices";
	r = dump(conn, RDMA_NLDEV_CMD_GET, NULL, nl_take_device, reader);
	if (r == 0 && reader->odd > 0)
		r = -EPROTO; /* what is on them must be known */
	for (reader->current = 0; r == 0 && reader->current < reader->devices; reader->current++) {
		const struct nl_rdma_device *device = &reader->device[reader->current];
		unsigned first = topo->cm_ids;

		*ret_where = device->name;
		r = dump(conn, RDMA_NLDEV_CMD_RES_CM_ID_GET, device, nl_take_cm_ids, reader);
		if (r == 0 && have_qps(topo, first))
			r = dump(conn, RDMA_NLDEV_CMD_RES_QP_GET, device, nl_take_qps, reader);
	}
	return r;
}

static int read_cm_ids(struct nl_conn *conn, struct nl_rdma_reader *reader)
{
	struct topology *topo = reader->topo;
	const char *where = "";
	int r = read_resources(conn, reader, &where);

	for (int attempt = 1; is_passing(r, reader->err) && attempt < NLC_ATTEMPTS; attempt++) {
		pause_before_retry();
		r = read_resources(conn, reader, &where);
	}
	if (r == 0)
		topo->cm_ids_read = reader->devices > 0 ? READ_OK : READ_NOT_THERE;
	else
		str_format(topo->cm_ids_why, sizeof(topo->cm_ids_why), "%s: %s", where, strerror(-r));
	return reader->err->code != 0 ? r : 0;
}

int nl_read_cm_ids(struct topology *topo, struct rdma_resources *resources, struct err *err)
{
	struct nl_rdma_reader *reader = calloc(1, sizeof(*reader));
	_cleanup_nlc_ struct nl_conn conn = { 0 };
	int r;

	if (!reader)
		return err_set(err, XC_ENVIRONMENT, -ENOMEM, "CM_IDs", "no memory for CM_IDs");
	reader->topo = topo;
	reader->resources = resources;
	reader->err = err;
	topo->cm_ids_read = READ_FAILED;
	r = nlc_open(&conn, NETLINK_RDMA);
	if (r == 0) {
		r = read_cm_ids(&conn, reader);
	} else {
		str_format(topo->cm_ids_why, sizeof(topo->cm_ids_why), "%s",
			   r == -EPROTONOSUPPORT ? "no RDMA stack in this kernel" : strerror(-r));
		r = 0;
	}
	free(reader);
	return r;
}
