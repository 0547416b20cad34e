/* SPDX-License-Identifier: GPL-2.0-or-later */
/* NVMe controllers in the tree of a test of their readers. */
#pragma once

#include "unit/reading.h"

#define UUID "7e1c3a52-0f4b-4d6e-9a51-3c5d2b8f0001"
#define HOSTNQN "nqn.2014-08.org.nvmexpress:uuid:" UUID

static inline void put(const char *name, const char *file, const char *text)
{
	char path[192], line[512];

	snprintf(path, sizeof(path), "sys/devices/virtual/nvme-fabrics/ctl/%s/%s", name, file);
	snprintf(line, sizeof(line), "%s\n", text);
	tree_write(&tree, path, line);
}

static inline void add_ctrl(const char *name, const char *address)
{
	char path[64], target[128];

	put(name, "transport", "rdma");
	put(name, "subsysnqn", "nqn.2026-01.example:s1");
	put(name, "address", address);
	put(name, "hostnqn", HOSTNQN);
	put(name, "hostid", UUID);
	put(name, "state", "live");
	put(name, "cntlid", "1");
	put(name, "queue_count", "17");
	snprintf(path, sizeof(path), "sys/class/nvme/%s", name);
	snprintf(target, sizeof(target), "../../devices/virtual/nvme-fabrics/ctl/%s", name);
	tree_link(&tree, path, target);
}

static inline void add_namespace(const char *ctrl, const char *device, const char *nsid, const char *uuid,
				 const char *size)
{
	char file[64];

	snprintf(file, sizeof(file), "%s/nsid", device);
	put(ctrl, file, nsid);
	snprintf(file, sizeof(file), "%s/uuid", device);
	put(ctrl, file, uuid);
	snprintf(file, sizeof(file), "%s/size", device);
	put(ctrl, file, size);
}
