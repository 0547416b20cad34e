/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names in sysfs, and what to say when it cannot be read. */
#include "facts/sysfs.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/parse.h"

bool sysfs_numbered(const char *name, const char *prefix, unsigned *ret)
{
	size_t length = strlen(prefix);
	const char *digits = name + length;
	uint64_t number;

	if (strncmp(name, prefix, length) != 0 || parse_u64(digits, UINT_MAX, &number) < 0)
		return false;
	if (digits[0] == '0' && digits[1] != '\0')
		return false;
	*ret = (unsigned)number;
	return true;
}

bool sysfs_is_name(const char *name)
{
	return name[0] != '\0' && !strchr(name, '/') && strcmp(name, ".") != 0 && strcmp(name, "..") != 0;
}

/* strerror() speaks of arguments and buffers; here it is about a file. */
static const char *reason(int code)
{
	switch (code) {
	case -EINVAL:
		return "holds something that the kernel does not write there";
	case -ERANGE:
		return "holds a number that is out of range";
	case -EFBIG:
	case -ENAMETOOLONG:
		return "holds more than the kernel writes there";
	case -ENOENT:
		return "is not there";
	default:
		return strerror(-code);
	}
}

void sysfs_unreadable(struct findings *findings, const char *object, int code, const char *fmt, ...)
{
	char path[256] = "/";
	va_list args;

	va_start(args, fmt);
	(void)vsnprintf(path + 1, sizeof(path) - 1, fmt, args);
	va_end(args);
	finding_add(findings, FINDING_UNKNOWN, "facts.readable", object, path, "%s: %s", path, reason(code));
}

int sysfs_failed(struct err *err, int code, const char *path)
{
	return err_set(err, XC_ENVIRONMENT, code, path, "/%s: %s", path, reason(code));
}

int sysfs_full(struct err *err, const char *what, unsigned max)
{
	return err_set(err, XC_ENVIRONMENT, -E2BIG, what,
		       "more than %u %s: this program has no room for them", max, what);
}
