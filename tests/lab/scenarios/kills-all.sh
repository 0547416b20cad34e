# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2154 # $out is the framework's
# As kills, at every system call that has an effect: killed, told to stop, and told of two errors; and in the undoing
# that connect --atomic does itself.
# machine: dgx-h100
# kernels: 6.1 6.12
# long: yes
# seconds: 3000

# shellcheck source=/dev/null
. /lab/guest/kills.sh
find_points

everywhere() { sed 's/^/KILL /; p; s/^KILL/TERM/; p; s/^TERM/EIO/; p; s/^EIO/ENOSPC/' "$1"; }
everywhere connect.points >connect.list
undo_points "teardown undoes N interrupted runs of connect" connect.list nothing "${connect[@]}"
everywhere teardown.points >teardown.list
teardown_points teardown.list

# The second of these is not for this host: what the first one got goes again.
mkdir -p /etc/nvme-partition
echo '{"targets": [{"nqn": "'"$s1"'", "traddr": ["10.10.1.2"]}, {"nqn": "nqn.2026-01.example:private", "traddr": ["10.10.3.2"]}], "connect": {"nr_io_queues": 1}}' >/etc/nvme-partition/config.json
check "connect --atomic undoes what it did" expect_exit 1 traced atomic.strace nvme-partition connect --atomic
check "nothing is left of it" restored
points atomic.strace >atomic.points
everywhere atomic.points >atomic.list
undo_points "teardown undoes N interrupted runs of connect --atomic" atomic.list nothing nvme-partition connect --atomic
