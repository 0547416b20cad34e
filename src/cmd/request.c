/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Merging command line and config into one request. */
#include "cmd/request.h"

#include <errno.h>
#include <string.h>

#include "model/affinity.h"

void request_defaults(struct request *ret)
{
	ret->opts = (struct connect_opts){
		.nr_io_queues = 16,
		.queue_size = 128,
		.keep_alive_tmo = 5,
		.reconnect_delay = 10,
		.ctrl_loss_tmo = 600,
		.tos = CONNECT_UNSET,
	};
	ret->cores_per_port = CORES_PER_PORT_DEFAULT;
	ret->irqbalance = REQUEST_BAN;
}

static int check_nqn(const char *option, const char *nqn, char ret[static NQN_SIZE], struct err *err)
{
	int r = parse_nqn(nqn);

	if (r == -ENAMETOOLONG)
		return err_set(err, XC_USAGE, r, option,
			       "--%s: the NQN has %zu bytes, at most %d are allowed", option, strlen(nqn),
			       NQN_LENGTH_MAX);
	if (r < 0)
		return err_set(err, XC_USAGE, r, option,
			       "--%s %s: no NQN (it starts with \"nqn.\" and has no comma, blank or control "
			       "character)",
			       option, nqn);
	return str_copy(ret, NQN_SIZE, nqn);
}

static int parse_traddr(const char *text, struct ip *ret, struct err *err)
{
	if (ip_parse(text, ret) < 0)
		return err_set(err, XC_USAGE, -EINVAL, text,
			       "--traddr %s: no numeric IPv4 or IPv6 address; names are not looked up", text);
	if (ip_is_special(ret))
		return err_set(err, XC_USAGE, -EINVAL, text, "--traddr %s: no address of a target", text);
	if (ip_is_linklocal6(ret) && ret->scope[0] == '\0')
		return err_set(err, XC_USAGE, -EINVAL, text,
			       "--traddr %s: a link-local address needs its interface: %s%%INTERFACE", text,
			       text);
	return 0;
}

static int take_targets(const struct options *options, struct request *request, struct err *err)
{
	struct portal portal = { .trsvcid = "4420" };

	if (options->traddrs == 0) {
		if (options->nqn || options->trsvcid)
			return err_set(err, XC_USAGE, -EINVAL, "traddr",
				       "--%s without --traddr: name the targets' addresses",
				       options->nqn ? "nqn" : "trsvcid");
		if (request->portals == 0)
			return err_set(
				err, XC_USAGE, -EINVAL, "traddr",
				"no target: give --traddr and --nqn, or list targets in the config file");
		return 0;
	}
	if (!options->nqn)
		return err_set(err, XC_USAGE, -EINVAL, "nqn", "--traddr without --nqn: name the subsystem");
	if (strcmp(options->nqn, NQN_DISCOVERY) == 0)
		return err_set(err, XC_USAGE, -EINVAL, "nqn",
			       "--nqn %s: the discovery subsystem has no namespaces to connect to",
			       options->nqn);
	if (check_nqn("nqn", options->nqn, portal.nqn, err) < 0)
		return -EINVAL;
	if (options->trsvcid && parse_svcid(options->trsvcid, portal.trsvcid) < 0)
		return err_set(err, XC_USAGE, -EINVAL, options->trsvcid,
			       "--trsvcid %s: no port number from 1 to 65535", options->trsvcid);
	request->portals = 0; /* the command line's targets replace those of the config */
	for (unsigned i = 0; i < options->traddrs; i++) {
		if (parse_traddr(options->traddr[i], &portal.traddr, err) < 0)
			return -EINVAL;
		request->portal[request->portals++] = portal;
	}
	return 0;
}

_Static_assert(TRADDRS_MAX <= REQUEST_PORTALS_MAX, "every address of the command line is a portal");

static int take_host(const struct options *options, struct request *request, struct err *err)
{
	struct ip ip;

	if (options->host_traddr) {
		if (!parse_is_option_safe(options->host_traddr) ||
		    str_copy(request->host_traddr, sizeof(request->host_traddr), options->host_traddr) < 0)
			return err_set(err, XC_USAGE, -EINVAL, "host-traddr",
				       "--host-traddr %s: neither an address nor a port's name",
				       options->host_traddr);
		if (ip_parse(options->host_traddr, &ip) == 0 && ip_is_linklocal6(&ip) && ip.scope[0] == '\0')
			return err_set(
				err, XC_USAGE, -EINVAL, "host-traddr",
				"--host-traddr %s: a link-local address needs its interface: %s%%INTERFACE",
				options->host_traddr, options->host_traddr);
		request->port_names = 0; /* one source was named: the config's ports have no say */
	}
	if (options->hostnqn) {
		if (check_nqn("hostnqn", options->hostnqn, request->hostnqn, err) < 0)
			return -EINVAL;
		/* A host id belongs to its NQN: the config's would be another host's. */
		request->hostid[0] = '\0';
	}
	if (options->hostid && parse_uuid(options->hostid, request->hostid) < 0)
		return err_set(err, XC_USAGE, -EINVAL, "hostid", "--hostid %s: no UUID", options->hostid);
	if (options->hostnqn && !options->hostid && parse_nqn_uuid(request->hostnqn, request->hostid) < 0)
		return err_set(err, XC_USAGE, -EINVAL, "hostid",
			       "the host NQN %s has no UUID in it: give the host id as well (-I)",
			       request->hostnqn);
	return 0;
}

static void take_int(int given, int *ret)
{
	if (given != CONNECT_UNSET)
		*ret = given;
}

static void take_opts(const struct options *options, struct request *request)
{
	struct connect_opts *opts = &request->opts;

	take_int(options->nr_io_queues, &opts->nr_io_queues);
	take_int(options->queue_size, &opts->queue_size);
	take_int(options->keep_alive_tmo, &opts->keep_alive_tmo);
	take_int(options->reconnect_delay, &opts->reconnect_delay);
	take_int(options->tos, &opts->tos);
	if (options->ctrl_loss_given) {
		opts->ctrl_loss_forever = options->ctrl_loss_tmo < 0;
		opts->ctrl_loss_tmo = options->ctrl_loss_tmo < 0 ? 0 : options->ctrl_loss_tmo;
	}
	request->connect_timeout_s = options->connect_timeout_s;
}

static void take_placement(const struct options *options, struct request *request)
{
	const char *word = options->irqbalance;

	if (options->cores_per_port != CONNECT_UNSET)
		request->cores_per_port = (unsigned)options->cores_per_port;
	if (word && strcmp(word, "ban") == 0)
		request->irqbalance = REQUEST_BAN;
	else if (word && strcmp(word, "ignore") == 0)
		request->irqbalance = REQUEST_IGNORE;
	else if (word && strcmp(word, "refuse") == 0)
		request->irqbalance = REQUEST_REFUSE;
}

int request_make(const struct options *options, struct request *request, struct err *err)
{
	int r;

	if (options->transport && strcmp(options->transport, "rdma") != 0)
		return err_set(err, XC_USAGE, -EINVAL, "transport", "--transport %s: only rdma",
			       options->transport);
	r = take_targets(options, request, err);
	if (r == 0)
		r = take_host(options, request, err);
	if (r < 0)
		return r;
	take_opts(options, request);
	take_placement(options, request);
	return 0;
}
