#!/bin/bash
# SPDX-License-Identifier: MIT
# Recording that starts disabled, and is enabled and disabled by mprof control, by signals and by the program itself:
# the log has exactly the calls made while recording was enabled.
set -eu
. "$srcdir/tests/interop/mono/support.sh"
. "$here/controlled.sh"

# check_recorded CALLS OBJECTS: the program's calls and objects so far, in a log that is still being written.
check_recorded() {
	control 0 "$program_id" flush
	report_of enable.mprof
	expect "calls" "$(calls_of "Step (int)")" "$1"
	expect "objects" "$(figure '[.classes[] | select(.name == "Controlled.Kept").allocations] | add // 0')" "$2"
}

# Runs code that must not be recorded.
work_unseen() {
	expect "recording" "$(fact recording)" disabled
	send "step 1000"
	send "keep 1000"
	send "collect 1"
}

launch "$everything,heap=ondemand,start-disabled,signal=USR1:toggle,signal=USR2:flush,output=enable.mprof"
work_unseen
check_recorded 0 0
# Starts and ends of threads are recorded nevertheless, and data about the heap stays correct.
expect "events while disabled" "$( ("$MPROF" info --json enable.mprof 2>/dev/null || true) |
	jq -r '.events | with_entries(select(.value > 0)) | keys | map(select(test("^(heap|thread)-") | not)) |
		join(" ")')" ""

control 0 "$program_id" enable
expect "recording" "$(fact recording)" enabled
send "step 5"
send "keep 7"
control 0 "$program_id" disable
work_unseen
check_recorded 5 7

# Enabling twice has the effect of enabling once.
control 0 "$program_id" enable
control 0 "$program_id" enable
send "step 20"
control 0 "$program_id" disable
control 0 "$program_id" disable
work_unseen
check_recorded 25 7

# By signals
kill -USR1 "$program_id"
awaits recording enabled
send "step 300"
send "keep 11"
kill -USR1 "$program_id"
awaits recording disabled
work_unseen
check_recorded 325 18

# By the program, at an exactly known point
for ((round = 0; round < 10; round++)); do
	send enable
	send "step 4"
	send "keep 1"
	send disable
	send "step 100"
done
work_unseen
check_recorded 365 28

# A heap snapshot is taken even while disabled.
before=$(fact heap_shots)
control 0 "$program_id" heapshot
expect "heap snapshots while disabled" "$(($(fact heap_shots) - before))" 1

# Repeatedly, while threads execute all kinds of code
send storm
for ((round = 0; round < 30; round++)); do
	kill -USR1 "$program_id"
	control 0 "$program_id" enable
	send disable
	kill -USR2 "$program_id"
	send enable
	control 0 "$program_id" disable
done
send calm
control 0 "$program_id" disable
send "step 1000"
finish
check_complete enable.mprof
report_of enable.mprof
expect "calls in the end" "$(calls_of "Step (int)")" 365
expect "names missing" "$(figure '[(.methods[], .classes[]).name | select(. == null)] | length')" 0
test "$(info enable.mprof '.events."recording-resumed"')" -ge 15 || fail "recording was not resumed"

# Leaves of calls that were entered while disabled are not matched with other calls.
launch calls,output=leaves.mprof
for ((round = 0; round < 20; round++)); do
	send disable
	send "step 10"
	send enable
	send "step 1"
done
finish
check_complete leaves.mprof
report_of leaves.mprof
expect "calls" "$(calls_of "Step (int)")" 20
expect "calls of Main, which began first" "$(calls_of "Main ()")" 1
