/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * PCI addresses. A port's identity is its PCI address, with its whole domain: machines
 * with domains other than 0000 exist, some of more than 16 bits (VMD).
 */
#pragma once

#include <stdint.h>

#include "base/mem.h"

struct pci_addr {
	uint32_t domain;
	uint8_t bus, device, function;
};

#define PCI_TEXT_MAX 20 /* "ffffffff:ff:1f.7" and a NUL */

/* Parses exactly "dddd:bb:dd.f" (4 to 8 digits of domain). 0 or -EINVAL. */
int pci_parse(const char *text, struct pci_addr *ret) _must_check_;

/* The address in the kernel's form. Returns buf. */
const char *pci_format(const struct pci_addr *a, char buf[static PCI_TEXT_MAX]);

/* Order by domain, bus, device, function. */
int pci_compare(const struct pci_addr *a, const struct pci_addr *b);

/* Same card: all but the function is equal. */
bool pci_same_card(const struct pci_addr *a, const struct pci_addr *b);

/*
 * The last PCI address among the components of a sysfs link, which is the function a class
 * device belongs to: ".../0000:24:01.0/0000:29:00.0/net/enp41s0f0np0". Virtio puts one
 * level between function and netdev; "virtual" devices have none (-ENOENT).
 */
int pci_of_link(const char *link, struct pci_addr *ret) _must_check_;
