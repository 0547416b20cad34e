# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2154,SC2016 # $last and $out are the framework's; eval in checks
# A proof that fails: the queue pairs are on another device than planned. That controller goes at once, and nothing
# further is begun. Here the device gets another name while the target, frozen, keeps the connect waiting.
# machine: dgx-h100
# kernels: 6.1
# seconds: 120

s1=nqn.2026-01.example:s1

ping -c 1 10.10.1.2 >/dev/null # a neighbour that is known needs no answer
ping -c 1 10.10.3.2 >/dev/null
host machine stop
nvme-partition -v connect --connect-timeout 60 -n $s1 -a 10.10.1.2 -a 10.10.3.2 -i 2 >mismatch.json 2>talk.log &
pid=$!
check "the connect waits for the frozen target" wait_for 20 grep -q connecting /sys/class/nvme/nvme0/state
check "the device gets another name" rdma dev set mlx5_1 name mlx5_moved
host machine cont
check "a failed proof is a refusal" expect_exit 3 wait $pid
check "the path was disconnected again" jq -e '.paths[0] | .action == "disconnected" and .error.reason == "proof-mismatch"' mismatch.json
check "its message names both devices" jq -e '.paths[0].error.message | contains("mlx5_moved") and contains("mlx5_1")' mismatch.json
check "the other portal was not begun" jq -e '.paths[1] | .action == "failed" and (.error.message | contains("not begun"))' mismatch.json
check "no controller is left" test -z "$(ls /sys/class/nvme)"
check "no connection is left" test "$(cm_ids)" = 0
check "nothing is ours, so there is no journal" not test -e /run/nvme-partition/journal
rdma dev set mlx5_moved name mlx5_1
check "under its own name it connects" expect_exit 0 np connect -n $s1 -a 10.10.1.2 -a 10.10.3.2 -i 2
check "both proven" json '[.paths[].proof] == ["rdma-netlink","rdma-netlink"]'
