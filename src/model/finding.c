/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The list of findings. */
#include "model/finding.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void finding_add(struct findings *findings, enum finding_status status, const char *check, const char *object,
		 const char *evidence, const char *fmt, ...)
{
	struct finding *f;
	va_list args;
	int length;

	if (findings->count == FINDINGS_MAX) {
		findings->lost++;
		return;
	}
	f = &findings->finding[findings->count++];
	f->status = status;
	f->check = check;
	str_format(f->object, sizeof(f->object), "%s", object ? object : "");
	str_format(f->evidence, sizeof(f->evidence), "%s", evidence ? evidence : "");
	va_start(args, fmt);
	length = vsnprintf(f->message, sizeof(f->message), fmt, args);
	va_end(args);
	if (length < 0 || (size_t)length >= sizeof(f->message))
		memcpy(f->message + sizeof(f->message) - 4, "...", 4);
}

static int compare(const void *a, const void *b)
{
	const struct finding *x = a, *y = b;
	int order = strcmp(x->check, y->check);

	if (order == 0)
		order = strcmp(x->object, y->object);
	return order ? order : strcmp(x->message, y->message);
}

static bool is_same(const struct finding *a, const struct finding *b)
{
	return compare(a, b) == 0 && a->status == b->status && strcmp(a->evidence, b->evidence) == 0;
}

void findings_sort(struct findings *findings)
{
	unsigned kept = 0;

	qsort(findings->finding, findings->count, sizeof(findings->finding[0]), compare);
	for (unsigned i = 0; i < findings->count; i++) {
		if (kept == 0 || !is_same(&findings->finding[kept - 1], &findings->finding[i]))
			findings->finding[kept++] = findings->finding[i];
	}
	findings->count = kept;
}

const char *finding_status_name(enum finding_status status)
{
	switch (status) {
	case FINDING_PASS:
		return "pass";
	case FINDING_WARN:
		return "warn";
	case FINDING_FAIL:
		return "fail";
	case FINDING_SKIP:
		return "skip";
	case FINDING_UNKNOWN:
		break;
	}
	return "unknown";
}
