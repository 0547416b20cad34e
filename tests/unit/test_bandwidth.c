/* SPDX-License-Identifier: GPL-2.0-or-later */
/* policy/bandwidth.c: what a DGX H100 gives, and where each thing that is wrong is shown. */
#include "unit/place_world.h"

#define PORT "0000:29:00.0"

struct bandwidth_world {
	struct place_world w; /* first */
	struct pcie_link pcie[TOPO_PORTS_MAX];
	struct bandwidth bw;
};

static int bandwidth_setup(void **state)
{
	*state = calloc(1, sizeof(struct bandwidth_world));
	assert_non_null(*state);
	return 0;
}

static int bandwidth_teardown(void **state)
{
	free(*state);
	return 0;
}

static void read_world(struct bandwidth_world *w, const char *fixture)
{
	place_world_read(&w->w, fixture);
	for (unsigned i = 0; i < w->w.topo.ports; i++)
		w->pcie[i] = (struct pcie_link){ 16, 16, 32000, 32000 };
}

static void run(struct bandwidth_world *w)
{
	classify(&w->w.topo, &w->w.platform, &w->w.classes, &w->w.findings);
	bandwidth_of(&w->w.topo, &w->w.classes, &w->w.platform, w->pcie, &w->bw);
}

static struct port *port_of(struct bandwidth_world *w, const char *pci)
{
	struct pci_addr addr;
	const struct port *port;

	assert_int_equal(pci_parse(pci, &addr), 0);
	port = topo_port(&w->w.topo, &addr);
	assert_non_null(port);
	return &w->w.topo.port[port - w->w.topo.port];
}

static struct pcie_link *pcie_of(struct bandwidth_world *w, const char *pci)
{
	return &w->pcie[port_of(w, pci) - w->w.topo.port];
}

static void assert_port(const struct bandwidth_world *w, unsigned port, int64_t given, int64_t possible,
			enum bandwidth_loss loss)
{
	assert_int_equal(w->bw.port[port].given_mbps, given);
	assert_int_equal(w->bw.port[port].possible_mbps, possible);
	assert_int_equal(w->bw.port[port].loss, loss);
}

static void assert_card(const struct bandwidth_world *w, unsigned card, int64_t given, int64_t possible,
			enum bandwidth_loss loss)
{
	assert_int_equal(w->bw.card[card].given_mbps, given);
	assert_int_equal(w->bw.card[card].possible_mbps, possible);
	assert_int_equal(w->bw.card[card].loss, loss);
}

static void assert_node(const struct bandwidth_world *w, int64_t given, int64_t possible)
{
	assert_int_equal(w->bw.given_mbps, given);
	assert_int_equal(w->bw.possible_mbps, possible);
}

static void a_full_node_gives_800_gbit(void **state)
{
	struct bandwidth_world *w = *state;

	read_world(w, "h100");
	run(w);
	assert_node(w, 800000, 800000);
	assert_int_equal(w->bw.ports, 4);
	assert_int_equal(w->bw.cards, 2);
	for (unsigned i = 0; i < 4; i++)
		assert_port(w, i, 200000, 200000, LOSS_NONE);
	for (unsigned i = 0; i < 2; i++) {
		assert_card(w, i, 400000, 400000, LOSS_NONE);
		assert_int_equal(w->bw.card[i].pcie_mbps / 1000, 504); /* Gen5 x16 */
	}
	assert_int_equal(w->bw.card[0].slot, 2);
}

static void one_port_of_400_gbit_a_card_gives_800_too(void **state)
{
	struct bandwidth_world *w = *state;

	read_world(w, "h100");
	for (int card = 0; card < 2; card++) {
		port_of(w, card ? "0000:aa:00.0" : "0000:29:00.0")->speed_mbps = 400000;
		w->w.topo.netdev[port_of(w, card ? "0000:aa:00.1" : "0000:29:00.1")->netdev].carrier = false;
	}
	run(w);
	assert_node(w, 800000, 800000);
	assert_port(w, 0, 400000, 400000, LOSS_NONE);
	assert_port(w, 1, 0, 200000, LOSS_NO_LINK);
	assert_card(w, 0, 400000, 400000, LOSS_NONE);
	w->w.topo.netdev[port_of(w, "0000:29:00.1")->netdev].carrier = true;
	port_of(w, "0000:29:00.1")->speed_mbps = 400000;
	run(w);
	assert_card(w, 0, 400000, 400000, LOSS_NONE);	   /* more than the design is not counted */
	for (unsigned i = 0; i < w->w.platform.ports; i++) /* a design of two of 400: the slot is the limit */
		w->w.platform.port[i].expect_mbps = 400000;
	run(w);
	assert_card(w, 0, 504123, 504123, LOSS_PCIE_LIMIT);
	assert_card(w, 1, 400000, 504123, LOSS_PCIE_LIMIT);
}

static void what_is_lost_at_a_port_is_shown_there(void **state)
{
	struct bandwidth_world *w = *state;
	struct port *port;

	read_world(w, "h100");
	port = port_of(w, PORT);
	port->speed_mbps = 100000;
	run(w);
	assert_port(w, 0, 100000, 200000, LOSS_SLOW_LINK);
	assert_card(w, 0, 300000, 400000, LOSS_NONE);
	assert_node(w, 700000, 800000);
	port->speed_mbps = -1;
	run(w);
	assert_port(w, 0, 0, 200000, LOSS_SPEED_UNKNOWN);
	port->speed_mbps = 200000;
	w->w.topo.netdev[port->netdev].up = false;
	run(w);
	assert_port(w, 0, 0, 200000, LOSS_NO_LINK);
	w->w.topo.netdev[port->netdev].up = true;
	port->device = 0x1017;
	run(w);
	assert_port(w, 0, 0, 200000, LOSS_WRONG_CARD);
	port->pci.function = 7;
	run(w);
	assert_port(w, 0, 0, 200000, LOSS_ABSENT);
	assert_node(w, 600000, 800000);
}

static void what_is_lost_at_a_slot_is_shown_at_the_card(void **state)
{
	struct bandwidth_world *w = *state;
	struct pcie_link *link;

	read_world(w, "h100");
	link = pcie_of(w, "0000:29:00.1"); /* whichever function shows it */
	link->width = 8;
	run(w);
	assert_card(w, 0, 252061, 400000, LOSS_NARROW_SLOT);
	assert_int_equal(w->bw.card[0].pcie.width, 8);
	assert_port(w, 0, 200000, 200000, LOSS_NONE);
	assert_node(w, 652061, 800000);
	link->width = 16;
	link->mtps = 16000; /* Gen4 */
	run(w);
	assert_card(w, 0, 252061, 400000, LOSS_NARROW_SLOT);
	link->mtps = 32000;
	link->width_max = -1;
	run(w);
	assert_card(w, 0, 400000, 400000, LOSS_NONE); /* the other function tells */
	*pcie_of(w, PORT) = *link;
	run(w);
	assert_card(w, 0, 400000, 400000, LOSS_PCIE_UNKNOWN);
	assert_int_equal(w->bw.card[0].pcie_mbps, -1);
}

static void a_bond_leaves_ports_idle(void **state)
{
	struct bandwidth_world *w = *state;
	int64_t given, possible;

	read_world(w, "h100+card-bond"); /* active-backup over slot 2 */
	run(w);
	assert_port(w, 0, 200000, 200000, LOSS_NONE);
	assert_port(w, 1, 0, 200000, LOSS_BACKUP);
	assert_node(w, 600000, 800000);
	bandwidth_of_bond(&w->w.topo, &w->w.classes.bond[0], &w->bw, &given, &possible);
	assert_int_equal(given, 200000);
	assert_int_equal(possible, 400000);
	w->w.topo.netdev[w->w.classes.bond[0].netdev].bond_mode = BOND_8023AD;
	run(w);
	assert_node(w, 800000, 800000);
	bandwidth_of_bond(&w->w.topo, &w->w.classes.bond[0], &w->bw, &given, &possible);
	assert_int_equal(given, 400000);
	w->w.classes.bond[0].storage = false;
	bandwidth_of_bond(&w->w.topo, &w->w.classes.bond[0], &w->bw, &given, &possible);
	assert_int_equal(given, -1);
	read_world(w, "f5-bond0+lacp"); /* over both cards */
	run(w);
	assert_port(w, 1, 0, 200000, LOSS_BROKEN_BOND);
	assert_port(w, 3, 0, 200000, LOSS_BROKEN_BOND);
}

static void without_a_platform_nothing_is_known(void **state)
{
	struct bandwidth_world *w = *state;

	read_world(w, "h100");
	bandwidth_of(&w->w.topo, &w->w.classes, NULL, w->pcie, &w->bw);
	assert_node(w, -1, -1);
	assert_int_equal(w->bw.ports, 0);
	for (int i = LOSS_NONE + 1; i < LOSS_COUNT; i++)
		assert_non_null(bandwidth_loss_name((enum bandwidth_loss)i));
}

#define T(f) cmocka_unit_test_setup_teardown(f, bandwidth_setup, bandwidth_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(a_full_node_gives_800_gbit),
		T(one_port_of_400_gbit_a_card_gives_800_too),
		T(what_is_lost_at_a_port_is_shown_there),
		T(what_is_lost_at_a_slot_is_shown_at_the_card),
		T(a_bond_leaves_ports_idle),
		T(without_a_platform_nothing_is_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
