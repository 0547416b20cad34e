/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The offload: from what was read of the cards to modes and states, each with its evidence, and from what is
 * asked for to the requests for the cards' own software.
 */
#pragma once

#include "model/offload.h"
#include "policy/policy.h"

/* --- offload.c --- */

/* Mode, state and evidence of each card, and the state of all: the best of any card. */
void offload_judge(const struct topology *topo, const struct classification *classes,
		   struct offload *offload);

/* What was decided when no initiator can be running for this host: findings; and one line if "line" has room.
 */
void offload_advise(const struct offload *offload, struct findings *findings, char *line, size_t size);

/* "0000:29:00.0 (slot 2)". Returns buf. */
#define OFFLOAD_CARD_TEXT_MAX 48
const char *offload_card_text(const struct offload_card *card, char buf[static OFFLOAD_CARD_TEXT_MAX]);
/* Why this card's state is what it is, and what to do: half a sentence. NULL: it is active. */
const char *offload_card_advice(const struct offload_card *card);

/* Controllers of this host over rdma or tcp: *ret_count, and the first of them; NULL: none. */
const struct ctrl *offload_host_ctrl(const struct topology *topo, unsigned *ret_count);
bool offload_is_host_ctrl(const struct ctrl *ctrl);

/* The Arm side of a BlueField, by DMI: not the machine that this program is for. */
bool offload_is_arm_side(const struct dmi *dmi);

/* --- offload_plan.c --- */

/*
 * A path for each portal that was asked for, of each card that the source or the ports of the request name
 * (else one without a card), with its requests in order. XC_REFUSED: a source that is no storage port;
 * XC_USAGE, XC_ENVIRONMENT: a name that fits several ports, or none.
 */
int offload_plan(const struct topology *topo, const struct classification *classes,
		 const struct request *request, struct offload *offload, struct err *err) _must_check_;
