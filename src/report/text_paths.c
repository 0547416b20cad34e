/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Paths and refused portals in the text output: one line each; a subsystem's NQN stands above its paths. */
#include "report/parts.h"

#include <string.h>

#include "report/align.h"

#define DEVICES_SHOWN 4

static void cell_ctrl(const struct ctrl *ctrl, FILE *out)
{
	if (ctrl)
		text_cell(out, "nvme%u", ctrl->instance);
	else
		text_cell(out, "%s", "");
	text_cell(out, "%s", ctrl ? ctrl->state : "");
}

/* What one mounts; a controller with many namespaces is shortened. */
static void cell_devices(const struct result *result, int ctrl, FILE *out)
{
	char devices[256] = "";
	unsigned count;
	const struct ns *ns = report_nss(result, ctrl, &count);

	for (unsigned i = 0; i < count && i < DEVICES_SHOWN; i++)
		str_append(devices, sizeof(devices), "%s%s", i > 0 ? "," : "", ns[i].device);
	if (count > DEVICES_SHOWN)
		str_append(devices, sizeof(devices), " +%u", count - DEVICES_SHOWN);
	text_cell(out, "%s", devices);
}

static void format_portal(char *buf, size_t size, const char *traddr, const char *trsvcid)
{
	if (traddr[0] == '\0')
		str_format(buf, size, "%s", "");
	else if (strchr(traddr, ':'))
		str_format(buf, size, "[%s]:%s", traddr, trsvcid);
	else
		str_format(buf, size, "%s:%s", traddr, trsvcid);
}

static void cell_way(const struct ctrl_id *id, FILE *out)
{
	char portal[IP_TEXT_MAX + 40];

	format_portal(portal, sizeof(portal), id->traddr, id->trsvcid);
	text_cell(out, "%s -> %s", id->host_traddr[0] != '\0' ? id->host_traddr : "?", portal);
}

static void cpuset_join(struct cpuset *to, const struct cpuset *from)
{
	for (size_t i = 0; i < ARRAY_SIZE(to->bits); i++)
		to->bits[i] |= from->bits[i];
}

/* All queues in a few words: "16 on CPUs 48-55, local", "16, 4 of 16 local", "16". */
static void cell_queues(const struct result *result, int ctrl, FILE *out)
{
	char text[CPUSET_TEXT_MAX + 64], list[CPUSET_TEXT_MAX];
	unsigned count, local = 0, known = 0;
	const struct queue *queue = report_queues(result, ctrl, &count);
	struct cpuset cpus = { 0 };

	for (unsigned i = 0; i < count; i++) {
		int irq = queue[i].irq;

		local += queue[i].local == TRI_YES;
		known += queue[i].local != TRI_UNKNOWN;
		if (irq >= 0 && (unsigned)irq < result->topo->irqs && result->topo->irq[irq].effective_known)
			cpuset_join(&cpus, &result->topo->irq[irq].effective);
	}
	if (count == 0) {
		text_cell(out, "%s", "");
		return;
	}
	str_format(text, sizeof(text), "%u", count);
	if (!cpuset_is_empty(&cpus) && cpuset_format(&cpus, list, sizeof(list)) == 0)
		str_append(text, sizeof(text), " on CPUs %s", list);
	if (local == count)
		str_append(text, sizeof(text), ", local");
	else if (known > 0)
		str_append(text, sizeof(text), ", %u of %u local", local, count);
	text_cell(out, "%s", text);
}

static void cell_path_note(const struct result *result, const struct path *path, FILE *out)
{
	const struct port *port = report_port(result, path->port);
	const struct netdev *netdev = report_netdev(result, path->netdev);
	char note[768] = "";

	if (port && netdev && port->netdev != path->netdev) /* a bond or VLAN above the port */
		str_append(note, sizeof(note), "via %s", netdev->name);
	if (path->owner != OWNER_US && path->ctrl >= 0)
		str_append(note, sizeof(note), "%sowner %s", note[0] != '\0' ? ", " : "",
			   path->owner == OWNER_UNKNOWN ? "unknown" : path_owner_name(path));
	if (path->reason != PATH_REASON_NONE)
		str_append(note, sizeof(note), "%s%s: %s", note[0] != '\0' ? ", " : "",
			   path_reason_name(path->reason), path->message);
	if (note[0] != '\0')
		text_cell(out, "%s", note);
}

/* Rows stand below their subsystem's NQN: the first cell is indented. */
static void path_row(const struct result *result, const struct path *path, FILE *out)
{
	const struct port *port = report_port(result, path->port);
	const struct rdma_link *rdma = report_rdma(result, path->rdma);
	char pci[PCI_TEXT_MAX] = "";

	text_cell(out, "  %s", path->action == PATH_NONE ? "-" : path_action_name(path->action));
	cell_ctrl(report_ctrl(result, path->ctrl), out);
	cell_devices(result, path->ctrl, out);
	cell_way(&path->id, out);
	text_cell(out, "%s", port ? pci_format(&port->pci, pci) : "");
	text_cell(out, "%s", rdma ? rdma->name : "");
	text_cell(out, "%s", proof_name(path->proof));
	cell_queues(result, path->ctrl, out);
	cell_path_note(result, path, out);
	text_row_end(out);
}

void report_text_paths(const struct result *result, FILE *out)
{
	static const char *const titles[] = { "  ACTION",	  "CONTROLLER", "STATE", "DEVICES",
					      "SOURCE -> PORTAL", "PORT",	"RDMA",	 "PROOF",
					      "QUEUES",		  "NOTE" };
	const char *nqn = NULL;

	if (!result->plan || result->plan->paths == 0)
		return;
	text_section(out, "paths");
	text_header(out, titles, ARRAY_SIZE(titles));
	for (unsigned i = 0; i < result->plan->paths; i++) {
		const struct path *path = &result->plan->path[i];

		if (!nqn || strcmp(nqn, path->id.nqn) != 0)
			text_line(out, "  %s",
				  path->id.nqn[0] != '\0' ? path->id.nqn : "(NQN not known yet)");
		nqn = path->id.nqn;
		path_row(result, path, out);
	}
}

void report_text_skipped(const struct result *result, FILE *out)
{
	if (!result->plan || result->plan->skips == 0)
		return;
	text_section(out, "skipped");
	for (unsigned i = 0; i < result->plan->skips; i++) {
		const struct skip *skip = &result->plan->skip[i];
		char portal[IP_TEXT_MAX + 40];

		format_portal(portal, sizeof(portal), skip->traddr, skip->trsvcid);
		text_cell(out, "%s", portal);
		text_cell(out, "%s", skip->nqn);
		text_cell(out, "%s", skip_reason_name(skip->reason));
		text_cell(out, "%s", skip->message);
		text_row_end(out);
	}
}
