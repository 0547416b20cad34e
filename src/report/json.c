/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The JSON document. Its shape is a promise to scripts: every key is always there, in this
 * order, and what is not known is null. schema/nvme-partition.schema.json says the same.
 */
#include "report/report.h"

#include <string.h>

#include "report/parts.h"

static struct json *tool_json(void)
{
	struct json *j = json_object_new();

	json_set_str(j, "name", "nvme-partition");
	json_set_str(j, "version", PACKAGE_VERSION);
	return j;
}

static struct json *platform_json(const struct result *result)
{
	struct json *j;

	if (!result->platform)
		return NULL;
	j = json_object_new();
	json_set_str(j, "id", result->platform->id);
	json_set_str(j, "product_name", result->platform->product_name);
	json_set_str(j, "sys_vendor", result->platform->sys_vendor);
	return j;
}

/* Who the initiator is says the platform: without one it is not known. */
static struct json *initiator_json(const struct result *result)
{
	struct json *j;

	if (!result->platform)
		return NULL;
	j = json_object_new();
	json_set_str(j, "model", initiator_name(result->platform->initiator));
	json_set_bool(j, "deferred", result->deferred);
	return j;
}

/*
 * What a step changes, in the words of the journal: a controller's state (null: it is absent), an interrupt's
 * CPUs, whether irqbalance leaves it alone.
 */
static void step_set_change(struct json *j, const struct step *step)
{
	bool bans = !cpuset_is_empty(&step->to);

	switch (step->kind) {
	case STEP_NVME_CONNECT:
		json_set(j, "from", NULL);
		json_set_str(j, "to", "live");
		break;
	case STEP_NVME_DISCONNECT:
		json_set_str(j, "from", step->state == STEP_SKIPPED ? NULL : "live");
		json_set(j, "to", NULL);
		break;
	case STEP_IRQ_AFFINITY:
		report_set_place(j, "from", &step->before);
		report_set_place(j, "to", &step->to);
		break;
	case STEP_IRQBALANCE_BAN:
		json_set_str(j, "from", bans ? "free" : "banned");
		json_set_str(j, "to", bans ? "banned" : "free");
		break;
	}
}

static struct json *steps_json(const struct result *result)
{
	struct json *list = json_array_new();

	for (unsigned i = 0; result->steps && i < result->steps->count; i++) {
		const struct step *step = &result->steps->step[i];
		struct json *j = json_object_new();
		char text[STEP_TEXT_MAX];

		json_set_i64(j, "step", i + 1);
		json_set_str(j, "kind", step_kind_name(step->kind));
		json_set_str(j, "object", step_object(step, text));
		step_set_change(j, step);
		json_set_str(j, "state", step_state_name(step->state));
		json_push(list, j);
	}
	return list;
}

static struct json *skipped_json(const struct result *result)
{
	struct json *list = json_array_new();

	for (unsigned i = 0; result->plan && i < result->plan->skips; i++) {
		const struct skip *skip = &result->plan->skip[i];
		struct json *j = json_object_new();

		report_set_text(j, "traddr", skip->traddr);
		report_set_text(j, "trsvcid", skip->trsvcid);
		report_set_text(j, "nqn", skip->nqn);
		json_set_str(j, "reason", skip_reason_name(skip->reason));
		json_set_str(j, "message", skip->message);
		json_push(list, j);
	}
	return list;
}

static void finding_push(struct json *list, const struct finding *finding)
{
	struct json *j = json_object_new();

	json_set_str(j, "check", finding->check);
	json_set_str(j, "status", finding_status_name(finding->status));
	report_set_text(j, "object", finding->object);
	json_set_str(j, "message", finding->message);
	report_set_text(j, "evidence", finding->evidence);
	json_push(list, j);
}

/* The list is bounded: that something is missing in it must be in it, in its place. */
static void lost_push(struct json *list, unsigned lost)
{
	struct finding finding = { .check = REPORT_LOST_CHECK, .status = FINDING_UNKNOWN };

	str_format(finding.message, sizeof(finding.message), "%u findings more do not fit into this list",
		   lost);
	finding_push(list, &finding);
}

static struct json *findings_json(const struct result *result)
{
	const struct findings *findings = result->findings;
	struct json *list = json_array_new();
	bool lost = findings && findings->lost > 0;

	for (unsigned i = 0; findings && i < findings->count; i++) {
		if (lost && strcmp(findings->finding[i].check, REPORT_LOST_CHECK) > 0) {
			lost_push(list, findings->lost);
			lost = false;
		}
		finding_push(list, &findings->finding[i]);
	}
	if (lost)
		lost_push(list, findings->lost);
	return list;
}

static struct json *errors_json(const struct result *result)
{
	struct json *list = json_array_new();

	for (unsigned i = 0; i < result->error_count; i++) {
		const struct err *err = &result->errors[i];
		struct json *j = json_object_new();

		json_set_str(j, "code", exit_class_name(err->exit));
		report_set_text(j, "object", err->object);
		json_set_str(j, "message", err->msg);
		json_push(list, j);
	}
	return list;
}

/* A member of the document; takes the value over. */
static void member(FILE *out, const char *key, struct json *value)
{
	fprintf(out, ",\n  \"%s\": ", key);
	json_print(out, value, 2);
	json_free(value);
}

/* The document's own members, in its order; each is made, printed and forgotten. */
int report_json(const struct result *result, FILE *out)
{
	fprintf(out, "{\n  \"schema_version\": %d", REPORT_SCHEMA_VERSION);
	member(out, "tool", tool_json());
	member(out, "command", json_string_new(result->command));
	member(out, "result", json_string_new(report_word(result)));
	member(out, "changed", json_bool_new(result->changed));
	member(out, "dry_run", json_bool_new(result->dry_run));
	member(out, "platform", platform_json(result));
	member(out, "initiator", initiator_json(result));
	member(out, "ports", report_json_ports(result));
	member(out, "bonds", report_json_bonds(result));
	member(out, "bandwidth", report_json_bandwidth(result));
	fputs(",\n  \"paths\": ", out);
	report_json_paths(result, out);
	member(out, "affinity", report_json_affinity(result));
	member(out, "offload", report_json_offload(result));
	member(out, "steps", steps_json(result));
	member(out, "skipped", skipped_json(result));
	member(out, "findings", findings_json(result));
	member(out, "errors", errors_json(result));
	fputs("\n}\n", out);
	return report_end(out);
}
