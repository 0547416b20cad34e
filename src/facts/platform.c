/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Platform files: which machine they are for and what each of its ports is. platforms/README is
 * their manual. Everything in a file is checked, whether it matches or not: a file that is wrong
 * must not silently hand the machine to another one.
 */
#include "facts/facts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "facts/input.h"
#include "facts/platforms_builtin.h"

#define SCHEMA 1
#define SLOT_MAX 255
#define NODE_MAX 1023
#define MBPS_MAX 10000000

static const char *const initiators[] = { "host-cpu", "bluefield3-arm", NULL };

static int parse_id(const struct input *in, const struct json *json, struct platform *ret)
{
	int r = input_text(in, "", json, "id", ret->id, sizeof(ret->id));

	if (r == 0)
		return input_bad(in, "", "has no id");
	if (r > 0 && ret->id[strspn(ret->id, "abcdefghijklmnopqrstuvwxyz0123456789-_.")] != '\0')
		return input_bad(in, "id", "may hold small letters, digits, and - _ . only");
	return r < 0 ? r : 0;
}

static int parse_match(const struct input *in, const struct json *json, struct platform *ret)
{
	static const char *const known[] = { "sys_vendor", "product_name", NULL };
	const struct json *match = json_get(json, "match");
	int r;

	if (json_is_null(match))
		return input_bad(in, "", "has no match");
	r = input_keys(in, "match", match, known);
	if (r == 0)
		r = input_text(in, "match", match, "sys_vendor", ret->sys_vendor, sizeof(ret->sys_vendor));
	if (r == 0)
		return input_bad(in, "match", "has no sys_vendor");
	if (r > 0)
		r = input_text(in, "match", match, "product_name", ret->product_name,
			       sizeof(ret->product_name));
	if (r == 0)
		return input_bad(in, "match", "has no product_name");
	return r < 0 ? r : 0;
}

/* "15b3:1021" */
static int parse_nic_id(const char *text, struct nic_id *ret)
{
	uint64_t vendor, device;
	char digits[5];

	if (strlen(text) != 9 || text[4] != ':' || strspn(text, "0123456789abcdefABCDEF") != 4)
		return -EINVAL;
	memcpy(digits, text, 4);
	digits[4] = '\0';
	if (parse_hex(digits, UINT16_MAX, &vendor) < 0 || strspn(text + 5, "0123456789abcdefABCDEF") != 4 ||
	    parse_hex(text + 5, UINT16_MAX, &device) < 0)
		return -EINVAL;
	ret->vendor = (uint16_t)vendor;
	ret->device = (uint16_t)device;
	return 0;
}

static int parse_nic_ids(const struct input *in, const struct json *ids, const char *key, enum role role,
			 struct platform *ret)
{
	const struct json *list = NULL;
	char where[INPUT_WHERE_MAX], at[INPUT_WHERE_MAX], text[16];
	int r = input_array(in, "nic_ids", ids, key, &list);

	if (r < 0)
		return r;
	input_member(where, "nic_ids", key);
	for (size_t i = 0; i < json_length(list); i++) {
		struct nic_id id = { .role = role };

		r = input_element_text(in, input_element(at, where, i), json_at(list, i), text, sizeof(text));
		if (r < 0)
			return r;
		if (parse_nic_id(text, &id) < 0)
			return input_bad(in, at, "must be vendor:device, as in 15b3:1021");
		if (ret->nic_ids == PLATFORM_IDS_MAX)
			return input_bad(in, at, "more than %d ids", PLATFORM_IDS_MAX);
		ret->nic_id[ret->nic_ids++] = id;
	}
	if (role == ROLE_STORAGE && json_length(list) == 0)
		return input_bad(in, "nic_ids",
				 "has no storage: the vendor and device id of the storage ports");
	return 0;
}

static int parse_all_nic_ids(const struct input *in, const struct json *json, struct platform *ret)
{
	static const char *const known[] = { "compute", "storage", NULL };
	const struct json *ids = json_get(json, "nic_ids");
	int r;

	if (json_is_null(ids))
		return input_bad(in, "", "has no nic_ids");
	r = input_keys(in, "nic_ids", ids, known);
	if (r == 0)
		r = parse_nic_ids(in, ids, "compute", ROLE_COMPUTE, ret);
	if (r == 0)
		r = parse_nic_ids(in, ids, "storage", ROLE_STORAGE, ret);
	return r;
}

static int parse_address(const struct input *in, const char *where, const struct json *entry,
			 const struct platform *platform, struct pci_addr *ret)
{
	char at[INPUT_WHERE_MAX], text[32], quoted[INPUT_QUOTE_MAX];
	const struct platform_port *other;
	int r = input_text(in, where, entry, "pci", text, sizeof(text));

	if (r == 0)
		return input_bad(in, where, "has no pci");
	if (r < 0)
		return r;
	input_member(at, where, "pci");
	if (pci_parse(text, ret) < 0)
		return input_bad(in, at, "\"%s\" is no PCI address with its domain, as in 0000:29:00.0",
				 input_quote(quoted, text));
	other = platform_port(platform, ret);
	if (other)
		return input_bad(in, at, "%s is there twice (also under %s)", text, role_name(other->role));
	return 0;
}

/* The keys that only some roles have; what is not there stays -1 or empty. */
static int parse_details(const struct input *in, const char *where, const struct json *entry,
			 const struct platform *platform, struct platform_port *ret)
{
	int has_slot, has_port, r;

	has_slot = input_number(in, where, entry, "slot", 0, SLOT_MAX, &ret->slot);
	has_port = has_slot < 0 ? has_slot : input_number(in, where, entry, "port", 1, SLOT_MAX, &ret->port);
	if (has_port < 0)
		return has_port;
	if (has_slot != has_port)
		return input_bad(in, where, "needs slot and port, or neither");
	for (unsigned i = 0; has_slot && i < platform->ports; i++) {
		if (platform->port[i].slot == ret->slot && platform->port[i].port == ret->port)
			return input_bad(in, where, "slot %d port %d is there twice", ret->slot, ret->port);
	}
	r = input_number(in, where, entry, "numa_node", 0, NODE_MAX, &ret->numa_node);
	if (r >= 0)
		r = input_number(in, where, entry, "expect_mbps", 1, MBPS_MAX, &ret->expect_mbps);
	if (r >= 0)
		r = input_text(in, where, entry, "label", ret->label, sizeof(ret->label));
	if (r == 0 && ret->role == ROLE_OTHER)
		return input_bad(in, where, "has no label that says what it is");
	return r < 0 ? r : 0;
}

static int parse_ports(const struct input *in, const struct json *json, const char *key, enum role role,
		       const char *const *known, struct platform *ret)
{
	const struct json *list = NULL;
	char where[INPUT_WHERE_MAX];
	int r = input_array(in, "", json, key, &list);

	if (r < 0)
		return r;
	for (size_t i = 0; i < json_length(list); i++) {
		const struct json *entry = json_at(list, i);
		struct platform_port port = {
			.role = role, .slot = -1, .port = -1, .numa_node = -1, .expect_mbps = -1
		};

		r = input_keys(in, input_element(where, key, i), entry, known);
		if (r == 0)
			r = parse_address(in, where, entry, ret, &port.pci);
		if (r == 0)
			r = parse_details(in, where, entry, ret, &port);
		if (r < 0)
			return r;
		if (ret->ports == PLATFORM_PORTS_MAX)
			return input_bad(in, where, "more than %d ports", PLATFORM_PORTS_MAX);
		ret->port[ret->ports++] = port;
	}
	if (role == ROLE_STORAGE && json_length(list) == 0)
		return input_bad(in, "", "has no storage: the ports that may carry storage");
	return 0;
}

static int compare_ports(const void *a, const void *b)
{
	const struct platform_port *x = a, *y = b;

	return pci_compare(&x->pci, &y->pci);
}

static int parse_platform(const struct input *in, const struct json *json, struct platform *ret)
{
	static const char *const known[] = { "schema",	"id",	   "match",	 "initiator", "nic_ids",
					     "compute", "storage", "management", "other",     NULL };
	static const char *const compute[] = { "pci", "numa_node", "label", "expect_mbps", NULL };
	static const char *const storage[] = { "pci",	"slot",	       "port", "numa_node",
					       "label", "expect_mbps", NULL };
	static const char *const rest[] = { "pci", "label", NULL };
	unsigned initiator = 0;
	int schema, r = input_keys(in, "", json, known);

	if (r == 0)
		r = input_number(in, "", json, "schema", SCHEMA, SCHEMA, &schema);
	if (r == 0)
		return input_bad(in, "", "has no schema (%d)", SCHEMA);
	if (r > 0)
		r = parse_id(in, json, ret);
	if (r == 0)
		r = parse_match(in, json, ret);
	if (r == 0)
		r = input_word(in, "", json, "initiator", initiators, &initiator);
	if (r == 0)
		return input_bad(in, "", "has no initiator (host-cpu or bluefield3-arm)");
	if (r > 0)
		r = parse_all_nic_ids(in, json, ret);
	if (r == 0)
		r = parse_ports(in, json, "compute", ROLE_COMPUTE, compute, ret);
	if (r == 0)
		r = parse_ports(in, json, "storage", ROLE_STORAGE, storage, ret);
	if (r == 0)
		r = parse_ports(in, json, "management", ROLE_MANAGEMENT, rest, ret);
	if (r == 0)
		r = parse_ports(in, json, "other", ROLE_OTHER, rest, ret);
	if (r < 0)
		return r;
	ret->initiator = initiator == 1 ? INITIATOR_BLUEFIELD3_ARM : INITIATOR_HOST_CPU;
	qsort(ret->port, ret->ports, sizeof(ret->port[0]), compare_ports);
	return 0;
}

/*
 * "DGXH100" matches "DGXH100", "DGX H100", and both with more after a blank or a dash: DGX machines are
 * known to add a part number ("DGXA100 920-23687-2531-001").
 */
static bool product_matches(const char *want, const char *have)
{
	for (; *want != '\0'; want++) {
		if (*want == ' ')
			continue;
		while (*have == ' ')
			have++;
		if (*have++ != *want)
			return false;
	}
	return *have == '\0' || *have == ' ' || *have == '-';
}

static bool matches(const struct platform *platform, const struct dmi *dmi, const char *id)
{
	if (id)
		return strcmp(platform->id, id) == 0;
	return strcasecmp(platform->sys_vendor, dmi->sys_vendor) == 0 &&
	       product_matches(platform->product_name, dmi->product_name);
}

/* A file by its path. 0, -ENOENT without a message, or another -errno. */
static int read_file(const struct root *root, const char *path, bool named, struct platform *ret,
		     struct err *err)
{
	_cleanup_json_ struct json *json = NULL;
	struct input in = { .err = err };
	int r = input_read(&in, root, path, named, &json);

	if (r < 0)
		return r;
	*ret = (struct platform){ 0 };
	str_format(ret->origin, sizeof(ret->origin), "%s", in.name);
	return parse_platform(&in, json, ret);
}

static int find_in_directory(const struct root *root, const struct dmi *dmi, const char *id,
			     struct platform *ret, bool *ret_known, struct err *err)
{
	_cleanup_names_ struct names names = NAMES_INIT;
	int r = root_list(root, &names, PLATFORMS_DIR);

	if (r == -ENOENT)
		return 0;
	if (r < 0)
		return err_set(err, XC_ENVIRONMENT, r, "/" PLATFORMS_DIR, "/" PLATFORMS_DIR ": %s",
			       strerror(-r));
	for (size_t i = 0; i < names.count; i++) {
		const char *dot = strrchr(names.name[i], '.');
		struct platform platform;
		char path[512];

		if (!dot || strcmp(dot, ".json") != 0)
			continue;
		str_format(path, sizeof(path), PLATFORMS_DIR "/%s", names.name[i]);
		r = read_file(root, path, false, &platform, err);
		if (r == -ENOENT && err->code == 0)
			continue; /* removed since it was listed */
		if (r < 0)
			return r;
		if (!matches(&platform, dmi, id))
			continue;
		if (*ret_known)
			return err_set(err, XC_USAGE, -EEXIST, "/" PLATFORMS_DIR,
				       "%s and %s are both for this machine or of one id; remove one",
				       ret->origin, platform.origin);
		*ret = platform;
		*ret_known = true;
	}
	return 0;
}

static int find_built_in(const struct dmi *dmi, const char *id, struct platform *ret, bool *ret_known,
			 struct err *err)
{
	for (size_t i = 0; i < platforms_builtin_count && !*ret_known; i++) {
		_cleanup_json_ struct json *json = NULL;
		struct platform platform = { .origin = "built in" };
		struct input in = { .err = err };
		const char *why;
		int r;

		str_format(in.name, sizeof(in.name), "%s (built in)", platforms_builtin[i].file);
		json = json_parse(platforms_builtin[i].text, platforms_builtin[i].length, &why);
		r = json ? parse_platform(&in, json, &platform) : input_bad(&in, "", "is not JSON: %s", why);
		if (r < 0)
			return r;
		*ret_known = matches(&platform, dmi, id);
		if (*ret_known)
			*ret = platform;
	}
	return 0;
}

int facts_read_platform(const struct root *root, const struct dmi *dmi, const char *force,
			struct platform *ret, bool *ret_known, struct err *err)
{
	char quoted[INPUT_QUOTE_MAX];
	int r;

	*ret_known = false;
	if (force && strchr(force, '/')) {
		r = read_file(root, force, true, ret, err);
		if (r == -ENOENT && err->code == 0)
			return err_set(err, XC_USAGE, r, force, "%s: is not there", force);
		*ret_known = r == 0;
		return r;
	}
	r = find_in_directory(root, dmi, force, ret, ret_known, err);
	if (r == 0)
		r = find_built_in(dmi, force, ret, ret_known, err);
	if (r == 0 && force && !*ret_known)
		return err_set(
			err, XC_USAGE, -ENOENT, force,
			"no platform has the id \"%s\": neither a built-in one nor a file in /" PLATFORMS_DIR,
			input_quote(quoted, force));
	return r;
}
