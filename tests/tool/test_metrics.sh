#!/bin/bash
# SPDX-License-Identifier: MIT
# The example of a queue that measures itself: its metrics with units, a histogram, messages and waits are in the report,
# and in exports as far as these have them.
set -eu
. "$srcdir/tests/tool/support.sh"
needs jq python3

"${METRICS:-$builddir/examples/small/metrics/metrics}" jobs.mprof || fail "the example ended with $?"
mprof check jobs.mprof
expect_status 0 "check"

mprof report --json jobs.mprof
expect_status 0 "report"
expect "metrics" "$(jq -c '.metrics | map([.section, .name, .thread, .unit, .count, .first, .last]) | sort' out)" \
	'[["queue","fill",null,"%",5,80,0],["queue","length","0x1","count",5,400,0]]'
expect "histogram" "$(jq -c '.histograms | map([.section, .name, .thread, .unit, .count])' out)" \
	'[["queue","delay",null,"ns",500]]'
expect "bounds of percentiles" "$(jq -c '.histograms[0] | [.p50_above < .p50, .p50 <= .p90, .p90 <= .p99, .p99 <= .max] |
	all' out)" true
expect "messages" "$(jq -c '.messages | map([.severity, .source, .count, .text, .first_ns <= .last_ns])' out)" \
	'[["warning","worker",5,"a job is too large",true],["info","worker",1,"started",true]]'
expect "waits" "$(jq -c '.waits | map([.kind, .name, .count, .unfinished, .total_ns >= .max_ns])' out)" \
	'[["queue","",500,0,true]]'

mprof report jobs.mprof
expect_line out '^Waits$'
expect_line out '^  metrics, threads, messages, '
mprof report --all jobs.mprof
expect_status 0 "report as text"
expect_line out '^ +0 +0 +400  queue: length, thread 0x1$'
expect_line out '^ +0 +0 +80  queue: fill in %$'
expect_line out '^ +500 .* queue: delay$'
expect_line out '^ +warning +5 .*  worker: a job is too large$'
expect_line out '^Waits$'
mprof report --sections=messages jobs.mprof
expect_status 0 "messages alone"
expect_no_line out '^(Waits|Metrics)$'

mprof dump jobs.mprof
expect_status 0 "dump"
expect_line out '^    metric 2 queue, fill \(%\)$'
expect_line out '^    metric 3 queue, delay \(ns, histogram\)$'
expect_line out '^    metric-value 3 [0-9]+ above -?[0-9]+, up to [0-9]+$'
mprof dump --json jobs.mprof
expect "buckets" "$(jq -s '[.[] | select(.metric? == 3) | .count] | add' out)" 500

# Values are counters over time; histograms are not.
mprof export --to=perfetto -o jobs.pftrace jobs.mprof
expect_status 0 "export as a trace of Perfetto"
expect_line err 'buckets of histograms were left out'
python3 "$srcdir/tests/tool/metrics_trace.py" jobs.pftrace >counters || fail "the trace of Perfetto"
expect "counters" "$(sort counters)" "$(printf 'queue: fill\t%%\t0\t5\nqueue: length\t\t2\t5')"
mprof export --to=chrome -o jobs.json jobs.mprof
expect_status 0 "export as a trace of Chrome"
expect "values" "$(jq -c '[.traceEvents[] | select(.ph == "C" and .name == "queue: length") | .args[]]' jobs.json)" \
	'[400,300,200,100,0]'
expect "the unit of values" "$(jq -c '[.traceEvents[] | select(.ph == "C" and .name == "queue: fill") | .args | keys[0]] | unique' \
	jobs.json)" '["%"]'
mprof export --to=firefox -o jobs.firefox.json jobs.mprof
expect_status 0 "export as a profile of Firefox"
grep -qF '"queue: fill (%)"' jobs.firefox.json || fail "Firefox has no unit"
mprof export --to=otlp -o jobs.otlp jobs.mprof
expect_line err '^mprof: export: [0-9]+ values of metrics were left out: otlp has none$'
for table in metrics:3 histograms:2 messages:3 waits:2 gc_generations:1; do
	mprof export --to=csv --table=${table%:*} -o rows.csv jobs.mprof
	expect_status 0 "export of ${table%:*}"
	expect "rows of ${table%:*}" "$(wc -l <rows.csv)" "${table#*:}"
done

# A copy has the same, and one in columns.
for columns in "" --columns; do
	mprof convert $columns jobs.mprof copy.mprof
	expect_status 0 "convert $columns"
	mprof report --json copy.mprof
	expect "copy $columns" "$(jq -c '[.histograms[0].count, .metrics[1].unit, .messages[0].count, .waits[0].count]' out)" \
		'[500,"%",5,500]'
done

# Generations are below the collections that changed them.
"$builddir/tests/tool/record_generations" generations.mprof || fail "record_generations"
mprof report --json generations.mprof
expect "generations" "$(jq -c '.gc_generations | map([.collection, .name, .before, .after, .capacity])' out)" \
	'[[1,"Eden",1000,100,4096],[1,"old",500,1400,null]]'
expect "pinned" "$(jq -c '.collections | map([.pinned_objects, .pinned_bytes])' out)" '[[2,64]]'
mprof report --sections=collections generations.mprof
expect_status 0 "report of generations"
expect_line out '^ +1 +1\.00 kB +100 B +4\.10 kB  Eden$'
expect_line out '^ +1 +500 B +1\.40 kB +-  old$'
