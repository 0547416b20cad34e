/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Arrays that grow; bounded copies and formatting of strings. */
#include "base/mem.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void *mem_grow(void *array, size_t count, size_t size)
{
	if ((count & (count - 1)) != 0)
		return array;
	return reallocarray(array, count ? count * 2 : 1, size);
}

int str_copy(char *dst, size_t size, const char *src)
{
	size_t length = strlen(src);

	if (length >= size) {
		if (size > 0)
			dst[0] = '\0';
		return -ENAMETOOLONG;
	}
	memmove(dst, src, length + 1);
	return 0;
}

bool str_starts(const char *s, const char *prefix)
{
	size_t length = strlen(prefix);

	return length > 0 && strncmp(s, prefix, length) == 0;
}

static void format_at(char *buf, size_t size, size_t at, const char *fmt, va_list args)
{
	int length;

	if (at + 1 >= size)
		return;
	length = vsnprintf(buf + at, size - at, fmt, args);
	if (length >= 0 && (size_t)length >= size - at && size >= 4)
		memcpy(buf + size - 4, "...", 4);
}

void str_format(char *buf, size_t size, const char *fmt, ...)
{
	va_list args;

	if (size > 0)
		buf[0] = '\0';
	va_start(args, fmt);
	format_at(buf, size, 0, fmt, args);
	va_end(args);
}

void str_append(char *buf, size_t size, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	format_at(buf, size, strlen(buf), fmt, args);
	va_end(args);
}
