/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Makes NVMe controllers: the only writer of /dev/nvme-fabrics. */
#pragma once

#include "base/root.h"
#include "model/step.h"

/*
 * Makes the controller of the step. The connection manager's phase is bounded by step->timeout_s: a timer's
 * signal interrupts the write (repeatedly, as one signal may come before the write starts). Fabrics
 * Connect and Identify hear no signal; the kernel's admin timeout (60 s a command) bounds them. Nor does the
 * wait for somebody else's connect, which the kernel does one at a time. 0 is the kernel's word alone: the
 * caller looks for the controller; but one that came under another subsystem NQN, which the caller would not
 * find, is disconnected again (-EPROTO). Or -errno with *ret_reason and err (object: the portal; msg: what is
 * wrong and what to do); then no controller is left, or the message says that one is. Needs a live root, and
 * fx_signals_setup() before. -EINTR: fx_signals_stop() is set. -EALREADY: somebody else made the same
 * controller meanwhile.
 */
int fx_nvme_connect(const struct root *root, const struct step *step, enum path_reason *ret_reason,
		    struct err *err) _must_check_;

/* 0 if /dev/nvme-fabrics is there (who may open it is another matter); else -ENOENT and err with the remedy.
 */
int fx_nvme_available(const struct root *root, struct err *err) _must_check_;
