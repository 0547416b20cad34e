/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the readers of sysfs and procfs share: names of entries, and the three ways in which
 * reading goes wrong: one file (a finding, the value stays unknown), a whole directory,
 * and a capacity of struct topology (both an error).
 */
#pragma once

#include "base/err.h"
#include "model/finding.h"

/* "node12" with prefix "node" is 12. False for anything else, also with a leading zero. */
bool sysfs_numbered(const char *name, const char *prefix, unsigned *ret);

/* A name that is one component of a path: names also come from dumps, where they can be anything. */
bool sysfs_is_name(const char *name);

/* Adds the finding "facts.readable", unknown: this file (a path without its leading slash), because of code.
 */
void sysfs_unreadable(struct findings *findings, const char *object, int code, const char *fmt, ...)
	_printf_(4, 5);

/* XC_ENVIRONMENT: the directory or file cannot be read at all. Returns code. */
int sysfs_failed(struct err *err, int code, const char *path);

/* XC_ENVIRONMENT: there are more than max of them. Returns -E2BIG. */
int sysfs_full(struct err *err, const char *what, unsigned max);
