#!/bin/bash
# SPDX-License-Identifier: MIT
# Four threads allocate, throw, sort, load and unload, a fifth has all collected, and everything is recorded, with 10000
# samples a second: no deadlock, and no event is lost without being counted. MPROF_STRESS_SECONDS is the duration (2).
set -eu
. "$srcdir/tests/interop/mono/support.sh"

seconds=${MPROF_STRESS_SECONDS:-2}
compile Storm

# storm NAME OPTIONS MILLISECONDS INTERVAL: for so long, with a full collection after each interval.
storm() {
	local status=0
	run_mono "$1" timeout $((seconds * 20 + 100)) \
		mono --profile=mprof:"$everything,sample-real=10000,$2,output=$1.mprof" Storm.exe "$3" "$4" || status=$?
	test $status = 0 || fail "$1: status $status: $(head -n 40 "$1.stderr")"
	"$MPROF" check "$1.mprof" >check.out 2>&1 || fail "mprof check $1: $(cat check.out)"
	"$MPROF" report --json "$1.mprof" >report.json
	expect "$1: complete" "$(info "$1.mprof" .complete)" true
	# Lost events are reported at the end, in the log as a whole and for each thread.
	lost=$(sed -n 's/^mprof: .* \([0-9]*\) lost$/\1/p' "$1.stderr")
	expect "$1: lost events in the log" "$(info "$1.mprof" .lost_events)" "$lost"
	expect "$1: lost events in the report" "$(jq .totals.lost_events report.json)" "$lost"
	expect "$1: names missing" "$(grep -c "without a name" "$1.stderr")" 0
	expect "$1: methods without a name" "$(jq '[.methods[] | select(.name == null)] | length' report.json)" 0
	samples=$(jq .totals.samples report.json)
	echo "$1: $(tr '\t\n' ' ,' <"$1.facts") $(jq .totals.events report.json) events, $samples samples"
}

# check_losses NAME: where threads wait for buffers, nothing is lost but samples, which never wait.
check_losses() {
	expect "$1: lost events but samples" "$(info "$1.mprof" '.lost_by_cause | del(."no-sample-room") | length')" 0
}

# With collections at normal intervals
storm calm "counters=10" $((seconds * 500)) 100
check_losses calm
for kind in method-enter exception allocation sample heap-object heap-free handle-created finalizer-end gc-end; do
	test "$(info calm.mprof ".events.\"$kind\"")" -gt 0 || fail "calm: no $kind"
done
test "$(domains calm.mprof | grep -c '^unloaded')" -gt 0 || fail "calm: no domain was unloaded"

# A heap snapshot in each of many full collections
storm shots "heap=every-gc" $((seconds * 500)) 5
check_losses shots
full=$(jq '[.collections[] | select(.generation == 1)] | length' report.json)
taken=$(jq '.heap_shots | length' report.json)
requested=$(sed -n 's/^collections\t//p' shots.facts)
# Apart from those that the program requests, two collections may share one stop of the world, and its snapshot.
test "$taken" -ge "$requested" && test "$taken" -le "$full" ||
	fail "shots: $taken, with $full collections, $requested requested"
expect "shots: incomplete heap snapshots" "$(jq '[.heap_shots[] | select(.incomplete)] | length' report.json)" 0
expect "shots: heap snapshots without objects" "$(jq '[.heap_shots[] | select(.objects < 100)] | length' report.json)" 0

# Threads that never wait lose events, and all lost events are counted.
storm losing "drop,buffers=4,buffer-events=128" $((seconds * 300)) 20
test "$lost" -gt 0 || fail "losing: nothing was lost"
expect "losing: sum of the causes" "$("$MPROF" dump --json --blocks losing.mprof |
	jq -s '[.[] | select(.block == "lost").lost[]] | add')" "$lost"
