#!/bin/bash
# SPDX-License-Identifier: MIT
# Ages, temporaries, the peak and what is alive are those of a program whose figures are known; so are they if its log is read
# up to a time, and if only a sample of the allocations has call stacks.
set -eu
. "$srcdir/tests/interop/mono/support.sh"

mcs -nologo -nowarn:0169,0414 -out:Ages.exe "$here/Ages.cs"

# A word of the stack or a register may keep an object alive for a collection; that many per class are allowed.
spare=3

# near NAME FOUND EXPECTED TOLERANCE
near() {
	local difference=$(($2 - $3))
	test "${difference#-}" -le "$4" || fail "$1: $2, not $3"
}

# check_classes DOCUMENT: the classes against what the program has printed: class, objects, ages, alive, temporary.
check_classes() {
	local class objects ages alive temporary found
	while read -r class objects ages alive temporary; do
		read -r -a found < <(jq -r --arg class "$class" '.types[] | select(.class == $class) |
			[.allocations, (.average_age * .allocations | round), .live, .temporaries] | join(" ")' "$1")
		test "${found[0]}" = "$objects" || fail "$class: ${found[0]} objects, not $objects"
		# The runtime may collect once more at the end.
		test "$ages" != all || ages=$((objects * $(jq .age_totals.collections "$1")))
		near "$class: ages" "${found[1]}" "$ages" $((spare * 4))
		near "$class: alive" "${found[2]}" "$alive" $spare
		near "$class: temporary" "${found[3]}" "$temporary" $spare
	done <truth
}

"$MPROF" record -q -o ages.mprof --alloc=objects+stack --free --gc -- mono Ages.exe >truth
test "$(wc -l <truth)" = 4 || fail "the program printed: $(cat truth)"
"$MPROF" report --json --ages --top=0 ages.mprof >ages.json || fail "report"
check_classes ages.json

# The heap of the tool agrees with the deaths in the log.
"$MPROF" dump --json ages.mprof >dump
jq -n -r '[inputs | select(.event == "heap-free")] | "\(length) \(map(.value) | add)"' dump >expected
jq -r '.age_totals | "\(.deaths_read) \(.dead_bytes)"' ages.json >found
test "$(jq '.age_totals.unmatched_deaths + .age_totals.missing_deaths' ages.json)" = 0 || fail "deaths do not match"
cmp -s found expected || fail "deaths: $(cat found), not $(cat expected)"
jq -e '([.history[].collected_bytes] | add) == .age_totals.dead_bytes' ages.json >check || fail "bytes in the history"
jq -e '.history | .[0].event == "start" and .[-1].event == "end" and
	([.[] | select(.event == "collection")] | length) >= 4 and all(.[]; .bytes_after <= .bytes_before)' \
	ages.json >check || fail "entries of the history"

# Recursion is folded: one call stack allocates Young.
test "$(jq '[.backtraces[] | select(.class == "Young")] | length' ages.json)" = 1 || fail "call stacks of Young"
test "$(jq '[.backtraces[].allocations] | add' ages.json)" = "$(jq .age_totals.allocations ages.json)" ||
	fail "objects by call stack"

# At the peak, all objects of a round exist.
jq -e '[.types[] | select(.class == "Young" or .class == "Kept" or .class == "Old") | .peak_live] |
	sort[0] >= 100 and (sort[-1] >= 1000)' ages.json >check || fail "peak"

# Before the second collection, nothing of the first round lives but what is kept, and all of the second.
time=$(jq '[.history[] | select(.event == "collection")][1].time_ns' ages.json)
"$MPROF" report --json --types --alive-at="${time}ns" ages.mprof >at.json || fail "alive at $time"
jq -r '.types[] | select(.class == "Young" or .class == "Old") | "\(.class) \(.allocations) \(.live)"' at.json >found
while read -r class objects live; do
	case $class in
	Young) near "Young at $time: objects" "$objects" 2000 0 && near "Young alive at $time" "$live" 1000 $spare ;;
	*) near "Old alive at $time" "$live" 200 0 ;;
	esac
done <found
test "$(wc -l <found)" = 2 || fail "classes at $time: $(cat found)"

# With a sample of call stacks, classes are exact, and the estimates by call stack are about right.
"$MPROF" record -q -o sampled.mprof --alloc=objects+stack:1k --free --gc -- mono Ages.exe >truth
"$MPROF" report --json --ages --top=0 sampled.mprof >sampled.json || fail "report of a sample"
check_classes sampled.json
jq -e '[.backtraces[] | select(.class == "Young")] | (map(.samples) | add) as $samples | (map(.bytes) | add) as $bytes |
	(map(.bytes_error * .bytes_error) | add | sqrt) as $error | $samples > 0 and ($bytes - 96000 | fabs) < 6 * $error' \
	sampled.json >check || fail "estimates: $(jq -c '.backtraces[] | select(.class == "Young")' sampled.json)"
"$MPROF" report --temporaries sampled.mprof >out
grep -q 'numbers by call stack are estimates' out || fail "estimates are not marked"

# What the log does not contain is stated.
"$MPROF" record -q -o poor.mprof --alloc -- mono Ages.exe >truth
"$MPROF" report --types poor.mprof >out
grep -q 'no deaths of objects' out || fail "missing deaths are not stated"
grep -q 'without an address' out || fail "missing addresses are not stated"
