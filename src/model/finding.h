/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Findings: what was noticed, as data, so that it appears in every output and in every
 * golden. Facts and policy add them; report prints them.
 */
#pragma once

#include "base/mem.h"

#define FINDINGS_MAX 1024

enum finding_status { FINDING_PASS, FINDING_WARN, FINDING_FAIL, FINDING_UNKNOWN, FINDING_SKIP };

struct finding {
	const char *check; /* a constant of the program: "ports.present" */
	enum finding_status status;
	char object[256];
	char message[512];
	char evidence[256]; /* what was read; empty: none */
};

struct findings {
	struct finding finding[FINDINGS_MAX];
	unsigned count;
	unsigned lost; /* beyond FINDINGS_MAX: reported as one more finding */
};

void finding_add(struct findings *findings, enum finding_status status, const char *check, const char *object,
		 const char *evidence, const char *fmt, ...) _printf_(6, 7);
/* By (check, object); what was noticed twice, since it was read twice, stays once. */
void findings_sort(struct findings *findings);
const char *finding_status_name(enum finding_status status);
