# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2154,SC2016 # $last and $out are the framework's; eval in checks
# A DGX B200: its BlueField-3 cards are the initiators. connect makes nothing and says what can be seen of them: here an
# NVMe function of QEMU beside the storage ports of slot 2, presented with the ids of one that a card emulates.
# machine: dgx-b200 product=DGXB200 nvme=29:00.2
# kernels: 6.1
# seconds: 150

s1=nqn.2026-01.example:s1
emulated=0000:29:00.2
present() { # FILE VALUE
	echo "$2" >"$out/$1"
	mount --bind "$out/$1" "/sys/bus/pci/devices/$emulated/$1"
}
fabrics() { cat /sys/class/nvme/nvme*/transport | grep -v pcie; }
finding() { json '[.findings[] | select(.check == "'"$1"'") | '"$2"'] | any'; }

modprobe nvme
check "the function has a driver" wait_for 20 test -e /sys/bus/pci/devices/$emulated/nvme
present vendor 0x15b3
present device 0x6001
check "its controller is live" wait_for 20 grep -q live /sys/bus/pci/devices/$emulated/nvme/nvme*/state
check "and has a namespace" wait_for 20 ls -d /sys/bus/pci/devices/$emulated/nvme/nvme*/nvme*n1
snapshot >before

check "connect ends well" expect_exit 0 np connect -n $s1 -a 10.10.1.2 -a 10.10.3.2
check "deferred, and nothing changed" json '.result == "deferred" and (.changed | not) and .initiator.deferred and .steps == []'
check "no controller over fabrics is there" not fabrics
check "nothing else is other than before" eval 'snapshot | diff before - && [ ! -e /run/nvme-partition/journal ]'
check "the function is an endpoint, live, with its namespace" json '.offload.endpoints | length == 1 and
	.[0].pci == "'$emulated'" and .[0].state == "live" and (.[0].namespaces | length == 1)'
check "so the offload is active" json '.offload.state == "active"'
check "each card has its evidence" json '[.offload.cards[] | .evidence | length > 0] | length == 2 and all'
check "what the card has to be told names both portals" json '[.offload.plan[] | tostring] | join(" ") | contains("10.10.1.2") and contains("10.10.3.2") and contains("bdev_nvme_attach_controller")'
check "what it must have is there" expect_exit 0 np connect -n $s1 -a 10.10.1.2 --require-offload
check "show shows the same" eval 'np show && json ".offload.state == \"active\""'
check "verify finds nothing wrong with it" expect_exit 0 np verify --only offload

check "somebody connects by hand" nvme connect -t rdma -n $s1 -a 10.10.1.2 -s 4420 -w 10.10.1.1 -i 2
check "verify fails" expect_exit 5 np verify --only offload
check "and names it" finding offload.host_clean '.status == "fail" and (.message | contains("nvme"))'
check "connect refuses to go on" expect_exit 3 np connect -n $s1 -a 10.10.3.2
nvme disconnect -n $s1
check "good again" expect_exit 0 np verify --only offload

check "the operator's way out" expect_exit 0 np connect -n $s1 -a 10.10.1.2 -a 10.10.3.2 -i 2 --initiator host
check "connects from the storage ports, and says that it was forced" json '([.paths[] | .action] == ["connected", "connected"]) and (.initiator.deferred | not) and ([.findings[].check] | any(. == "offload.forced"))'
check "teardown undoes it" expect_exit 0 np teardown
check "all is as before" eval 'snapshot | diff before -'
umount /sys/bus/pci/devices/$emulated/vendor /sys/bus/pci/devices/$emulated/device
