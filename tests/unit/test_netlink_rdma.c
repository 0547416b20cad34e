/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Messages of NETLINK_RDMA as the kernel makes them (nldev.c), and shorter than it ever would. */
#include "unit/netlink_world.h"

#include <errno.h>
#include <netinet/in.h>
#include <netlink/attr.h>
#include <netlink/msg.h>
#include <netlink/netlink.h>
#include <rdma/rdma_netlink.h>
#include <string.h>

#include "facts/nl_conn.h"
#include "facts/nl_rdma.h"

static struct nl_msg *rdma_msg(int command)
{
	struct nl_msg *msg = nlc_request(RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, command), NLM_F_MULTI, NULL, 0);

	assert_non_null(msg);
	nla_put_u32(msg, RDMA_NLDEV_ATTR_DEV_INDEX, 3);
	nla_put_string(msg, RDMA_NLDEV_ATTR_DEV_NAME, "mlx5_1");
	return msg;
}

static void devices_and_ports_are_taken_as_nldev_lists_them(void **state)
{
	struct nl_msg *msg = rdma_msg(RDMA_NLDEV_CMD_GET);
	const struct rdma_link *l = w.topo->rdma_link;

	(void)state;
	nla_put_u32(msg, RDMA_NLDEV_ATTR_PORT_INDEX, 2);
	nla_put_u32(msg, RDMA_NLDEV_ATTR_MAX + 20, 7); /* of a newer kernel */
	assert_int_equal(take(msg, nl_take_device, w.rdma), 0);
	assert_int_equal(w.rdma->devices, 1);
	assert_int_equal(w.rdma->device[0].index, 3);
	assert_int_equal(w.rdma->device[0].ports, 2);
	assert_string_equal(w.rdma->device[0].name, "mlx5_1");

	w.rdma->current = 0;
	msg = rdma_msg(RDMA_NLDEV_CMD_PORT_GET);
	nla_put_u32(msg, RDMA_NLDEV_ATTR_PORT_INDEX, 1);
	nla_put_u8(msg, RDMA_NLDEV_ATTR_PORT_STATE, 4);
	nla_put_u8(msg, RDMA_NLDEV_ATTR_PORT_PHYS_STATE, 5);
	nla_put_u32(msg, RDMA_NLDEV_ATTR_NDEV_INDEX, 13);
	nla_put_string(msg, RDMA_NLDEV_ATTR_NDEV_NAME, "enp41s0f0np0");
	assert_int_equal(take(msg, nl_take_port, w.rdma), 0);
	assert_int_equal(w.topo->rdma_links, 1);
	assert_string_equal(l->name, "mlx5_1");
	assert_string_equal(l->state, "active");
	assert_true(l->active);
	assert_int_equal(l->port, 1);
	assert_int_equal(l->index, 3);
	assert_int_equal(l->netdev_ifindex, 13);
	assert_int_equal(l->ncv, -1);
}

static void a_device_whose_name_is_none_is_counted(void **state)
{
	struct nl_msg *msg =
		nlc_request(RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, RDMA_NLDEV_CMD_GET), NLM_F_MULTI, NULL, 0);

	(void)state;
	nla_put_u32(msg, RDMA_NLDEV_ATTR_DEV_INDEX, 3);
	nla_put_string(msg, RDMA_NLDEV_ATTR_DEV_NAME, "../mlx5_1");
	assert_int_equal(take(msg, nl_take_device, w.rdma), 0);
	assert_int_equal(w.rdma->devices, 0);
	assert_int_equal(w.rdma->odd, 1);
	assert_int_equal(take(rdma_msg(RDMA_NLDEV_CMD_PORT_GET), nl_take_device, w.rdma), -EPROTO);
}

static void put_endpoint(struct nl_msg *msg, int type, int family, uint8_t last, uint16_t port)
{
	struct sockaddr_storage ss = { .ss_family = (sa_family_t)family };
	struct sockaddr_in in = { .sin_family = AF_INET, .sin_port = htons(port) };
	struct sockaddr_in6 in6 = { .sin6_family = AF_INET6, .sin6_port = htons(port) };

	in.sin_addr.s_addr = htonl(0x0a0a0100U | last);
	in6.sin6_addr.s6_addr[0] = 0xfd;
	in6.sin6_addr.s6_addr[15] = last;
	if (family == AF_INET)
		memcpy(&ss, &in, sizeof(in));
	else if (family == AF_INET6)
		memcpy(&ss, &in6, sizeof(in6));
	nla_put(msg, type, sizeof(ss), &ss); /* nldev puts all of it */
}

static void put_cm_id(struct nl_msg *msg, const char *owner, int family, uint32_t lqpn)
{
	struct nlattr *entry = nla_nest_start(msg, RDMA_NLDEV_ATTR_RES_CM_ID_ENTRY);

	nla_put_u32(msg, RDMA_NLDEV_ATTR_PORT_INDEX, 1);
	if (lqpn)
		nla_put_u32(msg, RDMA_NLDEV_ATTR_RES_LQPN, lqpn);
	nla_put_u32(msg, RDMA_NLDEV_ATTR_RES_PS, 0x0106);
	nla_put_u8(msg, RDMA_NLDEV_ATTR_RES_STATE, 5);
	put_endpoint(msg, RDMA_NLDEV_ATTR_RES_SRC_ADDR, family, 1, 33000);
	put_endpoint(msg, RDMA_NLDEV_ATTR_RES_DST_ADDR, family, 2, 4420);
	if (owner)
		nla_put_string(msg, RDMA_NLDEV_ATTR_RES_KERN_NAME, owner);
	else
		nla_put_u32(msg, RDMA_NLDEV_ATTR_RES_PID, 77);
	nla_nest_end(msg, entry);
}

static void cm_ids_of_the_kernel_are_taken_with_their_ends(void **state)
{
	static const char owner[] = "a_module_name_that_is_longer_than_32";
	struct nl_msg *msg = rdma_msg(RDMA_NLDEV_CMD_RES_CM_ID_GET);
	struct nlattr *table = nla_nest_start(msg, RDMA_NLDEV_ATTR_RES_CM_ID);
	const struct cm_id *c = w.topo->cm_id;

	(void)state;
	put_cm_id(msg, "nvme_rdma", AF_INET, 17);
	put_cm_id(msg, NULL, AF_INET, 18);
	nla_put(msg, RDMA_NLDEV_ATTR_RES_CM_ID_ENTRY, 0, ""); /* of another port */
	put_cm_id(msg, "nvme_rdma", AF_INET6, 0);
	put_cm_id(msg, owner, 27 /* AF_IB */, 19);
	nla_nest_end(msg, table);
	assert_int_equal(take(msg, nl_take_cm_ids, w.rdma), 0);
	assert_int_equal(w.topo->cm_ids, 3);
	assert_int_equal(c[0].rdma_index, 3);
	assert_string_equal(c[0].rdma_name, "mlx5_1");
	assert_string_equal(c[0].owner, "nvme_rdma");
	assert_true(c[0].has_qp && c[0].has_addrs);
	assert_int_equal(w.resources->lqpn[0], 17);
	assert_int_equal(c[0].src.bytes[3], 1);
	assert_int_equal(c[0].src_port, 33000);
	assert_int_equal(c[0].dst.bytes[3], 2);
	assert_int_equal(c[0].dst_port, 4420);
	assert_true(c[1].has_addrs && !c[1].has_qp);
	assert_int_equal(c[1].dst.family, 6);
	assert_int_equal(c[1].dst.bytes[15], 2);
	assert_false(c[2].has_addrs);
	assert_true(c[2].has_qp);
	assert_string_equal(c[2].owner + strlen(c[2].owner) - 3, "...");
}

static void cm_ids_of_another_device_or_without_a_table_are_refused(void **state)
{
	struct nl_msg *msg = rdma_msg(RDMA_NLDEV_CMD_RES_CM_ID_GET);
	struct nlattr *table;

	(void)state;
	assert_int_equal(take(msg, nl_take_cm_ids, w.rdma), -EPROTO);
	msg = rdma_msg(RDMA_NLDEV_CMD_RES_CM_ID_GET);
	table = nla_nest_start(msg, RDMA_NLDEV_ATTR_RES_CM_ID);
	put_cm_id(msg, "nvme_rdma", AF_INET, 17);
	nla_nest_end(msg, table);
	w.rdma->device[0].index = 4;
	assert_int_equal(take(msg, nl_take_cm_ids, w.rdma), -EPROTO);
}

static void put_qp(struct nl_msg *msg, uint32_t lqpn, int state)
{
	struct nlattr *entry = nla_nest_start(msg, RDMA_NLDEV_ATTR_RES_QP_ENTRY);

	nla_put_u32(msg, RDMA_NLDEV_ATTR_PORT_INDEX, 1);
	nla_put_u32(msg, RDMA_NLDEV_ATTR_RES_LQPN, lqpn);
	if (state >= 0)
		nla_put_u8(msg, RDMA_NLDEV_ATTR_RES_STATE, (uint8_t)state);
	nla_nest_end(msg, entry);
}

static void queue_pairs_are_taken_with_their_state(void **state)
{
	struct nl_msg *msg = rdma_msg(RDMA_NLDEV_CMD_RES_QP_GET);
	struct nlattr *table = nla_nest_start(msg, RDMA_NLDEV_ATTR_RES_QP);

	(void)state;
	put_qp(msg, 17, 3);
	nla_put(msg, RDMA_NLDEV_ATTR_RES_QP_ENTRY, 0, ""); /* of another port */
	put_qp(msg, 18, 1);
	nla_nest_end(msg, table);
	assert_int_equal(take(msg, nl_take_qps, w.rdma), 0);
	assert_int_equal(w.resources->qps, 2);
	assert_true(w.resources->qp[0].rts);
	assert_int_equal(w.resources->qp[0].lqpn, 17);
	assert_int_equal(w.resources->qp[0].rdma_index, 3);
	assert_false(w.resources->qp[1].rts);

	msg = rdma_msg(RDMA_NLDEV_CMD_RES_QP_GET);
	table = nla_nest_start(msg, RDMA_NLDEV_ATTR_RES_QP);
	put_qp(msg, 17, -1); /* one without a state proves nothing */
	nla_nest_end(msg, table);
	assert_int_equal(take(msg, nl_take_qps, w.rdma), -EPROTO);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		T(devices_and_ports_are_taken_as_nldev_lists_them),
		T(a_device_whose_name_is_none_is_counted),
		T(cm_ids_of_the_kernel_are_taken_with_their_ends),
		T(cm_ids_of_another_device_or_without_a_table_are_refused),
		T(queue_pairs_are_taken_with_their_state),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
