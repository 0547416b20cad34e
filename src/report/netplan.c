/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The same bond as "bond" makes: miimon, hash and LACP rate are those of apply/nl_bond.c. Names and addresses
 * are quoted: "on" or 10e2 would be something else to YAML.
 */
#include "report/netplan.h"

#include <errno.h>
#include <string.h>

/* Names of interfaces may hold nearly anything: only what no reader of the file can take for more. */
static bool is_safe(const char *name)
{
	return name[0] != '\0' && name[0] != '-' && name[0] != '.' &&
	       name[strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-")] ==
		       '\0';
}

static const char *member_name(const struct topology *topo, const struct bond_plan *plan, unsigned i)
{
	int netdev = topo->port[plan->member[i]].netdev;

	return netdev >= 0 ? topo->netdev[netdev].name : "";
}

static bool mode_is_written(enum bond_mode mode)
{
	return mode == BOND_ACTIVE_BACKUP || mode == BOND_BALANCE_XOR || mode == BOND_8023AD;
}

/* optional: a port without a cable must not hold up the boot. */
static void print_common(const struct bond_plan *plan, FILE *out)
{
	fputs("      dhcp4: false\n      dhcp6: false\n      optional: true\n", out);
	if (plan->mtu > 0)
		fprintf(out, "      mtu: %d\n", plan->mtu);
}

static void print_addresses(const struct bond_plan *plan, FILE *out)
{
	char text[IP_TEXT_MAX];

	if (plan->addresses > 0)
		fputs("      addresses:\n", out);
	for (unsigned i = 0; i < plan->addresses; i++) {
		struct ip ip = plan->address[i].ip;

		ip.scope[0] = '\0';
		fprintf(out, "        - \"%s/%u\"\n", ip_format(&ip, text), plan->address[i].prefixlen);
	}
}

static void print_parameters(const struct bond_plan *plan, FILE *out)
{
	fprintf(out, "      parameters:\n        mode: \"%s\"\n        mii-monitor-interval: %d\n",
		bond_mode_name(plan->mode), BOND_MIIMON_MS);
	if (plan->mode == BOND_8023AD)
		fputs("        lacp-rate: \"fast\"\n", out);
	if (plan->mode != BOND_ACTIVE_BACKUP)
		fputs("        transmit-hash-policy: \"layer3+4\"\n", out);
}

int report_netplan(const struct topology *topo, const struct bond_plan *plan, FILE *out)
{
	if (!is_safe(plan->name) || !mode_is_written(plan->mode) || plan->members == 0)
		return -EINVAL;
	for (unsigned i = 0; i < plan->members; i++) {
		if (!is_safe(member_name(topo, plan, i)))
			return -EINVAL;
	}
	fputs("network:\n  version: 2\n  ethernets:\n", out);
	for (unsigned i = 0; i < plan->members; i++) {
		fprintf(out, "    \"%s\":\n", member_name(topo, plan, i));
		print_common(plan, out);
	}
	fprintf(out, "  bonds:\n    \"%s\":\n      interfaces:\n", plan->name);
	for (unsigned i = 0; i < plan->members; i++)
		fprintf(out, "        - \"%s\"\n", member_name(topo, plan, i));
	print_common(plan, out);
	print_addresses(plan, out);
	print_parameters(plan, out);
	return 0;
}
