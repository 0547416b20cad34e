/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whether systemd-networkd or NetworkManager configures an interface: they would undo what is done to it
 * behind their back. Both leave a file for each interface below /run, named by its index, which stays when
 * the daemon is stopped: it comes back at the next boot, and so does what it does.
 */
#include "facts/facts.h"

#include <errno.h>
#include <string.h>

#include "facts/sysfs.h"

#define NETWORKD "run/systemd/netif/links"
#define NETWORKMANAGER "run/NetworkManager/devices"
#define STATE_MAX 65536

/* The value of the last line "KEY=VALUE" with that key, as both parsers take it; NULL: none. Cuts text. */
static const char *value_of(char *text, const char *key)
{
	size_t length = strlen(key);
	const char *found = NULL;

	for (char *line = text, *next; line; line = next) {
		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		if (strncmp(line, key, length) == 0 && line[length] == '=')
			found = line + length + 1;
	}
	return found;
}

static bool is_word(const char *value, const char *const *words)
{
	for (; value && *words; words++) {
		if (strcmp(value, *words) == 0)
			return true;
	}
	return false;
}

/* 0: *ret is its text; -ENOENT: there is none; another -errno with a finding. */
static int read_state(const struct root *root, const char *dir, const struct netdev *netdev, char **ret,
		      struct findings *findings)
{
	ssize_t length = root_read_all(root, ret, STATE_MAX, "%s/%d", dir, netdev->ifindex);

	if (length >= 0 && strlen(*ret) == (size_t)length)
		return 0;
	if (length >= 0)
		length = -EINVAL; /* a NUL */
	if (length != -ENOENT)
		sysfs_unreadable(findings, netdev->name, (int)length, "%s/%d", dir, netdev->ifindex);
	return (int)length;
}

/* link_state_table of networkd-link.c. A word that is new is not taken for "hands off". */
static enum manager read_networkd(const struct root *root, const struct netdev *netdev, char *ret_file,
				  struct findings *findings)
{
	static const char *const off[] = { "unmanaged", "linger", NULL };
	static const char *const open[] = { "pending", "initialized", NULL };
	_cleanup_free_ char *text = NULL, *again = NULL;
	const char *state, *file;
	int r = read_state(root, NETWORKD, netdev, &text, findings);

	if (r < 0)
		return r == -ENOENT ? MANAGER_NONE : MANAGER_UNKNOWN;
	again = strdup(text);
	if (!again)
		return MANAGER_UNKNOWN;
	file = value_of(again, "NETWORK_FILE");
	state = value_of(text, "ADMIN_STATE");
	if (is_word(state, off))
		return MANAGER_NONE;
	if (file && file[0] != '\0' && str_copy(ret_file, MANAGED_FILE_SIZE, file) < 0)
		ret_file[0] = '\0';
	if (file && file[0] != '\0')
		return MANAGER_NETWORKD;
	/* It has not looked at the interface yet: nobody knows. */
	return !state || is_word(state, open) ? MANAGER_UNKNOWN : MANAGER_NETWORKD;
}

/* "managed" of [device]: a boolean, left out while it is not decided (nm_config_device_state_write). */
static enum manager read_networkmanager(const struct root *root, const struct netdev *netdev,
					struct findings *findings)
{
	static const char *const yes[] = { "true", "1", NULL };
	static const char *const no[] = { "false", "0", NULL };
	_cleanup_free_ char *text = NULL;
	const char *value;
	int r = read_state(root, NETWORKMANAGER, netdev, &text, findings);

	if (r < 0)
		return r == -ENOENT ? MANAGER_NONE : MANAGER_UNKNOWN;
	value = value_of(text, "managed");
	if (is_word(value, yes))
		return MANAGER_NETWORKMANAGER;
	return is_word(value, no) ? MANAGER_NONE : MANAGER_UNKNOWN;
}

void facts_read_managed(const struct root *root, const struct netdev *netdev, struct managed *ret,
			struct findings *findings)
{
	enum manager networkd, manager;

	*ret = (struct managed){ .by = MANAGER_UNKNOWN };
	if (netdev->ifindex <= 0)
		return;
	networkd = read_networkd(root, netdev, ret->file, findings);
	manager = read_networkmanager(root, netdev, findings);
	if (networkd == MANAGER_NETWORKD || manager == MANAGER_NETWORKMANAGER)
		ret->by = networkd == MANAGER_NETWORKD ? networkd : manager;
	else if (networkd == MANAGER_NONE && manager == MANAGER_NONE)
		ret->by = MANAGER_NONE;
}
