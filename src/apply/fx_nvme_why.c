/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The words for a connect that failed: what is wrong, and what to do about it. */
#include "apply/fx_nvme_why.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define LINE_MAX_QUOTED 300

struct failure {
	const struct ctrl_id *id;
	int code;
	const char *lines; /* of the kernel; "" if there are none or they could not be read */
	char portal[PORTAL_TEXT_MAX];
	char said[LINE_MAX_QUOTED + 32]; /* "; the kernel said: ...", or empty */
	struct err *err;
};

const char *fx_nvme_portal(const struct ctrl_id *id, char buf[static PORTAL_TEXT_MAX])
{
	bool six = strchr(id->traddr, ':') != NULL;

	str_format(buf, PORTAL_TEXT_MAX, "%s%s%s:%s", six ? "[" : "", id->traddr, six ? "]" : "",
		   id->trsvcid);
	return buf;
}

static int _printf_(3, 4) say(const struct failure *f, enum exit_class exit, const char *fmt, ...)
{
	char text[900];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	return err_set(f->err, exit, f->code, f->portal, "%s: %s", f->portal, text);
}

/* The kernel's last line about the Connect, else its last line. */
static void quote(struct failure *f)
{
	bool telling = false;

	for (const char *at = f->lines; *at != '\0';) {
		size_t length = strcspn(at, "\n");
		bool better = memmem(at, length, "Connect", strlen("Connect")) != NULL;
		int shown = length < LINE_MAX_QUOTED ? (int)length : LINE_MAX_QUOTED;

		if (better || !telling)
			str_format(f->said, sizeof(f->said), "; the kernel said: %.*s", shown, at);
		telling = telling || better;
		at += length + (at[length] == '\n');
	}
}

static bool kernel_said(const struct failure *f, const char *text)
{
	return strstr(f->lines, text) != NULL;
}

/* The log would have told which; so both are named. */
static int explain_unread(const struct failure *f)
{
	if (f->code == -ECONNRESET)
		return say(f, XC_FAILED,
			   "no answer to %s, or nobody listens on service id %s there (the kernel log, which "
			   "tells, could not be read); check the network, the address and the target's port",
			   f->id->host_traddr, f->id->trsvcid);
	return say(f, XC_FAILED,
		   "the target does not offer %s there, or does not admit host %s (the kernel log, which "
		   "tells, could not be read); check both on the target",
		   f->id->nqn, f->id->hostnqn);
}

static int explain_invalid(const struct failure *f)
{
	if (kernel_said(f, "found same host")) /* nvmf_host_add, Linux 6.12; 6.1 does not look */
		return say(
			f, XC_FAILED,
			"controllers are there whose host NQN and host id are paired differently; give "
			"that pair (/sys/class/nvme/*/hostnqn, hostid) with -q and -I, or disconnect them");
	if (kernel_said(f, "no handler found for transport"))
		return say(f, XC_ENVIRONMENT,
			   "the kernel has no NVMe over RDMA; install and load the module nvme-rdma");
	return say(f, XC_FAILED, "the kernel refused the options%s", f->said);
}

static int explain_other(const struct failure *f, const struct step *step)
{
	switch (-f->code) {
	case EALREADY:
		return say(f, XC_FAILED,
			   "somebody else connected %s from %s meanwhile; connect again to take it as it is",
			   f->id->nqn, f->id->host_traddr);
	case EINVAL:
		return explain_invalid(f);
	case EOPNOTSUPP:
		return say(f, XC_FAILED, "%s lacks what NVMe over RDMA needs; look at the target%s",
			   f->id->nqn, f->said);
	case ENETUNREACH:
	case EHOSTUNREACH:
		return say(f, XC_FAILED, "no route from %s; is its port up, and in that subnet?",
			   f->id->host_traddr);
	case ECONNREFUSED: /* nvme_rdma_find_get_device, of this host; not the target */
		return say(f, XC_ENVIRONMENT, "RDMA device %s here cannot carry NVMe: no memory registration",
			   step->rdma_device);
	case EPERM:
	case EACCES:
		return say(f, XC_ENVIRONMENT, "%s; run it as root", strerror(-f->code));
	case ECONNRESET:
		if (kernel_said(f, "Connect rejected: status 10 (")) /* IB_CM_REJ_STALE_CONN */
			return say(f, XC_FAILED,
				   "the target still holds an older connection of ours; try again soon");
		break;
	}
	if (f->lines[0] == '\0' && (f->code == -ECONNRESET || f->code == -EIO))
		return explain_unread(f);
	return say(f, XC_FAILED, "connecting %s failed: %s%s", f->id->nqn, strerror(-f->code), f->said);
}

int fx_nvme_explain(const struct step *step, int code, enum path_reason reason, const char *lines,
		    struct err *err)
{
	struct failure f = { .id = &step->id, .code = code, .lines = lines ? lines : "", .err = err };

	fx_nvme_portal(f.id, f.portal);
	quote(&f);
	switch (reason) {
	case PATH_NO_LISTENER:
		return say(&f, XC_FAILED,
			   "nobody listens on service id %s; start the target's port, or fix -s",
			   f.id->trsvcid);
	case PATH_NO_ANSWER:
		return say(
			&f, XC_FAILED,
			"no answer to %s; check cable, switch and VLAN, and that the target has this address",
			f.id->host_traddr);
	case PATH_NQN_UNKNOWN:
		return say(&f, XC_FAILED,
			   "the target does not offer %s there; fix -n, or link the subsystem to that port",
			   f.id->nqn);
	case PATH_HOST_NOT_ALLOWED:
		return say(&f, XC_FAILED,
			   "%s does not admit this host; allow %s on the target, or give another with -q",
			   f.id->nqn, f.id->hostnqn);
	case PATH_ADDRESS_MISSING:
		return say(&f, XC_ENVIRONMENT,
			   "source %s is no address of this machine any more; give the port its address",
			   f.id->host_traddr);
	case PATH_NO_RDMA_DEVICE:
		return say(&f, XC_ENVIRONMENT,
			   "no RDMA device holds source %s; look at the port with 'rdma link', and wait a "
			   "second after adding an address",
			   f.id->host_traddr);
	case PATH_TIMEOUT:
		if (code == -EIO) /* the kernel's own timeout of a command: connected, then silence */
			return say(&f, XC_TIMEOUT,
				   "the target accepted the connection and answered no command; is its NVMe "
				   "service stuck, or another service on %s?",
				   f.id->trsvcid);
		return say(&f, XC_TIMEOUT,
			   "not connected within %d s (--connect-timeout): its address answers, its "
			   "connection manager does not; is the target running?",
			   step->timeout_s);
	case PATH_REASON_NONE:
	case PATH_PROOF_MISMATCH:
	case PATH_IN_USE:
	case PATH_NOT_OURS:
	case PATH_FIRST_CONNECT:
	case PATH_PENDING:
	case PATH_OTHER:
		break;
	}
	return explain_other(&f, step);
}
