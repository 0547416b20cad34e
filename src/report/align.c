/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Escaping and columns of the text output. */
#include "report/align.h"

#include <stdarg.h>
#include <string.h>

#define TEXT_MAX 2048 /* more than the longest message with its object */

/* Printable ASCII as it is, every other byte as \xNN. */
static void escape(FILE *out, const char *text)
{
	for (const unsigned char *at = (const unsigned char *)text; *at != '\0'; at++) {
		if (*at == '\\')
			fputs("\\\\", out);
		else if (*at >= ' ' && *at <= '~')
			fputc(*at, out);
		else
			fprintf(out, "\\x%02x", *at);
	}
}

static _printf_(2, 0) void escape_v(FILE *out, const char *fmt, va_list args)
{
	char text[TEXT_MAX];
	int length = vsnprintf(text, sizeof(text), fmt, args);

	if (length < 0)
		return;
	escape(out, text[0] == '\0' ? "-" : text);
	if ((size_t)length >= sizeof(text))
		fputs("...", out);
}

void text_cell(FILE *out, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	escape_v(out, fmt, args);
	va_end(args);
	fputc('\t', out);
}

void text_row_end(FILE *out)
{
	fputc('\n', out);
}

void text_header(FILE *out, const char *const *titles, size_t count)
{
	for (size_t i = 0; i < count; i++)
		text_cell(out, "%s", titles[i]);
	text_row_end(out);
}

void text_line(FILE *out, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	escape_v(out, fmt, args);
	va_end(args);
	fputc('\n', out);
}

void text_section(FILE *out, const char *title)
{
	if (ftell(out) > 0)
		fputc('\n', out);
	if (title)
		text_line(out, "%s", title);
}

/* The widths of the columns of the section that starts at text. */
static void section_widths(const char *text, size_t width[static TEXT_COLUMNS_MAX])
{
	memset(width, 0, TEXT_COLUMNS_MAX * sizeof(width[0]));
	while (*text != '\0' && *text != '\n') {
		size_t column = 0, cell;

		while (text[cell = strcspn(text, "\t\n")] == '\t') {
			if (column < TEXT_COLUMNS_MAX && cell > width[column])
				width[column] = cell;
			column++;
			text += cell + 1;
		}
		text += cell;
		text += *text == '\n';
	}
}

/* One line, moving past it. */
static const char *print_line(const char *text, const size_t width[static TEXT_COLUMNS_MAX], FILE *out)
{
	size_t column = 0, cell, pending = 2;

	while (text[cell = strcspn(text, "\t\n")] == '\t') {
		fprintf(out, "%*s%.*s", (int)pending, "", (int)cell, text);
		pending = 2;
		if (column < TEXT_COLUMNS_MAX && width[column] > cell)
			pending += width[column] - cell;
		column++;
		text += cell + 1;
	}
	fprintf(out, "%.*s\n", (int)cell, text);
	text += cell;
	return text + (*text == '\n');
}

void text_align(const char *text, FILE *out)
{
	size_t width[TEXT_COLUMNS_MAX] = { 0 };
	bool inside = false;

	while (*text != '\0') {
		if (!inside)
			section_widths(text, width);
		inside = *text != '\n';
		text = print_line(text, width, out);
	}
}
