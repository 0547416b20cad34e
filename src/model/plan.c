/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The words of classification and plan. */
#include "model/plan.h"

const char *unusable_name(enum unusable u)
{
	switch (u) {
	case USABLE:
		return NULL;
	case UNUSABLE_NOT_STORAGE:
		return "not-storage";
	case UNUSABLE_WRONG_ID:
		return "wrong-pci-id";
	case UNUSABLE_NO_NETDEV:
		return "no-netdev";
	case UNUSABLE_NO_RDMA:
		return "no-rdma-device";
	case UNUSABLE_LINK_DOWN:
		return "link-down";
	case UNUSABLE_RDMA_DOWN:
		return "rdma-port-down";
	case UNUSABLE_NO_ADDRESS:
		return "no-address";
	case UNUSABLE_CROSS_CARD_LAG:
		return "cross-card-lag";
	case UNUSABLE_MIXED_BOND:
		return "bond-not-all-storage";
	case UNUSABLE_COUNT:
		break;
	}
	return "unknown";
}

const char *unusable_advice(enum unusable u)
{
	switch (u) {
	case USABLE:
		return "it is usable";
	case UNUSABLE_NOT_STORAGE:
		return "it is no storage port";
	case UNUSABLE_WRONG_ID:
		return "its PCI id is not that of the platform's storage cards";
	case UNUSABLE_NO_NETDEV:
		return "it has no network interface: is its driver loaded?";
	case UNUSABLE_NO_RDMA:
		return "it has no RDMA device: is mlx5_ib loaded, and RoCE on?";
	case UNUSABLE_LINK_DOWN:
		return "its link is down: bring the interface up, check cable and switch";
	case UNUSABLE_RDMA_DOWN:
		return "its RDMA port is not active: check the link, on InfiniBand the subnet manager";
	case UNUSABLE_NO_ADDRESS:
		return "it has no address: give it one in the storage subnet";
	case UNUSABLE_CROSS_CARD_LAG:
		return "it is in a bond over two cards whose mode is not active-backup, where answers "
		       "reach the wrong card; use two source addresses and NVMe multipath, or "
		       "active-backup";
	case UNUSABLE_MIXED_BOND:
		return "it is in a bond with a member that is no storage port; take that one out";
	case UNUSABLE_COUNT:
		break;
	}
	return "unknown";
}

const char *roce_lag_name(enum roce_lag lag)
{
	switch (lag) {
	case ROCE_LAG_ACTIVE:
		return "active";
	case ROCE_LAG_POSSIBLE:
		return "possible";
	case ROCE_LAG_IMPOSSIBLE:
		return "impossible";
	case ROCE_LAG_UNKNOWN:
		break;
	}
	return "unknown";
}

const char *roce_rule_name(enum roce_rule rule)
{
	switch (rule) {
	case ROCE_RULE_PORTS:
		return "ports";
	case ROCE_RULE_ONE_CARD:
		return "one-card";
	case ROCE_RULE_ALL_PORTS:
		return "all-ports";
	case ROCE_RULE_MODE:
		return "mode";
	case ROCE_RULE_ETHERNET:
		return "ethernet";
	case ROCE_RULE_NO_VFS:
		return "no-vfs";
	case ROCE_RULE_LEGACY:
		return "legacy-eswitch";
	}
	return NULL;
}

const char *rule_state_name(enum rule_state state)
{
	switch (state) {
	case RULE_MET:
		return "met";
	case RULE_BROKEN:
		return "broken";
	case RULE_UNKNOWN:
		break;
	}
	return "unknown";
}

const char *path_action_name(enum path_action action)
{
	switch (action) {
	case PATH_NONE:
		return "none";
	case PATH_CONNECTED:
		return "connected";
	case PATH_KEPT:
		return "kept";
	case PATH_WOULD_CONNECT:
		return "would-connect";
	case PATH_DISCONNECTED:
		return "disconnected";
	case PATH_WOULD_DISCONNECT:
		return "would-disconnect";
	case PATH_FAILED:
		return "failed";
	case PATH_FOREIGN:
		break;
	}
	return "foreign";
}

const char *path_reason_name(enum path_reason reason)
{
	switch (reason) {
	case PATH_REASON_NONE:
		return NULL;
	case PATH_NO_LISTENER:
		return "no-listener";
	case PATH_NO_ANSWER:
		return "no-answer";
	case PATH_NQN_UNKNOWN:
		return "nqn-unknown";
	case PATH_HOST_NOT_ALLOWED:
		return "host-not-allowed";
	case PATH_ADDRESS_MISSING:
		return "address-missing";
	case PATH_NO_RDMA_DEVICE:
		return "no-rdma-device";
	case PATH_TIMEOUT:
		return "timeout";
	case PATH_PROOF_MISMATCH:
		return "proof-mismatch";
	case PATH_IN_USE:
		return "in-use";
	case PATH_NOT_OURS:
		return "not-ours";
	case PATH_FIRST_CONNECT:
		return "first-connect";
	case PATH_PENDING:
		return "pending";
	case PATH_OTHER:
		break;
	}
	return "other";
}

const char *proof_name(enum proof proof)
{
	switch (proof) {
	case PROOF_RDMA_NETLINK:
		return "rdma-netlink";
	case PROOF_NONE:
		break;
	}
	return "none";
}

const char *path_owner_name(const struct path *path)
{
	switch (path->owner) {
	case OWNER_UNKNOWN:
		return NULL;
	case OWNER_US:
		return "nvme-partition";
	case OWNER_REGISTERED:
		return path->registered;
	case OWNER_OTHER:
		break;
	}
	return "other";
}

const char *skip_reason_name(enum skip_reason reason)
{
	switch (reason) {
	case SKIP_NOT_VIA_STORAGE:
		return "not-via-storage";
	case SKIP_NO_ROUTE:
		return "no-route";
	case SKIP_PORT_UNUSABLE:
		return "port-unusable";
	case SKIP_TRANSPORT_MISMATCH:
		return "transport-mismatch";
	case SKIP_DUPLICATE:
		return "duplicate";
	case SKIP_CONFLICT:
		return "conflict";
	case SKIP_INVALID:
		return "invalid";
	case SKIP_DISCOVERY_SUBSYSTEM:
		break;
	}
	return "discovery-subsystem";
}
