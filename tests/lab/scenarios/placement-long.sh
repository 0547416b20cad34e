# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2034 # for placement.sh
# As placement, but irqbalance is watched for two minutes.
# machine: dgx-h100 cpus=32 alone
# kernels: 6.1
# long: yes
# seconds: 700

watch=120
# shellcheck source=/dev/null
. /lab/guest/placement.sh
