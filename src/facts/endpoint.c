/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the host made of an emulated NVMe function: its driver, its controller, its namespaces. From sysfs
 * alone, as the host's own part of SNAP's CSI plugin reads it; no block device is opened.
 */
#include "facts/offload.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "facts/nvme.h"
#include "facts/sysfs.h"

struct reading {
	const struct root *root;
	struct offload *offload;
	unsigned index; /* into offload->endpoint */
	char dir[128];	/* of its controller in sysfs */
	struct findings *findings;
	struct err *err;
};

static bool is_gone(int code)
{
	return code == -ENOENT || code == -ENODEV;
}

static void unreadable(const struct reading *rd, int code, const char *file)
{
	struct offload_endpoint *e = &rd->offload->endpoint[rd->index];

	e->unread = true;
	sysfs_unreadable(rd->findings, e->controller, code, "%s/%s", rd->dir, file);
}

static void read_driver(const struct root *root, struct offload_endpoint *e, struct findings *findings)
{
	char link[1024], pci[PCI_TEXT_MAX];
	const char *slash;
	int r = root_link(root, link, sizeof(link), PCI_DEVICES "/%s/driver", pci_format(&e->pci, pci));

	if (r == -ENOENT)
		return;
	if (r == 0) {
		slash = strrchr(link, '/');
		r = str_copy(e->driver, sizeof(e->driver), slash ? slash + 1 : link);
	}
	if (r < 0) {
		e->unread = true;
		sysfs_unreadable(findings, pci, r, PCI_DEVICES "/%s/driver", pci);
	}
}

/* False: no controller. */
static bool find_controller(struct reading *rd, unsigned *ret_instance)
{
	struct offload_endpoint *e = &rd->offload->endpoint[rd->index];
	_cleanup_names_ struct names names = NAMES_INIT;
	char pci[PCI_TEXT_MAX];
	int r = root_list(rd->root, &names, PCI_DEVICES "/%s/nvme", pci_format(&e->pci, pci));

	if (r < 0 && !is_gone(r)) {
		e->unread = true;
		sysfs_unreadable(rd->findings, pci, r, PCI_DEVICES "/%s/nvme", pci);
	}
	for (size_t i = 0; i < names.count; i++) {
		if (!sysfs_numbered(names.name[i], "nvme", ret_instance))
			continue;
		str_format(e->controller, sizeof(e->controller), "%s", names.name[i]);
		str_format(rd->dir, sizeof(rd->dir), PCI_DEVICES "/%s/nvme/%s", pci, e->controller);
		return true;
	}
	return false;
}

static int add_namespace(const struct reading *rd, const struct ns *ns)
{
	struct offload *offload = rd->offload;
	struct offload_ns found = { .endpoint = rd->index, .size_bytes = -1 };
	int64_t value = 0;
	char file[64];
	int r;

	str_format(file, sizeof(file), "%s/nsid", ns->path_device);
	r = root_i64(rd->root, &value, "%s/%s", rd->dir, file);
	if (r == 0 && (value < 1 || value > UINT32_MAX))
		r = -ERANGE;
	if (r < 0) {
		if (!is_gone(r))
			unreadable(rd, r, file);
		return 0;
	}
	found.nsid = (uint32_t)value;
	memcpy(found.device, ns->device, sizeof(found.device));
	str_format(file, sizeof(file), "%s/size", ns->path_device);
	r = root_i64(rd->root, &value, "%s/%s", rd->dir, file); /* in sectors of 512 bytes */
	if (r == 0 && (value < 0 || value > INT64_MAX / 512))
		r = -ERANGE;
	if (r == 0)
		found.size_bytes = value * 512;
	else if (!is_gone(r))
		unreadable(rd, r, file);
	if (offload->nss == OFFLOAD_NSS_MAX)
		return sysfs_full(rd->err, "namespaces of emulated functions", OFFLOAD_NSS_MAX);
	offload->ns[offload->nss++] = found;
	offload->endpoint[rd->index].nss++;
	return 0;
}

static int compare(const void *a, const void *b)
{
	const struct offload_ns *x = a, *y = b;

	if (x->nsid != y->nsid)
		return x->nsid < y->nsid ? -1 : 1;
	return strverscmp(x->device, y->device);
}

static int read_namespaces(const struct reading *rd, unsigned instance)
{
	_cleanup_names_ struct names names = NAMES_INIT;
	struct offload *offload = rd->offload;
	unsigned first = offload->nss;
	int r = root_list(rd->root, &names, "%s", rd->dir);

	if (r < 0) {
		if (!is_gone(r))
			unreadable(rd, r, "");
		return 0;
	}
	for (size_t i = 0; i < names.count; i++) {
		struct ns ns = { 0 };

		if (!nvme_parse_device(names.name[i], instance, &ns))
			continue;
		r = add_namespace(rd, &ns);
		if (r < 0)
			return r;
	}
	qsort(&offload->ns[first], offload->nss - first, sizeof(offload->ns[0]), compare);
	return 0;
}

static int read_one(struct reading *rd)
{
	struct offload_endpoint *e = &rd->offload->endpoint[rd->index];
	unsigned instance;
	int r;

	read_driver(rd->root, e, rd->findings);
	if (!find_controller(rd, &instance))
		return 0;
	r = root_line(rd->root, e->state, sizeof(e->state), "%s/state", rd->dir);
	if (r < 0) {
		e->state[0] = '\0';
		if (!is_gone(r))
			unreadable(rd, r, "state");
	}
	return read_namespaces(rd, instance);
}

int endpoint_read(const struct root *root, struct offload *ret, struct findings *findings, struct err *err)
{
	int r = 0;

	for (unsigned i = 0; i < ret->endpoints && r == 0; i++) {
		struct reading rd = {
			.root = root, .offload = ret, .index = i, .findings = findings, .err = err
		};

		r = read_one(&rd);
	}
	return r;
}
