# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2154,SC2016 # $last and $out are the framework's; eval in checks
# What connecting costs above the kernel's own time for the same writes to /dev/nvme-fabrics. It reports, it does not judge.
# machine: dgx-h100
# kernels: 6.1
# long: yes
# seconds: 600

pairs=${BENCH_PAIRS:-7}
hostnqn=$(cat /etc/nvme/hostnqn)
hostid=$(cat /etc/nvme/hostid)
targets="-a 10.10.1.2 -a 10.10.2.2 -a 10.10.3.2 -a 10.10.4.2"

disconnect_all() {
	for ctrl in /sys/class/nvme/nvme*; do echo 1 >"$ctrl/delete_controller"; done
	sleep 1
}
ms() { echo "$1 $2" | awk '{ printf "%.3f", ($2 - $1) * 1000 }'; }

# The floor: the same eight option strings, written by the shell. Prints the milliseconds that the writes took.
measure_floor() {
	local sum=0 nqn i start
	for nqn in nqn.2026-01.example:s1 nqn.2026-01.example:s2; do
		for i in 1 2 3 4; do
			start=$EPOCHREALTIME
			echo -n "nqn=$nqn,transport=rdma,traddr=10.10.$i.2,trsvcid=4420,host_traddr=10.10.$i.1,hostnqn=$hostnqn,hostid=$hostid,nr_io_queues=4,queue_size=32,keep_alive_tmo=5,reconnect_delay=10,ctrl_loss_tmo=600" >/dev/nvme-fabrics || return 1
			sum=$(echo "$sum $(ms "$start" "$EPOCHREALTIME")" | awk '{ print $1 + $2 }')
		done
	done
	echo "$sum"
}

# Ours: eight controllers. Prints: steps without proof, preflight, proof, namespaces; all in milliseconds.
measure_ours() {
	local nqn
	: >talk.log
	for nqn in nqn.2026-01.example:s1 nqn.2026-01.example:s2; do
		# shellcheck disable=SC2086 # a list of words
		nvme-partition -v connect -n $nqn $targets -i 4 -Q 32 >/dev/null 2>>talk.log || return 1
	done
	awk '/ all steps: / { all += $(NF - 1) } / proof: / { proof += $(NF - 1) } / namespaces: / { ns += $(NF - 1) }
		/ facts and preflight: / { pre += $(NF - 1) } END { print all - proof, pre, proof, ns }' talk.log
}

measure_floor >/dev/null && disconnect_all && measure_ours >/dev/null && disconnect_all # caches, modules
for _ in $(seq "$pairs"); do
	measure_floor >>floor.ms && disconnect_all
	measure_ours >>ours.ms && disconnect_all
done
median() { sort -n | awk '{ v[NR] = $1 } END { printf "%.1f (%.1f to %.1f)", v[int((NR + 1) / 2)], v[1], v[NR] }'; }
{
	echo "8 controllers, 4 I/O queues of 32, $pairs alternating pairs; medians in ms (from, to):"
	echo "  the kernel's writes alone   $(median <floor.ms)"
	echo "  ours: steps without proof   $(cut -d' ' -f1 ours.ms | median)"
	echo "  ours: facts and preflight   $(cut -d' ' -f2 ours.ms | median)"
	echo "  ours: proof                 $(cut -d' ' -f3 ours.ms | median)"
	echo "  ours: namespace wait        $(cut -d' ' -f4 ours.ms | median)"
	paste -d' ' ours.ms floor.ms | awk '{ print $1 / $5 }' | sort -n | awk '{ v[NR] = $1 } END {
		printf "  ratio of steps to writes    %.3f (%.3f to %.3f)\n", v[int((NR + 1) / 2)], v[1], v[NR] }'
} | tee report
check "$pairs pairs were measured" test "$(wc -l <floor.ms) $(wc -l <ours.ms)" = "$pairs $pairs"
