/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the readers of NVMe controllers share. */
#pragma once

#include "model/topology.h"

/*
 * A namespace's block device: nvme<S>c<C>n<N>, the hidden path of controller C below the multipath device
 * nvme<S>n<N>, or nvme<S>n<N> itself where there is no multipath. Fills device and path_device; false: name
 * is none of controller number "instance".
 */
bool nvme_parse_device(const char *name, unsigned instance, struct ns *ret);
