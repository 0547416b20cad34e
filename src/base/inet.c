/* SPDX-License-Identifier: GPL-2.0-or-later */
/* IP addresses as values. */
#include "base/inet.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>

static size_t ip_length(const struct ip *ip)
{
	return ip->family == 4 ? 4 : ip->family == 6 ? 16 : 0;
}

int ip_parse(const char *text, struct ip *ret)
{
	char address[INET6_ADDRSTRLEN];
	size_t length = strcspn(text, "%");
	struct ip ip = { 0 };

	if (length >= sizeof(address))
		return -EINVAL;
	memcpy(address, text, length);
	address[length] = '\0';
	if (inet_pton(AF_INET, address, ip.bytes) == 1)
		ip.family = 4;
	else if (inet_pton(AF_INET6, address, ip.bytes) == 1)
		ip.family = 6;
	else
		return -EINVAL;
	if (text[length] == '%') {
		const char *scope = text + length + 1;

		if (!ip_is_linklocal6(&ip) || scope[0] == '\0' || strpbrk(scope, "%/, \t\n") ||
		    str_copy(ip.scope, sizeof(ip.scope), scope) < 0)
			return -EINVAL;
	}
	*ret = ip;
	return 0;
}

const char *ip_format(const struct ip *ip, char buf[static IP_TEXT_MAX])
{
	buf[0] = '\0';
	if (ip->family == 0)
		return buf;
	inet_ntop(ip->family == 4 ? AF_INET : AF_INET6, ip->bytes, buf, IP_TEXT_MAX);
	if (ip->scope[0] != '\0')
		str_append(buf, IP_TEXT_MAX, "%%%s", ip->scope);
	return buf;
}

bool ip_equal(const struct ip *a, const struct ip *b)
{
	return a->family == b->family && memcmp(a->bytes, b->bytes, ip_length(a)) == 0 &&
	       (a->scope[0] == '\0' || b->scope[0] == '\0' || strcmp(a->scope, b->scope) == 0);
}

int ip_compare(const struct ip *a, const struct ip *b)
{
	int order;

	if (a->family != b->family)
		return a->family < b->family ? -1 : 1;
	order = memcmp(a->bytes, b->bytes, ip_length(a));
	return order ? order : strcmp(a->scope, b->scope);
}

bool ip_same_subnet(const struct ip *a, const struct ip *b, unsigned prefixlen)
{
	unsigned whole = prefixlen / 8, rest = prefixlen % 8;
	uint8_t mask = (uint8_t)(0xff00U >> rest);

	if (a->family != b->family || prefixlen > ip_length(a) * 8)
		return false;
	if (a->scope[0] != '\0' && b->scope[0] != '\0' && strcmp(a->scope, b->scope) != 0)
		return false;
	if (memcmp(a->bytes, b->bytes, whole) != 0)
		return false;
	return rest == 0 || (a->bytes[whole] & mask) == (b->bytes[whole] & mask);
}

bool ip_is_linklocal6(const struct ip *ip)
{
	return ip->family == 6 && ip->bytes[0] == 0xfe && (ip->bytes[1] & 0xc0) == 0x80;
}

bool ip_is_special(const struct ip *ip)
{
	static const uint8_t zero[16];

	if (ip->family == 4)
		return ip->bytes[0] == 0 || ip->bytes[0] == 127 || ip->bytes[0] >= 224;
	if (ip->family != 6 || ip->bytes[0] == 0xff)
		return true;
	/* ::, ::1, and IPv4 in IPv6 clothes, which no port holds */
	return memcmp(ip->bytes, zero, 15) == 0
		       ? ip->bytes[15] <= 1
		       : memcmp(ip->bytes, zero, 10) == 0 && ip->bytes[10] == 0xff && ip->bytes[11] == 0xff;
}

int ip_from_sockaddr(const struct sockaddr *sa, struct ip *ret, uint16_t *ret_port)
{
	struct ip ip = { 0 };
	uint16_t port;

	if (sa->sa_family == AF_INET) {
		struct sockaddr_in in;

		memcpy(&in, sa, sizeof(in));
		ip.family = 4;
		memcpy(ip.bytes, &in.sin_addr, 4);
		port = ntohs(in.sin_port);
	} else if (sa->sa_family == AF_INET6) {
		struct sockaddr_in6 in6;

		memcpy(&in6, sa, sizeof(in6));
		ip.family = 6;
		memcpy(ip.bytes, &in6.sin6_addr, 16);
		port = ntohs(in6.sin6_port);
	} else {
		return -EINVAL;
	}
	*ret = ip;
	if (ret_port)
		*ret_port = port;
	return 0;
}

int ip_to_sockaddr(const struct ip *ip, uint16_t port, struct sockaddr_storage *ret)
{
	struct sockaddr_storage ss = { 0 };

	if (ip->family == 4) {
		struct sockaddr_in in = { .sin_family = AF_INET, .sin_port = htons(port) };

		memcpy(&in.sin_addr, ip->bytes, 4);
		memcpy(&ss, &in, sizeof(in));
	} else if (ip->family == 6) {
		struct sockaddr_in6 in6 = { .sin6_family = AF_INET6, .sin6_port = htons(port) };

		memcpy(&in6.sin6_addr, ip->bytes, 16);
		if (ip->scope[0] != '\0') {
			in6.sin6_scope_id = if_nametoindex(ip->scope);
			if (in6.sin6_scope_id == 0)
				return -ENODEV;
		}
		memcpy(&ss, &in6, sizeof(in6));
	} else {
		return -EINVAL;
	}
	*ret = ss;
	return 0;
}

int ip_from_bytes(const void *bytes, size_t length, struct ip *ret)
{
	struct ip ip = { .family = length == 4 ? 4 : 6 };

	if (length != 4 && length != 16)
		return -EINVAL;
	memcpy(ip.bytes, bytes, length);
	*ret = ip;
	return 0;
}
