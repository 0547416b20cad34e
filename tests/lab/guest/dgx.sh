# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# The DGX H100: names, ids and addresses of its ports; then the scenarios, each from a clean state.
# Sourced by init. /lab/order has a line "NAME SECONDS" for each scenario.

modprobe nvme-rdma
modprobe bonding max_bonds=0

say() {
	echo "$*" >&3
}

# present PCI FILE TEXT: what sysfs shows in FILE of this function.
present() {
	echo "$3" >"/run/lab/$1.$2"
	mount --bind "/run/lab/$1.$2" "/sys/bus/pci/devices/0000:$1/$2"
}

# Once: virtio functions become the DGX's.
name_ports() {
	local netdev path pci ids rdma name
	mkdir -p /run/lab
	for netdev in /sys/class/net/eth*; do
		path=$(readlink -f "$netdev/device")
		path=${path%/virtio*}
		pci=${path##*/0000:}
		read -r _ _ ids rdma name _ < <(grep "^$pci " /lab/ports)
		ip link set "${netdev##*/}" name "$name"
		present "$pci" vendor "0x${ids%:*}"
		present "$pci" device "0x${ids#*:}"
	done
}

# What the ports should be, whatever they are now: no masters, up, MTU 9000, their own addresses and RDMA devices only.
restore_ports() {
	local kind netdev rdma name list family
	for kind in bond vlan macvlan dummy vrf bridge veth; do
		for netdev in $(ip -o link show type $kind | sed 's/^[0-9]*: \([^:@]*\).*/\1/'); do
			drop_rdma "$netdev"
			ip link delete "$netdev" 2>/dev/null
		done
	done
	while read -r _ _ _ rdma name _ _ list; do
		ip link set "$name" nomaster down
		ip address flush dev "$name"
		ip link set "$name" mtu 9000 up
		[ "$list" = - ] || add_addresses "$name" "$list"
		[ "$rdma" = - ] || [ -e "/sys/class/infiniband/$rdma" ] || rdma link add "$rdma" type rxe netdev "$name"
	done </lab/ports
	for family in -4 -6; do
		ip $family rule flush
		ip $family rule add pref 32766 lookup main
		[ $family = -6 ] || ip rule add pref 32767 lookup default
	done
}

# The RDMA devices over this netdev
drop_rdma() {
	rdma link show | sed -n "s,^link \([^/]*\)/.* netdev $1 *\$,\1,p" | while read -r name; do rdma link delete "$name"; done
}

# The state in which each scenario begins. Fails if that cannot be reached.
clean_up() {
	local file cable
	host machine cont
	sed -n 's,^\(/[^[:space:]]*\).*,\1,p' /proc/swaps | while read -r file; do swapoff "$file"; done
	for file in /sys/class/nvme/nvme*/delete_controller; do
		[ ! -e "$file" ] || timeout 30 sh -c "echo 1 >$file" || return 1
	done
	sed -n 's,^[^ ]* \(/mnt[^ ]*\|/run/nvme-partition\) .*,\1,p' /proc/mounts | while read -r file; do umount -l "$file"; done
	[ ! -e /dev/mapper ] || dmsetup remove_all --noudevsync --noudevrules
	while read -r cable; do host link "$cable" on; done </run/lab/cut
	: >/run/lab/cut
	rm -rf /run/nvme-partition /etc/nvme-partition
	cp /run/lab/hostnqn /run/lab/hostid /etc/nvme/
	irq_state | diff /run/lab/irq - | sed -n 's/^-\(.proc\)/\1/p' | while IFS=: read -r file cpus; do echo "$cpus" >"$file"; done
	same_network || restore_ports
	wait_for 10 same_network || { echo "after restoring:"; same_network || return 1; }
	wait_for 30 target_answers || { echo "the target does not answer"; return 1; }
}

# On a busy host it can take its time.
target_answers() {
	local i
	for i in 1 2 3 4; do ping -c 1 -W 2 10.10.$i.2 || return 1; done
}

same_network() {
	network_state | diff /run/lab/network -
}

# shellcheck source=/dev/null
. /lab/guest/lib.sh

name_ports
restore_ports
host target true
cp /etc/nvme/hostnqn /etc/nvme/hostid /run/lab/
: >/run/lab/cut
sleep 1
network_state >/run/lab/network
irq_state >/run/lab/irq

while read -r scenario seconds <&5; do
	say "begin $scenario"
	mkdir -p "/out/$scenario"
	SCENARIO=$scenario setsid timeout -k 5 "$seconds" bash /lab/guest/scenario.sh </dev/null >"/out/$scenario/log" 2>&1 5<&- 4>&- &
	session=$!
	wait $session
	status=$?
	kill -9 -- -$session 2>/dev/null
	dmesg -c >"/out/$scenario/dmesg"
	clean_up >"/out/$scenario/clean-up.log" 2>&1
	clean=$?
	tar -C /out -cf - "$scenario" >&4
	say "end $status $clean"
	[ $clean -eq 0 ] || break
done 5</lab/order
