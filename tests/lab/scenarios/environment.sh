# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2154,SC2016 # $last and $out are the framework's; eval in checks
# Where connect must not even begin: not root, another network namespace, no nvme-fabrics, files that others can write.
# machine: dgx-h100
# kernels: 6.1
# seconds: 120

s1=nqn.2026-01.example:s1
as_nobody() { # busybox has no setpriv; the program is run by a user of its own
	su -s /bin/sh nobody -c "$*"
}

check "show runs as an ordinary user" as_nobody nvme-partition show -o text
check "a dry run does, too" as_nobody nvme-partition connect --dry-run -n $s1 -a 10.10.1.2
np connect -n $s1 -a 10.10.1.2 -i 2
check "an ordinary user's show proves the path" eval 'as_nobody nvme-partition show >shown.json; jq -e ".paths[0].proof == \"rdma-netlink\" and .paths[0].owner == null" shown.json'
check "an ordinary user cannot connect" eval 'expect_exit 6 as_nobody nvme-partition connect -n $s1 -a 10.10.3.2 2>"$out/err"'
check "it needs root" said "connect needs root"

check "another network namespace is refused" eval 'expect_exit 6 unshare -n nvme-partition connect -n $s1 -a 10.10.3.2 2>"$out/err"'
check "with the way back" said "initial network namespace"

mkdir -p /etc/nvme-partition
echo '{}' >/etc/nvme-partition/config.json
chmod 666 /etc/nvme-partition/config.json
check "a config that others can write is refused" expect_exit 6 np connect -n $s1 -a 10.10.3.2
check "and named" said "/etc/nvme-partition/config.json"
chmod 644 /etc/nvme-partition/config.json
echo '{"targets": [{"nqn": "'$s1'", "traddr": ["10.10.3.2", "10.10.4.2"]}], "connect": {"nr_io_queues": 2, "ctrl_loss_tmo": -1}, "ports": ["slot1/p1"]}' >/etc/nvme-partition/config.json
check "a good one names the targets and the ports" expect_exit 4 np connect
check "only the named port is used" json '[.paths[] | .port] == ["0000:aa:00.0"] and [.skipped[] | .traddr] == ["10.10.4.2"]'
check "ctrl_loss_tmo -1 is off" grep -qx off /sys/class/nvme/nvme1/ctrl_loss_tmo
rm /etc/nvme-partition/config.json

check "a forced platform connects nothing" expect_exit 2 np --platform dgx-h200 connect -n $s1 -a 10.10.3.2
ln -s /dev/null /run/nvme-partition/journal.new && mv -T /run/nvme-partition/journal.new /run/nvme-partition/journal
check "a journal that is a link stops connect" expect_exit 6 np connect -n $s1 -a 10.10.4.2
check "nothing was connected" test ! -e /sys/class/nvme/nvme2

nvme disconnect-all
rmmod nvme_rdma; rmmod nvme_fabrics
check "without nvme-fabrics" expect_exit 6 np connect -n $s1 -a 10.10.1.2
check "the remedy is named" said "modprobe nvme-rdma"
modprobe nvme-rdma
