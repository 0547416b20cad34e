/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who this host is, by its firmware and by its files, and whether something else connects it when it boots:
 * nvme-cli's nvmf-autoconnect.service runs "nvme connect-all", over whatever port a route leads through.
 */
#include "facts/facts.h"

#include <errno.h>
#include <string.h>

#include "base/json.h"
#include "facts/identity.h"
#include "facts/sysfs.h"

#define UNIT "nvmf-autoconnect.service"
#define DISCOVERY_CONF "etc/nvme/discovery.conf"
#define CONFIG_JSON "etc/nvme/config.json"
#define PRODUCT_UUID "sys/class/dmi/id/product_uuid"
#define CONFIG_MAX (1 << 20)

/* Where systemd looks for units, the first one wins (systemd.unit(5)). /lib may be a link to /usr/lib. */
static const char *const unit_dirs[] = {
	"etc/systemd/system.control",  "run/systemd/system.control",   "run/systemd/transient",
	"run/systemd/generator.early", "etc/systemd/system",	       "run/systemd/system",
	"run/systemd/generator",       "usr/local/lib/systemd/system", "usr/lib/systemd/system",
	"lib/systemd/system",	       "run/systemd/generator.late",
};

/* A unit that is a link to /dev/null, or an empty file, is masked. Only the first one of its name counts. */
static bool is_masked(const struct root *root)
{
	for (size_t i = 0; i < ARRAY_SIZE(unit_dirs); i++) {
		_cleanup_free_ char *text = NULL;
		char target[256];
		int r = root_link(root, target, sizeof(target), "%s/" UNIT, unit_dirs[i]);

		if (r == 0)
			return strcmp(target, "/dev/null") == 0;
		if (r == -EINVAL) /* it is no link */
			return root_read_all(root, &text, CONFIG_MAX, "%s/" UNIT, unit_dirs[i]) == 0;
	}
	return false;
}

static bool ends_with(const char *text, const char *end)
{
	size_t length = strlen(text), tail = strlen(end);

	return length > tail && strcmp(text + length - tail, end) == 0;
}

/*
 * Enabled is what another unit wants, by a link in its directory. One whose target is gone is taken for one
 * that is not: the package may come back. 0: it is not there; 1: it is; -errno.
 */
static int is_wanted_below(const struct root *root, const char *dir)
{
	_cleanup_names_ struct names names = NAMES_INIT;
	int r = root_list(root, &names, "%s", dir), failed = 0;

	if (r < 0)
		return r == -ENOENT || r == -ENOTDIR ? 0 : r;
	for (size_t i = 0; i < names.count; i++) {
		char target[8];

		if (!ends_with(names.name[i], ".wants") && !ends_with(names.name[i], ".requires"))
			continue;
		r = root_link(root, target, sizeof(target), "%s/%s/" UNIT, dir, names.name[i]);
		if (r == 0 || r == -ENAMETOOLONG || r == -EINVAL)
			return 1;
		if (r != -ENOENT && r != -ENOTDIR)
			failed = r;
	}
	return failed;
}

static enum read_state read_autoconnect(const struct root *root, struct findings *findings)
{
	enum read_state state = READ_NOT_THERE;

	if (is_masked(root))
		return READ_NOT_THERE;
	for (size_t i = 0; i < ARRAY_SIZE(unit_dirs); i++) {
		int r = is_wanted_below(root, unit_dirs[i]);

		if (r > 0)
			return READ_OK;
		if (r == 0)
			continue;
		state = READ_FAILED;
		sysfs_unreadable(findings, UNIT, r, "%s", unit_dirs[i]);
	}
	return state;
}

/* --- what it would read --- */

/* nvme-cli passes over blank lines and those that begin with "#". */
static bool says_something(const char *text)
{
	while (*text != '\0') {
		text += strspn(text, " \t\r\n");
		if (*text != '#' && *text != '\0')
			return true;
		text += strcspn(text, "\n");
	}
	return false;
}

static bool is_empty_json(const char *text)
{
	const char *why;
	_cleanup_json_ struct json *json = json_parse(text, strlen(text), &why);

	return json_is_array(json) && json_length(json) == 0;
}

/* One that cannot be read counts: nvme-cli, as root, can perhaps. */
static bool has_config(const struct root *root, const char *path, struct findings *findings)
{
	_cleanup_free_ char *text = NULL;
	ssize_t length = root_read_all(root, &text, CONFIG_MAX, "%s", path);

	if (length == -ENOENT || length == -ENOTDIR)
		return false;
	if (length < 0)
		sysfs_unreadable(findings, path, (int)length, "%s", path);
	/* A NUL ends the text for us alone. */
	return length < 0 || strlen(text) != (size_t)length || (says_something(text) && !is_empty_json(text));
}

/* --- who it is --- */

/*
 * No finding if it is not there (no DMI, or firmware that gives no UUID: dmi_save_uuid), or if only root may
 * read it.
 */
static void read_product_uuid(const struct root *root, char ret[static UUID_SIZE], struct findings *findings)
{
	char text[64];
	int r = root_line(root, text, sizeof(text), PRODUCT_UUID);

	ret[0] = '\0';
	if (r == -ENOENT || r == -EACCES || r == -EPERM)
		return;
	/* All zeros, or all ones, is no machine's. */
	if (r == 0 && (text[strspn(text, "0-")] == '\0' || text[strspn(text, "fF-")] == '\0'))
		r = -EINVAL;
	if (r == 0)
		r = parse_uuid(text, ret);
	if (r < 0)
		sysfs_unreadable(findings, "dmi", r, PRODUCT_UUID);
}

static void read_identity(const struct root *root, struct settings *ret, struct findings *findings)
{
	struct err nqn = { 0 }, id = { 0 };

	ret->hostnqn[0] = ret->hostid[0] = '\0';
	if (identity_read_hostnqn(root, ret->hostnqn, &nqn) < 0 && nqn.code != -ENOENT)
		finding_add(findings, FINDING_UNKNOWN, "facts.readable", nqn.object, nqn.object, "%s",
			    nqn.msg);
	if (identity_read_hostid(root, ret->hostid, &id) < 0)
		finding_add(findings, FINDING_UNKNOWN, "facts.readable", id.object, id.object, "%s", id.msg);
}

int facts_read_host(const struct root *root, struct settings *ret, struct findings *findings, struct err *err)
{
	static const char *const configs[] = { DISCOVERY_CONF, CONFIG_JSON };

	(void)err; /* all readers look alike; what cannot be read is unknown */
	ret->autoconnect = read_autoconnect(root, findings);
	ret->autoconnect_config[0] = '\0';
	for (size_t i = 0; i < ARRAY_SIZE(configs) && ret->autoconnect_config[0] == '\0'; i++) {
		if (has_config(root, configs[i], findings))
			str_format(ret->autoconnect_config, sizeof(ret->autoconnect_config), "/%s",
				   configs[i]);
	}
	read_product_uuid(root, ret->product_uuid, findings);
	read_identity(root, ret, findings);
	return 0;
}
