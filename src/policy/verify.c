/* SPDX-License-Identifier: GPL-2.0-or-later */
/* All checks, and their names. */
#include "policy/verify.h"
#include "policy/check.h"

#include <string.h>

/* A name that is not here cannot be asked for; tests see to it that each of them is said. */
static const char *const checks[] = {
	"partition.controllers_on_storage",
	"partition.compute_clean",
	"partition.bound_source",
	"partition.subnets_disjoint",
	"partition.switches_disjoint",
	"partition.autoconnect_off",
	"ports.present",
	"ports.link",
	"ports.speed",
	"ports.pcie_width",
	"ports.mtu",
	"ports.addresses",
	"ports.roce_gid",
	"ports.pfc",
	"ports.trust",
	"ports.pause",
	"ports.roce_tos",
	"routes.egress",
	"routes.arp",
	"paths.live",
	"paths.both_sockets",
	"paths.namespaces",
	"paths.queue_count",
	"paths.timeouts",
	"paths.iopolicy",
	"affinity.irqs",
	"affinity.effective",
	"affinity.node_local",
	"affinity.isolated",
	"affinity.irqbalance",
	"affinity.rq_affinity",
	"bond.members",
	"bond.mode",
	"bond.roce_lag",
	"identity.pair",
	"identity.same",
	"identity.machine",
	"offload.host_clean",
	"offload.mode",
	"offload.endpoints",
};

void verify_all(const struct verify *v)
{
	verify_partition(v);
	verify_ports(v);
	verify_routes(v);
	verify_paths(v);
	verify_affinity(v);
	verify_bond(v);
	verify_identity(v);
	verify_offload(v);
}

bool verify_is_check(const char *name, size_t length)
{
	for (unsigned i = 0; length > 0 && i < ARRAY_SIZE(checks); i++) {
		if (strncmp(checks[i], name, length) == 0 &&
		    (checks[i][length] == '\0' || (checks[i][length] == '.' && !memchr(name, '.', length))))
			return true;
	}
	return false;
}
