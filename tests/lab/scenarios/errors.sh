# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2154,SC2016 # $last and $out are the framework's; eval in checks
# The errors people meet: each gets one line that says what is wrong and what to do, and leaves nothing half-made.
# machine: dgx-h100
# kernels: 6.1 6.12
# seconds: 240

s1=nqn.2026-01.example:s1

# fails SENTENCE EXIT REASON TEXT ARGUMENT...: connect ends with EXIT, the first path's reason, and TEXT on stderr, in one line.
fails() {
	local sentence=$1 exit=$2 reason=$3 text=$4
	shift 4
	check "$sentence: exit $exit" expect_exit "$exit" np connect "$@"
	[ "$reason" = - ] || check "$sentence: $reason" json '(.paths[0].error.reason // .skipped[0].reason) == "'"$reason"'"'
	check "$sentence: says so" said "$text"
	check "$sentence: in one line" test "$(wc -l <"$out/err")" = 1
	check "$sentence: leaves no controller" test -z "$(ls /sys/class/nvme)"
}

fails "no listener" 1 no-listener "nobody listens on service id 4499" -n $s1 -a 10.10.1.2 -s 4499
fails "nobody answers" 1 no-answer "10.10.1.4 does not answer" -n $s1 -a 10.10.1.4
fails "unknown NQN" 1 nqn-unknown "nqn.2026-01.example:none" -n nqn.2026-01.example:none -a 10.10.1.2
fails "host not allowed" 1 host-not-allowed "nqn.2026-01.example:private" -n nqn.2026-01.example:private -a 10.10.1.2
fails "source address not on this machine" 6 - "10.10.1.9 is not on this machine" -n $s1 -a 10.10.1.2 -w 10.10.1.9
fails "no such port" 6 - "no port of this machine is named ens1" -n $s1 -a 10.10.1.2 -w ens1
fails "no route at all" 3 no-route "no route to it" -n $s1 -a 192.0.2.1

ip link set enp170s0f1np1 down
fails "storage port down" 6 port-unusable "its link is down" -n $s1 -a 10.10.4.2 -w slot1/p2
ip link set enp170s0f1np1 up
ip addr add 10.10.4.1/24 dev enp170s0f1np1 2>/dev/null
ip addr flush dev enp41s0f1np1
fails "storage port without address" 6 port-unusable "it has no address" -n $s1 -a 10.10.2.2 -w 0000:29:00.1
fails "its portal, alone" 6 port-unusable "storage port 0000:29:00.1 could be its port" -n $s1 -a 10.10.2.2
rdma link del mlx5_7
fails "storage port without RDMA device" 6 port-unusable "it has no RDMA device" -n $s1 -a 10.10.3.2

check "one subsystem wrong, the line says which" expect_exit 1 np connect -n nqn.2026-01.example:none -a 10.10.1.2 -a 10.10.4.2
check "for each path" test "$(grep -c 'nqn.2026-01.example:none' "$out/err")" = 2
check "the portal of a port without address, beside good ones" expect_exit 4 np connect -n $s1 -a 10.10.2.2 -a 10.10.1.2 -a 10.10.4.2 -i 2
check "the others are up" json '[.paths[] | .action + " " + .state] | unique == ["connected live"]'
check "it is skipped with its reason" json '[.skipped[] | .traddr + " " + .reason] == ["10.10.2.2 port-unusable"]'
check "a spare port without address that no portal needs is nobody's failure" expect_exit 0 np connect -n $s1 -a 10.10.1.2 -a 10.10.4.2 -i 2
check "--wait waits for the address" expect_exit 7 np --wait 1 connect -n $s1 -a 10.10.2.2 -w slot2/p2
(sleep 2; ip addr add 10.10.2.1/24 dev enp41s0f1np1) &
check "and goes on when it comes" expect_exit 0 np --wait 60 connect -n $s1 -a 10.10.2.2 -w slot2/p2 -i 2
check "connected" json '.paths[0] | .action == "connected" and .proof == "rdma-netlink"'

check "a bad option prints one line and no document" expect_exit 2 np connect -n $s1 -a store1
check "no document" test "$last" = /dev/null
rm /etc/nvme/hostnqn
check "no host NQN" expect_exit 6 np connect -n $s1 -a 10.10.4.2
check "says how to make one" said "nvme gen-hostnqn"
