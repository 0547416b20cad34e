# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# The lab itself: does it show what the other scenarios rely on? Needs no nvme-partition.
# machine: dgx-h100
# kernels: 6.1 6.12
# binary: no
# seconds: 120

sys=/sys/bus/pci/devices
s1=nqn.2026-01.example:s1

port_is_real() {
	local pci node ids rdma netdev speed _ dir
	while read -r pci node ids rdma netdev speed _; do
		dir=$sys/0000:$pci
		[ "$(cat "$dir/vendor" "$dir/device" "$dir/class" "$dir/numa_node" | tr '\n' ' ')" = \
			"0x${ids%:*} 0x${ids#*:} 0x020000 $node " ] || { echo "$pci: ids or node"; return 1; }
		case $(readlink -f "/sys/class/net/$netdev") in "$(readlink -f "$dir")"/*) ;; *) false ;; esac || { echo "$pci: no $netdev"; return 1; }
		[ "$(cat "/sys/class/net/$netdev/speed")" = "$speed" ] || { echo "$netdev: speed"; return 1; }
		[ "$rdma" = - ] || [ "$(cat "/sys/class/infiniband/$rdma/ports/1/gid_attrs/ndevs/0")" = "$netdev" ] ||
			{ echo "$rdma: not on $netdev"; return 1; }
	done </lab/ports
}
check "the machine is a DGX H100" grep -qx DGXH100 /sys/class/dmi/id/product_name
check "all 15 ports have their PCI address, node, ids, names and speed" port_is_real
check "15 ports, 14 RDMA devices" test "$(rdma link show | wc -l) $(wc -l </lab/ports)" = "14 15"
check "two NUMA nodes share the CPUs" test "$(cat /sys/devices/system/node/node1/cpulist)" = 8-15

check "nvme connect from a storage port" nvme connect -t rdma -n $s1 -a 10.10.1.2 -s 4420 -w 10.10.1.1 -i 4
check "its connections are on mlx5_1" test "$(cm_ids '| select(.ifname == "mlx5_1")') $(cm_ids)" = "5 5"
check "both namespaces come" wait_for 5 test -e /sys/class/nvme/nvme0/nvme0c0n2
check "nvme disconnect" nvme disconnect -n $s1

check "nvme connect to the compute side, unguarded" nvme connect -t rdma -n $s1 -a 10.20.0.2 -s 4420 -i 2
check "its connections are on mlx5_0" test "$(cm_ids '| select(.ifname == "mlx5_0")') $(cm_ids)" = "3 3"
check "nvme disconnect again" nvme disconnect -n $s1
check "no connection is left" test "$(cm_ids)" = 0

check "IPv6 works" nvme connect -t rdma -n nqn.2026-01.example:s2 -a fd00:10:1::2 -s 4420 -w fd00:10:1::1 -i 2
nvme disconnect -n nqn.2026-01.example:s2
check "a foreign host is refused" not nvme connect -t rdma -n nqn.2026-01.example:private -a 10.10.1.2 -s 4420 -i 2
check "nobody listens on port 4499" not timeout 5 nvme connect -t rdma -n $s1 -a 10.10.1.2 -s 4499
check "10.10.1.3 hangs" expect_exit 143 timeout 3 nvme connect -t rdma -n $s1 -a 10.10.1.3 -s 4420 -w 10.10.1.1
check "10.10.1.3 answers ARP" grep -q '^10.10.1.3 .*0x2' /proc/net/arp
check "port 4421 listens" host target 'rdma resource show cm_id | grep "state LISTEN.*10.10.1.2:4421"'

host link n2 off
check "a cut cable takes the carrier" wait_for 5 grep -qx 0 /sys/class/net/enp41s0f1np1/carrier
host link n2 on
check "and gives it back" wait_for 5 grep -qx 1 /sys/class/net/enp41s0f1np1/carrier
