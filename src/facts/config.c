/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The config file: what connect is to make when nothing is said on the command line. The whole format is
 * checked, also the parts that other commands use (discovery, bonds): a wrong key is found when the
 * file is written, not when it is needed.
 */
#include "facts/facts.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

#include "facts/input.h"

static const char *const initiators[] = { "auto", "host", NULL };

/* Only for the message: a name is never looked up, since its answer can change. */
static bool is_host_name(const char *text)
{
	bool letter = false;

	for (const char *at = text; *at != '\0'; at++) {
		bool alpha = (*at >= 'a' && *at <= 'z') || (*at >= 'A' && *at <= 'Z');

		if (!alpha && !(*at >= '0' && *at <= '9') && *at != '-' && *at != '.')
			return false;
		letter |= alpha;
	}
	return letter;
}

static int check_address(const struct input *in, const char *where, const char *text, struct ip *ret)
{
	char quoted[INPUT_QUOTE_MAX];

	input_quote(quoted, text);
	if (ip_parse(text, ret) < 0)
		return input_bad(in, where, "\"%s\" is %s", quoted,
				 is_host_name(text) ? "a host name; give its address" : "no IP address");
	if (ip_is_special(ret))
		return input_bad(in, where, "\"%s\" is an address that no port can have", quoted);
	if (ip_is_linklocal6(ret) && ret->scope[0] == '\0')
		return input_bad(in, where, "\"%s\" is link-local: name its interface, as in %s%%ens1",
				 quoted, quoted);
	return 0;
}

/* 1 there, 0 not there (then the default), -EINVAL. */
static int check_service(const struct input *in, const char *where, const struct json *object,
			 char ret[static SVCID_SIZE])
{
	char at[INPUT_WHERE_MAX], text[16];
	int r = input_text(in, where, object, "trsvcid", text, sizeof(text));

	if (r <= 0)
		return r;
	if (parse_svcid(text, ret) < 0)
		return input_bad(in, input_member(at, where, "trsvcid"),
				 "must be a port number, as in \"4420\"");
	return 1;
}

static int read_connect(const struct input *in, const struct json *config, struct connect_opts *opts)
{
	static const char *const known[] = {
		"nr_io_queues", "queue_size", "keep_alive_tmo", "reconnect_delay", "ctrl_loss_tmo",
		"tos",		NULL
	};
	static const char where[] = "connect";
	const struct json *object = json_get(config, where);
	int r;

	if (json_is_null(object))
		return 0;
	r = input_keys(in, where, object, known);
	if (r == 0)
		r = input_number(in, where, object, "nr_io_queues", 1, 65535, &opts->nr_io_queues);
	if (r >= 0)
		r = input_number(in, where, object, "queue_size", 16, 1024, &opts->queue_size);
	if (r >= 0)
		r = input_number(in, where, object, "keep_alive_tmo", 0, 65535, &opts->keep_alive_tmo);
	if (r >= 0)
		r = input_number(in, where, object, "reconnect_delay", 1, 65535, &opts->reconnect_delay);
	if (r >= 0)
		r = input_number(in, where, object, "tos", 0, 255, &opts->tos);
	if (r >= 0)
		r = input_number(in, where, object, "ctrl_loss_tmo", -1, INT_MAX, &opts->ctrl_loss_tmo);
	if (r == 1) {
		opts->ctrl_loss_forever = opts->ctrl_loss_tmo == -1;
		if (opts->ctrl_loss_forever)
			opts->ctrl_loss_tmo = 0;
	}
	return r < 0 ? r : 0;
}

static int read_identity(const struct input *in, const struct json *config, struct request *request)
{
	char nqn[NQN_SIZE], text[64];
	int has_nqn = input_text(in, "", config, "hostnqn", nqn, sizeof(nqn));
	int has_id = has_nqn < 0 ? has_nqn : input_text(in, "", config, "hostid", text, sizeof(text));

	if (has_nqn < 0 || has_id < 0)
		return -EINVAL;
	if (has_nqn && parse_nqn(nqn) < 0)
		return input_bad(in, "hostnqn", "is no NQN (nqn...., without blanks and commas)");
	if (has_id && parse_uuid(text, request->hostid) < 0)
		return input_bad(in, "hostid", "is no UUID");
	/* They go as a pair: newer kernels refuse one host id under two NQNs (fabrics.c nvmf_host_add). */
	if (has_nqn && !has_id && parse_nqn_uuid(nqn, request->hostid) < 0)
		return input_bad(in, "hostnqn", "has no UUID in it; give hostid as well");
	if (has_nqn)
		memcpy(request->hostnqn, nqn, sizeof(nqn));
	return 0;
}

static int read_target(const struct input *in, const char *where, const struct json *target,
		       struct request *request)
{
	static const char *const known[] = { "nqn", "traddr", "trsvcid", NULL };
	struct portal portal = { .trsvcid = "4420" };
	const struct json *addresses = NULL;
	char list[INPUT_WHERE_MAX], at[INPUT_WHERE_MAX], text[IP_TEXT_MAX];
	int r = input_keys(in, where, target, known);

	if (r == 0)
		r = input_text(in, where, target, "nqn", portal.nqn, sizeof(portal.nqn));
	if (r == 0)
		return input_bad(in, where, "has no nqn");
	if (r > 0 && parse_nqn(portal.nqn) < 0)
		return input_bad(in, input_member(at, where, "nqn"),
				 "is no NQN (nqn...., without blanks and commas)");
	if (r > 0 && strcmp(portal.nqn, NQN_DISCOVERY) == 0)
		return input_bad(in, input_member(at, where, "nqn"),
				 "is the discovery subsystem, which has no namespaces");
	if (r > 0)
		r = check_service(in, where, target, portal.trsvcid);
	if (r >= 0)
		r = input_array(in, where, target, "traddr", &addresses);
	if (r < 0)
		return r;
	if (json_length(addresses) == 0)
		return input_bad(in, where, "has no traddr");
	input_member(list, where, "traddr");
	for (size_t i = 0; i < json_length(addresses); i++) {
		input_element(at, list, i);
		r = input_element_text(in, at, json_at(addresses, i), text, sizeof(text));
		if (r == 0)
			r = check_address(in, at, text, &portal.traddr);
		if (r < 0)
			return r;
		if (request->portals == REQUEST_PORTALS_MAX)
			return input_bad(in, at, "more than %u portals", REQUEST_PORTALS_MAX);
		request->portal[request->portals++] = portal;
	}
	return 0;
}

static int read_targets(const struct input *in, const struct json *config, struct request *request)
{
	const struct json *targets = NULL;
	char at[INPUT_WHERE_MAX];
	int r = input_array(in, "", config, "targets", &targets);

	if (r <= 0)
		return r;
	request->portals = 0;
	r = 0;
	for (size_t i = 0; i < json_length(targets) && r == 0; i++)
		r = read_target(in, input_element(at, "targets", i), json_at(targets, i), request);
	return r;
}

/* The names of ports, at most max of them; ret NULL: they are only checked. Returns how many, or -EINVAL. */
static int read_ports(const struct input *in, const char *where, const struct json *object, unsigned max,
		      char (*ret)[128])
{
	const struct json *names = NULL;
	char list[INPUT_WHERE_MAX], at[INPUT_WHERE_MAX], name[128];
	int r = input_array(in, where, object, "ports", &names);

	if (r < 0)
		return r;
	input_member(list, where, "ports");
	if (json_length(names) > max)
		return input_bad(in, list, "more than %u ports", max);
	for (size_t i = 0; i < json_length(names); i++) {
		r = input_element_text(in, input_element(at, list, i), json_at(names, i), name, sizeof(name));
		if (r < 0)
			return r;
		if (ret)
			memcpy(ret[i], name, sizeof(name));
	}
	return (int)json_length(names);
}

static int check_discovery(const struct input *in, const struct json *config)
{
	static const char *const known[] = { "traddr", "trsvcid", NULL };
	const struct json *list = NULL;
	int r = input_array(in, "", config, "discovery", &list);

	for (size_t i = 0; i < json_length(list) && r >= 0; i++) {
		char where[INPUT_WHERE_MAX], at[INPUT_WHERE_MAX], text[IP_TEXT_MAX], service[SVCID_SIZE];
		const struct json *portal = json_at(list, i);
		struct ip ip;

		input_element(where, "discovery", i);
		r = input_keys(in, where, portal, known);
		if (r == 0)
			r = input_text(in, where, portal, "traddr", text, sizeof(text));
		if (r == 0)
			return input_bad(in, where, "has no traddr");
		if (r > 0)
			r = check_address(in, input_member(at, where, "traddr"), text, &ip);
		if (r == 0)
			r = check_service(in, where, portal, service);
	}
	return r < 0 ? r : 0;
}

/* "10.10.1.1/24" */
static int check_cidr(const struct input *in, const char *where, const struct json *element)
{
	char text[IP_TEXT_MAX + 4], *slash;
	uint64_t prefix;
	struct ip ip;
	int r = input_element_text(in, where, element, text, sizeof(text));

	if (r < 0)
		return r;
	slash = strchr(text, '/');
	if (!slash)
		return input_bad(in, where, "has no prefix length, as in 10.10.1.1/24");
	*slash = '\0';
	r = check_address(in, where, text, &ip);
	if (r == 0 && parse_u64(slash + 1, ip.family == 4 ? 32 : 128, &prefix) < 0)
		return input_bad(in, where, "has a wrong prefix length");
	return r;
}

static int check_bond(const struct input *in, const char *where, const struct json *bond)
{
	static const char *const known[] = { "name", "ports", "mode", "mtu", "addresses", NULL };
	static const char *const modes[] = { "active-backup", "802.3ad", "balance-xor", NULL };
	const struct json *addresses = NULL;
	char list[INPUT_WHERE_MAX], at[INPUT_WHERE_MAX], name[IFNAMSIZ];
	unsigned mode;
	int r = input_keys(in, where, bond, known), mtu;

	if (r == 0)
		r = input_text(in, where, bond, "name", name, sizeof(name));
	if (r > 0 && (strpbrk(name, "/: %") || strcmp(name, ".") == 0 || strcmp(name, "..") == 0))
		return input_bad(in, input_member(at, where, "name"), "cannot be the name of an interface");
	if (r >= 0)
		r = read_ports(in, where, bond, REQUEST_PORTS_MAX, NULL);
	if (r >= 0)
		r = input_word(in, where, bond, "mode", modes, &mode);
	if (r >= 0)
		r = input_number(in, where, bond, "mtu", 68, 65535, &mtu);
	if (r >= 0)
		r = input_array(in, where, bond, "addresses", &addresses);
	input_member(list, where, "addresses");
	for (size_t i = 0; i < json_length(addresses) && r >= 0; i++)
		r = check_cidr(in, input_element(at, list, i), json_at(addresses, i));
	return r < 0 ? r : 0;
}

static int check_bonds(const struct input *in, const struct json *config)
{
	const struct json *bonds = NULL;
	char at[INPUT_WHERE_MAX];
	int r = input_array(in, "", config, "bonds", &bonds);

	for (size_t i = 0; i < json_length(bonds) && r >= 0; i++)
		r = check_bond(in, input_element(at, "bonds", i), json_at(bonds, i));
	return r < 0 ? r : 0;
}

static int read_affinity(const struct input *in, const struct json *config, struct request *request)
{
	static const char *const known[] = { "cores_per_port", "irqbalance", NULL };
	static const char *const words[] = { "ban", "ignore", "refuse", NULL };
	static const enum request_irqbalance meant[] = { REQUEST_BAN, REQUEST_IGNORE, REQUEST_REFUSE };
	const struct json *object = json_get(config, "affinity");
	unsigned word;
	int r, cores;

	if (json_is_null(object))
		return 0;
	r = input_keys(in, "affinity", object, known);
	if (r == 0)
		r = input_number(in, "affinity", object, "cores_per_port", 1, CORES_PER_PORT_MAX, &cores);
	if (r == 1)
		request->cores_per_port = (unsigned)cores;
	if (r >= 0)
		r = input_word(in, "affinity", object, "irqbalance", words, &word);
	if (r == 1)
		request->irqbalance = meant[word];
	return r < 0 ? r : 0;
}

static int read_all(const struct input *in, const struct json *json, struct config *config)
{
	static const char *const known[] = { "hostnqn",	  "hostid", "connect", "initiator", "targets",
					     "discovery", "ports",  "bonds",   "affinity",  NULL };
	struct request *request = &config->request;
	unsigned initiator = CONFIG_INITIATOR_AUTO;
	int r = input_keys(in, "", json, known);

	if (r == 0)
		r = read_identity(in, json, request);
	if (r == 0)
		r = read_connect(in, json, &request->opts);
	if (r == 0)
		r = input_word(in, "", json, "initiator", initiators, &initiator);
	if (r == 1)
		config->initiator = initiator == 1 ? CONFIG_INITIATOR_HOST : CONFIG_INITIATOR_AUTO;
	if (r >= 0)
		r = read_targets(in, json, request);
	if (r >= 0)
		r = check_discovery(in, json);
	if (r >= 0)
		r = read_ports(in, "", json, REQUEST_PORTS_MAX, request->port_name);
	if (r > 0)
		request->port_names = (unsigned)r;
	if (r >= 0)
		r = check_bonds(in, json);
	if (r >= 0)
		r = read_affinity(in, json, request);
	return r;
}

int facts_read_config(const struct root *root, const char *path, struct config *ret, struct err *err)
{
	_cleanup_json_ struct json *json = NULL;
	_cleanup_free_ struct config *config = NULL;
	struct input in = { .err = err };
	int r = input_read(&in, root, path ? path : CONFIG_PATH, path != NULL, &json);

	if (r == -ENOENT && err->code == 0) {
		if (path)
			return input_bad(&in, "", "is not there");
		ret->there = false;
		return 0;
	}
	if (r < 0)
		return r;
	config = malloc(sizeof(*config)); /* large for a stack */
	if (!config)
		return err_set(err, XC_ENVIRONMENT, -ENOMEM, "memory", "out of memory");
	*config = *ret;
	r = read_all(&in, json, config);
	if (r < 0)
		return r;
	config->there = true;
	*ret = *config;
	return 0;
}
