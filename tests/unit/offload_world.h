/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The DGX B200 of tests/fixtures with two cards of which nothing is known, and a request for no portal. */
#pragma once

#include "unit/verify_world.h"

#include "policy/offload.h"

struct cards {
	struct verify_world v; /* first: the fixture */
	struct offload offload;
	struct request request;
	struct err err;
};

static inline int offload_world_setup(void **state)
{
	struct cards *c = calloc(1, sizeof(*c));

	assert_non_null(c);
	*state = c;
	verify_world_read(&c->v, "f3-b200");
	c->v.v.offload = &c->offload;
	c->offload.not_ours_is_sure = true;
	c->offload.cards = 2;
	for (unsigned i = 0; i < 2; i++) {
		struct offload_card *card = &c->offload.card[i];

		for (unsigned p = 0; p < 2; p++) {
			assert_int_equal(pci_parse(i ? "0000:aa:00.0" : "0000:29:00.0", &card->port[p].pci),
					 0);
			card->port[p].pci.function = (uint8_t)p;
			card->port[p].infiniband = p == 0;
		}
		card->ports = 2;
		card->pci = card->port[0].pci;
	}
	c->request.opts = (struct connect_opts){
		.nr_io_queues = 16, .reconnect_delay = 10, .ctrl_loss_tmo = 600, .tos = CONNECT_UNSET
	};
	return 0;
}

#define CTEST(name) cmocka_unit_test_setup_teardown(name, offload_world_setup, verify_world_teardown)
