/* SPDX-License-Identifier: GPL-2.0-or-later */
/* policy/verify_routes.c: each portal leaves through its port, and each port answers for itself. */
#include "unit/verify_world.h"

static void run(struct verify_world *w)
{
	verify_world_again(w);
	verify_world_run(w, verify_routes);
}

static void the_bound_route_decides_and_the_plain_one_is_advice(void **state)
{
	struct verify_world *w = *state;
	const char *check = "routes.egress";
	struct path_route *route;
	int own, other;

	verify_world_read(w, "h100+live");
	route = &w->settings.route[0];
	own = verify_world_netdev(w, "enp41s0f0np0")->ifindex;
	other = verify_world_netdev(w, "ibp24s0")->ifindex;
	run(w);
	assert_passes(w, check);
	route->plain.oif = other;
	run(w);
	assert_says(w, check, FINDING_WARN, "nvme2", "leaves through ibp24s0, not through enp41s0f0np0");
	route->plain.answer = ANSWER_UNKNOWN;
	run(w);
	assert_says(w, check, FINDING_UNKNOWN, "nvme2", "could not be asked");
	route->plain.answer = ANSWER_NO;
	run(w);
	assert_says(w, check, FINDING_WARN, "nvme2", "only RDMA gets there");
	route->plain = (struct route_answer){ .answer = ANSWER_YES, .oif = own };
	route->bound.oif = other; /* IPv6 is not strict about it */
	run(w);
	assert_says(w, check, FINDING_FAIL, "nvme2", "leaves through ibp24s0");
	route->bound.answer = ANSWER_NO;
	run(w);
	assert_says(w, check, FINDING_FAIL, "nvme2", "no route from 10.10.1.1 through enp41s0f0np0");
	route->bound.answer = ANSWER_UNASKED;
	run(w);
	assert_says(w, check, FINDING_UNKNOWN, "nvme2", "could not be asked");
	w->w.topo.ctrls = 0;
	run(w);
	assert_says(w, check, FINDING_SKIP, "", "no controller");
}

static void ports_in_one_subnet_must_answer_for_themselves(void **state)
{
	struct verify_world *w = *state;
	const char *check = "routes.arp", *name = "enp41s0f0np0";
	struct netdev_settings *s;

	verify_world_read(w, "h100+live");
	run(w);
	assert_says(w, check, FINDING_SKIP, "", "no two storage ports share a subnet");
	verify_world_address(w, "enp41s0f1np1", "10.10.1.9", 24);
	run(w);
	assert_says(w, check, FINDING_PASS, "", "2 interfaces share a subnet");
	s = &w->settings.netdev[verify_world_netdev(w, name) - w->w.topo.netdev];
	*s = (struct netdev_settings){ .arp_ignore = 0, .arp_announce = 0, .rp_filter = 1 };
	run(w);
	assert_says(w, check, FINDING_WARN, name,
		    "shares a subnet with enp41s0f1np1 and has arp_ignore 0 (wanted 2, or 1), arp_announce 0 "
		    "(wanted 2), rp_filter 1 (wanted 2, or 0)");
	*s = (struct netdev_settings){ .arp_ignore = 1, .arp_announce = 2, .rp_filter = -1 };
	run(w);
	assert_says(w, check, FINDING_UNKNOWN, name, "can be read");
	s->rp_filter = 0;
	w->settings.route[0].plain.oif = verify_world_netdev(w, "enp41s0f1np1")->ifindex;
	run(w);
	assert_says(w, check, FINDING_WARN, name, "no source rule from 10.10.1.1");
	w->v.platform = NULL;
	run(w);
	assert_says(w, check, FINDING_UNKNOWN, "", "platforms.d");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		VERIFY_TEST(the_bound_route_decides_and_the_plain_one_is_advice),
		VERIFY_TEST(ports_in_one_subnet_must_answer_for_themselves),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
