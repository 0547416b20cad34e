/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the files of the bond planner share. */
#pragma once

#include <stdarg.h>
#include <stdio.h>

#include "policy/policy.h"

struct bonding {
	const struct topology *topo;
	const struct classification *classes;
	const struct plan *paths;
	const struct managed *managed; /* parallel to topology.port; NULL: with request.print alone */
	const struct bond_request *request;
	struct bond_plan *plan;
	struct findings *findings;
	struct err *err;
};

/* Notes the refusal, and its message in err; port -1: of none. Returns -EPERM. */
int bond_refuse(struct bonding *b, enum bond_refusal refusal, int port, const char *fmt, ...) _printf_(4, 5);

/* "0000:29:00.0 (enp41s0f0np0)". Returns buf. */
#define BOND_PORT_TEXT_MAX 64
const char *bond_port_text(const struct bonding *b, int port, char buf[static BOND_PORT_TEXT_MAX]);

/* bond_meet.c: what is there already: the bond itself, its name, its addresses. Sets action and drift. */
int bond_meet(struct bonding *b) _must_check_;
/* bond_disturb.c: who would be disturbed: in-band traffic, who configures the members, controllers. */
int bond_disturb(struct bonding *b) _must_check_;
