/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a test of the readers of struct settings works with, beside the tree and the topology. */
#pragma once

#include "unit/reading.h"

static struct settings *settings;

static int setup_settings(void **state)
{
	settings = calloc(1, sizeof(*settings));
	assert_non_null(settings);
	return setup(state);
}

static int teardown_settings(void **state)
{
	free(settings);
	return teardown(state);
}

#define SETTINGS_TEST(name) cmocka_unit_test_setup_teardown(name, setup_settings, teardown_settings)

/* Its ifindex is one more than its place. */
static inline struct netdev *add_netdev(const char *name)
{
	struct netdev *netdev = &topo->netdev[topo->netdevs++];

	netdev->ifindex = (int)topo->netdevs;
	snprintf(netdev->name, sizeof(netdev->name), "%s", name);
	return netdev;
}

/* A function with an interface of its own; name NULL: with none. */
static inline unsigned add_port(const char *name)
{
	struct port *port = &topo->port[topo->ports];

	port->pci.bus = 0x10 + topo->ports;
	port->rdma = -1;
	port->netdev = name ? (int)topo->netdevs : -1;
	if (name)
		add_netdev(name);
	return topo->ports++;
}
