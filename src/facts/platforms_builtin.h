/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The platform files of the source tree (platforms/), compiled in: platforms/embed writes the table that
 * is declared here, as text for the same parser that reads the admin's files.
 */
#pragma once

#include <stddef.h>

struct platform_builtin {
	const char *file; /* "dgx-h100.json", for messages */
	const char *text;
	size_t length;
};

extern const struct platform_builtin platforms_builtin[];
extern const size_t platforms_builtin_count;
