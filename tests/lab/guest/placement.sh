# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2016,SC2154
# Sourced by the scenarios placement and placement-long, which set how many seconds irqbalance is watched: the queues of
# four controllers on cores of their own, with and without irqbalance, and back. Prints a table: how many of the storage
# vectors that our queues use are on the wrong node, and how many on a CPU where compute vectors fire too.

# shellcheck source=/dev/null
. /lab/guest/irqs.sh
queues=4
journal=/run/nvme-partition/journal
connect=(connect -n nqn.2026-01.example:s1 -a 10.10.1.2 -a 10.10.2.2 -a 10.10.3.2 -a 10.10.4.2 -i "$queues")

# ours: where the vectors are that our queues use.
ours() { storage_irqs "$queues" | sed 's,.*,/proc/irq/&/smp_affinity_list,' | xargs grep .; }

# moved SINCE: how many of ours are elsewhere than in that file.
moved() { ours | diff "$1" - | grep -c '^+/'; }
has_moved() { [ "$(moved "$1")" -gt 0 ]; }
irqs_moved() { ! irq_state | cmp -s "$1" -; }

# settled: irqbalance has had its first look, and put each interrupt where it thinks best.
settled() {
	irq_state >settling
	wait_for 30 irqs_moved settling && sleep 4
}

# writes_nothing ARGUMENT...: nvme-partition under strace; its document is again.json. On one CPU, as kills.sh says why.
writes_nothing() {
	taskset 4 strace -f -y --seccomp-bpf -o strace -e trace=write,pwrite64,sendto,sendmsg nvme-partition "$@" >again.json || return 1
	last=$out/again.json
	! grep -E '^[0-9]+ +p?write[0-9]*\([0-9]+</(proc|sys|run|dev/nvme)|settings' strace
}

all_placed() {
	jq '.affinity.irqs[].irq' "$last" | sort -n | diff <(storage_irqs "$queues" | sort -n) - &&
		json '[.affinity.irqs[] | select(.action == "set" or .action == "kept") | select(.after == .effective) | .effective] | unique | length == 16'
}

all_banned() {
	json '.affinity.irqbalance.state == "banned" and .affinity.irqbalance.banned == ([.affinity.irqs[].irq] | sort)' &&
		{ jq '.affinity.irqs[].irq' "$last"; [ -z "$1" ] || echo "$1"; } | sort -n | diff - <(bans)
}

check "every function has mlx5's interrupts" load_irqs $queues 8
snapshot >before
ours >ours.before
note "$(printf '%-60s %12s %12s' "storage vectors" "wrong node" "with compute")"
row "the kernel's defaults"
check "by default all storage vectors meet compute vectors that fire" test "$wrong $shared $vectors $firing" = "0 16 16 16 64"

# --- without irqbalance ---
check "connect" expect_exit 0 np "${connect[@]}"
cp "$last" connected.json
row "connect, without irqbalance"
check "none is on another node, none meets a compute vector that fires" test "$wrong $shared $vectors $firing" = "0 0 16 16 64"
check "16 are set, each on a core of its own" all_placed
check "and nothing else was written" test "$(irq_state | diff - <(grep ^/proc/irq before) | grep -c '^+/') $(moved ours.before)" = "16 16"
check "no irqbalance, 16 reserved cores" json '.affinity.irqbalance.state == "absent" and .affinity.irqbalance.banned == [] and .affinity.reserved_cpus == "8-15,24-31"'
check "every queue is told to be local, on its interrupt" json '[.paths[].queues[] | .local and .irq_cpus == .effective_cpus and .irq != null] | length == 16 and all'
cp $journal journal.before
check "connect again writes nothing" writes_nothing "${connect[@]}"
check "all are kept, nothing changed" json '(.changed | not) and .steps == [] and ([.affinity.irqs[].action] | unique == ["kept"])'
check "the journal is the same" cmp journal.before $journal
irq=$(irq_of 0000:29:00.0 1)
place=$(sed -n "s,^/proc/irq/$irq/smp_affinity_list:,,p" ours.before)
echo 3 >"/proc/irq/$irq/smp_affinity_list"
check "one is moved by hand: teardown leaves that one, exit 4" expect_exit 4 np teardown
check "and says so" json '[.affinity.irqs[] | select(.irq == '"$irq"') | .action, .after // .before] == ["foreign", "3"]'
check "the rest is put back" json '[.affinity.irqs[] | select(.irq != '"$irq"') | .action] | length == 15 and unique == ["restored"]'
check "only that one is not where it was" test "$(ours | diff ours.before - | grep '^+/')" = "+/proc/irq/$irq/smp_affinity_list:3"
echo "$place" >"/proc/irq/$irq/smp_affinity_list"
check "put back by hand as well, nothing is left to do" expect_exit 0 np teardown
check "all is as before" eval 'snapshot | diff before - && [ ! -e $journal ]'

# --- the control run: does irqbalance move what it is not told to leave alone? ---
check "irqbalance starts" start_irqbalance
settled
row "irqbalance"
check "it keeps to the nodes, and storage meets compute all the same" test "$wrong" = 0 -a "$shared" -gt 8
check "connect --irqbalance ignore" expect_exit 0 np "${connect[@]}" --irqbalance ignore
check "places them, and tells irqbalance nothing" json '.affinity.irqbalance.state == "ignored" and .affinity.irqbalance.banned == [] and ([.affinity.irqs[].action] | length == 16)'
ours >ours.placed
started=$SECONDS
check "irqbalance moves some of them away" wait_for 60 has_moved ours.placed
note "irqbalance had moved $(moved ours.placed) of 16 after $((SECONDS - started)) s"
[ $((2 * (SECONDS - started))) -lt "$watch" ] || watch=$((2 * (SECONDS - started)))
row "connect --irqbalance ignore"
check "teardown leaves those" expect_exit 4 np teardown
check "each with its reason, and restores the rest" json '([.affinity.irqs[].action] | unique | . == ["foreign","restored"] or . == ["foreign"]) and ([.affinity.irqs[] | select(.action == "foreign") | .message] | all)'
check "--force puts those back too" expect_exit 0 np teardown --force
check "nothing of ours is left" test ! -e $journal

# --- and with irqbalance told ---
other=$(irq_of 0000:18:00.0 9)
set_bans "$other"
check "irqbalance leaves one alone that is not ours" wait_for 20 eval '[ "$(bans)" = "$other" ]'
check "connect" expect_exit 0 np "${connect[@]}"
cp "$last" banned.json
check "all are placed" all_placed
check "and are in irqbalance's list, beside the other one" all_banned "$other"
ours >ours.placed
row "connect"
check "none is on another node" test "$wrong" = 0
check "compute vectors that irqbalance has put on the reserved cores are named" \
	json '[.findings[] | select(.check == "affinity.compute_vectors" and .status == "warn")] | length > 0'
check "connect again: nothing changes" expect_exit 0 np "${connect[@]}"
check "neither here nor in the list" eval 'json ".changed | not" && all_banned "$other"'
sleep "$watch"
row "connect, $watch s later"
check "none of ours has moved in $watch s" cmp ours.placed <(ours)

# --- and with irqbalance told what connect says: to leave the reserved cores alone ---
stop_irqbalance
check "irqbalance starts again, without the reserved cores" start_irqbalance "$(jq -r .affinity.reserved_cpus_with_siblings banned.json)"
settled
check "it has forgotten the list, and moved ours" has_moved ours.placed
set_bans "$other"
check "connect once more" expect_exit 0 np "${connect[@]}"
cp "$last" more.json
check "puts them back, and into the list" eval 'json .changed && all_placed && all_banned "$other" && ours | cmp ours.placed -'
row "connect, irqbalance without the reserved cores"
check "none meets a compute vector that fires" test "$wrong $shared $vectors $firing" = "0 0 16 16 64"
sleep 10
row "the same, 10 s later"
check "nor later" test "$wrong $shared $vectors $firing $(moved ours.placed)" = "0 0 16 16 64 0"
check "teardown" expect_exit 0 np teardown
# One that irqbalance happened to have on its core was kept the first time, and moved the second.
check "puts all back to where connect had found them" test \
	"$(jq -c '[.affinity.irqs[] | [.irq, .after]] | sort' "$last")" = \
	"$(jq -cs '[[.[0].affinity.irqs, .[1].affinity.irqs] | transpose[] |
		if .[0].action == "set" then .[0] else .[1] end | [.irq, .before]] | sort' banned.json more.json)"
check "and its list is as it was" test "$(bans)" = "$other"
stop_irqbalance
