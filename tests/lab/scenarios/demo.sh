# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2154,SC2016 # $last and $out are the framework's; eval in checks
# What examples/demo runs: look, connect, connect again, take back.
# machine: dgx-h100
# kernels: 6.1
# long: yes
# seconds: 120

targets="-a 10.10.1.2 -a 10.10.2.2 -a 10.10.3.2 -a 10.10.4.2"

# Every port, its role and the reason for it. Changes nothing.
check "show: four storage ports are usable" expect_exit 0 np show

# One path from each storage port, over RDMA, read back and proven.
# shellcheck disable=SC2086 # a list of words
check "connect: exit 0" expect_exit 0 np -v connect -n nqn.2026-01.example:s1 $targets -i 4
check "four paths, on storage ports only, each proven" json '[.paths[] | .port + " " + .proof] == [
	"0000:29:00.0 rdma-netlink", "0000:29:00.1 rdma-netlink", "0000:aa:00.0 rdma-netlink", "0000:aa:00.1 rdma-netlink"]'
check "and 0 connections on any other device" test "$(cm_ids '| select(.ifname | IN("mlx5_1", "mlx5_2", "mlx5_7", "mlx5_8") | not)')" = 0

# The second run finds everything as it should be.
# shellcheck disable=SC2086
check "connect again: exit 0" expect_exit 0 np connect -n nqn.2026-01.example:s1 $targets -i 4
check "nothing changed" json '.changed == false and ([.paths[].action] | unique == ["kept"])'

# And back: what this program made goes, and nothing else; with it the journal.
check "teardown: exit 0" expect_exit 0 np teardown
check "all four are gone" json '.changed and ([.paths[].action] | unique == ["disconnected"])'
check "no controller, no connection, no journal is left" test -z "$(ls /sys/class/nvme)$(cm_ids | grep -v '^0$')$(ls /run/nvme-partition)"
