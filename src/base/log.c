/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The -v lines. */
#include "base/log.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/clock.h"

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

void log_elapsed(const char *what, int64_t since_us)
{
	int64_t us = clock_us() - since_us;

	log_effect("%s: %lld.%03lld ms", what, (long long)(us / 1000), (long long)(us % 1000));
}
