/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sets of CPUs. */
#include "base/cpuset.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n';
}

/* A CPU number at *at; moves past it. */
static int take_number(const char **at, unsigned *ret)
{
	unsigned value = 0;
	const char *start = *at;

	for (; **at >= '0' && **at <= '9'; (*at)++) {
		value = value * 10 + (unsigned)(**at - '0');
		if (value >= CPUS_MAX)
			return -ERANGE;
	}
	*ret = value;
	return *at == start ? -EINVAL : 0;
}

int cpuset_parse(const char *text, struct cpuset *ret)
{
	struct cpuset set = { 0 };
	const char *at = text;

	while (is_blank(*at))
		at++;
	while (*at != '\0') {
		unsigned first, last;
		int r = take_number(&at, &first);

		last = first;
		if (r == 0 && *at == '-') {
			at++;
			r = take_number(&at, &last);
		}
		if (r < 0)
			return r;
		if (last < first)
			return -EINVAL;
		for (unsigned cpu = first; cpu <= last; cpu++)
			cpuset_add(&set, cpu);
		while (is_blank(*at))
			at++;
		if (*at == '\0')
			break;
		if (*at++ != ',')
			return -EINVAL;
		while (is_blank(*at))
			at++;
		if (*at == '\0')
			return -EINVAL;
	}
	*ret = set;
	return 0;
}

/* The first CPU from "from" on that is (or is not) in the set; CPUS_MAX: none. Skips whole words. */
static unsigned find_from(const struct cpuset *set, unsigned from, bool in)
{
	for (unsigned word = from / 64; word < ARRAY_SIZE(set->bits); word++) {
		uint64_t bits = in ? set->bits[word] : ~set->bits[word];

		if (word == from / 64)
			bits &= UINT64_MAX << (from % 64);
		if (bits != 0)
			return word * 64 + (unsigned)__builtin_ctzll(bits);
	}
	return CPUS_MAX;
}

int cpuset_format(const struct cpuset *set, char *buf, size_t size)
{
	size_t at = 0;

	if (size == 0)
		return -ENOSPC;
	buf[0] = '\0';
	for (unsigned first = find_from(set, 0, true), end; first < CPUS_MAX;
	     first = find_from(set, end, true)) {
		int length;

		end = find_from(set, first, false);
		length = first + 1 == end
				 ? snprintf(buf + at, size - at, "%s%u", at ? "," : "", first)
				 : snprintf(buf + at, size - at, "%s%u-%u", at ? "," : "", first, end - 1);
		if (length < 0 || (size_t)length >= size - at)
			return -ENOSPC;
		at += (size_t)length;
		if (end >= CPUS_MAX)
			break;
	}
	return 0;
}

void cpuset_add(struct cpuset *set, unsigned cpu)
{
	if (cpu < CPUS_MAX)
		set->bits[cpu / 64] |= UINT64_C(1) << (cpu % 64);
}

bool cpuset_has(const struct cpuset *set, unsigned cpu)
{
	return cpu < CPUS_MAX && (set->bits[cpu / 64] >> (cpu % 64) & 1);
}

unsigned cpuset_next(const struct cpuset *set, unsigned from)
{
	return find_from(set, from, true);
}

unsigned cpuset_count(const struct cpuset *set)
{
	unsigned count = 0;

	for (size_t i = 0; i < ARRAY_SIZE(set->bits); i++)
		count += (unsigned)__builtin_popcountll(set->bits[i]);
	return count;
}

bool cpuset_is_empty(const struct cpuset *set)
{
	return cpuset_count(set) == 0;
}

bool cpuset_equal(const struct cpuset *a, const struct cpuset *b)
{
	return memcmp(a->bits, b->bits, sizeof(a->bits)) == 0;
}

bool cpuset_is_subset(const struct cpuset *inner, const struct cpuset *outer)
{
	for (size_t i = 0; i < ARRAY_SIZE(inner->bits); i++) {
		if (inner->bits[i] & ~outer->bits[i])
			return false;
	}
	return true;
}

bool cpuset_overlaps(const struct cpuset *a, const struct cpuset *b)
{
	for (size_t i = 0; i < ARRAY_SIZE(a->bits); i++) {
		if (a->bits[i] & b->bits[i])
			return true;
	}
	return false;
}
