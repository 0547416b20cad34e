/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * IP addresses as values. Addresses are compared by value and written in one canonical
 * form, since the kernel compares the strings it was given (fabrics.c
 * nvmf_ip_options_match) and would take two spellings for two targets.
 */
#pragma once

#include <net/if.h>
#include <stdint.h>
#include <sys/socket.h>

#include "base/mem.h"

struct ip {
	uint8_t family; /* 4, 6; 0: none */
	uint8_t bytes[16];
	char scope[IFNAMSIZ]; /* interface of a link-local IPv6 address, else empty */
};

#define IP_TEXT_MAX 64

/* Parses a numeric address, "fe80::1%ens1" included. 0, or -EINVAL (also for a host name). */
int ip_parse(const char *text, struct ip *ret) _must_check_;

/* Canonical text, with "%scope" where there is one. Returns buf. */
const char *ip_format(const struct ip *ip, char buf[static IP_TEXT_MAX]);

/* Equal address; a scope counts only if both have one. */
bool ip_equal(const struct ip *a, const struct ip *b);
int ip_compare(const struct ip *a, const struct ip *b);

/* True if both are of one family and the first prefixlen bits are equal. */
bool ip_same_subnet(const struct ip *a, const struct ip *b, unsigned prefixlen);

bool ip_is_linklocal6(const struct ip *ip);
/* Loopback, multicast, any, broadcast: never a source or a portal. */
bool ip_is_special(const struct ip *ip);

/* From and to the kernel's form. ip_to_sockaddr: scope by if_nametoindex; 0 or -ENODEV. */
int ip_from_sockaddr(const struct sockaddr *sa, struct ip *ret, uint16_t *ret_port) _must_check_;
int ip_to_sockaddr(const struct ip *ip, uint16_t port, struct sockaddr_storage *ret) _must_check_;
/* From 4 or 16 bytes in network order. 0 or -EINVAL. */
int ip_from_bytes(const void *bytes, size_t length, struct ip *ret) _must_check_;
