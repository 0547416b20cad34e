# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2154
# Sourced by the scenarios kills and kills-all: nvme-partition is stopped at its system calls, one run for each, by
# strace; then a plain teardown must bring everything back.
#
# A point is a line "CALL PATH N": the Nth CALL of a process on PATH, "-" if it is on none. Calls count that have an
# effect which outlives the process; so neither what reads, nor what is written to standard output and error, nor
# what is asked of RDMA and netlink: their objects go with the descriptor.

# All on one CPU: each system call is a message to strace and back, and between two CPUs that takes ten times as long.
taskset -p 4 $$

calls=openat,write,pwrite64,writev,fsync,fdatasync,ftruncate,fallocate,mkdir,mkdirat,rename,renameat,renameat2,link,linkat,symlink,symlinkat,unlink,unlinkat,rmdir,chmod,fchmod,fchmodat,chown,fchown,fchownat,flock,mount,umount2,clone,clone3,fork,vfork,kill

# points LOG: those of a run that "strace -f -y" wrote down. Each process counts by itself, as strace does when it
# injects; of processes that do the same the longest count is taken.
points() {
	awk '
	$2 ~ /^(<\.\.\.|\+\+\+|---)/ { next }
	{
		call = $2; sub(/\(.*/, "", call)
		path = match($0, /<[^>]*>/) ? substr($0, RSTART + 1, RLENGTH - 2) : "-"
		n = ++count[$1, call, path]
		if (call == "openat" && $0 !~ /O_CREAT/) next
		if (path ~ /^(\/dev\/infiniband|socket:)/ || $2 ~ /^[a-z0-9]*\([12]</ || n <= most[call, path]) next
		most[call, path] = n
		print call, path, n
	}' "$1"
}

# traced LOG ARGUMENT...: runs nvme-partition under strace.
traced() {
	local log=$1
	shift
	strace -f -y -o "$log" -e "trace=$calls" "$@" >"$log.out"
}

s1=nqn.2026-01.example:s1
connect=(nvme-partition connect -n "$s1" -a 10.10.1.2 -i 1)
teardown=(nvme-partition teardown --timeout 20)
nothing() { :; }
connected() { "${connect[@]}" >begin.out 2>&1; }

# find_points: runs both under strace; connect.points, teardown.points.
find_points() {
	snapshot >before
	{ irq_state; ip -o link show; } >before.brief
	check "connect under strace" traced connect.strace "${connect[@]}"
	check "teardown under strace" traced teardown.strace "${teardown[@]}"
	check "all is as before" restored
	points connect.strace >connect.points
	points teardown.strace >teardown.points
	check "the points hold what must be among them" eval \
		'grep -q "^write /dev/nvme-fabrics 1" connect.points && grep -q "^write .*/delete_controller 1" teardown.points &&
		grep -q "^unlinkat /run/nvme-partition 1" teardown.points && grep -q "^clone" teardown.points'
	cat connect.points teardown.points
}

# interrupted HOW POINT COMMAND...: runs COMMAND; at the point it is killed, gets TERM, or an error is returned to it.
# False if it never came there.
interrupted() {
	local how=$1 call path n inject there
	read -r call path n <<<"$2"
	shift 2
	case $how in
	KILL|TERM) inject=signal=$how ;;
	*) inject=error=$how ;;
	esac
	# A controller may have got another number than in the run that the point was found in.
	there=$(ls /sys/class/nvme)
	case $there:$path in nvme*:*/nvme[0-9]*/*) path=${path%/nvme*}/$there/${path##*/} ;; esac
	set -- -e "trace=$call" -e "inject=$call:$inject:when=$n" "$@"
	[ "$path" = - ] || set -- -P "$path" "$@"
	# strace ends with the signal that its child ended with, which the shell would tell.
	{ strace -f -o point.strace "$@" >point.out 2>point.err; } 2>/dev/null
	# TERM may be blocked, and is seen nowhere then.
	[ "$(grep -c "^[0-9]* *$call(" point.strace)" -ge "$n" ] || return 1
	case $how in
	KILL) grep -q SIGKILL point.strace ;;
	TERM) ;;
	*) grep -q INJECTED point.strace ;;
	esac
}

# restored: teardown, and then all is as before. Says what is not.
restored() {
	nvme-partition teardown --timeout 30 >restored.out 2>restored.err || { echo "teardown: exit $?"; return 1; }
	[ -z "$(ls /sys/class/nvme)" ] || { echo "a controller is left"; return 1; }
	[ -z "$(ls -A /run/nvme-partition 2>/dev/null)" ] || { echo "a file is left"; return 1; }
	{ irq_state; ip -o link show; } | diff before.brief -
}

# undo_points SENTENCE FILE BEGIN COMMAND...: for each line "HOW POINT" of FILE: BEGIN, COMMAND interrupted there, and
# teardown. One result line, with how many there were.
undo_points() {
	local sentence=$1 file=$2 begin=$3 how point count=0 failed=0 started=$SECONDS
	shift 3
	while read -r how point; do
		rm -rf /run/nvme-partition
		$begin
		count=$((count + 1))
		if interrupted "$how" "$point" "$@" </dev/null && restored >wrong 2>&1; then continue; fi
		failed=$((failed + 1))
		echo "### $how $point"
		cat wrong point.strace point.err restored.err /run/nvme-partition/journal 2>&1
		: >wrong
		for point in /sys/class/nvme/nvme*/delete_controller; do [ ! -e "$point" ] || echo 1 >"$point"; done
	done <"$file"
	echo "$count points in $((SECONDS - started)) s"
	check "${sentence/N/$count}" eval '[ '$failed' = 0 ] && [ '$count' -gt 0 ] && snapshot | diff before -'
}

# teardown_points LIST: as a list of undo_points. Whoever kills the writer lets teardown wait for what does not come: that
# is not awaited long.
teardown_points() {
	grep -v 'KILL .*delete_controller' "$1" >"$1.most"
	undo_points "a second teardown ends what N interrupted ones left" "$1.most" connected "${teardown[@]}"
	grep 'KILL .*delete_controller' "$1" >"$1.writer"
	undo_points "and what N without their writer left" "$1.writer" connected nvme-partition teardown --timeout 3
}
