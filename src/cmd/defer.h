/* SPDX-License-Identifier: GPL-2.0-or-later */
/* connect where the initiator is on BlueField-3 cards: what the host says, and that it does nothing. */
#pragma once

#include "cmd/session.h"
#include "facts/facts.h"

/*
 * After session_identify: whether connect is deferred (s->result.deferred), by platform, config and options;
 * that the host was forced to be the initiator is a finding. XC_USAGE, XC_ENVIRONMENT: --require-offload
 * where there is none.
 */
int defer_decide(struct session *s, const struct options *options, const struct config *config,
		 struct err *err) _must_check_;

/*
 * Reads all, and fills s->result.offload with what is seen and the plan. Changes nothing and needs no root.
 * XC_REFUSED: this host has rdma or tcp controllers; XC_ENVIRONMENT: --require-offload, and it is not active.
 */
int defer_connect(struct session *s, const struct options *options, struct request *request,
		  struct err *err) _must_check_;
