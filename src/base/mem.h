/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Small helpers on memory: cleanup attributes, array sizes, bounded string copies.
 * No ownership rule is hidden here: what a macro frees is named at its use.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

#define _cleanup_(f) __attribute__((cleanup(f)))
#define _must_check_ __attribute__((warn_unused_result))
#define _printf_(fmt, args) __attribute__((format(printf, fmt, args)))

static inline void mem_freep(void *p)
{
	free(*(void **)p);
}

static inline void mem_closep(const int *fd)
{
	if (*fd >= 0)
		(void)close(*fd);
}

#define _cleanup_free_ _cleanup_(mem_freep)
#define _cleanup_close_ _cleanup_(mem_closep)

/*
 * Room for one more in an array of count elements (NULL: none yet) that is only ever grown by this: it is
 * full at each power of two, and doubled there. Returns the array, which may have moved; NULL without memory:
 * it is as it was. Whoever calls has bounded count.
 */
void *mem_grow(void *array, size_t count, size_t size) _must_check_;

/*
 * Copies src into dst[size]. Returns 0, or -ENAMETOOLONG and leaves dst empty: a
 * name that does not fit is never used in part.
 */
int str_copy(char *dst, size_t size, const char *src) _must_check_;

/* True if s is not empty and starts with prefix. */
bool str_starts(const char *s, const char *prefix);

/*
 * printf into buf[size]. Text that does not fit is cut and ends in "..."; for
 * messages only, never for a name that something is looked up by.
 */
void str_format(char *buf, size_t size, const char *fmt, ...) _printf_(3, 4);

/* Appends to the text in buf[size], in the same way. */
void str_append(char *buf, size_t size, const char *fmt, ...) _printf_(3, 4);
