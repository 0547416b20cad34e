/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The paths: each RDMA controller, and what is behind it. fail: one is not live, or not as it was asked for;
 * a path without a controller is one that was asked for and is gone. warn: a socket without a path, no
 * namespace, an iopolicy that leaves paths idle.
 */
#include "policy/judge.h"
#include "policy/verify_parts.h"

#include <limits.h>
#include <string.h>

static const char *const no_controller = "there is no controller over RDMA";

/* --- live --- */

/* How often the kernel tries again, and when it gives up. */
static void retry_text(const struct ctrl *ctrl, char *buf, size_t size)
{
	str_format(buf, size, "%s", "");
	if (strcmp(ctrl->state, "connecting") != 0 || ctrl->reconnect_delay < 0)
		return;
	str_format(buf, size, ", the kernel tries again every %d s", ctrl->reconnect_delay);
	if (ctrl->ctrl_loss_tmo == INT_MAX)
		str_append(buf, size, " for ever");
	else if (ctrl->ctrl_loss_tmo >= 0)
		str_append(buf, size, " and gives up after %d s", ctrl->ctrl_loss_tmo);
}

static void judge_live(const struct verify *v, struct check *check, const struct path *path,
		       const struct asked *asked)
{
	const struct ctrl *ctrl = path->ctrl >= 0 ? &v->topo->ctrl[path->ctrl] : NULL;
	char name[NVME_NAME_SIZE], text[CTRL_TEXT_MAX], file[CTRL_FILE_MAX], retry[96];

	if (!ctrl) {
		check_bad(check, FINDING_FAIL, path->id.traddr, "sys/class/nvme",
			  "there is no controller of %s from %s to %s:%s, which the %s asks for: connect it "
			  "again",
			  path->id.nqn, path->id.host_traddr[0] ? path->id.host_traddr : "any source",
			  path->id.traddr, path->id.trsvcid, asked->origin ? asked->origin : "config");
		return;
	}
	verify_ctrl_name(ctrl, name);
	verify_ctrl_text(ctrl, text);
	verify_ctrl_file(ctrl, "state", file);
	retry_text(ctrl, retry, sizeof(retry));
	if (strcmp(ctrl->state, "live") == 0)
		check_good(check);
	else if (ctrl->state[0] == '\0')
		check_bad(check, FINDING_UNKNOWN, name, file, "the state of %s cannot be read", text);
	else
		check_bad(check, FINDING_FAIL, name, file,
			  "%s from %s is %s%s: see to the target, the cable and the switch", text,
			  ctrl->id.host_traddr[0] ? ctrl->id.host_traddr : "no source", ctrl->state, retry);
}

static void check_live(const struct verify *v)
{
	struct check check = check_begin(v->findings, "paths.live", "sys/class/nvme/*/state");

	for (unsigned i = 0; i < v->plan->paths; i++)
		judge_live(v, &check, &v->plan->path[i], &v->asked[i]);
	if (v->asked_why)
		check_bad(&check, FINDING_UNKNOWN, "journal", "run/nvme-partition/journal",
			  "a controller that is gone would not be missed: %s", v->asked_why);
	check_end(&check, NULL, no_controller, "%u controllers are live", check.good);
}

/* --- both_sockets --- */

struct nodes { /* of the storage ports */
	int id[TOPO_NODES_MAX];
	unsigned count;
	bool unknown; /* of a port it is not known */
};

static int find_node(const struct nodes *nodes, int id)
{
	for (unsigned i = 0; i < nodes->count; i++) {
		if (nodes->id[i] == id)
			return (int)i;
	}
	return -1;
}

static void collect_nodes(const struct verify *v, struct nodes *ret)
{
	ret->count = 0;
	ret->unknown = false;
	for (unsigned i = 0; i < v->platform->ports; i++) {
		const struct platform_port *entry = &v->platform->port[i];
		const struct port *port = topo_port(v->topo, &entry->pci);
		int node = port ? port->numa_node : entry->numa_node;

		if (entry->role != ROLE_STORAGE)
			continue;
		if (node < 0)
			ret->unknown = true;
		else if (find_node(ret, node) < 0 && ret->count < TOPO_NODES_MAX)
			ret->id[ret->count++] = node;
	}
}

/* The paths of one subsystem. */
static void judge_sockets(const struct verify *v, struct check *check, const struct nodes *nodes,
			  unsigned first, unsigned end)
{
	const char *nqn = v->plan->path[first].id.nqn;
	bool reached[TOPO_NODES_MAX] = { false };
	unsigned live = 0, missing = 0, astray = 0;
	char list[128] = "";

	for (unsigned i = first; i < end; i++) {
		const struct path *path = &v->plan->path[i];
		int at = path->port >= 0 ? find_node(nodes, v->topo->port[path->port].numa_node) : -1;

		/* What is on no storage port is no path that counts; the partition's checks have it. */
		if (!verify_is_live(v->topo, path) ||
		    (path->port >= 0 && v->classes->port[path->port].role != ROLE_STORAGE))
			continue;
		live++;
		astray += at < 0;
		if (at >= 0)
			reached[at] = true;
	}
	for (unsigned n = 0; n < nodes->count; n++) {
		if (reached[n])
			continue;
		str_append(list, sizeof(list), "%s%d", missing++ > 0 ? ", " : "", nodes->id[n]);
	}
	if (missing == 0)
		check_good(check);
	else if (live > 0 && astray > 0)
		check_bad(check, FINDING_UNKNOWN, nqn, NULL,
			  "%u of the %u live paths to %s are at no known node of a storage port, and none is "
			  "known at "
			  "node %s",
			  astray, live, nqn, list);
	else
		check_bad(check, FINDING_WARN, nqn, NULL,
			  "no live path to %s at node %s: its I/O crosses the sockets, and one card is all "
			  "there is; "
			  "connect from a storage port of that node too",
			  nqn, list);
}

static void check_sockets(const struct verify *v)
{
	struct check check =
		check_begin(v->findings, "paths.both_sockets", "sys/bus/pci/devices/*/numa_node");
	struct nodes nodes;

	if (!v->platform) {
		check_bad(&check, FINDING_UNKNOWN, NULL, "sys/class/dmi/id", "%s", VERIFY_NO_PLATFORM);
		return;
	}
	collect_nodes(v, &nodes);
	if (nodes.unknown) {
		check_bad(&check, FINDING_UNKNOWN, NULL, NULL,
			  "the NUMA node of a storage port is unknown (numa_node is -1): see the firmware's "
			  "NUMA "
			  "settings");
		return;
	}
	for (unsigned first = 0, end; first < v->plan->paths; first = end) {
		for (end = first + 1; end < v->plan->paths; end++) {
			if (strcmp(v->plan->path[end].id.nqn, v->plan->path[first].id.nqn) != 0)
				break;
		}
		if (nodes.count > 1 && !verify_is_discovery(v, &v->plan->path[first]))
			judge_sockets(v, &check, &nodes, first, end);
	}
	check_end(&check, NULL,
		  nodes.count > 1 ? "there is no controller of a subsystem with disks"
				  : "all storage ports are at one node",
		  "%u subsystems have a live path at each of the %u nodes with storage ports", check.good,
		  nodes.count);
}

/* --- namespaces --- */

static void check_namespaces(const struct verify *v)
{
	struct check check = check_begin(v->findings, "paths.namespaces", "sys/class/nvme/*");
	bool has[TOPO_CTRLS_MAX] = { false };

	for (unsigned i = 0; i < v->topo->nss; i++)
		has[v->topo->ns[i].ctrl] = true;
	for (unsigned i = 0; i < v->plan->paths; i++) {
		const struct path *path = &v->plan->path[i];
		char name[NVME_NAME_SIZE], text[CTRL_TEXT_MAX];
		const struct ctrl *ctrl;

		if (!verify_is_live(v->topo, path) || verify_is_discovery(v, path))
			continue;
		ctrl = &v->topo->ctrl[path->ctrl];
		verify_ctrl_name(ctrl, name);
		verify_ctrl_text(ctrl, text);
		if (has[path->ctrl])
			check_good(&check);
		else if (ctrl->nss_unread)
			check_bad(&check, FINDING_UNKNOWN, name, NULL, "the namespaces of %s cannot be read",
				  text);
		else
			check_bad(&check, FINDING_WARN, name, NULL,
				  "%s is live and has no namespace: let the target give this host one, or "
				  "wait for the "
				  "scan",
				  text);
	}
	check_end(&check, NULL, "there is no live controller of a subsystem with disks",
		  "%u live controllers have a namespace", check.good);
}

/* --- queue_count, timeouts: as asked --- */

/* Before 6.12 nvme-rdma makes no more queues than there are vectors (nvme_rdma_alloc_io_queues). */
static bool is_queue_count(const struct verify *v, const struct path *path, int asked, int found)
{
	int ncv = path->rdma >= 0 ? v->topo->rdma_link[path->rdma].ncv : -1;

	return found == asked + 1 || (ncv > 0 && ncv < asked && found == ncv + 1);
}

static void judge_queue_count(const struct verify *v, struct check *check, const struct path *path,
			      const struct asked *asked)
{
	const struct ctrl *ctrl = &v->topo->ctrl[path->ctrl];
	char name[NVME_NAME_SIZE], text[CTRL_TEXT_MAX], file[CTRL_FILE_MAX];
	int online = (int)cpuset_count(&v->topo->online), wanted = asked->opts.nr_io_queues;

	if (online > 0 && wanted > online)
		wanted = online;
	verify_ctrl_name(ctrl, name);
	verify_ctrl_text(ctrl, text);
	verify_ctrl_file(ctrl, "queue_count", file);
	if (ctrl->queue_count < 0 || online == 0)
		check_bad(check, FINDING_UNKNOWN, name, file,
			  "how many queues %s has, or may have, cannot be read", text);
	else if (!is_queue_count(v, path, wanted, ctrl->queue_count))
		check_bad(check, FINDING_FAIL, name, file,
			  "%s has %d I/O queues, the %s asks for %d (%d, at most one for each CPU): see what "
			  "the "
			  "target grants, or connect it again",
			  text, ctrl->queue_count - 1, asked->origin, wanted, asked->opts.nr_io_queues);
	else
		check_good(check);
}

/* The kernel counts attempts, so the time is in whole delays (nvmf_parse_options, DIV_ROUND_UP). */
static int64_t loss_as_kept(const struct connect_opts *opts)
{
	int64_t delay = opts->reconnect_delay;

	if (opts->ctrl_loss_forever)
		return INT_MAX;
	if (opts->ctrl_loss_tmo < 0 || delay <= 0)
		return opts->ctrl_loss_tmo;
	return (opts->ctrl_loss_tmo + delay - 1) / delay * delay;
}

/* As sysfs has it: "off" for ever. */
static void seconds_text(int64_t seconds, char buf[static 32])
{
	if (seconds == INT_MAX)
		str_format(buf, 32, "off");
	else
		str_format(buf, 32, "%lld", (long long)seconds);
}

static void judge_timeouts(const struct verify *v, struct check *check, const struct path *path,
			   const struct asked *asked)
{
	const struct ctrl *ctrl = &v->topo->ctrl[path->ctrl];
	char name[NVME_NAME_SIZE], text[CTRL_TEXT_MAX], file[CTRL_FILE_MAX], found[32], wanted[32];
	int64_t loss = loss_as_kept(&asked->opts);
	int delay = asked->opts.reconnect_delay;

	verify_ctrl_name(ctrl, name);
	verify_ctrl_text(ctrl, text);
	verify_ctrl_file(ctrl, "ctrl_loss_tmo", file);
	if ((loss >= 0 && ctrl->ctrl_loss_tmo < 0) || (delay >= 0 && ctrl->reconnect_delay < 0)) {
		check_bad(check, FINDING_UNKNOWN, name, file,
			  "ctrl_loss_tmo or reconnect_delay of %s cannot be read", text);
		return;
	}
	if ((loss < 0 || loss == ctrl->ctrl_loss_tmo) && (delay < 0 || delay == ctrl->reconnect_delay)) {
		check_good(check);
		return;
	}
	seconds_text(ctrl->ctrl_loss_tmo, found);
	seconds_text(loss, wanted);
	check_bad(check, FINDING_FAIL, name, file,
		  "%s has ctrl_loss_tmo %s and reconnect_delay %d, the %s asks for %s and %d: write them to "
		  "/sys/class/nvme/%s, or connect it again",
		  text, found, ctrl->reconnect_delay, asked->origin, wanted, delay, name);
}

static void check_asked(const struct verify *v)
{
	struct check queues = check_begin(v->findings, "paths.queue_count", "sys/class/nvme/*/queue_count");
	struct check timeouts =
		check_begin(v->findings, "paths.timeouts", "sys/class/nvme/*/ctrl_loss_tmo, reconnect_delay");
	const char *why = v->plan->paths == 0
				  ? no_controller
				  : "neither the journal nor the config asks for a controller that is there";
	unsigned unasked = 0;

	for (unsigned i = 0; i < v->plan->paths; i++) {
		const struct path *path = &v->plan->path[i];

		if (path->ctrl < 0 || verify_is_discovery(v, path))
			continue;
		if (!v->asked[i].known) {
			unasked++;
			continue;
		}
		/* A controller that reconnects has the queues of its last connection at most. */
		if (verify_is_live(v->topo, path) && v->asked[i].opts.nr_io_queues > 0)
			judge_queue_count(v, &queues, path, &v->asked[i]);
		judge_timeouts(v, &timeouts, path, &v->asked[i]);
	}
	if (unasked > 0 && v->asked_why) {
		check_bad(&queues, FINDING_UNKNOWN, "journal", "run/nvme-partition/journal",
			  "what was asked for %u controllers is unknown: %s", unasked, v->asked_why);
		check_bad(&timeouts, FINDING_UNKNOWN, "journal", "run/nvme-partition/journal",
			  "what was asked for %u controllers is unknown: %s", unasked, v->asked_why);
	}
	check_end(&queues, NULL, why, "%u controllers have as many queues as asked", queues.good);
	check_end(&timeouts, NULL, why, "%u controllers have ctrl_loss_tmo and reconnect_delay as asked",
		  timeouts.good);
}

void verify_paths(const struct verify *v)
{
	check_live(v);
	check_sockets(v);
	check_namespaces(v);
	check_asked(v);
	judge_iopolicy(v->topo, v->plan, true, v->findings);
}
