# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2154,SC2016 # $last and $out are the framework's; eval in checks
# Targets that are silent in every phase: each ends within its bound, and the portal after it connects.
# machine: dgx-h100
# kernels: 6.1
# seconds: 300

s1=nqn.2026-01.example:s1
since() { echo $(($(date +%s) - start)); }

start=$(date +%s)
check "10.10.1.3 answers ARP and never the connection manager" expect_exit 4 np connect --connect-timeout 3 -n $s1 -a 10.10.1.3 -a 10.10.4.2 -i 2
check "it timed out" json '[.paths[] | .traddr + " " + .action + " " + (.error.reason // "-")] == ["10.10.1.3 failed timeout","10.10.4.2 connected -"]'
check "long before the kernel's 102 s: $(since) s" test "$(since)" -lt 60
check "the journal holds no open connect" test "$(grep -c '"intent"' /run/nvme-partition/journal) $(grep -c '"undone"' /run/nvme-partition/journal) $(grep -c '"done"' /run/nvme-partition/journal)" = "2 1 1"
nvme disconnect -n $s1

check "alone, it is a timeout" expect_exit 7 np connect --connect-timeout 2 -n $s1 -a 10.10.1.3
check "result timeout" json '.result == "timeout" and .errors[0].code == "timeout"'
check "it left no controller" test -z "$(ls /sys/class/nvme)"

# Ctrl-C on a connect that hangs: at once, nothing left, the journal closed.
start=$(date +%s)
nvme-partition connect --connect-timeout 60 -n $s1 -a 10.10.1.3 -a 10.10.4.2 >stopped.json 2>stopped.err &
pid=$!
check "the connect hangs" wait_for 10 test -e /sys/class/nvme/nvme0
check "a second run does not wait for the lock" expect_exit 7 np connect -n $s1 -a 10.10.3.2
check "and names the holder" said "$pid"
kill -TERM $pid
check "TERM stops it: exit 1" expect_exit 1 wait $pid
check "before its timeout: $(since) s" test "$(since)" -lt 50
check "it says so" grep -q "stopped by a signal" stopped.err
check "nothing is left, nothing further was begun" test -z "$(ls /sys/class/nvme)"
check "the document is whole" jq -e '[.paths[].action] | all(. != "connected")' stopped.json
check "the lock is free again" expect_exit 0 np connect -n $s1 -a 10.10.4.2 -i 2

# Accepted by the connection manager, then silence: no signal reaches the wait for Fabrics Connect.
start=$(date +%s)
check "10.10.1.2:4421 accepts and never answers a command" expect_exit 7 np connect --connect-timeout 3 -n $s1 -a 10.10.1.2 -s 4421 -i 2
check "within the kernel's 60 s: $(since) s" test "$(since)" -lt 120
check "it timed out, and left no controller" json '.paths[0].error.reason == "timeout"'
check "the next portal connects" expect_exit 0 np connect -n $s1 -a 10.10.3.2 -i 2
