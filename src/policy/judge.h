/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What connect and show give as advice and verify checks, said in the same words, so that it stays one
 * finding where both speak. whole: a pass, an unknown or a skip is said too.
 */
#pragma once

#include "policy/policy.h"

/* affinity.rq_affinity */
void judge_rq_affinity(const struct topology *topo, bool whole, struct findings *findings);
/* paths.iopolicy */
void judge_iopolicy(const struct topology *topo, const struct plan *plan, bool whole,
		    struct findings *findings);
