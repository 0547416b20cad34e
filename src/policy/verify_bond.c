/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Bonds with a storage port among their members. What a bond costs (a member that is lost, a switch that does
 * not answer, a RoCE LAG that is not made) is a warning; it fails where controllers are over it and no member
 * is left, or where its answers may land on another card.
 */
#include "policy/verify_parts.h"

#include <string.h>

static bool has_storage(const struct verify *v, const struct bond_class *bond)
{
	for (unsigned i = 0; i < bond->members; i++) {
		if (v->classes->port[bond->member[i]].role == ROLE_STORAGE)
			return true;
	}
	return false;
}

static const struct netdev *bond_netdev(const struct verify *v, const struct bond_class *bond)
{
	return &v->topo->netdev[bond->netdev];
}

static const struct netdev *member_netdev(const struct verify *v, const struct bond_class *bond, unsigned i)
{
	return &v->topo->netdev[v->topo->port[bond->member[i]].netdev];
}

/* A controller's source is on the bond or on what is above it. */
static bool carries(const struct verify *v, const struct bond_class *bond)
{
	for (unsigned i = 0; i < v->plan->paths; i++) {
		const struct path *path = &v->plan->path[i];

		if (path->ctrl >= 0 && path->netdev >= 0 &&
		    netdev_is_above(v->topo, &v->topo->netdev[path->netdev], member_netdev(v, bond, 0)))
			return true;
	}
	return false;
}

static enum finding_status worst_if_carries(const struct verify *v, const struct bond_class *bond)
{
	return carries(v, bond) ? FINDING_FAIL : FINDING_WARN;
}

/* --- members --- */

/* "0000:29:00.1 (enp41s0f1np1)" */
#define MEMBER_TEXT_MAX 64
static const char *member_text(const struct verify *v, const struct bond_class *bond, unsigned i,
			       char buf[static MEMBER_TEXT_MAX])
{
	char pci[PCI_TEXT_MAX];

	str_format(buf, MEMBER_TEXT_MAX, "%s (%s)", pci_format(&v->topo->port[bond->member[i]].pci, pci),
		   member_netdev(v, bond, i)->name);
	return buf;
}

static bool member_is_up(const struct netdev *netdev)
{
	return netdev->up && netdev->carrier && netdev->member.mii == BOND_MII_UP;
}

/* What keeps a member from being used; NULL: nothing. */
static const char *member_trouble(const struct netdev *netdev)
{
	if (!netdev->up)
		return "is down: ip link set it up";
	if (!netdev->carrier)
		return "has no carrier: see to its cable and the port of the switch";
	switch (netdev->member.mii) {
	case BOND_MII_GOING_DOWN:
	case BOND_MII_GOING_BACK:
		return "is changing its state: look again";
	case BOND_MII_DOWN:
		return "counts as down in the bond, though it has a carrier: see to the bond's miimon";
	case BOND_MII_UP:
	case BOND_MII_UNKNOWN:
		break;
	}
	return NULL;
}

static void judge_member(const struct verify *v, const struct bond_class *bond, unsigned i, unsigned up,
			 struct check *check)
{
	const struct netdev *bond_dev = bond_netdev(v, bond), *netdev = member_netdev(v, bond, i);
	const char *trouble = member_trouble(netdev);
	char text[MEMBER_TEXT_MAX];

	if (trouble)
		check_bad(check, up > 0 ? FINDING_WARN : worst_if_carries(v, bond), bond_dev->name, NULL,
			  "%s has lost its member %s, which %s; %u of %u members are up", bond_dev->name,
			  member_text(v, bond, i, text), trouble, up, bond->members);
	else if (netdev->member.mii == BOND_MII_UNKNOWN)
		check_bad(check, FINDING_UNKNOWN, bond_dev->name, NULL,
			  "whether %s counts its member %s as up could not be read: see /proc/net/bonding/%s",
			  bond_dev->name, member_text(v, bond, i, text), bond_dev->name);
}

static void judge_members(const struct verify *v, const struct bond_class *bond, struct check *check)
{
	const struct netdev *netdev = bond_netdev(v, bond);
	unsigned before = check->bad, up = 0;

	for (unsigned i = 0; i < bond->members; i++)
		up += member_is_up(member_netdev(v, bond, i));
	if (!bond->storage)
		check_bad(
			check, worst_if_carries(v, bond), netdev->name, NULL,
			"%s has members that are no storage ports: its traffic can leave over them, so it is "
			"never used; take them out",
			netdev->name);
	else if (bond->one_card && bond->rules.state[ROCE_RULE_ALL_PORTS] == RULE_BROKEN)
		check_bad(
			check, FINDING_WARN, netdev->name, NULL,
			"%s does not have all ports of its card: the card makes one RDMA device of all or of "
			"none; add the others",
			netdev->name);
	for (unsigned i = 0; i < bond->members; i++)
		judge_member(v, bond, i, up, check);
	if (check->bad == before)
		check_good(check);
}

/* --- mode --- */

static void judge_lacp(const struct verify *v, const struct bond_class *bond, struct check *check)
{
	const struct netdev *netdev = bond_netdev(v, bond);
	unsigned partners = 0, unread = 0;

	for (unsigned i = 0; i < bond->members; i++) {
		const struct member_info *member = &member_netdev(v, bond, i)->member;

		unread += member->actor_state < 0 || member->partner_state < 0 || member->aggregator < 0;
		partners += member_has_partner(member) && member->aggregator == netdev->bond.aggregator;
	}
	if (netdev->bond.partner_mac[0] == '\0' || netdev->bond.aggregator < 0 || unread > 0)
		check_bad(check, FINDING_UNKNOWN, netdev->name, NULL,
			  "the LACP partner of %s could not be read: see /proc/net/bonding/%s", netdev->name,
			  netdev->name);
	else if (!bond_has_partner(&netdev->bond))
		check_bad(check, FINDING_WARN, netdev->name, NULL,
			  "no LACP partner answers on %s, and one member at most is used: configure the "
			  "switch's "
			  "ports as one LACP channel",
			  netdev->name);
	else if (partners < bond->members)
		check_bad(check, FINDING_WARN, netdev->name, NULL,
			  "%u of %u members of %s are in sync with LACP partner %s: see to the switch's "
			  "channel "
			  "on the others",
			  partners, bond->members, netdev->name, netdev->bond.partner_mac);
	else if (netdev->bond.lacp_rate == 0)
		check_bad(
			check, FINDING_WARN, netdev->name, NULL,
			"%s asks its LACP partner for slow rate: a link that passes nothing is noticed after "
			"90 s, with lacp_rate fast after 3",
			netdev->name);
}

static void judge_spread(const struct verify *v, const struct bond_class *bond, struct check *check)
{
	const struct netdev *netdev = bond_netdev(v, bond);
	const char *hash = bond_hash_name(netdev->bond.hash);

	if (!hash)
		check_bad(check, FINDING_UNKNOWN, netdev->name, NULL,
			  "the hash policy of %s could not be read", netdev->name);
	else if (netdev->bond.hash != BOND_HASH_LAYER34)
		check_bad(check, FINDING_WARN, netdev->name, NULL,
			  "%s spreads by %s, which keeps all queues to one target on one link: "
			  "xmit_hash_policy layer3+4 spreads them",
			  netdev->name, hash);
}

static void judge_watch(const struct verify *v, const struct bond_class *bond, struct check *check)
{
	const struct netdev *netdev = bond_netdev(v, bond);

	if (netdev->bond.miimon < 0)
		check_bad(check, FINDING_UNKNOWN, netdev->name, NULL,
			  "how %s watches its members' links could not be read", netdev->name);
	else if (netdev->bond.miimon == 0)
		check_bad(check, FINDING_WARN, netdev->name, NULL,
			  "%s does not watch its members' links (miimon 0), and goes on using one that is "
			  "lost: "
			  "set miimon to %d",
			  netdev->name, BOND_MIIMON_MS);
}

static void judge_mode(const struct verify *v, const struct bond_class *bond, struct check *check)
{
	const struct netdev *netdev = bond_netdev(v, bond);
	enum rule_state state = bond->rules.state[ROCE_RULE_MODE];
	unsigned before = check->bad;

	if (state == RULE_UNKNOWN)
		check_bad(check, FINDING_UNKNOWN, netdev->name, NULL, "the mode of %s could not be read",
			  netdev->name);
	else if (bond->storage && !bond->one_card && netdev->bond_mode != BOND_ACTIVE_BACKUP)
		check_bad(
			check, worst_if_carries(v, bond), netdev->name, NULL,
			"%s is over different cards in mode %s: answers land on the card that has not asked, "
			"and RDMA breaks; make one bond a card, or give each port an address of its own",
			netdev->name, bond_mode_name(netdev->bond_mode));
	else if (state == RULE_BROKEN)
		check_bad(check, FINDING_WARN, netdev->name, NULL,
			  "%s is in mode %s, which the card cannot use for RDMA: active-backup, 802.3ad or "
			  "balance-xor",
			  netdev->name, bond_mode_name(netdev->bond_mode));
	else if (netdev->bond_mode == BOND_ACTIVE_BACKUP && bond->active < 0)
		check_bad(check, worst_if_carries(v, bond), netdev->name, NULL,
			  "%s has no active member: nothing is sent; see to its members' links",
			  netdev->name);
	judge_watch(v, bond, check);
	if (netdev->bond_mode == BOND_8023AD)
		judge_lacp(v, bond, check);
	if (netdev->bond_mode == BOND_8023AD || netdev->bond_mode == BOND_BALANCE_XOR)
		judge_spread(v, bond, check);
	if (check->bad == before)
		check_good(check);
}

/* --- RoCE LAG --- */

static unsigned queue_pairs(const struct verify *v, const char *rdma_name)
{
	unsigned count = 0;

	for (unsigned i = 0; i < v->topo->cm_ids; i++) {
		const struct cm_id *id = &v->topo->cm_id[i];

		count += id->qp_rts && strcmp(id->owner, "nvme_rdma") == 0 &&
			 strcmp(id->rdma_name, rdma_name) == 0;
	}
	return count;
}

/* Which HCA sends for the bond, what is on it, and what the bond gives. */
static void append_state(const struct verify *v, const struct bond_class *bond, char *buf, size_t size)
{
	int64_t given = -1, possible = -1;
	struct carrier carrier;
	char pci[PCI_TEXT_MAX];

	carrier_of(v->topo, v->classes, bond->netdev, &carrier);
	if (carrier.rdma < 0 || carrier.port < 0)
		str_append(buf, size, "no HCA is known to carry it");
	else if (v->topo->cm_ids_read == READ_FAILED)
		str_append(buf, size, "%s of %s carries it, its queue pairs could not be read",
			   v->topo->rdma_link[carrier.rdma].name,
			   pci_format(&v->topo->port[carrier.port].pci, pci));
	else
		str_append(buf, size, "%s of %s carries it, with %u NVMe queue pairs",
			   v->topo->rdma_link[carrier.rdma].name,
			   pci_format(&v->topo->port[carrier.port].pci, pci),
			   queue_pairs(v, v->topo->rdma_link[carrier.rdma].name));
	if (v->bandwidth)
		bandwidth_of_bond(v->topo, bond, v->bandwidth, &given, &possible);
	if (possible >= 0)
		str_append(buf, size, "; it gives %lld of %lld Gb/s", (long long)given / 1000,
			   (long long)possible / 1000);
}

static const char *lag_advice(const struct bond_class *bond)
{
	if (!bond->one_card)
		return "give each port an address of its own, and connect over both";
	if (bond->rules.state[ROCE_RULE_NO_VFS] == RULE_BROKEN)
		return "write 0 to sriov_numvfs of its ports, and make the bond again";
	if (bond->rules.state[ROCE_RULE_LEGACY] == RULE_BROKEN)
		return "devlink dev eswitch set it to legacy, and make the bond again";
	return "bond makes one that can";
}

static void judge_lag(const struct verify *v, const struct bond_class *bond, char *passed, size_t size,
		      struct check *check)
{
	const char *name = bond_netdev(v, bond)->name;
	char text[256] = "";

	append_state(v, bond, text, sizeof(text));
	switch (bond->roce_lag) {
	case ROCE_LAG_ACTIVE:
		check_good(check);
		str_append(passed, size, "%s%s: %s", passed[0] ? "; " : "", name, text);
		break;
	case ROCE_LAG_POSSIBLE:
		check_bad(
			check, FINDING_WARN, name, NULL,
			"%s could be a RoCE LAG and is none: %s; see the kernel's log for mlx5, and make the "
			"bond again",
			name, text);
		break;
	case ROCE_LAG_IMPOSSIBLE:
		check_bad(check, FINDING_WARN, name, NULL, "%s can be no RoCE LAG: %s; %s; %s", name,
			  bond->reason, text, lag_advice(bond));
		break;
	case ROCE_LAG_UNKNOWN:
		check_bad(check, FINDING_UNKNOWN, name, NULL,
			  "whether %s can be a RoCE LAG is not known: %s; %s", name, bond->reason, text);
		break;
	}
}

void verify_bond(const struct verify *v)
{
	static const char *const names[] = { "bond.members", "bond.mode", "bond.roce_lag" };
	static const char none[] = "no bond has a storage port among its members";
	struct check members = check_begin(v->findings, names[0], "rtnetlink, links"),
		     mode = check_begin(v->findings, names[1], "rtnetlink, links"),
		     lag = check_begin(v->findings, names[2], "bond mode and members");
	char passed[480] = "";

	for (unsigned i = 0; !v->platform && i < ARRAY_SIZE(names); i++)
		finding_add(v->findings, FINDING_UNKNOWN, names[i], NULL, "sys/class/dmi/id", "%s",
			    VERIFY_NO_PLATFORM);
	if (!v->platform)
		return;
	for (unsigned i = 0; i < v->classes->bonds; i++) {
		const struct bond_class *bond = &v->classes->bond[i];

		if (!has_storage(v, bond))
			continue;
		judge_members(v, bond, &members);
		judge_mode(v, bond, &mode);
		judge_lag(v, bond, passed, sizeof(passed), &lag);
	}
	check_end(&members, NULL, none, "the members of %u bonds are storage ports of one card, and up",
		  members.good);
	check_end(&mode, NULL, none, "%u bonds are in a mode that RDMA can use, with all links in it",
		  mode.good);
	check_end(&lag, NULL, none, "each is one RDMA device (RoCE LAG); %s", passed);
}
