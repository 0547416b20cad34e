/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a command has to say, in one structure for every command: report/ formats it, as
 * JSON or as text, and computes nothing. It points to what the command holds; a
 * NULL pointer means that the command has nothing of that kind.
 */
#pragma once

#include "base/err.h"
#include "model/affinity.h"
#include "model/bandwidth.h"
#include "model/classification.h"
#include "model/finding.h"
#include "model/irqbalance.h"
#include "model/offload.h"
#include "model/plan.h"
#include "model/queue.h"
#include "model/step.h"

struct result {
	const char *command;
	enum exit_class exit;
	bool deferred; /* the initiator is not the host: connect that ends well says "deferred" */
	bool changed;
	bool dry_run;
	const struct platform *platform; /* NULL: unknown */
	const struct topology *topo;	 /* NULL: not read (an early error) */
	const struct classification *classes;
	const struct plan *plan; /* paths and skips */
	const struct queues *queues;
	const struct affinity *affinity;     /* NULL: it was not looked at */
	const struct irqbalance *irqbalance; /* with affinity */
	const struct offload *offload;	     /* NULL: it was not looked at, or the platform has none */
	const char *policy_script;	     /* NULL: irqbalance needs none */
	const struct steps *steps;
	const struct findings *findings;
	const struct bandwidth *bandwidth; /* NULL: not read */
	const struct err *errors;	   /* one a line on stderr, one an entry of "errors" */
	unsigned error_count;
};
