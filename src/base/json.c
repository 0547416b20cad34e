/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The only user of json-c. */
#include "base/json.h"

#include <errno.h>
#include <json-c/json.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/parse.h"

#define DEPTH_MAX 32

/* struct json is json-c's object under a name of ours, so that its headers stay in this file. */
static struct json_object *inner(const struct json *j)
{
	union {
		const struct json *in;
		struct json_object *out;
	} cast = { .in = j };

	return cast.out;
}

static struct json *outer(struct json_object *o)
{
	return (struct json *)o;
}

static struct json_object *or_die(struct json_object *o)
{
	if (!o)
		abort(); /* out of memory */
	return o;
}

struct json *json_parse(const char *text, size_t length, const char **why)
{
	struct json_tokener *tokener;
	struct json_object *o;
	enum json_tokener_error error;

	*why = "";
	if (length > INT_MAX) {
		*why = "too large";
		return NULL;
	}
	tokener = json_tokener_new_ex(DEPTH_MAX);
	if (!tokener)
		abort();
	json_tokener_set_flags(tokener, JSON_TOKENER_STRICT | JSON_TOKENER_VALIDATE_UTF8);
	o = json_tokener_parse_ex(tokener, text, (int)length);
	error = json_tokener_get_error(tokener);
	/* A bare number at the end is complete only when the tokener sees an end. */
	if (error == json_tokener_continue) {
		o = json_tokener_parse_ex(tokener, "", 1);
		error = json_tokener_get_error(tokener);
	} else if (error == json_tokener_success) {
		size_t end = json_tokener_get_parse_end(tokener);

		while (end < length && strchr(" \t\r\n", text[end]) && text[end] != '\0')
			end++;
		if (end < length) {
			*why = "text after the value";
			json_object_put(o);
			o = NULL;
		}
	}
	if (error != json_tokener_success) {
		*why = json_tokener_error_desc(error);
		json_object_put(o);
		o = NULL;
	} else if (!o && **why == '\0') {
		*why = "null"; /* the value null: nothing that any of our formats allows */
	}
	json_tokener_free(tokener);
	return outer(o);
}

void json_free(struct json *j)
{
	json_object_put(inner(j));
}

bool json_is_object(const struct json *j)
{
	return json_object_is_type(inner(j), json_type_object);
}

bool json_is_array(const struct json *j)
{
	return json_object_is_type(inner(j), json_type_array);
}

bool json_is_null(const struct json *j)
{
	return j == NULL;
}

static bool is_string(const struct json *j)
{
	return json_object_is_type(inner(j), json_type_string);
}

struct json *json_get(const struct json *object, const char *key)
{
	struct json_object *member = NULL;

	if (!json_is_object(object))
		return NULL;
	json_object_object_get_ex(inner(object), key, &member);
	return outer(member);
}

size_t json_length(const struct json *array)
{
	return json_is_array(array) ? json_object_array_length(inner(array)) : 0;
}

struct json *json_at(const struct json *array, size_t i)
{
	return i < json_length(array) ? outer(json_object_array_get_idx(inner(array), i)) : NULL;
}

const char *json_text(const struct json *j)
{
	const char *text;

	if (!is_string(j))
		return NULL;
	text = json_object_get_string(inner(j));
	/* A string with a NUL in it is not what it looks like. */
	return strlen(text) == (size_t)json_object_get_string_len(inner(j)) ? text : NULL;
}

int json_get_str(const struct json *object, const char *key, char *buf, size_t size)
{
	const struct json *member = json_get(object, key);
	const char *text = json_text(member);

	if (!member)
		return -ENOENT;
	return text ? str_copy(buf, size, text) : -EINVAL;
}

int json_get_i64(const struct json *object, const char *key, int64_t min, int64_t max, int64_t *ret)
{
	const struct json *member = json_get(object, key);
	int64_t value;

	if (!member)
		return -ENOENT;
	if (!json_object_is_type(inner(member), json_type_int))
		return -EINVAL;
	value = json_object_get_int64(inner(member)); /* clamps what is larger */
	if (value < min || value > max)
		return -ERANGE;
	*ret = value;
	return 0;
}

int json_truth(const struct json *j, bool *ret)
{
	if (!json_object_is_type(inner(j), json_type_boolean))
		return -EINVAL;
	*ret = json_object_get_boolean(inner(j));
	return 0;
}

int json_get_bool(const struct json *object, const char *key, bool *ret)
{
	const struct json *member = json_get(object, key);

	return member ? json_truth(member, ret) : -ENOENT;
}

const char *json_unknown_key(const struct json *object, const char *const *known)
{
	struct json_object_iterator at, end;

	if (!json_is_object(object))
		return NULL;
	at = json_object_iter_begin(inner(object));
	end = json_object_iter_end(inner(object));
	for (; !json_object_iter_equal(&at, &end); json_object_iter_next(&at)) {
		const char *key = json_object_iter_peek_name(&at);
		const char *const *k = known;

		while (*k && strcmp(*k, key) != 0)
			k++;
		if (!*k)
			return key;
	}
	return NULL;
}

struct json *json_object_new(void)
{
	return outer(or_die(json_object_new_object()));
}

struct json *json_array_new(void)
{
	return outer(or_die(json_object_new_array()));
}

void json_set(struct json *object, const char *key, struct json *value)
{
	if (json_object_object_add(inner(object), key, inner(value)) < 0)
		abort();
}

static struct json_object *new_string(const char *text)
{
	char *clean = malloc(strlen(text) * 3 + 1), *to = clean;
	struct json_object *o;

	if (!clean)
		abort();
	while (*text != '\0') {
		size_t length = parse_utf8_length(text);

		if (length == 0) {
			to = stpcpy(to, "\xef\xbf\xbd"); /* U+FFFD */
			text++;
			continue;
		}
		memcpy(to, text, length);
		to += length;
		text += length;
	}
	*to = '\0';
	o = or_die(json_object_new_string(clean));
	free(clean);
	return o;
}

struct json *json_string_new(const char *text)
{
	return outer(new_string(text));
}

struct json *json_bool_new(bool value)
{
	return outer(or_die(json_object_new_boolean(value)));
}

void json_set_str(struct json *object, const char *key, const char *text)
{
	json_set(object, key, text ? json_string_new(text) : NULL);
}

void json_set_i64(struct json *object, const char *key, int64_t value)
{
	json_set(object, key, outer(or_die(json_object_new_int64(value))));
}

void json_set_bool(struct json *object, const char *key, bool value)
{
	json_set(object, key, json_bool_new(value));
}

void json_push(struct json *array, struct json *value)
{
	if (json_object_array_add(inner(array), inner(value)) < 0)
		abort();
}

void json_push_str(struct json *array, const char *text)
{
	json_push(array, json_string_new(text));
}

void json_push_i64(struct json *array, int64_t value)
{
	json_push(array, outer(or_die(json_object_new_int64(value))));
}

char *json_format(const struct json *j)
{
	const char *text = json_object_to_json_string_ext(inner(j), JSON_C_TO_STRING_NOSLASHESCAPE);
	char *ret;

	if (!text || asprintf(&ret, "%s\n", text) < 0)
		abort();
	return ret;
}

void json_print(FILE *out, const struct json *j, unsigned indent)
{
	const char *text = json_object_to_json_string_ext(
		inner(j), JSON_C_TO_STRING_NOSLASHESCAPE | JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_SPACED);

	if (!text)
		abort();
	for (;;) {
		const char *end = strchr(text, '\n'); /* within strings they are escaped */

		if (!end)
			break;
		fwrite(text, 1, (size_t)(end - text) + 1, out);
		fprintf(out, "%*s", (int)indent, "");
		text = end + 1;
	}
	fputs(text, out);
}
