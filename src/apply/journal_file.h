/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The journal's directory and file: opened without following links, checked, read. */
#pragma once

#include "base/root.h"
#include "model/journal_rec.h"

/* Room for the path in messages. */
#define JOURNAL_PATH_MAX 320
const char *journal_path(const struct root *root, char buf[static JOURNAL_PATH_MAX]);

/* Descriptor of the directory (made if it is not there, checked), or -errno with err. */
int journal_dir_open(const struct root *root, struct err *err) _must_check_;

/* Takes the lock of the directory. -ETIME after wait_s seconds, -EINTR. */
int journal_dir_lock(const struct root *root, int dir, int wait_s, struct err *err) _must_check_;

/*
 * The file in dir, for reading and appending, checked. Descriptor, -ENOENT without a message, or -errno with
 * err.
 */
int journal_file_open(const struct root *root, int dir, struct err *err) _must_check_;
/* The same, made anew, empty. */
int journal_file_create(const struct root *root, int dir, struct err *err) _must_check_;

/*
 * Reads and parses the file. What an earlier boot left is not in ret (other_boot). boot_id gets the file's;
 * "" for an empty one. *ret_whole: the length of its complete lines.
 */
int journal_file_read(const struct root *root, int fd, struct journal_data *ret, char boot_id[],
		      size_t *ret_whole, struct err *err) _must_check_;

/* The boot id of the root, "" if it has none (a tree). */
int journal_boot_id(const struct root *root, char ret[], struct err *err) _must_check_;
