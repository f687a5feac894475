#!/bin/bash
# SPDX-License-Identifier: MIT
# Heap snapshots in traces of Perfetto: objects and bytes by class are those of "mprof heap", and references by class and
# field and roots by kind are those of the export for V8, which its own engines read in other tests. Also the counters
# of allocated bytes.
set -eu
. "$srcdir/tests/exports/support.sh"
needs protoc jq python3
"$builddir/tests/exports/make_heap" hostile.mprof || fail "make_heap"
make_tree growing growing.mprof 4
"$builddir/tests/exports/make_heap" many.mprof 30000 || fail "make_heap"
make_trees objects path
make_calls plain calls

# same_heap LOG INDEX SHOT: compares a snapshot of LOG.pftrace.
same_heap() {
	mprof export --to=heapsnapshot -o "$1.heapsnapshot" --at="$3" "$1.mprof"
	mprof heap --json --top=0 --at="$3" "$1.mprof"
	cp out "$1.json"
	PYTHONDONTWRITEBYTECODE=1 python3 "$srcdir/tests/exports/compare_heap.py" "$1.pftrace" "$1.heapsnapshot" \
		"$1.json" "$2" >counts 2>python_err || fail "$1, snapshot $3: $(tail -n 1 python_err)"
}

# All snapshots of the log.
for log in growing objects path; do
	export_log perfetto "$log.mprof" "$log.pftrace"
	decode_perfetto "$log.pftrace"
	mprof heap --json --list "$log.mprof"
	shots=$(jq '.shots | length' out)
	test "$shots" -gt 0 || fail "$log has no heap snapshots"
	for ((shot = 1; shot <= shots; shot++)); do
		same_heap $log $((shot - 1)) $shot
	done
done
export_log perfetto growing.mprof growing.pftrace
expect_status 1 "an incomplete heap snapshot"
expect_line err '^mprof: growing.mprof: heap snapshot 5 is incomplete'
decode_perfetto growing.pftrace
expect_line text '^    name: "Heap snapshot 5 [(]incomplete: objects or references are missing[)]"$'

# One of them, and those of a time.
export_log perfetto growing.mprof growing.pftrace --at=2
expect_status 0 "a complete heap snapshot"
same_heap growing 0 2
decode_perfetto growing.pftrace
expect "snapshots with --at" "$(grep -c '^  heap_graph' text)" 1
export_log perfetto growing.mprof growing.pftrace --time=2ns-4ns
decode_perfetto growing.pftrace
expect "snapshots of a time" "$(grep -c '^  heap_graph' text)" 2
same_heap growing 1 3
mprof export --to=perfetto -o absent.pftrace --at=9 growing.mprof
expect_status 3 "a snapshot that the log does not have"
expect_line err '--at=9: the log has 5 heap snapshots'
test ! -e absent.pftrace || fail "a file without the snapshot"

# Names with everything that breaks formats, all kinds of roots, unknown fields, missing objects.
export_log perfetto hostile.mprof hostile.pftrace --at=2
expect_line err 'heap snapshot 2: 2 references and roots lead to objects that are not in it'
mprof export --to=heapsnapshot -o hostile.heapsnapshot --at=2 hostile.mprof
sed -i 's/4294967295/5000000000/' hostile.heapsnapshot
mprof heap --json --top=0 hostile.mprof
cp out hostile.json
python3 "$srcdir/tests/exports/compare_heap.py" hostile.pftrace hostile.heapsnapshot hostile.json 0 >counts \
	2>python_err || fail "hostile: $(tail -n 1 python_err)"
expect "classes, objects, references, roots" "$(cat counts)" "8 11 10 7"

# Of many snapshots, the last ones.
make_tree growing twenty.mprof 19
export_log perfetto twenty.mprof twenty.pftrace
expect_line err 'only the last 16 of 20 heap snapshots'
same_heap twenty 0 5

# Many objects are in several packets.
export_log perfetto many.mprof many.pftrace
same_heap many 2 3
decode_perfetto many.pftrace
test "$(grep -c '^    continued: true' text)" -ge 1 || fail "one packet for all objects"

# The last value of each thread's counter is the sum of its allocations.
for log in plain calls; do
	export_log perfetto $log.mprof $log.pftrace
	decode_perfetto $log.pftrace
	awk '
		/^packet \{/ { track = ""; value = ""; is_counter = 0 }
		/^    (uuid|track_uuid):/ { track = $2 }
		/^    name: "Allocated bytes"/ { counters[track] = 1 }
		/^    counter_value:/ { value = $2 }
		/^\}/ && value != "" && (track in counters) {
			if (value + 0 < last[track] + 0) { print "decreases" }
			last[track] = value
		}
		END { for (track in last) { sum += last[track] } print sum }' text >found
	mprof report --json $log.mprof
	expect "$log: allocated bytes" "$(cat found)" "$(jq '[.classes[].bytes] | add' out)"
done
