# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2154,SC2016 # $last and $out are the framework's; eval in checks
# What exists already: kept, another path, or a conflict that is refused and named.
# machine: dgx-h100
# kernels: 6.1
# seconds: 120

s1=nqn.2026-01.example:s1
hostnqn=$(cat /etc/nvme/hostnqn)
hostid=$(cat /etc/nvme/hostid)
other=nqn.2014-08.org.nvmexpress:uuid:00000000-0000-4000-8000-00000000000a

nvme connect -t rdma -n $s1 -a 10.10.1.2 -s 4420 -w 10.10.1.1 -q "$hostnqn" -I "$hostid" -i 2
check "what nvme-cli made in the same way is kept" expect_exit 0 np connect -n $s1 -a 10.10.1.2 -i 2
check "owner other, proven, no change" json '(.changed | not) and (.paths[0] | .action == "kept" and .owner == "other" and .proof == "rdma-netlink")'
check "no journal is made for that" test ! -e /run/nvme-partition/journal

check "under another host identity it is a conflict" expect_exit 3 np connect -n $s1 -a 10.10.1.2 -q $other
check "named, with the command that removes it" json '.skipped[0] | .reason == "conflict" and (.message | contains("nvme disconnect -d nvme0"))'

nvme connect -t rdma -n $s1 -a 10.10.3.2 -s 4420 -q "$hostnqn" -I "$hostid" -i 2
check "without source address it is a conflict" expect_exit 3 np connect -n $s1 -a 10.10.3.2
check "named" json '.skipped[0] | .reason == "conflict" and (.message | contains("has no source address"))'
nvme connect -t rdma -n $s1 -a 10.20.0.2 -s 4420 -w 10.20.0.1 -q "$hostnqn" -I "$hostid" -i 2
check "a controller on a compute HCA is no path of ours" expect_exit 3 np connect -n $s1 -a 10.20.0.2
check "show lists it, on its compute port" expect_exit 0 np show
check "with the device that carries it" json '.paths[] | select(.traddr == "10.20.0.2") | .port == "0000:18:00.0" and .rdma_device == "mlx5_0" and .proof == "rdma-netlink" and .owner == "other"'
check "no refusal made or removed anything" test "$(echo /sys/class/nvme/*)" = "/sys/class/nvme/nvme0 /sys/class/nvme/nvme1 /sys/class/nvme/nvme2"

# Two storage ports in one subnet: one path each, and each on its own.
ip addr add 10.10.1.11/24 dev enp170s0f0np0
sysctl -qw net.ipv4.conf.all.arp_ignore=1 net.ipv4.conf.all.arp_announce=2
# The target answers ARP on every cable, as Linux does; its connection manager does not answer there.
check "another storage port that is not cabled to that subnet times out" expect_exit 4 np connect --connect-timeout 3 -n $s1 -a 10.10.1.2 -i 2
check "one path kept, one failed" json '[.paths[] | .port + " " + .action] == ["0000:29:00.0 kept","0000:aa:00.0 failed"] and .paths[1].error.reason == "timeout"'
sysctl -qw net.ipv4.conf.all.arp_ignore=0 net.ipv4.conf.all.arp_announce=0
