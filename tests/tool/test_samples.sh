#!/bin/bash
# SPDX-License-Identifier: MIT
# Logs that the profilers of Mono and Unity really wrote, in the folder that MPROF_SAMPLES names: each is told by its
# dialect.
. "$srcdir/tests/tool/support.sh"

test -n "${MPROF_SAMPLES-}" || skip "MPROF_SAMPLES names no folder of logs"
count=0
for log in "$MPROF_SAMPLES"/*.mprof; do
	test -e "$log" || skip "no logs in $MPROF_SAMPLES"
	for command in info check; do
		mprof $command "$log"
		expect_status 3 "$command of $log"
		if test "$(stat -c %s "$log")" -lt 14; then
			expect_line err 'offset 0: .*mprof log'
		else
			expect_line err 'this is a log of the dialect (drop|mono) '
		fi
	done
	count=$((count + 1))
done
echo "$count logs"
