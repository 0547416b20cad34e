/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * policy/offload_plan.c: what the cards are told. That the requests have the parameters of SPDK and SNAP, the
 * goldens show, as the schema has them.
 *
 * Seen to fail when: the second path of a subsystem made a second namespace; an address of this host became
 * the card's.
 */
#include "unit/offload_world.h"

static void ask(struct cards *c, const char *nqn, const char *traddr)
{
	struct portal *portal = &c->request.portal[c->request.portals++];

	strcpy(portal->nqn, nqn);
	strcpy(portal->trsvcid, "4420");
	assert_int_equal(ip_parse(traddr, &portal->traddr), 0);
}

static int plan(struct cards *c)
{
	c->err = (struct err){ 0 };
	return offload_plan(&c->v.w.topo, &c->v.w.classes, &c->request, &c->offload, &c->err);
}

/* Their methods, in a few letters each. */
static const char *letters(const struct rpc *rpc, unsigned count, char buf[static 16])
{
	static const char letter[] = { 'a', 'd', 'S', 's', 'N', 'n', 'C', 'c', 'A', 'D', 'R' };

	for (unsigned i = 0; i < count; i++)
		buf[i] = letter[rpc[i].method];
	buf[count] = '\0';
	return buf;
}

static void assert_path(const struct cards *c, unsigned i, unsigned subsystem, const char *requests,
			const char *inverse)
{
	const struct offload_path *path = &c->offload.path[i];
	char buf[16];

	assert_in_range(i, 0, c->offload.paths - 1);
	assert_int_equal(path->subsystem, subsystem);
	assert_string_equal(letters(path->request, path->requests, buf), requests);
	assert_string_equal(letters(path->inverse, path->inverses, buf), inverse);
}

static void what_is_made_once_is_made_once_and_goes_last(void **state)
{
	struct cards *c = *state;

	ask(c, "nqn.2026-01.example:s1", "10.10.1.2");
	ask(c, "nqn.2026-01.example:s1", "10.10.3.2");
	ask(c, "nqn.2026-01.example:s2", "10.10.1.2");
	ask(c, "nqn.2026-01.example:s1", "10.10.1.2"); /* twice */
	assert_int_equal(plan(c), 0);
	assert_int_equal(c->offload.paths, 3);
	assert_path(c, 0, 0, "aSNCAR", "Dcnsd");
	assert_path(c, 1, 0, "a", "d");
	assert_path(c, 2, 1, "aNA", "Dnd");
	/* All that need it take the ctrl_id of the one creation. */
	assert_int_equal(c->offload.path[0].request[3].id, 4);
	assert_int_equal(c->offload.path[0].request[4].take, 4);
	assert_int_equal(c->offload.path[2].request[2].take, 4);
	assert_int_equal(c->offload.path[2].inverse[0].take, 4);
	assert_int_equal(c->offload.path[0].inverse[0].take, 4);
	assert_int_equal(c->offload.path[0].card, -1);
}

static void ids_are_those_of_one_conversation(void **state)
{
	struct cards *c = *state;
	bool seen[64] = { false };

	ask(c, "nqn.2026-01.example:s1", "10.10.1.2");
	ask(c, "nqn.2026-01.example:s2", "10.10.1.2");
	assert_int_equal(plan(c), 0);
	for (unsigned i = 0; i < c->offload.paths; i++) {
		const struct offload_path *path = &c->offload.path[i];

		for (unsigned k = 0; k < path->requests + path->inverses; k++) {
			unsigned id = k < path->requests ? path->request[k].id
							 : path->inverse[k - path->requests].id;

			assert_in_range(id, 1, 63);
			assert_false(seen[id]);
			seen[id] = true;
		}
	}
}

static void ports_that_are_named_choose_the_cards(void **state)
{
	struct cards *c = *state;

	ask(c, "nqn.2026-01.example:s1", "10.10.1.2");
	strcpy(c->request.host_traddr, "slot1/p2");
	assert_int_equal(plan(c), 0);
	assert_int_equal(c->offload.paths, 1);
	assert_int_equal(c->offload.path[0].card, 1);
	assert_string_equal(c->offload.path[0].hostaddr, "");
	c->request.host_traddr[0] = '\0';
	strcpy(c->request.port_name[0], "0000:29:00.0");
	strcpy(c->request.port_name[1], "mlx5_6"); /* of the same card */
	strcpy(c->request.port_name[2], "slot1/p1");
	c->request.port_names = 3;
	assert_int_equal(plan(c), 0);
	assert_int_equal(c->offload.paths, 2);
	assert_path(c, 0, 0, "aSNCAR", "Dcnsd");
	assert_path(c, 1, 0, "aSNCAR", "Dcnsd");
	assert_int_equal(c->offload.path[0].card, 0);
	assert_int_equal(c->offload.path[1].card, 1);
}

static void an_address_is_the_cards_only_if_this_host_has_it_not(void **state)
{
	struct cards *c = *state;

	ask(c, "nqn.2026-01.example:s1", "10.10.1.2");
	ask(c, "nqn.2026-01.example:s1", "fd00::2");
	strcpy(c->request.host_traddr, "10.10.1.77");
	assert_int_equal(plan(c), 0);
	assert_string_equal(c->offload.path[0].hostaddr, "10.10.1.77");
	assert_string_equal(c->offload.path[1].hostaddr, ""); /* of the other family */
	strcpy(c->request.host_traddr, "198.51.100.20");      /* bond0, over both cards */
	assert_int_equal(plan(c), 0);
	assert_string_equal(c->offload.path[0].hostaddr, "");
	assert_int_equal(c->offload.path[0].card, -1);
}

static void a_source_that_is_not_storage_is_refused(void **state)
{
	static const struct {
		const char *source;
		enum exit_class exit;
	} cases[] = {
		{ "mlx5_4", XC_REFUSED },     /* compute */
		{ "mlx5_0", XC_REFUSED },     /* the NVSwitch bridge */
		{ "192.0.2.10", XC_REFUSED }, /* eno3 */
		{ "mlx5_99", XC_ENVIRONMENT },
	};
	struct cards *c = *state;

	ask(c, "nqn.2026-01.example:s1", "10.10.1.2");
	for (unsigned i = 0; i < ARRAY_SIZE(cases); i++) {
		strcpy(c->request.host_traddr, cases[i].source);
		assert_true(plan(c) < 0);
		assert_int_equal(c->err.exit, cases[i].exit);
		assert_int_equal(c->offload.paths, 0);
	}
}

static void times_are_those_that_spdk_takes(void **state)
{
	static const struct {
		int loss, delay;
		bool forever;
		int spdk_loss, spdk_delay;
	} cases[] = {
		{ 600, 10, false, 600, 10 },
		{ 5, 10, false, 5, 5 },
		{ 0, 10, false, 0, 0 },
		{ 0, 10, true, -1, 10 },
	};
	struct cards *c = *state;

	ask(c, "nqn.2026-01.example:s1", "10.10.1.2");
	for (unsigned i = 0; i < ARRAY_SIZE(cases); i++) {
		c->request.opts.ctrl_loss_tmo = cases[i].loss;
		c->request.opts.ctrl_loss_forever = cases[i].forever;
		c->request.opts.reconnect_delay = cases[i].delay;
		assert_int_equal(plan(c), 0);
		assert_int_equal(c->offload.path[0].ctrlr_loss_timeout_sec, cases[i].spdk_loss);
		assert_int_equal(c->offload.path[0].reconnect_delay_sec, cases[i].spdk_delay);
	}
}

static void all_portals_from_both_cards_are_as_many_paths_as_fit(void **state)
{
	struct cards *c = *state;
	char traddr[IP_TEXT_MAX];

	for (unsigned i = 0; i < REQUEST_PORTALS_MAX; i++) {
		str_format(traddr, sizeof(traddr), "10.11.%u.%u", i / 250, i % 250 + 1);
		ask(c, "nqn.2026-01.example:s1", traddr);
	}
	assert_int_equal(plan(c), 0);
	assert_int_equal(c->offload.paths, REQUEST_PORTALS_MAX);
	strcpy(c->request.port_name[0], "slot1/p1");
	strcpy(c->request.port_name[1], "slot2/p1");
	c->request.port_names = 2;
	assert_int_equal(plan(c), 0);
	assert_int_equal(c->offload.paths, OFFLOAD_PATHS_MAX);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		CTEST(what_is_made_once_is_made_once_and_goes_last),
		CTEST(ids_are_those_of_one_conversation),
		CTEST(ports_that_are_named_choose_the_cards),
		CTEST(an_address_is_the_cards_only_if_this_host_has_it_not),
		CTEST(a_source_that_is_not_storage_is_refused),
		CTEST(times_are_those_that_spdk_takes),
		CTEST(all_portals_from_both_cards_are_as_many_paths_as_fit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
