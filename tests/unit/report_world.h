/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A result to report, built by hand: two storage ports of one card and a compute port; tests add to it.
 * With REPORT_DOCUMENTS=DIR every output is also written to DIR, for tests/lib/validate.
 */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/json.h"
#include "report/report.h"

#define NQN "nqn.2026-01.example:s1"
#define HOSTILE "a\"b\\c\n\x1b[2J\x7f\xff\xc0\xaf\xe2\x82\xac\xc2\x9b"

struct world {
	struct topology *topo;
	struct classification *classes;
	struct plan *plan;
	struct queues *queues;
	struct steps *steps;
	struct findings *findings;
	struct platform *platform;
	struct err error[2];
	struct result result;
	char *text;
	struct json *json;
};

int world_setup(void **state);
int world_teardown(void **state);
#define WORLD_TEST(f) cmocka_unit_test_setup_teardown(f, world_setup, world_teardown)

#define PUT(dst, src) assert_int_equal(str_copy(dst, sizeof(dst), src), 0)

void world_add_addr(struct world *w, int ifindex, const char *text, unsigned prefixlen);
/* Port i with netdev and RDMA device i; the netdev's index is i + 10. */
void world_add_port(struct world *w, const char *pci, enum role role, const char *netdev, const char *rdma);
void world_add_bond(struct world *w); /* bond0 over the first two ports */
/* Interrupts 40 and following, of the first port. */
void world_add_irqs(struct world *w, unsigned count);
/* A controller with its path, a namespace and so many queues, on the interrupts that are there. */
struct path *world_add_path(struct world *w, unsigned queues, const char *traddr);
void world_fill_hostile(struct world *w); /* HOSTILE wherever text comes from outside */

/* The outputs; both belong to w. name NULL: not written to REPORT_DOCUMENTS. */
struct json *world_json(struct world *w, const char *name);
const char *world_text(struct world *w, const char *name);
