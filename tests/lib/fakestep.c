/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Steps for the world in memory. */
#include <string.h>

#include "lib/fakefx.h"

void fake_step(struct step *step, unsigned i)
{
	memset(step, 0, sizeof(*step));
	step->kind = STEP_NVME_CONNECT;
	step->pci = (struct pci_addr){ .bus = (uint8_t)(0x29 + i) };
	step->role = ROLE_STORAGE;
	str_format(step->id.nqn, sizeof(step->id.nqn), "nqn.2026-01.example:s%u", i);
	str_format(step->id.transport, sizeof(step->id.transport), "rdma");
	str_format(step->id.traddr, sizeof(step->id.traddr), "10.10.%u.2", i + 1);
	str_format(step->id.trsvcid, sizeof(step->id.trsvcid), "4420");
	str_format(step->id.host_traddr, sizeof(step->id.host_traddr), "10.10.%u.1", i + 1);
	str_format(step->id.hostnqn, sizeof(step->id.hostnqn), "nqn.2026-01.example:host");
	str_format(step->id.hostid, sizeof(step->id.hostid), "0d1a2f2c-91f0-4c40-a0e0-4f3f2e1d0c0b");
	str_format(step->rdma_device, sizeof(step->rdma_device), "mlx5_%u", i + 1);
	step->opts = (struct connect_opts){ .nr_io_queues = 16,
					    .queue_size = 128,
					    .keep_alive_tmo = 5,
					    .reconnect_delay = 10,
					    .ctrl_loss_tmo = 600,
					    .tos = CONNECT_UNSET };
	step->timeout_s = 10;
	step->path = (int)i;
}
