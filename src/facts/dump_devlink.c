/* SPDX-License-Identifier: GPL-2.0-or-later */
/* netlink/devlink.json: an object with the "dev" of the one command and the "info" of the other. */
#include "facts/dump_devlink.h"

#include <string.h>

#include "facts/dump_file.h"

#define FILE_NAME "devlink.json"
#define UNSUPPORTED "Operation not supported" /* what devlink prints after "kernel answers:" */

/* NULL, or the key that is wrong. */
static const char *take_eswitch(const struct json *entry, struct offload_port *ret)
{
	const char *mode = json_text(json_get(entry, "mode")), *error = json_text(json_get(entry, "error"));

	if (mode && strcmp(mode, "legacy") == 0)
		ret->eswitch = ESWITCH_LEGACY;
	else if (mode && strcmp(mode, "switchdev") == 0)
		ret->eswitch = ESWITCH_SWITCHDEV;
	else if (mode || !error)
		return "mode";
	else if (strcmp(error, UNSUPPORTED) == 0)
		ret->eswitch = ESWITCH_NONE;
	else
		str_format(ret->eswitch_why, sizeof(ret->eswitch_why), "%s", error);
	return NULL;
}

static void take_version(const struct json *versions, const char *kind, const char *key,
			 char ret[OFFLOAD_VERSION_SIZE])
{
	if (json_get_str(json_get(versions, kind), key, ret, OFFLOAD_VERSION_SIZE) < 0)
		ret[0] = '\0';
}

static void take_port(const struct json *file, struct offload_port *port, struct findings *findings)
{
	char pci[PCI_TEXT_MAX], name[PCI_TEXT_MAX + 8];
	const struct json *entry, *versions;
	const char *wrong;

	str_format(name, sizeof(name), "pci/%s", pci_format(&port->pci, pci));
	entry = json_get(json_get(file, "dev"), name);
	wrong = entry ? take_eswitch(entry, port) : NULL;
	if (wrong) {
		str_format(port->eswitch_why, sizeof(port->eswitch_why),
			   "netlink/" FILE_NAME ": no usable \"%s\"", wrong);
		finding_add(findings, FINDING_UNKNOWN, "facts.readable", pci, FILE_NAME,
			    "netlink/" FILE_NAME ": the entry of %s has no usable \"%s\"", name, wrong);
	}
	versions = json_get(json_get(json_get(file, "info"), name), "versions");
	take_version(versions, "fixed", "fw.psid", port->psid);
	take_version(versions, "running", "fw.version", port->firmware);
}

void dump_read_devlink(const struct root *root, struct offload *ret, struct findings *findings)
{
	_cleanup_json_ struct json *file = NULL;
	char why[DUMP_WHY_SIZE];

	ret->devlink_read = dump_read_object(root, FILE_NAME, &file, why);
	if (ret->devlink_read == READ_FAILED) {
		finding_add(findings, FINDING_UNKNOWN, "facts.readable", FILE_NAME, NULL, "%s", why);
		str_format(ret->devlink_why, sizeof(ret->devlink_why), "%s", why);
	}
	for (unsigned c = 0; c < ret->cards && ret->devlink_read == READ_OK; c++) {
		for (unsigned p = 0; p < ret->card[c].ports; p++)
			take_port(file, &ret->card[c].port[p], findings);
	}
}
