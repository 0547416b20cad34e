/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the tests of dumps fill: a topology, the findings about it and the RDMA resources on the way. */
#pragma once

#include <stdlib.h>

#include "base/err.h"
#include "facts/rdma.h"
#include "lib/t.h"
#include "model/finding.h"
#include "model/topology.h"

struct world {
	struct topology *topo;
	struct findings *findings;
	struct rdma_resources *resources;
	struct err err;
};

static inline int setup(void **state)
{
	struct world *w = calloc(1, sizeof(*w));

	w->topo = calloc(1, sizeof(*w->topo));
	w->findings = calloc(1, sizeof(*w->findings));
	w->resources = calloc(1, sizeof(*w->resources));
	*state = w;
	return w->topo && w->findings && w->resources ? 0 : -1;
}

static inline int teardown(void **state)
{
	struct world *w = *state;

	free(w->resources->qp);
	free(w->resources);
	free(w->findings);
	free(w->topo);
	free(w);
	return 0;
}

#define T(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

/* How every resource of the first port of mlx5_1 begins. */
#define HEAD "\"ifindex\":1,\"ifname\":\"mlx5_1\",\"port\":1,"
