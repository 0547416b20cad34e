/* SPDX-License-Identifier: GPL-2.0-or-later */
/* policy/verify_partition.c, verify_apart.c: nothing of storage is on a port that is not. */
#include "unit/verify_world.h"

#include <stdio.h>

#define STORAGE "partition.controllers_on_storage"
#define CLEAN "partition.compute_clean"
#define SOURCE "partition.bound_source"

/* All CM_IDs of the path go to another device, as after a reconnect over another port. */
static void move_queue_pairs(struct verify_world *w, unsigned path, const char *src, const char *device)
{
	struct topology *topo = &w->w.topo;
	struct ip from, to;

	assert_int_equal(ip_parse(w->w.plan.path[path].id.host_traddr, &from), 0);
	assert_int_equal(ip_parse(src, &to), 0);
	for (unsigned i = 0; i < topo->cm_ids; i++) {
		if (!ip_equal(&topo->cm_id[i].src, &from))
			continue;
		topo->cm_id[i].src = to;
		strcpy(topo->cm_id[i].rdma_name, device);
	}
}

static void drop_queue_pairs(struct verify_world *w, unsigned path)
{
	struct topology *topo = &w->w.topo;
	unsigned kept = 0;
	struct ip from;

	assert_int_equal(ip_parse(w->w.plan.path[path].id.host_traddr, &from), 0);
	for (unsigned i = 0; i < topo->cm_ids; i++) {
		if (!ip_equal(&topo->cm_id[i].src, &from))
			topo->cm_id[kept++] = topo->cm_id[i];
	}
	topo->cm_ids = kept;
}

static void run(struct verify_world *w)
{
	verify_world_again(w);
	verify_world_run(w, verify_partition);
}

static void a_connection_over_the_compute_port_is_named_with_its_queue_pairs(void **state)
{
	struct verify_world *w = *state;

	verify_world_read(w, "h100+live");
	verify_world_address(w, "ibp24s0", "10.20.0.1", 24);
	move_queue_pairs(w, 0, "10.20.0.1", "mlx5_0");
	strcpy(verify_world_ctrl(w, 0)->id.host_traddr, "10.20.0.1");
	run(w);
	assert_says(w, STORAGE, FINDING_FAIL, "nvme2",
		    "nvme2 (nqn.2026-01.example:s1 at 10.10.1.2:4420) has its source 10.20.0.1 on ibp24s0 "
		    "(0000:18:00.0, compute)");
	assert_says(
		w, CLEAN, FINDING_FAIL, "mlx5_0",
		"17 queue pairs of nvme_rdma are on mlx5_0 (0000:18:00.0, compute), which is not storage");
	assert_says(w, CLEAN, FINDING_FAIL, "mlx5_0", "nvme2 (nqn.2026-01.example:s1 at 10.10.1.2:4420)");
	assert_says(w, SOURCE, FINDING_FAIL, "nvme2", "not storage, and the kernel reconnects from there");
}

static void a_connection_without_a_source_is_judged_by_its_queue_pairs(void **state)
{
	struct verify_world *w = *state;

	verify_world_read(w, "h100+live");
	verify_world_ctrl(w, 0)->id.host_traddr[0] = '\0';
	run(w);
	assert_passes(w, STORAGE);
	assert_says(w, SOURCE, FINDING_FAIL, "nvme2", "the kernel picks the HCA by route");
	for (unsigned i = 0; i < w->w.topo.cm_ids; i++) {
		if (strcmp(w->w.topo.cm_id[i].rdma_name, "mlx5_1") == 0)
			strcpy(w->w.topo.cm_id[i].rdma_name, "mlx5_0");
	}
	run(w);
	assert_says(w, STORAGE, FINDING_FAIL, "nvme2",
		    "17 queue pairs to its portal are on RDMA device mlx5_0 (0000:18:00.0, compute)");
	w->w.topo.cm_ids = 0;
	run(w);
	assert_says(w, STORAGE, FINDING_UNKNOWN, "nvme2", "is live and has no queue pair and no source");
}

static void a_storage_address_that_moved_to_a_compute_port_fails_before_the_reconnect(void **state)
{
	struct verify_world *w = *state;

	verify_world_read(w, "h100+live");
	verify_world_address(w, "enp41s0f0np0", NULL, 0);
	verify_world_address(w, "ibp24s0", "10.10.1.1", 24);
	run(w);
	assert_says(w, STORAGE, FINDING_FAIL, "nvme2", "10.10.1.1 on ibp24s0 (0000:18:00.0, compute)");
	assert_says(w, SOURCE, FINDING_FAIL, "nvme2", "10.10.1.1");
	assert_passes(w, CLEAN);
}

static void two_addresses_that_swapped_storage_ports_are_still_storage(void **state)
{
	struct verify_world *w = *state;

	verify_world_read(w, "h100+live");
	verify_world_address(w, "enp41s0f0np0", NULL, 0);
	verify_world_address(w, "enp41s0f1np1", NULL, 0);
	verify_world_address(w, "enp41s0f0np0", "10.10.2.1", 24);
	verify_world_address(w, "enp41s0f1np1", "10.10.1.1", 24);
	run(w);
	assert_says(w, SOURCE, FINDING_FAIL, "nvme2", "on RDMA device mlx5_1, not on mlx5_2");
	assert_alone(w, SOURCE);
}

static void a_removed_address_fails_but_the_queue_pairs_are_where_they_were(void **state)
{
	struct verify_world *w = *state;

	verify_world_read(w, "h100+live");
	verify_world_address(w, "enp41s0f0np0", NULL, 0);
	run(w);
	assert_says(w, SOURCE, FINDING_FAIL, "nvme2", "the source 10.10.1.1 of nvme2");
	assert_says(w, SOURCE, FINDING_FAIL, "nvme2", "on no interface now");
	assert_alone(w, SOURCE);
	verify_world_address(w, "enp41s0f0np0", "10.10.1.1", 24);
	verify_world_address(w, "enp41s0f1np1", "10.10.1.1", 24);
	run(w);
	assert_says(w, SOURCE, FINDING_FAIL, "nvme2", "several interfaces");
}

static void a_renamed_interface_changes_nothing(void **state)
{
	struct verify_world *w = *state;

	verify_world_read(w, "h100+live");
	strcpy(verify_world_netdev(w, "enp41s0f0np0")->name, "storage0");
	run(w);
	assert_alone(w, "");
	assert_passes(w, SOURCE);
}

static void a_controller_that_reconnects_is_judged_by_sysfs(void **state)
{
	struct verify_world *w = *state;

	verify_world_read(w, "h100+live");
	strcpy(verify_world_ctrl(w, 0)->state, "connecting");
	drop_queue_pairs(w, 0);
	run(w);
	assert_says(w, STORAGE, FINDING_PASS, "", "1 of them not live and without a queue pair");
	assert_says(w, SOURCE, FINDING_UNKNOWN, "nvme2", "is connecting");
	strcpy(verify_world_ctrl(w, 0)->state, "live");
	run(w);
	assert_says(w, STORAGE, FINDING_UNKNOWN, "nvme2", "is live and has no queue pair");
}

static void a_number_of_queue_pairs_that_differs_proves_nothing(void **state)
{
	struct verify_world *w = *state;

	verify_world_read(w, "h100+live");
	verify_world_ctrl(w, 0)->queue_count++;
	run(w);
	assert_says(w, SOURCE, FINDING_UNKNOWN, "nvme2", "17 queue pairs from 10.10.1.1");
	assert_alone(w, SOURCE);
}

static void an_address_on_two_interfaces_is_storage_only_if_both_are(void **state)
{
	struct verify_world *w = *state;

	verify_world_read(w, "h100+live");
	verify_world_address(w, "ibp24s0", "10.10.1.1", 24);
	verify_world_address(w, "enp41s0f1np1", "10.10.1.1", 24);
	run(w);
	assert_says(w, STORAGE, FINDING_FAIL, "nvme2", "10.10.1.1 on ibp24s0");
}

static void a_subfunction_of_a_storage_port_is_none(void **state)
{
	struct verify_world *w = *state;

	verify_world_read(w, "h100+live");
	w->w.topo.rdma_link[w->w.plan.path[0].rdma].subfunction = true;
	verify_world_run(w, verify_partition);
	assert_says(w, CLEAN, FINDING_FAIL, "mlx5_1", "17 queue pairs");
}

static void without_rdma_netlink_nothing_is_proven(void **state)
{
	struct verify_world *w = *state;

	verify_world_read(w, "h100+live");
	w->w.topo.cm_ids_read = READ_FAILED;
	strcpy(w->w.topo.cm_ids_why, "Permission denied");
	run(w);
	assert_says(w, STORAGE, FINDING_UNKNOWN, "nvme2", "Permission denied");
	assert_says(w, CLEAN, FINDING_UNKNOWN, "", "Permission denied");
	assert_says(w, SOURCE, FINDING_UNKNOWN, "nvme2", "Permission denied");
	w->w.topo.ctrls = w->w.topo.rdma_links = 0;
	w->w.topo.cm_ids_read = READ_NOT_THERE;
	run(w);
	assert_says(w, CLEAN, FINDING_SKIP, "", "no RDMA device");
	assert_says(w, STORAGE, FINDING_SKIP, "", "no controller");
	assert_says(w, SOURCE, FINDING_SKIP, "", "no controller");
}

static void only_queue_pairs_of_nvme_rdma_count_in_whatever_state(void **state)
{
	struct verify_world *w = *state;
	struct cm_id *last;

	verify_world_read(w, "h100+live");
	last = &w->w.topo.cm_id[w->w.topo.cm_ids++];
	*last = (struct cm_id){ .rdma_name = "mlx5_3", .owner = "nvmet_rdma", .has_qp = true };
	run(w);
	assert_passes(w, CLEAN);
	strcpy(last->owner, "nvme_rdma");
	last->has_qp = false;
	run(w);
	assert_passes(w, CLEAN);
	last->has_qp = true; /* no addresses, not in RTS */
	run(w);
	assert_says(w, CLEAN, FINDING_FAIL, "mlx5_3", "1 queue pairs");
	assert_says(w, CLEAN, FINDING_FAIL, "mlx5_3", "no controller that is known");
	strcpy(last->rdma_name, "mlx5_99");
	run(w);
	assert_says(w, CLEAN, FINDING_FAIL, "mlx5_99", "no port that is known");
}

static void tcp_through_another_interface_fails(void **state)
{
	struct verify_world *w = *state;
	struct ctrl *ctrl;

	verify_world_read(w, "h100+live");
	ctrl = &w->w.topo.ctrl[w->w.topo.ctrls++];
	*ctrl = (struct ctrl){ .instance = 40, .cntlid = 1, .queue_count = 2, .state = "live" };
	strcpy(ctrl->id.transport, "tcp");
	strcpy(ctrl->id.nqn, "nqn.2026-01.example:tcp");
	strcpy(ctrl->id.traddr, "192.0.2.7");
	strcpy(ctrl->id.trsvcid, "4420");
	strcpy(ctrl->src_addr, "192.0.2.10");
	run(w);
	assert_says(w, STORAGE, FINDING_FAIL, "nvme40", "by TCP through eno3 (0000:0b:00.0, management)");
	strcpy(ctrl->src_addr, "10.10.1.1"); /* which does not say where its packets leave */
	run(w);
	assert_says(w, STORAGE, FINDING_UNKNOWN, "nvme40", "connect it with host_iface");
	strcpy(ctrl->host_iface, "enp41s0f0np0");
	run(w);
	assert_passes(w, STORAGE);
	strcpy(ctrl->host_iface, "ibp24s0");
	run(w);
	assert_says(w, STORAGE, FINDING_FAIL, "nvme40", "by TCP through ibp24s0");
	ctrl->host_iface[0] = ctrl->src_addr[0] = '\0';
	run(w);
	assert_says(w, STORAGE, FINDING_UNKNOWN, "nvme40", "the routing table decides");
	ctrl->id.transport[0] = '\0'; /* unread */
	run(w);
	assert_says(w, STORAGE, FINDING_UNKNOWN, "nvme40", "sys/class/nvme/nvme40/transport");
	strcpy(ctrl->id.transport, "pcie");
	run(w);
	assert_passes(w, STORAGE);
}

static void what_could_not_all_be_read_is_no_pass(void **state)
{
	struct verify_world *w = *state;

	verify_world_read(w, "h100+live");
	w->w.topo.net_read = READ_FAILED;
	run(w);
	assert_says(w, "partition.subnets_disjoint", FINDING_UNKNOWN, "interfaces", "could not all be read");
}

static void a_bond_with_another_member_is_not_storage(void **state)
{
	struct verify_world *w = *state;

	verify_world_read(w, "h100+card-bond+live");
	assert_passes((verify_world_run(w, verify_partition), w), STORAGE);
	for (unsigned i = 0; i < w->w.platform.ports; i++) { /* the card's second port is another role's */
		if (w->w.platform.port[i].pci.bus == 0x29 && w->w.platform.port[i].pci.function == 1)
			w->w.platform.port[i].role = ROLE_COMPUTE;
	}
	run(w);
	assert_says(w, STORAGE, FINDING_FAIL, "nvme2", "on bond");
	assert_says(w, CLEAN, FINDING_FAIL, NULL, "queue pairs");
}

static void a_subnet_in_common_with_compute_fails(void **state)
{
	struct verify_world *w = *state;
	const char *check = "partition.subnets_disjoint";

	verify_world_read(w, "h100+live");
	verify_world_address(w, "ibp24s0", "10.10.1.77", 32);
	run(w);
	assert_says(w, check, FINDING_FAIL, "ibp24s0", "10.10.1.77/32 of ibp24s0 (0000:18:00.0, compute)");
	assert_alone(w, check);
	strcpy(verify_world_netdev(w, "ibp24s0")->name, "docker0"); /* no port's */
	w->w.topo.port[verify_world_port(w, "0000:18:00.0")].netdev = -1;
	run(w);
	assert_says(w, check, FINDING_WARN, "docker0", "10.10.1.77/32");
	w->w.topo.addrs = 0;
	run(w);
	assert_says(w, check, FINDING_SKIP, "", "no storage port has an address");
}

static void a_switch_in_common_is_a_warning(void **state)
{
	struct verify_world *w = *state;
	const char *check = "partition.switches_disjoint";
	unsigned compute, storage;

	verify_world_read(w, "h100+compute-ethernet");
	compute = verify_world_port(w, "0000:18:00.0");
	storage = verify_world_port(w, "0000:29:00.0");
	run(w);
	assert_says(w, check, FINDING_PASS, "", "on switches without a compute port");
	strcpy(w->settings.port[compute].chassis, w->settings.port[storage].chassis);
	run(w);
	assert_says(w, check, FINDING_WARN, "0000:29:00.0",
		    "and compute port 0000:18:00.0 are on one switch");
	w->settings.port[compute].chassis[0] = '\0';
	run(w);
	assert_says(w, check, FINDING_UNKNOWN, "0000:18:00.0", "no LLDP neighbour");
	for (unsigned i = 0; i < w->w.topo.ports; i++) {
		w->settings.port[i].lldp = READ_NOT_THERE;
		strcpy(w->settings.port[i].lldp_why, "built without liblldpctl");
	}
	run(w);
	assert_says(w, check, FINDING_UNKNOWN, "0000:29:00.0", "and 3 more is unknown: built without");
	for (unsigned i = 0; i < w->w.topo.rdma_links; i++)
		w->w.topo.rdma_link[i].link_layer = LINK_LAYER_INFINIBAND;
	run(w);
	assert_says(w, check, FINDING_UNKNOWN, "", "nothing here tells their fabrics apart");
	for (unsigned i = 0; i < w->w.topo.netdevs; i++)
		w->w.topo.netdev[i].carrier = false;
	run(w);
	assert_says(w, check, FINDING_SKIP, "", "has a link");
}

static void a_service_that_connects_by_itself_is_found(void **state)
{
	struct verify_world *w = *state;
	const char *check = "partition.autoconnect_off";

	verify_world_read(w, "h100");
	w->settings.autoconnect = READ_OK;
	run(w);
	assert_says(w, check, FINDING_PASS, "", "no configuration");
	strcpy(w->settings.autoconnect_config, "etc/nvme/discovery.conf");
	run(w);
	assert_says(w, check, FINDING_FAIL, NULL, "has /etc/nvme/discovery.conf");
	w->settings.autoconnect = READ_FAILED;
	run(w);
	assert_says(w, check, FINDING_UNKNOWN, NULL, "cannot be read");
}

static void a_thousand_findings_are_counted_not_listed(void **state)
{
	struct verify_world *w = *state;
	unsigned count = 0;

	verify_world_read(w, "h100+live");
	for (unsigned i = 0; i < 1000; i++) {
		struct ctrl *ctrl = &w->w.topo.ctrl[w->w.topo.ctrls++];

		*ctrl = *verify_world_ctrl(w, 0);
		ctrl->instance = 100 + i;
		str_format(ctrl->id.host_traddr, sizeof(ctrl->id.host_traddr), "10.99.%u.%u", i / 250,
			   i % 250);
		strcpy(ctrl->state, "connecting");
	}
	run(w);
	for (unsigned i = 0; i < w->w.findings.count; i++)
		count += strcmp(w->w.findings.finding[i].check, SOURCE) == 0;
	assert_int_equal(count, 33);
	assert_says(w, SOURCE, FINDING_FAIL, "others", "and 968 more like these");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		VERIFY_TEST(a_connection_over_the_compute_port_is_named_with_its_queue_pairs),
		VERIFY_TEST(a_connection_without_a_source_is_judged_by_its_queue_pairs),
		VERIFY_TEST(a_storage_address_that_moved_to_a_compute_port_fails_before_the_reconnect),
		VERIFY_TEST(two_addresses_that_swapped_storage_ports_are_still_storage),
		VERIFY_TEST(a_removed_address_fails_but_the_queue_pairs_are_where_they_were),
		VERIFY_TEST(a_renamed_interface_changes_nothing),
		VERIFY_TEST(a_controller_that_reconnects_is_judged_by_sysfs),
		VERIFY_TEST(a_number_of_queue_pairs_that_differs_proves_nothing),
		VERIFY_TEST(an_address_on_two_interfaces_is_storage_only_if_both_are),
		VERIFY_TEST(a_subfunction_of_a_storage_port_is_none),
		VERIFY_TEST(without_rdma_netlink_nothing_is_proven),
		VERIFY_TEST(only_queue_pairs_of_nvme_rdma_count_in_whatever_state),
		VERIFY_TEST(tcp_through_another_interface_fails),
		VERIFY_TEST(what_could_not_all_be_read_is_no_pass),
		VERIFY_TEST(a_bond_with_another_member_is_not_storage),
		VERIFY_TEST(a_subnet_in_common_with_compute_fails),
		VERIFY_TEST(a_switch_in_common_is_a_warning),
		VERIFY_TEST(a_service_that_connects_by_itself_is_found),
		VERIFY_TEST(a_thousand_findings_are_counted_not_listed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
