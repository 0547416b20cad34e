/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The BlueField-3 cards of the storage ports, and the NVMe functions that they emulate: by their PCI ids and
 * by where they are, never by a name. Vendor, device and class of an emulated function are settings of the
 * card's firmware, so on the card itself any NVMe function is one; elsewhere its ids must say so.
 */
#include "facts/offload.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/parse.h"
#include "facts/dump_devlink.h"
#include "facts/facts.h"
#include "facts/nl_devlink.h"
#include "facts/sysfs.h"

#define VENDOR_MELLANOX 0x15b3
#define DEVICE_MANAGEMENT 0xc2d5  /* BlueField-3 SoC management interface */
#define DEVICE_MANAGEMENT2 0xc2d4 /* the same, on cards with another firmware */
#define DEVICE_EMULATED 0x6001	  /* NVMe SNAP's default */
#define CLASS_NVME 0x010802
#define CLASS_DMA 0x0801 /* of the management interface, without its programming interface */
#define CLASS_INFINIBAND 0x0207
#define LINK_MAX_TEXT 1024

struct function {
	struct pci_addr pci;
	uint32_t class;
	uint16_t vendor, device;
};

static bool read_hex(const struct root *root, const char *pci, const char *file, uint64_t max, uint64_t *ret)
{
	return root_hex(root, ret, PCI_DEVICES "/%s/%s", pci, file) == 0 && *ret <= max;
}

/* --- cards --- */

static struct offload_card *find_card(struct offload *offload, const struct pci_addr *pci)
{
	for (unsigned i = 0; i < offload->cards; i++) {
		if (pci_same_card(&offload->card[i].pci, pci))
			return &offload->card[i];
	}
	return NULL;
}

static int add_port(struct offload *offload, const struct port *port, struct err *err)
{
	struct offload_card *card = find_card(offload, &port->pci);

	if (port->vf)
		return 0;
	if (!card) {
		if (offload->cards == OFFLOAD_CARDS_MAX)
			return sysfs_full(err, "storage cards", OFFLOAD_CARDS_MAX);
		card = &offload->card[offload->cards++];
		card->pci = port->pci; /* ports come in the order of their addresses */
	}
	if (card->ports == OFFLOAD_PORTS_MAX)
		return sysfs_full(err, "ports of a storage card", OFFLOAD_PORTS_MAX);
	card->port[card->ports++] = (struct offload_port){
		.pci = port->pci,
		.vendor = port->vendor,
		.device = port->device,
		.infiniband = port->class >> 8 == CLASS_INFINIBAND,
	};
	return 0;
}

/* --- functions --- */

/* The function's path in sysfs: the bridges above it. */
static int read_path(const struct root *root, const struct pci_addr *pci, char ret[static LINK_MAX_TEXT])
{
	char text[PCI_TEXT_MAX];

	return root_link(root, ret, LINK_MAX_TEXT, PCI_DEVICES "/%s", pci_format(pci, text));
}

/* The uppermost bridge of a card's own switch: the first of the path with the card's vendor. */
static bool find_switch(const struct root *root, const struct pci_addr *pci, struct pci_addr *ret)
{
	char path[LINK_MAX_TEXT], *save = NULL;

	if (read_path(root, pci, path) < 0)
		return false;
	for (char *part = strtok_r(path, "/", &save); part; part = strtok_r(NULL, "/", &save)) {
		uint64_t vendor;

		if (pci_parse(part, ret) < 0)
			continue;
		if (pci_compare(ret, pci) == 0)
			return false;
		if (read_hex(root, part, "vendor", UINT16_MAX, &vendor) && vendor == VENDOR_MELLANOX)
			return true;
	}
	return false;
}

/* Behind the switch of exactly one card; NULL: of none, or of several. */
static struct offload_card *find_behind(const struct root *root, struct offload *offload,
					const struct pci_addr *pci)
{
	struct offload_card *found = NULL;
	struct pci_addr above, other;

	if (!find_switch(root, pci, &above))
		return NULL;
	for (unsigned i = 0; i < offload->cards; i++) {
		if (!find_switch(root, &offload->card[i].pci, &other) || pci_compare(&above, &other) != 0)
			continue;
		if (found)
			return NULL;
		found = &offload->card[i];
	}
	return found;
}

/* The physical function of a VF; the function itself if it is none. False: it does not tell. */
static bool read_physfn(const struct root *root, const struct function *f, struct pci_addr *ret, bool *ret_vf)
{
	char link[LINK_MAX_TEXT], text[PCI_TEXT_MAX];
	const char *slash;
	int r = root_link(root, link, sizeof(link), PCI_DEVICES "/%s/physfn", pci_format(&f->pci, text));

	*ret = f->pci;
	*ret_vf = r != -ENOENT;
	if (r < 0)
		return r == -ENOENT;
	slash = strrchr(link, '/');
	return pci_parse(slash ? slash + 1 : link, ret) == 0;
}

static int add_endpoint(const struct root *root, struct offload *offload, const struct function *f,
			struct err *err)
{
	bool by_id = f->vendor == VENDOR_MELLANOX && f->device == DEVICE_EMULATED;
	struct offload_card *card = NULL;
	struct pci_addr pf;
	bool vf, placed = read_physfn(root, f, &pf, &vf);

	if (placed)
		card = find_card(offload, &pf);
	if (!card &&
	    !by_id) { /* a disk; but the ids are a setting, so behind a card's switch it may be one */
		offload->unseen |= !placed || find_behind(root, offload, &pf);
		return 0;
	}
	if (!card)
		card = find_behind(root, offload, &pf);
	if (offload->endpoints == OFFLOAD_ENDPOINTS_MAX)
		return sysfs_full(err, "emulated NVMe functions", OFFLOAD_ENDPOINTS_MAX);
	offload->endpoint[offload->endpoints++] = (struct offload_endpoint){
		.pci = f->pci,
		.vendor = f->vendor,
		.device = f->device,
		.card = card ? (int)(card - offload->card) : -1,
		.vf = vf,
	};
	return 0;
}

static void note_management(struct offload *offload, const struct function *f)
{
	struct offload_card *card = find_card(offload, &f->pci);

	if (!card || f->vendor != VENDOR_MELLANOX ||
	    (f->device != DEVICE_MANAGEMENT && f->device != DEVICE_MANAGEMENT2))
		return;
	card->managed = true;
	card->management = f->pci;
}

/* False: not one that is of interest, or it cannot be read. */
static bool read_function(const struct root *root, const char *name, struct offload *offload,
			  struct function *ret, struct findings *findings)
{
	char pci[PCI_TEXT_MAX];
	uint64_t value;

	if (pci_parse(name, &ret->pci) < 0 || strcmp(pci_format(&ret->pci, pci), name) != 0)
		return false;
	if (!read_hex(root, name, "class", 0xffffff, &value)) {
		offload->unseen |= root_exists(root, PCI_DEVICES "/%s", name); /* facts_read_pci says so */
		return false;
	}
	ret->class = (uint32_t)value;
	if (ret->class != CLASS_NVME && ret->class >> 8 != CLASS_DMA)
		return false;
	ret->vendor = ret->device = 0;
	if (read_hex(root, name, "vendor", UINT16_MAX, &value))
		ret->vendor = (uint16_t)value;
	if (read_hex(root, name, "device", UINT16_MAX, &value))
		ret->device = (uint16_t)value;
	if (ret->vendor != 0 && ret->device != 0)
		return true;
	offload->unseen |= ret->class == CLASS_NVME;
	sysfs_unreadable(findings, name, -EINVAL, PCI_DEVICES "/%s/%s", name,
			 ret->vendor == 0 ? "vendor" : "device");
	return true;
}

static int compare_endpoints(const void *a, const void *b)
{
	return pci_compare(&((const struct offload_endpoint *)a)->pci,
			   &((const struct offload_endpoint *)b)->pci);
}

static int read_functions(const struct root *root, struct offload *offload, struct findings *findings,
			  struct err *err)
{
	_cleanup_names_ struct names names = NAMES_INIT;
	int r = root_list(root, &names, PCI_DEVICES);

	if (r < 0)
		return r == -ENOENT ? 0 : sysfs_failed(err, r, PCI_DEVICES);
	for (size_t i = 0; i < names.count && r == 0; i++) {
		struct function f;

		if (!read_function(root, names.name[i], offload, &f, findings))
			continue;
		if (f.class == CLASS_NVME)
			r = add_endpoint(root, offload, &f, err);
		else
			note_management(offload, &f);
	}
	qsort(offload->endpoint, offload->endpoints, sizeof(offload->endpoint[0]), compare_endpoints);
	return r;
}

/* "6.8.0-1025-nvidia": 6. 0: unknown. */
static unsigned read_kernel_major(const struct root *root)
{
	char text[128], digits[8] = "";
	size_t length;
	uint64_t major;

	if (root_line(root, text, sizeof(text), "proc/sys/kernel/osrelease") < 0)
		return 0;
	length = strspn(text, "0123456789");
	if (text[length] != '.' || length >= sizeof(digits))
		return 0;
	memcpy(digits, text, length);
	return parse_u64(digits, 1000, &major) == 0 ? (unsigned)major : 0;
}

int facts_read_offload(const struct root *root, const struct topology *topo, const unsigned *storage,
		       unsigned count, struct offload *ret, struct findings *findings, struct err *err)
{
	int r = 0;

	ret->cards = ret->endpoints = ret->nss = ret->paths = 0;
	memset(ret->card, 0, sizeof(ret->card));
	ret->unseen = false;
	ret->rshim_why[0] = ret->devlink_why[0] = '\0';
	ret->state = OFFLOAD_UNKNOWN;
	for (unsigned i = 0; i < count && r == 0; i++)
		r = add_port(ret, &topo->port[storage[i]], err);
	if (r == 0)
		r = read_functions(root, ret, findings, err);
	if (r == 0)
		r = endpoint_read(root, ret, findings, err);
	if (r < 0)
		return r;
	ret->tmfifo = topo_netdev_by_name(topo, "tmfifo_net0") != NULL;
	ret->not_ours_is_sure = read_kernel_major(root) >= 6;
	rshim_read(root, ret, findings);
	if (root->live)
		nl_read_devlink(ret);
	else
		dump_read_devlink(root, ret, findings);
	return 0;
}
