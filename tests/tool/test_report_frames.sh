#!/bin/bash
# SPDX-License-Identifier: MIT
# Callers, callees, inverted trees, filters of frames, and durations of "mprof report" agree with its other tables and
# with the events of the log.
set -eu
. "$srcdir/tests/tool/support.sh"
needs jq

make_logs sample full

# Durations by method from the events alone: thread by thread, each leave ends the innermost call of its method.
cat >durations.jq <<'END'
reduce (.[] | select(.event == "method-enter" or .event == "method-leave")) as $e ({open: {}, done: {}};
	$e.thread as $t | ($e.counter | tonumber) as $now |
	if $e.event == "method-enter" then .open[$t] += [{method: $e.method, $now}]
	else ([(.open[$t] // [])[].method] | rindex($e.method)) as $i |
		if $i == null then . else
			reduce .open[$t][$i:][] as $c (.; .done["\($c.method)"] += [$now - $c.now]) |
			.open[$t] |= .[:$i]
		end
	end) | .done | map_values(length)
END
for log in sample full; do
	mprof dump --json $log.mprof
	jq -s -c -S -f durations.jq out >expected || fail "$log: jq"
	mprof report --json --percentiles --slowest=5 $log.mprof
	jq -c -S '[.durations[] | {"\(.id)": .calls}] | add // {}' out >found
	expect "$log: calls that ended" "$(cat found)" "$(cat expected)"
	expect_json "$log: percentiles in order" \
		'[.durations[] | .min_ns <= .p50_ns and .p50_ns <= .p90_ns and .p90_ns <= .p99_ns and .p99_ns <= .max_ns] |
			all' true
	expect_json "$log: the slowest call is the longest" \
		'([.durations[].max_ns] | max) == ([.slow_calls[].duration_ns] | max)' true
	expect_json "$log: order of slow calls" '[.slow_calls[].duration_ns] | . == (sort | reverse)' true
	expect_json "$log: number of slow calls" '.slow_calls | length <= 5' true
done

# Each method: its callers and callees add up, and its inverted tree has its own time.
mprof report --json --inverted --min-percent=0 sample.mprof
cp out all
jq -r '.methods[] | select(.calls > 0) | "\(.class).\(.name)"' all | sed 's/[][*?\\]/?/g' >names
test -s names || fail "no methods"
while read -r name; do
	mprof report --json "--callers=$name" "--callees=$name" sample.mprof
	expect_status 0 "$name"
	expect_json "$name: calls of its callers" '.callers[0] | ([.rows[].count] | add) == .count' true
	expect_json "$name: own time of its callers" '.callers[0] | ([.rows[].self] | add) == .self' true
	expect_json "$name: totals" '.callers[0] as $c | .callees[0] | [.count, .self, .total] == ($c | [.count, .self, .total])' true
done <names
expect "own time" "$(jq '[.inverted_trees[0].tree[] | [.id, .count, .self <= .total]] | sort | map(.[0])' all)" \
	"$(jq '[.methods[] | select(.calls > 0) | [.id]] | sort | map(.[0])' all)"
expect "totals of the inverted tree" \
	"$(jq -c '[.inverted_trees[0].tree[] | [.id, .count, .total]] | sort' all)" \
	"$(jq -c '[.methods[] | select(.calls > 0) | [.id, .calls, .self_ns]] | sort' all)"

# Filters: what is in focus and what is ignored make up everything; hiding keeps the time.
name=$(sed -n 1p names)
self_time='[.methods[].self_ns] | add'
mprof report --json "--focus=$name" sample.mprof
focused=$(jq "$self_time" out)
mprof report --json "--ignore=$name" sample.mprof
ignored=$(jq "$self_time" out)
expect "time with and without $name" $((focused + ignored)) "$(jq "$self_time" all)"
id=$(jq '[.methods[] | select(.calls > 0)][0].id' all)
expect_json "the ignored method" ".methods[] | select(.id == $id) | .calls" 0
last=$(sed -n '$p' names)
id=$(jq '[.methods[] | select(.calls > 0)][-1].id' all)
mprof report --json "--hide=$last" sample.mprof
expect_json "the filter" .filters.hide "$(jq -n -c --arg name "$last" '$name')"
expect_json "the hidden method" ".methods[] | select(.id == $id) | .calls" 0

# A collapsed run is called as often as the unfiltered call tree enters it, and has the own time of its methods.
cat >runs.jq <<'END'
def runs($inside): (.method | test($pattern)) as $matches |
	(if $matches and ($inside | not) then .calls else 0 end) + ([.children[]? | runs($matches)] | add // 0);
[.call_tree[] | runs(false)] | add // 0
END
# check_collapsed LOG NAMESPACE
check_collapsed() {
	mprof report --json --tree "$1"
	jq -r --arg pattern "^$2[.]" -f runs.jq out >calls || fail "$1: jq"
	jq --arg name "$2." '[.methods[] | select(("\(.class).\(.name)" | startswith($name))) | .self_ns] | add' out >self
	jq '[.methods[].self_ns] | add' out >whole
	mprof report --json --tree "--collapse=$2.*" "$1"
	expect_status 0 "$1"
	row="select(.name == \"[$2.*]\")"
	expect_json "$1: calls of the run" ".methods[] | $row | .calls" "$(cat calls)"
	# Each row is rounded to nanoseconds.
	expect_json "$1: own time of the run" "[.methods[] | $row | .self_ns][0] - $(cat self) | fabs < 1000" true
	expect_json "$1: own time of all methods" "([.methods[].self_ns] | add) - $(cat whole) | fabs < 1000" true
	expect_json "$1: the tree has it, too" \
		"([.methods[] | $row | .calls][0]) == ([.call_tree[] | recurse(.children[]?) |
			select(.method == \"[$2.*]\") | .calls] | add)" true
	expect_json "$1: nothing else of it" \
		"[.. | objects | select(has(\"calls\")) | .method // empty | select(startswith(\"$2.\"))]" '[]'
}
check_collapsed sample.mprof Game.World
expect_json "the filter" .filters.collapse '"Game.World.*"'
if test -e "${MPROF_SAMPLES-}/f-calls-alloc.mprof"; then
	check_collapsed "$MPROF_SAMPLES/f-calls-alloc.mprof" System
fi
# Call stacks that are printed.
stacks='[.. | objects | .stack? | select(type == "array" and length > 0)] | unique'
mprof report --json full.mprof
expect_json "call stacks" "$stacks | length > 1" true
mprof report --json '--collapse=*' full.mprof
expect_json "collapsed call stacks" "$stacks" '[["[*]"]]'
mprof report --json --collapse=Fib full.mprof
expect_json "call stacks with one collapsed method" "$stacks | flatten | unique" '["Game.World.Run (string[])","[Fib]"]'
mprof report --json --hide=Fib full.mprof
expect_json "call stacks without a hidden method" "$stacks" '[["Game.World.Run (string[])"]]'
mprof report --all --collapse=Fib sample.mprof
expect_line out ' 2  \[Fib\]$'

# Call sites that are equal without hidden and collapsed frames are one row, with the sums of their figures.
make_tree places places.mprof 50
make_tree memory memory.mprof 50
sums='{allocations: [.allocation_stacks[] | [.class, .stack, .caller, .allocations, .bytes]],
	exceptions: [.exception_stacks[] | [.class, .stack, .count]],
	waits: [.monitor_stacks[] | [.class, .stack, .contentions, .contended_ns]],
	handles: [.handles[] as $of | $of.stacks[] | [$of.class, $of.type, .stack, .created, .alive]],
	ages: [.backtraces[] | [.native, .class, .stack, .caller, .allocations, .bytes, .live, .live_bytes]],
	memory: [.memory.places[] | [.stack, .allocations, .bytes, .live_bytes, .temporaries]]} | map_values(
	{keys: map(map(select(type != "number"))), sums: (map(map(select(type == "number"))) | transpose | map(add))})'
for log in full places memory; do
	mprof report --json --top=0 --ages "$log.mprof"
	jq "$sums" out >all
	for option in --collapse --hide; do
		mprof report --json --top=0 --ages "$option=*" "$log.mprof"
		jq "$sums" out >merged
		jq -e -s '.[0] as $all | .[1] | to_entries | all(.value.sums == $all[.key].sums and
			(.value.keys | length == (unique | length)))' all merged \
			>check || fail "$log.mprof with $option=*: $(jq -c . merged)"
		echo "$log $(jq -r '[.[].keys | length] | join(" ")' all) $(jq -r '[.[].keys | length] | join(" ")' merged)"
	done
done >counts
# Of allocations, exceptions, waits, handles, ages and native memory.
expect "rows before and after" "$(sort -u counts)" "full 2 1 1 3 2 0 2 1 1 2 2 0
memory 0 0 0 0 50 50 0 0 0 0 1 1
places 50 0 0 0 7 0 1 0 0 0 1 0"

# Allocations by class: those in focus and those that are left when the same call stacks are ignored make up all.
allocated='[.classes[] | {key: "\(.id)", value: [.allocations, .bytes]}] | from_entries'
# check_classes LOG PATTERN
check_classes() {
	for option in focus ignore; do
		mprof report --json "--$option=$2" "$1"
		jq -S "$allocated" out >$option.json
	done
	mprof report --json "$1"
	expect "$1: classes with and without $2" "$(jq -S -s -c '.[0] as $a | .[1] as $b |
		add | with_entries(.value = [$a[.key], $b[.key]] | .value |= (transpose | map(add)))' \
		focus.json ignore.json)" "$(jq -S -c "$allocated" out)"
	expect "$1: some are in focus" "$(jq '[.[][0]] | add > 0' focus.json ignore.json | xargs)" "true true"
}
check_classes full.mprof 'Game.World.Run*'
# Without a call stack, the caller of an allocation is what a pattern is compared with.
mprof report --json --focus=Fib full.mprof
expect_json "allocations in focus" '[.classes[].allocations] | add' 3
mprof report --json --ignore=Fib full.mprof
expect_json "allocations that are left" '[.classes[].allocations] | add' 0
if test -e "${MPROF_SAMPLES-}/f-alloc-aci.mprof"; then
	check_classes "$MPROF_SAMPLES/f-alloc-aci.mprof" '*Work*'
fi
mprof report --all --focus=Fib full.mprof
expect_line out '^Allocations by class$'
expect_line out '^Totals \(of all call stacks\)$'
expect_line out '^Threads \(of all call stacks'
mprof report --all --focus=Fib sample.mprof
expect_line out '^Allocations by class \(of all call stacks\)$'

for option in focus ignore hide collapse callers callees; do
	mprof report --all "--$option=Game.World.run*" sample.mprof
	expect "--$option" "$(cat err)" \
		"mprof: sample.mprof: nothing matches --$option=Game.World.run*; nearest: Game.World.Run (string[])"
done
mprof report --callers=Fib sample.mprof
expect_line out '^Callers$'
! grep -q ^Totals out || fail "not the callers alone: $(cat out)"
