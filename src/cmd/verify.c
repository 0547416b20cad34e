/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * verify: is the partition as it should be, whoever made what is there? Reads and judges; changes nothing,
 * opens no block device, sends no NVMe command, and waits for nobody.
 */
#include "cmd/cmd.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "apply/fx_irqbalance.h"
#include "base/clock.h"
#include "base/log.h"
#include "cmd/place.h"
#include "cmd/request.h"
#include "facts/facts.h"
#include "policy/verify.h"

#define IRQBALANCE_ANSWER_MS 300 /* it may sleep for ten seconds; then it is unknown */

struct verifying {
	struct session *s;
	const struct options *options;
	struct config config;
	struct settings settings;
	struct asked asked[PATHS_MAX];
	char balance_why[256];
	bool balance_read;
	char asked_why[256]; /* "": all is known */
	bool config_unread;
};

/* --- options --- */

/* Each name is a check, or the first part of one's name. */
static int check_only(const char *only, struct err *err)
{
	for (const char *name = only; name; name = strchr(name, ',')) {
		size_t length;

		name += *name == ',';
		length = strcspn(name, ",");
		if (!verify_is_check(name, length))
			return err_set(err, XC_USAGE, -EINVAL, "only",
				       "--only: no check is called \"%.*s\"; the manual lists them",
				       (int)length, name);
	}
	return 0;
}

static bool is_named(const char *only, const char *check)
{
	for (const char *name = only; name; name = strchr(name, ',')) {
		size_t length;

		name += *name == ',';
		length = strcspn(name, ",");
		if (strncmp(name, check, length) == 0 && (check[length] == '\0' || check[length] == '.'))
			return true;
	}
	return false;
}

/* What could not be read stays in sight: it may be what the named checks lacked. */
static void keep_only(const char *only, struct findings *findings)
{
	unsigned kept = 0;

	for (unsigned i = 0; only && i < findings->count; i++) {
		if (is_named(only, findings->finding[i].check) ||
		    str_starts(findings->finding[i].check, "facts.") ||
		    str_starts(findings->finding[i].check, "journal."))
			findings->finding[kept++] = findings->finding[i];
	}
	if (only)
		findings->count = kept;
}

/* --- what was asked for --- */

/* One that is not named and not for this user is as none, and said. */
static int read_config(struct verifying *v, struct err *err)
{
	struct session *s = v->s;
	struct err why = { 0 };
	int r;

	request_defaults(&v->config.request);
	r = facts_read_config(&s->root, v->options->config, &v->config, &why);
	if (r == -EACCES && !v->options->config) {
		v->config_unread = true;
		finding_add(s->findings, FINDING_UNKNOWN, "facts.readable", "/" CONFIG_PATH, CONFIG_PATH,
			    "%s", why.msg);
		s->kept_findings = s->findings->count;
		return 0;
	}
	s->bad_file = r < 0;
	if (r < 0)
		*err = why;
	return r;
}

static bool is_of_config(const struct request *request, const struct ctrl_id *id)
{
	for (unsigned i = 0; i < request->portals; i++) {
		const struct portal *portal = &request->portal[i];
		struct ip ip;

		if (strcmp(portal->nqn, id->nqn) == 0 && strcmp(portal->trsvcid, id->trsvcid) == 0 &&
		    ip_parse(id->traddr, &ip) == 0 && ip_equal(&ip, &portal->traddr))
			return true;
	}
	return false;
}

static const struct path *find_path(const struct plan *plan, const struct ctrl_id *id)
{
	for (unsigned i = 0; i < plan->paths; i++) {
		if (ctrl_id_equal(&plan->path[i].id, id))
			return &plan->path[i];
	}
	return NULL;
}

static bool is_reached(const struct plan *plan, const struct portal *portal)
{
	for (unsigned i = 0; i < plan->paths; i++) {
		const struct ctrl_id *id = &plan->path[i].id;
		struct ip ip;

		if (strcmp(portal->nqn, id->nqn) == 0 && strcmp(portal->trsvcid, id->trsvcid) == 0 &&
		    ip_parse(id->traddr, &ip) == 0 && ip_equal(&ip, &portal->traddr))
			return true;
	}
	return false;
}

/* The kernel forgets a controller that it gives up (ctrl_loss_tmo); who asked for it has not. */
static int add_absent(struct verifying *v, struct err *err)
{
	const struct request *request = &v->config.request;
	struct plan *plan = v->s->plan;
	int r = 0;

	for (unsigned i = 0; i < v->s->claims->count && r == 0; i++) {
		const struct journal_claim *claim = &v->s->claims->claim[i];

		/* One that is being made, or taken away, may be there or not; journal.unfinished says so. */
		if (claim->inode > 0 && !claim->leaving && !find_path(plan, &claim->id))
			r = plan_add_absent(plan, &v->s->claims->claim[i].id);
	}
	/* Those that are deferred are no controllers of this host. */
	for (unsigned i = 0; v->config.there && !v->s->result.deferred && i < request->portals && r == 0;
	     i++) {
		const struct portal *portal = &request->portal[i];
		struct ctrl_id id = { .transport = "rdma" };
		char text[IP_TEXT_MAX];

		if (is_reached(plan, portal))
			continue;
		memcpy(id.nqn, portal->nqn, sizeof(id.nqn));
		str_format(id.traddr, sizeof(id.traddr), "%s", ip_format(&portal->traddr, text));
		str_format(id.trsvcid, sizeof(id.trsvcid), "%s", portal->trsvcid);
		r = plan_add_absent(plan, &id);
	}
	return r < 0 ? err_set(err, XC_ENVIRONMENT, r, "PATHS_MAX", "more than %d paths (PATHS_MAX)",
			       PATHS_MAX)
		     : 0;
}

static void read_claims(struct verifying *v)
{
	struct journal_data journal = { 0 };
	struct err why = { 0 };

	int r = journal_read(&v->s->root, &journal, &why);

	if (r == 0 && journal.there && !journal.readable)
		r = err_set(&why, XC_ENVIRONMENT, -EACCES, JOURNAL_DIR,
			    "only root can read /" JOURNAL_DIR "/" JOURNAL_FILE);
	if (r == 0 && journal_claims(&journal, v->s->claims) < 0)
		r = err_set(&why, XC_ENVIRONMENT, -E2BIG, JOURNAL_DIR,
			    "the journal lists more than %d controllers (JOURNAL_CLAIMS_MAX)",
			    JOURNAL_CLAIMS_MAX);
	if (r < 0) {
		v->s->claims->count = 0;
		str_format(v->asked_why, sizeof(v->asked_why), "%s", why.msg);
	}
	session_note_unfinished(v->s, &journal, "connect again completes it, teardown undoes it");
	journal_data_free(&journal);
}

/* The journal's word, else the config's. */
static void find_asked(struct verifying *v)
{
	for (unsigned i = 0; i < v->s->plan->paths; i++) {
		const struct ctrl_id *id = &v->s->plan->path[i].id;
		struct asked *asked = &v->asked[i];

		for (unsigned c = 0; c < v->s->claims->count && !asked->known; c++) {
			const struct journal_claim *claim = &v->s->claims->claim[c];

			if (!ctrl_id_equal(&claim->id, id))
				continue;
			asked->origin = "journal";
			if (claim->opts.nr_io_queues > 0)
				*asked = (struct asked){ true, "journal", claim->opts };
		}
		if (!asked->known && v->config.there && is_of_config(&v->config.request, id))
			*asked = (struct asked){ true, "config", v->config.request.opts };
	}
}

/* --- reading --- */

static void read_irqbalance(struct verifying *v)
{
	struct err why = { 0 };

	v->balance_read = fx_irqbalance_read(&v->s->root, IRQBALANCE_ANSWER_MS, v->s->balance, &why) == 0;
	str_format(v->balance_why, sizeof(v->balance_why), "%s", why.msg);
	if (v->balance_read) {
		v->s->result.irqbalance = v->s->balance;
		return;
	}
	log_effect("%s", why.msg);
}

static int read_settings(struct verifying *v, struct err *err)
{
	unsigned storage[TOPO_PORTS_MAX], both[TOPO_PORTS_MAX], storages = 0, boths = 0;
	struct session *s = v->s;
	int r;

	for (unsigned i = 0; i < s->topo->ports; i++) {
		enum role role = s->classes->port[i].role;

		if (role == ROLE_STORAGE)
			storage[storages++] = i;
		if (role == ROLE_STORAGE || role == ROLE_COMPUTE)
			both[boths++] = i;
	}
	r = facts_read_ctrl_settings(&s->root, s->topo, s->findings, err);
	if (r == 0)
		r = facts_read_port_settings(&s->root, s->topo, storage, storages, &v->settings, s->findings,
					     err);
	if (r == 0)
		r = facts_read_lldp(&s->root, s->topo, both, boths, &v->settings, s->findings, err);
	if (r == 0)
		r = facts_read_gids(&s->root, s->topo, storage, storages, &v->settings, s->findings, err);
	if (r == 0)
		r = facts_read_arp(&s->root, s->topo, &v->settings, s->findings, err);
	if (r == 0)
		r = facts_ask_path_routes(&s->root, s->topo, s->plan, &v->settings, s->findings, err);
	return r == 0 ? facts_read_host(&s->root, &v->settings, s->findings, err) : r;
}

static unsigned cores_per_port(const struct verifying *v)
{
	return v->options->cores_per_port != CONNECT_UNSET ? (unsigned)v->options->cores_per_port
							   : v->config.request.cores_per_port;
}

static int read_all(struct verifying *v, struct err *err)
{
	struct session *s = v->s;
	int r = check_only(v->options->only, err);

	if (r == 0)
		r = session_check_netns(s, err);
	if (r == 0)
		r = read_config(v, err);
	if (r == 0)
		r = session_identify(s, v->options, err);
	if (r == 0)
		r = session_refuse_arm_side(s, err);
	if (r == 0)
		r = session_read(s, err);
	if (r == 0)
		r = session_read_offload(s, err);
	if (r < 0)
		return r;
	s->result.deferred &= v->config.initiator != CONFIG_INITIATOR_HOST;
	plan_show(s->topo, s->classes, s->plan);
	read_claims(v);
	r = add_absent(v, err);
	s->result.plan = s->plan;
	session_prove_paths(s);
	if (r == 0)
		r = session_read_queues(s, err);
	if (r == 0)
		r = place_read(s, cores_per_port(v), 0, err);
	if (r == 0)
		r = read_settings(v, err);
	return r;
}

/* --- the verdict --- */

static enum exit_class verdict(const struct findings *findings, bool strict)
{
	bool good = findings->lost == 0;

	for (unsigned i = 0; i < findings->count; i++) {
		switch (findings->finding[i].status) {
		case FINDING_FAIL:
			good = false;
			break;
		case FINDING_WARN:
		case FINDING_UNKNOWN:
			good &= !strict;
			break;
		case FINDING_PASS:
		case FINDING_SKIP:
			break;
		}
	}
	return good ? XC_OK : XC_DRIFT;
}

static enum exit_class judge(struct verifying *v)
{
	struct session *s = v->s;
	const struct verify verify = {
		.topo = s->topo,
		.classes = s->classes,
		.platform = s->platform_known ? &s->platform : NULL,
		.settings = &v->settings,
		.plan = s->plan,
		.groups = s->groups,
		.affinity = s->affinity,
		.irqbalance = v->balance_read ? s->balance : NULL,
		.irqbalance_why = v->balance_why,
		.asked = v->asked,
		.config_unread = v->config_unread,
		.asked_why = v->asked_why[0] != '\0' ? v->asked_why : NULL,
		.bandwidth = s->result.bandwidth,
		.offload = s->result.deferred ? s->result.offload : NULL,
		.findings = s->findings,
	};

	verify_all(&verify);
	keep_only(v->options->only, s->findings);
	return verdict(s->findings, v->options->strict);
}

static enum exit_class run(struct session *s, const struct options *options)
{
	_cleanup_free_ struct verifying *v = calloc(1, sizeof(*v)); /* large, little of it touched */
	struct err err = { 0 };
	int64_t start = clock_us();

	if (!v) {
		err_set(&err, XC_ENVIRONMENT, -ENOMEM, "", "out of memory");
		return session_fail(s, &err);
	}
	v->s = s;
	v->options = options;
	if (read_all(v, &err) < 0)
		return session_fail(s, &err);
	find_asked(v);
	read_irqbalance(v);
	log_elapsed("facts", start);
	return judge(v);
}

const struct command command_verify = {
	.name = "verify",
	.summary =
		"Check that storage is on storage ports alone, and set up as it should be; changes nothing",
	.usage = "[--strict] [--only CHECKS] [OPTION...]",
	.options = options_verify,
	.run = run,
};
