/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the two halves of the network facts share, the live one (nl_net.c) and that of a tree
 * (dump_net.c): adding to struct topology within its capacities, and the few rules
 * about names, links and kinds that must be the same in both.
 */
#pragma once

#include "base/err.h"
#include "model/finding.h"
#include "model/topology.h"

/*
 * A name that may become part of a path and of a line: one component, no blank, no control
 * character. The kernel's dev_valid_name allows less; a dump can hold anything.
 */
bool net_name_ok(const char *name);

/* Each: 0, or -E2BIG with err filled. */
int net_add(struct topology *topo, const struct netdev *netdev, struct err *err) _must_check_;
int net_add_addr(struct topology *topo, const struct netaddr *addr, struct err *err) _must_check_;
/* One that is already there is not added again. */
int net_add_default(struct topology *topo, uint8_t family, int ifindex, struct err *err) _must_check_;
/* A name that is none is left out, with a finding. */
int net_add_altname(struct netdev *netdev, const char *name, struct findings *findings,
		    struct err *err) _must_check_;

/*
 * What an interface is: info_kind is IFLA_INFO_KIND (NULL: none), port_name IFLA_PHYS_PORT_NAME
 * (NULL: none). NET_PLAIN means "may be a port's own"; without a PCI function it becomes NET_OTHER.
 */
enum net_kind net_kind_of(const char *info_kind, bool has_lower, const char *port_name);

/*
 * The PCI function of a class device from the text of its link, and whether an auxiliary device
 * (a subfunction) is in between: ".../0000:29:00.0/mlx5_core.sf.4/net/enp41s0f0s88".
 */
void net_place_of_link(const char *link, bool *ret_has_pci, struct pci_addr *ret_pci, bool *ret_subfunction);
