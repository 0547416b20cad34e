# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2034,SC2154
# Sourced by scenarios about interrupts: those of irqs.c, irqbalance, and who meets whom on which CPU.

# load_irqs STORAGE COMPUTE: every ConnectX-7 function has its interrupts, on mlx5's CPUs; of a storage and of a compute
# function so many of the lowest completion vectors fire. The file vectors lists them: IRQ VECTOR PCI ROLE NODE.
load_irqs() {
	local pci functions
	functions=$(awk -v storage="$1" -v compute="$2" '$3 ~ /^15b3:/ { printf ",0000:%s/%d", $1, $6 == 200000 ? storage : compute }' /lab/ports)
	modprobe irqs "functions=${functions#,}" || return 1
	sed -n 's/^ *\([0-9]*\):.* mlx5_comp\([0-9]*\)@pci:\(.*\)/\1 \2 \3/p' /proc/interrupts |
		awk 'FNR == NR { role["0000:" $1] = ($6 == 200000 ? "storage " : "compute ") $2; next }
			{ print $0, role[$3] }' /lab/ports - >vectors
	# In msi_irqs, too. Those of virtio are hidden: a function has the interrupts of one driver.
	for pci in $(tr , ' ' <<<"$functions"); do
		pci=${pci%/*}
		mkdir -p "/run/lab/msi_irqs/$pci"
		sed -n "s/^ *\([0-9]*\):.*@pci:$pci\$/\1/p" /proc/interrupts | (cd "/run/lab/msi_irqs/$pci" && xargs touch)
		mount --bind "/run/lab/msi_irqs/$pci" "/sys/bus/pci/devices/$pci/msi_irqs" || return 1
	done
}

# storage_irqs VECTORS: the numbers of the storage functions' lowest completion vectors, so many of each.
storage_irqs() {
	awk -v vectors="$1" '$4 == "storage" && $2 < vectors { print $1 }' vectors
}

# irq_of PCI VECTOR
irq_of() {
	awk -v pci="$1" -v vector="$2" '$3 == pci && $2 == vector { print $1 }' vectors
}

# start_irqbalance [CPUS]: as its service does it, but it looks every second. CPUS are those that it must leave alone.
start_irqbalance() {
	mkdir -p /run/irqbalance
	(trap '' PIPE; IRQBALANCE_BANNED_CPULIST=${1-} exec irqbalance --foreground --interval=1 >>irqbalance.log 2>&1) &
	irqbalance=$!
	wait_for 20 test -S "/run/irqbalance/irqbalance$irqbalance.sock"
}

stop_irqbalance() {
	kill "$irqbalance"
	wait "$irqbalance" 2>/dev/null
	rm -f "/run/irqbalance/irqbalance$irqbalance.sock"
}

# bans: the interrupts that irqbalance was told to leave alone, one a line.
bans() {
	ask "/run/irqbalance/irqbalance$irqbalance.sock" setup | grep -o 'IRQ [0-9]*' | sed 's/IRQ //' | sort -n
}

# set_bans IRQ...
set_bans() {
	ask "/run/irqbalance/irqbalance$irqbalance.sock" "settings ban irqs $*"
}

# meetings VECTORS: of the storage functions' so many lowest completion vectors: how many there are, how many of them go to
# another node, how many go to a CPU where a compute vector fires; then how many of them fire, and how many compute
# vectors do. What fires, and where, is what /proc/interrupts counts within two seconds.
meetings() {
	grep mlx5_comp /proc/interrupts >counts.before
	sleep 2
	grep mlx5_comp /proc/interrupts >counts.after
	diff -U 0 counts.before counts.after | grep mlx5_comp | sed 's/^\(.\) */\1 /' >fired
	storage_irqs "$1" | sed 's,.*,/proc/irq/&/effective_affinity_list,' | xargs grep . >places
	grep . /sys/devices/system/node/node*/cpulist >nodes
	awk -v vectors="$1" '
	FILENAME == "nodes" {
		split($0, part, /node\/node|\/cpulist:|-/)
		for (cpu = part[3]; cpu <= part[4]; cpu++) {
			node_of[cpu] = part[2]
			cpus++
		}
		next
	}
	FILENAME == "vectors" { role[$1] = $4; node[$1] = $5; counts[$1] = $4 == "compute" || $2 < vectors; next }
	FILENAME == "places" {
		split($0, part, /[\/:]/)
		place[part[4]] = part[6]
		next
	}
	{ irq = $2 + 0 }
	$1 == "-" { for (i = 3; i < cpus + 3; i++) before[irq, i] = $i; next }
	{
		firing[role[irq]] += counts[irq]
		for (i = 3; i < cpus + 3; i++)
			if (role[irq] == "compute" && $i != before[irq, i])
				busy[i - 3] = 1
	}
	END {
		for (irq in place) {
			count++
			wrong += node_of[place[irq]] != node[irq]
			shared += place[irq] in busy
		}
		print count + 0, wrong + 0, shared + 0, firing["storage"] + 0, firing["compute"] + 0
	}' nodes vectors places fired
}

# row TEXT: a line of the table of meetings, in the output of the run as well. Sets vectors, wrong, shared, firing.
row() {
	read -r vectors wrong shared firing <<<"$(meetings "$queues")"
	note "$(printf '%-60s %12s %12s' "$1" "$wrong of $vectors" "$shared of $vectors")"
}
