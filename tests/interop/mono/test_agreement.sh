#!/bin/bash
# SPDX-License-Identifier: MIT
# For logs with everything recorded, mprof check, info, dump and report agree.
set -eu
. "$srcdir/tests/interop/mono/support.sh"
needs_compression
. "$here/controlled.sh"

# count_dump FILE: how many blocks, events and records of each kind there are, and references, as JSON.
count_dump() {
	awk -F '"' '
		$2 == "block" || $2 == "event" || $2 == "record" { count[$2 "s." $4]++ }
		$4 == "heap-object" || $4 == "heap-references" {
			sub(/.*"references":/, "")
			references += gsub(/"0x/, "")
		}
		END {
			for (kind in count) print kind "." count[kind]
			print "other.references." references + 0
		}' "$1" | jq -R 'split(".") | {(.[0]): {(.[1]): (.[2] | tonumber)}}' |
		jq -s 'reduce .[] as $one ({}; . * $one)'
}

# agree LOG
agree() {
	check_complete "$1"
	"$MPROF" info --json "$1" >info.json
	"$MPROF" report --json "$1" >report.json
	"$MPROF" dump --json "$1" >dump.json
	count_dump dump.json >counts.json
	jq -rn --slurpfile info info.json --slurpfile report report.json --slurpfile counts counts.json '
		def sum(f): map(f) | add // 0;
		$info[0] as $info | $report[0] as $report | $counts[0] as $counts | $report.totals as $totals |
		def events(kind): $info.events[kind] // 0;
		def records(kind): $counts.records[kind] // 0;
		def same(what; list): select(list | unique | length > 1) | "\(what): \(list | tojson)";
		same("events by kind"; [$info.events, $counts.events] | map(with_entries(select(.value > 0)))),
		same("blocks by kind"; [$info.blocks, $counts.blocks] | map(with_entries(select(.value > 0)))),
		same("events"; [$info.event_count, $totals.events, ($counts.events | add)]),
		same("lost events"; [$info.lost_events, $totals.lost_events, ($report.threads | sum(.lost_events))]),
		same("events of threads"; [($report.threads | sum(.events)), ($info.events | to_entries
			| map(select(.key | test("^(heap-.*|sample)$") | not)) | sum(.value))]),
		same("calls"; [$totals.calls, events("method-enter"), ($report.methods | sum(.calls))]),
		same("allocations"; [$totals.allocations, events("allocation") + events("allocation-at-jit"),
			($report.classes | sum(.allocations))]),
		same("bytes allocated"; [$totals.allocated_bytes, ($report.classes | sum(.bytes))]),
		same("methods compiled"; [$totals.jit_methods, events("method-jit-end")]),
		same("exceptions"; [$totals.exceptions, events("exception"), ($report.exceptions | sum(.count))]),
		same("collections"; [$totals.collections, events("gc-start"), ($report.collections | length)]),
		same("samples"; [$totals.samples, events("sample"), $report.sample_count,
			($report.samples | sum(.hits)), ($report.threads | sum(.samples))]),
		same("objects freed"; [$totals.freed_objects, events("heap-free"), ($report.classes | sum(.freed))]),
		same("objects moved"; [$totals.moved_objects, events("heap-move")]),
		same("handles created"; [events("handle-created"), ($report.handles | sum(.created))]),
		same("handles deleted"; [events("handle-deleted"), ($report.handles | sum(.deleted))]),
		same("handles alive"; [$totals.handles_alive, ($report.handles | sum(.alive)),
			events("handle-created") - events("handle-deleted")]),
		same("monitors"; [events("monitor"), ($report.monitors | sum(.contentions + .acquired + .failures))]),
		same("waits for monitors"; [$totals.contentions, ($report.monitors | sum(.contentions))]),
		same("finalizers"; [$totals.finalizers, events("finalizer-end"), ($report.finalizers | sum(.count))]),
		same("finalizations"; [$totals.finalizations, events("finalization-end")]),
		same("heap snapshots"; [$info.heap_shots, ($report.heap_shots | length)]),
		same("objects of heap snapshots"; [events("heap-object"), ($report.heap_shots | sum(.objects))]),
		same("references"; [$counts.other.references, ($report.heap_shots | sum(.references))]),
		same("roots of heap snapshots"; [events("heap-root"), ($report.heap_shots | sum(.roots))]),
		same("heap summaries"; [records("summary"), ($report.heap_summaries | length)]),
		same("metrics"; [$info.metrics, records("metric"), ($report.metrics | length)]),
		same("values of metrics"; [records("metric-value"), ($report.metrics | sum(.count))]),
		same("marks"; [$info.blocks.mark, ($report.marks | length)]),
		same("elements"; [$info.blocks.loaded, ($report.elements | length)]),
		same("stacks"; [$info.stacks, records("stack")]),
		same("modules, functions, locations"; [[$info.modules, $info.functions, $info.locations],
			[records("module"), records("function"), records("location")]]),
		same("root areas"; [$info.roots, records("root")])' >differences
	test ! -s differences || fail "$1: $(cat differences)"
	# The text forms are not empty either.
	for command in info report dump; do
		"$MPROF" $command "$1" >"$command.txt" || fail "mprof $command $1: status $?"
		test -s "$command.txt" || fail "mprof $command $1: nothing"
	done
	echo "$1: $(jq .event_count info.json) events agree"
}

for program in Heap Exceptions Handles Monitors Dynamic; do
	compile $program
	recorded "$everything,quiet" $program || fail "$program: status $?"
	agree $program.mprof
done

# With marks, disabled for a while, compressed; and without the first events. There, handles are freed whose creation is
# not in the log.
for options in "gzip,output=controlled.mprof.gz" "ring=1m,no-handles,output=ring.mprof"; do
	launch "$everything,$options"
	send "step 100"
	control 0 "$program_id" mark "the first"
	control 0 "$program_id" disable
	send "step 10"
	control 0 "$program_id" enable
	control 0 "$program_id" mark "the second"
	send "keep 30000"
	send "collect 2"
	finish
	log=${options##*=}
	agree "$log"
	test "$log" != ring.mprof || continue
	expect "$log: marks" "$(figure '[.marks[].text] | join(", ")')" "the first, the second"
	expect "$log: resumed" "$(jq '.events."recording-resumed" > 0' info.json)" true
done
