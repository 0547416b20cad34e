/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * policy/offload.c and verify_offload.c: states from evidence.
 *
 * Seen to fail when: the PSID or the management function decided; EOPNOTSUPP of an InfiniBand port counted;
 * one card's NIC mode hid another's unknown; an endpoint without a size was active; functions that could not
 * be read were none.
 */
#include "unit/offload_world.h"

static void judge(struct cards *c)
{
	offload_judge(&c->v.w.topo, &c->v.w.classes, &c->offload);
}

static void assert_card(struct cards *c, unsigned card, enum card_mode mode, enum offload_state state)
{
	judge(c);
	assert_int_equal(c->offload.card[card].mode, mode);
	assert_int_equal(c->offload.card[card].state, state);
}

static bool says(const struct offload_card *card, const char *text)
{
	for (unsigned i = 0; i < card->evidences; i++) {
		if (strstr(card->evidence[i], text))
			return true;
	}
	return false;
}

/* A function on this card (-1: on none), live, with a namespace of that size. */
static struct offload_endpoint *emulate(struct cards *c, int card, int64_t size)
{
	struct offload_endpoint *e = &c->offload.endpoint[c->offload.endpoints];

	*e = (struct offload_endpoint){ .card = card, .vendor = 0x15b3, .device = 0x6001, .nss = 1 };
	strcpy(e->driver, "nvme");
	strcpy(e->controller, "nvme2");
	strcpy(e->state, "live");
	c->offload.ns[c->offload.nss++] = (struct offload_ns){
		.endpoint = c->offload.endpoints, .nsid = 1, .device = "nvme2n1", .size_bytes = size
	};
	c->offload.endpoints++;
	return e;
}

/* --- states --- */

static void what_says_nothing_about_the_mode_decides_nothing(void **state)
{
	struct cards *c = *state;
	struct offload_card *card = &c->offload.card[0];

	card->managed = true;
	c->offload.tmfifo = true;
	strcpy(card->port[0].psid, "MT_0000000884");
	strcpy(card->port[0].firmware, "32.43.1014");
	card->port[0].eswitch = ESWITCH_NONE; /* it is InfiniBand */
	card->rshim = BF_MODE_UNCLEAR;
	strcpy(card->rshim_name, "rshim0");
	assert_card(c, 0, CARD_MODE_UNKNOWN, OFFLOAD_UNKNOWN);
	assert_true(says(card, "PSID MT_0000000884"));
	assert_true(says(card, "tmfifo_net0"));
	assert_true(says(card, "no sign"));
	assert_int_equal(c->offload.state, OFFLOAD_UNKNOWN);
}

static void each_sign_alone_tells_the_mode(void **state)
{
	struct cards *c = *state;
	struct offload_card *card = &c->offload.card[0];

	card->rshim = BF_MODE_DPU;
	assert_card(c, 0, CARD_MODE_DPU, OFFLOAD_NO_ENDPOINT);
	card->rshim = BF_MODE_NIC;
	assert_card(c, 0, CARD_MODE_NIC, OFFLOAD_NIC_MODE);
	card->rshim = BF_MODE_UNREAD;
	card->port[1].eswitch = ESWITCH_NONE;
	assert_card(c, 0, CARD_MODE_DPU, OFFLOAD_NO_ENDPOINT);
	c->offload.not_ours_is_sure = false;
	assert_card(c, 0, CARD_MODE_UNKNOWN, OFFLOAD_UNKNOWN);
	assert_true(says(card, "kernels before 6.0"));
	card->port[1].eswitch = ESWITCH_LEGACY;
	assert_card(c, 0, CARD_MODE_NIC, OFFLOAD_NIC_MODE);
	card->port[1].eswitch = ESWITCH_SWITCHDEV;
	assert_card(c, 0, CARD_MODE_NIC, OFFLOAD_NIC_MODE);
	assert_true(says(card, "switchdev"));
}

static void signs_that_contradict_leave_the_mode_unknown(void **state)
{
	struct cards *c = *state;

	c->offload.card[0].rshim = BF_MODE_DPU;
	c->offload.card[0].port[1].eswitch = ESWITCH_LEGACY;
	assert_card(c, 0, CARD_MODE_UNKNOWN, OFFLOAD_UNKNOWN);
	assert_true(says(&c->offload.card[0], "contradict"));
	c->offload.card[0].rshim = BF_MODE_UNREAD;
	emulate(c, 0, 0);
	assert_card(c, 0, CARD_MODE_UNKNOWN, OFFLOAD_UNKNOWN);
}

static void active_takes_driver_state_and_size(void **state)
{
	struct cards *c = *state;
	struct offload_endpoint *e = emulate(c, 0, 4096);

	assert_card(c, 0, CARD_MODE_DPU, OFFLOAD_ACTIVE);
	assert_int_equal(c->offload.state, OFFLOAD_ACTIVE);
	c->offload.ns[0].size_bytes = 0;
	assert_card(c, 0, CARD_MODE_DPU, OFFLOAD_IDLE);
	c->offload.ns[0].size_bytes = -1;
	assert_card(c, 0, CARD_MODE_DPU, OFFLOAD_IDLE);
	e->unread = true;
	assert_card(c, 0, CARD_MODE_DPU, OFFLOAD_UNKNOWN);
	e->unread = false;
	c->offload.ns[0].size_bytes = 4096;
	strcpy(e->state, "connecting");
	assert_card(c, 0, CARD_MODE_DPU, OFFLOAD_IDLE);
	e->state[0] = '\0';
	assert_card(c, 0, CARD_MODE_DPU, OFFLOAD_UNKNOWN);
	strcpy(e->state, "live");
	strcpy(e->driver, "vfio-pci");
	assert_card(c, 0, CARD_MODE_DPU, OFFLOAD_IDLE);
}

static void no_endpoint_takes_that_all_were_seen(void **state)
{
	struct cards *c = *state;

	c->offload.card[0].rshim = BF_MODE_DPU;
	assert_card(c, 0, CARD_MODE_DPU, OFFLOAD_NO_ENDPOINT);
	c->offload.unseen = true;
	assert_card(c, 0, CARD_MODE_DPU, OFFLOAD_UNKNOWN);
	c->offload.unseen = false;
	emulate(c, -1, 4096); /* of a card that nobody can tell */
	assert_card(c, 0, CARD_MODE_DPU, OFFLOAD_UNKNOWN);
	assert_int_equal(c->offload.state, OFFLOAD_UNKNOWN);
}

static void all_together_are_the_best_of_any_and_hide_nothing_unknown(void **state)
{
	struct cards *c = *state;

	c->offload.card[0].rshim = BF_MODE_NIC;
	judge(c);
	assert_int_equal(c->offload.state, OFFLOAD_UNKNOWN);
	c->offload.card[1].rshim = BF_MODE_DPU;
	judge(c);
	assert_int_equal(c->offload.state, OFFLOAD_NO_ENDPOINT);
	emulate(c, 1, 0);
	judge(c);
	assert_int_equal(c->offload.state, OFFLOAD_IDLE);
	c->offload.ns[0].size_bytes = 1;
	judge(c);
	assert_int_equal(c->offload.state, OFFLOAD_ACTIVE);
	c->offload.cards = 0;
	judge(c);
	assert_int_equal(c->offload.state, OFFLOAD_UNKNOWN);
}

static void a_card_without_initiator_is_said_in_one_line(void **state)
{
	struct cards *c = *state;
	char line[512];

	judge(c);
	c->v.w.findings.count = 0;
	offload_advise(&c->offload, &c->v.w.findings, line, sizeof(line));
	assert_string_equal(line, "");
	assert_int_equal(c->v.w.findings.count, 0);
	c->offload.card[0].rshim = BF_MODE_NIC;
	c->offload.card[1].rshim = BF_MODE_DPU;
	judge(c);
	offload_advise(&c->offload, &c->v.w.findings, line, sizeof(line));
	assert_int_equal(c->v.w.findings.count, 2);
	assert_non_null(strstr(line,
			       "no initiator can be running on BlueField-3 0000:29:00.0 (slot 2) (nic_mode), "
			       "0000:aa:00.0 (slot 1) (no_endpoint): "));
	assert_null(strchr(line, '\n'));
	assert_string_equal(c->v.w.findings.finding[0].check, "offload.mode");
	assert_string_equal(c->v.w.findings.finding[1].check, "offload.endpoints");
}

static void the_arm_side_is_told_by_dmi(void **state)
{
	static const struct {
		struct dmi dmi;
		bool arm;
	} cases[] = {
		{ { "Nvidia", "BlueField-3 DPU" }, true },
		{ { "https://www.mellanox.com", "BlueField-3 DPU" }, false },
		{ { "NVIDIA", "DGXB200" }, false },
		{ { "", "" }, false },
	};

	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(cases); i++)
		assert_int_equal(offload_is_arm_side(&cases[i].dmi), cases[i].arm);
}

/* --- verify --- */

static void run(struct cards *c)
{
	judge(c);
	verify_world_run(&c->v, verify_offload);
}

static void any_fabrics_controller_of_the_host_fails(void **state)
{
	struct cards *c = *state;
	struct ctrl *ctrl = &c->v.w.topo.ctrl[0];

	run(c);
	assert_passes(&c->v, "offload.host_clean");
	ctrl->instance = 7;
	c->v.w.topo.ctrls = 1;
	strcpy(ctrl->id.transport, "pcie");
	run(c);
	assert_passes(&c->v, "offload.host_clean");
	strcpy(ctrl->id.transport, "tcp");
	run(c);
	assert_says(&c->v, "offload.host_clean", FINDING_FAIL, "nvme7", "over tcp");
	strcpy(ctrl->id.transport, "rdma");
	run(c);
	assert_says(&c->v, "offload.host_clean", FINDING_FAIL, "nvme7", "over rdma");
	ctrl->id.transport[0] = '\0';
	run(c);
	assert_says(&c->v, "offload.host_clean", FINDING_UNKNOWN, "nvme7", "cannot be read");
}

static void modes_and_endpoints_are_advice(void **state)
{
	struct cards *c = *state;

	run(c);
	assert_says(&c->v, "offload.mode", FINDING_UNKNOWN, "0000:29:00.0", "unknown");
	assert_says(&c->v, "offload.endpoints", FINDING_UNKNOWN, "0000:aa:00.0", "may or may not");
	c->offload.card[0].rshim = c->offload.card[1].rshim = BF_MODE_NIC;
	run(c);
	assert_says(&c->v, "offload.mode", FINDING_WARN, "0000:29:00.0", "NIC mode");
	assert_says(&c->v, "offload.endpoints", FINDING_SKIP, "", "that could have any");
	c->offload.card[0].rshim = c->offload.card[1].rshim = BF_MODE_DPU;
	run(c);
	assert_passes(&c->v, "offload.mode");
	assert_says(&c->v, "offload.endpoints", FINDING_WARN, "0000:29:00.0", "emulates no NVMe function");
	emulate(c, 0, 4096);
	emulate(c, 1, 4096);
	run(c);
	assert_passes(&c->v, "offload.endpoints");
	emulate(c, -1, 4096);
	run(c);
	assert_says(&c->v, "offload.endpoints", FINDING_UNKNOWN, "0000:00:00.0", "counts for none");
}

static void where_the_host_is_the_initiator_nothing_is_checked(void **state)
{
	static const char *const checks[] = { "offload.host_clean", "offload.mode", "offload.endpoints" };
	struct cards *c = *state;

	c->v.v.offload = NULL;
	run(c);
	for (unsigned i = 0; i < ARRAY_SIZE(checks); i++)
		assert_says(&c->v, checks[i], FINDING_SKIP, "", "the initiator is the host");
	c->v.v.platform = NULL;
	run(c);
	assert_says(&c->v, "offload.mode", FINDING_SKIP, "", "no platform file");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		CTEST(what_says_nothing_about_the_mode_decides_nothing),
		CTEST(each_sign_alone_tells_the_mode),
		CTEST(signs_that_contradict_leave_the_mode_unknown),
		CTEST(active_takes_driver_state_and_size),
		CTEST(no_endpoint_takes_that_all_were_seen),
		CTEST(all_together_are_the_best_of_any_and_hide_nothing_unknown),
		CTEST(a_card_without_initiator_is_said_in_one_line),
		CTEST(the_arm_side_is_told_by_dmi),
		CTEST(any_fabrics_controller_of_the_host_fails),
		CTEST(modes_and_endpoints_are_advice),
		CTEST(where_the_host_is_the_initiator_nothing_is_checked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
