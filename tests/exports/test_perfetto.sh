#!/bin/bash
# SPDX-License-Identifier: MIT
# protoc decodes the export with a description of Perfetto's messages; own time, total time and calls of each method are
# those of the report, as are samples, collections, pauses, waits and markers.
set -eu
. "$srcdir/tests/exports/support.sh"
needs protoc jq awk
make_calls calls large lost
make_dialects
make_truncated

for log in calls large mono unity drop mail truncated; do
	read_report "$log.mprof"
	export_log perfetto "$log.mprof" "$log.pftrace"
	test $log = large && continue
	report_all >wanted
	perfetto_calls "$log.pftrace" >found
	same_rows "$log: calls"
done

# Times above 2^53 are exact.
decode_perfetto large.pftrace
expect_line text '^  timestamp: 9007199254741002$'

# Samples by call stack: the innermost frame of each.
decode_perfetto calls.pftrace
awk '
	/^    function_names \{/ { inside = 1 }
	/^    frames \{/ { inside = 2 }
	/^    callstacks \{/ { inside = 3 }
	/^      iid:/ { id = $2 }
	/^      str:/ { functions[id] = substr($0, 13, length($0) - 13) }
	/^      function_name_id:/ { frames[id] = $2 }
	/^      frame_ids:/ { stacks[id] = $2 }
	/^    callstack_iid:/ { stack = $2 }
	/^    primary_weight:/ { print functions[frames[stacks[stack]]] "\t" $2 }
	' text | sed 's/\\\([\\"'"'"']\)/\1/g' | sum_rows >found
read_report calls.mprof
report_rows '.samples[] | select(.hits > 0) | [(.name // "(unknown)" | plain), .hits]' >wanted
same_rows "samples"

# A shorter time, one thread, and only long calls.
read_report calls.mprof --time=100ns-300ns
export_log perfetto calls.mprof window.pftrace --time=100ns-300ns
report_all >wanted
perfetto_calls window.pftrace >found
same_rows "time window"
read_report calls.mprof --thread=0x20
export_log perfetto calls.mprof thread.pftrace --thread=0x20
report_all >wanted
perfetto_calls thread.pftrace >found
same_rows "one thread"
export_log perfetto calls.mprof long.pftrace --min-duration=30ns
expect_line err '^mprof: export: [0-9]+ shorter calls were left out$'
perfetto_calls long.pftrace >long
test "$(wc -l <long)" -lt "$(perfetto_calls calls.pftrace | wc -l)" || fail "no call was left out"
expect "the time of all threads" "$(awk -F'\t' '{ sum += $2 } END { print sum }' long)" \
	"$(perfetto_calls calls.pftrace | awk -F'\t' '{ sum += $2 } END { print sum }')"

# What is missing is in the trace.
export_log perfetto lost.mprof lost.pftrace
decode_perfetto lost.pftrace
expect_line text '^    name: "7 events lost"$'
expect_line text '^  previous_packet_dropped: 1$'
export_log perfetto truncated.mprof truncated.pftrace
expect "the status of a truncated log" "$status" 1
decode_perfetto truncated.pftrace
expect_line text '^    name: "incomplete log: valid up to byte [0-9]+"$'

# Collections, pauses and waits with their durations.
"$builddir/tests/tool/make_timeline" timeline.mprof
mprof report --json --pauses timeline.mprof
cp out report
export_log perfetto timeline.mprof timeline.pftrace
decode_perfetto timeline.pftrace
awk '
	/^packet \{/ { track = ""; type = "" }
	/^  timestamp:/ { time = $2 }
	/^    type:/ { type = $2 }
	/^    track_uuid:/ { track = $2 }
	/^    name: "/ { name = substr($0, 12, length($0) - 12); sub(/^Wait for .*/, "Wait", name) }
	/^\}/ && type == 1 && track != "" { names[track] = name; starts[track] = time }
	/^\}/ && type == 2 && (track in names) { print names[track] "\t" time - starts[track] "\t" 1 }
	' text | sum_rows >found
report_rows '(.collections[] | ["Garbage collection", .duration_ns, 1]),
	(.pauses[] | select(.finished) | select(.kind != "collection") |
		[(if .kind == "wait" then "Wait" else "World stopped" end), .duration_ns, 1])' >wanted
same_rows "collections, pauses and waits"

# What the log does not have of a collection is left out.
"$builddir/tests/tool/make_log" sample sample.mprof || fail "make_log"
export_log perfetto sample.mprof sample.pftrace
decode_perfetto sample.pftrace
expect "unknown times of collections" "$(grep -oE 'name: "(pause|mark|sweep)_ns"' text)" 'name: "mark_ns"'

# What the log states about its recording, and states last, are attributes of the trace.
"$builddir/examples/small/metrics/metrics" jobs.mprof || fail "the example ended with $?"
mprof dump --json jobs.mprof
jq -r '.properties? // empty | to_entries[] | "\(.key)=\(.value)"' out |
	awk -F= '!($1 in latest) { keys[++count] = $1 } { latest[$1] = $0 } END { for (i = 1; i <= count; i++) print latest[keys[i]] }' |
	sort >wanted
export_log perfetto jobs.mprof jobs.pftrace
decode_perfetto jobs.pftrace
awk '
	/^  trace_attributes \{/ { inside = 1 }
	/^  \}/ { inside = 0 }
	inside && /^      key:/ { key = substr($0, 13, length($0) - 13) }
	inside && /^      string_value:/ { print key "=" substr($0, 22, length($0) - 22) }
	' text | sort >found
same_rows "attributes of the trace"
