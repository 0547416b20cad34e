/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whether this process sees the network that nvme-rdma uses, which is that of init_net, and all processes. */
#include "facts/facts.h"

#include <string.h>

/* 1: the namespace of process 1; 0: another; -1: that is not told (it takes ptrace rights). */
static int like_process_1(void)
{
	char own[64], first[64];
	ssize_t a = readlink("/proc/self/ns/net", own, sizeof(own));
	ssize_t b = readlink("/proc/1/ns/net", first, sizeof(first));

	if (a <= 0 || b <= 0 || (size_t)a == sizeof(own))
		return -1;
	return a == b && memcmp(own, first, (size_t)a) == 0;
}

/*
 * Process 1 alone is no proof: in a container it is the container's own. The table of
 * /proc/sys/net/core that is not per namespace (netns_core_table is) is registered for init_net
 * only (sysctl_core_init), and shows itself to everybody.
 */
bool facts_initial_netns(void)
{
	int like = like_process_1();

	if (like == 0)
		return false;
	if (access("/proc/sys/net/core/somaxconn", F_OK) == 0)
		return access("/proc/sys/net/core/netdev_budget", F_OK) == 0;
	return like == 1;
}

/* /proc/self/ns/pid of the first one has a fixed number (PROC_PID_INIT_INO, proc_ns.h). */
bool facts_initial_pidns(void)
{
	static const char initial[] = "pid:[4026531836]";
	char own[64];
	ssize_t length = readlink("/proc/self/ns/pid", own, sizeof(own));

	return length == (ssize_t)strlen(initial) && memcmp(own, initial, strlen(initial)) == 0;
}
