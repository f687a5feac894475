#!/bin/bash
# SPDX-License-Identifier: MIT
# Profiles of speedscope with single calls are balanced, their times are integers that do not decrease, and the sums are
# own time, total time and calls of the report.
set -eu
. "$srcdir/tests/exports/support.sh"
needs jq awk
make_calls calls large lost
make_dialects
make_truncated

for log in calls mono unity drop mail truncated; do
	read_report "$log.mprof"
	export_log speedscope "$log.mprof" "$log.json" --events
	report_all >wanted
	speedscope_calls "$log.json" >found
	same_rows "$log: calls"
	expect "$log: integers within the bounds of the profile" "$(jq -c '[.profiles[] |
		.startValue <= .events[0].at and .endValue == .events[-1].at and
		all(.events[]; .at == (.at | floor))] | unique' "$log.json")" '[true]'
done
read_report calls.mprof --thread=0x20
export_log speedscope calls.mprof thread.json --events --thread=0x20
report_all >wanted
speedscope_calls thread.json >found
same_rows "one thread"

# Single calls are the default for a small log of calls, and sums otherwise.
export_log speedscope calls.mprof samples.json --value=samples
expect "samples" "$(jq -r '.profiles[0].type' samples.json)" sampled
export_log speedscope lost.mprof default.json
expect "the default" "$(jq -r '.profiles[0].type' default.json)" evented
export_log speedscope lost.mprof focus.json --focus='*Add*'
expect "with a filter of frames" "$(jq -r '.profiles[0].type' focus.json)" sampled
mprof export --to=speedscope --events --value=bytes -o bytes.json calls.mprof
expect_status 2 "single calls by bytes"
mprof export --to=pprof --events -o bytes.pb.gz calls.mprof
expect_status 2 "single calls for pprof"

# Times above 2^53 are exact in the text.
export_log speedscope large.mprof large.json --events
grep -q '"at":9007199254741[0-9][0-9][0-9][,}]' large.json || fail "a large time is not exact"
