/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * NVMe controllers with their namespaces and hardware contexts, from sysfs alone: no block
 * device is opened and no command is sent, since a controller without a link would hold
 * the reader until it comes back.
 *
 * A controller's files are read below one descriptor of its directory, so they are of
 * one controller even if its number is given to another one meanwhile; one that goes
 * away while it is read is left out.
 */
#include "facts/facts.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "facts/nvme.h"
#include "facts/sysfs.h"

#define CLASS "sys/class/nvme"
#define REGISTRY "run/nvme/registry"
#define OURSELVES "nvme-partition"
#define OWNER_UNREAD "unknown"
#define SECTOR 512 /* of "size", whatever the namespace's format is */

struct reading { /* of one controller */
	const struct root *root;
	struct root dir;
	const char *name; /* nvme0 */
	struct topology *topo;
	unsigned index; /* into topo->ctrl */
	struct findings *findings;
	struct err *err;
};

static void unreadable(const struct reading *rd, int code, const char *file)
{
	sysfs_unreadable(rd->findings, rd->name, code, CLASS "/%s/%s", rd->name, file);
}

/* Text, empty if there is none. What is missing is left to whoever needs it: kernels differ. */
static void read_text(const struct reading *rd, const char *file, char *ret, size_t size)
{
	int r = root_line(&rd->dir, ret, size, "%s", file);

	if (r == 0)
		return;
	ret[0] = '\0';
	if (r != -ENOENT && r != -ENODEV)
		unreadable(rd, r, file);
}

/* A number, -1 if there is none. */
static int read_number(const struct reading *rd, const char *file)
{
	int64_t value;
	char text[32];
	int r;

	read_text(rd, file, text, sizeof(text));
	if (text[0] == '\0')
		return -1;
	r = parse_i64(text, -1, INT_MAX, &value);
	if (r < 0)
		unreadable(rd, r, file);
	return r < 0 ? -1 : (int)value;
}

static void read_address(const struct reading *rd, struct ctrl_id *id)
{
	char text[1024];
	int r;

	read_text(rd, "address", text, sizeof(text));
	if (text[0] == '\0')
		return;
	/* A PCIe controller's address is its PCI function. */
	r = strcmp(id->transport, "pcie") == 0 ? str_copy(id->traddr, sizeof(id->traddr), text)
					       : ctrl_address_parse(text, id);
	if (r < 0)
		unreadable(rd, r, "address");
}

static void read_id(const struct reading *rd, struct ctrl_id *id)
{
	char text[64];
	int r;

	r = root_line(&rd->dir, id->transport, sizeof(id->transport), "transport");
	if (r == 0 && id->transport[0] == '\0')
		r = -EINVAL;
	if (r < 0) { /* the one file without which nothing about a controller can be said */
		id->transport[0] = '\0';
		unreadable(rd, r, "transport");
	}
	read_text(rd, "subsysnqn", id->nqn, sizeof(id->nqn));
	/* Before the controller has its subsystem the kernel prints a pointer that is none (vsprintf.c). */
	if (strcmp(id->nqn, "(efault)") == 0 || strcmp(id->nqn, "(null)") == 0)
		id->nqn[0] = '\0';
	read_address(rd, id);
	read_text(rd, "hostnqn", id->hostnqn, sizeof(id->hostnqn));
	read_text(rd, "hostid", text, sizeof(text));
	r = text[0] == '\0' ? 0 : parse_uuid(text, id->hostid);
	if (r < 0)
		unreadable(rd, r, "hostid");
}

/* What the proof after a connect needs and no file more: it reads them anew until the paths are settled. */
static void read_attributes(const struct reading *rd, struct ctrl *ctrl)
{
	read_id(rd, &ctrl->id);
	read_text(rd, "state", ctrl->state, sizeof(ctrl->state));
	ctrl->cntlid = read_number(rd, "cntlid");
	ctrl->queue_count = read_number(rd, "queue_count");
	ctrl->ctrl_loss_tmo = ctrl->reconnect_delay = -1; /* facts_read_ctrl_settings */
}

/* Which of all that ever had this name: all else is read below the same descriptor. */
static uint64_t read_inode(const struct reading *rd)
{
	struct stat st;

	return rd->root->live && fstat(rd->dir.fd, &st) == 0 ? st.st_ino : 0;
}

static bool is_printable(const char *text)
{
	for (; *text != '\0'; text++) {
		if (*text < ' ' || *text > '~')
			return false;
	}
	return true;
}

/*
 * nvme-cli's registry: who made a fabrics controller writes its name there, and it is nobody's without an
 * entry. An entry that cannot be read is somebody's.
 */
static void read_owner(const struct reading *rd, struct ctrl *ctrl)
{
	char text[ROOT_LINE_MAX];
	const char *owner = text;
	int r;

	if (strcmp(ctrl->id.transport, "pcie") == 0)
		return;
	r = root_line(rd->root, text, sizeof(text), REGISTRY "/%s/owner", rd->name);
	if (r == -ENOENT)
		return;
	if (r == 0) {
		owner += strspn(owner, " \t");
		r = owner[0] != '\0' && is_printable(owner)
			    ? str_copy(ctrl->owner, sizeof(ctrl->owner), owner)
			    : -EINVAL;
	}
	if (r < 0) {
		str_format(ctrl->owner, sizeof(ctrl->owner), "%s", OWNER_UNREAD);
		sysfs_unreadable(rd->findings, rd->name, r, REGISTRY "/%s/owner", rd->name);
	} else if (strcmp(ctrl->owner, OURSELVES) == 0) {
		ctrl->owner[0] = '\0';
	}
}

/* A number of a name, without a leading zero; moves past it. */
static bool take_number(const char **at, unsigned *ret)
{
	char digits[16];
	size_t length = strspn(*at, "0123456789");

	if (length >= sizeof(digits))
		return false;
	memcpy(digits, *at, length);
	digits[length] = '\0';
	*at += length;
	return sysfs_numbered(digits, "", ret);
}

bool nvme_parse_device(const char *name, unsigned instance, struct ns *ret)
{
	unsigned subsystem, controller, number;
	const char *at = name;

	if (!str_starts(at, "nvme"))
		return false;
	at += 4;
	if (!take_number(&at, &subsystem))
		return false;
	if (*at == 'c') {
		at++;
		if (!take_number(&at, &controller) || controller != instance)
			return false;
	}
	if (*at++ != 'n' || !take_number(&at, &number) || *at != '\0')
		return false;
	str_format(ret->device, sizeof(ret->device), "nvme%un%u", subsystem, number);
	return str_copy(ret->path_device, sizeof(ret->path_device), name) == 0;
}

/* Whether I/O may take this path: __nvme_find_path asks for these two. Without ANA there is no such file. */
static bool read_ana_usable(const struct reading *rd, const struct ns *ns)
{
	char file[64], text[32];
	int r;

	str_format(file, sizeof(file), "%s/ana_state", ns->path_device);
	r = root_line(&rd->dir, text, sizeof(text), "%s", file);
	if (r < 0 && r != -ENOENT && r != -ENODEV)
		unreadable(rd, r, file);
	if (r < 0)
		return r == -ENOENT;
	return strcmp(text, "optimized") == 0 || strcmp(text, "non-optimized") == 0;
}

/* False: it has gone, or its number cannot be read. */
static bool read_namespace(const struct reading *rd, struct ns *ns)
{
	char file[64], text[64];
	int64_t value = -1;
	int r;

	str_format(file, sizeof(file), "%s/nsid", ns->path_device);
	r = root_i64(&rd->dir, &value, "%s", file);
	if (r == 0 && (value < 1 || value > UINT32_MAX))
		r = -ERANGE;
	if (r < 0) {
		if (r != -ENOENT && r != -ENODEV) {
			unreadable(rd, r, file);
			rd->topo->ctrl[rd->index].nss_unread = true;
		}
		return false;
	}
	ns->nsid = (uint32_t)value;
	ns->ctrl = rd->index;

	str_format(file, sizeof(file), "%s/uuid", ns->path_device);
	read_text(rd, file, text, sizeof(text));
	if (strspn(text, "0-") == strlen(text) || parse_uuid(text, ns->uuid) < 0)
		ns->uuid[0] = '\0';

	str_format(file, sizeof(file), "%s/size", ns->path_device);
	r = root_i64(&rd->dir, &value, "%s", file);
	if (r == 0 && (value < 0 || value > INT64_MAX / SECTOR))
		r = -ERANGE;
	if (r < 0 && r != -ENOENT && r != -ENODEV)
		unreadable(rd, r, file);
	ns->size_bytes = r < 0 ? -1 : value * SECTOR;
	ns->ana_usable = read_ana_usable(rd, ns);
	return true;
}

static int compare_namespaces(const void *a, const void *b)
{
	const struct ns *x = a, *y = b;

	if (x->nsid != y->nsid)
		return x->nsid < y->nsid ? -1 : 1;
	return strverscmp(x->path_device, y->path_device);
}

static int read_namespaces(const struct reading *rd)
{
	_cleanup_names_ struct names names = NAMES_INIT;
	struct topology *topo = rd->topo;
	unsigned first = topo->nss;
	int r = root_list(&rd->dir, &names, ".");

	if (r < 0) {
		if (r != -ENOENT) {
			unreadable(rd, r, "");
			topo->ctrl[rd->index].nss_unread = true;
		}
		return 0;
	}
	for (size_t i = 0; i < names.count; i++) {
		struct ns ns = { 0 };

		if (!nvme_parse_device(names.name[i], topo->ctrl[rd->index].instance, &ns) ||
		    !read_namespace(rd, &ns))
			continue;
		if (topo->nss == TOPO_NSS_MAX)
			return sysfs_full(rd->err, "NVMe namespaces", TOPO_NSS_MAX);
		topo->ns[topo->nss++] = ns;
	}
	qsort(&topo->ns[first], topo->nss - first, sizeof(topo->ns[0]), compare_namespaces);
	return 0;
}

/* The map of CPUs to queues: the tag set's, so any namespace of the controller shows it. */
static int read_hctxs(const struct reading *rd, const struct ns *ns)
{
	_cleanup_names_ struct names names = NAMES_INIT;
	struct topology *topo = rd->topo;
	int r = root_list(&rd->dir, &names, "%s/mq", ns->path_device);

	if (r < 0)
		return r == -ENOENT ? 0 : r;
	for (size_t i = 0; i < names.count; i++) {
		struct hctx *hctx = &topo->hctx[topo->hctxs];
		char file[64];

		if (!sysfs_numbered(names.name[i], "", &hctx->number))
			continue;
		if (topo->hctxs == TOPO_HCTXS_MAX)
			return sysfs_full(rd->err, "hardware queues", TOPO_HCTXS_MAX);
		str_format(file, sizeof(file), "%s/mq/%u/cpu_list", ns->path_device, hctx->number);
		r = root_cpuset(&rd->dir, &hctx->cpus, "%s", file);
		if (r < 0) {
			if (r != -ENOENT && r != -ENODEV)
				unreadable(rd, r, file);
			continue;
		}
		hctx->ctrl = rd->index;
		topo->hctxs++; /* the names come in the order of numbers */
	}
	return 0;
}

static int read_disks(const struct reading *rd)
{
	struct topology *topo = rd->topo;
	unsigned first_ns = topo->nss, first_hctx = topo->hctxs;
	int r = read_namespaces(rd);

	for (unsigned i = first_ns; r == 0 && i < topo->nss && topo->hctxs == first_hctx; i++) {
		r = read_hctxs(rd, &topo->ns[i]);
		if (r < 0 && rd->err->code == 0) {
			unreadable(rd, r, topo->ns[i].path_device);
			r = 0;
		}
	}
	return r;
}

/* Only these say that it is not there any more; of anything else nobody knows. */
static bool is_gone(int code)
{
	return code == -ENOENT || code == -ENODEV;
}

/* What could not be read is among the findings. */
static unsigned noticed_so_far(const struct findings *findings)
{
	return findings->count + findings->lost;
}

static int read_ctrl(const struct root *root, const char *name, unsigned instance, bool disks,
		     struct topology *topo, struct findings *findings, struct err *err)
{
	_cleanup_close_ int fd = root_openat(root, O_PATH | O_DIRECTORY, CLASS "/%s", name);
	unsigned first_ns = topo->nss, first_hctx = topo->hctxs, first_finding = findings->count, noticed;
	struct ctrl *ctrl = &topo->ctrl[topo->ctrls];
	struct reading rd = {
		.root = root,
		.dir = *root,
		.name = name,
		.topo = topo,
		.index = topo->ctrls,
		.findings = findings,
		.err = err,
	};
	int r = 0;

	if (is_gone(fd))
		return 0; /* since it was listed */
	if (fd < 0)
		return sysfs_failed(err, fd, CLASS);
	rd.dir.fd = fd;
	*ctrl = (struct ctrl){ .instance = instance, .inode = read_inode(&rd) };
	noticed = noticed_so_far(findings);
	read_attributes(&rd, ctrl);
	ctrl->unread = noticed_so_far(findings) != noticed;
	read_owner(&rd, ctrl);
	/* Only fabrics controllers share their vectors with a port. */
	if (disks && strcmp(ctrl->id.transport, "pcie") != 0)
		r = read_disks(&rd);
	if (r < 0)
		return r;
	if (root->live && !root_exists(&rd.dir, "transport")) {
		/* Every controller has that file: this one has gone, and what was read of it is nothing. */
		topo->nss = first_ns;
		topo->hctxs = first_hctx;
		findings->count = first_finding;
		return 0;
	}
	topo->ctrls++;
	return 0;
}

static int read_all(const struct root *root, bool disks, struct topology *topo, struct findings *findings,
		    struct err *err)
{
	_cleanup_names_ struct names names = NAMES_INIT;
	int r = root_list(root, &names, CLASS);

	topo->ctrls = topo->nss = topo->hctxs = 0;
	if (r == -ENOENT)
		return 0; /* no NVMe driver: no controllers */
	if (r < 0)
		return sysfs_failed(err, r, CLASS);
	for (size_t i = 0; i < names.count && r == 0; i++) { /* in the order of instances */
		unsigned instance;

		if (!sysfs_numbered(names.name[i], "nvme", &instance))
			continue;
		if (topo->ctrls == TOPO_CTRLS_MAX)
			return sysfs_full(err, "NVMe controllers", TOPO_CTRLS_MAX);
		r = read_ctrl(root, names.name[i], instance, disks, topo, findings, err);
	}
	return r;
}

int facts_read_nvme(const struct root *root, struct topology *topo, struct findings *findings,
		    struct err *err)
{
	return read_all(root, true, topo, findings, err);
}

int facts_read_ctrls(const struct root *root, struct topology *topo, struct findings *findings,
		     struct err *err)
{
	return read_all(root, false, topo, findings, err);
}

/*
 * True if the controller below rd is the wanted one. The address alone rules most of them out. *ret_unread:
 * it may be, but not all of its names can be read.
 */
static bool is_wanted(const struct reading *rd, const struct ctrl_id *id, struct ctrl *ret, bool *ret_unread)
{
	unsigned noticed = noticed_so_far(rd->findings);
	struct ctrl_id found = { 0 };
	bool wanted = false;

	read_text(rd, "transport", found.transport, sizeof(found.transport));
	if (strcmp(found.transport, id->transport) == 0) {
		read_address(rd, &found);
		memcpy(found.nqn, id->nqn, sizeof(found.nqn));
		memcpy(found.hostnqn, id->hostnqn, sizeof(found.hostnqn));
		memcpy(found.hostid, id->hostid, sizeof(found.hostid));
		wanted = ctrl_id_equal(&found, id);
	}
	if (wanted) {
		read_attributes(rd, ret);
		wanted = ctrl_id_equal(&ret->id, id);
	}
	*ret_unread |= !wanted && noticed_so_far(rd->findings) != noticed;
	return wanted;
}

int facts_find_ctrl(const struct root *root, const struct ctrl_id *id, struct ctrl *ret, bool *ret_there,
		    struct findings *findings, struct err *err)
{
	_cleanup_names_ struct names names = NAMES_INIT;
	int r = root_list(root, &names, CLASS);
	bool found = false, unread = false;

	*ret_there = false;
	if (r < 0)
		return r == -ENOENT ? 0 : sysfs_failed(err, r, CLASS);
	for (size_t i = 0; i < names.count && !found; i++) {
		struct reading rd = {
			.root = root,
			.dir = *root,
			.name = names.name[i],
			.findings = findings,
			.err = err,
		};
		_cleanup_close_ int fd = -1;
		struct ctrl ctrl = { 0 };

		if (!sysfs_numbered(names.name[i], "nvme", &ctrl.instance))
			continue;
		fd = root_openat(root, O_PATH | O_DIRECTORY, CLASS "/%s", names.name[i]);
		if (is_gone(fd))
			continue; /* since it was listed */
		if (fd < 0)
			return sysfs_failed(err, fd, CLASS);
		rd.dir.fd = fd;
		if (!is_wanted(&rd, id, &ctrl, &unread))
			continue;
		/* One that is on its way out: a new one of the same identity may stand beside it already. */
		found = !ctrl_state_is_gone(ctrl.state);
		if (*ret_there && !found)
			continue;
		ctrl.inode = read_inode(&rd);
		read_owner(&rd, &ctrl);
		*ret = ctrl;
		*ret_there = true;
	}
	/* It may be the one that cannot be read: that is not "it is not there". */
	return !*ret_there && unread ? sysfs_failed(err, -EIO, CLASS) : 0;
}
