/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a PCIe link carries, and the words for where bandwidth is lost. */
#include "model/bandwidth.h"

const char *bandwidth_loss_name(enum bandwidth_loss loss)
{
	static const char *const names[LOSS_COUNT] = {
		[LOSS_ABSENT] = "absent",	    [LOSS_WRONG_CARD] = "wrong-card",
		[LOSS_NO_LINK] = "no-link",	    [LOSS_SPEED_UNKNOWN] = "speed-unknown",
		[LOSS_SLOW_LINK] = "slow-link",	    [LOSS_BACKUP] = "backup",
		[LOSS_BROKEN_BOND] = "broken-bond", [LOSS_NARROW_SLOT] = "narrow-slot",
		[LOSS_PCIE_LIMIT] = "pcie-limit",   [LOSS_PCIE_UNKNOWN] = "pcie-unknown",
	};

	return loss < LOSS_COUNT ? names[loss] : NULL;
}

int64_t pcie_mbps(int width, int mtps)
{
	if (width <= 0 || mtps <= 0)
		return -1;
	return mtps < 8000 ? (int64_t)width * mtps * 8 / 10 : (int64_t)width * mtps * 128 / 130;
}
