#!/bin/bash
# SPDX-License-Identifier: MIT
# Heap snapshots: their contents, when they are taken, and dead objects.
set -eu
. "$srcdir/tests/interop/mono/support.sh"
. "$here/controlled.sh"

compile Heap

# A heap with known contents: with the data that is needed for objects that died before any snapshot, and with
# everything recorded.
for options in heap,free,summary,alloc "$everything"; do
	profiled "$options,quiet,output=heap.mprof" Heap.exe >heap.expected
	check_complete heap.mprof
	check_facts heap.expected heap.mprof
	report_of heap.mprof
	# Both collections that the program requests found all of it.
	expect "snapshots before the last: objects" "$(figure '[.heap_shots[:-1][].classes[] |
		select(.class == "Heap.Leaf" or .class == "Heap.Pinned") | "\(.class) \(.objects) \(.bytes)"] | unique |
		join(", ")')" \
		"Heap.Leaf 20000 320000, Heap.Pinned 1 24"
	# The same by summaries, and dead objects. The freed objects are those that were counted as dead.
	expect "summaries: alive" "$(figure '[.heap_summaries[] | select(.class == "Heap.Branch") |
		"\(.live_objects) \(.live_bytes) \(.dead_objects)"] | unique | join(", ")')" "1023 32736 0"
	expect "dead, by summaries and by shots" "$(figure '[.heap_summaries[].dead_objects] | add')" \
		"$(figure '.totals.freed_objects')"
	expect "dead bytes, by summaries and by shots" "$(figure '[.heap_summaries[].dead_bytes] | add')" \
		"$(figure '.totals.freed_bytes')"
	garbage=$(figure '.classes[] | select(.name == "Heap.Garbage").freed')
	test "$garbage" -le 3000 || fail "$garbage objects of 3000 are freed"
	# An object keeps the size that it was allocated with: alive, dead, and after moves.
	expect "bytes of an object" "$(figure '[.heap_shots[].classes[] | select(.class == "Heap.Rounded") |
		.bytes / .objects] | unique | tostring')" "[72]"
	expect "bytes of a dead object" "$(figure '.classes[] | select(.name == "Heap.Rounded") |
		.freed_bytes / .freed')" 72
	# All objects of a snapshot have a class.
	expect "shots: classes without a name" \
		"$(figure '[.heap_shots[].classes[].class | select(. == null)] | length')" 0
	expect "shots: sums" "$(figure '[.heap_shots[] | [.objects, .bytes] == [([.classes[].objects] | add),
		([.classes[].bytes] | add)]] | all')" true
	expect "shots: roots by kind" "$(figure '[.heap_shots[] | .roots == (.roots_by_kind | add)] | all')" true
done

# The moves of a snapshot are those since the previous one. After the last snapshot, collections move more objects.
expect "moves: more in shots than in all" "$(figure '([.heap_shots[].moved] | add) <= .totals.moved_objects')" true
expect "moves: in shots" "$(figure '[.heap_shots[].moved] | add > 1000')" true
# Numbers count collections, regardless of changes of the heap's size.
expect "collections: sizes of the heap" "$(figure '.heap_resizes | length > 0')" true
expect "collections: numbers" "$(figure '[.collections[].number] == [range(1; (.collections | length) + 1)]')" true

# shots: the number of snapshots in report.json.
shots() {
	figure '.heap_shots | length'
}

# collections LOG: the number of stops of the world for full collections; a stop can serve two of them.
collections() {
	"$MPROF" dump --json "$1" | grep -c '^{"event":"gc-start-world-start".*"value":1[,}]'
}

# On demand: none at collections, and one for each request.
launch heap=ondemand,gc,output=demand.mprof
send "keep 1000"
send "collect 3"
control 0 "$program_id" heapshot
expect "heap snapshots" "$(fact heap_shots)" 1
send "keep 500"
control 0 "$program_id" heapshot
send "collect 2"
control 0 "$program_id" heapshot
expect "heap snapshots" "$(fact heap_shots)" 3
finish
check_complete demand.mprof
report_of demand.mprof
expect "objects kept, in each snapshot" "$(figure '[.heap_shots[].classes[] | select(.class == "Controlled.Kept").objects] |
	join(" ")')" "1000 1500 1500"
test "$(collections demand.mprof)" -ge 8 || fail "$(collections demand.mprof) full collections"

# At every full collection, at every third, at the first after an interval that always, or never, has passed.
# occasions OPTION: collects nine times.
occasions() {
	launch "$1,gc,output=occasions.mprof"
	for ((round = 0; round < 9; round++)); do
		send "collect 1"
		sleep 0.01
	done
	taken=$(fact heap_shots)
	finish
	check_complete occasions.mprof
	report_of occasions.mprof
	full=$(collections occasions.mprof)
}
occasions heap
expect "every-gc: heap snapshots" "$(shots)" "$full"
test "$(shots)" -ge 9 || fail "every-gc: $(shots) heap snapshots"
occasions heap=3gc
expect "3gc: heap snapshots" "$(shots)" $((full / 3))
test "$(shots)" -ge 3 || fail "3gc: $(shots) heap snapshots"
occasions heap=1ms
expect "1ms: heap snapshots while it ran" "$taken" 9
for interval in 1000000000ms 1000000s 60m 277h; do
	occasions heap=$interval
	expect "$interval: heap snapshots" "$(shots)" 0
	test "$full" -ge 9 || fail "$interval: $full full collections"
done

# Collections of the young generation have no snapshot.
MONO_GC_PARAMS=nursery-size=256k launch heap,gc,output=young.mprof
send "keep 100000"
finish
check_complete young.mprof
report_of young.mprof
test "$(figure '[.collections[] | select(.generation == 0)] | length')" -ge 3 || fail "too few collections of the young"
expect "shots with collections of the young" "$(shots)" "$(collections young.mprof)"
expect "objects kept" "$(figure '.heap_shots[-1].classes[] | select(.class == "Controlled.Kept").objects')" 100000

# A snapshot that exceeds the memory limit is incomplete, which is reported; the next one, of a smaller heap, is
# complete.
profiled "heap,heap-memory=1m,output=small.mprof" Heap.exe >/dev/null 2>small.err
check_complete small.mprof
report_of small.mprof
expect "incomplete shots of a small heap" "$(figure '[.heap_shots[] | select(.incomplete)] | length')" 0
! grep "incomplete" small.err || fail "a small heap"
launch heap=ondemand,heap-memory=1m,output=bound.mprof
send "keep 400000"
for ((round = 0; round < 5; round++)); do
	control 0 "$program_id" heapshot
done
finish
"$MPROF" check bound.mprof >check.out 2>&1 || fail "mprof check: $(cat check.out)"
report_of bound.mprof
# One for which the writer is as fast as the program is complete nevertheless.
incomplete=$(figure '[.heap_shots[] | select(.incomplete)] | length')
expect "shots of a large heap" "$(figure '.heap_shots | length')" 5
test "$incomplete" -gt 0 || fail "no shot of a large heap is incomplete"
expect "complete shots without all objects" "$(figure '[.heap_shots[] | select(.incomplete | not) | .classes[] |
	select(.class == "Controlled.Kept" and .objects != 400000)] | length')" 0
kept=$(figure '[.heap_shots[] | select(.incomplete) | .classes[] | select(.class == "Controlled.Kept").objects] | min')
test "$kept" -gt 10000 && test "$kept" -lt 400000 || fail "an incomplete shot: $kept objects"
grep -qx "mprof: bound.mprof: incomplete heap snapshots: $incomplete; heap-memory=BYTES allows more memory for them" err ||
	fail "incomplete heap snapshots: $(cat err)"
grep -qx "note: incomplete heap snapshots: $incomplete" check.out || fail "mprof check: $(cat check.out)"
# Missing objects and roots are counted.
lost=$(info bound.mprof .lost_events)
expect "lost, by cause" "$(info bound.mprof '.lost_by_cause | tojson')" "{\"no-buffer\":$lost}"
all=$(figure '[.heap_shots[] | .objects + .roots] | add')
test $((all + lost)) -ge 2000000 && test $((all + lost)) -lt 2050000 || fail "$all objects and roots, $lost lost"
