#!/bin/bash
# SPDX-License-Identifier: MIT
# Call stacks of async methods that continue after an await have the awaiting methods as callers.
set -eu
. "$srcdir/tests/interop/mono/support.sh"

compile Async
times=20
run_mono async profiled alloc=stack,exceptions=stack,async,output=async.mprof Async.exe $times || fail "status $?"
check_complete async.mprof
"$MPROF" report --json --top=1000000 async.mprof >async.json

# callers CLASS: how many objects were allocated by which async methods, without the compiler's names.
callers() {
	jq -r --arg class "$1" '.allocation_stacks[] | select(.class == $class) |
		"\(.allocations) \(.stack | join(" ") |
		gsub("Async/<(?<name>[A-Za-z]+)>[A-Za-z0-9_]+(`1<T_REF>)?[.]MoveNext [(][)]"; .name))"' async.json
}
expect "callers after an await" "$(callers Item)" "$((2 * times)) Leaf Middle Outer"
expect "callers that await several" "$(callers Paired)" "$((2 * times)) One Both"
expect "callers of a generic method" "$(callers Shared)" "$times Get UseGeneric"
# A thread waits for the outermost async method, and nothing for one without a task.
expect "callers of an outermost method" "$(callers Tried)" "$times Catch"
expect "callers of a method without a task" "$(callers Late)" "1 Forget"
# Before its first wait, a method is called like any other.
expect "objects before an await" "$(callers Begun | awk '{ sum += $1 } END { print sum }')" $((2 * times))
callers Begun | grep -q '^1 Leaf .*Async.Leaf (int) Middle .*Async.Middle (int) Outer .*Async.Outer (int) Async.Main ' ||
	fail "physical callers: $(callers Begun)"
expect "exceptions" "$(jq -c '.exception_stacks[] | select(.stack[0] | test("<Fail>")) |
	[.count, (.stack | length)]' async.json)" "[$times,2]"

# Each wait lasts until its method continues. A method without a task has none that is known.
expect "waits" "$(jq -r '.waits[] | select(.name | startswith("Async.Forget") | not) | "\(.kind) \(.name) \(.count)"' \
	async.json | LC_ALL=C sort)" "await Async.Both#1 $times
await Async.Catch#1 $times
await Async.Fail#1 $times
await Async.Get#1 $times
await Async.Leaf#1 $((2 * times))
await Async.Middle#1 $times
await Async.Middle#2 $times
await Async.One#1 $((2 * times))
await Async.Outer#1 $times
await Async.UseGeneric#1 $times"
expect "waits without an end" "$(jq '[.waits[].unfinished] | add' async.json)" 0
expect "ends without a wait" "$(jq '[.event_types[].unmatched] | add' async.json)" 0

run_mono samples profiled sample=500,async,output=samples.mprof Async.exe 1 0.3 || fail "status $?"
check_complete samples.mprof
"$MPROF" report --json --top=1000000 samples.mprof >samples.json
# A sample may also hit the runtime, before or after a method that an async method calls.
expect "samples of Spin below the async methods" "$(jq -r '[.sample_tree[] | select(.name | test("<Order>")) |
	.children[].children[].name | select(. == "Async.Spin (double)")] | unique[]' samples.json)" "Async.Spin (double)"
expect "samples of Spin with other callers" "$(jq '[.sample_tree[] | select(.name | test("<Order>") | not) | .. |
	objects | select(.name == "Async.Spin (double)")] | length' samples.json)" 0

# The same without the option, and with calls, whose filters hold for async methods too.
run_mono physical profiled alloc=stack,output=physical.mprof Async.exe 1 || fail "status $?"
run_mono calls profiled calls,only=Async,async,output=calls.mprof Async.exe 1 || fail "status $?"
expect "output with and without the option" "$(<calls.facts)" "$(<physical.facts)"
check_complete calls.mprof
check_balance calls.mprof
"$MPROF" report --json --top=1000000 physical.mprof |
	jq -e '.allocation_stacks[] | select(.class == "Item") | .stack | length > 5' >/dev/null ||
	fail "no thread pool without the option"
"$MPROF" report --json calls.mprof | jq -e '[.methods[] | select(.name == "MoveNext ()")] == []' >/dev/null ||
	fail "calls are recorded that the filter leaves out"

# waits JQ FILE: a figure of the waits of a log, all of which have ended, once.
waits() {
	check_complete "$2"
	"$MPROF" report --json "$2" >waits.json
	expect "$2: waits without an end" "$(jq -c '[.waits[] | select(.unfinished > 0) | [.name, .unfinished]]' waits.json)" '[]'
	expect "$2: ends without a wait" "$(jq '[.event_types[].unmatched] | add' waits.json)" 0
	jq "$1" waits.json
}

# Many tasks, with collections after which other tasks have the addresses. A wait that ends before its method has returned
# is not recorded, so there may be fewer.
compile Awaits
echo 50 | run_mono many profiled alloc,async,output=many.mprof Awaits.exe 100 || fail "status $?"
count=$(waits '[.waits[] | select(.name == "Awaits.Each#1") | .count] | add' many.mprof)
test "$count" -ge 4500 && test "$count" -le 5000 || fail "$count waits of 5000"

# An async method that runs already when recording begins.
coproc awaits { profiled alloc,async,start-disabled,output=late.mprof Awaits.exe 1 2>late.err; }
echo 3 >&"${awaits[1]}"
read -r -t 60 line <&"${awaits[0]}"
expect "the program" "$line" "done"
program=$(sed -n 's/.*(pid \([0-9]*\)).*/\1/p' late.err)
"$MPROF" control "$program" enable >control.out || fail "control: $(cat late.err)"
echo 40 >&"${awaits[1]}"
read -r -t 60 line <&"${awaits[0]}"
eval "exec ${awaits[1]}>&-"
wait "$awaits_PID" || fail "status $?: $(cat late.err)"
count=$(waits '[.waits[] | select(.name == "Awaits.Loop#1") | .count] | add' late.mprof)
test "$count" -ge 35 && test "$count" -le 40 || fail "$count waits of 40"
