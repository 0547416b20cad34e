/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Look-ups in a struct result and the values that both outputs share. */
#include "report/parts.h"

#include <errno.h>
#include <string.h>

/* Only connect can be left to somebody else; what show does is done. */
const char *report_word(const struct result *result)
{
	if (result->deferred && result->exit == XC_OK && strcmp(result->command, "connect") == 0)
		return "deferred";
	return exit_class_name(result->exit);
}

const struct port *report_port(const struct result *result, int port)
{
	if (!result->topo || port < 0 || (unsigned)port >= result->topo->ports)
		return NULL;
	return &result->topo->port[port];
}

const struct netdev *report_netdev(const struct result *result, int netdev)
{
	if (!result->topo || netdev < 0 || (unsigned)netdev >= result->topo->netdevs)
		return NULL;
	return &result->topo->netdev[netdev];
}

const struct rdma_link *report_rdma(const struct result *result, int rdma)
{
	if (!result->topo || rdma < 0 || (unsigned)rdma >= result->topo->rdma_links)
		return NULL;
	return &result->topo->rdma_link[rdma];
}

const struct ctrl *report_ctrl(const struct result *result, int ctrl)
{
	if (!result->topo || ctrl < 0 || (unsigned)ctrl >= result->topo->ctrls)
		return NULL;
	return &result->topo->ctrl[ctrl];
}

const struct netdev *report_master(const struct result *result, const struct netdev *netdev)
{
	if (!netdev || netdev->master_ifindex == 0)
		return NULL;
	return topo_netdev(result->topo, netdev->master_ifindex);
}

/*
 * A machine may have 1024 controllers and 65536 queues: the ranges are found by halving, as a
 * scan for each controller would be quadratic.
 */
const struct ns *report_nss(const struct result *result, int ctrl, unsigned *ret_count)
{
	const struct topology *topo = result->topo;
	unsigned low = 0, high;

	*ret_count = 0;
	if (!report_ctrl(result, ctrl))
		return NULL;
	high = topo->nss;
	while (low < high) {
		unsigned middle = low + (high - low) / 2;

		if (topo->ns[middle].ctrl < (unsigned)ctrl)
			low = middle + 1;
		else
			high = middle;
	}
	while (low + *ret_count < topo->nss && topo->ns[low + *ret_count].ctrl == (unsigned)ctrl)
		(*ret_count)++;
	return &topo->ns[low];
}

const struct queue *report_queues(const struct result *result, int ctrl, unsigned *ret_count)
{
	const struct queues *queues = result->queues;
	unsigned low = 0, high;

	*ret_count = 0;
	if (!queues || !report_ctrl(result, ctrl))
		return NULL;
	high = queues->count;
	while (low < high) {
		unsigned middle = low + (high - low) / 2;

		if (queues->queue[middle].ctrl < (unsigned)ctrl)
			low = middle + 1;
		else
			high = middle;
	}
	while (low + *ret_count < queues->count && queues->queue[low + *ret_count].ctrl == (unsigned)ctrl)
		(*ret_count)++;
	return &queues->queue[low];
}

static int compare_addrs(const void *va, const void *vb)
{
	const struct netaddr *a = *(const struct netaddr *const *)va, *b = *(const struct netaddr *const *)vb;
	int order = ip_compare(&a->ip, &b->ip);

	if (order)
		return order;
	return a->prefixlen < b->prefixlen ? -1 : a->prefixlen > b->prefixlen;
}

void report_addrs(const struct result *result, const struct netdev *netdev, struct report_addrs *ret)
{
	const struct topology *topo = result->topo;

	ret->count = 0;
	if (!netdev)
		return;
	for (unsigned i = 0; i < topo->addrs; i++) {
		if (topo->addr[i].ifindex == netdev->ifindex)
			ret->addr[ret->count++] = &topo->addr[i];
	}
	qsort(ret->addr, ret->count, sizeof(ret->addr[0]), compare_addrs);
}

const char *report_addr(const struct netaddr *addr, char buf[static REPORT_ADDR_MAX])
{
	struct ip ip = addr->ip;
	char text[IP_TEXT_MAX];

	ip.scope[0] = '\0'; /* the netdev stands beside it */
	str_format(buf, REPORT_ADDR_MAX, "%s/%u", ip_format(&ip, text), addr->prefixlen);
	return buf;
}

int report_end(FILE *out)
{
	errno = 0;
	if (fflush(out) != 0 || ferror(out))
		return errno ? -errno : -EIO;
	return 0;
}

void report_set_text(struct json *object, const char *key, const char *text)
{
	json_set_str(object, key, text && text[0] != '\0' ? text : NULL);
}

void report_set_known(struct json *object, const char *key, int64_t value)
{
	if (value < 0)
		json_set(object, key, NULL);
	else
		json_set_i64(object, key, value);
}

void report_set_pci(struct json *object, const char *key, const struct pci_addr *pci)
{
	char text[PCI_TEXT_MAX];

	json_set_str(object, key, pci_format(pci, text));
}

void report_set_port(struct json *object, const char *key, const struct port *port)
{
	if (port)
		report_set_pci(object, key, &port->pci);
	else
		json_set(object, key, NULL);
}

void report_set_cpus(struct json *object, const char *key, const struct cpuset *set)
{
	char text[CPUSET_TEXT_MAX];

	json_set_str(object, key, set && cpuset_format(set, text, sizeof(text)) == 0 ? text : NULL);
}

void report_set_place(struct json *object, const char *key, const struct cpuset *set)
{
	report_set_cpus(object, key, set && !cpuset_is_empty(set) ? set : NULL);
}
