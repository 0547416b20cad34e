/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A machine of tests/fixtures in which every check of verify passes: settings, routes and what was asked for
 * are filled by hand, and the vectors are where the plan puts them. A test breaks one thing.
 */
#pragma once

#include "unit/place_world.h"

#include "policy/verify.h"

struct verify_world {
	struct place_world w; /* first: the fixture of place_world */
	struct settings settings;
	struct proof_groups groups;
	struct irqbalance irqbalance;
	struct asked asked[PATHS_MAX];
	struct verify v; /* findings are w.findings */
};

int verify_world_setup(void **state);
int verify_world_teardown(void **state);
#define VERIFY_TEST(f) cmocka_unit_test_setup_teardown(f, verify_world_setup, verify_world_teardown)

/* Reads a fixture and makes it right. */
void verify_world_read(struct verify_world *w, const char *fixture);
/* After a change of topology: classes, paths, groups and the placement anew. Settings stay. */
void verify_world_again(struct verify_world *w);

/* Runs some checks, with findings of these alone. */
void verify_world_run(struct verify_world *w, void (*checks)(const struct verify *v));
/*
 * The check has but findings of this status, and one of them, of that object if it is not NULL, holds the
 * text. The worst one counts if pass is not asked for.
 */
#define assert_says(w, check, status, object, text) \
	verify_world_assert(w, check, status, object, text, __FILE__, __LINE__)
void verify_world_assert(const struct verify_world *w, const char *check, enum finding_status status,
			 const char *object, const char *text, const char *file, int line);
#define assert_passes(w, check) assert_says(w, check, FINDING_PASS, "", "")
/* No finding of these checks is worse than a pass or a skip, but those of one check. */
#define assert_alone(w, check) verify_world_assert_alone(w, check, __FILE__, __LINE__)
void verify_world_assert_alone(const struct verify_world *w, const char *check, const char *file, int line);

/* By name; it must be there. */
struct netdev *verify_world_netdev(struct verify_world *w, const char *name);
/* Index into ports. */
unsigned verify_world_port(const struct verify_world *w, const char *pci);
/* The controller of a path, by its number in the plan. */
struct ctrl *verify_world_ctrl(struct verify_world *w, unsigned path);
/* Gives an interface that address, or takes all it has away (NULL). */
void verify_world_address(struct verify_world *w, const char *netdev, const char *ip, unsigned prefixlen);
