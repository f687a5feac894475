#!/bin/bash
# SPDX-License-Identifier: MIT
# The trace events of the export are valid JSON, nest, and have the own time, total time and calls of the report; so
# have collections, pauses and waits.
set -eu
. "$srcdir/tests/exports/support.sh"
needs jq awk
make_calls calls large lost
make_dialects
make_truncated

for log in calls mono unity drop mail truncated; do
	read_report "$log.mprof"
	export_log chrome "$log.mprof" "$log.json"
	report_all >wanted
	chrome_calls "$log.json" >found
	same_rows "$log: calls"
done
read_report calls.mprof --time=100ns-300ns
export_log chrome calls.mprof window.json --time=100ns-300ns
report_all >wanted
chrome_calls window.json >found
same_rows "time window"

# Times above 2^53 ns are exact in the text.
export_log chrome large.mprof large.json
grep -q '"ts":9007199254741\.[0-9][0-9][0-9][,}]' large.json || fail "a large time is not exact"

# What is missing is in the trace.
export_log chrome lost.mprof lost.json
expect "lost events" "$(jq -c '[.otherData.lost_events, (.traceEvents[] | select(.cat == "loss") | .name)]' lost.json)" \
	'[7,"7 events lost"]'
export_log chrome truncated.mprof truncated.json
expect "the status of a truncated log" "$status" 1
expect "a truncated log" "$(jq .otherData.complete truncated.json)" false

# Collections, pauses and waits with their durations, and markers.
"$builddir/tests/tool/make_timeline" timeline.mprof
mprof report --json --pauses timeline.mprof
cp out report
export_log chrome timeline.mprof timeline.json
jq -r '[.traceEvents[] | select(.ph == "b" or .ph == "e")] | group_by(.id)[] |
	[.[0].cat, ((.[1].ts - .[0].ts) * 1000 | round), 1] | @tsv' timeline.json | sum_rows >found
report_rows '(.collections[] | ["collection", .duration_ns, 1]),
	(.pauses[] | select(.kind != "collection") |
		[(if .kind == "wait" then "wait" else "pause" end), .duration_ns, 1])' >wanted
same_rows "collections, pauses and waits"
expect "markers" "$(jq -c '[.traceEvents[] | select(.cat == "marker") | [.name, .ts]]' timeline.json)" \
	'[["frame",15000],["frame",55000],["a-b",70000]]'
