/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * "offload" of the JSON document: cards, emulated functions, and the plan as JSON-RPC requests with the
 * parameters that SPDK and SNAP-4 document.
 */
#include "report/parts.h"

#define SNAP_NQN "nqn.2022-10.io.nvda.nvme:0" /* of the one emulated subsystem, as in SNAP's documentation \
					       */
#define SNAP_PF_ID 0			      /* its first emulated function */

static void set_bdev(struct json *params, const char *key, const struct offload_path *path, bool namespace)
{
	char name[32];

	str_format(name, sizeof(name), namespace ? "offload%un1" : "offload%u", path->subsystem);
	json_set_str(params, key, name);
}

/* What names a path, to attach and to detach it. */
static void set_trid(struct json *params, const struct offload_path *path)
{
	struct ip traddr = path->portal.traddr;
	char text[IP_TEXT_MAX];

	traddr.scope[0] = '\0'; /* an interface of this host */
	set_bdev(params, "name", path, false);
	json_set_str(params, "trtype", "RDMA");
	json_set_str(params, "adrfam", traddr.family == 6 ? "IPv6" : "IPv4");
	json_set_str(params, "traddr", ip_format(&traddr, text));
	json_set_str(params, "trsvcid", path->portal.trsvcid);
	json_set_str(params, "subnqn", path->portal.nqn);
	if (path->hostaddr[0] != '\0')
		json_set_str(params, "hostaddr", path->hostaddr);
}

static void set_options(struct json *params, const struct offload *offload, const struct offload_path *path)
{
	if (offload->hostnqn[0] != '\0')
		json_set_str(params, "hostnqn", offload->hostnqn);
	json_set_str(params, "multipath", "multipath");
	json_set_i64(params, "num_io_queues", path->num_io_queues);
	json_set_i64(params, "ctrlr_loss_timeout_sec", path->ctrlr_loss_timeout_sec);
	json_set_i64(params, "reconnect_delay_sec", path->reconnect_delay_sec);
}

static struct json *params_json(const struct offload *offload, const struct offload_path *path,
				enum rpc_method method)
{
	struct json *params = json_object_new();

	switch (method) {
	case RPC_BDEV_NVME_ATTACH_CONTROLLER:
		set_trid(params, path);
		set_options(params, offload, path);
		break;
	case RPC_BDEV_NVME_DETACH_CONTROLLER:
		set_trid(params, path);
		break;
	case RPC_NVME_SUBSYSTEM_CREATE:
	case RPC_NVME_SUBSYSTEM_DESTROY:
		json_set_str(params, "nqn", SNAP_NQN);
		break;
	case RPC_NVME_NAMESPACE_CREATE:
		json_set_str(params, "bdev_type", "spdk");
		json_set_str(params, "nqn", SNAP_NQN);
		json_set_i64(params, "nsid", path->subsystem + 1);
		set_bdev(params, "bdev_name", path, true);
		break;
	case RPC_NVME_NAMESPACE_DESTROY:
		json_set_str(params, "nqn", SNAP_NQN);
		json_set_i64(params, "nsid", path->subsystem + 1);
		break;
	case RPC_NVME_CONTROLLER_CREATE:
		json_set_str(params, "nqn", SNAP_NQN);
		json_set_i64(params, "pf_id", SNAP_PF_ID);
		json_set_bool(params, "suspended", true);
		break;
	case RPC_NVME_CONTROLLER_ATTACH_NS:
	case RPC_NVME_CONTROLLER_DETACH_NS:
		json_set_i64(params, "nsid", path->subsystem + 1);
		break;
	case RPC_NVME_CONTROLLER_DESTROY:
	case RPC_NVME_CONTROLLER_RESUME:
		break; /* ctrl_id alone, which only the card knows */
	}
	return params;
}

static struct json *rpcs_json(const struct offload *offload, const struct offload_path *path,
			      const struct rpc *rpc, unsigned count)
{
	struct json *list = json_array_new();

	for (unsigned i = 0; i < count; i++) {
		struct json *j = json_object_new(), *request = json_object_new();

		json_set_str(request, "jsonrpc", "2.0");
		json_set_i64(request, "id", rpc[i].id);
		json_set_str(request, "method", rpc_method_name(rpc[i].method));
		json_set(request, "params", params_json(offload, path, rpc[i].method));
		json_set(j, "rpc", request);
		report_set_known(j, "ctrl_id_from", rpc[i].take > 0 ? (int64_t)rpc[i].take : -1);
		json_push(list, j);
	}
	return list;
}

static void set_card(struct json *object, const char *key, const struct offload *offload, int card)
{
	if (card >= 0 && (unsigned)card < offload->cards)
		report_set_pci(object, key, &offload->card[card].pci);
	else
		json_set(object, key, NULL);
}

static struct json *plan_json(const struct offload *offload)
{
	struct json *list = json_array_new();

	for (unsigned i = 0; i < offload->paths; i++) {
		const struct offload_path *path = &offload->path[i];
		struct json *j = json_object_new();
		char text[IP_TEXT_MAX];

		json_set_str(j, "nqn", path->portal.nqn);
		json_set_str(j, "traddr", ip_format(&path->portal.traddr, text));
		json_set_str(j, "trsvcid", path->portal.trsvcid);
		report_set_text(j, "host_traddr", path->hostaddr);
		set_card(j, "card", offload, path->card);
		json_set(j, "requests", rpcs_json(offload, path, path->request, path->requests));
		json_set(j, "inverse", rpcs_json(offload, path, path->inverse, path->inverses));
		json_push(list, j);
	}
	return list;
}

static struct json *cards_json(const struct offload *offload)
{
	struct json *list = json_array_new();

	for (unsigned i = 0; i < offload->cards; i++) {
		const struct offload_card *card = &offload->card[i];
		struct json *j = json_object_new(), *evidence = json_array_new();

		report_set_pci(j, "pci", &card->pci);
		report_set_known(j, "slot", card->slot);
		json_set_str(j, "mode", card_mode_name(card->mode));
		json_set_str(j, "state", offload_state_name(card->state));
		for (unsigned k = 0; k < card->evidences; k++)
			json_push_str(evidence, card->evidence[k]);
		json_set(j, "evidence", evidence);
		json_push(list, j);
	}
	return list;
}

static struct json *namespaces_json(const struct offload *offload, unsigned endpoint)
{
	struct json *list = json_array_new();

	for (unsigned i = 0; i < offload->nss; i++) {
		const struct offload_ns *ns = &offload->ns[i];
		struct json *j;

		if (ns->endpoint != endpoint)
			continue;
		j = json_object_new();
		json_set_i64(j, "nsid", ns->nsid);
		json_set_str(j, "device", ns->device);
		report_set_known(j, "size_bytes", ns->size_bytes);
		json_push(list, j);
	}
	return list;
}

static struct json *endpoints_json(const struct offload *offload)
{
	struct json *list = json_array_new();

	for (unsigned i = 0; i < offload->endpoints; i++) {
		const struct offload_endpoint *e = &offload->endpoint[i];
		struct json *j = json_object_new();

		report_set_pci(j, "pci", &e->pci);
		set_card(j, "card", offload, e->card);
		report_set_text(j, "driver", e->driver);
		report_set_text(j, "controller", e->controller);
		report_set_text(j, "state", e->state);
		json_set(j, "namespaces", namespaces_json(offload, i));
		json_push(list, j);
	}
	return list;
}

struct json *report_json_offload(const struct result *result)
{
	const struct offload *offload = result->offload;
	struct json *j;

	if (!offload)
		return NULL;
	j = json_object_new();
	json_set(j, "plan", plan_json(offload));
	json_set_str(j, "state", offload_state_name(offload->state));
	json_set(j, "cards", cards_json(offload));
	json_set(j, "endpoints", endpoints_json(offload));
	return j;
}
