/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sets of CPUs as values, with the kernel's list form ("0-55,112-167", and "0, 1, 2" of
 * blk-mq's cpu_list).
 */
#pragma once

#include <stdint.h>

#include "base/mem.h"

#define CPUS_MAX 2048 /* more than any DGX; a list beyond it is -ERANGE, never cut */

struct cpuset {
	uint64_t bits[CPUS_MAX / 64];
};

/* 0, -EINVAL (not a list) or -ERANGE (a CPU beyond CPUS_MAX). An empty list is an empty set. */
int cpuset_parse(const char *text, struct cpuset *ret) _must_check_;

/* Ranges, ascending; "" for the empty set. Returns 0 or -ENOSPC. */
int cpuset_format(const struct cpuset *set, char *buf, size_t size) _must_check_;
#define CPUSET_TEXT_MAX (CPUS_MAX * 3) /* the worst list: every second CPU */

void cpuset_add(struct cpuset *set, unsigned cpu);
bool cpuset_has(const struct cpuset *set, unsigned cpu);
/* The lowest CPU of the set that is not below from; CPUS_MAX: none. */
unsigned cpuset_next(const struct cpuset *set, unsigned from);
unsigned cpuset_count(const struct cpuset *set);
bool cpuset_is_empty(const struct cpuset *set);
bool cpuset_equal(const struct cpuset *a, const struct cpuset *b);
/* Every CPU of inner is in outer. */
bool cpuset_is_subset(const struct cpuset *inner, const struct cpuset *outer);
/* At least one CPU is in both. */
bool cpuset_overlaps(const struct cpuset *a, const struct cpuset *b);
