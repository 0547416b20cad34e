/* SPDX-License-Identifier: GPL-2.0-or-later */
/* policy/plan_bond.c and its like: what is refused, and what is planned, on fixtures. */
#include "unit/place_world.h"

struct bond_world {
	struct place_world w; /* first */
	struct managed managed[TOPO_PORTS_MAX];
	struct bond_request request;
	struct bond_plan plan;
	struct err err;
};

static int bond_setup(void **state)
{
	*state = calloc(1, sizeof(struct bond_world));
	assert_non_null(*state);
	return 0;
}

static int bond_teardown(void **state)
{
	free(*state);
	return 0;
}

/* A machine whose eswitches are legacy, and that nobody else configures; all controllers are ours. */
static void read_world(struct bond_world *w, const char *fixture)
{
	place_world_read(&w->w, fixture);
	for (unsigned i = 0; i < w->w.topo.ports; i++) {
		w->w.topo.port[i].eswitch = ESWITCH_LEGACY;
		w->managed[i] = (struct managed){ .by = MANAGER_NONE };
	}
	classify(&w->w.topo, &w->w.platform, &w->w.classes, &w->w.findings);
	for (unsigned i = 0; i < w->w.plan.paths; i++)
		w->w.plan.path[i].owner = OWNER_US;
	w->request = (struct bond_request){ .slot = -1, .mode = BOND_UNKNOWN, .mtu = -1 };
}

static void ask_ports(struct bond_world *w, const char *a, const char *b)
{
	w->request.slot = -1;
	w->request.port_names = b ? 2 : 1;
	str_format(w->request.port_name[0], sizeof(w->request.port_name[0]), "%s", a);
	str_format(w->request.port_name[1], sizeof(w->request.port_name[1]), "%s", b ? b : "");
}

static enum bond_refusal run(struct bond_world *w)
{
	int r;

	memset(&w->err, 0, sizeof(w->err));
	w->w.findings.count = 0;
	r = plan_bond(&w->w.topo, &w->w.classes, &w->w.plan, w->managed, &w->request, &w->plan,
		      &w->w.findings, &w->err);
	assert_true((r < 0) == (w->plan.refusal != BOND_NOT_REFUSED));
	if (r < 0)
		assert_int_equal(w->err.exit, XC_REFUSED);
	return w->plan.refusal;
}

static void assert_refused(struct bond_world *w, enum bond_refusal refusal, const char *text)
{
	assert_int_equal(run(w), refusal);
	if (!strstr(w->err.msg, text))
		fail_msg("\"%s\" is not in \"%s\"", text, w->err.msg);
}

static struct managed *managed_of(struct bond_world *w, const char *pci)
{
	struct pci_addr addr;

	assert_int_equal(pci_parse(pci, &addr), 0);
	return &w->managed[topo_port(&w->w.topo, &addr) - w->w.topo.port];
}

static struct port *port_of(struct bond_world *w, const char *pci)
{
	return &w->w.topo.port[managed_of(w, pci) - w->managed];
}

static void all_ports_of_a_card_are_bonded(void **state)
{
	struct bond_world *w = *state;

	read_world(w, "h100");
	w->request.slot = 2;
	assert_int_equal(run(w), BOND_NOT_REFUSED);
	assert_string_equal(w->plan.name, "storage-slot2");
	assert_int_equal(w->plan.action, BOND_WOULD_CREATE);
	assert_int_equal(w->plan.mode, BOND_ACTIVE_BACKUP);
	assert_int_equal(w->plan.mtu, 9000);
	assert_int_equal(w->plan.members, 2);
	assert_ptr_equal(&w->w.topo.port[w->plan.member[0]], port_of(w, "0000:29:00.0"));
	assert_int_equal(w->plan.roce_lag, ROCE_LAG_POSSIBLE);
	assert_int_equal(w->w.findings.count, 0);
	ask_ports(w, "mlx5_2", "slot2/p1"); /* in any order, in any of their names */
	w->request.mode = BOND_8023AD;
	w->request.mtu = 4500;
	str_format(w->request.name, sizeof(w->request.name), "stor0");
	assert_int_equal(run(w), BOND_NOT_REFUSED);
	assert_ptr_equal(&w->w.topo.port[w->plan.member[0]], port_of(w, "0000:29:00.0"));
	assert_string_equal(w->plan.name, "stor0");
	assert_int_equal(w->plan.mode, BOND_8023AD);
	assert_int_equal(w->plan.mtu, 4500);
}

static void ports_that_are_not_storage_are_refused(void **state)
{
	static const char *const names[] = { "mlx5_0", "0000:40:00.0", "ens6f0", "irdma0", "eno3" };
	struct bond_world *w = *state;

	read_world(w, "h100");
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		ask_ports(w, "0000:29:00.0", names[i]);
		assert_refused(w, BOND_REFUSED_NOT_STORAGE, "storage ports: 0000:29:00.0");
	}
	ask_ports(w, "mlx5_0", "mlx5_3");
	w->request.allow_cross_card = w->request.allow_inband = w->request.drain = true;
	assert_refused(w, BOND_REFUSED_NOT_STORAGE, "never bonded");
}

static void names_that_fit_no_two_ports_are_refused(void **state)
{
	struct bond_world *w = *state;

	read_world(w, "h100");
	ask_ports(w, "mlx5_99", "mlx5_1");
	assert_refused(w, BOND_REFUSED_PORTS, "no port of this machine");
	ask_ports(w, "mlx5_1", "0000:29:00.0");
	assert_refused(w, BOND_REFUSED_PORTS, "named twice");
	ask_ports(w, "mlx5_1", NULL);
	assert_refused(w, BOND_REFUSED_PORTS, "two ports or more");
	w->request.slot = 7;
	assert_refused(w, BOND_REFUSED_PORTS, "no storage card is in slot 7");
}

static void a_bond_across_cards_needs_a_word_and_one_mode(void **state)
{
	struct bond_world *w = *state;

	read_world(w, "h100");
	ask_ports(w, "0000:29:00.0", "0000:aa:00.0");
	assert_refused(w, BOND_REFUSED_CROSS_CARD, "NVMe multipath");
	w->request.mode = BOND_8023AD;
	w->request.allow_cross_card = true;
	assert_refused(w, BOND_REFUSED_CROSS_CARD, "only active-backup");
	w->request.mode = BOND_ACTIVE_BACKUP;
	assert_int_equal(run(w), BOND_NOT_REFUSED);
	assert_string_equal(w->plan.name, BOND_NAME_ACROSS);
	assert_int_equal(w->plan.roce_lag, ROCE_LAG_IMPOSSIBLE);
	assert_non_null(strstr(w->plan.reason, "different cards"));
}

static void what_keeps_the_card_from_a_roce_lag_is_refused(void **state)
{
	struct bond_world *w = *state;
	struct port *second;

	read_world(w, "h100");
	w->request.slot = 2;
	second = port_of(w, "0000:29:00.1");
	w->request.mode = BOND_BALANCE_RR;
	assert_refused(w, BOND_REFUSED_MODE, "active-backup, 802.3ad or balance-xor");
	w->request.mode = BOND_8023AD;
	second->vfs = 2;
	assert_refused(w, BOND_REFUSED_VFS, "sriov_numvfs");
	second->vfs = 0;
	second->eswitch = ESWITCH_SWITCHDEV;
	assert_refused(w, BOND_REFUSED_SWITCHDEV, "legacy");
	second->eswitch = ESWITCH_UNKNOWN;
	assert_int_equal(run(w), BOND_NOT_REFUSED);
	assert_int_equal(w->plan.roce_lag, ROCE_LAG_UNKNOWN);
	assert_int_equal(place_world_finding(&w->w, "bond.roce_lag", "storage-slot2")->status,
			 FINDING_UNKNOWN);
	second->eswitch = ESWITCH_LEGACY;
	w->w.topo.rdma_link[second->rdma].link_layer = LINK_LAYER_INFINIBAND;
	assert_refused(w, BOND_REFUSED_LINK_LAYER, "another member is in Ethernet mode");
	assert_non_null(strstr(w->err.msg, "0000:29:00.1"));
}

static void a_port_less_than_the_card_has_is_refused(void **state)
{
	struct bond_world *w = *state;
	struct port *third;

	read_world(w, "h100");
	ask_ports(w, "0000:29:00.0", "0000:29:00.1");
	third = &w->w.topo.port[w->w.topo.ports++];
	*third = *port_of(w, "0000:29:00.1");
	third->pci.function = 2;
	assert_refused(w, BOND_REFUSED_NOT_WHOLE, "name all of them");
}

static void in_band_ports_are_refused_without_a_word(void **state)
{
	struct bond_world *w = *state;

	read_world(w, "h100+inband");
	for (int card = 1; card <= 2; card++) {
		w->request.slot = card;
		if (run(w) == BOND_REFUSED_INBAND)
			break;
	}
	assert_refused(w, BOND_REFUSED_INBAND, "--allow-inband");
	w->request.print = true; /* it would be so at the next boot */
	assert_refused(w, BOND_REFUSED_INBAND, "default route");
	w->request.print = false;
	w->request.allow_inband = true;
	assert_int_equal(run(w), BOND_NOT_REFUSED);
}

static void members_that_somebody_configures_are_refused(void **state)
{
	struct bond_world *w = *state;
	struct managed *m;

	read_world(w, "h100");
	w->request.slot = 2;
	m = managed_of(w, "0000:29:00.1");
	m->by = MANAGER_NETWORKD;
	str_format(m->file, sizeof(m->file), "/run/systemd/network/10-netplan-x.network");
	assert_refused(w, BOND_REFUSED_MANAGED,
		       "systemd-networkd configures 0000:29:00.1 (enp41s0f1np1) "
		       "(/run/systemd/network/10-netplan-x.network)");
	assert_non_null(strstr(w->err.msg, "--print netplan"));
	m->by = MANAGER_NETWORKMANAGER;
	m->file[0] = '\0';
	assert_refused(w, BOND_REFUSED_MANAGED, "NetworkManager configures 0000:29:00.1 (enp41s0f1np1) and");
	m->by = MANAGER_UNKNOWN;
	assert_refused(w, BOND_REFUSED_MANAGED, "is not known");
	w->request.print = true;
	assert_int_equal(run(w), BOND_NOT_REFUSED);
	w->request.print = false;
	w->request.slot = 1; /* the other card is free */
	assert_int_equal(run(w), BOND_NOT_REFUSED);
}

static void controllers_of_ours_need_to_be_drained_and_others_go_first(void **state)
{
	struct bond_world *w = *state;
	unsigned ours = 0;

	read_world(w, "h100+live");
	w->request.slot = 2;
	assert_refused(w, BOND_REFUSED_LIVE, "--drain");
	w->request.drain = true;
	assert_int_equal(run(w), BOND_NOT_REFUSED);
	for (unsigned i = 0; i < w->w.plan.paths; i++)
		ours += pci_same_card(&w->w.topo.port[w->w.plan.path[i].port].pci,
				      &port_of(w, "0000:29:00.0")->pci);
	assert_true(ours > 0 && ours < w->w.plan.paths);
	assert_int_equal(w->plan.drained, ours);
	w->w.plan.path[0].owner = OWNER_UNKNOWN;
	assert_refused(w, BOND_REFUSED_FOREIGN, "nvme disconnect -d nvme");
	w->w.plan.path[0].owner = OWNER_US;
	w->request.print = true;
	w->request.drain = false;
	assert_int_equal(run(w), BOND_NOT_REFUSED);
}

static void queues_tell_where_a_controller_is_when_its_address_has_moved(void **state)
{
	struct bond_world *w = *state;

	read_world(w, "h100+live");
	w->request.slot = 2;
	for (unsigned i = 0; i < w->w.plan.paths; i++)
		w->w.plan.path[i].port = w->w.plan.path[i].netdev = w->w.plan.path[i].rdma = -1;
	assert_refused(w, BOND_REFUSED_LIVE, "--drain");
	w->w.plan.paths = 0; /* queues without a controller */
	w->request.drain = true;
	assert_refused(w, BOND_REFUSED_UNREAD, "try again");
	w->w.topo.cm_ids = 0;
	assert_int_equal(run(w), BOND_NOT_REFUSED);
	w->w.topo.cm_ids_read = READ_FAILED;
	assert_refused(w, BOND_REFUSED_UNREAD, "could not be read");
}

static void the_same_bond_is_kept_and_another_one_is_drift(void **state)
{
	struct bond_world *w = *state;

	read_world(w, "h100+card-bond+live"); /* with controllers over it, which nobody disturbs */
	w->request.slot = 2;
	assert_int_equal(run(w), BOND_NOT_REFUSED);
	assert_int_equal(w->plan.action, BOND_KEPT);
	assert_string_equal(w->plan.name, "bond1");
	assert_int_equal(w->plan.roce_lag, ROCE_LAG_ACTIVE);
	assert_int_equal(w->plan.drained, 0);
	w->request.mode = BOND_8023AD;
	assert_refused(w, BOND_REFUSED_DRIFT, "its mode is active-backup, not 802.3ad");
	w->request.drain = true;
	assert_int_equal(run(w), BOND_NOT_REFUSED);
	assert_int_equal(w->plan.action, BOND_WOULD_CHANGE);
	assert_int_equal(w->plan.bond, 0);
	assert_true(w->plan.drained > 0);
	w->request.mode = BOND_ACTIVE_BACKUP;
	w->request.drain = false;
	w->request.mtu = 1500;
	assert_refused(w, BOND_REFUSED_DRIFT, "its MTU is 9000, not 1500");
	w->request.mtu = 9000;
	str_format(w->request.name, sizeof(w->request.name), "storage0");
	assert_refused(w, BOND_REFUSED_DRIFT, "its name is bond1, not storage0");
}

static void a_bond_of_other_members_is_drift_or_not_ours(void **state)
{
	struct bond_world *w = *state;

	read_world(w, "f5-bond0");			    /* over the second ports of both cards */
	for (unsigned i = 0; i < w->w.topo.rdma_links; i++) /* as delivered the first ports are InfiniBand */
		w->w.topo.rdma_link[i].link_layer = LINK_LAYER_ETHERNET;
	for (unsigned i = 0; i < w->w.topo.netdevs; i++)
		w->w.topo.netdev[i].infiniband = false;
	w->request.slot = 2;
	assert_refused(w, BOND_REFUSED_DRIFT, "bond0 is there over these ports");
	assert_non_null(strstr(w->err.msg, "other members"));
	ask_ports(w, "0000:29:00.1", "0000:aa:00.1");
	w->request.allow_cross_card = true;
	assert_int_equal(run(w), BOND_NOT_REFUSED);
	assert_int_equal(w->plan.action, BOND_KEPT);
	w->w.classes.bond[0].storage = false;
	assert_refused(w, BOND_REFUSED_TAKEN, "no storage port");
	w->w.classes.bonds = 0;
	assert_refused(w, BOND_REFUSED_TAKEN, "is no bond");
}

static void members_of_two_bonds_are_refused(void **state)
{
	struct bond_world *w = *state;
	struct netdev *other;

	read_world(w, "h100+card-bond");
	w->request.slot = 2;
	other = &w->w.topo.netdev[w->w.topo.netdevs++];
	*other = (struct netdev){ .ifindex = 999, .name = "br0", .kind = NET_OTHER };
	w->w.topo.netdev[port_of(w, "0000:29:00.1")->netdev].master_ifindex = 999;
	assert_refused(w, BOND_REFUSED_TAKEN, "0000:29:00.1");
}

static void names_and_addresses_of_others_are_refused(void **state)
{
	static const char *const names[] = { "a/b", "..", "-x", "a b", "bond:0", "b\xc3\xb6nd" };
	struct bond_world *w = *state;

	read_world(w, "h100");
	w->request.slot = 2;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		str_format(w->request.name, sizeof(w->request.name), "%s", names[i]);
		assert_refused(w, BOND_REFUSED_NAME, "is no name");
	}
	str_format(w->request.name, sizeof(w->request.name), "eno3");
	assert_refused(w, BOND_REFUSED_NAME, "--name another one");
	w->request.name[0] = '\0';
	w->request.addresses = 2;
	w->request.address[0].prefixlen = w->request.address[1].prefixlen = 24;
	assert_int_equal(ip_parse("10.10.1.1", &w->request.address[0].ip), 0); /* of its own member */
	assert_int_equal(ip_parse("10.10.9.1", &w->request.address[1].ip), 0);
	assert_int_equal(run(w), BOND_NOT_REFUSED);
	assert_false(w->plan.there[0]);
	assert_int_equal(ip_parse("10.10.3.1", &w->request.address[1].ip), 0); /* of aa:00.0 */
	assert_refused(w, BOND_REFUSED_ADDRESS, "enp170s0f0np0 has the address 10.10.3.1");
}

static void an_address_that_the_bond_has_is_there(void **state)
{
	struct bond_world *w = *state;

	read_world(w, "f5-bond0+active-backup");
	ask_ports(w, "0000:29:00.1", "0000:aa:00.1");
	w->request.allow_cross_card = true;
	w->request.addresses = 1;
	w->request.address[0].prefixlen = 24;
	assert_int_equal(ip_parse("10.10.9.1", &w->request.address[0].ip), 0);
	assert_int_equal(run(w), BOND_NOT_REFUSED);
	assert_true(w->plan.there[0]);
	w->request.address[0].prefixlen = 16;
	assert_int_equal(run(w), BOND_NOT_REFUSED);
	assert_false(w->plan.there[0]);
}

static void every_refusal_has_a_word(void **state)
{
	(void)state;
	for (int i = BOND_NOT_REFUSED + 1; i < BOND_REFUSAL_COUNT; i++)
		assert_non_null(bond_refusal_name((enum bond_refusal)i));
	assert_null(bond_refusal_name(BOND_NOT_REFUSED));
}

#define T(f) cmocka_unit_test_setup_teardown(f, bond_setup, bond_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(all_ports_of_a_card_are_bonded),
		T(ports_that_are_not_storage_are_refused),
		T(names_that_fit_no_two_ports_are_refused),
		T(a_bond_across_cards_needs_a_word_and_one_mode),
		T(what_keeps_the_card_from_a_roce_lag_is_refused),
		T(a_port_less_than_the_card_has_is_refused),
		T(in_band_ports_are_refused_without_a_word),
		T(members_that_somebody_configures_are_refused),
		T(controllers_of_ours_need_to_be_drained_and_others_go_first),
		T(queues_tell_where_a_controller_is_when_its_address_has_moved),
		T(the_same_bond_is_kept_and_another_one_is_drift),
		T(a_bond_of_other_members_is_drift_or_not_ours),
		T(members_of_two_bonds_are_refused),
		T(names_and_addresses_of_others_are_refused),
		T(an_address_that_the_bond_has_is_there),
		T(every_refusal_has_a_word),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
