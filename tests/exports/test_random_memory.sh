#!/bin/bash
# SPDX-License-Identifier: MIT
# Native memory in use is replayed twice, by the profile (lib/model/records/memory.c) and for the exports with counters
# (examples/mprof/export/live_counters.c), which show it at each time and by process: both have the same blocks and bytes
# for random sequences of allocations, frees and resizes, in which threads free the blocks of others, addresses are used
# again at the same time, and counters of threads differ.
set -eu
# shellcheck source=tests/exports/support.sh
. "$srcdir/tests/exports/support.sh"
needs jq awk python3

# counter_rows NAME: time in nanoseconds and value of a counter in the file live.chrome.
counter_rows() {
	jq -r --arg name "$1" '.traceEvents[] | select(.ph == "C" and .name == $name) |
		"\(.ts * 1000 + 0.5 | floor) \(.args[])"' live.chrome
}

# values: what the report has of native memory, and what the export had last.
values() {
	jq -r '.memory | "\(.live) \(.live_bytes)"' report >wanted
	echo "$(tail -n 1 blocks | cut -d ' ' -f 2) $(tail -n 1 bytes | cut -d ' ' -f 2)" >found
}

for kind in exact coarse skewed; do
	for seed in 1 2 3 4; do
		python3 "$srcdir/tests/exports/random_memory.py" $seed 600 $kind |
			"$builddir/tests/exports/make_events" log.mprof || fail "make_events"
		read_report log.mprof
		name=$(jq -r '.memory | if .estimate then ", estimated" else "" end' report)
		export_log chrome log.mprof live.chrome
		counter_rows "Native blocks in use$name" >all_blocks
		counter_rows "Native memory in use$name" >all_bytes
		test "$(wc -l <all_bytes)" -ge 100 || fail "$kind $seed: $(wc -l <all_bytes) values"
		cp all_blocks blocks
		cp all_bytes bytes
		values
		same_rows "$kind $seed: at the end"
		# Where the order of actions is not known, the sums in between depend on which of them was processed early.
		test $kind = exact || continue
		expect "$kind $seed: peak" "$(cut -d ' ' -f 2 all_bytes | sort -n | tail -n 1)" \
			"$(jq .memory.peak_bytes report)"
		for second in 20 47 90 141; do
			read_report log.mprof --time=0-$second.5s
			awk -v end=$second.5 '$1 < end * 1e9' all_blocks >blocks
			awk -v end=$second.5 '$1 < end * 1e9' all_bytes >bytes
			values
			same_rows "$kind $seed: after $second s"
		done
	done
done
