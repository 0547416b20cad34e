# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2154,SC2054
# The two machines of the lab as QEMU command lines. Sourced by `run`, which sets lab, dir and machine.
# No KVM, no root, no network: a cable is a UNIX stream socket.

ports() {
	grep -v '^#' "$lab/${machine%% *}.ports"
}

# The machine line of a scenario is the name of a ports file and settings. setting NAME DEFAULT: one of them.
setting() {
	local word
	for word in $machine; do
		[ "${word%%=*}" != "$1" ] || { echo "${word#*=}"; return; }
	done
	echo "$2"
}

# What both machines have: a console in a file, the channel to `run` in two pipes, the files of the scenarios in a file,
# and a monitor that only listens (its answers go to /dev/null).
common_arguments() {
	local name=$1
	args=(-nodefaults -display none -no-reboot -machine q35 -accel "tcg,thread=multi" -cpu max
		-serial "file:$dir/$name.console"
		-device virtio-serial-pci
		-chardev "pipe,id=channel,path=$dir/$name.channel" -device virtserialport,chardev=channel,name=channel
		-chardev "file,id=files,path=$dir/$name.files" -device virtserialport,chardev=files,name=files
		-chardev "pipe,id=monitor,path=$dir/$name.monitor" -mon chardev=monitor,mode=readline
		-kernel "$cache/kernel-$kernel/vmlinuz" -initrd "$dir/initrd")
}

# lpj: to find out how fast it is takes the kernel half a second for each CPU.
kernel_line() {
	echo "console=ttyS0 panic=-1 oops=panic quiet mitigations=off pcie_ports=compat cryptomgr.notests audit=0 apparmor=0 lpj=10000000" \
		"lab.role=$1 lab.kernel=$kernel lab.seconds=$2"
}

target_arguments() {
	local cable seconds=$1
	common_arguments target
	args+=(-smp 2 -m 2048 -append "$(kernel_line target "$seconds")")
	for cable in 1 2 3 4 5 6; do
		args+=(-netdev "stream,id=n$cable,server=on,addr.type=unix,addr.path=$dir/n$cable.sock"
			-device "virtio-net-pci,netdev=n$cable,mac=52:54:00:00:02:0$cable,romfile=,host_mtu=9000")
	done
}

# A PCI bus B is a pxb-pcie with bus number B-1 and one root port below it: the real addresses, and the real NUMA node.
dgx_arguments() {
	local pci node speed cable bus cpus seconds=$1 last='' number=0
	cpus=$(setting cpus 16)
	common_arguments dgx
	args+=(-smp "$cpus,sockets=2,cores=$((cpus / 2)),threads=1" -m 4096
		-object memory-backend-ram,id=m0,size=2048M -object memory-backend-ram,id=m1,size=2048M
		-numa "node,nodeid=0,cpus=0-$((cpus / 2 - 1)),memdev=m0"
		-numa "node,nodeid=1,cpus=$((cpus / 2))-$((cpus - 1)),memdev=m1"
		-smbios "type=1,manufacturer=NVIDIA,product=$(setting product DGXH100)"
		-append "$(kernel_line dgx "$seconds")")
	while read -r pci node _ _ _ speed cable _; do
		bus=${pci%%:*}
		number=$((number + 1))
		if [ "$bus" != "$last" ]; then
			args+=(-device "pxb-pcie,id=pxb$bus,bus_nr=$((0x$bus - 1)),numa_node=$node,bus=pcie.0"
				-device "pcie-root-port,id=rp$bus,bus=pxb$bus,slot=$number,chassis=$number")
		fi
		last=$bus
		# A port without a cable sends into a hub with a second port, which swallows: without it the packets would queue up.
		if [ "$cable" = - ]; then
			cable=u$number
			args+=(-netdev "hubport,id=$cable,hubid=$number" -netdev "hubport,id=sink$number,hubid=$number")
		else
			args+=(-netdev "stream,id=$cable,server=off,addr.type=unix,addr.path=$dir/$cable.sock")
		fi
		args+=(-device "$(printf 'virtio-net-pci,netdev=%s,bus=rp%s,addr=0.%d,multifunction=on,mac=52:54:00:00:01:%02x' \
			"$cable" "$bus" "${pci##*.}" "$number"),romfile=,host_mtu=9000,speed=$speed,duplex=full")
	done < <(ports)
	# An NVMe function with one namespace, beside the network functions of that bus.
	pci=$(setting nvme -)
	[ "$pci" = - ] || args+=(-blockdev driver=null-co,node-name=disk,size=1073741824,read-zeroes=on
		-device "nvme,id=nvme,serial=LAB1,bus=rp${pci%%:*},addr=0.${pci##*.},multifunction=on"
		-device nvme-ns,drive=disk,bus=nvme)
}
