# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Keeps what the kernel's interfaces look like with one controller, for whoever reads the files (--keep).
# machine: dgx-h100
# kernels: 6.1 6.12
# long: yes
# binary: no

s1=nqn.2026-01.example:s1
check "a controller" nvme connect -t rdma -n $s1 -a 10.10.1.2 -s 4420 -w 10.10.1.1 -i 4
check "its namespaces" wait_for 5 test -e /sys/class/nvme/nvme0/nvme0c0n2
mkdir raw
rdma -d -j link show >raw/rdma-link.json
rdma -d -j resource show cm_id >raw/rdma-cm-id.json
rdma -d -j resource show qp >raw/rdma-qp.json
ip -details -json link show >raw/link.json
ip -json address show >raw/addr.json
ip -json route show table all >raw/route.json
ls -l /sys/class/net /sys/class/infiniband /sys/class/nvme/nvme0/ /sys/class/nvme/nvme0/nvme0c0n1/ /sys/class/nvme-subsystem/*/ >raw/ls 2>&1
grep -r . /sys/class/nvme/nvme0/ /sys/class/nvme-subsystem/*/ >raw/nvme-attributes 2>/dev/null
grep -r . /sys/class/nvme/nvme0/nvme0c0n1/ >raw/nvme0c0n1-attributes 2>/dev/null
grep -r . /sys/class/infiniband/mlx5_1/ >raw/mlx5_1-attributes 2>/dev/null
grep -r . /sys/class/net/enp41s0f0np0/ >raw/enp41s0f0np0-attributes 2>/dev/null
ls -lR /sys/bus/pci/devices/0000:29:00.0/ >raw/pci-29:00.0 2>/dev/null
cat /proc/interrupts >raw/interrupts
