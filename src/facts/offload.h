/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The parts of what is read of the offload: each in a file of its own. */
#pragma once

#include "base/root.h"
#include "model/finding.h"
#include "model/offload.h"

#define PCI_DEVICES "sys/bus/pci/devices"

/* Driver, controller and namespaces of an emulated function. 0, or -E2BIG with err filled. */
int endpoint_read(const struct root *root, struct offload *ret, struct findings *findings,
		  struct err *err) _must_check_;

/* What rshim says of the cards. */
void rshim_read(const struct root *root, struct offload *ret, struct findings *findings);
