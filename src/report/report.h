/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The two outputs: one JSON document of the shape in the manual (schema_version 1, sorted,
 * null for unknown), or text for people. Both are renderings of one struct result;
 * nothing is computed here. The text leaves the errors out: they are on stderr.
 */
#pragma once

#include <stdio.h>

#include "model/result.h"

#define REPORT_SCHEMA_VERSION 1

/* Writes to out and flushes. 0 or -errno (a full disk must not look like success). */
int report_json(const struct result *result, FILE *out) _must_check_;
int report_text(const struct result *result, FILE *out) _must_check_;
