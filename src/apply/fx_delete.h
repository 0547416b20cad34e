/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Deletes NVMe controllers: the only writer of delete_controller.
 *
 * The write comes back when the controller is gone. On a dead link that takes minutes, no signal
 * ends it, and a process with a thread in it cannot exit. So a child writes, which has closed everything else
 * (the lock, the journal, the pipes of whoever started us): the parent can leave it behind.
 *
 * The controller is held by a descriptor of its directory in sysfs. The kernel gives nvmeN anew as soon as it
 * is free, but not this directory: what is opened below it is of this controller or is not there.
 *
 * Why not nvme_disconnect_ctrl(): libnvme writes by the name nvmeN.
 */
#pragma once

#include <sys/types.h>

#include "apply/fx.h"
#include "apply/fx_nvme_why.h"
#include "base/root.h"

struct fx_delete {
	int dir;     /* the controller's in sysfs; -1: none */
	pid_t child; /* 0: none, or it has ended */
	int code;    /* of its write: 0 or -errno */
	unsigned instance;
	char portal[PORTAL_TEXT_MAX]; /* for messages */
};
#define FX_DELETE_INIT    \
	{                 \
		.dir = -1 \
	}

/*
 * The identity of the controller whose directory dir is. -ENOENT, -ENODEV: it is going; -EPROTONOSUPPORT: it
 * is not one of RDMA, so never ours.
 */
int fx_delete_read_id(const struct root *dir, struct ctrl_id *ret) _must_check_;

/*
 * Begins to delete nvme<instance>, if it is (still) the controller id, with this inode if that is not 0: else
 * -ESTALE. One without the attribute delete_controller is leaving already and is only watched. Needs
 * a live root. 0 or -errno with err (object: the portal). After 0: fx_delete_close.
 */
int fx_delete_begin(const struct root *root, const struct ctrl_id *id, unsigned instance, uint64_t inode,
		    struct fx_delete *ret, struct err *err) _must_check_;

/* Never blocks. REMOVAL_GONE once the directory is dead, whatever the write said. */
enum removal fx_delete_poll(struct fx_delete *del, struct err *err);

/* Lets go; a child that still writes is left to its write. */
void fx_delete_close(struct fx_delete *del);
#define _cleanup_delete_ _cleanup_(fx_delete_close)

/* All of it, within timeout_ms: 0; -ETIMEDOUT; -EBUSY; another -errno. */
int fx_delete_wait(const struct root *root, const struct ctrl_id *id, unsigned instance, int timeout_ms,
		   struct err *err) _must_check_;
