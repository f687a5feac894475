#!/bin/bash
# SPDX-License-Identifier: MIT
# Programs end, even if they end before the runtime's sampling thread has begun to run: several at a time, so that
# threads wait for processors.
set -eu
. "$srcdir/tests/interop/mono/support.sh"

compile Starter

# run_many NUMBER OPTIONS: records ten programs, one after the other.
run_many() {
	for round in 1 2 3 4 5 6 7 8 9 10; do
		timeout --signal=KILL 60 mono --profile="mprof:$2,output=short.$1.mprof" Starter.exe ||
			fail "with $2, program $1.$round: status $?"
	done
}

for options in calls sample; do
	runs=()
	for number in 1 2 3 4 5 6; do
		run_many $number $options &
		runs+=($!)
	done
	for run in "${runs[@]}"; do
		wait "$run" || fail "a program did not end"
	done
done
check_complete short.1.mprof
