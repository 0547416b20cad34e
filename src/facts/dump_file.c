/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reading the files below netlink/ of a tree. */
#include "facts/dump_file.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

#include "facts/sysfs.h"

static enum read_state read_json(const struct root *root, const char *name, struct json **ret,
				 char why[static DUMP_WHY_SIZE])
{
	_cleanup_free_ char *text = NULL;
	const char *reason = "";
	ssize_t length = root_read_all(root, &text, DUMP_MAX, "netlink/%s", name);

	if (length == -ENOENT)
		return READ_NOT_THERE;
	if (length == -EFBIG) {
		str_format(why, DUMP_WHY_SIZE, "netlink/%s: larger than %d bytes", name, DUMP_MAX);
		return READ_FAILED;
	}
	if (length < 0) {
		str_format(why, DUMP_WHY_SIZE, "netlink/%s: %s", name, strerror(-(int)length));
		return READ_FAILED;
	}
	*ret = json_parse(text, (size_t)length, &reason);
	if (*ret)
		return READ_OK;
	str_format(why, DUMP_WHY_SIZE, "netlink/%s: not JSON: %s", name, reason);
	return READ_FAILED;
}

enum read_state dump_read(const struct root *root, const char *name, struct json **ret,
			  char why[static DUMP_WHY_SIZE])
{
	_cleanup_json_ struct json *j = NULL;
	enum read_state state = read_json(root, name, &j, why);

	if (state == READ_OK && !json_is_array(j)) {
		str_format(why, DUMP_WHY_SIZE, "netlink/%s: not an array", name);
		return READ_FAILED;
	}
	if (state == READ_OK) {
		*ret = j;
		j = NULL;
	}
	return state;
}

enum read_state dump_read_object(const struct root *root, const char *name, struct json **ret,
				 char why[static DUMP_WHY_SIZE])
{
	_cleanup_json_ struct json *j = NULL;
	enum read_state state = read_json(root, name, &j, why);

	if (state == READ_OK && !json_is_object(j)) {
		str_format(why, DUMP_WHY_SIZE, "netlink/%s: not an object", name);
		return READ_FAILED;
	}
	if (state == READ_OK) {
		*ret = j;
		j = NULL;
	}
	return state;
}

struct json *dump_read_or_note(const struct root *root, const char *name, struct findings *findings)
{
	char why[DUMP_WHY_SIZE];
	struct json *j = NULL;

	if (dump_read(root, name, &j, why) == READ_FAILED)
		finding_add(findings, FINDING_UNKNOWN, "facts.readable", name, NULL, "%s", why);
	return j;
}

void dump_odd_add(struct dump_odd *odd, size_t index, const char *what)
{
	if (odd->count == 0) {
		odd->first = index;
		odd->what = what;
	}
	if (odd->count < UINT_MAX)
		odd->count++;
}

void dump_odd_report(const struct dump_odd *odd, struct findings *findings)
{
	char more[32] = "";

	if (odd->count == 0)
		return;
	if (odd->count > 1)
		str_format(more, sizeof(more), ", and %u more like it", odd->count - 1);
	finding_add(findings, FINDING_UNKNOWN, "facts.readable", odd->name, NULL,
		    "netlink/%s: entry %zu has no usable \"%s\"%s", odd->name, odd->first, odd->what, more);
}

int dump_ifindex(const struct topology *topo, const struct json *object, const char *key)
{
	const char *name = json_text(json_get(object, key));
	const struct netdev *netdev;
	unsigned number;

	if (!name)
		return 0;
	netdev = topo_netdev_by_name(topo, name);
	if (netdev)
		return netdev->ifindex;
	return sysfs_numbered(name, "if", &number) && number <= INT_MAX ? (int)number : 0;
}

bool dump_has_word(const struct json *array, const char *word)
{
	for (size_t i = 0; i < json_length(array); i++) {
		const char *text = json_text(json_at(array, i));

		if (text && strcmp(text, word) == 0)
			return true;
	}
	return false;
}
