/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The number of completion vectors of an RDMA device. Neither sysfs nor netlink shows it;
 * user space learns it when it opens the device's verbs context.
 *
 * libibverbs says some things on stderr by itself: that a provider cannot be loaded or does not
 * fit the kernel, and, to an ordinary user, that RLIMIT_MEMLOCK is 32 KiB or less. It has no switch for
 * that. stdout is never touched.
 */
#include "facts/facts.h"

#include <errno.h>
#include <infiniband/verbs.h>
#include <limits.h>
#include <string.h>

#include "base/json.h"
#include "facts/sysfs.h"

#define NCV_DUMP "netlink/ncv.json"
#define NCV_DUMP_MAX (1 << 20)

/* Vectors, or -errno: -ENODEV, no such device or no provider for it. */
static int ask(const char *name)
{
	struct ibv_device **devices, *device = NULL;
	struct ibv_context *context;
	int count = 0, ncv = -ENODEV;

	devices = ibv_get_device_list(&count);
	if (!devices)
		return errno > 0 ? -errno : -ENODEV;
	for (int i = 0; i < count && !device; i++) {
		if (strcmp(ibv_get_device_name(devices[i]), name) == 0)
			device = devices[i];
	}
	if (device) {
		errno = 0;
		context = ibv_open_device(device);
		ncv = context ? context->num_comp_vectors : errno > 0 ? -errno : -EIO;
		if (context)
			(void)ibv_close_device(context);
	}
	ibv_free_device_list(devices);
	return ncv == 0 ? -ERANGE : ncv;
}

/* The same from a tree's dump: {"mlx5_1": 63}. */
static int look_up(const struct root *root, const char *name)
{
	_cleanup_json_ struct json *dump = NULL;
	_cleanup_free_ char *text = NULL;
	const char *why;
	int64_t ncv;
	ssize_t length = root_read_all(root, &text, NCV_DUMP_MAX, NCV_DUMP);
	int r;

	if (length < 0)
		return (int)length;
	dump = json_parse(text, (size_t)length, &why);
	if (!json_is_object(dump))
		return -EINVAL;
	r = json_get_i64(dump, name, 1, INT_MAX, &ncv);
	if (r < 0)
		return r == -ENOENT ? -ENODATA : r; /* the file is there, the device is not in it */
	return (int)ncv;
}

int facts_read_ncv(const struct root *root, struct topology *topo, const char *rdma_name,
		   struct findings *findings, struct err *err)
{
	int ncv = root->live ? ask(rdma_name) : look_up(root, rdma_name);

	(void)err;
	if (ncv < 0) {
		if (root->live)
			finding_add(findings, FINDING_UNKNOWN, "facts.readable", rdma_name, "ibv_open_device",
				    "the completion vectors of %s cannot be read: %s", rdma_name,
				    strerror(-ncv));
		else
			sysfs_unreadable(findings, rdma_name, ncv, NCV_DUMP);
		ncv = -1;
	}
	for (unsigned i = 0; i < topo->rdma_links; i++) {
		if (strcmp(topo->rdma_link[i].name, rdma_name) == 0)
			topo->rdma_link[i].ncv = ncv;
	}
	return 0;
}
