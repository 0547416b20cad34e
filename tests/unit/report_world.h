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
	struct affinity *affinity;
	struct irqbalance *balance;
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
void world_set_cpus(struct cpuset *set, const char *list);
/* Two cores of two threads for each storage port, of which the first is in use; eight cores, CPUs 0 to 15. */
void world_add_shares(struct world *w);
/* The next interrupt that is there, with what became of it. */
struct affinity_irq *world_place_irq(struct world *w, enum irq_action action, const char *before,
				     const char *target);
/* A controller with its path, a namespace and so many queues, on the interrupts that are there. */
struct path *world_add_path(struct world *w, unsigned queues, const char *traddr);
void world_fill_hostile(struct world *w); /* HOSTILE wherever text comes from outside */

/* The outputs; both belong to w. name NULL: not written to REPORT_DOCUMENTS. */
struct json *world_json(struct world *w, const char *name);
const char *world_text(struct world *w, const char *name);

/* The member at a path of keys and indexes: "ports.0.pci". */
struct json *member(const struct json *j, const char *path);
const char *text_at(const struct json *j, const char *path);
void assert_number_at(const struct json *j, const char *parent, const char *key, int64_t expected);
