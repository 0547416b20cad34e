/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * JSON over json-c; the only file that includes it is json.c. Reading is strict: the
 * getters tell "not there" (-ENOENT) from "of another type" (-EINVAL), and json-c's
 * assertions on wrong types are never reached. Writing turns text that is no UTF-8 into
 * valid JSON (a byte that is not UTF-8 becomes U+FFFD), since names come from outside.
 *
 * A struct json returned by json_parse or json_*_new belongs to the caller (json_free);
 * one from a getter belongs to its parent; json_set and json_push take over what
 * they are given. Memory that runs out ends the program: it has no state to save then.
 */
#pragma once

#include <stdint.h>
#include <stdio.h>

#include "base/mem.h"

struct json; /* a json-c object */

/* Text of length bytes, one value, nothing after it. NULL with a reason in why. */
struct json *json_parse(const char *text, size_t length, const char **why);
void json_free(struct json *j);
static inline void json_freep(struct json **j)
{
	json_free(*j);
}
#define _cleanup_json_ _cleanup_(json_freep)

bool json_is_object(const struct json *j);
bool json_is_array(const struct json *j);
bool json_is_null(const struct json *j);

/* Members. Not there: NULL. */
struct json *json_get(const struct json *object, const char *key);
size_t json_length(const struct json *array); /* 0 for anything else */
struct json *json_at(const struct json *array, size_t i);

/* 0; -ENOENT: no such key, or null; -EINVAL: another type; -ERANGE / -ENAMETOOLONG: does not fit. */
int json_get_str(const struct json *object, const char *key, char *buf, size_t size) _must_check_;
int json_get_i64(const struct json *object, const char *key, int64_t min, int64_t max,
		 int64_t *ret) _must_check_;
int json_get_bool(const struct json *object, const char *key, bool *ret) _must_check_;
/* The text of a string value, NULL if it is none. Belongs to j. */
const char *json_text(const struct json *j);
/* The same of a boolean, as an array has them. 0 or -EINVAL. */
int json_truth(const struct json *j, bool *ret) _must_check_;

/* NULL, or the first key of the object that is not among the known ones (a NULL ends them). */
const char *json_unknown_key(const struct json *object, const char *const *known);

struct json *json_object_new(void);
struct json *json_array_new(void);
struct json *json_string_new(const char *text);
struct json *json_bool_new(bool value);
void json_set(struct json *object, const char *key, struct json *value);   /* value NULL: null */
void json_set_str(struct json *object, const char *key, const char *text); /* NULL: null */
void json_set_i64(struct json *object, const char *key, int64_t value);
void json_set_bool(struct json *object, const char *key, bool value);
void json_push(struct json *array, struct json *value);
void json_push_str(struct json *array, const char *text);
void json_push_i64(struct json *array, int64_t value);

/* Text on the heap, in one line that a newline ends. */
char *json_format(const struct json *j);

/*
 * Prints a value as people diff it, two blanks an indent, as part of a larger document: its first line goes
 * where out stands, the others are indented by "indent" more. No newline at the end. Errors stay in out
 * (ferror).
 */
void json_print(FILE *out, const struct json *j, unsigned indent);
