#!/bin/bash
# SPDX-License-Identifier: MIT
# Where the objects of a program were allocated, how often they moved and how old they are, and which of them are new, gone
# and surviving from one heap snapshot to the next. The collector moves all survivors out of the nursery.
set -eu
. "$srcdir/tests/interop/mono/support.sh"

mcs -nologo -nowarn:0169 -out:Origins.exe "$here/Origins.cs"
"$MPROF" record -q -o origins.mprof --heap --gc --alloc=objects+stack -- mono Origins.exe
check_complete origins.mprof

# A word of the stack or a register may keep an object alive for a collection; that many are allowed.
spare=3

# Classes of the program: new, gone and surviving objects, and those without a known origin.
"$MPROF" diff --json --shots=1,2 origins.mprof >first.json
jq -e --argjson spare $spare '[.heap_identity_classes[] | {key: .name, value: .}] | from_entries |
	(.Old | [.new_objects, .gone_objects, .surviving_objects]) == [0, 0, 1000] and
	(.Young | [.new_objects, .gone_objects, .surviving_objects]) == [500, 0, 0] and
	.Gone.gone_objects >= 300 - $spare and .Gone.gone_objects + .Gone.surviving_objects == 300 and
	([.Old, .Young, .Gone | .unknown_objects_before, .unknown_objects_after] | add) == 0' first.json >check ||
	fail "from the first snapshot to the second: $(jq -c .heap_identity_classes first.json)"
"$MPROF" diff --json --shots=2,3 --class=Young origins.mprof >second.json
expect "Young" "$(jq -c '.heap_identity | [.new_objects, .gone_objects, .surviving_objects]' second.json)" '[200,0,500]'
expect "sites of Young" "$(jq -c '[.heap_growth_sites[] | [.objects_before, .objects_after, .stack[0]]]' second.json)" \
	'[[0,200,"Program.MakeMore ()"],[500,500,"Program.MakeYoung ()"]]'

# The sums by identity are those of the snapshots.
jq -e '.heap_identity as $sum | .heap_shots[0].objects == $sum.gone_objects + $sum.surviving_objects +
	$sum.unknown_objects_before and .heap_shots[1].bytes == $sum.new_bytes + $sum.surviving_bytes +
	$sum.unknown_bytes_after' first.json >check || fail "sums: $(jq -c .heap_identity first.json)"

# Ages are the numbers of collections since an object was allocated.
while read -r method class age objects; do
	"$MPROF" heap --json --at=3 --min-age="$age" --max-age="$age" --allocated-by="Program.$method" origins.mprof >out
	found=$(jq --arg class "$class" '[.selection.classes[] | select(.name == $class) | .objects] | add' out)
	expect "objects of $method of age $age" "$found" "$objects"
done <<'END'
MakeMore Young 1 200
MakeYoung Young 2 500
MakeOld Old 4 1000
END

# The addresses of an object are those of the moves in the log.
"$MPROF" dump --json origins.mprof >dump
jq -r 'select(.event == "heap-move") | "\(.object) \(.to)"' dump >moves
class=$(jq '.selection.classes[] | select(.name == "Old") | .id' out)
jq -r --argjson class "$class" 'select(.event == "heap-object" and .class == $class) | .object' dump |
	sed -n '100p; 300p; 500p; 700p; 900p' >addresses
expect "objects to look up" "$(wc -l <addresses)" 5
moved=0
while read -r address; do
	"$MPROF" heap --json --at=3 --object="$address" origins.mprof >out
	expect "call stack of $address" "$(jq -c '.object.origin.stack[:2]' out)" '["Program.MakeOld ()","Program.Main ()"]'
	expect "age of $address" "$(jq .object.origin.age out)" 4
	expect "last address" "$(jq -r '.object.origin.addresses[-1].address' out)" "$address"
	jq -r '[.object.origin.addresses[].address] | . as $all | range(1; length) | "\($all[. - 1]) \($all[.])"' out >steps
	while read -r step; do
		grep -qxF "$step" moves || fail "$address: no move $step in the log"
		moved=$((moved + 1))
	done <steps
done <addresses
test $moved -ge 3 || fail "only $moved moves of 5 objects"

# What a log does not contain is stated.
"$MPROF" record -q -o poor.mprof --heap --gc -- mono Origins.exe
"$MPROF" diff --shots=1,2 poor.mprof >out
grep -q 'not known: the log has no allocations with addresses of objects; mprof record --heap' out ||
	fail "missing allocations are not stated: $(tail -n 1 out)"

# The addresses of objects are those that the program itself saw, also of objects that collections moved repeatedly.
mcs -nologo -unsafe -out:Moves.exe "$here/Moves.cs"
"$MPROF" record -q -o moves.mprof --heap --gc --alloc=objects+stack -- mono Moves.exe >seen
awk 'NF >= 3' seen | head -n 5 >chosen
awk 'NF == 2' seen | head -n 3 >>chosen
test -s chosen || fail "the collector moved no object"
while read -r line; do
	"$MPROF" heap --json --at=4 --object="${line##* }" moves.mprof >out
	expect "addresses" "$(jq -r '[.object.origin.addresses[].address] | join(" ")' out)" "$line"
done <chosen

# Without collections, the order of allocations and moves is not known, which is stated.
"$MPROF" record -q -o unordered.mprof --heap --alloc=objects+stack -- mono Moves.exe >seen
"$MPROF" heap --at=4 --object="$(awk 'NF == 2 { print $NF; exit }' seen)" unordered.mprof >out
grep -q 'origin not known: the log has no collections' out || fail "missing collections are not stated: $(cat out)"
