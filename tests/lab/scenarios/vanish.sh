# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2154,SC2016 # $last and $out are the framework's; eval in checks
# A target that vanishes: the kernel's removal takes minutes then, and no signal ends it. teardown does not wait
# longer than it was told, leaves nothing of itself behind, and a later run finds the rest.
# machine: dgx-h100
# kernels: 6.1 6.12
# seconds: 240

s1=nqn.2026-01.example:s1
start=0
since() { echo $(($(date +%s) - start)); }
states() { cat /sys/class/nvme/nvme*/state | sort -u; }

snapshot >before
# A keep-alive that nobody answers would end it after 5 s.
check "two paths" expect_exit 0 np connect -n $s1 -a 10.10.1.2 -a 10.10.3.2 -i 1 -k 120
host machine stop
start=$(date +%s)
# Whoever reads its output gets an end of file: nothing that is left behind has the pipe.
nvme-partition teardown --timeout 5 2>pending.err | cat >pending.json
status=${PIPESTATUS[0]}
took=$(since)
check "the time is up: exit 7" test "$status" = 7
check "after its 5 s, and not much later: $took s" test "$took" -ge 5 -a "$took" -lt 20
check "both are listed as pending" jq -e '.result == "timeout" and .changed and ([.paths[] | .action + " " + .error.reason + " " + (.controller | .[:4])] == ["failed pending nvme","failed pending nvme"])' pending.json
check "on stderr as well" test "$(grep -c "being deleted" pending.err)" = 2
check "they are there, and being deleted" test "$(states)" = "deleting (no IO)"
check "no process of ours holds the journal" eval 'ls -l /proc/[0-9]*/fd 2>/dev/null | not grep /run/nvme-partition'
check "show does not wait for anything" expect_exit 0 np show
start=$(date +%s)
check "the lock is free: another run waits for the same" expect_exit 7 np teardown --timeout 1
check "as long as it was told: $(since) s" test "$(since)" -lt 15
nvme-partition teardown --timeout 30 >stopped.json 2>stopped.err &
pid=$!
sleep 2
start=$(date +%s)
kill -TERM $pid
check "a signal ends the waiting" expect_exit 7 wait $pid
check "at once: $(since) s" test "$(since)" -lt 10
check "with a whole document" jq -e '[.paths[].error.reason] == ["pending","pending"]' stopped.json
host machine cont
check "the target is back: the rest goes" expect_exit 0 np teardown
check "nothing is left" eval 'test ! -e /run/nvme-partition/journal && snapshot | diff before -'

# Found dead by the kernel already: it tries to reconnect, and that has to be stopped first.
np connect -n $s1 -a 10.10.1.2 -a 10.10.3.2 -i 1
host machine stop
check "the kernel notices" wait_for 40 eval '[ "$(states)" = connecting ]'
start=$(date +%s)
np teardown --timeout 5
status=$?
check "a controller that reconnects: gone or pending after $(since) s" test $status = 0 -o $status = 7 -a "$(since)" -lt 20
host machine cont
check "then all goes" expect_exit 0 np teardown
check "nothing is left again" eval 'test ! -e /run/nvme-partition/journal && snapshot | diff before -'
