/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Strict reading of the admin's JSON files. */
#include "facts/input.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* A path as the user wrote it, as one below the root. */
static int below_root(const struct root *root, const char *path, char *buf, size_t size)
{
	size_t length = 0;
	int n;

	if (root->live && path[0] != '/') {
		if (!getcwd(buf, size))
			return -errno;
		if (buf[0] != '/') /* "(unreachable)", getcwd(3) */
			return -ENOENT;
		length = strlen(buf);
	}
	n = snprintf(buf + length, size - length, "/%s", path);
	if (n < 0 || (size_t)n >= size - length)
		return -ENAMETOOLONG;
	length = strspn(buf, "/");
	memmove(buf, buf + length, strlen(buf + length) + 1);
	return buf[0] == '\0' ? -EISDIR : 0;
}

int input_read(struct input *in, const struct root *root, const char *path, bool named, struct json **ret)
{
	_cleanup_free_ char *text = NULL;
	char below[PATH_MAX];
	const char *why;
	ssize_t length;
	int r;

	str_format(in->name, sizeof(in->name), "%s", path);
	r = named ? below_root(root, path, below, sizeof(below)) : str_copy(below, sizeof(below), path);
	if (r < 0)
		return input_bad(in, "", "%s", strerror(-r));
	str_format(in->name, sizeof(in->name), "%s/%s", root->path, below);
	length = root_read_trusted(root, below, &text, in->err);
	if (length < 0)
		return (int)length;
	*ret = json_parse(text, (size_t)length, &why);
	return *ret ? 0 : input_bad(in, "", "is not JSON: %s", why);
}

const char *input_member(char buf[static INPUT_WHERE_MAX], const char *where, const char *key)
{
	str_format(buf, INPUT_WHERE_MAX, "%s%s%s", where, where[0] == '\0' ? "" : ".", key);
	return buf;
}

const char *input_element(char buf[static INPUT_WHERE_MAX], const char *where, size_t index)
{
	str_format(buf, INPUT_WHERE_MAX, "%s[%zu]", where, index);
	return buf;
}

int input_bad(const struct input *in, const char *where, const char *fmt, ...)
{
	char what[512];
	va_list args;

	va_start(args, fmt);
	(void)vsnprintf(what, sizeof(what), fmt, args);
	va_end(args);
	return err_set(in->err, XC_USAGE, -EINVAL, in->name, "%s: %s%s%s", in->name, where,
		       where[0] == '\0' ? "" : ": ", what);
}

const char *input_quote(char buf[static INPUT_QUOTE_MAX], const char *text)
{
	str_format(buf, INPUT_QUOTE_MAX, "%s", text);
	for (char *at = buf; *at != '\0'; at++) {
		if ((unsigned char)*at < ' ' || *at == 0x7f)
			*at = '?';
	}
	return buf;
}

int input_keys(const struct input *in, const char *where, const struct json *object, const char *const *known)
{
	char quoted[INPUT_QUOTE_MAX], names[256] = "";
	const char *key;

	if (!json_is_object(object))
		return input_bad(in, where, "must be an object");
	key = json_unknown_key(object, known);
	if (!key)
		return 0;
	for (const char *const *k = known; *k; k++)
		str_append(names, sizeof(names), "%s%s", k == known ? "" : ", ", *k);
	return input_bad(in, where, "\"%s\" is no key here; known are %s", input_quote(quoted, key), names);
}

int input_element_text(const struct input *in, const char *where, const struct json *element, char *buf,
		       size_t size)
{
	const char *text = json_text(element);

	if (!text)
		return input_bad(in, where, "must be a string");
	for (const char *at = text; *at != '\0'; at++) {
		if ((unsigned char)*at < ' ' || *at == 0x7f)
			return input_bad(in, where, "must not hold control characters");
	}
	if (text[0] == '\0')
		return input_bad(in, where, "must not be empty");
	if (str_copy(buf, size, text) < 0)
		return input_bad(in, where, "must have at most %zu bytes", size - 1);
	return 0;
}

int input_text(const struct input *in, const char *where, const struct json *object, const char *key,
	       char *buf, size_t size)
{
	const struct json *member = json_get(object, key);
	char at[INPUT_WHERE_MAX];
	int r;

	if (json_is_null(member))
		return 0;
	r = input_element_text(in, input_member(at, where, key), member, buf, size);
	return r < 0 ? r : 1;
}

int input_number(const struct input *in, const char *where, const struct json *object, const char *key,
		 int64_t min, int64_t max, int *ret)
{
	char at[INPUT_WHERE_MAX];
	int64_t value;
	int r = json_get_i64(object, key, min, max, &value);

	input_member(at, where, key);
	if (r == -ENOENT)
		return 0;
	if (r == -EINVAL)
		return input_bad(in, at, "must be a whole number");
	if (r < 0)
		return input_bad(in, at, "must be between %lld and %lld", (long long)min, (long long)max);
	*ret = (int)value;
	return 1;
}

int input_word(const struct input *in, const char *where, const struct json *object, const char *key,
	       const char *const *words, unsigned *ret)
{
	char at[INPUT_WHERE_MAX], text[64], quoted[INPUT_QUOTE_MAX], names[256] = "";
	int r = input_text(in, where, object, key, text, sizeof(text));

	if (r <= 0)
		return r;
	for (unsigned i = 0; words[i]; i++) {
		if (strcmp(words[i], text) == 0) {
			*ret = i;
			return 1;
		}
		str_append(names, sizeof(names), "%s%s", i == 0 ? "" : ", ", words[i]);
	}
	return input_bad(in, input_member(at, where, key), "\"%s\" is none of %s", input_quote(quoted, text),
			 names);
}

int input_array(const struct input *in, const char *where, const struct json *object, const char *key,
		const struct json **ret)
{
	const struct json *member = json_get(object, key);
	char at[INPUT_WHERE_MAX];

	if (json_is_null(member))
		return 0;
	if (!json_is_array(member))
		return input_bad(in, input_member(at, where, key), "must be an array");
	*ret = member;
	return 1;
}
