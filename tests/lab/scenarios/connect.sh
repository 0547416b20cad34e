# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2154,SC2016 # $last and $out are the framework's; eval in checks
# The main job: four portals from four storage ports, proven; and once more without a change.
# machine: dgx-h100
# kernels: 6.1 6.12
# seconds: 180

s1=nqn.2026-01.example:s1
targets="-a 10.10.1.2 -a 10.10.2.2 -a 10.10.3.2 -a 10.10.4.2"
ports='["0000:29:00.0","0000:29:00.1","0000:aa:00.0","0000:aa:00.1"]'

check "show works without a controller" expect_exit 0 np show
check "four storage ports are usable" json '[.ports[] | select(.usable) | .pci] == '"$ports"
check "the E810-like port is management" json '.ports[] | select(.pci == "0000:82:00.0") | .role == "management"'
check "no interface of a compute HCA is usable" json '[.ports[] | select(.role == "compute")] | length == 8'

# shellcheck disable=SC2086 # a list of words
{
	check "a dry run would connect" expect_exit 0 np connect --dry-run -n $s1 $targets
	check "and says so" json '.changed and ([.paths[].action] == ["would-connect","would-connect","would-connect","would-connect"])'
	check "it changed nothing" test ! -e /sys/class/nvme/nvme0
	check "nor made a journal" test ! -e /run/nvme-partition

	check "connect" expect_exit 0 np -v connect -n $s1 $targets -i 4
	cp "$last" connected.json
	check "four paths on the four storage ports" json '[.paths[].port] == '"$ports"
	check "each proven by RDMA netlink" json '[.paths[].proof] == ["rdma-netlink","rdma-netlink","rdma-netlink","rdma-netlink"]'
	check "each made by this run and live" json '[.paths[] | .action + " " + .state + " " + .owner] | unique == ["connected live nvme-partition"]'
	check "each with both namespaces and their block devices" json '[.paths[] | .namespaces[] | .nsid, (.device | test("^nvme[0-9]+n[0-9]+$"))] | unique == [true, 1, 2]'
	check "each with four queues that have CPUs" json '[.paths[] | .queues | length] == [4,4,4,4] and ([.paths[].queues[] | .hctx_cpus | length > 0] | all)'
	check "the sizes are there" json '[.paths[].namespaces[].size_bytes] | all(. > 0)'
	check "changed is true, the result ok" json '.changed and .result == "ok"'
	check "five queue pairs on each storage device" test "$(cm_ids '| select(.ifname == "mlx5_1")') $(cm_ids '| select(.ifname == "mlx5_2")') $(cm_ids '| select(.ifname == "mlx5_7")') $(cm_ids '| select(.ifname == "mlx5_8")')" = "5 5 5 5"
	check "and none elsewhere" test "$(cm_ids)" = 20
	check "the journal is root's alone" test "$(stat -c '%a %u %a' /run/nvme-partition/journal) $(stat -c %a /run/nvme-partition)" = "600 0 600 700"
	check "it holds four connects, begun and done" test "$(grep -c '"done"' /run/nvme-partition/journal) $(grep -c '"intent"' /run/nvme-partition/journal)" = "4 4"
	check "the namespaces can be read" dd if=/dev/nvme0n1 of=/dev/null bs=64k count=16 iflag=direct

	cp /run/nvme-partition/journal before
	check "connect once more" expect_exit 0 np connect -n $s1 $targets -i 4
	check "changed is false, four paths kept and proven" json '(.changed | not) and ([.paths[] | .action + " " + .proof] | unique == ["kept rdma-netlink"])'
	check "no step" json '.steps == []'
	check "the journal is the same" cmp before /run/nvme-partition/journal
}

check "show lists the controllers as ours" expect_exit 0 np show
check "with port and proof" json '[.paths[] | .port + " " + .proof + " " + .owner] == ["0000:29:00.0 rdma-netlink nvme-partition","0000:29:00.1 rdma-netlink nvme-partition","0000:aa:00.0 rdma-netlink nvme-partition","0000:aa:00.1 rdma-netlink nvme-partition"]'
check "one of several subsystems on one portal" expect_exit 0 np connect -n nqn.2026-01.example:s2 -a 10.10.1.2 -i 2
check "its group is proven with both" json '[.paths[].proof] == ["rdma-netlink"]'
check "over IPv6, in another spelling" expect_exit 0 np connect -n nqn.2026-01.example:s2 -a FD00:10:1:0::2 -i 2
check "from the IPv6 address of the same port" json '.paths[0].host_traddr == "fd00:10:1::1" and .paths[0].port == "0000:29:00.0" and .paths[0].proof == "rdma-netlink"'
check "and kept in a third spelling" expect_exit 0 np connect -n nqn.2026-01.example:s2 -a fd00:0010:0001::0002 -i 2
check "kept" json '.paths[0].action == "kept"'
