/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What -v prints on stderr: one "[#] ..." line an effect, as it happens. Results and errors
 * never go this way.
 */
#pragma once

#include <stdint.h>

#include "base/mem.h"

void log_enable(bool on);
/* "... WHAT: 12.345 ms", since a clock_us() */
void log_elapsed(const char *what, int64_t since_us);
void log_effect(const char *fmt, ...) _printf_(1, 2);
