# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# The storage target: one NIC for each cable, nvmet over RDMA on each of its addresses, and the traps.
# Sourced by init. Then it runs the commands that come from the DGX by way of `run`, until there are no more.

# shellcheck source=/dev/null
. /lab/guest/lib.sh
nqn=nqn.2026-01.example
nvmet=/sys/kernel/config/nvmet

modprobe nvmet-rdma
modprobe dummy numdummies=0
modprobe null_blk nr_devices=3 gb=1 memory_backed=1

# Networks: the last byte of the MAC is the number of the cable.
for netdev in /sys/class/net/eth*; do
	cable=n$((0x$(cut -d : -f 6 "$netdev/address")))
	ip link set "${netdev##*/}" name "$cable" mtu 9000 up
	rdma link add "rxe_$cable" type rxe netdev "$cable"
done
addresses=
while read -r _ _ _ _ _ _ cable list; do
	[ "$cable" != - ] || continue
	list=${list//1\//2\/}
	add_addresses "$cable" "$list"
	addresses="$addresses ${list//,/ }"
done </lab/ports

# Trap: 10.10.1.3 and 10.10.3.3 answer ARP, and nothing of RDMA: the connection manager hears nothing.
ip link add silent type dummy
ip link set silent up
ip address add 10.10.1.3/32 dev silent
ip address add 10.10.3.3/32 dev silent

# subsystem NAME ANY_HOST BLOCK_DEVICE...
subsystem() {
	local path=$nvmet/subsystems/$nqn:$1 nsid=0 device
	mkdir "$path"
	echo "$2" >"$path/attr_allow_any_host"
	echo "lab-$1" >"$path/attr_serial"
	shift 2
	for device in "$@"; do
		nsid=$((nsid + 1))
		mkdir "$path/namespaces/$nsid"
		echo "$device" >"$path/namespaces/$nsid/device_path"
		echo 1 >"$path/namespaces/$nsid/enable"
	done
}
subsystem s1 1 /dev/nullb0 /dev/nullb1
subsystem s2 1 /dev/nullb2
subsystem private 0
mkdir "$nvmet/hosts/$nqn:somebody-else"
ln -s "$nvmet/hosts/$nqn:somebody-else" "$nvmet/subsystems/$nqn:private/allowed_hosts/"

# Every subsystem on every address, the compute port's and the E810's included: temptations.
number=0
for address in $addresses; do
	address=${address%/*}
	number=$((number + 1))
	port=$nvmet/ports/$number
	mkdir "$port"
	echo rdma >"$port/addr_trtype"
	case $address in *:*) echo ipv6 ;; *) echo ipv4 ;; esac >"$port/addr_adrfam"
	echo "$address" >"$port/addr_traddr"
	echo 4420 >"$port/addr_trsvcid"
	for subsystem in s1 s2 private; do
		ln -s "$nvmet/subsystems/$nqn:$subsystem" "$port/subsystems/" || echo "target: $address: $subsystem failed"
	done
done

# Trap: accepts every connection on port 4421, answers no command.
cmsink 10.10.1.2 4421 10.10.3.2 4421 >/tmp/cmsink.log 2>&1 &

# One command a line; one line back: the exit status, and the output in base64.
echo "target: ready"
while read -r command <&3; do
	output=$(bash -c "$command" 2>&1 3>&- 4>&-)
	echo "$? $(echo "$output" | base64 -w 0)" >&3
done
