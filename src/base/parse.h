/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Strict parsing of what comes from outside: numbers, NQNs, host identities. Nothing
 * here accepts leading blanks, signs, trailing text or values out of range.
 */
#pragma once

#include <stdint.h>

#include "base/mem.h"

#define NQN_LENGTH_MAX 223 /* NVMe Base Specification, NVMe Qualified Names */
#define NQN_SIZE (NQN_LENGTH_MAX + 1)
#define NQN_DISCOVERY "nqn.2014-08.org.nvmexpress.discovery" /* of every discovery controller */
#define UUID_SIZE 37
#define SVCID_SIZE 6 /* a port number */

/* A decimal number up to max. 0, -EINVAL or -ERANGE. */
int parse_u64(const char *text, uint64_t max, uint64_t *ret) _must_check_;

/* A decimal number, perhaps negative, within [min, max]. 0, -EINVAL or -ERANGE. */
int parse_i64(const char *text, int64_t min, int64_t max, int64_t *ret) _must_check_;

/* Hexadecimal, with or without 0x, at most max. */
int parse_hex(const char *text, uint64_t max, uint64_t *ret) _must_check_;

/*
 * What goes into the option string of /dev/nvme-fabrics may not hold a comma (it separates
 * options), a blank or a control character. True if text is not empty and holds none.
 */
bool parse_is_option_safe(const char *text);

/* Bytes of the UTF-8 sequence that text begins with; 0 if it is none, as overlong forms and surrogates. */
size_t parse_utf8_length(const char *text);

/* 0; -ENAMETOOLONG (over 223 bytes); -EINVAL (not "nqn.", unsafe characters, or no UTF-8). */
int parse_nqn(const char *text) _must_check_;

/* "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx", written in lower case to ret. 0 or -EINVAL. */
int parse_uuid(const char *text, char ret[static UUID_SIZE]) _must_check_;

/* The UUID in "nqn.2014-08.org.nvmexpress:uuid:UUID". 0 or -ENOENT. */
int parse_nqn_uuid(const char *nqn, char ret[static UUID_SIZE]) _must_check_;

/* A port number 1..65535 in decimal. 0 or -EINVAL. */
int parse_svcid(const char *text, char ret[static SVCID_SIZE]) _must_check_;
