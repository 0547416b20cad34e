/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who this host is to a target: always a pair of host NQN and host id. Newer kernels refuse a host id
 * under a second NQN (fabrics.c nvmf_host_add), so the pair is never put together from two places
 * unless the user did it.
 */
#include "facts/identity.h"

#include <errno.h>
#include <string.h>

#include "facts/facts.h"

#define HOSTNQN "etc/nvme/hostnqn"
#define HOSTID "etc/nvme/hostid"
#define REMEDY "nvme gen-hostnqn > /etc/nvme/hostnqn"

int identity_read_hostnqn(const struct root *root, char ret[static NQN_SIZE], struct err *err)
{
	char text[ROOT_LINE_MAX];
	int r = root_line(root, text, sizeof(text), HOSTNQN);

	if (r == -ENOENT)
		return err_set(err, XC_ENVIRONMENT, r, "/" HOSTNQN,
			       "/" HOSTNQN " is not there: this host has no NQN (" REMEDY ", or give -q)");
	if (r < 0 && r != -EINVAL)
		return err_set(err, XC_ENVIRONMENT, r, "/" HOSTNQN, "/" HOSTNQN ": %s", strerror(-r));
	if (r == 0 && text[0] == '\0')
		return err_set(err, XC_ENVIRONMENT, -EINVAL, "/" HOSTNQN,
			       "/" HOSTNQN " is empty (" REMEDY ")");
	if (r == 0)
		r = parse_nqn(text);
	if (r == -ENAMETOOLONG)
		return err_set(err, XC_ENVIRONMENT, r, "/" HOSTNQN,
			       "/" HOSTNQN ": the NQN has %zu bytes, at most %d are allowed (" REMEDY ")",
			       strlen(text), NQN_LENGTH_MAX);
	if (r < 0)
		return err_set(err, XC_ENVIRONMENT, -EINVAL, "/" HOSTNQN,
			       "/" HOSTNQN " does not hold one NQN (" REMEDY ")");
	return str_copy(ret, NQN_SIZE, text);
}

int identity_read_hostid(const struct root *root, char ret[static UUID_SIZE], struct err *err)
{
	char text[ROOT_LINE_MAX];
	int r = root_line(root, text, sizeof(text), HOSTID);

	if (r == -ENOENT)
		return 0;
	if (r < 0 && r != -EINVAL)
		return err_set(err, XC_ENVIRONMENT, r, "/" HOSTID, "/" HOSTID ": %s", strerror(-r));
	if (r < 0 || parse_uuid(text, ret) < 0)
		return err_set(err, XC_ENVIRONMENT, -EINVAL, "/" HOSTID,
			       "/" HOSTID " does not hold one UUID (write the UUID in /" HOSTNQN
			       " there, or remove it)");
	return 0;
}

int facts_read_identity(const struct root *root, struct request *request, struct err *err)
{
	bool given = request->hostnqn[0] != '\0';
	char hostnqn[NQN_SIZE] = "", hostid[UUID_SIZE] = "";
	int r = 0;

	if (!given) {
		r = identity_read_hostnqn(root, hostnqn, err);
		if (r == 0 && request->hostid[0] == '\0')
			r = identity_read_hostid(root, hostid, err);
		if (r < 0)
			return r;
		memcpy(request->hostnqn, hostnqn, sizeof(hostnqn));
		if (request->hostid[0] == '\0')
			memcpy(request->hostid, hostid, sizeof(hostid));
	}
	if (request->hostid[0] != '\0' || parse_nqn_uuid(request->hostnqn, request->hostid) == 0)
		return 0;
	if (given)
		return err_set(err, XC_USAGE, -EINVAL, request->hostnqn,
			       "the host NQN %s has no UUID in it: give the host id as well (-I)",
			       request->hostnqn);
	return err_set(err, XC_ENVIRONMENT, -ENOENT, "/" HOSTID,
		       "/" HOSTNQN " has no UUID in it, and there is no /" HOSTID " (" REMEDY ")");
}
