/* SPDX-License-Identifier: GPL-2.0-or-later */
/* apply/nl_bond.c: the messages, taken apart by libnl as the kernel would. */
#include "lib/t.h"

#include "apply/nl_bond.h"

#include <errno.h>
#include <linux/if_addr.h>
#include <linux/if_link.h>
#include <linux/rtnetlink.h>
#include <netlink/attr.h>
#include <netlink/msg.h>
#include <string.h>
#include <sys/socket.h>

static struct nl_bond_msg msg;

static struct nlmsghdr *hdr_of(uint16_t type, uint16_t flags)
{
	struct nlmsghdr *hdr = (struct nlmsghdr *)msg.data;

	assert_int_equal(hdr->nlmsg_len, msg.length);
	assert_int_equal(msg.length % NLMSG_ALIGNTO, 0);
	assert_int_equal(hdr->nlmsg_type, type);
	assert_int_equal(hdr->nlmsg_flags, NLM_F_REQUEST | NLM_F_ACK | flags);
	assert_true(nlmsg_ok(hdr, (int)msg.length));
	return hdr;
}

static struct ifinfomsg link_of(uint16_t type, uint16_t flags, struct nlattr **tb)
{
	struct nlmsghdr *hdr = hdr_of(type, flags);
	struct ifinfomsg ifi;

	assert_int_equal(nlmsg_parse(hdr, sizeof(ifi), tb, IFLA_MAX, NULL), 0);
	memcpy(&ifi, nlmsg_data(hdr), sizeof(ifi));
	return ifi;
}

static void assert_options(struct nlattr *linkinfo, int mode, int hash, int lacp_rate)
{
	struct nlattr *info[IFLA_INFO_MAX + 1], *bond[IFLA_BOND_MAX + 1];

	assert_non_null(linkinfo);
	assert_int_equal(nla_parse_nested(info, IFLA_INFO_MAX, linkinfo, NULL), 0);
	assert_string_equal(nla_get_string(info[IFLA_INFO_KIND]), "bond");
	assert_int_equal(nla_parse_nested(bond, IFLA_BOND_MAX, info[IFLA_INFO_DATA], NULL), 0);
	assert_int_equal(nla_len(bond[IFLA_BOND_MODE]), 1);
	assert_int_equal(nla_get_u8(bond[IFLA_BOND_MODE]), mode);
	assert_int_equal(nla_len(bond[IFLA_BOND_MIIMON]), 4);
	assert_int_equal(nla_get_u32(bond[IFLA_BOND_MIIMON]), 100);
	assert_true((hash < 0) == !bond[IFLA_BOND_XMIT_HASH_POLICY]);
	if (hash >= 0)
		assert_int_equal(nla_get_u8(bond[IFLA_BOND_XMIT_HASH_POLICY]), hash);
	assert_true((lacp_rate < 0) == !bond[IFLA_BOND_AD_LACP_RATE]);
	if (lacp_rate >= 0)
		assert_int_equal(nla_get_u8(bond[IFLA_BOND_AD_LACP_RATE]), lacp_rate);
}

static void a_bond_is_made_with_its_options(void **state)
{
	static const struct {
		enum bond_mode mode;
		int hash, lacp_rate;
	} cases[] = { { BOND_ACTIVE_BACKUP, -1, -1 }, { BOND_BALANCE_XOR, 1, -1 }, { BOND_8023AD, 1, 1 } };
	struct nlattr *tb[IFLA_MAX + 1];
	struct ifinfomsg ifi;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		assert_int_equal(nl_bond_create(&msg, "storage-slot2", cases[i].mode, 9000), 0);
		ifi = link_of(RTM_NEWLINK, NLM_F_CREATE | NLM_F_EXCL, tb);
		assert_int_equal(ifi.ifi_index, 0);
		assert_int_equal(ifi.ifi_change, 0);
		assert_string_equal(nla_get_string(tb[IFLA_IFNAME]), "storage-slot2");
		assert_int_equal(nla_get_u32(tb[IFLA_MTU]), 9000);
		assert_options(tb[IFLA_LINKINFO], (int)cases[i].mode, cases[i].hash, cases[i].lacp_rate);
	}
	assert_int_equal(nl_bond_create(&msg, "abcdefghijklmno", BOND_8023AD, 9000),
			 0); /* the longest name */
	link_of(RTM_NEWLINK, NLM_F_CREATE | NLM_F_EXCL, tb);
	assert_string_equal(nla_get_string(tb[IFLA_IFNAME]), "abcdefghijklmno");
}

/* bond_changelink takes the options one by one: lacp_rate is refused before the mode is 802.3ad. */
static void the_mode_comes_first(void **state)
{
	struct nlattr *tb[IFLA_MAX + 1], *info[IFLA_INFO_MAX + 1];

	(void)state;
	assert_int_equal(nl_bond_create(&msg, "b", BOND_8023AD, 9000), 0);
	link_of(RTM_NEWLINK, NLM_F_CREATE | NLM_F_EXCL, tb);
	assert_int_equal(nla_parse_nested(info, IFLA_INFO_MAX, tb[IFLA_LINKINFO], NULL), 0);
	assert_int_equal(nla_type((struct nlattr *)nla_data(info[IFLA_INFO_DATA])), IFLA_BOND_MODE);
}

static void a_link_is_changed_by_its_index(void **state)
{
	struct nlattr *tb[IFLA_MAX + 1];
	struct ifinfomsg ifi;

	(void)state;
	for (int up = 0; up <= 1; up++) {
		assert_int_equal(nl_link_set_up(&msg, 7, up), 0);
		ifi = link_of(RTM_NEWLINK, 0, tb);
		assert_int_equal(ifi.ifi_index, 7);
		assert_int_equal(ifi.ifi_flags, up ? IFF_UP : 0);
		assert_int_equal(ifi.ifi_change, IFF_UP); /* no other flag is touched */
	}
	assert_int_equal(nl_link_set_mtu(&msg, 7, 4200), 0);
	ifi = link_of(RTM_NEWLINK, 0, tb);
	assert_int_equal(ifi.ifi_change, 0);
	assert_int_equal(nla_get_u32(tb[IFLA_MTU]), 4200);
	assert_null(tb[IFLA_MASTER]);
	assert_int_equal(nl_link_set_master(&msg, 7, 9), 0);
	ifi = link_of(RTM_NEWLINK, 0, tb);
	assert_int_equal(ifi.ifi_index, 7);
	assert_int_equal(nla_get_u32(tb[IFLA_MASTER]), 9);
	assert_int_equal(nl_link_set_master(&msg, 7, 0), 0);
	link_of(RTM_NEWLINK, 0, tb);
	assert_int_equal(nla_get_u32(tb[IFLA_MASTER]), 0);
	assert_int_equal(nl_bond_delete(&msg, 9), 0);
	ifi = link_of(RTM_DELLINK, 0, tb);
	assert_int_equal(ifi.ifi_index, 9);
}

static void an_address_is_added_and_taken_away(void **state)
{
	static const char *const texts[] = { "10.10.1.1", "fd00::1" };
	struct nlattr *tb[IFA_MAX + 1];

	(void)state;
	for (int i = 0; i < 4; i++) {
		struct bond_addr addr = { .prefixlen = i / 2 ? 64 : 24 };
		struct ifaddrmsg ifa;
		struct nlmsghdr *hdr;
		struct ip ip;

		assert_int_equal(ip_parse(texts[i / 2], &addr.ip), 0);
		assert_int_equal(i % 2 ? nl_addr_del(&msg, 7, &addr) : nl_addr_add(&msg, 7, &addr), 0);
		hdr = hdr_of(i % 2 ? RTM_DELADDR : RTM_NEWADDR, i % 2 ? 0 : NLM_F_CREATE | NLM_F_EXCL);
		assert_int_equal(nlmsg_parse(hdr, sizeof(ifa), tb, IFA_MAX, NULL), 0);
		memcpy(&ifa, nlmsg_data(hdr), sizeof(ifa));
		assert_int_equal(ifa.ifa_family, i / 2 ? AF_INET6 : AF_INET);
		assert_int_equal(ifa.ifa_prefixlen, addr.prefixlen);
		assert_int_equal(ifa.ifa_index, 7);
		assert_int_equal(ip_from_bytes(nla_data(tb[IFA_LOCAL]), (size_t)nla_len(tb[IFA_LOCAL]), &ip),
				 0);
		assert_true(ip_equal(&ip, &addr.ip));
		assert_int_equal(nla_len(tb[IFA_ADDRESS]), nla_len(tb[IFA_LOCAL]));
	}
}

#define assert_refused(call)                     \
	do {                                     \
		memset(&msg, 0xff, sizeof(msg)); \
		assert_int_equal(call, -EINVAL); \
		assert_int_equal(msg.length, 0); \
	} while (0)

static void what_no_kernel_takes_is_no_message(void **state)
{
	struct bond_addr addr = { .prefixlen = 24 };

	(void)state;
	assert_refused(nl_bond_create(&msg, "", BOND_8023AD, 9000));
	assert_refused(nl_bond_create(&msg, "abcdefghijklmnop", BOND_8023AD, 9000));
	assert_refused(nl_bond_create(&msg, "a/b", BOND_8023AD, 9000));
	assert_refused(nl_bond_create(&msg, "b", BOND_BALANCE_RR, 9000));
	assert_refused(nl_bond_create(&msg, "b", BOND_UNKNOWN, 9000));
	assert_refused(nl_bond_create(&msg, "b", BOND_8023AD, -1));
	assert_refused(nl_bond_delete(&msg, 0)); /* index 0 with a name would be another request */
	assert_refused(nl_link_set_up(&msg, 0, true));
	assert_refused(nl_link_set_mtu(&msg, 7, 67));
	assert_refused(nl_link_set_master(&msg, 7, 7));
	assert_refused(nl_link_set_master(&msg, 0, 9));
	assert_refused(nl_addr_add(&msg, 7, &addr)); /* no address */
	assert_int_equal(ip_parse("10.10.1.1", &addr.ip), 0);
	addr.prefixlen = 33;
	assert_refused(nl_addr_add(&msg, 7, &addr));
	addr.prefixlen = 0;
	assert_refused(nl_addr_del(&msg, 7, &addr));
	addr.prefixlen = 8;
	assert_int_equal(ip_parse("127.0.0.1", &addr.ip), 0);
	assert_refused(nl_addr_add(&msg, 7, &addr));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_bond_is_made_with_its_options),
		cmocka_unit_test(the_mode_comes_first),
		cmocka_unit_test(a_link_is_changed_by_its_index),
		cmocka_unit_test(an_address_is_added_and_taken_away),
		cmocka_unit_test(what_no_kernel_takes_is_no_message),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
