/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The -v lines. */
#include "base/log.h"

#include <stdarg.h>
#include <stdio.h>

static bool enabled; /* the one piece of state below cmd/: whether -v was given */

void log_enable(bool on)
{
	enabled = on;
}

void log_effect(const char *fmt, ...)
{
	char line[1024];
	va_list args;

	if (!enabled)
		return;
	va_start(args, fmt);
	vsnprintf(line, sizeof(line), fmt, args);
	va_end(args);
	fprintf(stderr, "[#] %s\n", line);
}
