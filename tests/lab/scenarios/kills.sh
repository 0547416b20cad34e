# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2154 # $out is the framework's
# Killed, or told of an error, at a system call that has an effect: teardown brings everything back. Here at the ones
# that matter most; kills-all has them all.
# machine: dgx-h100
# kernels: 6.1 6.12
# seconds: 400

# shellcheck source=/dev/null
. /lab/guest/kills.sh
find_points

# What is flushed is in the file already, and a lock goes with its holder: to be killed there is to be killed at the
# next call.
{
	grep -v 'sync\|flock' connect.points | sed 's/^/KILL /'
	grep 'journal\|nvme-fabrics' connect.points | sed 's/^/EIO /'
} >connect.list
undo_points "teardown undoes N interrupted runs of connect" connect.list nothing "${connect[@]}"
{
	grep -v 'sync\|flock\|mkdir' teardown.points | sed 's/^/KILL /'
	grep 'journal\|delete_controller\|^clone\|^unlink' teardown.points | sed 's/^/EIO /'
} >teardown.list
teardown_points teardown.list
