/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Connects NVMe controllers, and leaves none half-made. */
#include "apply/fx_nvme.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "apply/fx_delete.h"
#include "apply/fx_nvme_why.h"
#include "apply/fx_signals.h"
#include "apply/kmsg.h"

#define FABRICS "dev/nvme-fabrics"
#define CLASS_NVME "sys/class/nvme"
#define OPTIONS_MAX 2048
#define LOG_MAX 8192
/*
 * How long to wait until a controller that must not stay is gone: one admin command, Connect or Identify, may
 * be on its way, and the kernel gives each 60 s (nvme_core.admin_timeout).
 */
#define DROP_MS 60000

/* --- what controllers are there ------------------------------------------------------------- */

/* The identity of nvme<instance> as sysfs shows it now. */
static int read_id(const struct root *root, unsigned instance, struct ctrl_id *ret)
{
	_cleanup_close_ int fd = root_openat(root, O_PATH | O_DIRECTORY, CLASS_NVME "/nvme%u", instance);
	struct root dir = *root;

	dir.fd = fd;
	return fd < 0 ? fd : fx_delete_read_id(&dir, ret);
}

static int list_controllers(const struct root *root, struct names *ret)
{
	int r = root_list(root, ret, CLASS_NVME);

	return r == -ENOENT ? 0 : r; /* nvme_core is not loaded yet: none */
}

static bool instance_of(const char *name, unsigned *ret)
{
	uint64_t number;

	if (!str_starts(name, "nvme") || parse_u64(name + strlen("nvme"), UINT_MAX, &number) < 0)
		return false;
	*ret = (unsigned)number;
	return true;
}

static bool names_have(const struct names *names, const char *name)
{
	for (size_t i = 0; i < names->count; i++) {
		if (strcmp(names->name[i], name) == 0)
			return true;
	}
	return false;
}

/* --- connect --------------------------------------------------------------------------------- */

static int add_text(char *buf, const char *key, const char *value)
{
	size_t length = strlen(buf);
	int n;

	/* Checked before, too; here is the last place where a comma could become an option. */
	if (!parse_is_option_safe(value))
		return -EINVAL;
	n = snprintf(buf + length, OPTIONS_MAX - length, "%s%s=%s", length ? "," : "", key, value);
	return n < 0 || (size_t)n >= OPTIONS_MAX - length ? -ENAMETOOLONG : 0;
}

static int add_number(char *buf, const char *key, int value)
{
	char text[16];

	str_format(text, sizeof(text), "%d", value);
	return add_text(buf, key, text);
}

/*
 * The source address is never left out: without one, routing chooses the HCA. There is no host_iface:
 * nvme-rdma refuses it (EINVAL). Host NQN and host id go as a pair, since newer kernels refuse other pairings
 * (nvmf_host_add).
 */
static int build_options(const struct step *step, char buf[static OPTIONS_MAX])
{
	const struct connect_opts *opts = &step->opts;
	const struct {
		const char *key, *value;
	} text[] = {
		{ "nqn", step->id.nqn },
		{ "transport", step->id.transport },
		{ "traddr", step->id.traddr },
		{ "trsvcid", step->id.trsvcid },
		{ "host_traddr", step->id.host_traddr },
		{ "hostnqn", step->id.hostnqn },
		{ "hostid", step->id.hostid },
	};
	const struct {
		const char *key;
		int value;
	} number[] = {
		{ "nr_io_queues", opts->nr_io_queues },
		{ "queue_size", opts->queue_size },
		{ "keep_alive_tmo", opts->keep_alive_tmo },
		{ "reconnect_delay", opts->reconnect_delay },
	};
	int r = strcmp(step->id.transport, "rdma") == 0 ? 0 : -EINVAL;

	buf[0] = '\0';
	for (size_t i = 0; r == 0 && i < ARRAY_SIZE(text); i++)
		r = add_text(buf, text[i].key, text[i].value);
	for (size_t i = 0; r == 0 && i < ARRAY_SIZE(number); i++)
		r = add_number(buf, number[i].key, number[i].value);
	if (r == 0) /* -1: forever */
		r = add_number(buf, "ctrl_loss_tmo", opts->ctrl_loss_forever ? -1 : opts->ctrl_loss_tmo);
	if (r == 0 && opts->tos != CONNECT_UNSET)
		r = add_number(buf, "tos", opts->tos);
	return r;
}

int fx_nvme_available(const struct root *root, struct err *err)
{
	if (root_exists(root, FABRICS))
		return 0;
	return err_set(err, XC_ENVIRONMENT, -ENOENT, FABRICS,
		       "/" FABRICS " is not there: load the module (modprobe nvme-rdma, and list it in "
		       "/etc/modules-load.d)");
}

/*
 * Why not libnvme: nvmf_add_ctrl() loses the errno of a failed connect (all but six become
 * ENVME_CONNECT_WRITE), and the thread that writes must be ours for a deadline to reach it; and
 * nvme_disconnect_ctrl() writes by the name nvmeN, which may be another one by then.
 *
 * One write per descriptor (a second one is EINVAL). The answer, "instance=N,cntlid=M", is not read: reading
 * takes the kernel's connect mutex, which the next slow connect of somebody else holds; the controller is
 * found in sysfs by what it is.
 *
 * Returns 0, or -errno; *ret_late: the deadline is what ended it.
 */
static int write_options(const struct root *root, const char *options, int timeout_s, bool *ret_late)
{
	_cleanup_close_ int fd = root_openat(root, O_WRONLY | O_NOCTTY, FABRICS);
	size_t length = strlen(options);
	ssize_t written;
	bool late;
	int r = 0;

	*ret_late = false;
	if (fd < 0)
		return fd;
	r = fx_signals_arm(timeout_s);
	if (r < 0)
		return r;
	written = write(fd, options, length);
	if (written < 0)
		r = -errno;
	else if ((size_t)written != length)
		r = -EIO;
	late = fx_signals_disarm();
	/* A write that came to its end in spite of the deadline did: there is a controller. */
	*ret_late = r == -EINTR && late;
	return r;
}

/* Whether name appeared since before was read, and what it is. */
static bool read_new(const struct root *root, const char *name, const struct names *before,
		     unsigned *ret_instance, struct ctrl_id *ret)
{
	return !names_have(before, name) && instance_of(name, ret_instance) &&
	       read_id(root, *ret_instance, ret) == 0;
}

/*
 * sysfs shows the name that the target gave itself (the SUBNQN of its Identify), not the one that it was
 * asked for by. A controller under such a name is found by nobody who looks for ours: it must not stay. Which
 * one is it? The only new one that is ours in all but that name; if there are more, nobody can tell.
 */
static int drop_misnamed(const struct root *root, const struct step *step, const struct names *before,
			 const char *portal, struct err *err)
{
	_cleanup_names_ struct names after = NAMES_INIT;
	struct ctrl_id misnamed = { 0 };
	unsigned instance = 0, count = 0;
	struct err why = { 0 };
	bool left;
	int r;

	if (list_controllers(root, &after) < 0)
		return 0; /* the caller looks for it as well */
	for (size_t i = 0; i < after.count; i++) {
		struct ctrl_id id, same_name;
		unsigned number;

		if (!read_new(root, after.name[i], before, &number, &id))
			continue;
		if (ctrl_id_equal(&id, &step->id))
			return 0;
		same_name = id;
		memcpy(same_name.nqn, step->id.nqn, sizeof(same_name.nqn));
		if (!ctrl_id_equal(&same_name, &step->id))
			continue;
		misnamed = id;
		instance = number;
		count++;
	}
	if (count != 1)
		return 0;
	r = fx_delete_wait(root, &misnamed, instance, DROP_MS, &why);
	left = r < 0 && r != -ESTALE; /* that: it has gone by itself */
	err_set(err, XC_FAILED, -EPROTO, portal, "%s: the target answers as subsystem %s, not as %s; ",
		portal, misnamed.nqn, step->id.nqn);
	if (left)
		str_append(err->msg, sizeof(err->msg),
			   "it could not be disconnected (%s): nvme disconnect -d nvme%u; then give -n %s",
			   why.msg, instance, misnamed.nqn);
	else
		str_append(err->msg, sizeof(err->msg), "it was disconnected again (give -n %s)",
			   misnamed.nqn);
	return -EPROTO;
}

/*
 * Takes away what a failed connect left, which by the kernel's source is nothing. It must be exactly ours,
 * and not have been there before.
 */
static void drop_leftover(const struct root *root, const struct step *step, const struct names *before,
			  struct err *err)
{
	_cleanup_names_ struct names after = NAMES_INIT;
	int r = list_controllers(root, &after);

	for (size_t i = 0; r == 0 && i < after.count; i++) {
		struct err ignored = { 0 };
		struct ctrl_id id;
		unsigned instance;
		int left;

		if (!read_new(root, after.name[i], before, &instance, &id) || !ctrl_id_equal(&id, &step->id))
			continue;
		left = fx_delete_wait(root, &step->id, instance, DROP_MS, &ignored);
		if (left < 0 && left != -ESTALE) /* that: it has gone by itself */
			str_append(err->msg, sizeof(err->msg), "; nvme%u is left of it: run teardown",
				   instance);
	}
	if (r < 0)
		str_append(err->msg, sizeof(err->msg),
			   "; whether a controller is left could not be read (%s)", strerror(-r));
}

/*
 * The kernel's lines since log was opened, without those of controllers that were there already; NULL:
 * unreadable.
 */
static const char *read_log(int log, const struct names *before, char buf[static LOG_MAX])
{
	unsigned instance;

	if (log < 0 || kmsg_read(log, buf, LOG_MAX) < 0)
		return NULL;
	for (size_t i = 0; i < before->count; i++) {
		if (instance_of(before->name[i], &instance))
			kmsg_drop_controller(buf, instance);
	}
	return buf;
}

static int stopped(const char *portal, struct err *err)
{
	return err_set(err, XC_FAILED, -EINTR, portal, "%s: stopped by a signal before it was connected",
		       portal);
}

int fx_nvme_connect(const struct root *root, const struct step *step, enum path_reason *ret_reason,
		    struct err *err)
{
	_cleanup_names_ struct names before = NAMES_INIT;
	_cleanup_close_ int log = -1;
	char options[OPTIONS_MAX], portal[PORTAL_TEXT_MAX], buf[LOG_MAX];
	bool late;
	int r;

	*ret_reason = PATH_OTHER;
	fx_nvme_portal(&step->id, portal);
	if (!root->live)
		return err_set(err, XC_ENVIRONMENT, -EROFS, portal, "%s: a tree is never connected", portal);
	r = build_options(step, options);
	if (r < 0)
		return err_set(
			err, XC_REFUSED, r, portal,
			"%s: a name or address of this path does not fit into the kernel's option string",
			portal);
	r = list_controllers(root, &before);
	if (r < 0)
		return err_set(err, XC_ENVIRONMENT, r, portal, "%s: /" CLASS_NVME " cannot be read: %s",
			       portal, strerror(-r));
	if (fx_signals_stop())
		return stopped(portal, err);
	log = kmsg_open();
	r = write_options(root, options, step->timeout_s, &late);
	if (r == 0)
		return drop_misnamed(root, step, &before, portal, err);
	if (r == -EINTR && fx_signals_stop()) {
		(void)stopped(portal, err);
	} else {
		const char *lines = read_log(log, &before, buf);

		*ret_reason = late ? PATH_TIMEOUT : kmsg_connect_reason(r, lines);
		r = late ? -ETIMEDOUT : r;
		(void)fx_nvme_explain(step, r, *ret_reason, lines, err);
	}
	if (r != -EALREADY) /* that one is somebody else's */
		drop_leftover(root, step, &before, err);
	return r;
}
