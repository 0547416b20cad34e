/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who this host is to a target: hostnqn and hostid are a pair (newer kernels refuse to mix them,
 * nvmf_host_add), one for all controllers, and of this machine, as two machines with one identity share
 * reservations and access. fail: controllers differ, or the UUID is another machine's, as in a cloned image.
 */
#include "policy/verify_parts.h"

#include <string.h>
#include <strings.h>

static const char *const no_controller = "there is no controller over RDMA";

/* The two files hold exactly this pair, as somebody made them. */
static bool is_pair_of_files(const struct verify *v, const struct ctrl_id *id)
{
	return v->settings->hostnqn[0] != '\0' && strcmp(id->hostnqn, v->settings->hostnqn) == 0 &&
	       strcasecmp(id->hostid, v->settings->hostid) == 0;
}

/* --- pair --- */

static void judge_pair(const struct verify *v, struct check *check, const struct ctrl *ctrl)
{
	const struct ctrl_id *id = &ctrl->id;
	char name[NVME_NAME_SIZE], text[CTRL_TEXT_MAX], uuid[UUID_SIZE];

	verify_ctrl_name(ctrl, name);
	verify_ctrl_text(ctrl, text);
	if (id->hostnqn[0] == '\0' || id->hostid[0] == '\0')
		check_bad(check, FINDING_UNKNOWN, name, NULL,
			  "hostnqn or hostid of %s cannot be read, or this kernel does not show it", text);
	else if (parse_nqn_uuid(id->hostnqn, uuid) == 0 && strcasecmp(uuid, id->hostid) == 0)
		check_good(check);
	else if (parse_nqn_uuid(id->hostnqn, uuid) == 0)
		check_bad(check, is_pair_of_files(v, id) ? FINDING_WARN : FINDING_FAIL, name, NULL,
			  "%s: hostid %s is not the UUID of hostnqn %s: write that UUID to /etc/nvme/hostid, "
			  "and "
			  "connect it again",
			  text, id->hostid, id->hostnqn);
	else if (is_pair_of_files(v, id))
		check_good(check);
	else
		check_bad(check, FINDING_UNKNOWN, name, NULL,
			  "%s: hostnqn %s has no UUID in it, and is not that of /etc/nvme/hostnqn with "
			  "/etc/nvme/hostid, "
			  "so whether hostid %s belongs to it is unknown",
			  text, id->hostnqn, id->hostid);
}

/* --- same --- */

static void judge_same(const struct verify *v, struct check *check, const struct ctrl *ctrl,
		       const struct ctrl *first)
{
	const struct ctrl_id *id = &ctrl->id;
	const char *file = v->settings->hostnqn;
	char name[NVME_NAME_SIZE], text[CTRL_TEXT_MAX];

	verify_ctrl_name(ctrl, name);
	verify_ctrl_text(ctrl, text);
	if (id->hostnqn[0] == '\0' || id->hostid[0] == '\0')
		check_bad(check, FINDING_UNKNOWN, name, NULL,
			  "hostnqn or hostid of %s cannot be read, or this kernel does not show it", text);
	else if (strcmp(id->hostnqn, first->id.hostnqn) != 0 || strcasecmp(id->hostid, first->id.hostid) != 0)
		check_bad(check, FINDING_FAIL, name, NULL,
			  "%s has hostnqn %s and hostid %s, nvme%u has others: a target takes them for two "
			  "hosts; "
			  "connect one of them again with the other's",
			  text, id->hostnqn, id->hostid, first->instance);
	else if (file[0] != '\0' && strcmp(id->hostnqn, file) != 0)
		/* An option or the config may have said so. */
		check_bad(check, FINDING_WARN, name, NULL,
			  "%s has hostnqn %s, /etc/nvme/hostnqn has %s: what is connected without an option "
			  "will "
			  "be another host to the target",
			  text, id->hostnqn, file);
	else
		check_good(check);
}

/* --- machine --- */

/* The first three groups by bytes, as firmware before SMBIOS 2.6 means them. Both are lower case. */
static void swap_groups(const char *uuid, char ret[static UUID_SIZE])
{
	static const unsigned char from[] = { 6, 7, 4, 5, 2, 3, 0, 1, 8, 11, 12, 9, 10, 13, 16, 17, 14, 15 };

	str_format(ret, UUID_SIZE, "%s", uuid);
	for (unsigned i = 0; i < sizeof(from); i++)
		ret[i] = uuid[from[i]];
}

/* Zero and all ones: the firmware has none. */
static bool is_no_uuid(const char *uuid)
{
	return strspn(uuid, "0-") == UUID_SIZE - 1 || strspn(uuid, "fF-") == UUID_SIZE - 1;
}

/* origin: whose hostnqn it is. */
static void judge_machine(const struct verify *v, struct check *check, const char *object,
			  const char *hostnqn, const char *origin)
{
	char uuid[UUID_SIZE], machine[UUID_SIZE], swapped[UUID_SIZE];

	if (parse_nqn_uuid(hostnqn, uuid) < 0) {
		check_bad(check, FINDING_UNKNOWN, object, NULL,
			  "hostnqn %s of %s has no UUID in it, so whether it is this machine's is unknown",
			  hostnqn[0] ? hostnqn : "(unknown)", origin);
		return;
	}
	if (parse_uuid(v->settings->product_uuid, machine) < 0) {
		check_bad(check, FINDING_UNKNOWN, object, NULL,
			  "the UUID of this machine cannot be read (as root alone), so whether hostnqn %s of "
			  "%s is its "
			  "own is unknown",
			  hostnqn, origin);
		return;
	}
	swap_groups(machine, swapped);
	if (is_no_uuid(machine) || is_no_uuid(uuid))
		check_bad(check, FINDING_UNKNOWN, object, NULL,
			  "%s %s is no UUID of a machine, so whether hostnqn %s of %s is this one's is "
			  "unknown: set "
			  "one of its own, by the firmware's vendor or in /etc/nvme/hostnqn",
			  is_no_uuid(machine) ? "the firmware's UUID" : "the UUID",
			  is_no_uuid(machine) ? machine : uuid, hostnqn, origin);
	else if (strcmp(uuid, machine) == 0 || strcmp(uuid, swapped) == 0)
		check_good(check);
	else
		check_bad(check, FINDING_FAIL, object, NULL,
			  "hostnqn %s of %s is not of this machine, whose UUID is %s, as in a cloned image: "
			  "a target may "
			  "take two hosts for one; write nqn.2014-08.org.nvmexpress:uuid:%s to "
			  "/etc/nvme/hostnqn, "
			  "its UUID to hostid, and connect again",
			  hostnqn, origin, machine, machine);
}

static void check_machine(const struct verify *v)
{
	struct check check = check_begin(v->findings, "identity.machine",
					 "sys/class/dmi/id/product_uuid, sys/class/nvme/*/hostnqn");
	const char *last = NULL;

	for (unsigned i = 0; i < v->plan->paths; i++) {
		const struct path *path = &v->plan->path[i];
		char name[NVME_NAME_SIZE];
		const struct ctrl *ctrl = path->ctrl >= 0 ? &v->topo->ctrl[path->ctrl] : NULL;

		if (!ctrl || (last && strcmp(last, ctrl->id.hostnqn) == 0))
			continue; /* once for what all controllers have in common */
		last = ctrl->id.hostnqn;
		judge_machine(v, &check, verify_ctrl_name(ctrl, name), last, name);
	}
	if (!last && v->settings->hostnqn[0] != '\0') {
		check.evidence = "sys/class/dmi/id/product_uuid, etc/nvme/hostnqn";
		judge_machine(v, &check, "/etc/nvme/hostnqn", v->settings->hostnqn, "/etc/nvme/hostnqn");
	}
	check_end(&check, NULL, "there is no controller over RDMA and no /etc/nvme/hostnqn",
		  "the UUID in hostnqn is this machine's");
}

void verify_identity(const struct verify *v)
{
	struct check pair = check_begin(v->findings, "identity.pair", "sys/class/nvme/*/hostnqn, hostid");
	struct check same = check_begin(v->findings, "identity.same",
					"sys/class/nvme/*/hostnqn, hostid, etc/nvme/hostnqn");
	const struct ctrl *first = NULL;

	for (unsigned i = 0; i < v->plan->paths; i++) {
		const struct ctrl *ctrl =
			v->plan->path[i].ctrl >= 0 ? &v->topo->ctrl[v->plan->path[i].ctrl] : NULL;

		if (!ctrl)
			continue;
		if (!first && ctrl->id.hostnqn[0] != '\0' && ctrl->id.hostid[0] != '\0')
			first = ctrl;
		judge_pair(v, &pair, ctrl);
		judge_same(v, &same, ctrl, first ? first : ctrl);
	}
	check_end(&pair, NULL, no_controller, "%u controllers have the hostid that belongs to their hostnqn",
		  pair.good);
	check_end(&same, NULL, no_controller, "%u controllers have one hostnqn and one hostid%s", same.good,
		  v->settings->hostnqn[0] ? ", as /etc/nvme/hostnqn says" : "");
	check_machine(v);
}
