/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Why a connect failed, in words. */
#pragma once

#include "base/err.h"
#include "model/step.h"

/* Room for "[address]:service" */
#define PORTAL_TEXT_MAX (IP_TEXT_MAX + 40)
const char *fx_nvme_portal(const struct ctrl_id *id, char buf[static PORTAL_TEXT_MAX]);

/*
 * Fills err for a connect that failed with code (-errno) and reason; lines: what the kernel logged (NULL:
 * unreadable). One line each: what is wrong and what to do. Returns code.
 */
int fx_nvme_explain(const struct step *step, int code, enum path_reason reason, const char *lines,
		    struct err *err);
