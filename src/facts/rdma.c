/* SPDX-License-Identifier: GPL-2.0-or-later */
/* RDMA devices, their ports, and the connections on them that belong to the kernel. */
#include "facts/rdma.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "facts/dump_rdma.h"
#include "facts/facts.h"
#include "facts/net.h"
#include "facts/nl_rdma.h"
#include "facts/sysfs.h"

#define CLASS "sys/class/infiniband"
#define LINK_MAX 1024

int rdma_add_link(struct topology *topo, const struct rdma_link *link, struct err *err)
{
	if (topo->rdma_links == TOPO_RDMA_MAX)
		return sysfs_full(err, "RDMA ports", TOPO_RDMA_MAX);
	topo->rdma_link[topo->rdma_links++] = *link;
	return 0;
}

int rdma_add_cm_id(struct topology *topo, struct rdma_resources *resources, const struct cm_id *cm_id,
		   uint32_t lqpn, struct err *err)
{
	if (topo->cm_ids == TOPO_CM_IDS_MAX)
		return sysfs_full(err, "CM_IDs", TOPO_CM_IDS_MAX);
	resources->lqpn[topo->cm_ids] = lqpn;
	topo->cm_id[topo->cm_ids++] = *cm_id;
	return 0;
}

int rdma_add_qp(struct rdma_resources *resources, const struct rdma_qp *qp, struct err *err)
{
	struct rdma_qp *larger;

	if (resources->qps == RDMA_QPS_MAX)
		return sysfs_full(err, "RDMA queue pairs", RDMA_QPS_MAX);
	larger = mem_grow(resources->qp, resources->qps, sizeof(*larger));
	if (!larger)
		return err_set(err, XC_ENVIRONMENT, -ENOMEM, "queue pairs", "no memory for queue pairs");
	resources->qp = larger;
	resources->qp[resources->qps++] = *qp;
	return 0;
}

static enum link_layer parse_link_layer(const char *text)
{
	if (strcmp(text, "Ethernet") == 0)
		return LINK_LAYER_ETHERNET;
	return strcmp(text, "InfiniBand") == 0 ? LINK_LAYER_INFINIBAND : LINK_LAYER_UNKNOWN;
}

/* What sysfs knows of a port: the function of its device, and the link layer. */
static void tie(const struct root *root, struct rdma_link *link, struct findings *findings)
{
	char text[LINK_MAX];
	int r = root_link(root, text, sizeof(text), CLASS "/%s", link->name);

	if (r < 0) {
		sysfs_unreadable(findings, link->name, r, CLASS "/%s", link->name);
		return;
	}
	net_place_of_link(text, &link->has_pci, &link->pci, &link->subfunction);
	r = root_line(root, text, sizeof(text), CLASS "/%s/ports/%u/link_layer", link->name, link->port);
	if (r < 0)
		sysfs_unreadable(findings, link->name, r, CLASS "/%s/ports/%u/link_layer", link->name,
				 link->port);
	else
		link->link_layer = parse_link_layer(text);
}

static bool is_known(const struct topology *topo, unsigned links, const char *name)
{
	for (unsigned i = 0; i < links; i++) {
		if (strcmp(topo->rdma_link[i].name, name) == 0)
			return true;
	}
	return false;
}

/* A device that sysfs alone shows: its ports, of unknown state. */
static int add_from_sysfs(const struct root *root, const char *name, struct topology *topo, struct err *err)
{
	_cleanup_names_ struct names ports = NAMES_INIT;
	int r = root_list(root, &ports, CLASS "/%s/ports", name);

	if (r < 0) /* gone meanwhile */
		return 0;
	for (size_t i = 0; i < ports.count; i++) {
		struct rdma_link link = { .index = RDMA_INDEX_UNKNOWN, .ncv = -1 };

		if (!sysfs_numbered(ports.name[i], "", &link.port) ||
		    str_copy(link.name, sizeof(link.name), name) < 0)
			continue;
		r = rdma_add_link(topo, &link, err);
		if (r < 0)
			return r;
	}
	return 0;
}

/* Netlink and sysfs must show the same devices. told: netlink was readable, so a difference is odd. */
static int add_what_is_missing(const struct root *root, struct topology *topo, bool told,
			       struct findings *findings, struct err *err)
{
	_cleanup_names_ struct names names = NAMES_INIT;
	unsigned links = topo->rdma_links;
	int r = root_list(root, &names, CLASS);

	if (r < 0 && r != -ENOENT)
		return sysfs_failed(err, r, CLASS);
	for (size_t i = 0; i < names.count; i++) {
		const char *name = names.name[i];

		if (is_known(topo, links, name) || !net_name_ok(name))
			continue;
		if (told)
			finding_add(findings, FINDING_UNKNOWN, "facts.readable", name, NULL,
				    "RDMA netlink does not show %s, sysfs does: its state is unknown", name);
		r = add_from_sysfs(root, name, topo, err);
		if (r < 0)
			return r;
	}
	return 0;
}

static int compare_links(const void *a, const void *b)
{
	const struct rdma_link *x = a, *y = b;
	int order = strverscmp(x->name, y->name);

	return order ? order : (x->port > y->port) - (x->port < y->port);
}

int facts_read_rdma(const struct root *root, struct topology *topo, struct findings *findings,
		    struct err *err)
{
	bool told = false;
	int r;

	topo->rdma_links = 0;
	/* A NETLINK_RDMA socket would load ib_core; without its class there are no devices. */
	if (root->live && !root_exists(root, CLASS))
		return 0;
	r = root->live ? nl_read_rdma(topo, &told, findings, err)
		       : dump_read_rdma(root, topo, &told, findings, err);
	if (r == 0)
		r = add_what_is_missing(root, topo, told, findings, err);
	if (r < 0)
		return r;
	for (unsigned i = 0; i < topo->rdma_links; i++)
		tie(root, &topo->rdma_link[i], findings);
	qsort(topo->rdma_link, topo->rdma_links, sizeof(topo->rdma_link[0]), compare_links);
	return 0;
}

static int compare_qps(const void *a, const void *b)
{
	const struct rdma_qp *x = a, *y = b;

	if (x->rdma_index != y->rdma_index)
		return x->rdma_index < y->rdma_index ? -1 : 1;
	return (x->lqpn > y->lqpn) - (x->lqpn < y->lqpn);
}

/*
 * The state CONNECT of a CM_ID shows already while the request is pending (cma.c); only the queue pair's own
 * state tells whether it carries traffic. One that is in no table is gone.
 */
static void join(struct topology *topo, struct rdma_resources *resources)
{
	if (resources->qps == 0)
		return;
	qsort(resources->qp, resources->qps, sizeof(resources->qp[0]), compare_qps);
	for (unsigned i = 0; i < topo->cm_ids; i++) {
		struct cm_id *cm_id = &topo->cm_id[i];
		struct rdma_qp key = { .rdma_index = cm_id->rdma_index, .lqpn = resources->lqpn[i] };
		const struct rdma_qp *qp;

		if (!cm_id->has_qp)
			continue;
		qp = bsearch(&key, resources->qp, resources->qps, sizeof(key), compare_qps);
		cm_id->qp_rts = qp && qp->rts;
	}
}

int facts_read_cm_ids(const struct root *root, struct topology *topo, struct findings *findings,
		      struct err *err)
{
	struct rdma_resources *resources;
	int r;

	topo->cm_ids = 0;
	topo->cm_ids_why[0] = '\0';
	topo->cm_ids_read = READ_FAILED;
	if (root->live && !root_exists(root, CLASS)) {
		str_format(topo->cm_ids_why, sizeof(topo->cm_ids_why), "no RDMA stack in this kernel");
		return 0;
	}
	resources = calloc(1, sizeof(*resources));
	if (!resources)
		return err_set(err, XC_ENVIRONMENT, -ENOMEM, "CM_IDs", "no memory for CM_IDs");
	r = root->live ? nl_read_cm_ids(topo, resources, err) : dump_read_cm_ids(root, topo, resources, err);
	if (r == 0 && topo->cm_ids_read == READ_OK)
		join(topo, resources);
	else
		topo->cm_ids = 0; /* a part of them proves nothing */
	if (r == 0 && topo->cm_ids_read == READ_FAILED)
		finding_add(findings, FINDING_UNKNOWN, "facts.readable", "CM_IDs", NULL,
			    "which connections are on which RDMA device is unknown: %s", topo->cm_ids_why);
	free(resources->qp);
	free(resources);
	return r;
}
