# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2154,SC2016 # $last and $out are the framework's; eval in checks
# Undo: what connect made goes, and the machine is as it was. Nobody's I/O stops for it, nothing of others goes.
# machine: dgx-h100
# kernels: 6.1 6.12
# seconds: 300

s1=nqn.2026-01.example:s1
s2=nqn.2026-01.example:s2
journal=/run/nvme-partition/journal
identity() { echo "-q $(cat /etc/nvme/hostnqn) -I $(cat /etc/nvme/hostid) -i 1"; }
controllers() { for ctrl in /sys/class/nvme/nvme*; do [ ! -e "$ctrl" ] || sed 's/.*:\(s.\)$/\1/' "$ctrl/subsysnqn"; done | sort | tr '\n' ' '; }
nothing_left() { [ -z "$(ls /sys/class/nvme)" ] && [ ! -e $journal ]; }
as_before() { nothing_left && snapshot | diff before -; }

# writes: a line in "written" for each block that is on the disk, one in "lost" for each that is not.
writes() { while :; do dd if=/dev/zero of=/mnt/data/file bs=4k count=1 conv=fsync,notrunc 2>/dev/null && echo >>written || echo >>lost; done; }
writes_on() {
	local count
	count=$(wc -l <written)
	wait_for 20 eval '[ $(wc -l <written) -gt '$((count + 1))' ]' && [ ! -e lost ]
}

modprobe ext4
modprobe dm-mod
mkdir -p /mnt/data
for portal in 10.10.1.2 10.10.3.2 10.10.4.2; do ping -c 1 -W 10 $portal >/dev/null; done
snapshot >before

check "with nothing of ours there is nothing to undo" expect_exit 0 np teardown
check "and nothing changed" json '(.changed | not) and .paths == [] and .result == "ok"'

# --- a port is serviced under a running job ---
check "two paths" expect_exit 0 np connect -n $s1 -a 10.10.1.2 -a 10.10.3.2 -i 1
mke2fs -b 4096 /dev/nvme0n1 8192 >/dev/null
check "a file system on their namespace" mount -t ext4 /dev/nvme0n1 /mnt/data
writes &
writer=$!
check "something writes to it" eval 'touch written; writes_on'
check "a dry run says what would go" expect_exit 0 np teardown --dry-run --port 0000:29:00.0
check "the path of that port alone" json '[.paths[] | .port + " " + .action] == ["0000:29:00.0 would-disconnect"]'
check "and removes nothing" test "$(controllers)" = "s1 s1 "
check "teardown of one port" expect_exit 0 np teardown --port 0000:29:00.0
check "its path is gone" json '.changed and ([.paths[] | .port + " " + .action] == ["0000:29:00.0 disconnected"])'
check "who uses the namespace is told, and what is left to it" json '.findings[] | select(.check == "teardown.in_use") | .message | contains("/mnt/data") and contains("nvme1 (live)")'
check "the other one is there" test "$(controllers)$(cm_ids '| select(.ifname == "mlx5_1")')$(cm_ids)" = "s1 02"
check "the writing goes on" writes_on
check "teardown of the other port is refused" expect_exit 3 np teardown --port 0000:aa:00.0
check "with the way to who uses it" said "nvme0n1 > /mnt/data"
check "kept, in use, nothing changed" json '(.changed | not) and .result == "refused" and (.paths[0] | .action == "kept" and .error.reason == "in-use" and .state == "live")'
check "by another name of the port, too" expect_exit 3 np teardown --port slot1/p1
check "and the writing still goes on" writes_on

# --- some of it in use ---
check "another subsystem" expect_exit 0 np connect -n $s2 -a 10.10.4.2 -i 1
check "all: what is used stays, the rest goes" expect_exit 4 np teardown
check "each with its reason" json '[.paths[] | (.nqn | .[-2:]) + " " + .action + " " + (.error.reason // "-")] | sort == ["s1 kept in-use","s2 disconnected -"]'
check "s1 is kept, s2 is gone" test "$(controllers)" = "s1 "
check "nobody lost a write" writes_on
kill $writer
wait $writer 2>/dev/null

# --- other ways to use a namespace ---
unshare -m sleep 100 &
hidden=$!
wait_for 5 eval '[ "$(readlink /proc/$hidden/ns/mnt)" != "$(readlink /proc/self/ns/mnt)" ]'
umount /mnt/data
check "mounted in another mount namespace is mounted" expect_exit 3 np teardown
check "and that one is named by its process" said "/mnt/data (process $hidden)"
kill $hidden
wait $hidden 2>/dev/null

dmsetup create data --noudevsync --noudevrules --table "0 8192 linear /dev/nvme0n2 0"
check "held by the device mapper is in use" expect_exit 3 np teardown
check "with its name" said "nvme0n2 > dm-0 (data)"
mke2fs -b 4096 /dev/dm-0 1024 >/dev/null
mount -t ext4 /dev/dm-0 /mnt/data
check "a file system on that is, too" expect_exit 3 np teardown
check "with the whole way" said "nvme0n2 > dm-0 (data) > /mnt/data"
umount /mnt/data
dmsetup remove data --noudevsync --noudevrules

mkswap /dev/nvme0n2 >/dev/null
swapon /dev/nvme0n2
check "swap is not taken away, not by --force either" expect_exit 3 np teardown --force
check "swapoff is the way" said "swapoff"
swapoff /dev/nvme0n2

mount -t ext4 /dev/nvme0n1 /mnt/data
check "mounted and --force" expect_exit 0 np teardown --force
check "it is gone, and who loses it is told" json '([.paths[].action] == ["disconnected"]) and (.findings[] | select(.check == "teardown.in_use") | .message | contains("/mnt/data") and contains("--force"))'
umount -l /mnt/data
check "all is as before, no journal" as_before
check "once more there is nothing to do" expect_exit 0 np teardown
check "and nothing changed again" json '(.changed | not) and .paths == []'

# --- what others made ---
np connect -n $s1 -a 10.10.1.2 -a 10.10.3.2 -i 1
# shellcheck disable=SC2046 # a list of words
nvme connect -t rdma -n $s2 -a 10.10.4.2 -s 4420 -w 10.10.4.1 $(identity)
mkdir -p /run/nvme/registry/nvme1
echo stas >/run/nvme/registry/nvme1/owner
check "what the registry says is somebody's is left alone" expect_exit 4 np teardown --force
check "it is foreign, and its owner is named" json '[.paths[] | .action + " " + (.owner // "-") + " " + (.error.reason // "-")] | sort == ["disconnected - -","foreign stas not-ours"]'
rm -r /run/nvme/registry
check "then ours goes" expect_exit 0 np teardown
check "and what nvme-cli made stays" test "$(controllers)" = "s2 "
np connect -n $s1 -a 10.10.1.2 -i 1
echo 1 | tee "$(dirname "$(grep -l s1 /sys/class/nvme/nvme*/subsysnqn)")/delete_controller" >/dev/null
# shellcheck disable=SC2046
nvme connect -t rdma -n $s1 -a 10.10.1.2 -s 4420 -w 10.10.1.1 $(identity)
check "made anew by hand under the very names of ours, it is foreign" expect_exit 4 np teardown --force
check "it stays" json '[.paths[] | .action + " " + .state + " " + .owner + " " + .error.reason] == ["foreign live other not-ours"]'
check "both are there" test "$(controllers)" = "s1 s2 "
nvme disconnect-all
check "gone by hand, it is gone" expect_exit 0 np teardown
check "nothing changed, the record is closed" json '(.changed | not) and [.paths[].action] == ["none"]'
check "nothing is left" nothing_left

# --- selected ---
np connect -n $s1 -a 10.10.1.2 -a 10.10.3.2 -i 1
np connect -n $s2 -a 10.10.1.2 -i 1
check "--nqn" expect_exit 0 np teardown --nqn $s2
check "leaves the others" test "$(controllers)$(grep -c . $journal | sed 's/[0-9]*/ and a journal/')" = "s1 s1  and a journal"
check "both at once" expect_exit 0 np teardown --nqn $s1 --port mlx5_1
check "one is left" test "$(controllers)" = "s1 "
check "nothing that fits is nothing to do" expect_exit 0 np teardown --nqn $s2
check "no such port" expect_exit 2 np teardown --port nosuch
check "the rest" expect_exit 0 np teardown
check "leaves all as before" as_before

# --- all or nothing ---
check "--atomic, one portal refused: nothing is begun" expect_exit 3 np connect --atomic -n $s1 -a 10.10.1.2 -a 10.20.0.2 -i 1
check "no trace of it" nothing_left
mkdir -p /etc/nvme-partition
echo '{"targets": [{"nqn": "'$s1'", "traddr": ["10.10.1.2", "10.10.3.2"]}, {"nqn": "nqn.2026-01.example:private", "traddr": ["10.10.4.2"]}], "connect": {"nr_io_queues": 1}}' >/etc/nvme-partition/config.json
check "--atomic, one fails midway" expect_exit 1 np connect --atomic
check "the other ones are gone again, and the reason is told" json '[.paths[] | .action + " " + (.error.reason // "-")] | sort == ["disconnected -","disconnected -","failed host-not-allowed"]'
check "nothing is left of it" nothing_left
check "without --atomic what is up stays" expect_exit 4 np connect
check "two of three" test "$(controllers)" = "s1 s1 "
check "and goes" expect_exit 0 np teardown
rm -r /etc/nvme-partition
nvme-partition connect --atomic --connect-timeout 60 -n $s1 -a 10.10.1.2 -a 10.10.3.3 -i 1 >atomic.json 2>atomic.err &
pid=$!
check "--atomic, one up and one that hangs" wait_for 20 grep -q connecting /sys/class/nvme/nvme1/state
kill -TERM $pid
check "TERM: exit 1" expect_exit 1 wait $pid
check "one is disconnected again, one was stopped" jq -e '[.paths[].action] == ["disconnected","failed"]' atomic.json
check "nothing is left of that either" nothing_left

# --- killed in the middle ---
np connect -n $s1 -a 10.10.3.2 -i 1
host machine stop
nvme-partition connect --connect-timeout 60 -n $s1 -a 10.10.1.2 -i 1 >/dev/null 2>&1 &
pid=$!
check "a connect hangs" wait_for 20 grep -q connecting /sys/class/nvme/nvme1/state
kill -KILL $pid
wait $pid 2>/dev/null
host machine cont
check "teardown after it" expect_exit 0 np teardown
check "says that a run was cut off" json '[.findings[].check] | index("journal.unfinished") != null'
check "and takes back that too" as_before
