/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The words for a connect that failed: what is wrong, and what to do about it. */
#include "apply/fx_nvme_why.h"

#include <errno.h>
#include <string.h>

const char *fx_nvme_portal(const struct ctrl_id *id, char buf[static PORTAL_TEXT_MAX])
{
	bool six = strchr(id->traddr, ':') != NULL;

	str_format(buf, PORTAL_TEXT_MAX, "%s%s%s:%s", six ? "[" : "", id->traddr, six ? "]" : "", id->trsvcid);
	return buf;
}

#define LINE_MAX_QUOTED 300

/* The kernel's last line about the Connect, else its last line; "" if there is none. */
static const char *kernel_line(const char *lines, char buf[static LINE_MAX_QUOTED])
{
	bool telling = false;

	buf[0] = '\0';
	for (const char *at = lines ? lines : ""; *at != '\0';) {
		size_t length = strcspn(at, "\n");
		bool better = memmem(at, length, "Connect", 7) != NULL;

		if (better || !telling)
			str_format(buf, LINE_MAX_QUOTED, "%.*s", (int)length, at);
		telling = telling || better;
		at += length + (at[length] == '\n');
	}
	return buf;
}

static int explain_invalid(const char *portal, const char *lines, struct err *err)
{
	char line[LINE_MAX_QUOTED];

	/* nvmf_host_add, Linux 6.12; 6.1 does not look */
	if (lines && strstr(lines, "found same host"))
		return err_set(err, XC_FAILED, -EINVAL, portal,
			       "%s: the kernel holds controllers whose host NQN and host id are paired differently; "
			       "use that pair with -q and -I (/sys/class/nvme/*/hostnqn, hostid), or disconnect them",
			       portal);
	if (lines && strstr(lines, "no handler found for transport"))
		return err_set(err, XC_ENVIRONMENT, -EINVAL, portal,
			       "%s: the kernel has no NVMe over RDMA; install and load the module nvme-rdma", portal);
	return err_set(err, XC_FAILED, -EINVAL, portal, "%s: the kernel refused the options%s%s", portal,
		       lines && lines[0] ? "; it said: " : "", kernel_line(lines, line));
}

/* A code whose cause the kernel log would have told. */
static int explain_unread(const struct step *step, int code, const char *portal, struct err *err)
{
	if (code == -ECONNRESET)
		return err_set(err, XC_FAILED, code, portal,
			       "%s: it does not answer %s, or nobody listens on service id %s there (the kernel log, which "
			       "tells which, could not be read); check network, address and the target's port",
			       portal, step->id.host_traddr, step->id.trsvcid);
	return err_set(err, XC_FAILED, code, portal,
		       "%s: the target has no subsystem %s, or does not admit host %s (the kernel log, which tells "
		       "which, could not be read); check both there",
		       portal, step->id.nqn, step->id.hostnqn);
}

static int explain_other(const struct step *step, int code, const char *portal, const char *lines, struct err *err)
{
	const struct ctrl_id *id = &step->id;
	char line[LINE_MAX_QUOTED];

	switch (-code) {
	case EALREADY:
		return err_set(err, XC_FAILED, code, portal,
			       "%s: somebody else connected %s from %s meanwhile; run connect again to take it as it is",
			       portal, id->nqn, id->host_traddr);
	case EINVAL:
		return explain_invalid(portal, lines, err);
	case EOPNOTSUPP:
		return err_set(err, XC_FAILED, code, portal,
			       "%s: %s lacks what NVMe over RDMA needs%s%s; look at the target's settings", portal, id->nqn,
			       lines && lines[0] ? "; the kernel said: " : "", kernel_line(lines, line));
	case ENETUNREACH:
	case EHOSTUNREACH:
		return err_set(err, XC_FAILED, code, portal, "%s: no route from %s; is its port up, and in that subnet?",
			       portal, id->host_traddr);
	case ECONNREFUSED: /* nvme_rdma_find_get_device, of this host; not the target */
		return err_set(err, XC_ENVIRONMENT, code, portal,
			       "%s: RDMA device %s of this machine cannot carry NVMe (no memory registration)", portal,
			       step->rdma_device);
	case EPERM:
	case EACCES:
		return err_set(err, XC_ENVIRONMENT, code, portal, "%s: %s; run it as root", portal, strerror(-code));
	case ECONNRESET:
		if (lines && strstr(lines, "Connect rejected: status 10 (")) /* stale conn */
			return err_set(err, XC_FAILED, code, portal,
				       "%s: the target still holds an older connection of this machine; try again in "
				       "some seconds", portal);
		break;
	}
	if ((code == -ECONNRESET || code == -EIO) && (!lines || !lines[0]))
		return explain_unread(step, code, portal, err);
	return err_set(err, XC_FAILED, code, portal, "%s: connecting %s failed: %s%s%s", portal, id->nqn,
		       strerror(-code), lines && lines[0] ? "; the kernel said: " : "", kernel_line(lines, line));
}

int fx_nvme_explain(const struct step *step, int code, enum path_reason reason, const char *lines, struct err *err)
{
	const struct ctrl_id *id = &step->id;
	char portal[PORTAL_TEXT_MAX];

	fx_nvme_portal(id, portal);
	switch (reason) {
	case PATH_NO_LISTENER:
		return err_set(err, XC_FAILED, code, portal,
			       "%s: nobody listens on service id %s there; start the target's port, or correct -s", portal,
			       id->trsvcid);
	case PATH_NO_ANSWER:
		return err_set(err, XC_FAILED, code, portal,
			       "%s: no answer to %s; check cable, switch and VLAN, and that the target has this address",
			       portal, id->host_traddr);
	case PATH_NQN_UNKNOWN:
		return err_set(err, XC_FAILED, code, portal,
			       "%s: the target does not offer %s there; correct -n, or link the subsystem to that port",
			       portal, id->nqn);
	case PATH_HOST_NOT_ALLOWED:
		return err_set(err, XC_FAILED, code, portal,
			       "%s: %s does not admit this host; allow %s on the target, or give another with -q", portal,
			       id->nqn, id->hostnqn);
	case PATH_ADDRESS_MISSING:
		return err_set(err, XC_ENVIRONMENT, code, portal,
			       "%s: source %s is no address of this machine any more; give the port its address", portal,
			       id->host_traddr);
	case PATH_NO_RDMA_DEVICE:
		return err_set(err, XC_ENVIRONMENT, code, portal,
			       "%s: no RDMA device holds source %s; check the port with 'rdma link', and wait a second "
			       "after adding an address", portal, id->host_traddr);
	case PATH_TIMEOUT:
		return err_set(err, XC_TIMEOUT, code, portal,
			       "%s: not connected within %d s (--connect-timeout): the target's address answers, its "
			       "connection manager does not; is the target running?", portal, step->timeout_s);
	case PATH_REASON_NONE:
	case PATH_PROOF_MISMATCH:
	case PATH_OTHER:
		break;
	}
	return explain_other(step, code, portal, lines, err);
}
