/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What became of a step, in words. */
#include "apply/settle.h"

#include <stdarg.h>
#include <stdio.h>

#include "apply/fx_nvme_why.h"

/* Room for "[address]:service from address" */
#define WAY_TEXT_MAX (PORTAL_TEXT_MAX + IP_TEXT_MAX + 8)

const char *settle_state(const struct observed *o)
{
	return !o->there ? "absent" : o->state[0] ? o->state : "unknown";
}

void settle_as_told(struct plan *plan, struct step *step, enum path_reason reason, const char *message)
{
	struct path *path = settle_path(plan, step);

	step->state = STEP_FAILED;
	path->action = PATH_FAILED;
	path->reason = reason;
	str_format(path->message, sizeof(path->message), "%s", message);
}

static void _printf_(5, 0) fail_with(struct plan *plan, struct step *step, enum path_reason reason,
				     const char *way, const char *fmt, va_list args)
{
	char text[sizeof(settle_path(plan, step)->message)], message[WAY_TEXT_MAX + sizeof(text)];

	(void)vsnprintf(text, sizeof(text), fmt, args);
	str_format(message, sizeof(message), "%s: %s", way, text);
	settle_as_told(plan, step, reason, message);
}

void settle_failed(struct plan *plan, struct step *step, enum path_reason reason, const char *fmt, ...)
{
	char portal[PORTAL_TEXT_MAX], way[WAY_TEXT_MAX];
	va_list args;

	str_format(way, sizeof(way), "%s from %s", fx_nvme_portal(&step->id, portal), step->id.host_traddr);
	va_start(args, fmt);
	fail_with(plan, step, reason, way, fmt, args);
	va_end(args);
}

void settle_not_begun(struct plan *plan, struct step *step, const char *why)
{
	if (step->path >= 0 && (unsigned)step->path < plan->paths)
		settle_failed(plan, step, PATH_OTHER, "not begun: %s", why);
	step->state = STEP_SKIPPED;
}
