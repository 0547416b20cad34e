/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Findings in the text output: what needs a look first, what is fine only counted. */
#include "report/parts.h"

#include <string.h>

#include "report/align.h"

#define SHOWN_MAX 4 /* of one check and status */

static unsigned count_status(const struct findings *findings, enum finding_status status)
{
	unsigned count = 0;

	for (unsigned i = 0; i < findings->count; i++)
		count += findings->finding[i].status == status;
	return count;
}

static void finding_row(const struct finding *finding, FILE *out)
{
	text_cell(out, "%s", finding_status_name(finding->status));
	text_cell(out, "%s", finding->check);
	text_cell(out, "%s", finding->object);
	if (finding->evidence[0] != '\0')
		text_cell(out, "%s (%s)", finding->message, finding->evidence);
	else
		text_cell(out, "%s", finding->message);
	text_row_end(out);
}

static void findings_count(const struct findings *findings, FILE *out)
{
	static const enum finding_status order[] = { FINDING_FAIL, FINDING_WARN, FINDING_UNKNOWN,
						     FINDING_SKIP, FINDING_PASS };
	char line[256] = "";

	for (size_t i = 0; i < ARRAY_SIZE(order); i++) {
		unsigned count = count_status(findings, order[i]);

		if (count > 0)
			str_append(line, sizeof(line), "%s%u %s", line[0] != '\0' ? ", " : "", count,
				   finding_status_name(order[i]));
	}
	if (findings->lost > 0)
		str_append(line, sizeof(line), ", %u more that do not fit into the list", findings->lost);
	text_line(out, "%s", line);
}

/* Those of one check, which begin with that number; of many a few. Returns the number after the last. */
static unsigned findings_of_check(const struct findings *findings, unsigned first, enum finding_status status,
				  FILE *out)
{
	const char *check = findings->finding[first].check;
	unsigned count = 0, end = first;

	for (; end < findings->count && strcmp(findings->finding[end].check, check) == 0; end++) {
		if (findings->finding[end].status == status && ++count <= SHOWN_MAX)
			finding_row(&findings->finding[end], out);
	}
	if (count > SHOWN_MAX)
		text_line(out, "  and %u more of %s; -o json has them", count - SHOWN_MAX, check);
	return end;
}

void report_text_findings(const struct result *result, FILE *out)
{
	static const enum finding_status shown[] = { FINDING_FAIL, FINDING_WARN, FINDING_UNKNOWN };
	const struct findings *findings = result->findings;

	if (!findings || findings->count == 0)
		return;
	text_section(out, "findings");
	for (size_t s = 0; s < ARRAY_SIZE(shown); s++) {
		for (unsigned i = 0; i < findings->count;)
			i = findings_of_check(findings, i, shown[s], out);
	}
	findings_count(findings, out);
}
