/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How controllers are set up, as verify compares it with what was asked for. A controller's files are read
 * below one descriptor, and only if its directory is still the one that facts_read_nvme saw.
 */
#include "facts/facts.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>

#include "facts/sysfs.h"

#define CLASS "sys/class/nvme"

static void unreadable(const struct ctrl *ctrl, int code, const char *file, struct findings *findings)
{
	char name[16];

	str_format(name, sizeof(name), "nvme%u", ctrl->instance);
	sysfs_unreadable(findings, name, code, CLASS "/%s/%s", name, file);
}

/* Seconds, or "off" for -1 (nvme_ctrl_loss_tmo_show, nvme_ctrl_reconnect_delay_show); older kernels lack
 * them. */
static int read_seconds(const struct root *dir, const struct ctrl *ctrl, const char *file,
			struct findings *findings)
{
	int64_t value = -1;
	char text[32];
	int r = root_line(dir, text, sizeof(text), "%s", file);

	if (r == 0 && strcmp(text, "off") == 0)
		return INT_MAX;
	if (r == 0)
		r = parse_i64(text, 0, INT_MAX - 1, &value);
	if (r < 0 && r != -ENOENT && r != -ENODEV)
		unreadable(ctrl, r, file, findings);
	return r < 0 ? -1 : (int)value;
}

/* One "key=value" of the address. */
static int take_item(const char *item, struct ctrl *ctrl)
{
	static const char src_addr[] = "src_addr=", host_iface[] = "host_iface=";
	struct ip ip;
	int r;

	if (strncmp(item, host_iface, strlen(host_iface)) == 0)
		return str_copy(ctrl->host_iface, sizeof(ctrl->host_iface), item + strlen(host_iface));
	if (strncmp(item, src_addr, strlen(src_addr)) != 0)
		return 0;
	r = ip_parse(item + strlen(src_addr), &ip);
	if (r == 0)
		ip_format(&ip, ctrl->src_addr);
	return r;
}

/*
 * Only TCP binds to an interface (nvmf_get_address), and tells the source that its socket has
 * (nvme_tcp_get_address), which no other file does.
 */
static void read_address(const struct root *dir, struct ctrl *ctrl, struct findings *findings)
{
	char text[1024], *rest = text, *item;
	int r = root_line(dir, text, sizeof(text), "address");

	while (r == 0 && (item = strsep(&rest, ",")))
		r = take_item(item, ctrl);
	if (r == 0)
		return;
	ctrl->src_addr[0] = ctrl->host_iface[0] = '\0';
	if (r != -ENOENT && r != -ENODEV)
		unreadable(ctrl, r, "address", findings);
}

/* nvmeN may be another controller by now. */
static bool is_same(const struct root *dir, const struct ctrl *ctrl)
{
	struct stat st;

	return !dir->live || ctrl->inode == 0 || (fstat(dir->fd, &st) == 0 && st.st_ino == ctrl->inode);
}

int facts_read_ctrl_settings(const struct root *root, struct topology *topo, struct findings *findings,
			     struct err *err)
{
	(void)err; /* all readers look alike; what cannot be read is unknown */
	for (unsigned i = 0; i < topo->ctrls; i++) {
		struct ctrl *ctrl = &topo->ctrl[i];
		_cleanup_close_ int fd =
			root_openat(root, O_PATH | O_DIRECTORY, CLASS "/nvme%u", ctrl->instance);
		struct root dir = *root;

		ctrl->ctrl_loss_tmo = ctrl->reconnect_delay = -1;
		ctrl->src_addr[0] = ctrl->host_iface[0] = ctrl->kind[0] = '\0';
		dir.fd = fd;
		if (fd < 0 && fd != -ENOENT && fd != -ENODEV)
			unreadable(ctrl, fd, "", findings);
		if (fd < 0 || !is_same(&dir, ctrl))
			continue;
		ctrl->ctrl_loss_tmo = read_seconds(&dir, ctrl, "ctrl_loss_tmo", findings);
		ctrl->reconnect_delay = read_seconds(&dir, ctrl, "reconnect_delay", findings);
		/* Since Linux 5.13; what it cannot be is as if it were not there. */
		if (root_line(&dir, ctrl->kind, sizeof(ctrl->kind), "cntrltype") < 0)
			ctrl->kind[0] = '\0';
		if (strcmp(ctrl->id.transport, "tcp") == 0)
			read_address(&dir, ctrl, findings);
	}
	return 0;
}
