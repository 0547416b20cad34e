/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the readers of a port's settings share, those of the live machine (nl_dcb.c, nl_ethtool.c) and that of
 * a tree (dump_qos.c). Each fills its fields of the ports whose index is in port, and the reason for what
 * stays unknown; none is an error.
 */
#pragma once

#include "model/settings.h"
#include "model/topology.h"

/* mlx5 without CONFIG_MLX5_CORE_EN_DCB, a virtual function, IPoIB: the card may do it nevertheless. */
#define DCB_NONE "the driver offers no DCB: what the card itself does, mlxreg shows in PFCC and QPTS"
#define DCB_SILENT "the driver's DCB tells no PFC, or no APP table"
#define PAUSE_NONE "the driver does not tell its pause settings (or the kernel is older than 5.7)"
#define PAUSE_SILENT "the driver tells a part of its pause settings"

/* The interface of topo->port[port]; NULL: none. */
const struct netdev *port_settings_netdev(const struct topology *topo, unsigned port);
