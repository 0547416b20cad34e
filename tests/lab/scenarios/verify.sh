# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2154,SC2016,SC2034 # $last and $out are the framework's; eval in checks
# verify on a kernel: all good after connect, and for each thing that goes wrong the right check fails, and no other.
# machine: dgx-h100
# kernels: 6.1
# seconds: 400

# shellcheck source=/dev/null
. /lab/guest/irqs.sh
s1=nqn.2026-01.example:s1
connect=(connect -n "$s1" -a 10.10.1.2 -a 10.10.2.2 -a 10.10.3.2 -a 10.10.4.2 -i 2)

# with STATUS: the checks with that status in the last document.
with() { jq -r '[.findings[] | select(.status == "'"$1"'") | .check] | unique | join(" ")' "$last"; }
# fails CHECK...: these fail and no other; exit 5.
fails() {
	expect_exit 5 np verify || return 1
	[ "$(with fail)" = "$*" ] || { echo "failed: $(with fail), wanted: $*"; return 1; }
}
good() { expect_exit 0 np verify; }
# finding CHECK JQ: of the findings of that check one is as the expression says.
finding() { json '[.findings[] | select(.check == "'"$1"'") | '"$2"'] | any'; }

load_irqs 2 2
check "nothing is connected: nothing fails" good
check "and of controllers all is skipped" finding paths.live '.status == "skip"'
check "four paths" expect_exit 0 np "${connect[@]}"
check "all is good" good
note "unknown here: $(with unknown)"
note "warned of here: $(with warn)"
check "what passes" json '[.findings[] | select(.status == "pass") | .check] | contains(["partition.controllers_on_storage", "partition.compute_clean",
	"partition.bound_source", "partition.subnets_disjoint", "partition.autoconnect_off", "ports.present", "ports.link", "ports.mtu", "ports.addresses",
	"ports.roce_gid", "routes.egress", "paths.live", "paths.both_sockets", "paths.namespaces", "paths.queue_count", "paths.timeouts",
	"affinity.irqs", "affinity.effective", "affinity.node_local", "affinity.isolated", "affinity.irqbalance", "affinity.rq_affinity",
	"identity.pair", "identity.same"])'
check "what cannot be read here is unknown, with its reason" json '[.findings[] | select(.status == "unknown" or .status == "skip") | .message | length > 10] | all'
check "and fails with --strict" expect_exit 5 np verify --strict
check "one check alone" expect_exit 0 np verify --strict --only paths.live,identity.pair
check "has its findings alone" json '[.findings[].check] | unique == ["identity.pair", "paths.live"]'
check "nothing was changed, and no journal line written" eval 'json ".changed | not" && cp /run/nvme-partition/journal journal && np verify; cmp journal /run/nvme-partition/journal'
start=$EPOCHREALTIME
nvme-partition verify >/dev/null
alive=$(echo "$start $EPOCHREALTIME" | awk '{ printf "%.2f", $2 - $1 }')
note "verify took $alive s"

# --- an ordinary user ---
su -s /bin/sh nobody -c "nvme-partition verify" >nobody.json
check "an ordinary user can run it" test $? = 0
last=$out/nobody.json
check "what takes root is unknown, the rest is as before" json '([.findings[] | select(.status == "fail")] == []) and ([.findings[] | select(.check == "identity.machine") | .status] == ["unknown"]) and ([.findings[] | select(.check == "partition.controllers_on_storage") | .status] == ["pass"])'

# --- somebody connects over the compute port ---
check "nvme connect by hand over the compute port" nvme connect -t rdma -a 10.20.0.2 -s 4420 -n nqn.2026-01.example:s2 -i 2
nvme=$(grep -l 10.20.0.2 /sys/class/nvme/nvme*/address | cut -d/ -f5)
check "the partition is broken" eval 'expect_exit 5 np verify && with fail | grep -q partition.compute_clean && with fail | grep -q partition.controllers_on_storage'
check "nothing else is" eval 'not grep -v "^partition\." <(with fail | tr " " "\n")'
check "HCA, controller and number of queue pairs are named" finding partition.compute_clean '.message | contains("mlx5_0") and contains("'"$nvme"'") and contains("3 queue pairs")'
nvme disconnect -d "$nvme"
check "good again" good

# --- an interrupt moves ---
irq=$(irq_of 0000:29:00.0 1)
place=$(cat "/proc/irq/$irq/smp_affinity_list")
echo 3 >"/proc/irq/$irq/smp_affinity_list"
check "an interrupt was moved" fails affinity.effective affinity.irqs
check "it is named" finding affinity.irqs '.message | contains("'"$irq"'")'
echo "$place" >"/proc/irq/$irq/smp_affinity_list"

# --- settings of the network ---
ip link set enp170s0f1np1 mtu 1500
check "an MTU was lowered" fails ports.mtu
check "the port is named" finding ports.mtu '.status == "fail" and (.message | contains("enp170s0f1np1"))'
ip link set enp170s0f1np1 mtu 9000
ip link set enp170s0f1np1 down
ip link set enp170s0f1np1 name storage4
ip link set storage4 up
ip address replace 10.10.4.1/24 dev storage4
check "an interface has another name: that is no failure" wait_for 40 eval '[ "$(cat /sys/class/nvme/nvme*/state | sort -u)" = live ] && good'
ip link set storage4 down
ip link set storage4 name enp170s0f1np1
ip link set enp170s0f1np1 up
ip address replace 10.10.4.1/24 dev enp170s0f1np1
check "all are live again" wait_for 40 eval '[ "$(cat /sys/class/nvme/nvme*/state | sort -u)" = live ]'
check "good" good
ip address del 10.10.4.1/24 dev enp170s0f1np1
check "an address is gone: the controllers that had it have no source" eval 'expect_exit 5 np verify && with fail | grep -q partition.bound_source'
check "it is named" finding partition.bound_source '.message | contains("10.10.4.1")'
ip address add 10.10.4.1/24 dev enp170s0f1np1
ip address del 10.10.3.1/24 dev enp170s0f0np0
ip address del 10.10.4.1/24 dev enp170s0f1np1
ip address add 10.10.4.1/24 dev enp170s0f0np0
ip address add 10.10.3.1/24 dev enp170s0f1np1
# Soft-RoCE ends the connections; mlx5 would keep them, on what is now the other port's device.
check "two addresses were swapped: the paths are down, or where the addresses are not, and no other check fails" \
	eval 'expect_exit 5 np verify && not grep -v -x -e paths.live -e partition.bound_source <(with fail | tr " " "\n")'
ip address del 10.10.4.1/24 dev enp170s0f0np0
ip address del 10.10.3.1/24 dev enp170s0f1np1
ip address add 10.10.3.1/24 dev enp170s0f0np0
ip address add 10.10.4.1/24 dev enp170s0f1np1
check "good again after all that" wait_for 40 good

# --- a storage address on a compute port: the kernel reconnects by address ---
ip address del 10.10.4.1/24 dev enp170s0f1np1
ip address add 10.10.4.1/24 dev enp24s0np0
host link n4 off
check "the source of a controller is on a compute port" eval 'expect_exit 5 np verify && with fail | grep -q partition.controllers_on_storage'
check "it is named" finding partition.controllers_on_storage '.status == "fail" and (.message | contains("10.10.4.1") and contains("0000:18:00.0"))'
ip address del 10.10.4.1/24 dev enp24s0np0
ip address add 10.10.4.1/24 dev enp170s0f1np1
host link n4 on
check "good again when it has reconnected" wait_for 60 good

# --- the target stops ---
host machine stop
check "the kernel notices" wait_for 40 eval '[ "$(cat /sys/class/nvme/nvme*/state | sort -u)" != live ]'
start=$EPOCHREALTIME
nvme-partition verify >stopped.json
status=$?
took=$(echo "$start $EPOCHREALTIME" | awk '{ printf "%.2f", $2 - $1 }')
last=$out/stopped.json
check "verify fails" test $status = 5
check "paths.live says which" finding paths.live '.status == "fail"'
note "verify took $took s beside a target that hangs"
check "it has answered within a second, or on a busy host as fast as before: $took s" awk "BEGIN { exit !($took < 1 || $took < 2 * $alive) }"
host machine cont
check "good again when the target is back" wait_for 60 good
check "teardown" expect_exit 0 np teardown
