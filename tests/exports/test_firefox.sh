#!/bin/bash
# SPDX-License-Identifier: MIT
# Profiles of Firefox have a valid structure: all indexes are in range, columns of a table have one length, and times do
# not decrease. The sums are those of the report: own and total time, samples, bytes by class, and markers.
set -eu
. "$srcdir/tests/exports/support.sh"
needs jq awk python3
make_calls calls large lost
make_dialects
make_truncated

# same_figures LOG [OPTION...]: the values of a log.
same_figures() {
	local log=$1

	shift
	read_report "$log.mprof" "$@"
	export_log firefox "$log.mprof" "$log.json" --value=wall "$@"
	report_times >wanted
	firefox_rows "$log.json" samples >found
	same_rows "$log: time"
}

for log in calls mono unity drop mail truncated; do
	same_figures "$log"
done
expect "the status of a truncated log" "$status" 1
expect "a truncated log" "$(jq -r '.meta.extra[0].entries[] | select(.label == "State") | .value' truncated.json |
	sed 's/[0-9][0-9]*$/N/')" "incomplete: valid up to byte N"
same_figures calls --time=100ns-300ns
same_figures calls --thread=0x20

# The other values, of which samples are the default here.
read_report calls.mprof
export_log firefox calls.mprof samples.json
report_samples >wanted
firefox_rows samples.json samples >found
same_rows "samples"
report_bytes >wanted
firefox_rows samples.json allocations >found
same_rows "bytes by class"
export_log firefox calls.mprof bytes.json --value=bytes
firefox_rows bytes.json samples | cut -f 1,2 | grep -v "$(printf '\t0$')" >found
same_rows "bytes as samples"
expect "the unit of bytes" "$(jq -r '.threads[1].samples.weightType' bytes.json)" bytes
export_log firefox calls.mprof objects.json --value=allocations
report_objects >wanted
firefox_rows objects.json samples | cut -f 1,2 | grep -v "$(printf '\t0$')" >found
same_rows "objects"
mprof export --to=firefox --value=waits -o waits.json calls.mprof
expect_status 2 "a value that the format does not hold"
mprof export --to=firefox --value=samples -o kept.json lost.mprof
expect_status 3 "a value that the log lacks"
test ! -e kept.json || fail "an export without data"

# Only long calls: the time of others is that of their callers.
export_log firefox calls.mprof all.json --value=wall
firefox_rows all.json samples >all
export_log firefox calls.mprof long.json --value=wall --min-duration=30ns
expect_line err '^mprof: export: [0-9]+ shorter calls were left out$'
firefox_rows long.json samples >long
test "$(wc -l <long)" -lt "$(wc -l <all)" || fail "no call was left out"
expect "the time of all threads" "$(awk -F'\t' '{ sum += $2 } END { print sum }' long)" \
	"$(awk -F'\t' '{ sum += $2 } END { print sum }' all)"

# Times above 2^53 ns are exact in the text.
read_report large.mprof
export_log firefox large.mprof large.json
firefox_rows large.json samples >/dev/null
expect "a large time" "$(grep -c "$(printf '\t')$(large_time)$(printf '\t')" rows)" 1

# What is missing is in the profile.
export_log firefox lost.mprof lost.json
expect "lost events" "$(jq -c '[.threads[].markers.data[] | select(.type == "mprof-loss") | .count]' lost.json)" '[7]'

# Collections, pauses and waits with their durations, markers, and the size of the heap.
"$builddir/tests/tool/make_timeline" timeline.mprof
mprof report --json --pauses timeline.mprof
cp out report
export_log firefox timeline.mprof timeline.json
firefox_rows timeline.json markers |
	grep -E '^(Garbage collection|World stopped|Wait for monitor|frame|a-b)'"$(printf '\t')" >found
report_rows '(.collections[] | ["Garbage collection", .duration_ns, 1]),
	(.pauses[] | select(.kind != "collection") |
		[(if .kind == "wait" then "Wait for monitor" else "World stopped" end), .duration_ns, 1]),
	["frame", 0, 2], ["a-b", 0, 1]' >wanted
same_rows "collections, pauses, waits and markers"
expect "sizes of the heap" "$(jq -c '[.counters[] | select(.name == "Heap size") | .samples.count | add]' timeline.json)" \
	"$(jq -c 'if .heap_resizes == [] then [] else [.heap_resizes[-1].bytes] end' report)"

# A pause that the log does not have is left out.
"$builddir/tests/tool/make_log" sample sample.mprof || fail "make_log"
mprof report --json sample.mprof
expect "unknown pauses" "$(jq -c '[.collections[].pause_ns]' out)" '[null,null]'
export_log firefox sample.mprof sample.json
expect "unknown pauses of firefox" "$(jq -c '[.threads[].markers.data[] | select(.type == "mprof-collection") |
	[has("pause"), .mark]]' sample.json)" '[[false,0.0001],[false,null]]'

# A name that ends in .gz is that of a compressed file.
if test -z "${MPROF_WITHOUT_ZLIB-}"; then
	export_log firefox calls.mprof calls.json.gz --value=wall
	gzip -d <calls.json.gz | cmp - all.json || fail "the content of a compressed file"
fi

# Logs of other recorders. Each time is rounded to nanoseconds, the sums of the report only once.
test -n "${MPROF_SAMPLES-}" || exit 0
for log in "$MPROF_SAMPLES"/*.mprof; do
	test "$(wc -c <"$log")" -lt 30000 || continue
	mprof report --json "$log"
	test "$status" -le 1 || continue
	cp out report
	calls=$(jq '[.methods[].calls] | add // 0' report)
	mprof export --to=firefox -o sample.json "$log" --value=wall
	test "$status" -le 1 || continue
	firefox_rows sample.json samples >found
	report_times | awk -F'\t' -v calls="$calls" '
		NR == FNR { own[$1] = $2; total[$1] = $3; next }
		{ far = $2 - own[$1] > calls || own[$1] - $2 > calls || $3 - total[$1] > calls || total[$1] - $3 > calls }
		far { print }' found - >differences
	test ! -s differences || fail "$log: time: $(head -n 5 differences)"
	mprof export --to=firefox --value=samples -o sample.json "$log"
	test "$status" -le 1 || continue
	report_samples >wanted
	firefox_rows sample.json samples >found
	same_rows "$log: samples"
done
