/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A machine in which every check passes. */
#include "unit/verify_world.h"

int verify_world_setup(void **state)
{
	*state = calloc(1, sizeof(struct verify_world));
	assert_non_null(*state);
	return 0;
}

int verify_world_teardown(void **state)
{
	free(*state);
	return 0;
}

static void fill_port(struct verify_world *w, unsigned i)
{
	struct port_settings *s = &w->settings.port[i];

	*s = (struct port_settings){
		.pcie_width = 16,
		.pcie_width_max = 16,
		.pcie_mtps = 32000,
		.pcie_mtps_max = 32000,
		.pfc = 8,
		.trust = TRUST_DSCP,
		.roce_tos = 106,
		.lldp = READ_OK,
	};
	str_format(s->chassis, sizeof(s->chassis), "mac 02:00:5e:00:00:0%d", (int)w->w.classes.port[i].role);
}

/* A RoCE v2 GID for each address, in the table of the device that carries it. */
static void fill_gids(struct verify_world *w)
{
	struct topology *topo = &w->w.topo;

	w->settings.gids = 0;
	for (unsigned i = 0; i < topo->rdma_links; i++)
		w->settings.gids_read[i] = READ_OK;
	for (unsigned rdma = 0; rdma < topo->rdma_links; rdma++) {
		for (unsigned i = 0; i < topo->addrs; i++) {
			const struct netdev *netdev = topo_netdev(topo, topo->addr[i].ifindex);
			struct carrier carrier;

			carrier_of(topo, &w->w.classes, (int)(netdev - topo->netdev), &carrier);
			if (carrier.rdma != (int)rdma)
				continue;
			w->settings.gid[w->settings.gids] = (struct gid){
				.rdma = rdma,
				.index = w->settings.gids,
				.ip = topo->addr[i].ip,
				.roce_v2 = true,
				.ifindex = netdev->ifindex,
			};
			w->settings.gids++;
		}
	}
}

static void fill_paths(struct verify_world *w)
{
	for (unsigned i = 0; i < w->w.plan.paths; i++) {
		const struct path *path = &w->w.plan.path[i];
		struct ctrl *ctrl = &w->w.topo.ctrl[path->ctrl];
		struct route_answer yes = { .answer = ANSWER_YES };

		yes.oif = path->netdev >= 0 ? w->w.topo.netdev[path->netdev].ifindex : 0;
		w->settings.route[i] = (struct path_route){ .plain = yes, .bound = yes };
		w->asked[i] = (struct asked){ .known = true, .origin = "journal" };
		w->asked[i].opts = (struct connect_opts){
			.nr_io_queues = 16, .reconnect_delay = 10, .ctrl_loss_tmo = 600, .tos = CONNECT_UNSET
		};
		ctrl->ctrl_loss_tmo = 600;
		ctrl->reconnect_delay = 10;
	}
}

static void fill_irqs(struct verify_world *w)
{
	for (unsigned i = 0; i < w->w.affinity.irqs; i++) {
		const struct affinity_irq *planned = &w->w.affinity.irq[i];
		struct irq *irq = &w->w.topo.irq[planned->irq];

		irq->affinity = irq->effective = planned->target;
		irq->affinity_known = irq->effective_known = true;
	}
}

static void fill_host(struct verify_world *w)
{
	const struct ctrl_id *id = &w->w.plan.path[0].id;
	struct settings *s = &w->settings;

	if (w->w.plan.paths == 0)
		return;
	str_format(s->hostnqn, sizeof(s->hostnqn), "%s", id->hostnqn);
	str_format(s->hostid, sizeof(s->hostid), "%s", id->hostid);
	str_format(s->product_uuid, sizeof(s->product_uuid), "%s", id->hostid);
}

static void place(struct verify_world *w)
{
	w->w.findings.count = 0;
	cores_of(&w->w.topo, &w->w.classes, 4, &w->w.affinity, &w->w.findings);
	place_irqs(&w->w.topo, &w->w.classes, &w->w.plan, 0, &w->w.affinity);
}

void verify_world_again(struct verify_world *w)
{
	classify(&w->w.topo, w->v.platform, &w->w.classes, &w->w.findings);
	plan_show(&w->w.topo, &w->w.classes, &w->w.plan);
	proof_collect(&w->w.topo, &w->groups);
	place(w);
}

void verify_world_read(struct verify_world *w, const char *fixture)
{
	place_world_read(&w->w, fixture);
	w->v = (struct verify){
		.topo = &w->w.topo,
		.classes = &w->w.classes,
		.platform = &w->w.platform,
		.settings = &w->settings,
		.plan = &w->w.plan,
		.groups = &w->groups,
		.affinity = &w->w.affinity,
		.irqbalance = &w->irqbalance,
		.asked = w->asked,
		.findings = &w->w.findings,
	};
	for (unsigned i = 0; i < w->w.topo.subsyss; i++) /* two ports at each node */
		str_format(w->w.topo.subsys[i].iopolicy, IOPOLICY_SIZE, "queue-depth");
	for (unsigned i = 0; i < w->w.topo.nss; i++)
		w->w.topo.rq_affinity[i] = 1;
	for (unsigned i = 0; i < w->w.topo.ports; i++)
		fill_port(w, i);
	for (unsigned i = 0; i < w->w.topo.netdevs; i++)
		w->settings.netdev[i] =
			(struct netdev_settings){ .arp_ignore = 2, .arp_announce = 2, .rp_filter = 2 };
	fill_gids(w);
	fill_paths(w);
	fill_host(w);
	place(w);
	fill_irqs(w);
	verify_world_again(w);
}

void verify_world_run(struct verify_world *w, void (*checks)(const struct verify *v))
{
	w->w.findings.count = w->w.findings.lost = 0;
	checks(&w->v);
	findings_sort(&w->w.findings);
	assert_int_equal(w->w.findings.lost, 0);
	for (unsigned i = 0; i < w->w.findings.count; i++) {
		const struct finding *f = &w->w.findings.finding[i];

		assert_true(verify_is_check(f->check, strlen(f->check)));
		assert_true(f->message[0] != '\0');
		assert_null(strchr(f->message, '\n'));
		assert_true(f->status == FINDING_SKIP || f->evidence[0] != '\0');
	}
}

void verify_world_assert(const struct verify_world *w, const char *check, enum finding_status status,
			 const char *object, const char *text, const char *file, int line)
{
	bool said = false, found = false;

	for (unsigned i = 0; i < w->w.findings.count; i++) {
		const struct finding *f = &w->w.findings.finding[i];

		if (strcmp(f->check, check) != 0)
			continue;
		said = true;
		if (f->status != status) {
			print_error("%s is %s: %s: %s\n", check, finding_status_name(f->status), f->object,
				    f->message);
			_fail(file, line);
		}
		found |= (!object || strcmp(f->object, object) == 0) && strstr(f->message, text);
	}
	for (unsigned i = 0; !found && i < w->w.findings.count; i++) {
		const struct finding *f = &w->w.findings.finding[i];

		if (strcmp(f->check, check) == 0)
			print_error("%s: %s: %s\n", check, f->object, f->message);
	}
	if (!said || !found)
		print_error("%s does not say \"%s\" of \"%s\"\n", check, text, object ? object : "*");
	if (!said || !found)
		_fail(file, line);
}

void verify_world_assert_alone(const struct verify_world *w, const char *check, const char *file, int line)
{
	for (unsigned i = 0; i < w->w.findings.count; i++) {
		const struct finding *f = &w->w.findings.finding[i];

		if (f->status == FINDING_PASS || f->status == FINDING_SKIP || strcmp(f->check, check) == 0)
			continue;
		print_error("%s is %s: %s: %s\n", f->check, finding_status_name(f->status), f->object,
			    f->message);
		_fail(file, line);
	}
}

struct netdev *verify_world_netdev(struct verify_world *w, const char *name)
{
	for (unsigned i = 0; i < w->w.topo.netdevs; i++) {
		if (strcmp(w->w.topo.netdev[i].name, name) == 0)
			return &w->w.topo.netdev[i];
	}
	fail_msg("no interface %s", name);
	return NULL;
}

unsigned verify_world_port(const struct verify_world *w, const char *pci)
{
	const struct port *port;
	struct pci_addr addr;

	assert_int_equal(pci_parse(pci, &addr), 0);
	port = topo_port(&w->w.topo, &addr);
	assert_non_null(port);
	return (unsigned)(port - w->w.topo.port);
}

struct ctrl *verify_world_ctrl(struct verify_world *w, unsigned path)
{
	assert_in_range(path, 0, w->w.plan.paths - 1);
	return &w->w.topo.ctrl[w->w.plan.path[path].ctrl];
}

void verify_world_address(struct verify_world *w, const char *netdev, const char *ip, unsigned prefixlen)
{
	struct topology *topo = &w->w.topo;
	int ifindex = verify_world_netdev(w, netdev)->ifindex;
	unsigned kept = 0;

	if (ip) {
		topo->addr[topo->addrs] =
			(struct netaddr){ .ifindex = ifindex, .prefixlen = prefixlen, .usable = true };
		assert_int_equal(ip_parse(ip, &topo->addr[topo->addrs].ip), 0);
		topo->addrs++;
		return;
	}
	for (unsigned i = 0; i < topo->addrs; i++) {
		if (topo->addr[i].ifindex != ifindex)
			topo->addr[kept++] = topo->addr[i];
	}
	topo->addrs = kept;
}
