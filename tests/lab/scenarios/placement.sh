# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2034 # for placement.sh
# The interrupts of the storage queues, on cores of their own: beside compute vectors that fire and a real irqbalance.
# machine: dgx-h100 cpus=32 alone
# kernels: 6.1
# seconds: 600

watch=30
# shellcheck source=/dev/null
. /lab/guest/placement.sh
