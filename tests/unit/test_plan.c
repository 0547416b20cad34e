/* SPDX-License-Identifier: GPL-2.0-or-later */
/* policy/plan_connect.c: what the kernel's answers make of a candidate. Fixtures cannot show answers of
 * librdmacm. */
#include "lib/t.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "policy/policy.h"

/* Two storage ports in one subnet, and one portal that both reach. */
struct world {
	struct topology topo;
	struct classification classes;
	struct request request;
	struct candidates candidates;
	struct plan plan;
	struct findings findings;
	struct steps steps;
	struct err err;
};

static struct ip ip(const char *text)
{
	struct ip ret;

	assert_int_equal(ip_parse(text, &ret), 0);
	return ret;
}

static int setup(void **state)
{
	struct world *w = calloc(1, sizeof(*w));

	assert_non_null(w);
	w->topo.ports = w->topo.netdevs = w->topo.rdma_links = w->candidates.count = 2;
	for (unsigned i = 0; i < 2; i++) {
		w->topo.port[i] = (struct port){ .pci = { .bus = 0x29, .function = (uint8_t)i },
						 .netdev = (int)i,
						 .rdma = (int)i };
		w->topo.netdev[i].ifindex = (int)i + 2;
		str_format(w->topo.rdma_link[i].name, RDMA_NAME_SIZE, "mlx5_%u", i + 1);
		w->classes.port[i].role = ROLE_STORAGE;
		w->candidates.candidate[i] = (struct candidate){ .port = (int)i,
								 .netdev = (int)i,
								 .rdma = (int)i,
								 .src = ip(i ? "10.10.1.3" : "10.10.1.1"),
								 .prefixlen = 24,
								 .route.answer = ANSWER_YES,
								 .probe.answer = ANSWER_YES };
	}
	w->request.portals = 1;
	w->request.portal[0].traddr = ip("10.10.1.2");
	str_format(w->request.portal[0].nqn, NQN_SIZE, "nqn.2026-01.example:s1");
	str_format(w->request.portal[0].trsvcid, SVCID_SIZE, "4420");
	*state = w;
	return 0;
}

static int teardown(void **state)
{
	free(*state);
	return 0;
}

/* Plans and lowers; returns the exit of a dry run. */
static enum exit_class plan(struct world *w)
{
	assert_int_equal(plan_connect(&w->topo, &w->classes, &w->request, &w->candidates, &w->plan,
				      &w->findings, &w->err),
			 0);
	assert_int_equal(lower_connect(&w->plan, &w->topo, &w->classes, &w->request, &w->steps, &w->err), 0);
	return verdict_connect(&w->plan, &w->topo, true, false);
}

static void each_port_that_answers_gives_a_path(void **state)
{
	struct world *w = *state;

	assert_int_equal(plan(w), XC_OK);
	assert_int_equal(w->steps.count, 2);
}

static void a_connection_manager_that_cannot_be_asked_is_no_yes(void **state)
{
	struct world *w = *state;

	w->candidates.candidate[0].probe = (struct probe_answer){ .answer = ANSWER_UNKNOWN, .code = -ENOENT };
	assert_int_equal(plan(w), XC_PARTIAL);
	assert_int_equal(w->steps.count, 1);
	assert_int_equal(w->plan.path[0].action, PATH_FAILED);
	w->candidates.candidate[1].probe = w->candidates.candidate[0].probe;
	assert_int_equal(plan(w), XC_ENVIRONMENT);
	assert_int_equal(w->steps.count, 0);
}

static void another_device_than_the_ports_is_refused(void **state)
{
	struct world *w = *state;

	for (unsigned i = 0; i < 2; i++) {
		w->candidates.candidate[i].probe =
			(struct probe_answer){ .answer = ANSWER_NO, .code = -EXDEV };
		str_format(w->candidates.candidate[i].probe.rdma_device, RDMA_NAME_SIZE, "mlx5_0");
	}
	assert_int_equal(plan(w), XC_REFUSED);
	assert_int_equal(w->steps.count, 0);
}

static void a_route_that_could_not_be_read_is_said_beside_the_others(void **state)
{
	struct world *w = *state;

	w->candidates.candidate[0].route.answer = ANSWER_UNKNOWN;
	assert_int_equal(plan(w), XC_PARTIAL);
	assert_int_equal(w->steps.count, 1);
	assert_int_equal(w->plan.skips, 1);
	w->candidates.candidate[1].route.answer = ANSWER_UNKNOWN;
	assert_int_equal(plan(w), XC_ENVIRONMENT);
	assert_int_equal(w->steps.count, 0);
}

static void no_step_is_made_for_a_port_that_is_not_storage(void **state)
{
	struct world *w = *state;

	w->classes.port[1].role = ROLE_COMPUTE; /* a planner gone wrong: the candidates still name it */
	assert_int_equal(plan_connect(&w->topo, &w->classes, &w->request, &w->candidates, &w->plan,
				      &w->findings, &w->err),
			 0);
	assert_int_equal(lower_connect(&w->plan, &w->topo, &w->classes, &w->request, &w->steps, &w->err),
			 -EPERM);
	assert_int_equal(w->err.exit, XC_REFUSED);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(each_port_that_answers_gives_a_path),
		TEST(a_connection_manager_that_cannot_be_asked_is_no_yes),
		TEST(another_device_than_the_ports_is_refused),
		TEST(a_route_that_could_not_be_read_is_said_beside_the_others),
		TEST(no_step_is_made_for_a_port_that_is_not_storage),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
