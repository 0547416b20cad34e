/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What "rdma -d -j link show" and "rdma -d -j resource show cm_id" and "... qp" printed. */
#include "facts/dump_rdma.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <string.h>

#include "base/parse.h"
#include "facts/dump_file.h"
#include "facts/net.h"

static bool read_device(const struct json *entry, unsigned *ret_index, char ret_name[static RDMA_NAME_SIZE])
{
	int64_t index;

	if (json_get_i64(entry, "ifindex", 0, UINT32_MAX - 1, &index) < 0 ||
	    json_get_str(entry, "ifname", ret_name, RDMA_NAME_SIZE) < 0 || !net_name_ok(ret_name))
		return false;
	*ret_index = (unsigned)index;
	return true;
}

/* "ACTIVE" as "active". */
static bool read_state(const struct json *entry, struct rdma_link *ret)
{
	if (json_get_str(entry, "state", ret->state, sizeof(ret->state)) < 0)
		return false;
	for (char *c = ret->state; *c != '\0'; c++) {
		if (!isalpha((unsigned char)*c) && *c != '_') {
			ret->state[0] = '\0';
			return false;
		}
		*c = (char)tolower((unsigned char)*c);
	}
	ret->active = strcmp(ret->state, "active") == 0;
	return true;
}

/* NULL, or the key that is missing or wrong and leaves nothing. */
static const char *read_link(const struct json *entry, const struct topology *topo, struct rdma_link *ret)
{
	int64_t number;

	if (!read_device(entry, &ret->index, ret->name))
		return "ifname";
	if (json_get_i64(entry, "port", 1, UINT32_MAX, &number) < 0)
		return "port";
	ret->port = (unsigned)number;
	ret->netdev_ifindex = json_get_i64(entry, "netdev_index", 1, INT_MAX, &number) == 0
				      ? (int)number
				      : dump_ifindex(topo, entry, "netdev");
	return NULL;
}

int dump_rdma_links(const struct json *array, struct topology *topo, struct findings *findings,
		    struct err *err)
{
	struct dump_odd odd = { .name = "rdma-link.json" };

	for (size_t i = 0; i < json_length(array); i++) {
		struct rdma_link link = { .ncv = -1 };
		const char *wrong = read_link(json_at(array, i), topo, &link);
		int r;

		if (wrong) {
			dump_odd_add(&odd, i, wrong);
			continue;
		}
		if (!read_state(json_at(array, i), &link))
			dump_odd_add(&odd, i, "state"); /* a port all the same */
		r = rdma_add_link(topo, &link, err);
		if (r < 0)
			return r;
	}
	dump_odd_report(&odd, findings);
	return 0;
}

int dump_read_rdma(const struct root *root, struct topology *topo, bool *ret_told, struct findings *findings,
		   struct err *err)
{
	_cleanup_json_ struct json *array = NULL;
	char why[DUMP_WHY_SIZE];

	*ret_told = dump_read(root, "rdma-link.json", &array, why) != READ_FAILED;
	if (!*ret_told)
		finding_add(findings, FINDING_UNKNOWN, "facts.readable", "rdma-link.json", NULL, "%s", why);
	return dump_rdma_links(array, topo, findings, err);
}

/* "10.10.1.1:33000", "fd00::1:4420": the port is behind the last colon, and there are no brackets
 * (print_ipaddr). */
static bool read_endpoint(const struct json *entry, const char *key, struct ip *ret_ip, uint16_t *ret_port)
{
	const char *text = json_text(json_get(entry, key));
	const char *colon = text ? strrchr(text, ':') : NULL;
	char address[IP_TEXT_MAX];
	uint64_t port;

	if (!colon || (size_t)(colon - text) >= sizeof(address))
		return false;
	memcpy(address, text, (size_t)(colon - text));
	address[colon - text] = '\0';
	if (ip_parse(address, ret_ip) < 0 || parse_u64(colon + 1, UINT16_MAX, &port) < 0)
		return false;
	*ret_port = (uint16_t)port;
	return true;
}

/* The owner: rdma prints "comm" for both, "pid" only for a process; a process that has ended has neither. */
static bool read_owner(const struct json *entry, char *ret, size_t size)
{
	const char *comm = json_text(json_get(entry, "comm"));

	ret[0] = '\0';
	if (json_get(entry, "pid") || !json_get(entry, "comm"))
		return true;
	if (!comm || comm[0] == '\0')
		return false;
	str_format(ret, size, "%s", comm);
	return true;
}

/* NULL, or the key that is missing or wrong. */
static const char *read_cm_id(const struct json *entry, struct cm_id *ret, uint32_t *ret_lqpn)
{
	const struct json *src = json_get(entry, "src-addr"), *dst = json_get(entry, "dst-addr");
	int64_t lqpn = 0;
	int r;

	if (!read_device(entry, &ret->rdma_index, ret->rdma_name))
		return "ifname";
	if (!read_owner(entry, ret->owner, sizeof(ret->owner)))
		return "comm";
	r = json_get_i64(entry, "lqpn", 0, UINT32_MAX, &lqpn);
	if (r < 0 && r != -ENOENT)
		return "lqpn";
	ret->has_qp = r == 0;
	*ret_lqpn = (uint32_t)lqpn;
	if (src && !read_endpoint(entry, "src-addr", &ret->src, &ret->src_port))
		return "src-addr";
	if (dst && !read_endpoint(entry, "dst-addr", &ret->dst, &ret->dst_port))
		return "dst-addr";
	ret->has_addrs = src && dst;
	return NULL;
}

static void fail(struct topology *topo, const char *name, size_t index, const char *key)
{
	topo->cm_ids_read = READ_FAILED;
	str_format(topo->cm_ids_why, sizeof(topo->cm_ids_why), "netlink/%s: entry %zu has no usable \"%s\"",
		   name, index, key);
}

int dump_cm_ids(const struct json *array, struct topology *topo, struct rdma_resources *resources,
		struct err *err)
{
	for (size_t i = 0; i < json_length(array); i++) {
		struct cm_id cm_id = { 0 };
		uint32_t lqpn;
		const char *wrong = read_cm_id(json_at(array, i), &cm_id, &lqpn);
		int r;

		if (wrong) {
			fail(topo, "rdma-cm-id.json", i, wrong);
			return 0;
		}
		if (cm_id.owner[0] == '\0')
			continue;
		r = rdma_add_cm_id(topo, resources, &cm_id, lqpn, err);
		if (r < 0)
			return r;
	}
	return 0;
}

int dump_qps(const struct json *array, struct topology *topo, struct rdma_resources *resources,
	     struct err *err)
{
	for (size_t i = 0; i < json_length(array); i++) {
		const struct json *entry = json_at(array, i);
		const char *state = json_text(json_get(entry, "state"));
		char name[RDMA_NAME_SIZE];
		struct rdma_qp qp;
		int64_t lqpn;
		int r;

		if (!read_device(entry, &qp.rdma_index, name)) {
			fail(topo, "rdma-qp.json", i, "ifname");
			return 0;
		}
		if (!state || json_get_i64(entry, "lqpn", 0, UINT32_MAX, &lqpn) < 0) {
			fail(topo, "rdma-qp.json", i, state ? "lqpn" : "state");
			return 0;
		}
		qp.lqpn = (uint32_t)lqpn;
		qp.rts = strcmp(state, "RTS") == 0;
		r = rdma_add_qp(resources, &qp, err);
		if (r < 0)
			return r;
	}
	return 0;
}

int dump_read_cm_ids(const struct root *root, struct topology *topo, struct rdma_resources *resources,
		     struct err *err)
{
	_cleanup_json_ struct json *cm_ids = NULL, *qps = NULL;
	int r = 0;

	if (topo->rdma_links == 0 && !root_exists(root, "netlink/rdma-cm-id.json")) {
		topo->cm_ids_read = READ_NOT_THERE;
		return 0;
	}
	if (dump_read(root, "rdma-cm-id.json", &cm_ids, topo->cm_ids_why) == READ_FAILED ||
	    dump_read(root, "rdma-qp.json", &qps, topo->cm_ids_why) == READ_FAILED)
		return 0;
	topo->cm_ids_read = READ_OK;
	r = dump_cm_ids(cm_ids, topo, resources, err);
	if (r == 0 && topo->cm_ids_read == READ_OK)
		r = dump_qps(qps, topo, resources, err);
	return r;
}
