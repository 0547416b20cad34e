/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The result that the tests of report/ render. */
#include "unit/report_world.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

void world_add_addr(struct world *w, int ifindex, const char *text, unsigned prefixlen)
{
	struct netaddr *addr = &w->topo->addr[w->topo->addrs++];

	addr->ifindex = ifindex;
	addr->prefixlen = prefixlen;
	assert_int_equal(ip_parse(text, &addr->ip), 0);
}

void world_add_port(struct world *w, const char *pci, enum role role, const char *netdev, const char *rdma)
{
	struct topology *topo = w->topo;
	unsigned i = topo->ports++;
	struct port_class *class = &w->classes->port[i];

	topo->netdevs = topo->rdma_links = topo->ports;
	assert_int_equal(pci_parse(pci, &topo->port[i].pci), 0);
	topo->port[i].netdev = topo->port[i].rdma = (int)i;
	topo->port[i].numa_node = 0;
	topo->port[i].speed_mbps = 200000;
	topo->netdev[i].ifindex = (int)i + 10;
	topo->netdev[i].mtu = 9000;
	topo->netdev[i].bond_mode = BOND_UNKNOWN;
	PUT(topo->netdev[i].name, netdev);
	topo->rdma_link[i].port = 1;
	topo->rdma_link[i].link_layer = LINK_LAYER_ETHERNET;
	PUT(topo->rdma_link[i].name, rdma);
	PUT(topo->rdma_link[i].state, "active");
	class->role = role;
	class->slot = class->port = -1;
	class->unusable = role == ROLE_STORAGE ? USABLE : UNUSABLE_NOT_STORAGE;
	PUT(class->reason, "platform dgx-h100: a reason");
}

void world_add_bond(struct world *w)
{
	struct netdev *netdev = &w->topo->netdev[w->topo->netdevs++];
	struct bond_class *bond = &w->classes->bond[w->classes->bonds++];

	netdev->ifindex = 99;
	netdev->bond_mode = BOND_ACTIVE_BACKUP;
	PUT(netdev->name, "bond0");
	w->topo->netdev[0].master_ifindex = w->topo->netdev[1].master_ifindex = 99;
	*bond = (struct bond_class){ .netdev = (int)w->topo->netdevs - 1, .member = { 0, 1 }, .members = 2 };
	bond->active = bond->carrier = 1;
	bond->roce_lag = ROCE_LAG_POSSIBLE;
	PUT(bond->reason, "both ports are of one card");
}

struct path *world_add_path(struct world *w, unsigned queues, const char *traddr)
{
	struct topology *topo = w->topo;
	unsigned c = topo->ctrls++;
	struct ns *ns = &topo->ns[topo->nss++];
	struct path *path = &w->plan->path[w->plan->paths++];

	topo->ctrl[c].instance = c;
	topo->ctrl[c].cntlid = 1;
	PUT(topo->ctrl[c].state, "live");
	*ns = (struct ns){ .ctrl = c, .nsid = 1, .size_bytes = 1 << 30 };
	str_format(ns->device, sizeof(ns->device), "nvme%un1", c);
	str_format(ns->path_device, sizeof(ns->path_device), "nvme0c%un1", c);
	for (unsigned q = 1; q <= queues; q++) {
		unsigned vector = (q - 1) % (topo->irqs ? topo->irqs : 1);

		w->queues->queue[w->queues->count++] = (struct queue){
			.ctrl = c,
			.qid = q,
			.vector = (int)vector,
			.hctx = -1,
			.numa_node = 0,
			.irq = topo->irqs ? (int)vector : -1,
			.local = topo->irqs ? TRI_YES : TRI_UNKNOWN,
		};
	}
	PUT(path->id.nqn, NQN);
	PUT(path->id.traddr, traddr);
	PUT(path->id.trsvcid, "4420");
	PUT(path->id.host_traddr, "10.10.1.1");
	path->ctrl = (int)c;
	path->action = PATH_CONNECTED;
	path->proof = PROOF_RDMA_NETLINK;
	path->owner = OWNER_US;
	return path;
}

void world_add_irqs(struct world *w, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		struct irq *irq = &w->topo->irq[w->topo->irqs++];

		irq->irq = 40 + i;
		irq->vector = i;
		irq->pci = w->topo->port[0].pci;
		irq->affinity_known = irq->effective_known = true;
		cpuset_add(&irq->affinity, 52 + i % 4);
		cpuset_add(&irq->effective, 52 + i % 4);
		str_format(irq->name, sizeof(irq->name), "mlx5_comp%u@pci:0000:29:00.0", i);
	}
}

void world_set_cpus(struct cpuset *set, const char *list)
{
	assert_int_equal(cpuset_parse(list, set), 0);
}

void world_add_shares(struct world *w)
{
	struct affinity *affinity = w->affinity;

	for (unsigned cpu = 0; cpu < 16; cpu++) {
		cpuset_add(&w->topo->online, cpu);
		w->topo->core[cpu] = (int)cpu % 8;
	}
	affinity->cores_per_port = 2;
	affinity->cores_fewest = 2;
	affinity->ports = 2;
	affinity->port[0] = (struct affinity_port){ .port = 0, .in_use = true };
	affinity->port[1] = (struct affinity_port){ .port = 1 };
	world_set_cpus(&affinity->port[0].cpus, "6-7");
	world_set_cpus(&affinity->port[1].cpus, "4-5");
	world_set_cpus(&affinity->reserved, "6-7");
	world_set_cpus(&affinity->reserved_with_siblings, "6-7,14-15");
	w->result.affinity = affinity;
	w->result.irqbalance = w->balance;
}

struct affinity_irq *world_place_irq(struct world *w, enum irq_action action, const char *before,
				     const char *target)
{
	unsigned i = w->affinity->irqs++;
	const struct irq *irq = &w->topo->irq[i];
	struct affinity_irq *ret = &w->affinity->irq[i];

	assert_true(i < w->topo->irqs);
	*ret = (struct affinity_irq){
		.irq = (int)i, .pci = irq->pci, .vector = irq->vector, .number = irq->irq, .action = action
	};
	PUT(ret->name, irq->name);
	world_set_cpus(&ret->before, before);
	world_set_cpus(&ret->target, target);
	if (action == IRQ_SET || action == IRQ_RESTORED)
		ret->after = ret->effective = ret->target;
	return ret;
}

int world_setup(void **state)
{
	struct world *w = calloc(1, sizeof(*w));

	assert_non_null(w);
	w->topo = calloc(1, sizeof(*w->topo));
	w->classes = calloc(1, sizeof(*w->classes));
	w->plan = calloc(1, sizeof(*w->plan));
	w->queues = calloc(1, sizeof(*w->queues));
	w->steps = calloc(1, sizeof(*w->steps));
	w->findings = calloc(1, sizeof(*w->findings));
	w->platform = calloc(1, sizeof(*w->platform));
	w->affinity = calloc(1, sizeof(*w->affinity));
	w->balance = calloc(1, sizeof(*w->balance));
	assert_true(w->topo && w->classes && w->plan && w->queues && w->steps && w->findings && w->platform);
	assert_true(w->affinity && w->balance);
	PUT(w->platform->id, "dgx-h100");
	PUT(w->platform->product_name, "DGXH100");
	PUT(w->platform->sys_vendor, "NVIDIA");
	world_add_port(w, "0000:29:00.0", ROLE_STORAGE, "enp41s0f0np0", "mlx5_1");
	world_add_port(w, "0000:29:00.1", ROLE_STORAGE, "enp41s0f1np1", "mlx5_2");
	world_add_port(w, "0000:5e:00.0", ROLE_COMPUTE, "ibp94s0", "mlx5_4");
	w->result = (struct result){
		.command = "connect",
		.platform = w->platform,
		.topo = w->topo,
		.classes = w->classes,
		.plan = w->plan,
		.queues = w->queues,
		.steps = w->steps,
		.findings = w->findings,
		.errors = w->error,
	};
	*state = w;
	return 0;
}

int world_teardown(void **state)
{
	struct world *w = *state;

	json_free(w->json);
	free(w->text);
	free(w->topo);
	free(w->classes);
	free(w->plan);
	free(w->queues);
	free(w->steps);
	free(w->findings);
	free(w->platform);
	free(w->affinity);
	free(w->balance);
	free(w);
	return 0;
}

void world_fill_hostile(struct world *w)
{
	struct path *path = world_add_path(w, 1, HOSTILE);

	PUT(path->id.nqn, HOSTILE);
	PUT(path->id.host_traddr, HOSTILE);
	PUT(path->message, HOSTILE);
	PUT(path->registered, HOSTILE);
	path->owner = OWNER_REGISTERED;
	path->reason = PATH_OTHER;
	path->action = PATH_FAILED;
	PUT(w->topo->rdma_link[0].name, HOSTILE);
	PUT(w->topo->ctrl[0].state, HOSTILE);
	PUT(w->topo->ns[0].device, HOSTILE);
	PUT(w->classes->port[0].reason, HOSTILE);
	PUT(w->platform->product_name, HOSTILE);
	PUT(w->plan->skip[0].nqn, HOSTILE);
	PUT(w->plan->skip[0].message, HOSTILE);
	w->plan->skips = 1;
	finding_add(w->findings, FINDING_FAIL, "ports.link", HOSTILE, HOSTILE, "%s", HOSTILE);
	err_set(&w->error[0], XC_FAILED, -EIO, HOSTILE, "%s", HOSTILE);
	w->result.error_count = 1;
	w->result.exit = XC_FAILED;
}

static void keep(const char *name, const char *suffix, const char *text)
{
	const char *dir = getenv("REPORT_DOCUMENTS");
	char path[512];
	FILE *file;

	if (!dir || !name)
		return;
	str_format(path, sizeof(path), "%s/%s.%s", dir, name, suffix);
	file = fopen(path, "we");
	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
}

static const char *render(struct world *w, int (*report)(const struct result *, FILE *))
{
	size_t size;
	FILE *out;

	free(w->text);
	out = open_memstream(&w->text, &size);
	assert_non_null(out);
	assert_int_equal(report(&w->result, out), 0);
	assert_int_equal(fclose(out), 0);
	return w->text;
}

struct json *world_json(struct world *w, const char *name)
{
	const char *text = render(w, report_json), *why;

	keep(name, "json", text);
	json_free(w->json);
	w->json = json_parse(text, strlen(text), &why);
	assert_non_null(w->json);
	return w->json;
}

const char *world_text(struct world *w, const char *name)
{
	keep(name, "txt", render(w, report_text));
	return w->text;
}

struct json *member(const struct json *j, const char *path)
{
	struct json *at = NULL;
	char copy[128], *rest = copy, *key;

	PUT(copy, path);
	while ((key = strsep(&rest, "."))) {
		at = key[0] >= '0' && key[0] <= '9' ? json_at(j, strtoul(key, NULL, 10)) : json_get(j, key);
		j = at;
	}
	return at;
}

const char *text_at(const struct json *j, const char *path)
{
	const char *text = json_text(member(j, path));

	return text ? text : "(no text)";
}

void assert_number_at(const struct json *j, const char *parent, const char *key, int64_t expected)
{
	int64_t value = -1;

	assert_int_equal(json_get_i64(member(j, parent), key, INT64_MIN, INT64_MAX, &value), 0);
	assert_int_equal(value, expected);
}
