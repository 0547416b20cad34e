/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Text for a terminal. A section is a run of lines up to an empty one; its rows (cells, each ended by
 * a tab) become columns, its other lines stay as they are. What goes through text_cell() and
 * text_line() is printable ASCII afterwards: names come from outside and must not steer the
 * terminal, and one byte is one column.
 */
#pragma once

#include <stdio.h>

#include "base/mem.h"

#define TEXT_COLUMNS_MAX 16

/* Empty text becomes "-". */
void text_cell(FILE *out, const char *fmt, ...) _printf_(2, 3);
void text_row_end(FILE *out);
void text_header(FILE *out, const char *const *titles, size_t count); /* a row */
void text_line(FILE *out, const char *fmt, ...) _printf_(2, 3);

/* Starts a section with a line of its own; NULL: without one. */
void text_section(FILE *out, const char *title);

/* Rows are indented by two blanks. */
void text_align(const char *text, FILE *out);
