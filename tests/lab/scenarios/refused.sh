# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2154,SC2016 # $last and $out are the framework's; eval in checks
# What must never happen: a connection over a port that is not storage. Each refusal leaves no trace.
# machine: dgx-h100
# kernels: 6.1
# seconds: 120

s1=nqn.2026-01.example:s1

state() { # what a refusal must leave as it was
	ls /sys/class/nvme
	rdma -j resource show
	rdma -j resource show cm_id
}
untouched() { state | cmp - before; }

np show >/dev/null # loads nothing; but what it opens once is open then
state >before

check "the target behind the compute port" expect_exit 3 np connect -n $s1 -a 10.20.0.2
check "is not via storage, and the port is named" json '.skipped[0] | .reason == "not-via-storage" and (.message | contains("enp24s0np0") and contains("0000:18:00.0"))'
check "nothing was touched" untouched
check "the target behind the E810-like port" expect_exit 3 np connect -n $s1 -a 10.30.0.2
check "is not via storage" json '.skipped[0] | .reason == "not-via-storage" and (.message | contains("ens6f0"))'
check "nothing was touched again" untouched
check "a source address of a compute port" expect_exit 3 np connect -n $s1 -a 10.10.1.2 -w 10.20.0.1
check "is named with its port" said "0000:18:00.0, role compute"
check "a compute port as the source" expect_exit 3 np connect -n $s1 -a 10.20.0.2 -w mlx5_0
check "the E810-like device as the source" expect_exit 3 np connect -n $s1 -a 10.30.0.2 -w irdma0
check "nothing was touched by these" untouched

# A host route moves the portal of a storage subnet to the compute port: the source decides, not the route.
ip route add 10.10.1.2/32 dev enp24s0np0
check "a route over the compute port does not pull a storage portal there" expect_exit 0 np connect -n $s1 -a 10.10.1.2 -i 2
check "it is on the storage port" json '.paths[0] | .port == "0000:29:00.0" and .proof == "rdma-netlink"'
check "and nothing on the compute HCA" test "$(cm_ids '| select(.ifname == "mlx5_0")') $(cm_ids)" = "0 3"
ip route del 10.10.1.2/32 dev enp24s0np0

# A storage address that moved to a compute port: the name is the port's, the address is not.
ip addr del 10.10.4.1/24 dev enp170s0f1np1
ip addr add 10.10.4.1/24 dev enp24s0np0
check "an address that moved to a compute port is no source" expect_exit 3 np connect -n $s1 -a 10.10.4.2 -w 10.10.4.1
check "nor is it found without -w" expect_exit 3 np connect -n $s1 -a 10.10.4.2
ip addr add 10.10.4.1/24 dev enp170s0f1np1
check "an address on a storage and a compute port is no source either" expect_exit 6 np connect -n $s1 -a 10.10.4.2
check "it is named" said "source address 10.10.4.1 is on"
check "nothing is on the compute HCA" test "$(cm_ids '| select(.ifname == "mlx5_0")')" = 0

check "a good portal beside a refused one" expect_exit 4 np connect -n $s1 -a 10.20.0.2 -a 10.10.3.2 -i 2
check "is connected, the other one is skipped" json '[.paths[].action] == ["connected"] and [.skipped[].reason] == ["not-via-storage"]'
check "still nothing on the compute HCA" test "$(cm_ids '| select(.ifname == "mlx5_0" or .ifname == "irdma0")')" = 0
