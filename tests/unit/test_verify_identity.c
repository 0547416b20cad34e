/* SPDX-License-Identifier: GPL-2.0-or-later */
/* policy/verify_identity.c: one identity, and this machine's. */
#include "unit/verify_world.h"

#define UUID "7e1c3a52-0f4b-4d6e-9a51-3c5d2b8f0001"
#define OTHER "7e1c3a52-0f4b-4d6e-9a51-3c5d2b8f0002"
#define NQN "nqn.2014-08.org.nvmexpress:uuid:"

static void run(struct verify_world *w)
{
	verify_world_again(w);
	verify_world_run(w, verify_identity);
}

static void hostid_is_the_uuid_of_hostnqn(void **state)
{
	struct verify_world *w = *state;
	const char *check = "identity.pair";
	struct ctrl_id *id;

	verify_world_read(w, "h100+live");
	id = &verify_world_ctrl(w, 0)->id;
	strcpy(id->hostid, OTHER);
	run(w);
	assert_says(w, check, FINDING_FAIL, "nvme2", "hostid " OTHER " is not the UUID of hostnqn " NQN UUID);
	strcpy(w->settings.hostid, OTHER); /* somebody made the files so */
	run(w);
	assert_says(w, check, FINDING_WARN, "nvme2", "hostid " OTHER);
	strcpy(id->hostnqn, "nqn.2026-01.example:host");
	run(w);
	assert_says(w, check, FINDING_UNKNOWN, "nvme2", "has no UUID in it");
	strcpy(w->settings.hostnqn, id->hostnqn);
	run(w);
	assert_passes(w, check);
	id->hostid[0] = '\0';
	run(w);
	assert_says(w, check, FINDING_UNKNOWN, "nvme2", "cannot be read");
	w->w.topo.ctrls = 0;
	run(w);
	assert_says(w, check, FINDING_SKIP, "", "no controller");
}

static void all_controllers_have_one_identity(void **state)
{
	struct verify_world *w = *state;
	const char *check = "identity.same";
	struct ctrl_id *id;

	verify_world_read(w, "h100+live");
	id = &verify_world_ctrl(w, 1)->id;
	strcpy(id->hostid, OTHER);
	strcpy(id->hostnqn, NQN OTHER);
	run(w);
	assert_says(w, check, FINDING_FAIL, "nvme3", "has hostnqn " NQN OTHER);
	assert_says(w, check, FINDING_FAIL, "nvme3", "nvme2 has others");
	id->hostnqn[0] = '\0';
	run(w);
	assert_says(w, check, FINDING_UNKNOWN, "nvme3", "cannot be read");
	strcpy(id->hostid, UUID);
	strcpy(id->hostnqn, NQN UUID);
	strcpy(w->settings.hostnqn, NQN OTHER);
	run(w);
	assert_says(w, check, FINDING_WARN, "nvme3", "/etc/nvme/hostnqn has " NQN OTHER);
	w->settings.hostnqn[0] = '\0';
	run(w);
	assert_passes(w, check);
}

static void a_cloned_image_shows(void **state)
{
	struct verify_world *w = *state;
	const char *check = "identity.machine";

	verify_world_read(w, "h100+live");
	strcpy(w->settings.product_uuid, "523A1C7E-4B0F-6E4D-9A51-3C5D2B8F0001"); /* by bytes */
	run(w);
	assert_passes(w, check);
	strcpy(w->settings.product_uuid, OTHER);
	run(w);
	assert_says(w, check, FINDING_FAIL, "nvme2", "is not of this machine, whose UUID is " OTHER);
	strcpy(w->settings.product_uuid, "00000000-0000-0000-0000-000000000000");
	run(w);
	assert_says(w, check, FINDING_UNKNOWN, "nvme2", "is no UUID of a machine");
	strcpy(w->settings.product_uuid, "FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF");
	run(w);
	assert_says(w, check, FINDING_UNKNOWN, "nvme2", "is no UUID of a machine");
	w->settings.product_uuid[0] = '\0';
	run(w);
	assert_says(w, check, FINDING_UNKNOWN, "nvme2", "as root alone");
	for (unsigned i = 0; i < 4; i++)
		strcpy(verify_world_ctrl(w, i)->id.hostnqn, "nqn.2026-01.example:host");
	run(w);
	assert_says(w, check, FINDING_UNKNOWN, "nvme2", "has no UUID in it");
}

static void a_clone_shows_before_it_connects(void **state)
{
	struct verify_world *w = *state;
	const char *check = "identity.machine";

	verify_world_read(w, "h100");
	run(w);
	assert_says(w, check, FINDING_SKIP, "", "no /etc/nvme/hostnqn");
	strcpy(w->settings.hostnqn, NQN UUID);
	strcpy(w->settings.product_uuid, OTHER);
	run(w);
	assert_says(w, check, FINDING_FAIL, "/etc/nvme/hostnqn", "as in a cloned image");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		VERIFY_TEST(hostid_is_the_uuid_of_hostnqn),
		VERIFY_TEST(all_controllers_have_one_identity),
		VERIFY_TEST(a_cloned_image_shows),
		VERIFY_TEST(a_clone_shows_before_it_connects),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
