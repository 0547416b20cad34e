/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Errors: functions return 0 or -errno and fill one struct err, once, where the noun
 * is known. Nobody below main prints. "Not found", "not supported" and "differs" are
 * results, not errors.
 *
 * base/ and leaf functions that do not know the noun return -errno alone.
 */
#pragma once

#include "base/mem.h"

/* The exit statuses of the program. Never renumbered; the manual lists them. */
enum exit_class {
	XC_OK = 0,
	XC_FAILED = 1,
	XC_USAGE = 2,
	XC_REFUSED = 3,
	XC_PARTIAL = 4,
	XC_DRIFT = 5,
	XC_ENVIRONMENT = 6,
	XC_TIMEOUT = 7,
};
#define XC_COUNT 8

struct err {
	int code; /* -errno, 0: no error */
	enum exit_class exit;
	char object[256]; /* what it is about: a port, a portal, a file */
	char msg[1024];	  /* one line: what is wrong and what to do */
};

/* Fills err, unless it already holds an error (the first one is the cause). Returns code. */
int err_set(struct err *err, enum exit_class exit, int code, const char *object, const char *fmt, ...)
	_printf_(5, 6);

/* The word for an exit status in "result" and "errors.code": "ok", "failed", ... */
const char *exit_class_name(enum exit_class exit);
