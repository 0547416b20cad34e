/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A machine of tests/fixtures as the tests of placement need it: read, classified, its controllers as paths.
 */
#pragma once

#include "lib/t.h"

#include <stdlib.h>
#include <string.h>

#include "model/platform.h"
#include "policy/policy.h"

struct place_world {
	struct topology topo;
	struct platform platform;
	struct classification classes;
	struct plan plan;
	struct affinity affinity;
	struct findings findings;
};

int place_world_setup(void **state);
int place_world_teardown(void **state);
#define PLACE_TEST(f) cmocka_unit_test_setup_teardown(f, place_world_setup, place_world_teardown)

/* Reads a fixture ("h100+live"), with the interrupts of its compute HCAs. */
void place_world_read(struct place_world *w, const char *fixture);
/* cores_of, place_irqs and place_advice, with findings of these alone. */
void place_world_place(struct place_world *w, unsigned cores_per_port);

/* The share of a port; it must be listed. */
const struct affinity_port *place_world_port(const struct place_world *w, const char *pci);
#define assert_cpus(set, text) place_world_assert_cpus(set, text, __FILE__, __LINE__)
void place_world_assert_cpus(const struct cpuset *set, const char *text, const char *file, int line);
#define assert_share(w, pci, text) assert_cpus(&place_world_port(w, pci)->cpus, text)
/* The finding; NULL: none. */
const struct finding *place_world_finding(const struct place_world *w, const char *check, const char *object);
