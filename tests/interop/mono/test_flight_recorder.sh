#!/bin/bash
# SPDX-License-Identifier: MIT
# Logs with a limit: the last events, kept in memory and written on request; or the first ones, up to a size.
set -eu
. "$srcdir/tests/interop/mono/support.sh"
. "$here/controlled.sh"

# Calls of Step come before and after many events that do not fit.
many=200000

# Without a limit, to compare with
launch calls,alloc,output=all.mprof
send "step 10"
send "keep $many"
send "step 7"
finish
check_complete all.mprof
all=$(info all.mprof '.events | add')
report_of all.mprof
expect "calls" "$(calls_of "Step (int)")" 17

# In memory: nothing is written before it is requested.
launch calls,alloc,ring=1m,output=ring.mprof
send "step 10"
test ! -e ring.mprof || fail "a log exists before it was requested"
control 0 "$program_id" flush
check_complete ring.mprof
report_of ring.mprof
expect "first calls" "$(calls_of "Step (int)")" 10
expect "leaves without enters" "$(figure .totals.unmatched_leaves)" 0

# The first events are evicted, which does not count as a loss; names are kept.
send "keep $many"
send "step 7"
control 0 "$program_id" flush
check_complete ring.mprof
report_of ring.mprof
expect "last calls" "$(calls_of "Step (int)")" 7
kept=$(figure '.classes[] | select(.name == "Controlled.Kept").allocations')
test "$kept" -gt 1000 && test "$kept" -lt "$many" || fail "$kept objects of $many"
expect "methods without a name" "$(figure '[.methods[] | select(.name == null)] | length')" 0
# Leaves of calls whose enters were evicted
test "$(figure .totals.unmatched_leaves)" -le 10 || fail "$(figure .totals.unmatched_leaves) leaves without enters"
# The log states what it covers.
overwritten=$(info ring.mprof .ring.overwritten_bytes)
test "$overwritten" -gt $((1 << 17)) || fail "overwritten: $overwritten bytes"
test "$(info ring.mprof '.ring | .covered_s >= 0 and .overwritten_blocks > 0 and .overwritten_events > 1000')" = true || fail "what the ring covers"
"$MPROF" info ring.mprof | grep -qE "^ring +the last [0-9.]+ s; overwritten before: $overwritten bytes" ||
	fail "no line about the ring in the summary"
expect "lines about the ring in the report" "$("$MPROF" report --all ring.mprof | grep -cE '^ring[ :]')" 1
expect "a log without a ring" "$(info all.mprof .ring)" null
size=$(info ring.mprof .size)
test "$size" -gt $((1 << 19)) && test "$size" -lt $((3 << 19)) || fail "ring=1m: $size bytes"

# The log is written again on each request, and at the end.
mv ring.mprof before.mprof
send "step 5"
control 0 "$program_id" flush
check_complete ring.mprof
report_of ring.mprof
expect "calls, requested again" "$(calls_of "Step (int)")" 12
send "step 3"
finish
check_complete ring.mprof
report_of ring.mprof
expect "calls to the end" "$(calls_of "Step (int)")" 15
check_complete before.mprof
expect "files beside the logs" "$(echo *.mprof*)" "all.mprof before.mprof ring.mprof"

# All kinds at once, including heap snapshots
launch "$everything,ring=1m,output=ring.mprof"
send "step 10"
send "keep 20000"
for ((round = 0; round < 30; round++)); do
	send "collect 1"
done
# Events drained together are not in chronological order; events drained later are newer.
control 0 "$program_id" flush
send "step 7"
control 0 "$program_id" flush
check_complete ring.mprof
report_of ring.mprof
expect "calls, with all recorded" "$(calls_of "Step (int)")" 7
shots=$(figure '.heap_shots | length')
test "$shots" -ge 1 && test "$shots" -lt 30 || fail "$shots heap snapshots"
expect "the last snapshot" "$(figure '.heap_shots[-1].classes[] | select(.class == "Controlled.Kept").objects')" 20000
expect "names missing" "$(figure '[(.methods[], .classes[]).name, .heap_shots[].classes[].class,
	.allocation_stacks[].stack[]] | map(select(. == null)) | length')" 0
finish
check_complete ring.mprof

# Up to a size: the first events, and the number of lost events.
launch calls,alloc,max-size=256k,output=short.mprof
send "step 10"
send "keep $many"
send "step 7"
finish
"$MPROF" check short.mprof >check.out 2>&1 || fail "mprof check: $(cat check.out)"
report_of short.mprof
expect "calls up to the limit" "$(calls_of "Step (int)")" 10
size=$(info short.mprof .size)
test "$size" -gt $((192 << 10)) && test "$size" -le $((256 << 10)) || fail "max-size=256k: $size bytes"
lost=$(info short.mprof .lost_events)
expect "lost, in the message at the end" "$(sed -n 's/.* \([0-9]*\) lost$/\1/p' err)" "$lost"
expect "lost, by cause" "$("$MPROF" dump --json --blocks short.mprof |
	jq -s '[.[] | select(.block == "lost").lost.limit] | add')" "$lost"
# The runtime's own calls vary.
sum=$(($(info short.mprof '.events | add') + lost))
test $((sum > all ? sum - all : all - sum)) -le $((all / 50)) ||
	fail "max-size=256k: $sum events with those lost, not $all"
