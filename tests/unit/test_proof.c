/* SPDX-License-Identifier: GPL-2.0-or-later */
/* policy/proof.c: what counts as proof. */
#include "lib/t.h"

#include <stdlib.h>
#include <string.h>

#include "policy/policy.h"

static const struct ctrl_id id_s1 = {
	.nqn = "nqn.2026-01.example:s1",
	.transport = "rdma",
	.traddr = "10.10.1.2",
	.trsvcid = "4420",
	.host_traddr = "10.10.1.1",
};

static int setup(void **state)
{
	struct topology *topo = calloc(1, sizeof(*topo));

	assert_non_null(topo);
	topo->cm_ids_read = READ_OK;
	*state = topo;
	return 0;
}

static int teardown(void **state)
{
	free(*state);
	return 0;
}

static void add_ctrl(struct topology *topo, const char *nqn, const char *state, int queue_count)
{
	struct ctrl *ctrl = &topo->ctrl[topo->ctrls++];

	ctrl->id = id_s1;
	str_format(ctrl->id.nqn, sizeof(ctrl->id.nqn), "%s", nqn);
	str_format(ctrl->state, sizeof(ctrl->state), "%s", state);
	ctrl->queue_count = queue_count;
}

static struct cm_id *add_cm_ids(struct topology *topo, const char *device, unsigned count)
{
	struct cm_id *first = &topo->cm_id[topo->cm_ids];

	for (unsigned i = 0; i < count; i++) {
		struct cm_id *cm_id = &topo->cm_id[topo->cm_ids++];

		*cm_id = (struct cm_id){
			.owner = "nvme_rdma", .has_addrs = true, .has_qp = true, .qp_rts = true
		};
		str_format(cm_id->rdma_name, sizeof(cm_id->rdma_name), "%s", device);
		assert_int_equal(ip_parse("10.10.1.1", &cm_id->src), 0);
		assert_int_equal(ip_parse("10.10.1.2", &cm_id->dst), 0);
		cm_id->dst_port = 4420;
		cm_id->src_port = (uint16_t)(40000 + i);
	}
	return first;
}

static enum group_verdict verdict(const struct topology *topo)
{
	static struct proof_groups groups;
	char why[256];

	proof_collect(topo, &groups);
	return prove_group(topo, &groups, &id_s1, "mlx5_1", why, sizeof(why));
}

static void every_queue_on_the_ports_device_is_proof(void **state)
{
	struct topology *topo = *state;

	add_ctrl(topo, id_s1.nqn, "live", 5);
	add_cm_ids(topo, "mlx5_1", 5);
	assert_int_equal(verdict(topo), GROUP_PROVEN);
}

static void one_queue_on_another_device_is_a_mismatch(void **state)
{
	struct topology *topo = *state;

	add_ctrl(topo, id_s1.nqn, "live", 5);
	add_cm_ids(topo, "mlx5_1", 4);
	assert_int_equal(verdict(topo), GROUP_UNSETTLED);
	add_cm_ids(topo, "mlx5_10", 1); /* not mlx5_1, for all that it starts so */
	assert_int_equal(verdict(topo), GROUP_MISMATCH);
}

static void a_cm_id_without_a_queue_pair_in_rts_is_no_proof(void **state)
{
	struct topology *topo = *state;

	add_ctrl(topo, id_s1.nqn, "live", 5);
	add_cm_ids(topo, "mlx5_1", 4);
	add_cm_ids(topo, "mlx5_1", 1)->qp_rts = false;
	assert_int_equal(verdict(topo), GROUP_UNSETTLED);
}

static void nothing_at_all_is_no_proof(void **state)
{
	struct topology *topo = *state;

	add_ctrl(topo, id_s1.nqn, "connecting", 5);
	assert_int_equal(verdict(topo), GROUP_UNSETTLED);
}

static void controllers_of_one_portal_are_proven_together(void **state)
{
	struct topology *topo = *state;

	add_ctrl(topo, id_s1.nqn, "live", 5);
	add_ctrl(topo, "nqn.2026-01.example:s2", "live", 3);
	add_ctrl(topo, "nqn.2026-01.example:s3", "connecting", 9); /* has no queue pairs now */
	add_cm_ids(topo, "mlx5_1", 7);
	assert_int_equal(verdict(topo), GROUP_UNSETTLED);
	add_cm_ids(topo, "mlx5_1", 1);
	assert_int_equal(verdict(topo), GROUP_PROVEN);
}

static void cm_ids_of_other_portals_sources_and_owners_do_not_count(void **state)
{
	struct topology *topo = *state;

	add_ctrl(topo, id_s1.nqn, "live", 1);
	add_cm_ids(topo, "mlx5_1", 1);
	add_cm_ids(topo, "mlx5_0", 1)->dst_port = 4421;
	str_format(add_cm_ids(topo, "mlx5_0", 1)->owner, sizeof(topo->cm_id[0].owner), "nvmet_rdma");
	assert_int_equal(ip_parse("10.20.0.1", &add_cm_ids(topo, "mlx5_0", 1)->src), 0);
	add_cm_ids(topo, "mlx5_0", 1)->has_addrs = false;
	assert_int_equal(verdict(topo), GROUP_PROVEN);
}

static void what_cannot_be_read_proves_nothing(void **state)
{
	struct topology *topo = *state;

	add_ctrl(topo, id_s1.nqn, "live", 1);
	add_cm_ids(topo, "mlx5_1", 1);
	topo->cm_ids_read = READ_FAILED;
	assert_int_equal(verdict(topo), GROUP_UNREADABLE);
	topo->cm_ids_read = READ_OK;
	topo->ctrl[0].queue_count = -1;
	assert_int_equal(verdict(topo), GROUP_UNSETTLED);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(every_queue_on_the_ports_device_is_proof, setup, teardown),
		cmocka_unit_test_setup_teardown(one_queue_on_another_device_is_a_mismatch, setup, teardown),
		cmocka_unit_test_setup_teardown(a_cm_id_without_a_queue_pair_in_rts_is_no_proof, setup,
						teardown),
		cmocka_unit_test_setup_teardown(nothing_at_all_is_no_proof, setup, teardown),
		cmocka_unit_test_setup_teardown(controllers_of_one_portal_are_proven_together, setup,
						teardown),
		cmocka_unit_test_setup_teardown(cm_ids_of_other_portals_sources_and_owners_do_not_count,
						setup, teardown),
		cmocka_unit_test_setup_teardown(what_cannot_be_read_proves_nothing, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
