# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Runs the scenario $SCENARIO, in a directory of its own. What is in that directory afterwards goes to the host.

out=/out/$SCENARIO
cd "$out" || exit 1
# shellcheck source=/dev/null
. /lab/guest/lib.sh
# shellcheck source=/dev/null
. "/lab/scenarios/$SCENARIO.sh"
exit 0
