# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2034,SC2154
# What a scenario is written with. README says how.

# check SENTENCE COMMAND...: a result line; ok if COMMAND succeeds. Its output goes to the scenario's log.
check() {
	local sentence=$1 status
	shift
	echo "### $sentence (after $SECONDS s)"
	echo "+ $*"
	if "$@"; then
		echo "ok $sentence" >&3
	else
		status=$?
		echo "### not ok (exit $status)"
		echo "not ok $sentence" >&3
	fi
}

# skip SENTENCE REASON: a result line for something that cannot be checked here.
skip() {
	echo "skip $1 # $2" >&3
}

# note TEXT: a line for people, in the output of the run.
note() {
	echo "$1"
	echo "# $1" >&3
}

# expect_exit N COMMAND...: true if COMMAND exits with N.
expect_exit() {
	local wanted=$1 status=0
	shift
	"$@" || status=$?
	[ "$status" -eq "$wanted" ] || { echo "exit $status, wanted $wanted"; return 1; }
}

# np ARGUMENT...: runs nvme-partition; its stdout is kept in NN-COMMAND.json (or .txt), also named $last; its stderr in err.
documents=0
np() {
	local status=0 word name=np
	for word in "$@"; do
		case $word in show|connect|bond|verify|teardown) name=$word; break ;; esac
	done
	documents=$((documents + 1))
	last=$(printf '%s/%02d-%s.json' "$out" $documents "$name")
	echo "+ nvme-partition $*"
	nvme-partition "$@" >"$last" 2>"$out/err" || status=$?
	cat "$out/err"
	case $(head -c 1 "$last") in
	'{') ;;
	'') rm "$last"; last=/dev/null ;;
	*) mv "$last" "${last%.json}.txt"; last=${last%.json}.txt ;;
	esac
	cat "$last"
	return $status
}

# json EXPRESSION: true if the jq EXPRESSION is true of the last document.
json() {
	jq -e "$1" "$last" >/tmp/json.out 2>&1 || { echo "false: $1"; cat /tmp/json.out; return 1; }
}

# said TEXT: true if the last np said it on stderr.
said() {
	grep -qF -e "$1" "$out/err" || { echo "not said: $1"; return 1; }
}

# not COMMAND...: true if COMMAND fails.
not() {
	! "$@"
}

# wait_for SECONDS COMMAND...: until COMMAND succeeds; false if it never does.
wait_for() {
	local end=$((SECONDS + $1))
	shift
	until "$@" >/dev/null 2>&1; do
		[ $SECONDS -lt $end ] || return 1
		sleep 0.2
	done
}

# host link CABLE on|off: plugs or cuts a cable. host target COMMAND: runs COMMAND on the target; its output and status.
# host machine stop|cont: the target freezes, and goes on.
host() {
	local status output
	[ "$1 $3" != "link off" ] || echo "$2" >>/run/lab/cut
	echo "host $*" >&3
	read -r status output <&3
	[ "$1 $2" != "machine stop" ] || wait_for 20 not ping -c 1 -W 1 10.10.1.2 # until it is so
	[ -z "$output" ] || echo "$output" | base64 -d
	return "${status:-1}"
}

# cm_ids [DEVICE]: how many nvme_rdma connections there are on an RDMA device, or on all.
cm_ids() {
	rdma -d -j resource show cm_id | jq "[.[] | select(.comm == \"nvme_rdma\" or .comm == \"[nvme_rdma]\") $1] | length"
}

# add_addresses NETDEV ADDRESS,ADDRESS...: usable at once, without duplicate address detection.
add_addresses() {
	local address
	for address in ${2//,/ }; do
		case $address in
		*:*) ip address add "$address" dev "$1" nodad ;;
		*) ip address add "$address" dev "$1" ;;
		esac
	done
}

# Without what comes and goes by itself: link-local addresses, and the order of things.
network_state() {
	{ ip -o address show; ip -4 route show table all; ip -6 route show table all; } | grep -v fe80:: | sort
	{ ip rule show; ip -6 rule show; ip -o link show; rdma link show; } | sort
}

irq_state() {
	grep . /proc/irq/*/smp_affinity_list 2>/dev/null
}

# snapshot: what teardown must bring back: controllers, interrupts, links, addresses, RDMA devices.
snapshot() {
	ls /sys/class/nvme
	irq_state
	network_state
}
