# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2154,SC2016 # $out is the framework's
# How long verify takes beside nvme list-subsys, with few controllers and with many. It reports, it does not judge.
# machine: dgx-h100
# kernels: 6.1
# long: yes
# seconds: 600

pairs=${BENCH_PAIRS:-7}
host=hostnqn=$(cat /etc/nvme/hostnqn),hostid=$(cat /etc/nvme/hostid)
ms() { echo "$1 $2" | awk '{ printf "%.1f\n", ($2 - $1) * 1000 }'; }
timed() { # FILE COMMAND...
	local file=$1 start=$EPOCHREALTIME
	shift
	"$@" >/dev/null 2>&1
	ms "$start" "$EPOCHREALTIME" >>"$file"
}
median() { sort -n | awk '{ v[NR] = $1 } END { printf "%.1f (%.1f to %.1f)", v[int((NR + 1) / 2)], v[1], v[NR] }'; }

# measure CONTROLLERS: of each portal the same number, made by hand.
measure() {
	local count i there=(/sys/class/nvme/nvme*)
	count=${#there[@]}
	[ -e "${there[0]}" ] || count=0
	while [ "$count" -lt "$1" ]; do
		for i in 1 2 3 4; do
			echo -n "nqn=nqn.2026-01.example:s1,transport=rdma,traddr=10.10.$i.2,trsvcid=4420,host_traddr=10.10.$i.1,$host,nr_io_queues=2,queue_size=16,duplicate_connect" >/dev/nvme-fabrics || return 1
		done
		count=$((count + 4))
	done
	rm -f ours.ms theirs.ms
	for _ in 0 $(seq "$pairs"); do
		timed ours.ms nvme-partition verify
		timed theirs.ms nvme list-subsys -o json
	done
	sed -i 1d ours.ms theirs.ms # caches
	note "$count controllers: verify $(median <ours.ms) ms, nvme list-subsys $(median <theirs.ms) ms, ratio $(paste -d' ' ours.ms theirs.ms |
		awk '{ print $1 / $2 }' | sort -n | awk '{ v[NR] = $1 } END { printf "%.2f", v[int((NR + 1) / 2)] }')"
}

check "4 controllers" measure 4
check "32 controllers" measure 32
check "96 controllers" measure 96
check "they go again" nvme disconnect-all
