/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of verify share: how things are named, and which port a thing belongs to. */
#pragma once

#include "policy/check.h"
#include "policy/verify.h"

#define VERIFY_NO_PLATFORM                                                        \
	"no platform file matches this machine, so no port is known as storage: " \
	"describe the machine in /etc/nvme-partition/platforms.d"

/* "nvme3 (nqn.2026-01.example:s1 at 10.10.1.2:4420)". Returns buf. */
#define CTRL_TEXT_MAX (NVME_NAME_SIZE + NQN_SIZE + IP_TEXT_MAX + 48)
const char *verify_ctrl_text(const struct ctrl *ctrl, char buf[static CTRL_TEXT_MAX]);

/* "nvme3": the object of its findings. Returns buf. */
const char *verify_ctrl_name(const struct ctrl *ctrl, char buf[static NVME_NAME_SIZE]);

/* "sys/class/nvme/nvme3/state": the evidence. Returns buf. */
#define CTRL_FILE_MAX 96
const char *verify_ctrl_file(const struct ctrl *ctrl, const char *file, char buf[static CTRL_FILE_MAX]);

/* Why CM_IDs could not be read. */
const char *verify_cm_ids_why(const struct topology *topo);

/* A controller that is there and takes I/O. */
bool verify_is_live(const struct topology *topo, const struct path *path);

/* A discovery controller, which has no I/O queues: there is no disk behind it. path: one of v->plan. */
bool verify_is_discovery(const struct verify *v, const struct path *path);

/* What is sent from a netdev leaves over storage ports alone. */
bool verify_netdev_is_storage(const struct verify *v, int netdev);
/* A port below a netdev, also of a bridge over one, for messages; index into ports, -1: none. */
int verify_netdev_port(const struct verify *v, int netdev);

/* "0000:18:00.0, compute", "no port of a platform". Returns buf. */
#define PORT_TEXT_MAX 96
const char *verify_port_text(const struct verify *v, int port, char buf[static PORT_TEXT_MAX]);

/*
 * True if everything that the RDMA device could send leaves over storage ports. *ret_port: its port; -1: none
 * is known.
 */
bool verify_rdma_is_storage(const struct verify *v, unsigned rdma, int *ret_port);

/* The netdev is up with carrier; of a port without one, the RDMA port is active. */
bool verify_port_has_link(const struct topology *topo, int port);
enum link_layer verify_link_layer(const struct topology *topo, int port);

/* What is not seen is no evidence: an unknown, if interfaces or addresses could not all be read. */
void verify_unread(const struct verify *v, struct check *check);

/*
 * Addresses but link-local ones and those of the loopback; usable: those that can be a source alone. One that
 * is tentative or deprecated has its route all the same.
 */
struct verify_addrs {
	unsigned addr[TOPO_ADDRS_MAX]; /* index into addrs */
	int netdev[TOPO_ADDRS_MAX];    /* whose it is, index into netdevs */
	bool storage[TOPO_ADDRS_MAX];  /* verify_netdev_is_storage of that */
	unsigned count;
};
void verify_addrs_collect(const struct verify *v, bool usable, struct verify_addrs *ret);
/* "10.10.1.1/24". Returns buf. */
#define ADDR_TEXT_MAX (IP_TEXT_MAX + 12)
const char *verify_addr_text(const struct netaddr *addr, char buf[static ADDR_TEXT_MAX]);
/* A host of one of the two subnets is one of the other. */
bool verify_same_subnet(const struct netaddr *a, const struct netaddr *b);
