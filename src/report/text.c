/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The text output, for people at a glance: what machine, what is where, what is wrong, and
 * one line at the end that says how it went. Scripts use the JSON document.
 */
#include "report/report.h"

#include <errno.h>
#include <string.h>

#include "report/align.h"
#include "report/parts.h"

#define PATH_ACTIONS (PATH_FOREIGN + 1)

static const char *who_connects(const struct result *result)
{
	if (result->deferred)
		return ", deferred: the host makes no connection";
	return result->platform->initiator == INITIATOR_HOST_CPU ? "" : ", forced: the host connects";
}

static void text_platform(const struct result *result, FILE *out)
{
	const struct platform *platform = result->platform;

	if (platform) {
		text_line(out, "%s (%s %s), initiator %s%s", platform->id, platform->sys_vendor,
			  platform->product_name, initiator_name(platform->initiator), who_connects(result));
	} else if (result->topo) {
		text_line(out, "unknown platform (DMI: vendor \"%s\", product \"%s\")",
			  result->topo->dmi.sys_vendor, result->topo->dmi.product_name);
	}
}

static void count_paths(const struct result *result, char *buf, size_t size)
{
	unsigned count[PATH_ACTIONS] = { 0 };
	bool first = true;

	str_format(buf, size, "%u path%s", result->plan->paths, result->plan->paths == 1 ? "" : "s");
	for (unsigned i = 0; i < result->plan->paths; i++)
		count[result->plan->path[i].action]++;
	for (unsigned action = PATH_NONE + 1; action < PATH_ACTIONS; action++) {
		if (count[action] == 0)
			continue;
		str_append(buf, size, "%s%u %s", first ? " (" : ", ", count[action],
			   path_action_name((enum path_action)action));
		first = false;
	}
	if (!first)
		str_append(buf, size, ")");
}

static void count_ports(const struct result *result, char *buf, size_t size)
{
	unsigned storage = 0, usable = 0;

	for (unsigned i = 0; i < result->topo->ports; i++) {
		const struct port_class *class = &result->classes->port[i];

		storage += class->role == ROLE_STORAGE;
		usable += class->role == ROLE_STORAGE && class->unusable == USABLE;
	}
	str_format(buf, size, "%u of %u storage ports usable", usable, storage);
}

/* How it went, in one line, the last one. */
static void text_summary(const struct result *result, FILE *out)
{
	bool show = strcmp(result->command, "show") == 0;
	char line[512], part[256];

	str_format(line, sizeof(line), "%s%s: %s", result->command, result->dry_run ? " (dry run)" : "",
		   report_word(result));
	if (show && result->topo && result->classes) {
		count_ports(result, part, sizeof(part));
		str_append(line, sizeof(line), "; %s", part);
	}
	if (result->plan) {
		count_paths(result, part, sizeof(part));
		str_append(line, sizeof(line), "; %s", part);
		if (result->plan->skips > 0)
			str_append(line, sizeof(line), "; %u skipped", result->plan->skips);
	}
	if (result->bandwidth && result->bandwidth->possible_mbps > 0)
		str_append(line, sizeof(line), "; %lld of %lld Gb/s",
			   (long long)result->bandwidth->given_mbps / 1000,
			   (long long)result->bandwidth->possible_mbps / 1000);
	if (!show && result->dry_run)
		str_append(line, sizeof(line), "; would change %s",
			   result->changed ? "this machine" : "nothing");
	else if (!show)
		str_append(line, sizeof(line), "; %s", result->changed ? "changed" : "nothing changed");
	text_section(out, NULL);
	text_line(out, "%s", line);
}

static void text_sections(const struct result *result, FILE *out)
{
	text_platform(result, out);
	if (strcmp(result->command, "show") == 0) {
		report_text_ports(result, out);
		report_text_bonds(result, out);
	}
	if (strcmp(result->command, "verify") != 0) { /* whose findings name what is not so */
		report_text_paths(result, out);
		report_text_skipped(result, out);
		report_text_cores(result, out);
	}
	report_text_offload(result, out);
	report_text_findings(result, out);
	text_summary(result, out);
}

/* Everything is made in memory first: then one write says whether it arrived. */
int report_text(const struct result *result, FILE *out)
{
	_cleanup_free_ char *raw = NULL, *aligned = NULL;
	size_t size;
	FILE *stream = open_memstream(&raw, &size);

	if (!stream)
		return -ENOMEM;
	text_sections(result, stream);
	if (fclose(stream) != 0)
		return -ENOMEM;
	stream = open_memstream(&aligned, &size);
	if (!stream)
		return -ENOMEM;
	text_align(raw, stream);
	if (fclose(stream) != 0)
		return -ENOMEM;
	fputs(aligned, out);
	return report_end(out);
}
