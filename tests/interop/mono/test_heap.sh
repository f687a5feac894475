#!/bin/bash
# SPDX-License-Identifier: MIT
# Heap shots: what is in them, when they are taken, and what collections find dead.
set -eu
. "$srcdir/tests/interop/mono/support.sh"
. "$here/controlled.sh"

compile Heap

# A heap whose content is known: with what heap shots need to know of objects that never lived to see one, and with all
# recorded besides.
for options in heap,free,summary,alloc "$everything"; do
	profiled "$options,quiet,output=heap.mprof" Heap.exe >heap.expected
	check_complete heap.mprof
	check_facts heap.expected heap.mprof
	report_of heap.mprof
	# Both collections that the program asks for had all of it.
	expect "shots before the last: objects" "$(figure '[.heap_shots[:-1][].classes[] |
		select(.class == "Heap.Leaf" or .class == "Heap.Pinned") | "\(.class) \(.objects) \(.bytes)"] | unique |
		join(", ")')" \
		"Heap.Leaf 20000 320000, Heap.Pinned 1 24"
	# The same by summaries, and what died. The freed objects are those that were counted as dead.
	expect "summaries: alive" "$(figure '[.heap_summaries[] | select(.class == "Heap.Branch") |
		"\(.live_objects) \(.live_bytes) \(.dead_objects)"] | unique | join(", ")')" "1023 32736 0"
	expect "dead, by summaries and by shots" "$(figure '[.heap_summaries[].dead_objects] | add')" \
		"$(figure '.totals.freed_objects')"
	expect "dead bytes, by summaries and by shots" "$(figure '[.heap_summaries[].dead_bytes] | add')" \
		"$(figure '.totals.freed_bytes')"
	garbage=$(figure '.classes[] | select(.name == "Heap.Garbage").freed')
	test "$garbage" -le 3000 || fail "$garbage objects of 3000 are freed"
	# An object has the size that it was allocated with, alive and dead, wherever it was moved to.
	expect "bytes of an object" "$(figure '[.heap_shots[].classes[] | select(.class == "Heap.Rounded") |
		.bytes / .objects] | unique | tostring')" "[72]"
	expect "bytes of a dead object" "$(figure '.classes[] | select(.name == "Heap.Rounded") |
		.freed_bytes / .freed')" 72
	# All objects of a shot are of a class.
	expect "shots: classes without a name" \
		"$(figure '[.heap_shots[].classes[].class | select(. == null)] | length')" 0
	expect "shots: sums" "$(figure '[.heap_shots[] | [.objects, .bytes] == [([.classes[].objects] | add),
		([.classes[].bytes] | add)]] | all')" true
	expect "shots: roots by kind" "$(figure '[.heap_shots[] | .roots == (.roots_by_kind | add)] | all')" true
done

# Moves are those since the shot before. After the last one collections go on to move objects.
expect "moves: more in shots than in all" "$(figure '([.heap_shots[].moved] | add) <= .totals.moved_objects')" true
expect "moves: in shots" "$(figure '[.heap_shots[].moved] | add > 1000')" true
# Numbers count collections, whatever sizes the heap got in between.
expect "collections: sizes of the heap" "$(figure '.heap_resizes | length > 0')" true
expect "collections: numbers" "$(figure '[.collections[].number] == [range(1; (.collections | length) + 1)]')" true

# shots: how many are in report.json.
shots() {
	figure '.heap_shots | length'
}

# collections LOG: how often the world was stopped for what ended as a full collection; now and then for two at once.
collections() {
	"$MPROF" dump --json "$1" | grep -c '^{"event":"gc-start-world-start".*"value":1[,}]'
}

# On demand: none at collections, and one each time.
launch heap=ondemand,gc,output=demand.mprof
tell "keep 1000"
tell "collect 3"
control 0 "$program_id" heapshot
expect "heap shots" "$(fact heap_shots)" 1
tell "keep 500"
control 0 "$program_id" heapshot
tell "collect 2"
control 0 "$program_id" heapshot
expect "heap shots" "$(fact heap_shots)" 3
finish
check_complete demand.mprof
report_of demand.mprof
expect "objects kept, in each shot" "$(figure '[.heap_shots[].classes[] | select(.class == "Controlled.Kept").objects] |
	join(" ")')" "1000 1500 1500"
test "$(collections demand.mprof)" -ge 8 || fail "$(collections demand.mprof) full collections"

# At every full collection, at every third, at the first after a time that is over each time, or never is
# occasions OPTION: collects nine times.
occasions() {
	launch "$1,gc,output=occasions.mprof"
	for ((round = 0; round < 9; round++)); do
		tell "collect 1"
		sleep 0.01
	done
	taken=$(fact heap_shots)
	finish
	check_complete occasions.mprof
	report_of occasions.mprof
	full=$(collections occasions.mprof)
}
occasions heap
expect "every-gc: heap shots" "$(shots)" "$full"
test "$(shots)" -ge 9 || fail "every-gc: $(shots) heap shots"
occasions heap=3gc
expect "3gc: heap shots" "$(shots)" $((full / 3))
test "$(shots)" -ge 3 || fail "3gc: $(shots) heap shots"
occasions heap=1ms
expect "1ms: heap shots while it ran" "$taken" 9
occasions heap=1000000000ms
expect "1000000000ms: heap shots" "$(shots)" 0
test "$full" -ge 9 || fail "1000000000ms: $full full collections"

# Collections of the young objects alone have none.
MONO_GC_PARAMS=nursery-size=256k launch heap,gc,output=young.mprof
tell "keep 100000"
finish
check_complete young.mprof
report_of young.mprof
test "$(figure '[.collections[] | select(.generation == 0)] | length')" -ge 3 || fail "too few collections of the young"
expect "shots with collections of the young" "$(shots)" "$(collections young.mprof)"
expect "objects kept" "$(figure '.heap_shots[-1].classes[] | select(.class == "Controlled.Kept").objects')" 100000

# A shot that needs more memory than it may have is incomplete, which is said; the next one, of a smaller heap, is not.
profiled "heap,heap-memory=1m,output=small.mprof" Heap.exe >/dev/null 2>small.err
check_complete small.mprof
report_of small.mprof
expect "incomplete shots of a small heap" "$(figure '[.heap_shots[] | select(.incomplete)] | length')" 0
! grep "incomplete" small.err || fail "a small heap"
launch heap=ondemand,heap-memory=1m,output=bound.mprof
tell "keep 400000"
control 0 "$program_id" heapshot
control 0 "$program_id" heapshot
finish
"$MPROF" check bound.mprof >check.out 2>&1 || fail "mprof check: $(cat check.out)"
report_of bound.mprof
expect "incomplete shots of a large heap" \
	"$(figure '.heap_shots | map(.incomplete | tostring) | join(" ")')" "true true"
kept=$(figure '.heap_shots[0].classes[] | select(.class == "Controlled.Kept").objects')
test "$kept" -gt 10000 && test "$kept" -lt 400000 || fail "an incomplete shot: $kept objects"
grep -qx "mprof: bound.mprof: 2 heap shots are incomplete; see the option heap-memory" err ||
	fail "incomplete heap shots: $(cat err)"
grep -qx "note: incomplete heap shots: 2" check.out || fail "mprof check: $(cat check.out)"
# What is lacking is counted: objects, and roots.
lost=$(info bound.mprof .lost_events)
expect "lost, by cause" "$(info bound.mprof '.lost_by_cause | tojson')" "{\"no-buffer\":$lost}"
all=$(figure '[.heap_shots[] | .objects + .roots] | add')
test $((all + lost)) -ge 800000 && test $((all + lost)) -lt 820000 || fail "$all objects and roots, $lost lost"
