/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The one struct err, and the words for exit statuses. */
#include "base/err.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int err_set(struct err *err, enum exit_class exit, int code, const char *object, const char *fmt, ...)
{
	va_list args;
	int length;

	assert(code < 0);
	if (err->code != 0)
		return code;
	err->code = code;
	err->exit = exit;
	str_format(err->object, sizeof(err->object), "%s", object ? object : "");
	va_start(args, fmt);
	length = vsnprintf(err->msg, sizeof(err->msg), fmt, args);
	va_end(args);
	if (length < 0 || (size_t)length >= sizeof(err->msg))
		memcpy(err->msg + sizeof(err->msg) - 4, "...", 4);
	return code;
}

const char *exit_class_name(enum exit_class exit)
{
	switch (exit) {
	case XC_OK:
		return "ok";
	case XC_FAILED:
		return "failed";
	case XC_USAGE:
		return "usage";
	case XC_REFUSED:
		return "refused";
	case XC_PARTIAL:
		return "partial";
	case XC_DRIFT:
		return "drift";
	case XC_ENVIRONMENT:
		return "environment";
	case XC_TIMEOUT:
		return "timeout";
	}
	return "failed";
}
