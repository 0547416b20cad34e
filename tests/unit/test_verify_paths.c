/* SPDX-License-Identifier: GPL-2.0-or-later */
/* policy/verify_paths.c: the controllers, and what is behind them. */
#include "unit/verify_world.h"

#include <limits.h>

#define NQN1 "nqn.2026-01.example:s1"

static void run(struct verify_world *w)
{
	verify_world_again(w);
	verify_world_run(w, verify_paths);
}

static void a_controller_that_is_not_live_fails(void **state)
{
	struct verify_world *w = *state;
	struct ctrl *ctrl;

	verify_world_read(w, "h100+live");
	ctrl = verify_world_ctrl(w, 0);
	strcpy(ctrl->state, "connecting");
	run(w);
	assert_says(
		w, "paths.live", FINDING_FAIL, "nvme2",
		"from 10.10.1.1 is connecting, the kernel tries again every 10 s and gives up after 600 s");
	assert_alone(w, "paths.live");
	ctrl->ctrl_loss_tmo = INT_MAX;
	run(w);
	assert_says(w, "paths.live", FINDING_FAIL, "nvme2", "every 10 s for ever");
	strcpy(ctrl->state, "deleting");
	run(w);
	assert_says(w, "paths.live", FINDING_FAIL, "nvme2", "is deleting: ");
	ctrl->state[0] = '\0';
	run(w);
	assert_says(w, "paths.live", FINDING_UNKNOWN, "nvme2", "cannot be read");
	w->w.topo.ctrls = 0;
	run(w);
	assert_says(w, "paths.live", FINDING_SKIP, "", "no controller");
}

static void a_path_that_was_asked_for_and_is_gone_fails(void **state)
{
	struct verify_world *w = *state;

	verify_world_read(w, "h100+live");
	w->w.plan.path[0].ctrl = w->w.plan.path[0].port = -1;
	verify_world_run(w, verify_all);
	assert_says(w, "paths.live", FINDING_FAIL, "10.10.1.2",
		    "no controller of " NQN1 " from 10.10.1.1 to 10.10.1.2:4420, which the journal asks for");
}

static void each_socket_wants_a_live_path(void **state)
{
	struct verify_world *w = *state;
	const char *check = "paths.both_sockets";

	verify_world_read(w, "h100+live");
	run(w);
	assert_says(w, check, FINDING_PASS, "", "1 subsystems have a live path at each of the 2 nodes");
	strcpy(verify_world_ctrl(w, 2)->state, "connecting");
	run(w);
	assert_says(w, check, FINDING_PASS, "", "");
	strcpy(verify_world_ctrl(w, 3)->state, "connecting");
	run(w);
	assert_says(w, check, FINDING_WARN, NQN1, "at node 1: ");
	strcpy(verify_world_ctrl(w, 0)->state, "connecting");
	strcpy(verify_world_ctrl(w, 1)->state, "connecting");
	run(w);
	assert_says(w, check, FINDING_WARN, NQN1, "at node 0, 1: ");
	w->w.topo.port[verify_world_port(w, "0000:aa:00.0")].numa_node = -1;
	run(w);
	assert_says(w, check, FINDING_UNKNOWN, "", "numa_node is -1");
	for (unsigned i = 0; i < w->w.topo.ports; i++)
		w->w.topo.port[i].numa_node = 0;
	run(w);
	assert_says(w, check, FINDING_SKIP, "", "at one node");
}

static void a_live_controller_has_a_namespace(void **state)
{
	struct verify_world *w = *state;
	const char *check = "paths.namespaces";
	struct ctrl *ctrl;
	unsigned kept = 0;

	verify_world_read(w, "h100+live");
	ctrl = verify_world_ctrl(w, 0);
	for (unsigned i = 0; i < w->w.topo.nss; i++) {
		if (&w->w.topo.ctrl[w->w.topo.ns[i].ctrl] != ctrl)
			w->w.topo.ns[kept++] = w->w.topo.ns[i];
	}
	w->w.topo.nss = kept;
	run(w);
	assert_says(w, check, FINDING_WARN, "nvme2", "is live and has no namespace");
	ctrl->nss_unread = true;
	run(w);
	assert_says(w, check, FINDING_UNKNOWN, "nvme2", "cannot be read");
	strcpy(ctrl->id.nqn, NQN_DISCOVERY);
	run(w);
	assert_passes(w, check);
	for (unsigned i = 0; i < 4; i++)
		strcpy(verify_world_ctrl(w, i)->state, "connecting");
	run(w);
	assert_says(w, check, FINDING_SKIP, "", "no live controller");
}

static void queues_are_as_many_as_asked(void **state)
{
	struct verify_world *w = *state;
	const char *check = "paths.queue_count";
	struct ctrl *ctrl;

	verify_world_read(w, "h100+live");
	ctrl = verify_world_ctrl(w, 0);
	ctrl->queue_count = 9;
	run(w);
	assert_says(w, check, FINDING_FAIL, "nvme2", "has 8 I/O queues, the journal asks for 16");
	w->asked[0].opts.nr_io_queues = 8;
	run(w);
	assert_passes(w, check);
	w->asked[0].opts.nr_io_queues = 4096; /* no more than CPUs, and before 6.12 than vectors */
	ctrl->queue_count = 225;
	run(w);
	assert_passes(w, check);
	ctrl->queue_count = w->w.topo.rdma_link[w->w.plan.path[0].rdma].ncv + 1;
	run(w);
	assert_passes(w, check);
	ctrl->queue_count = -1;
	run(w);
	assert_says(w, check, FINDING_UNKNOWN, "nvme2", "cannot be read");
	for (unsigned i = 0; i < 4; i++)
		w->asked[i].known = false;
	run(w);
	assert_says(w, check, FINDING_SKIP, "", "neither the journal nor the config");
	assert_says(w, "paths.timeouts", FINDING_SKIP, "", "neither the journal nor the config");
}

static void timeouts_are_as_asked(void **state)
{
	struct verify_world *w = *state;
	const char *check = "paths.timeouts";
	struct connect_opts *opts;
	struct ctrl *ctrl;

	verify_world_read(w, "h100+live");
	ctrl = verify_world_ctrl(w, 0);
	opts = &w->asked[0].opts;
	ctrl->ctrl_loss_tmo = 1800;
	run(w);
	assert_says(w, check, FINDING_FAIL, "nvme2",
		    "has ctrl_loss_tmo 1800 and reconnect_delay 10, the journal asks for 600 and 10");
	opts->ctrl_loss_tmo = 1795; /* in whole delays */
	run(w);
	assert_passes(w, check);
	opts->ctrl_loss_forever = true;
	run(w);
	assert_says(w, check, FINDING_FAIL, "nvme2", "asks for off and 10");
	ctrl->ctrl_loss_tmo = INT_MAX;
	run(w);
	assert_passes(w, check);
	ctrl->reconnect_delay = 20;
	run(w);
	assert_says(w, check, FINDING_FAIL, "nvme2", "has ctrl_loss_tmo off and reconnect_delay 20");
	ctrl->reconnect_delay = -1;
	run(w);
	assert_says(w, check, FINDING_UNKNOWN, "nvme2", "cannot be read");
}

static void an_iopolicy_that_leaves_paths_idle_is_a_warning(void **state)
{
	struct verify_world *w = *state;
	const char *check = "paths.iopolicy";

	verify_world_read(w, "h100+live");
	for (unsigned i = 0; i < w->w.topo.subsyss; i++)
		strcpy(w->w.topo.subsys[i].iopolicy, "numa");
	run(w);
	assert_says(w, check, FINDING_WARN, NQN1, "iopolicy numa uses one of the 2 live paths");
	for (unsigned i = 0; i < w->w.topo.subsyss; i++)
		w->w.topo.subsys[i].iopolicy[0] = '\0';
	run(w);
	assert_says(w, check, FINDING_UNKNOWN, NQN1, "cannot be read");
	for (unsigned i = 1; i < 4; i++)
		strcpy(verify_world_ctrl(w, i)->state, "connecting");
	run(w);
	assert_says(w, check, FINDING_SKIP, "", "no subsystem has two live paths");
}

static void what_nobody_knows_to_be_asked_for_is_no_pass(void **state)
{
	struct verify_world *w = *state;

	verify_world_read(w, "h100+live");
	w->v.asked_why = "only root can read it";
	memset(w->asked, 0, sizeof(w->asked));
	verify_world_run(w, verify_paths);
	assert_says(w, "paths.live", FINDING_UNKNOWN, "journal", "would not be missed: only root");
	assert_says(w, "paths.queue_count", FINDING_UNKNOWN, "journal", "only root");
	assert_says(w, "paths.timeouts", FINDING_UNKNOWN, "journal", "only root");
}

static void one_without_io_queues_is_no_discovery_if_it_was_asked_for_with_some(void **state)
{
	struct verify_world *w = *state;

	verify_world_read(w, "h100+live");
	w->asked[0] = (struct asked){ true, "journal", { .nr_io_queues = 16, .reconnect_delay = 10 } };
	w->w.topo.ctrl[w->w.plan.path[0].ctrl].queue_count = 1;
	w->w.topo.ctrl[w->w.plan.path[0].ctrl].kind[0] = '\0';
	verify_world_run(w, verify_paths);
	assert_says(w, "paths.queue_count", FINDING_FAIL, "nvme2", "has 0 I/O queues");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		VERIFY_TEST(what_nobody_knows_to_be_asked_for_is_no_pass),
		VERIFY_TEST(one_without_io_queues_is_no_discovery_if_it_was_asked_for_with_some),
		VERIFY_TEST(a_controller_that_is_not_live_fails),
		VERIFY_TEST(a_path_that_was_asked_for_and_is_gone_fails),
		VERIFY_TEST(each_socket_wants_a_live_path),
		VERIFY_TEST(a_live_controller_has_a_namespace),
		VERIFY_TEST(queues_are_as_many_as_asked),
		VERIFY_TEST(timeouts_are_as_asked),
		VERIFY_TEST(an_iopolicy_that_leaves_paths_idle_is_a_warning),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
