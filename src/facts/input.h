/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Input files of the admin, strictly: every key known, every type right, every value in its range. An error
 * names the file and the place in it, and is a usage error:
 *
 *	/etc/nvme-partition/config.json: targets[1].traddr[0]: "store1" is a host name; give its address
 *
 * A key whose value is null counts as not written. A key that is written twice cannot be told: json-c keeps
 *the last one.
 */
#pragma once

#include "base/json.h"
#include "base/root.h"

struct input {
	char name[512]; /* for messages */
	struct err *err;
};

/*
 * Reads and parses a file that must be trusted (root_read_trusted). named: the user gave this path. It is one
 * of this machine if the root is live, relative to the working directory if it has no leading slash; in a
 * tree it is one below the tree. *ret belongs to the caller. 0; -ENOENT without a message if the file is not
 * there; else -errno with in->err filled.
 */
int input_read(struct input *in, const struct root *root, const char *path, bool named,
	       struct json **ret) _must_check_;

/* The place of a member of "where", or of an element of it. Returns buf. */
#define INPUT_WHERE_MAX 128
const char *input_member(char buf[static INPUT_WHERE_MAX], const char *where, const char *key);
const char *input_element(char buf[static INPUT_WHERE_MAX], const char *where, size_t index);

/* An error at a place ("" is the whole file). Returns -EINVAL. */
int input_bad(const struct input *in, const char *where, const char *fmt, ...) _printf_(3, 4);

/* Text of the file in a message: short, and nothing in it that would break the line. Returns buf. */
#define INPUT_QUOTE_MAX 80
const char *input_quote(char buf[static INPUT_QUOTE_MAX], const char *text);

/* 0, or -EINVAL: not an object, or with a key that is not among the known ones (a NULL ends them). */
int input_keys(const struct input *in, const char *where, const struct json *object,
	       const char *const *known) _must_check_;

/* Members of an object: 1 there, 0 not there (*ret untouched), -EINVAL. */
int input_text(const struct input *in, const char *where, const struct json *object, const char *key,
	       char *buf, size_t size) _must_check_;
int input_number(const struct input *in, const char *where, const struct json *object, const char *key,
		 int64_t min, int64_t max, int *ret) _must_check_;
/* One of the words (a NULL ends them), as its index. */
int input_word(const struct input *in, const char *where, const struct json *object, const char *key,
	       const char *const *words, unsigned *ret) _must_check_;
int input_array(const struct input *in, const char *where, const struct json *object, const char *key,
		const struct json **ret) _must_check_;

/* An element that is a text without control characters. 0 or -EINVAL. */
int input_element_text(const struct input *in, const char *where, const struct json *element, char *buf,
		       size_t size) _must_check_;
