/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Findings in the text output: what needs a look first, what is fine only counted. */
#include "report/parts.h"

#include "report/align.h"

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

void report_text_findings(const struct result *result, FILE *out)
{
	static const enum finding_status shown[] = { FINDING_FAIL, FINDING_WARN, FINDING_UNKNOWN };
	const struct findings *findings = result->findings;

	if (!findings || findings->count == 0)
		return;
	text_section(out, "findings");
	for (size_t s = 0; s < ARRAY_SIZE(shown); s++) {
		for (unsigned i = 0; i < findings->count; i++) {
			if (findings->finding[i].status == shown[s])
				finding_row(&findings->finding[i], out);
		}
	}
	findings_count(findings, out);
}
