#!/bin/bash
# SPDX-License-Identifier: MIT
# Counters of what is alive, in all formats with single events: bytes and objects are those of the heap snapshots of the
# report, bytes of generations those after collections, and native memory is what a replay of the events of the log has
# at each of these times.
set -eu
. "$srcdir/tests/exports/support.sh"
needs jq python3 protoc awk

# chrome_counter FILE NAME: time in nanoseconds, value.
chrome_counter() {
	jq -r --arg name "$2" '.traceEvents[] | select(.ph == "C" and .name == $name) |
		"\(.ts * 1000 + 0.5 | floor) \(.args[])"' "$1"
}

# perfetto_counter FILE NAME: the same. Times of the counter track that has the name.
perfetto_counter() {
	decode_perfetto "$1"
	awk -v wanted="\"$2\"" '
		/^  track_descriptor \{/ { uuid = "" }
		/^    uuid:/ { uuid = $2 }
		/^    name:/ { sub(/^    name: /, ""); if ($0 == wanted && !is_event) track = uuid }
		/^packet \{/ { is_event = 0 }
		/^  track_event \{/ { is_event = 1 }
		/^  timestamp:/ { time = $2 }
		/^    track_uuid:/ { of = $2 }
		/^    counter_value:/ && of == track && track != "" { print time, $2 }
		' text
}

# firefox_counter FILE NAME: the same, from differences.
firefox_counter() {
	jq -r --arg name "$2" '.counters[] | select(.name == $name) | [.samples.time, .samples.count] | transpose |
		foreach .[] as [$time, $change] (0; . + $change; "\($time * 1000000 + 0.5 | floor) \(.)")' "$1"
}

# all_have LOG NAME: each format has the values in the file wanted.
all_have() {
	for format in chrome perfetto firefox; do
		export_log $format "$1" "live.$format"
		"${format}_counter" "live.$format" "$2" >found
		same_rows "$format: $2"
	done
}

# Heap snapshots.
"$builddir/tests/exports/make_heap" heap.mprof || fail "make_heap"
mprof report --json heap.mprof
cp out report
for counter in bytes:"Live bytes in snapshots" objects:"Live objects in snapshots"; do
	jq -r --arg key "${counter%%:*}" '.heap_shots[] | "\([.time_ns, 0] | max) \(.[$key])"' report >wanted
	all_have heap.mprof "${counter#*:}"
done

# Generations after collections.
"$builddir/tests/tool/record_generations" generations.mprof || fail "record_generations"
mprof report --json generations.mprof
jq -r '(.collections | map({key: "\(.number)", value: (.start_ns + .duration_ns)}) | from_entries) as $ends |
	[.gc_generations[] | select(.after != null and .name != null and $ends["\(.collection)"] != null)] |
	if length == 0 then empty else (.[0].name as $name | "\($name)",
		(.[] | select(.name == $name) | "\($ends["\(.collection)"]) \(.after)")) end' out >rows
if test -s rows; then
	sed 1d rows >wanted
	all_have generations.mprof "Bytes after collections: $(sed -n 1p rows)"
else
	fail "the log has no generations"
fi

# Native memory of a program whose threads free what others allocate, and that resizes; values are at least 0.1 ms apart,
# the last one is that of the report, and none is there if the module cannot be loaded.
make_tree memory tree.mprof 10
logs=(tree)
if test -z "${MPROF_SANITIZED-}" && test -e "${INSTRUMENT_DIR:-$builddir/examples/native/.libs}/libmprof-malloc.so"; then
	export MPROF_MODULE_DIR=${INSTRUMENT_DIR:-$builddir/examples/native/.libs}
	mprof record --malloc -o awk.mprof -- awk 'BEGIN { for (i = 0; i < 20000; i++) text[i] = text[i - 1 > 0 ? i - 1 : 0] i % 7 }'
	expect_status 0 "record"
	logs+=(awk)
fi
for log in "${logs[@]}"; do
	mprof report --json "$log.mprof"
	jq -c .memory out >memory
	name=$(jq -r 'if .estimate then ", estimated" else "" end' memory)
	rate=$(jq '.session.counters_per_second | if . > 0 then . else 1e9 end' out)
	for counter in bytes:"Native memory in use$name" blocks:"Native blocks in use$name"; do
		"$MPROF" dump --json "$log.mprof" 2>/dev/null |
			python3 "$srcdir/tests/exports/live_memory.py" "${counter%%:*}" "$rate" >steps
		export_log chrome "$log.mprof" live.chrome
		chrome_counter live.chrome "${counter#*:}" >wanted
		test "$(wc -l <wanted)" -ge 3 || fail "$log: no values of ${counter#*:}"
		expect "$log: values that no replay has" "$(LC_ALL=C sort wanted | LC_ALL=C comm -23 - <(LC_ALL=C sort steps))" ""
		expect "$log: the last value" "$(tail -n 1 wanted)" "$(tail -n 1 steps)"
		expect "$log: order" "$(sort -n -c wanted 2>&1)" ""
		awk 'NR > 3 && $1 - last < 100000 && last_line { print "close: " last_line } { last_line = NR == 1 ? "" : $0; last = $1 }' \
			<(head -n -1 wanted) >close
		test ! -s close || fail "$log: $(head -n 3 close)"
		all_have "$log.mprof" "${counter#*:}"
	done
	expect "$log: blocks of the report" "$(tail -n 1 wanted | cut -d ' ' -f 2)" "$(jq .live memory)"
done
