#!/bin/bash
# SPDX-License-Identifier: MIT
# Recording that starts disabled, and is enabled and disabled by mprof control, by signals and by the program itself:
# what is done between is in the log, to the last call, and nothing else.
set -eu
. "$srcdir/tests/interop/mono/support.sh"
. "$here/controlled.sh"

# check_recorded CALLS OBJECTS: what there is of the program's so far, in a log that is still written.
check_recorded() {
	control 0 "$program_id" flush
	report_of enable.mprof
	expect "calls" "$(calls_of "Step (int)")" "$1"
	expect "objects" "$(figure '[.classes[] | select(.name == "Controlled.Kept").allocations] | add // 0')" "$2"
}

# Does something that must not be found.
work_unseen() {
	expect "recording" "$(fact recording)" disabled
	tell "step 1000"
	tell "keep 1000"
	tell "collect 1"
}

launch "$everything,heap=ondemand,start-disabled,signal=USR1:toggle,signal=USR2:flush,output=enable.mprof"
work_unseen
check_recorded 0 0
# Threads start and end all the same, and what is known of the heap stays true.
expect "events while disabled" "$( ("$MPROF" info --json enable.mprof 2>/dev/null || true) |
	jq -r '.events | with_entries(select(.value > 0)) | keys | map(select(test("^(heap|thread)-") | not)) |
		join(" ")')" ""

control 0 "$program_id" enable
expect "recording" "$(fact recording)" enabled
tell "step 5"
tell "keep 7"
control 0 "$program_id" disable
work_unseen
check_recorded 5 7

# Enabled twice is enabled once.
control 0 "$program_id" enable
control 0 "$program_id" enable
tell "step 20"
control 0 "$program_id" disable
control 0 "$program_id" disable
work_unseen
check_recorded 25 7

# By signals
kill -USR1 "$program_id"
awaits recording enabled
tell "step 300"
tell "keep 11"
kill -USR1 "$program_id"
awaits recording disabled
work_unseen
check_recorded 325 18

# By the program, which knows exactly when
for ((round = 0; round < 10; round++)); do
	tell enable
	tell "step 4"
	tell "keep 1"
	tell disable
	tell "step 100"
done
work_unseen
check_recorded 365 28

# A heap shot is taken in any case.
before=$(fact heap_shots)
control 0 "$program_id" heapshot
expect "heap shots while disabled" "$(($(fact heap_shots) - before))" 1

# In the midst of all that a thread does, again and again
tell storm
for ((round = 0; round < 30; round++)); do
	kill -USR1 "$program_id"
	control 0 "$program_id" enable
	tell disable
	kill -USR2 "$program_id"
	tell enable
	control 0 "$program_id" disable
done
tell calm
control 0 "$program_id" disable
tell "step 1000"
finish
check_complete enable.mprof
report_of enable.mprof
expect "calls in the end" "$(calls_of "Step (int)")" 365
expect "names missing" "$(figure '[(.methods[], .classes[]).name | select(. == null)] | length')" 0
test "$(info enable.mprof '.events."recording-resumed"')" -ge 15 || fail "recording was not resumed"

# Leaves of calls that began while nothing was recorded are not taken for others.
launch calls,output=leaves.mprof
for ((round = 0; round < 20; round++)); do
	tell disable
	tell "step 10"
	tell enable
	tell "step 1"
done
finish
check_complete leaves.mprof
report_of leaves.mprof
expect "calls" "$(calls_of "Step (int)")" 20
expect "calls of Main, which began first" "$(calls_of "Main ()")" 1
