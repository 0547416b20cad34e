/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A target that is there and says nothing: the RDMA connection manager accepts every connection, and no
 * command is ever answered. So the Fabrics Connect of an NVMe initiator hangs until somebody gives up.
 *
 * usage: cmsink ADDRESS PORT [ADDRESS PORT...]
 */
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rdma/rdma_cma.h>
#include <rdma/rdma_verbs.h>

enum { RECEIVES = 32, COMMAND_SIZE = 64 };

static void listen_on(struct rdma_event_channel *channel, const char *address, const char *port)
{
	struct sockaddr_in sin = { .sin_family = AF_INET, .sin_port = htons((unsigned short)atoi(port)) };
	struct rdma_cm_id *id;

	if (inet_pton(AF_INET, address, &sin.sin_addr) != 1) {
		fprintf(stderr, "cmsink: bad address %s\n", address);
		exit(2);
	}
	if (rdma_create_id(channel, &id, NULL, RDMA_PS_TCP) || rdma_bind_addr(id, (struct sockaddr *)&sin) ||
	    rdma_listen(id, 16)) {
		perror(address);
		exit(1);
	}
	printf("cmsink: %s %s\n", address, port);
}

static void accept_silently(struct rdma_cm_event *event)
{
	static char buffer[RECEIVES][COMMAND_SIZE];
	struct rdma_cm_id *id = event->id;
	struct rdma_conn_param param = event->param.conn;
	struct ibv_qp_init_attr attr = {
		.cap = { .max_send_wr = 1, .max_recv_wr = RECEIVES, .max_send_sge = 1, .max_recv_sge = 1 },
		.qp_type = IBV_QPT_RC,
	};
	struct ibv_mr *mr;

	param.private_data = NULL;
	param.private_data_len = 0;
	if (rdma_create_qp(id, NULL, &attr) || !(mr = rdma_reg_msgs(id, buffer, sizeof buffer))) {
		perror("cmsink: queue pair");
		rdma_reject(id, NULL, 0);
		return;
	}
	for (int i = 0; i < RECEIVES; i++)
		if (rdma_post_recv(id, NULL, buffer[i], COMMAND_SIZE, mr))
			perror("cmsink: receive");
	if (rdma_accept(id, &param))
		perror("cmsink: accept");
	else
		puts("cmsink: accepted");
}

int main(int argc, char **argv)
{
	struct rdma_event_channel *channel = rdma_create_event_channel();
	struct rdma_cm_event *event;

	if (!channel) {
		perror("cmsink");
		return 1;
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
	for (int i = 1; i + 1 < argc; i += 2)
		listen_on(channel, argv[i], argv[i + 1]);
	while (rdma_get_cm_event(channel, &event) == 0) {
		if (event->event == RDMA_CM_EVENT_CONNECT_REQUEST)
			accept_silently(event);
		else if (event->event == RDMA_CM_EVENT_DISCONNECTED)
			rdma_disconnect(event->id);
		rdma_ack_cm_event(event);
	}
	perror("cmsink");
	return 1;
}
