/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What connect is asked for, from the command line and the config file; the command line wins. */
#pragma once

#include "cmd/options.h"
#include "facts/facts.h"

/* What holds without an option or a config file. */
void request_defaults(struct request *ret);

/*
 * Puts the command line over what request holds, which facts_read_config has filled from the config file over
 * request_defaults. XC_USAGE with the option's name for a bad value, and if there is no target at all.
 */
int request_make(const struct options *options, struct request *request, struct err *err) _must_check_;
