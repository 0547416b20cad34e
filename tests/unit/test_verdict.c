/* SPDX-License-Identifier: GPL-2.0-or-later */
/* policy/verdict.c: what a run comes to. Letters are paths and skips. */
#include "lib/t.h"

#include <stdlib.h>
#include <string.h>

#include "policy/policy.h"

struct world {
	struct topology topo; /* nvme0 is live, nvme1 is connecting */
	struct plan plan;
};

static int setup(void **state)
{
	struct world *w = calloc(1, sizeof(*w));

	assert_non_null(w);
	w->topo.ctrls = 2;
	str_format(w->topo.ctrl[0].state, sizeof(w->topo.ctrl[0].state), "live");
	str_format(w->topo.ctrl[1].state, sizeof(w->topo.ctrl[1].state), "connecting");
	*state = w;
	return 0;
}

static int teardown(void **state)
{
	free(*state);
	return 0;
}

/* --- connect --- */

/* False: it is an outcome of a path. */
static bool add_skip(struct plan *plan, char what)
{
	struct skip *skip = &plan->skip[plan->skips];

	*skip = (struct skip){ .reason = SKIP_NO_ROUTE };
	switch (what) {
	case 'R':
		break;
	case 'D':
		skip->reason = SKIP_DUPLICATE;
		break;
	case 'C':
		skip->reason = SKIP_CONFLICT;
		break;
	case 'P':
		skip->reason = SKIP_PORT_UNUSABLE;
		break;
	case 'W':
		skip->reason = SKIP_PORT_UNUSABLE;
		skip->timed_out = true;
		break;
	default:
		return false;
	}
	plan->skips++;
	return true;
}

static void add_outcome(struct plan *plan, char what)
{
	struct path *path = &plan->path[plan->paths];

	if (add_skip(plan, what))
		return;
	*path = (struct path){ .ctrl = -1, .action = PATH_FAILED, .reason = PATH_OTHER };
	switch (what) {
	case 'c': /* connected */
		*path = (struct path){ .ctrl = 0, .action = PATH_CONNECTED, .proof = PROOF_RDMA_NETLINK };
		break;
	case 'k': /* kept */
		*path = (struct path){ .ctrl = 0, .action = PATH_KEPT, .proof = PROOF_RDMA_NETLINK };
		break;
	case 'n': /* kept, but not live */
		*path = (struct path){ .ctrl = 1, .action = PATH_KEPT };
		break;
	case 'u': /* connected, unproven */
		*path = (struct path){ .ctrl = 0, .action = PATH_CONNECTED };
		break;
	case 'w': /* would connect */
		*path = (struct path){ .ctrl = -1, .action = PATH_WOULD_CONNECT };
		break;
	case 'd': /* made, and removed again */
		*path = (struct path){ .ctrl = -1, .action = PATH_DISCONNECTED };
		break;
	case 'm':
		path->reason = PATH_PROOF_MISMATCH;
		path->action = PATH_DISCONNECTED;
		break;
	case 'M': /* a kept controller on another device */
		*path = (struct path){ .ctrl = 0, .action = PATH_KEPT, .reason = PATH_PROOF_MISMATCH };
		break;
	case 't':
		path->reason = PATH_TIMEOUT;
		break;
	case 'a':
		path->reason = PATH_ADDRESS_MISSING;
		break;
	case 'f':
		break;
	case 'L': /* failed, and its controller is still there */
		path->ctrl = 0;
		break;
	case 'p': /* it was to be removed again, and is still being deleted */
		path->reason = PATH_PENDING;
		break;
	case 'b': /* the same, and the kernel said EBUSY */
		path->reason = PATH_FIRST_CONNECT;
		break;
	default:
		fail_msg("no outcome %c", what);
	}
	plan->paths++;
}

static enum exit_class connect_of(struct world *w, const char *outcomes, bool dry_run, bool atomic)
{
	w->plan.paths = w->plan.skips = 0;
	for (const char *c = outcomes; *c != '\0'; c++)
		add_outcome(&w->plan, *c);
	return verdict_connect(&w->plan, &w->topo, dry_run, atomic);
}

static void connect_counts_what_was_asked_for(void **state)
{
	static const struct {
		const char *outcomes;
		bool dry_run;
		enum exit_class exit;
	} cases[] = {
		{ "c", false, XC_OK },		 { "ck", false, XC_OK },
		{ "kD", false, XC_OK },		 { "cR", false, XC_PARTIAL },
		{ "cf", false, XC_PARTIAL },	 { "cP", false, XC_PARTIAL },
		{ "ct", false, XC_PARTIAL },	 { "cm", false, XC_PARTIAL },
		{ "u", false, XC_PARTIAL },	 { "cn", false, XC_PARTIAL },
		{ "n", false, XC_FAILED },	 { "R", false, XC_REFUSED },
		{ "C", false, XC_REFUSED },	 { "m", false, XC_REFUSED },
		{ "M", false, XC_REFUSED },	 { "RP", false, XC_REFUSED },
		{ "Rf", false, XC_REFUSED },	 { "P", false, XC_ENVIRONMENT },
		{ "Pf", false, XC_ENVIRONMENT }, { "a", false, XC_ENVIRONMENT },
		{ "f", false, XC_FAILED },	 { "ft", false, XC_FAILED },
		{ "t", false, XC_TIMEOUT },	 { "W", false, XC_TIMEOUT },
		{ "kW", false, XC_PARTIAL },	 { "w", true, XC_OK },
		{ "wR", true, XC_PARTIAL },	 { "L", false, XC_PARTIAL },
		{ "w", false, XC_FAILED },	 { "cw", false, XC_PARTIAL },
		{ "kM", false, XC_PARTIAL },	 { "p", false, XC_PARTIAL },
	};
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		enum exit_class exit = connect_of(*state, cases[i].outcomes, cases[i].dry_run, false);

		if (exit != cases[i].exit)
			fail_msg("%s: %d instead of %d", cases[i].outcomes, exit, cases[i].exit);
	}
}

/* What is up is up from before, or is not to stay: it makes nothing partial. */
static void an_atomic_connect_is_never_partial_but_for_what_is_left(void **state)
{
	static const struct {
		const char *outcomes;
		bool dry_run;
		enum exit_class exit;
	} cases[] = {
		{ "", false, XC_OK },
		{ "ck", false, XC_OK },
		{ "kD", false, XC_OK },
		{ "wk", true, XC_OK },
		/* Nothing was begun. */
		{ "wR", true, XC_REFUSED },
		{ "kR", true, XC_REFUSED },
		{ "kwC", true, XC_REFUSED },
		{ "kM", true, XC_REFUSED },
		{ "wP", true, XC_ENVIRONMENT },
		{ "wa", true, XC_ENVIRONMENT },
		{ "wf", true, XC_FAILED },
		{ "wn", true, XC_FAILED },
		{ "wW", true, XC_TIMEOUT },
		{ "kR", false, XC_REFUSED },
		{ "kRf", false, XC_REFUSED },
		{ "kPf", false, XC_ENVIRONMENT },
		{ "kff", false, XC_FAILED },
		{ "kW", false, XC_TIMEOUT },
		/* Something was, and is gone again. */
		{ "df", false, XC_FAILED },
		{ "dt", false, XC_FAILED },
		{ "kdf", false, XC_FAILED },
		{ "dwf", false, XC_FAILED },
		{ "d", false, XC_FAILED },
		{ "dm", false, XC_FAILED },
		{ "kdR", false, XC_FAILED },
		/* Something could not be removed. */
		{ "L", false, XC_PARTIAL },
		{ "dL", false, XC_PARTIAL },
		{ "p", false, XC_PARTIAL },
		{ "dp", false, XC_PARTIAL },
		{ "b", false, XC_PARTIAL },
		/* Nothing was to be done, and what is there cannot be proven. */
		{ "ku", false, XC_PARTIAL },
		{ "kdLR", false, XC_PARTIAL },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		enum exit_class exit = connect_of(*state, cases[i].outcomes, cases[i].dry_run, true);

		if (exit != cases[i].exit)
			fail_msg("%s: %d instead of %d", cases[i].outcomes, exit, cases[i].exit);
	}
}

/* --- teardown --- */

/* What a path counts as. */
enum counts { GONE_BEFORE, GONE, KEPT, STAYS, LEAVING };

static enum counts counts_as(enum path_action action, enum path_reason reason)
{
	switch (action) {
	case PATH_NONE:
		return GONE_BEFORE;
	case PATH_DISCONNECTED:
	case PATH_WOULD_DISCONNECT:
		return GONE;
	case PATH_KEPT:
		return KEPT;
	case PATH_FAILED:
		return reason == PATH_PENDING ? LEAVING : STAYS;
	case PATH_FOREIGN:
	case PATH_CONNECTED: /* no teardown says so: it would be a path that stays */
	case PATH_WOULD_CONNECT:
		break;
	}
	return STAYS;
}

/* Written out, for paths of one sort or of two. */
static const enum exit_class exit_of[][5] = {
	[GONE_BEFORE] = { XC_OK, XC_OK, XC_REFUSED, XC_PARTIAL, XC_TIMEOUT },
	[GONE] = { XC_OK, XC_OK, XC_PARTIAL, XC_PARTIAL, XC_TIMEOUT },
	[KEPT] = { XC_REFUSED, XC_PARTIAL, XC_REFUSED, XC_PARTIAL, XC_PARTIAL },
	[STAYS] = { XC_PARTIAL, XC_PARTIAL, XC_PARTIAL, XC_PARTIAL, XC_PARTIAL },
	[LEAVING] = { XC_TIMEOUT, XC_TIMEOUT, XC_PARTIAL, XC_PARTIAL, XC_TIMEOUT },
};

#define ACTIONS (PATH_FOREIGN + 1)
#define REASONS (PATH_OTHER + 1)

/* Every action with every reason. */
static struct path path_number(unsigned i)
{
	return (struct path){ .ctrl = -1, .action = i / REASONS, .reason = i % REASONS };
}

static void teardown_of_paths_alone_and_in_pairs(void **state)
{
	struct world *w = *state;

	w->plan.paths = 0;
	assert_int_equal(verdict_teardown(&w->plan), XC_OK);
	for (unsigned i = 0; i < ACTIONS * REASONS; i++) {
		struct path a = path_number(i);
		enum counts first = counts_as(a.action, a.reason);

		w->plan.path[0] = a;
		w->plan.paths = 1;
		assert_int_equal(verdict_teardown(&w->plan), exit_of[first][first]);
		w->plan.paths = 2;
		for (unsigned k = 0; k < ACTIONS * REASONS; k++) {
			struct path b = path_number(k);
			enum exit_class exit = exit_of[first][counts_as(b.action, b.reason)], is;

			w->plan.path[1] = b;
			is = verdict_teardown(&w->plan);
			if (is != exit)
				fail_msg("%s (%u) and %s (%u): %d instead of %d", path_action_name(a.action),
					 a.reason, path_action_name(b.action), b.reason, is, exit);
		}
	}
}

static void teardown_of_three_is_partial_for_whatever_stays_beside(void **state)
{
	struct world *w = *state;

	w->plan.paths = 3;
	w->plan.path[0] = (struct path){ .action = PATH_DISCONNECTED };
	w->plan.path[1] = (struct path){ .action = PATH_FAILED, .reason = PATH_PENDING };
	w->plan.path[2] = (struct path){ .action = PATH_KEPT, .reason = PATH_IN_USE };
	assert_int_equal(verdict_teardown(&w->plan), XC_PARTIAL);
	w->plan.path[2].action = PATH_NONE;
	assert_int_equal(verdict_teardown(&w->plan), XC_TIMEOUT);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(connect_counts_what_was_asked_for),
		TEST(an_atomic_connect_is_never_partial_but_for_what_is_left),
		TEST(teardown_of_paths_alone_and_in_pairs),
		TEST(teardown_of_three_is_partial_for_whatever_stays_beside),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
