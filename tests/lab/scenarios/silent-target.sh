# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# What the kernel does with a target that accepts the connection and answers no command.
# machine: dgx-h100
# kernels: 6.1 6.12
# binary: no
# long: yes
# seconds: 180

begin=$SECONDS
nvme connect -t rdma -n nqn.2026-01.example:s1 -a 10.10.1.2 -s 4421 -w 10.10.1.1 &
nvme=$!
check "the target accepts" wait_for 10 host target 'grep -q accepted /tmp/cmsink.log'
sleep 2
cat /proc/$nvme/stack /sys/class/nvme/nvme0/state
kill -KILL $nvme
sleep 2
check "the writer is in D state and does not die" grep -q '^State:.*D' /proc/$nvme/status
check "meanwhile no other connect gets through" expect_exit 143 timeout 3 \
	nvme connect -t rdma -n nqn.2026-01.example:s1 -a 10.10.3.2 -s 4420 -w 10.10.3.1
wait $nvme
echo "freed after $((SECONDS - begin)) s"
check "the admin timeout of 60 s ends it" test $((SECONDS - begin)) -ge 55
