/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One check of verify: findings for what is wrong, each with its object, or one that says what passed. A
 * check never ends without a word, and what could not be read is never a pass.
 */
#pragma once

#include "model/finding.h"

#define CHECK_NAMED_MAX 32 /* findings of one check; what is beyond is counted */

struct check {
	const char *name; /* "paths.live" */
	struct findings *findings;
	const char *evidence; /* what is read for it, for those findings that name no other; NULL: none */
	unsigned good, bad, named; /* objects that are as they should be; others; findings made */
	enum finding_status worst; /* of those beyond CHECK_NAMED_MAX */
};

struct check check_begin(struct findings *findings, const char *name, const char *evidence);

/* One object is as it should be. */
void check_good(struct check *check);

/* One is not: FINDING_FAIL, FINDING_WARN or FINDING_UNKNOWN. evidence NULL: the check's. */
void check_bad(struct check *check, enum finding_status status, const char *object, const char *evidence,
	       const char *fmt, ...) _printf_(5, 6);

/*
 * Nothing bad: one FINDING_PASS with the text ("%u" of it, if any, is for the caller to fill in); no object
 * at all: FINDING_SKIP with why.
 */
void check_end(struct check *check, const char *object, const char *why_skip, const char *fmt, ...)
	_printf_(4, 5);

/* The check does not apply here. */
void check_skip(struct findings *findings, const char *name, const char *object, const char *fmt, ...)
	_printf_(4, 5);
