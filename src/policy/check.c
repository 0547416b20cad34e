/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One check of verify, as findings. */
#include "policy/check.h"

#include <stdarg.h>
#include <stdio.h>

struct check check_begin(struct findings *findings, const char *name, const char *evidence)
{
	return (struct check){
		.name = name, .findings = findings, .evidence = evidence, .worst = FINDING_PASS
	};
}

void check_good(struct check *check)
{
	check->good++;
}

/* FAIL outranks UNKNOWN, which outranks WARN. */
static unsigned rank(enum finding_status status)
{
	switch (status) {
	case FINDING_FAIL:
		return 3;
	case FINDING_UNKNOWN:
		return 2;
	case FINDING_WARN:
		return 1;
	case FINDING_PASS:
	case FINDING_SKIP:
		break;
	}
	return 0;
}

void check_bad(struct check *check, enum finding_status status, const char *object, const char *evidence,
	       const char *fmt, ...)
{
	char message[512];
	va_list args;

	check->bad++;
	if (check->named == CHECK_NAMED_MAX) {
		if (rank(status) > rank(check->worst))
			check->worst = status;
		return;
	}
	check->named++;
	va_start(args, fmt);
	(void)vsnprintf(message, sizeof(message), fmt, args);
	va_end(args);
	finding_add(check->findings, status, check->name, object, evidence ? evidence : check->evidence, "%s",
		    message);
}

void check_end(struct check *check, const char *object, const char *why_skip, const char *fmt, ...)
{
	char message[512];
	va_list args;

	if (check->bad > check->named)
		finding_add(check->findings, check->worst, check->name, object ? object : "others",
			    check->evidence, "and %u more like these", check->bad - check->named);
	if (check->bad > 0)
		return;
	if (check->good == 0) {
		finding_add(check->findings, FINDING_SKIP, check->name, object, NULL, "%s", why_skip);
		return;
	}
	va_start(args, fmt);
	(void)vsnprintf(message, sizeof(message), fmt, args);
	va_end(args);
	finding_add(check->findings, FINDING_PASS, check->name, object, check->evidence, "%s", message);
}

void check_skip(struct findings *findings, const char *name, const char *object, const char *fmt, ...)
{
	char message[512];
	va_list args;

	va_start(args, fmt);
	(void)vsnprintf(message, sizeof(message), fmt, args);
	va_end(args);
	finding_add(findings, FINDING_SKIP, name, object, NULL, "%s", message);
}
