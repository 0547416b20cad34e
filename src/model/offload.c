/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The words for the enumerations of the offload, and what makes an endpoint a live one. */
#include "model/offload.h"

#include <string.h>

const char *offload_state_name(enum offload_state state)
{
	switch (state) {
	case OFFLOAD_ACTIVE:
		return "active";
	case OFFLOAD_IDLE:
		return "idle";
	case OFFLOAD_NO_ENDPOINT:
		return "no_endpoint";
	case OFFLOAD_NIC_MODE:
		return "nic_mode";
	case OFFLOAD_UNKNOWN:
		break;
	}
	return "unknown";
}

const char *card_mode_name(enum card_mode mode)
{
	switch (mode) {
	case CARD_MODE_DPU:
		return "dpu";
	case CARD_MODE_NIC:
		return "nic";
	case CARD_MODE_UNKNOWN:
		break;
	}
	return NULL;
}

const char *eswitch_name(enum eswitch eswitch)
{
	switch (eswitch) {
	case ESWITCH_LEGACY:
		return "legacy";
	case ESWITCH_SWITCHDEV:
		return "switchdev";
	case ESWITCH_UNKNOWN:
	case ESWITCH_NONE:
		break;
	}
	return NULL;
}

const char *rpc_method_name(enum rpc_method method)
{
	switch (method) {
	case RPC_BDEV_NVME_ATTACH_CONTROLLER:
		return "bdev_nvme_attach_controller";
	case RPC_BDEV_NVME_DETACH_CONTROLLER:
		return "bdev_nvme_detach_controller";
	case RPC_NVME_SUBSYSTEM_CREATE:
		return "nvme_subsystem_create";
	case RPC_NVME_SUBSYSTEM_DESTROY:
		return "nvme_subsystem_destroy";
	case RPC_NVME_NAMESPACE_CREATE:
		return "nvme_namespace_create";
	case RPC_NVME_NAMESPACE_DESTROY:
		return "nvme_namespace_destroy";
	case RPC_NVME_CONTROLLER_CREATE:
		return "nvme_controller_create";
	case RPC_NVME_CONTROLLER_DESTROY:
		return "nvme_controller_destroy";
	case RPC_NVME_CONTROLLER_ATTACH_NS:
		return "nvme_controller_attach_ns";
	case RPC_NVME_CONTROLLER_DETACH_NS:
		return "nvme_controller_detach_ns";
	case RPC_NVME_CONTROLLER_RESUME:
		break;
	}
	return "nvme_controller_resume";
}

bool offload_endpoint_is_live(const struct offload *offload, unsigned endpoint)
{
	const struct offload_endpoint *e = &offload->endpoint[endpoint];

	if (strcmp(e->driver, "nvme") != 0 || strcmp(e->state, "live") != 0)
		return false;
	for (unsigned i = 0; i < offload->nss; i++) {
		if (offload->ns[i].endpoint == endpoint && offload->ns[i].size_bytes > 0)
			return true;
	}
	return false;
}
