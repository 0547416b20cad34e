/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Dumps over trees: missing, broken and contradicting files, and what sysfs adds to them. */
#include "unit/dumps_world.h"

#include <stdio.h>

#include "facts/facts.h"
#include "facts/net.h"
#include "unit/tree.h"

static void read_net_and_rdma(struct world *w, struct tree *tree)
{
	assert_int_equal(facts_read_net(&tree->root, w->topo, w->findings, &w->err), 0);
	assert_int_equal(facts_read_rdma(&tree->root, w->topo, w->findings, &w->err), 0);
}

static void missing_files_mean_that_nothing_is_there(void **state)
{
	struct world *w = *state;
	struct tree tree;

	tree_open(&tree);
	read_net_and_rdma(w, &tree);
	assert_int_equal(facts_read_cm_ids(&tree.root, w->topo, w->findings, &w->err), 0);
	assert_int_equal(w->topo->netdevs + w->topo->addrs + w->topo->rdma_links + w->topo->cm_ids, 0);
	assert_int_equal(w->topo->cm_ids_read, READ_NOT_THERE);
	assert_int_equal(w->findings->count, 0);
	tree_close(&tree);
}

static void broken_files_are_unknown(void **state)
{
	static const char *const broken[] = {
		"", "{}", "7", "[", "[]x", "\xff", "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[["
	};
	static const char *const files[] = { "link.json", "addr.json", "route.json", "rdma-link.json" };
	struct world *w = *state;

	for (size_t i = 0; i < ARRAY_SIZE(broken); i++) {
		struct tree tree;

		tree_open(&tree);
		for (size_t f = 0; f < ARRAY_SIZE(files); f++) {
			char path[64];

			snprintf(path, sizeof(path), "netlink/%s", files[f]);
			tree_write(&tree, path, broken[i]);
		}
		tree_write(&tree, "netlink/rdma-cm-id.json", broken[i]);
		w->findings->count = 0;
		read_net_and_rdma(w, &tree);
		assert_int_equal(w->findings->count, ARRAY_SIZE(files));
		for (size_t f = 0; f < ARRAY_SIZE(files); f++) {
			assert_int_equal(w->findings->finding[f].status, FINDING_UNKNOWN);
			assert_string_equal(w->findings->finding[f].object, files[f]);
		}
		assert_int_equal(facts_read_cm_ids(&tree.root, w->topo, w->findings, &w->err), 0);
		assert_int_equal(w->topo->cm_ids_read, READ_FAILED);
		assert_int_equal(w->findings->count, ARRAY_SIZE(files) + 1);
		tree_close(&tree);
	}
}

#define LINK_MLX5_1 "[{" HEAD "\"state\":\"ACTIVE\"}]"
#define CM_ID(lqpn) "{" HEAD "\"lqpn\":" lqpn ",\"comm\":\"nvme_rdma\"}"

static void only_a_queue_pair_in_rts_carries_traffic(void **state)
{
	struct world *w = *state;
	struct tree tree;

	tree_open(&tree);
	tree_write(&tree, "netlink/rdma-link.json", LINK_MLX5_1);
	tree_write(&tree, "netlink/rdma-cm-id.json",
		   "[" CM_ID("17") "," CM_ID("18") "," CM_ID("19") ",{" HEAD "\"comm\":\"nvme_rdma\"}]");
	tree_write(&tree, "netlink/rdma-qp.json",
		   "[{" HEAD "\"lqpn\":30,\"state\":\"RTS\"},{" HEAD "\"lqpn\":18,\"state\":\"INIT\"},"
		   "{\"ifindex\":2,\"ifname\":\"mlx5_2\",\"lqpn\":19,\"state\":\"RTS\"},"
		   "{" HEAD "\"lqpn\":1,\"state\":\"RTS\"},{" HEAD "\"lqpn\":17,\"state\":\"RTS\"}]");
	assert_int_equal(facts_read_rdma(&tree.root, w->topo, w->findings, &w->err), 0);
	assert_int_equal(facts_read_cm_ids(&tree.root, w->topo, w->findings, &w->err), 0);
	assert_int_equal(w->topo->cm_ids_read, READ_OK);
	assert_int_equal(w->topo->cm_ids, 4);
	for (unsigned i = 0; i < 4; i++) {
		assert_int_equal(w->topo->cm_id[i].has_qp, i < 3);
		assert_int_equal(w->topo->cm_id[i].qp_rts, i == 0);
	}
	tree_close(&tree);
}

static void cm_ids_without_readable_queue_pairs_prove_nothing(void **state)
{
	struct world *w = *state;
	struct tree tree;

	tree_open(&tree);
	tree_write(&tree, "netlink/rdma-link.json", LINK_MLX5_1);
	tree_write(&tree, "netlink/rdma-cm-id.json", "[" CM_ID("17") "]");
	tree_write(&tree, "netlink/rdma-qp.json", "[{}]");
	assert_int_equal(facts_read_rdma(&tree.root, w->topo, w->findings, &w->err), 0);
	w->findings->count = 0;
	assert_int_equal(facts_read_cm_ids(&tree.root, w->topo, w->findings, &w->err), 0);
	assert_int_equal(w->topo->cm_ids_read, READ_FAILED);
	assert_int_equal(w->topo->cm_ids, 0);
	assert_string_equal(w->topo->cm_ids_why, "netlink/rdma-qp.json: entry 0 has no usable \"ifname\"");
	assert_int_equal(w->findings->count, 1);
	/* A file that is not there means that there is no queue pair. */
	tree_unlink(&tree, "netlink/rdma-qp.json");
	assert_int_equal(facts_read_cm_ids(&tree.root, w->topo, w->findings, &w->err), 0);
	assert_int_equal(w->topo->cm_ids_read, READ_OK);
	assert_int_equal(w->topo->cm_ids, 1);
	assert_false(w->topo->cm_id[0].qp_rts);
	tree_close(&tree);
}

static void devices_that_only_one_of_netlink_and_sysfs_shows_are_kept_and_told(void **state)
{
	struct world *w = *state;
	struct tree tree;

	tree_open(&tree);
	tree_write(&tree, "netlink/rdma-link.json",
		   "[{\"ifindex\":0,\"ifname\":\"mlx5_10\",\"port\":1,\"state\":\"ACTIVE\"},"
		   "{\"ifindex\":1,\"ifname\":\"mlx5_2\",\"port\":1,\"state\":\"DOWN\"}]");
	tree_link(&tree, "sys/class/infiniband/mlx5_2",
		  "../../devices/pci0000:24/0000:29:00.1/infiniband/mlx5_2");
	tree_write(&tree, "sys/devices/pci0000:24/0000:29:00.1/infiniband/mlx5_2/ports/1/link_layer",
		   "InfiniBand\n");
	tree_link(&tree, "sys/class/infiniband/mlx5_3",
		  "../../devices/pci0000:24/0000:29:00.0/mlx5_core.sf.4/infiniband/mlx5_3");
	tree_write(&tree,
		   "sys/devices/pci0000:24/0000:29:00.0/mlx5_core.sf.4/infiniband/mlx5_3/ports/1/link_layer",
		   "Ethernet\n");
	assert_int_equal(facts_read_rdma(&tree.root, w->topo, w->findings, &w->err), 0);
	assert_int_equal(w->topo->rdma_links, 3);
	assert_string_equal(w->topo->rdma_link[0].name, "mlx5_2");
	assert_int_equal(w->topo->rdma_link[0].link_layer, LINK_LAYER_INFINIBAND);
	assert_true(w->topo->rdma_link[0].has_pci && !w->topo->rdma_link[0].subfunction);
	assert_int_equal(w->topo->rdma_link[0].pci.function, 1);
	assert_string_equal(w->topo->rdma_link[1].name, "mlx5_3");
	assert_int_equal(w->topo->rdma_link[1].index, RDMA_INDEX_UNKNOWN);
	assert_int_equal(w->topo->rdma_link[1].link_layer, LINK_LAYER_ETHERNET);
	assert_true(w->topo->rdma_link[1].subfunction && !w->topo->rdma_link[1].active);
	assert_string_equal(w->topo->rdma_link[1].state, "");
	assert_string_equal(w->topo->rdma_link[2].name, "mlx5_10");
	assert_false(w->topo->rdma_link[2].has_pci);
	assert_int_equal(w->findings->count, 2);
	tree_close(&tree);
}

static void a_link_tells_the_function_and_whether_a_subfunction_is_between(void **state)
{
	static const struct {
		const char *link;
		int function; /* -1: none */
		bool subfunction;
	} cases[] = {
		{ "../../devices/pci0000:24/0000:24:01.0/0000:29:00.1/net/ens1", 1, false },
		{ "../../devices/pci0000:28/0000:28:00.0/0000:29:00.0/virtio12/net/ens1", 0, false },
		{ "../../devices/pci0000:24/0000:29:00.0/mlx5_core.sf.4/net/ens1s88", 0, true },
		{ "../../devices/pci0000:24/0000:29:00.1/net/ens1.100.200", 1, false },
		{ "../../devices/virtual/net/bond0", -1, false },
		{ "../../devices/virtual/infiniband/0000:29:00.0", -1, false }, /* a name, not a place */
		{ "../../devices/a.b.c/0000:29:00.3/net/x", 3, false },
		{ "ens1", -1, false },
		{ "", -1, false },
		{ "/", -1, false },
		{ "//0000:29:00.2//", 2, false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct pci_addr pci = { 0 };
		bool has_pci, subfunction;

		net_place_of_link(cases[i].link, &has_pci, &pci, &subfunction);
		if (has_pci != (cases[i].function >= 0) || subfunction != cases[i].subfunction ||
		    (has_pci && pci.function != cases[i].function))
			fail_msg("%s", cases[i].link);
	}
}

static void kinds_tell_what_may_be_a_port(void **state)
{
	static const struct {
		const char *info_kind;
		bool has_lower;
		const char *port_name;
		enum net_kind kind;
	} cases[] = {
		{ NULL, false, NULL, NET_PLAIN },	  { NULL, false, "p0", NET_PLAIN },
		{ NULL, false, "p0s1", NET_PLAIN },	  { NULL, false, "pf0vf3", NET_OTHER },
		{ NULL, false, "pf0", NET_OTHER },	  { NULL, false, "c1pf0sf8", NET_OTHER },
		{ NULL, false, "c1", NET_PLAIN },	  { "ipoib", false, NULL, NET_PLAIN },
		{ "ipoib", true, NULL, NET_OTHER },	  { "bond", false, NULL, NET_BOND },
		{ "vlan", true, NULL, NET_VLAN },	  { "macvlan", true, NULL, NET_OTHER },
		{ "bond_slave", false, NULL, NET_OTHER }, { "", false, NULL, NET_OTHER },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		assert_int_equal(net_kind_of(cases[i].info_kind, cases[i].has_lower, cases[i].port_name),
				 cases[i].kind);
}

static void an_interface_without_a_function_is_no_port(void **state)
{
	struct world *w = *state;
	struct tree tree;

	tree_open(&tree);
	tree_write(&tree, "netlink/link.json",
		   "[{\"ifindex\":9,\"ifname\":\"ens9\"},{\"ifindex\":2,\"ifname\":\"ens1\"},"
		   "{\"ifindex\":1,\"ifname\":\"lo\",\"flags\":[\"LOOPBACK\"]},"
		   "{\"ifindex\":5,\"ifname\":\"usb0\"}]");
	tree_write(&tree, "netlink/addr.json",
		   "[{\"ifindex\":9,\"addr_info\":[{\"local\":\"fe80::9\",\"prefixlen\":64}]},"
		   "{\"ifindex\":2,\"addr_info\":[{\"local\":\"10.0.0.2\",\"prefixlen\":8},"
		   "{\"local\":\"10.0.0.1\",\"prefixlen\":8}]}]");
	tree_link(&tree, "sys/class/net/ens1", "../../devices/pci0000:24/0000:29:00.1/net/ens1");
	tree_link(&tree, "sys/class/net/usb0", "../../devices/virtual/net/usb0");
	assert_int_equal(facts_read_net(&tree.root, w->topo, w->findings, &w->err), 0);
	assert_int_equal(w->topo->netdevs, 4); /* by index */
	assert_int_equal(w->topo->netdev[0].kind, NET_OTHER);
	assert_string_equal(w->topo->netdev[1].name, "ens1");
	assert_int_equal(w->topo->netdev[1].kind, NET_PLAIN);
	assert_true(w->topo->netdev[1].has_pci);
	assert_int_equal(w->topo->netdev[2].kind, NET_OTHER);
	assert_int_equal(w->topo->netdev[3].kind, NET_OTHER);
	assert_int_equal(w->findings->count, 1); /* ens9 is in netlink and not in sysfs */
	assert_string_equal(w->findings->finding[0].object, "ens9");
	assert_int_equal(w->topo->addr[0].ip.bytes[3], 1);
	assert_string_equal(w->topo->addr[2].ip.scope, "ens9");
	tree_close(&tree);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		T(missing_files_mean_that_nothing_is_there),
		T(broken_files_are_unknown),
		T(only_a_queue_pair_in_rts_carries_traffic),
		T(cm_ids_without_readable_queue_pairs_prove_nothing),
		T(devices_that_only_one_of_netlink_and_sysfs_shows_are_kept_and_told),
		T(a_link_tells_the_function_and_whether_a_subfunction_is_between),
		T(kinds_tell_what_may_be_a_port),
		T(an_interface_without_a_function_is_no_port),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
