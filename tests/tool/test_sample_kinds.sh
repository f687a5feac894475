#!/bin/bash
# SPDX-License-Identifier: MIT
# Samples of kinds that a client records from threads and a signal handler: their exact sums in the report, in flame
# graphs and in exports, and what formats without them state.
set -eu
. "$srcdir/tests/tool/support.sh"
needs jq

"$builddir/tests/tool/record_kinds" kinds.mprof || fail "record_kinds"
mprof check kinds.mprof
expect_status 0 "check"

mprof report --json kinds.mprof
expect_status 0 "JSON"
expect "kinds" "$(jq -r '.sample_kinds | sort_by(.name)[] | [.name, .unit, .source, .period, .samples, .weight,
	.without_weight, .without_stack] | map(. // "none") | join(" ")' out)" \
	"cache-misses count  none 5 320 0 0
cpu ns processor none 3 3000000 0 0
heap bytes malloc none 4 650 0 1"
expect "groups" "$(jq -r '.sample_groups | sort_by(.name, .thread, .cpu)[] |
	[.name, .thread, .cpu, .mode, .samples, .weight] | map(. // "none") | join(" ")' out)" \
	"cache-misses 0x11 1 kernel 3 192
cache-misses 0x11 2 kernel 2 128
cpu 0x10 0 user 3 3000000
heap 0x10 0 unknown 2 300
heap 0x11 none unknown 1 50
heap 0x11 0 unknown 1 300"
# Plain samples stay what they are, and have the time that the client states.
expect "samples" "$(jq -c '[.totals.samples, .samples[0].name, .samples[0].hits, .samples[0].estimated_ns]' out)" \
	'[2,"run",2,10000000]'
expect "properties" "$(jq -c '.session.properties | [.sample_period_ns, .sample_clock]' out)" '["5000000","real"]'

mprof report --json --thread=0x11 kinds.mprof
expect "a thread" "$(jq -r '.sample_kinds | sort_by(.name)[] | [.name, .samples, .weight] | join(" ")' out)" \
	"cache-misses 5 320
heap 2 350"

mprof report --sections=sample-kinds kinds.mprof
expect_status 0 "text"
expect_line out '^ +3 +3\.00 ms +0  cpu by processor$'
expect_line out '^ +4 +650 B +1  heap by malloc$'
expect_line out '^ +3 +192  cache-misses, thread 0x11, processor 1, kernel$'
mprof report --csv --sections=sample_kinds kinds.mprof
expect_status 0 "CSV"
expect_line out '^cache-misses,count,,,5,320,0,0'

# Call stacks by weight.
for kind in cpu cache-misses heap; do
	mprof export --to=folded --value=samples:$kind -o - kinds.mprof
	expect_status 0 "folded $kind"
	sort out >"$kind.folded"
done
expect "cpu" "$(cat cpu.folded)" "run;work 3000000"
expect "cache misses" "$(cat cache-misses.folded)" "run;load 320"
expect "heap" "$(cat heap.folded)" "(no call stack) 50
make 600"
mprof export --to=folded --value=samples:cpu --focus=load -o - kinds.mprof
expect "a focus" "$(cat out)" ""
mprof export --to=folded --value=samples:none -o - kinds.mprof
expect_status 3 "a kind that the log lacks"
expect_line err '--value=samples:none: the log has no such data; it has samples, .*samples:cpu'
mprof export --to=speedscope --value=samples:heap -o - kinds.mprof
expect "speedscope" "$(jq -c '.profiles[0] | [.unit, (.weights | add)]' out)" '["bytes",650]'
mprof flame --value=samples:cpu kinds.mprof
expect_status 0 "flame"
expect_line out 'Samples of cpu'

# Formats that hold several values have a profile of each kind, with its unit; --value chooses one.
mprof export --to=speedscope -o - kinds.mprof
expect "profiles of speedscope" "$(jq -r '.profiles | sort_by(.name)[] | "\(.unit) \(.weights | add) \(.name)"' out)" \
	"none 2 Samples (sums, not in the order of time)
none 320 Samples of cache-misses (sums, not in the order of time)
nanoseconds 3000000 Samples of cpu (sums, not in the order of time)
bytes 650 Samples of heap (sums, not in the order of time)"
expect "call stacks of speedscope" "$(jq -r '.shared.frames as $frames | .profiles[] | .name as $name |
	.samples[] | "\($name | split(" (")[0]): \(map($frames[.].name) | join(";"))"' out | sort)" \
	"Samples of cache-misses: run;load
Samples of cpu: run;work
Samples of heap: (no call stack)
Samples of heap: make
Samples: run"

# Firefox has one kind in the table of samples, in the order of time, and the others as markers with their call stack.
# shellcheck disable=SC2016 # filters of jq
markers='[.shared.stringArray as $strings | .threads[].markers | [.data, .name] | transpose[] |
	[$strings[.[1]], .[0].weight, .[0].cpu // "none", (.[0].mode | if . then $strings[.] else "none" end),
	(.[0] | has("cause"))] | map(tostring) | join(" ")] | sort | unique[]'
mprof export --to=firefox -o - kinds.mprof
expect_status 0 "firefox"
expect "markers of firefox" "$(jq -r "$markers" out)" \
	"cache-misses 64 1 kernel true
cache-misses 64 2 kernel true
cpu 1 0 user true
heap 100 0 none true
heap 200 0 none true
heap 300 0 none true
heap 50 none none false"
mprof export --to=firefox --value=samples:heap -o - kinds.mprof
expect "samples of firefox" "$(jq -c '[.threads[].samples | select(.length > 0) |
	[.weightType, .time == (.time | sort), (.weight | add)]]' out)" '[["bytes",true,300],["bytes",true,350]]'
expect "other kinds" "$(jq '[.threads[].markers.length] | add' out)" 0
mprof export --to=firefox --value=samples:cpu -o - kinds.mprof
expect "processor time of firefox" "$(jq -c '[.threads[].samples | select(.length > 0) |
	[.weightType, (.weight | add)]]' out)" '[["tracing-ms",3]]'
mprof export --to=perfetto --value=samples:none -o none.pftrace kinds.mprof
expect_status 3 "a kind that the log lacks"

# What a format lacks is stated.
mprof export --to=chrome -o - kinds.mprof
expect_line err '^mprof: export: 12 samples of kinds were left out: chrome has none; pprof has them$'

# Copies have the same samples, in any layout; older dialects have none.
mprof convert kinds.mprof copy.mprof
expect_status 0 "copy"
mprof report --json copy.mprof
expect "kinds of a copy" "$(jq -r '[.sample_kinds[].weight] | sort | join(" ")' out)" "320 650 3000000"

# Tables.
mprof export --to=csv --table=sample_kinds -o - kinds.mprof
expect_status 0 "table"
expect_line out ',cpu,'

# pprof: a sample type for each kind, with its unit and its sum.
command -v protoc >/dev/null || skip "protoc is not installed: the rest was tested"
mprof export --to=pprof -o kinds.pb.gz kinds.mprof
expect_status 0 "pprof"
gzip -dc kinds.pb.gz | protoc --decode_raw >raw || fail "protoc"
for kind in cpu cache-misses heap; do
	grep -q "\"$kind\"" raw || fail "pprof has no $kind"
done
