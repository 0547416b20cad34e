/* SPDX-License-Identifier: GPL-2.0-or-later */
/* policy/bond_rules.c: what each rule of a RoCE LAG says of a bond, on a DGX H100. */
#include "unit/place_world.h"

static int port_index(const struct place_world *w, const char *pci)
{
	struct pci_addr addr;
	const struct port *port;

	assert_int_equal(pci_parse(pci, &addr), 0);
	port = topo_port(&w->topo, &addr);
	assert_non_null(port);
	return (int)(port - w->topo.port);
}

static void all_legacy(struct place_world *w)
{
	for (unsigned i = 0; i < w->topo.ports; i++)
		w->topo.port[i].eswitch = ESWITCH_LEGACY;
}

/* The members of the bond of a case; what is wrong is done to them first. */
struct rule_case {
	const char *member[3];
	enum bond_mode mode;
	void (*spoil)(struct place_world *w, int first);
	int rule; /* the one that is not met; -1: none */
	enum rule_state state;
	enum roce_lag verdict;
	const char *why;
};

static void with_vfs(struct place_world *w, int first)
{
	w->topo.port[first + 1].vfs = 4;
}

static void with_a_vf(struct place_world *w, int first)
{
	struct port *vf = &w->topo.port[w->topo.ports++];

	*vf = (struct port){ .pci = w->topo.port[first].pci,
			     .vf = true,
			     .pf = w->topo.port[first].pci,
			     .netdev = -1,
			     .rdma = -1 };
	vf->pci.function = 4;
}

static void vfs_unread(struct place_world *w, int first)
{
	w->topo.port[first].vfs = -1;
}

static void in_switchdev(struct place_world *w, int first)
{
	w->topo.port[first + 1].eswitch = ESWITCH_SWITCHDEV;
}

static void eswitch_unread(struct place_world *w, int first)
{
	w->topo.port[first].eswitch = ESWITCH_UNKNOWN;
}

static void without_eswitch(struct place_world *w, int first)
{
	w->topo.port[first].eswitch = ESWITCH_NONE;
}

static void in_infiniband(struct place_world *w, int first)
{
	w->topo.rdma_link[w->topo.port[first].rdma].link_layer = LINK_LAYER_INFINIBAND;
}

static void with_ipoib(struct place_world *w, int first)
{
	w->topo.netdev[w->topo.port[first].netdev].infiniband = true;
}

#define CARD                                   \
	{                                      \
		"0000:29:00.0", "0000:29:00.1" \
	}

static const struct rule_case cases[] = {
	{ CARD, BOND_ACTIVE_BACKUP, NULL, -1, RULE_MET, ROCE_LAG_POSSIBLE, "all ports of one card" },
	{ CARD, BOND_BALANCE_XOR, NULL, -1, RULE_MET, ROCE_LAG_POSSIBLE, "all ports of one card" },
	{ CARD, BOND_8023AD, without_eswitch, -1, RULE_MET, ROCE_LAG_POSSIBLE, "all ports of one card" },
	{ CARD, BOND_BALANCE_RR, NULL, ROCE_RULE_MODE, RULE_BROKEN, ROCE_LAG_IMPOSSIBLE, "its mode is none" },
	{ CARD, BOND_BROADCAST, NULL, ROCE_RULE_MODE, RULE_BROKEN, ROCE_LAG_IMPOSSIBLE, "its mode is none" },
	{ CARD, BOND_BALANCE_TLB, NULL, ROCE_RULE_MODE, RULE_BROKEN, ROCE_LAG_IMPOSSIBLE,
	  "its mode is none" },
	{ CARD, BOND_BALANCE_ALB, NULL, ROCE_RULE_MODE, RULE_BROKEN, ROCE_LAG_IMPOSSIBLE,
	  "its mode is none" },
	{ CARD, BOND_UNKNOWN, NULL, ROCE_RULE_MODE, RULE_UNKNOWN, ROCE_LAG_UNKNOWN, "could not be read" },
	{ { "0000:29:00.1", "0000:aa:00.1" },
	  BOND_ACTIVE_BACKUP,
	  NULL,
	  ROCE_RULE_ONE_CARD,
	  RULE_BROKEN,
	  ROCE_LAG_IMPOSSIBLE,
	  "on different cards" },
	{ { "0000:29:00.0" },
	  BOND_8023AD,
	  NULL,
	  ROCE_RULE_ALL_PORTS,
	  RULE_BROKEN,
	  ROCE_LAG_IMPOSSIBLE,
	  "not all ports" },
	{ CARD, BOND_8023AD, with_vfs, ROCE_RULE_NO_VFS, RULE_BROKEN, ROCE_LAG_IMPOSSIBLE,
	  "virtual functions" },
	{ CARD, BOND_8023AD, with_a_vf, ROCE_RULE_NO_VFS, RULE_BROKEN, ROCE_LAG_IMPOSSIBLE,
	  "virtual functions" },
	{ CARD, BOND_8023AD, vfs_unread, ROCE_RULE_NO_VFS, RULE_UNKNOWN, ROCE_LAG_UNKNOWN,
	  "whether the card has virtual" },
	{ CARD, BOND_8023AD, in_switchdev, ROCE_RULE_LEGACY, RULE_BROKEN, ROCE_LAG_IMPOSSIBLE, "switchdev" },
	{ CARD, BOND_8023AD, eswitch_unread, ROCE_RULE_LEGACY, RULE_UNKNOWN, ROCE_LAG_UNKNOWN,
	  "mode of the card's eswitch" },
	{ CARD, BOND_8023AD, in_infiniband, ROCE_RULE_ETHERNET, RULE_BROKEN, ROCE_LAG_IMPOSSIBLE,
	  "InfiniBand mode" },
	{ CARD, BOND_8023AD, with_ipoib, ROCE_RULE_ETHERNET, RULE_BROKEN, ROCE_LAG_IMPOSSIBLE,
	  "InfiniBand mode" },
};

static void each_rule_has_its_verdict(void **state)
{
	struct place_world *w = *state;

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct rule_case *c = &cases[i];
		int member[3];
		struct roce_rules rules;
		unsigned members = 0;
		const char *why;

		place_world_read(w, "h100");
		all_legacy(w);
		for (; members < 3 && c->member[members]; members++)
			member[members] = port_index(w, c->member[members]);
		if (c->spoil)
			c->spoil(w, member[0]);
		roce_rules(&w->topo, member, members, 0, c->mode, &rules);
		for (int r = 0; r < ROCE_RULES; r++) {
			if (r != c->rule && !(c->rule == ROCE_RULE_ONE_CARD && r == ROCE_RULE_ALL_PORTS))
				assert_int_equal(rules.state[r], RULE_MET);
		}
		if (c->rule >= 0)
			assert_int_equal(rules.state[c->rule], c->state);
		assert_int_equal(roce_rules_verdict(&rules, &why), c->verdict);
		assert_non_null(strstr(why, c->why));
	}
}

static void what_is_broken_is_said_before_what_is_unknown(void **state)
{
	struct place_world *w = *state;
	const int member[] = { 0, 1 };
	struct roce_rules rules;
	const char *why;

	(void)w;
	for (int r = 0; r < ROCE_RULES; r++)
		rules.state[r] = RULE_UNKNOWN;
	rules.state[ROCE_RULE_LEGACY] = RULE_BROKEN;
	assert_int_equal(roce_rules_verdict(&rules, &why), ROCE_LAG_IMPOSSIBLE);
	assert_non_null(strstr(why, "switchdev"));
	place_world_read(w, "h100");
	roce_rules(&w->topo, member, 0, 0, BOND_8023AD, &rules);
	assert_int_equal(roce_rules_verdict(&rules, &why), ROCE_LAG_UNKNOWN);
	roce_rules(&w->topo, member, 0, 1, BOND_8023AD, &rules);
	assert_int_equal(roce_rules_verdict(&rules, &why), ROCE_LAG_IMPOSSIBLE);
}

/* A bond as it is: one device for both ports, or two. */
static void bonds_of_fixtures_are_judged(void **state)
{
	static const struct {
		const char *fixture;
		enum roce_lag legacy, unread;
	} fixtures[] = {
		{ "h100+card-bond", ROCE_LAG_ACTIVE, ROCE_LAG_ACTIVE },
		{ "h100+card-bond-no-lag", ROCE_LAG_POSSIBLE, ROCE_LAG_UNKNOWN },
		{ "f5-bond0+lacp", ROCE_LAG_IMPOSSIBLE, ROCE_LAG_IMPOSSIBLE },
		{ "f5-bond0+active-backup", ROCE_LAG_IMPOSSIBLE, ROCE_LAG_IMPOSSIBLE },
	};
	struct place_world *w = *state;

	for (size_t i = 0; i < ARRAY_SIZE(fixtures); i++) {
		place_world_read(w, fixtures[i].fixture);
		assert_int_equal(w->classes.bonds, 1);
		assert_int_equal(w->classes.bond[0].roce_lag, fixtures[i].unread);
		all_legacy(w);
		classify(&w->topo, &w->platform, &w->classes, &w->findings);
		assert_int_equal(w->classes.bond[0].roce_lag, fixtures[i].legacy);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		PLACE_TEST(each_rule_has_its_verdict),
		PLACE_TEST(what_is_broken_is_said_before_what_is_unknown),
		PLACE_TEST(bonds_of_fixtures_are_judged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
