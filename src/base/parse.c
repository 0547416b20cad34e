/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Strict parsing of numbers and NVMe names. */
#include "base/parse.h"

#include <errno.h>
#include <string.h>

int parse_u64(const char *text, uint64_t max, uint64_t *ret)
{
	uint64_t value = 0;

	if (*text == '\0')
		return -EINVAL;
	for (const char *at = text; *at != '\0'; at++) {
		unsigned digit = (unsigned)(*at - '0');

		if (*at < '0' || *at > '9')
			return -EINVAL;
		if (value > (UINT64_MAX - digit) / 10)
			return -ERANGE;
		value = value * 10 + digit;
	}
	if (value > max)
		return -ERANGE;
	*ret = value;
	return 0;
}

int parse_i64(const char *text, int64_t min, int64_t max, int64_t *ret)
{
	bool negative = *text == '-';
	uint64_t magnitude;
	int64_t value;
	int r = parse_u64(text + negative, INT64_MAX, &magnitude);

	if (r < 0)
		return r;
	value = negative ? -(int64_t)magnitude : (int64_t)magnitude;
	if (value < min || value > max)
		return -ERANGE;
	*ret = value;
	return 0;
}

int parse_hex(const char *text, uint64_t max, uint64_t *ret)
{
	uint64_t value = 0;

	if (text[0] == '0' && (text[1] == 'x' || text[1] == 'X'))
		text += 2;
	if (*text == '\0')
		return -EINVAL;
	for (; *text != '\0'; text++) {
		unsigned digit;

		if (*text >= '0' && *text <= '9')
			digit = (unsigned)(*text - '0');
		else if (*text >= 'a' && *text <= 'f')
			digit = (unsigned)(*text - 'a') + 10;
		else if (*text >= 'A' && *text <= 'F')
			digit = (unsigned)(*text - 'A') + 10;
		else
			return -EINVAL;
		if (value >> 60)
			return -ERANGE;
		value = value << 4 | digit;
	}
	if (value > max)
		return -ERANGE;
	*ret = value;
	return 0;
}

bool parse_is_option_safe(const char *text)
{
	if (*text == '\0')
		return false;
	for (const unsigned char *at = (const unsigned char *)text; *at != '\0'; at++) {
		if (*at <= ' ' || *at == 0x7f || *at == ',')
			return false;
	}
	return true;
}

size_t parse_utf8_length(const char *text)
{
	const unsigned char *s = (const unsigned char *)text;
	size_t length;
	uint32_t point;

	if (s[0] == '\0')
		return 0;
	if (s[0] < 0x80)
		return 1;
	if (s[0] >= 0xc2 && s[0] <= 0xdf)
		length = 2;
	else if (s[0] >= 0xe0 && s[0] <= 0xef)
		length = 3;
	else if (s[0] >= 0xf0 && s[0] <= 0xf4)
		length = 4;
	else
		return 0;
	point = s[0] & (0xffU >> (length + 1));
	for (size_t i = 1; i < length; i++) {
		if ((s[i] & 0xc0) != 0x80)
			return 0;
		point = point << 6 | (s[i] & 0x3fU);
	}
	if ((length == 3 && (point < 0x800 || (point >= 0xd800 && point <= 0xdfff))) ||
	    (length == 4 && (point < 0x10000 || point > 0x10ffff)))
		return 0;
	return length;
}

/* NQNs are UTF-8 (NVMe Base Specification); JSON, and so the journal, can hold nothing else. */
static bool is_utf8(const char *text)
{
	while (*text != '\0') {
		size_t length = parse_utf8_length(text);

		if (length == 0)
			return false;
		text += length;
	}
	return true;
}

int parse_nqn(const char *text)
{
	if (strlen(text) > NQN_LENGTH_MAX)
		return -ENAMETOOLONG;
	return str_starts(text, "nqn.") && text[4] != '\0' && parse_is_option_safe(text) && is_utf8(text)
		       ? 0
		       : -EINVAL;
}

int parse_uuid(const char *text, char ret[static UUID_SIZE])
{
	char uuid[UUID_SIZE];

	if (strlen(text) != UUID_SIZE - 1)
		return -EINVAL;
	for (size_t i = 0; i < UUID_SIZE - 1; i++) {
		bool dash = i == 8 || i == 13 || i == 18 || i == 23;
		char c = text[i];

		if (c >= 'A' && c <= 'F')
			c = (char)(c - 'A' + 'a');
		if (dash ? c != '-' : !((c >= '0' && c <= '9') || (c >= 'a' && c <= 'f')))
			return -EINVAL;
		uuid[i] = c;
	}
	uuid[UUID_SIZE - 1] = '\0';
	memcpy(ret, uuid, UUID_SIZE);
	return 0;
}

int parse_nqn_uuid(const char *nqn, char ret[static UUID_SIZE])
{
	static const char prefix[] = "nqn.2014-08.org.nvmexpress:uuid:";

	if (!str_starts(nqn, prefix) || parse_uuid(nqn + sizeof(prefix) - 1, ret) < 0)
		return -ENOENT;
	return 0;
}

int parse_svcid(const char *text, char ret[static SVCID_SIZE])
{
	uint64_t port;

	/* No leading zero: the kernel compares service ids as text. */
	if (parse_u64(text, 65535, &port) < 0 || port == 0 || text[0] == '0')
		return -EINVAL;
	return str_copy(ret, SVCID_SIZE, text) < 0 ? -EINVAL : 0;
}
