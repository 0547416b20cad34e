/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The journal's text: from lines to records and back, without any file. Reading is strict: what this version
 * does not know it does not guess, since it would undo by it.
 */
#pragma once

#include "base/err.h"
#include "base/parse.h"
#include "model/journal_rec.h"

#define JOURNAL_SIZE_MAX (64UL << 20)

/*
 * Reads text into ret->rec, records, last_run, unfinished and torn. boot_id gets the head's ("" without a
 * head: an empty file, or one that was cut within it); *ret_whole is the length of all complete lines. 0; or
 * -EBADMSG with a reason in why, which names the line; then ret is left empty.
 */
int journal_parse(const char *text, size_t length, struct journal_data *ret, char boot_id[static UUID_SIZE],
		  size_t *ret_whole, char *why, size_t size) _must_check_;

/* One more record, of this or the next run. Returns NULL, or what is wrong; then data is as it was. */
const char *journal_add(struct journal_data *data, const struct journal_rec *rec);

/* One line each, with its newline, on the heap. */
char *journal_format_head(const char *boot_id);
char *journal_format_begin(unsigned run, const char *command, int argc, char *const argv[], int pid);
char *journal_format_end(unsigned run, enum exit_class result);
/* NULL if the line would not be read back as the same record. */
char *journal_format_step(const struct journal_rec *rec);
