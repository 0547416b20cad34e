/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the software on the cards has to be told, as JSON-RPC requests of SPDK and SNAP-4. The first path of a
 * card makes the emulated subsystem and its controller, the first of a subsystem makes the namespace, and
 * each has an SPDK controller of its own; the inverse is for the opposite order.
 *
 * The addresses of the Arm side are not those of this host, which must not be given out twice: the source of
 * a path is known only if the operator names an address.
 */
#include "policy/offload.h"

#include <errno.h>
#include <string.h>

struct planning {
	const struct topology *topo;
	const struct classification *classes;
	const struct request *request;
	struct offload *offload;
	int card[OFFLOAD_CARDS_MAX]; /* those that were named; none: -1 alone */
	unsigned cards;
	char hostaddr[IP_TEXT_MAX];		  /* empty: not known */
	unsigned id;				  /* of the last request */
	unsigned creation[OFFLOAD_CARDS_MAX + 1]; /* by card: the request that makes the SNAP controller */
};

/* --- which cards --- */

static int card_of_port(const struct planning *p, int port)
{
	for (unsigned i = 0; i < p->offload->cards; i++) {
		if (pci_same_card(&p->offload->card[i].pci, &p->topo->port[port].pci))
			return (int)i;
	}
	return -1;
}

static void add_card(struct planning *p, int card)
{
	for (unsigned i = 0; i < p->cards; i++) {
		if (p->card[i] == card)
			return;
	}
	if (card >= 0)
		p->card[p->cards++] = card;
}

static int take_port(struct planning *p, int port, const char *given, struct err *err)
{
	char pci[PCI_TEXT_MAX] = "no PCI function", storage[512];
	const char *role = "other";

	if (port >= 0 && p->classes->port[port].role == ROLE_STORAGE) {
		add_card(p, card_of_port(p, port));
		return 0;
	}
	if (port >= 0) {
		pci_format(&p->topo->port[port].pci, pci);
		role = role_name(p->classes->port[port].role);
	}
	storage_ports_text(p->topo, p->classes, storage, sizeof(storage));
	return err_set(err, XC_REFUSED, -EPERM, given,
		       "source %s is not a storage port (%s, role %s); storage ports here: %s", given, pci,
		       role, storage);
}

static int take_name(struct planning *p, const char *name, enum exit_class missing, struct err *err)
{
	int port = port_by_name(p->topo, p->classes, name);
	char storage[512];

	if (port >= 0)
		return take_port(p, port, name, err);
	if (port == -2)
		return err_set(err, missing == XC_REFUSED ? XC_REFUSED : XC_USAGE, -ENOTUNIQ, name,
			       "port name %s fits more than one port; use a PCI address", name);
	storage_ports_text(p->topo, p->classes, storage, sizeof(storage));
	return err_set(err, missing, -ENODEV, name,
		       "no port of this machine is named %s; storage ports here: %s", name, storage);
}

/* An address that is not of this host is the card's own. One that is must be a storage port's, and names it.
 */
static int take_address(struct planning *p, const struct ip *ip, struct err *err)
{
	const char *given = p->request->host_traddr;
	int netdev = netdev_of_ip(p->topo, ip);
	struct carrier carrier;

	if (netdev == -1) {
		ip_format(ip, p->hostaddr);
		return 0;
	}
	if (netdev < 0)
		return err_set(err, XC_ENVIRONMENT, -ENOTUNIQ, given,
			       "source address %s is on several interfaces of this machine; name the port "
			       "instead",
			       given);
	carrier_of(p->topo, p->classes, netdev, &carrier);
	if (!carrier.storage)
		return take_port(p, carrier.port, given, err);
	/* A bond may be over several cards. */
	return p->topo->netdev[netdev].kind == NET_PLAIN ? take_port(p, carrier.port, given, err) : 0;
}

static int choose_cards(struct planning *p, struct err *err)
{
	const struct request *request = p->request;
	struct ip ip;
	int r = 0;

	if (ip_parse(request->host_traddr, &ip) == 0)
		r = take_address(p, &ip, err);
	else if (request->host_traddr[0] != '\0')
		r = take_name(p, request->host_traddr, XC_ENVIRONMENT, err);
	for (unsigned i = 0; r == 0 && i < request->port_names; i++)
		r = take_name(p, request->port_name[i], XC_REFUSED, err);
	if (p->cards == 0)
		p->card[p->cards++] = -1;
	return r;
}

/* --- the requests --- */

static struct rpc make_rpc(struct planning *p, enum rpc_method method, unsigned take)
{
	return (struct rpc){ .method = method, .id = ++p->id, .take = take };
}

static void add(struct planning *p, struct offload_path *path, enum rpc_method method, unsigned take)
{
	path->request[path->requests++] = make_rpc(p, method, take);
}

static void add_inverse(struct planning *p, struct offload_path *path, enum rpc_method method, unsigned take)
{
	path->inverse[path->inverses++] = make_rpc(p, method, take);
}

/* The order is SNAP's: the controller stays suspended until it has its namespace. */
static void make_requests(struct planning *p, struct offload_path *path, bool first_of_card,
			  bool first_of_subsystem)
{
	unsigned *creation = &p->creation[path->card + 1];

	add(p, path, RPC_BDEV_NVME_ATTACH_CONTROLLER, 0);
	if (first_of_card)
		add(p, path, RPC_NVME_SUBSYSTEM_CREATE, 0);
	if (first_of_subsystem)
		add(p, path, RPC_NVME_NAMESPACE_CREATE, 0);
	if (first_of_card) {
		add(p, path, RPC_NVME_CONTROLLER_CREATE, 0);
		*creation = p->id;
	}
	if (first_of_subsystem)
		add(p, path, RPC_NVME_CONTROLLER_ATTACH_NS, *creation);
	if (first_of_card)
		add(p, path, RPC_NVME_CONTROLLER_RESUME, *creation);
}

static void make_inverse(struct planning *p, struct offload_path *path, bool first_of_card,
			 bool first_of_subsystem)
{
	unsigned creation = p->creation[path->card + 1];

	if (first_of_subsystem)
		add_inverse(p, path, RPC_NVME_CONTROLLER_DETACH_NS, creation);
	if (first_of_card)
		add_inverse(p, path, RPC_NVME_CONTROLLER_DESTROY, creation);
	if (first_of_subsystem)
		add_inverse(p, path, RPC_NVME_NAMESPACE_DESTROY, 0);
	if (first_of_card)
		add_inverse(p, path, RPC_NVME_SUBSYSTEM_DESTROY, 0);
	add_inverse(p, path, RPC_BDEV_NVME_DETACH_CONTROLLER, 0);
}

/*
 * SPDK takes no delay of reconnects without a time for them, nor one that is longer
 * (bdev_nvme_check_io_error_resiliency_params); the kernel takes both.
 */
static void set_times(const struct connect_opts *opts, struct offload_path *path)
{
	path->ctrlr_loss_timeout_sec = opts->ctrl_loss_forever ? -1 : opts->ctrl_loss_tmo;
	path->reconnect_delay_sec = opts->reconnect_delay;
	if (path->ctrlr_loss_timeout_sec >= 0 && path->reconnect_delay_sec > path->ctrlr_loss_timeout_sec)
		path->reconnect_delay_sec = path->ctrlr_loss_timeout_sec;
}

/* --- paths --- */

static bool same_portal(const struct portal *a, const struct portal *b)
{
	return ip_equal(&a->traddr, &b->traddr) && strcmp(a->trsvcid, b->trsvcid) == 0 &&
	       strcmp(a->nqn, b->nqn) == 0;
}

static int add_path(struct planning *p, const struct portal *portal, int card, struct err *err)
{
	struct offload *offload = p->offload;
	bool first_of_card = true, first_of_subsystem = true;
	struct offload_path *path;
	unsigned subsystems = 0, subsystem = 0;
	struct ip source;

	for (unsigned i = 0; i < offload->paths; i++) {
		const struct offload_path *other = &offload->path[i];

		if (other->card != card)
			continue;
		if (same_portal(&other->portal, portal))
			return 0; /* named twice */
		first_of_card = false;
		if (strcmp(other->portal.nqn, portal->nqn) == 0) {
			first_of_subsystem = false;
			subsystem = other->subsystem;
		}
		if (other->subsystem >= subsystems)
			subsystems = other->subsystem + 1;
	}
	if (offload->paths == OFFLOAD_PATHS_MAX)
		return err_set(err, XC_ENVIRONMENT, -E2BIG, "OFFLOAD_PATHS_MAX",
			       "more than %d paths (OFFLOAD_PATHS_MAX); name fewer portals in one run",
			       OFFLOAD_PATHS_MAX);
	path = &offload->path[offload->paths++];
	*path = (struct offload_path){
		.portal = *portal,
		.card = card,
		.subsystem = first_of_subsystem ? subsystems : subsystem,
		.num_io_queues = p->request->opts.nr_io_queues,
	};
	if (ip_parse(p->hostaddr, &source) == 0 && source.family == portal->traddr.family)
		memcpy(path->hostaddr, p->hostaddr, sizeof(path->hostaddr));
	set_times(&p->request->opts, path);
	make_requests(p, path, first_of_card, first_of_subsystem);
	make_inverse(p, path, first_of_card, first_of_subsystem);
	return 0;
}

int offload_plan(const struct topology *topo, const struct classification *classes,
		 const struct request *request, struct offload *offload, struct err *err)
{
	struct planning p = { .topo = topo, .classes = classes, .request = request, .offload = offload };
	int r = choose_cards(&p, err);

	offload->paths = 0;
	memcpy(offload->hostnqn, request->hostnqn, sizeof(offload->hostnqn));
	for (unsigned c = 0; c < p.cards && r == 0; c++) {
		for (unsigned i = 0; i < request->portals && r == 0; i++)
			r = add_path(&p, &request->portal[i], p.card[c], err);
	}
	return r;
}
