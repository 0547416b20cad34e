/* SPDX-License-Identifier: GPL-2.0-or-later */
/* "paths" of the JSON document: controllers, their namespaces and queues. */
#include "report/parts.h"

static struct json *namespaces_json(const struct result *result, int ctrl)
{
	struct json *list = json_array_new();
	unsigned count;
	const struct ns *ns = report_nss(result, ctrl, &count);

	for (unsigned i = 0; i < count; i++) {
		struct json *j = json_object_new();

		json_set_i64(j, "nsid", ns[i].nsid);
		report_set_text(j, "device", ns[i].device);
		report_set_text(j, "path_device", ns[i].path_device);
		report_set_text(j, "uuid", ns[i].uuid);
		report_set_known(j, "size_bytes", ns[i].size_bytes);
		json_push(list, j);
	}
	return list;
}

static void set_tristate(struct json *object, const char *key, enum tristate value)
{
	switch (value) {
	case TRI_UNKNOWN:
		json_set(object, key, NULL);
		break;
	case TRI_NO:
		json_set_bool(object, key, false);
		break;
	case TRI_YES:
		json_set_bool(object, key, true);
		break;
	}
}

static struct json *queue_json(const struct topology *topo, const struct queue *queue)
{
	const struct irq *irq = NULL;
	const struct hctx *hctx = NULL;
	struct json *j = json_object_new();

	if (queue->irq >= 0 && (unsigned)queue->irq < topo->irqs)
		irq = &topo->irq[queue->irq];
	if (queue->hctx >= 0 && (unsigned)queue->hctx < topo->hctxs)
		hctx = &topo->hctx[queue->hctx];
	json_set_i64(j, "qid", queue->qid);
	report_set_known(j, "hctx", hctx ? (int64_t)hctx->number : -1);
	report_set_known(j, "vector", queue->vector);
	json_set_str(j, "vector_source", queue->vector >= 0 ? "kernel-formula" : NULL);
	report_set_known(j, "irq", irq ? (int64_t)irq->irq : -1);
	report_set_text(j, "irq_name", irq ? irq->name : NULL);
	report_set_cpus(j, "irq_cpus", irq && irq->affinity_known ? &irq->affinity : NULL);
	report_set_cpus(j, "effective_cpus", irq && irq->effective_known ? &irq->effective : NULL);
	report_set_cpus(j, "hctx_cpus", hctx ? &hctx->cpus : NULL);
	report_set_known(j, "numa_node", queue->numa_node);
	set_tristate(j, "local", queue->local);
	return j;
}

static struct json *queues_json(const struct result *result, int ctrl)
{
	struct json *list = json_array_new();
	unsigned count;
	const struct queue *queue = report_queues(result, ctrl, &count);

	for (unsigned i = 0; i < count; i++)
		json_push(list, queue_json(result->topo, &queue[i]));
	return list;
}

static struct json *path_error_json(const struct path *path)
{
	struct json *j;

	if (path->reason == PATH_REASON_NONE)
		return NULL;
	j = json_object_new();
	json_set_str(j, "reason", path_reason_name(path->reason));
	json_set_str(j, "message", path->message);
	return j;
}

static void path_set_ctrl(struct json *j, const struct ctrl *ctrl)
{
	char name[24] = "";

	if (ctrl)
		str_format(name, sizeof(name), "nvme%u", ctrl->instance);
	report_set_text(j, "controller", name);
	report_set_known(j, "cntlid", ctrl ? ctrl->cntlid : -1);
	report_set_text(j, "state", ctrl ? ctrl->state : NULL);
}

static struct json *path_json(const struct result *result, const struct path *path)
{
	const struct netdev *netdev = report_netdev(result, path->netdev);
	const struct rdma_link *rdma = report_rdma(result, path->rdma);
	struct json *j = json_object_new();

	report_set_text(j, "nqn", path->id.nqn);
	report_set_text(j, "traddr", path->id.traddr);
	report_set_text(j, "trsvcid", path->id.trsvcid);
	report_set_text(j, "host_traddr", path->id.host_traddr);
	report_set_port(j, "port", report_port(result, path->port));
	report_set_text(j, "netdev", netdev ? netdev->name : NULL);
	report_set_text(j, "rdma_device", rdma ? rdma->name : NULL);
	json_set_str(j, "proof", proof_name(path->proof));
	path_set_ctrl(j, report_ctrl(result, path->ctrl));
	json_set_str(j, "owner", path_owner_name(path));
	json_set_str(j, "action", path_action_name(path->action));
	json_set(j, "error", path_error_json(path));
	json_set(j, "namespaces", namespaces_json(result, path->ctrl));
	json_set(j, "queues", queues_json(result, path->ctrl));
	return j;
}

void report_json_paths(const struct result *result, FILE *out)
{
	unsigned count = result->plan ? result->plan->paths : 0;

	/* One at a time: with all their queues together they would be most of the program's memory. */
	fputs("[", out);
	for (unsigned i = 0; i < count; i++) {
		_cleanup_json_ struct json *j = path_json(result, &result->plan->path[i]);

		fputs(i > 0 ? ",\n    " : "\n    ", out);
		json_print(out, j, 4);
	}
	fputs("\n  ]", out);
}
