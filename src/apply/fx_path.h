/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The path probe: what would the connection manager do for (source, portal)? librdmacm takes the way that
 * nvme-rdma takes (cma_acquire_dev_by_src_ip): binding tells the RDMA device, resolving sends ARP or ND and
 * nothing else. The only user of librdmacm.
 */
#pragma once

#include "base/root.h"
#include "model/plan.h"

/*
 * Probes every candidate whose route answer is ANSWER_YES, all at the same time, and fills candidate.probe.
 *Ends within timeout_ms, whatever the network does. 0 or -errno with err (-EINTR: fx_signals_stop() is set).
 *Needs a live root. Answers: ANSWER_YES	bound and resolved on the device that the candidate names
 *	ANSWER_NO	code of the kernel: -EADDRNOTAVAIL, -ENODEV (PROBE_BIND), -ETIMEDOUT: nobody answered
 *ARP or ND in time (PROBE_RESOLVE), ...; -EXDEV: it would be rdma_device, which is another one ANSWER_UNKNOWN
 *could not be asked: no /dev/infiniband/rdma_cm or uverbs, no verbs library for the device
 *
 * libibverbs warns on stderr, once, if a library that its configuration names for a device is not installed
 * ("couldn't load driver"); it has no switch for that.
 */
int fx_path_probe(const struct root *root, const struct topology *topo, const struct request *request,
		  struct candidates *candidates, int timeout_ms, struct err *err) _must_check_;

/*
 * Which device the connection manager takes for a source address, now; sends nothing. What could not be asked
 * is ANSWER_UNKNOWN or ANSWER_UNASKED.
 */
void fx_path_bind(const struct ip *source, struct probe_answer *ret);
