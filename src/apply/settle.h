/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How what became of a step is written into the step and into its path: shared by the loops. */
#pragma once

#include "apply/fx.h"

/* "absent", or the controller's state: the values of the journal. */
const char *settle_state(const struct observed *o);

static inline struct path *settle_path(struct plan *plan, const struct step *step)
{
	return &plan->path[step->path];
}

/* Failed, with a message that names its portal itself. */
void settle_as_told(struct plan *plan, struct step *step, enum path_reason reason, const char *message);
/* Failed; portal and source are put before the message. */
void settle_failed(struct plan *plan, struct step *step, enum path_reason reason, const char *fmt, ...)
	_printf_(4, 5);
/* What was asked for and not even tried is not done: the path says so, and why. */
void settle_not_begun(struct plan *plan, struct step *step, const char *why);
