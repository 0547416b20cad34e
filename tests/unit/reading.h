/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a test of a reader works with: a tree, and what the reader fills. Included once, by the test's one
 * file. */
#pragma once

#include "lib/t.h"

#include <stdlib.h>
#include <string.h>

#include "facts/facts.h"
#include "unit/tree.h"

static struct tree tree;
static struct topology *topo;
static struct findings findings;
static struct err error;

static int setup(void **state)
{
	(void)state;
	memset(&findings, 0, sizeof(findings));
	memset(&error, 0, sizeof(error));
	topo = calloc(1, sizeof(*topo));
	assert_non_null(topo);
	tree_open(&tree);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	free(topo);
	tree_close(&tree);
	return 0;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
