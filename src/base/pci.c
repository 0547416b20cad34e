/* SPDX-License-Identifier: GPL-2.0-or-later */
/* PCI addresses: parsing, formatting, order. */
#include "base/pci.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* Reads digits hexadecimal digits exactly, lower or upper case. */
static int hex_digits(const char **at, unsigned digits, uint32_t *ret)
{
	uint32_t value = 0;

	for (unsigned i = 0; i < digits; i++) {
		char c = (*at)[i];

		if (c >= '0' && c <= '9')
			value = value << 4 | (uint32_t)(c - '0');
		else if (c >= 'a' && c <= 'f')
			value = value << 4 | (uint32_t)(c - 'a' + 10);
		else if (c >= 'A' && c <= 'F')
			value = value << 4 | (uint32_t)(c - 'A' + 10);
		else
			return -EINVAL;
	}
	*at += digits;
	*ret = value;
	return 0;
}

int pci_parse(const char *text, struct pci_addr *ret)
{
	uint32_t domain, bus, device;
	size_t digits = strcspn(text, ":");
	const char *at = text;

	if (digits < 4 || digits > 8 || hex_digits(&at, (unsigned)digits, &domain) < 0 || *at++ != ':')
		return -EINVAL;
	if (hex_digits(&at, 2, &bus) < 0 || *at++ != ':' || hex_digits(&at, 2, &device) < 0 || device > 31)
		return -EINVAL;
	if (at[0] != '.' || at[1] < '0' || at[1] > '7' || at[2] != '\0')
		return -EINVAL;
	*ret = (struct pci_addr){
		.domain = domain,
		.bus = (uint8_t)bus,
		.device = (uint8_t)device,
		.function = (uint8_t)(at[1] - '0'),
	};
	return 0;
}

const char *pci_format(const struct pci_addr *a, char buf[static PCI_TEXT_MAX])
{
	snprintf(buf, PCI_TEXT_MAX, "%04x:%02x:%02x.%x", (unsigned)a->domain, a->bus, a->device & 31U,
		 a->function & 7U);
	return buf;
}

int pci_compare(const struct pci_addr *a, const struct pci_addr *b)
{
	if (a->domain != b->domain)
		return a->domain < b->domain ? -1 : 1;
	if (a->bus != b->bus)
		return a->bus < b->bus ? -1 : 1;
	if (a->device != b->device)
		return a->device < b->device ? -1 : 1;
	return (a->function > b->function) - (a->function < b->function);
}

bool pci_same_card(const struct pci_addr *a, const struct pci_addr *b)
{
	return a->domain == b->domain && a->bus == b->bus && a->device == b->device;
}

int pci_of_link(const char *link, struct pci_addr *ret)
{
	int found = -ENOENT;

	for (const char *at = link; *at != '\0';) {
		size_t length = strcspn(at, "/");
		char component[PCI_TEXT_MAX];

		if (length > 0 && length < sizeof(component)) {
			struct pci_addr pci;

			memcpy(component, at, length);
			component[length] = '\0';
			if (pci_parse(component, &pci) == 0) {
				*ret = pci;
				found = 0;
			}
		}
		at += length;
		at += *at == '/';
	}
	return found;
}
