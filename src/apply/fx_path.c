/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Asks the connection manager about every candidate at once: which RDMA device, and does the portal answer.
 */
#include "apply/fx_path.h"

#include <errno.h>
#include <fcntl.h>
#include <infiniband/verbs.h>
#include <poll.h>
#include <rdma/rdma_cma.h>
#include <string.h>

#include "apply/fx_signals.h"
#include "base/clock.h"

struct probe {
	struct rdma_cm_id *id; /* NULL: not asked */
	struct candidate *candidate;
	bool waiting; /* for the answer to the address */
};

static void answer(struct probe *probe, enum answer answer, enum probe_stage stage, int code)
{
	struct probe_answer *ret = &probe->candidate->probe;

	ret->answer = answer;
	ret->stage = answer == ANSWER_YES ? PROBE_NONE : stage;
	ret->code = code;
	probe->waiting = false;
}

/* Notes the device that the id is bound to. False: there is none to note. */
static bool note_device(struct probe *probe)
{
	struct probe_answer *ret = &probe->candidate->probe;
	const struct ibv_context *verbs = probe->id->verbs;

	if (!verbs || str_copy(ret->rdma_device, sizeof(ret->rdma_device), verbs->device->name) < 0)
		return false;
	ret->rdma_port = probe->id->port_num;
	return true;
}

/* False, and the answer given, if the id is not bound to the planned port of the planned device. */
static bool check_device(struct probe *probe, const struct topology *topo, enum probe_stage stage)
{
	struct candidate *candidate = probe->candidate;
	const struct rdma_link *planned = candidate->rdma >= 0 ? &topo->rdma_link[candidate->rdma] : NULL;

	if (!note_device(probe)) {
		answer(probe, ANSWER_UNKNOWN, stage, -ENODEV);
		return false;
	}
	/* A device may have two ports, each on another network. */
	if (!planned || strcmp(candidate->probe.rdma_device, planned->name) != 0 ||
	    candidate->probe.rdma_port != planned->port) {
		answer(probe, ANSWER_NO, stage, -EXDEV);
		return false;
	}
	return true;
}

/*
 * The kernel binds first; then the library opens the device's verbs. Only the kernel's refusal is an answer,
 * and both may be ENODEV: the library has noted the source address if the kernel had taken it.
 */
static void answer_bind(struct probe *probe, int code)
{
	bool bound = rdma_get_local_addr(probe->id)->sa_family != AF_UNSPEC;
	bool no = !bound && (code == -EADDRNOTAVAIL || code == -ENODEV);

	answer(probe, no ? ANSWER_NO : ANSWER_UNKNOWN, PROBE_BIND, code);
}

static void begin(struct probe *probe, struct rdma_event_channel *channel, const struct topology *topo,
		  const struct request *request, int timeout_ms)
{
	const struct candidate *candidate = probe->candidate;
	const struct portal *portal = &request->portal[candidate->portal];
	struct sockaddr_storage src, dst;
	uint64_t service = 0;
	int r = parse_u64(portal->trsvcid, UINT16_MAX, &service);

	if (r == 0)
		r = ip_to_sockaddr(&candidate->src, 0, &src);
	if (r == 0)
		r = ip_to_sockaddr(&portal->traddr, (uint16_t)service, &dst);
	if (r == 0 && rdma_create_id(channel, &probe->id, probe, RDMA_PS_TCP) < 0) {
		r = -errno;
		probe->id = NULL;
	}
	if (r < 0) {
		answer(probe, ANSWER_UNKNOWN, PROBE_BIND, r);
		return;
	}
	if (rdma_bind_addr(probe->id, (struct sockaddr *)&src) < 0) {
		answer_bind(probe, -errno);
		return;
	}
	if (!check_device(probe, topo, PROBE_BIND))
		return;
	probe->waiting = true;
	if (rdma_resolve_addr(probe->id, NULL, (struct sockaddr *)&dst, timeout_ms) < 0)
		answer(probe, ANSWER_NO, PROBE_RESOLVE, -errno);
}

/* Takes one event, if there is one. 1, 0 (none) or -errno. */
static int take_event(struct rdma_event_channel *channel, const struct topology *topo)
{
	struct rdma_cm_event *event;
	struct probe *probe;
	bool resolved;
	int status;

	if (rdma_get_cm_event(channel, &event) < 0)
		return errno == EAGAIN || errno == EINTR ? 0 : -errno;
	probe = event->id->context;
	resolved = event->event == RDMA_CM_EVENT_ADDR_RESOLVED;
	status = event->status;
	/* rdma_destroy_id() waits for events that were not acknowledged. */
	(void)rdma_ack_cm_event(event);
	if (!probe->waiting)
		return 1;
	if (!resolved)
		answer(probe, ANSWER_NO, PROBE_RESOLVE, status < 0 ? status : -EIO);
	else if (check_device(probe, topo, PROBE_RESOLVE)) /* resolving may bind anew */
		answer(probe, ANSWER_YES, PROBE_NONE, 0);
	return 1;
}

static bool any_waiting(const struct probe *probes, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (probes[i].waiting)
			return true;
	}
	return false;
}

/* Waits for the answers until the deadline. The kernel's own timeout bounds ARP and ND, not the events. */
static int collect(struct rdma_event_channel *channel, const struct topology *topo, struct probe *probes,
		   size_t count, int64_t deadline)
{
	struct pollfd fd = { .fd = channel->fd, .events = POLLIN };
	int r = 0;

	while (any_waiting(probes, count)) {
		int64_t left = deadline - clock_ms();

		if (fx_signals_stop())
			return -EINTR;
		if (left <= 0)
			break;
		if (poll(&fd, 1, (int)left) < 0 && errno != EINTR)
			return -errno;
		do {
			r = clock_ms() < deadline ? take_event(channel, topo) : 0;
		} while (r > 0);
		if (r < 0)
			return r;
	}
	for (size_t i = 0; i < count; i++) {
		if (probes[i].waiting)
			answer(&probes[i], ANSWER_NO, PROBE_RESOLVE, -ETIMEDOUT);
	}
	return 0;
}

static int probe_all(struct rdma_event_channel *channel, const struct topology *topo,
		     const struct request *request, struct probe *probes, size_t count, int timeout_ms)
{
	int64_t deadline = clock_ms() + timeout_ms;
	int flags = fcntl(channel->fd, F_GETFL);

	if (flags < 0 || fcntl(channel->fd, F_SETFL, flags | O_NONBLOCK) < 0)
		return -errno;
	for (size_t i = 0; i < count; i++)
		begin(&probes[i], channel, topo, request, timeout_ms);
	return collect(channel, topo, probes, count, deadline);
}

int fx_path_probe(const struct root *root, const struct topology *topo, const struct request *request,
		  struct candidates *candidates, int timeout_ms, struct err *err)
{
	_cleanup_free_ struct probe *probes = NULL;
	struct rdma_event_channel *channel;
	size_t count = 0;
	int r;

	if (!root->live)
		return err_set(err, XC_ENVIRONMENT, -EROFS, root->path,
			       "%s: a tree's network cannot be asked", root->path);
	probes = calloc(candidates->count ? candidates->count : 1, sizeof(*probes));
	if (!probes)
		return err_set(err, XC_FAILED, -ENOMEM, "rdma_cm", "out of memory");
	for (unsigned i = 0; i < candidates->count; i++) {
		if (candidates->candidate[i].route.answer == ANSWER_YES)
			probes[count++].candidate = &candidates->candidate[i];
	}
	if (count == 0)
		return 0;
	errno = 0;
	channel = rdma_create_event_channel();
	if (!channel) {
		r = errno ? -errno : -ENODEV;
		for (size_t i = 0; i < count; i++)
			answer(&probes[i], ANSWER_UNKNOWN, PROBE_BIND, r);
		return 0;
	}
	r = probe_all(channel, topo, request, probes, count, timeout_ms);
	for (size_t i = 0; i < count; i++) {
		if (probes[i].id)
			(void)rdma_destroy_id(probes[i].id);
	}
	rdma_destroy_event_channel(channel);
	if (r == -EINTR)
		return err_set(err, XC_FAILED, r, "rdma_cm",
			       "stopped by a signal while asking for the paths");
	if (r < 0)
		return err_set(err, XC_ENVIRONMENT, r, "rdma_cm",
			       "the connection manager could not be asked: %s", strerror(-r));
	return 0;
}

void fx_path_bind(const struct ip *source, struct probe_answer *ret)
{
	struct candidate candidate = { .rdma = -1 };
	struct probe probe = { .candidate = &candidate };
	struct rdma_event_channel *channel;
	struct sockaddr_storage src;
	int r = ip_to_sockaddr(source, 0, &src);

	errno = 0;
	channel = r == 0 ? rdma_create_event_channel() : NULL;
	if (!channel || rdma_create_id(channel, &probe.id, &probe, RDMA_PS_TCP) < 0) {
		answer(&probe, ANSWER_UNKNOWN, PROBE_BIND, errno ? -errno : -ENODEV);
	} else {
		if (rdma_bind_addr(probe.id, (struct sockaddr *)&src) < 0)
			answer_bind(&probe, -errno);
		else if (note_device(&probe))
			answer(&probe, ANSWER_YES, PROBE_NONE, 0);
		(void)rdma_destroy_id(probe.id);
	}
	if (channel)
		rdma_destroy_event_channel(channel);
	*ret = candidate.probe;
}
