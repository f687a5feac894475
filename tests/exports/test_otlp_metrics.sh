#!/bin/bash
# SPDX-License-Identifier: MIT
# protoc decodes the metrics of OpenTelemetry without unknown fields: values with their times and units, sums, histograms
# whose buckets overlap, the thread of a metric, and counters of what is alive.
set -eu
. "$srcdir/tests/exports/support.sh"
needs protoc awk jq

# decode FILE: a line for each point: name, unit, kind, microseconds from the start of the log, value, attributes; for a
# histogram its count, the counts of its buckets, and their bounds.
decode() {
	protoc --decode=metrics.MetricsData -I "$srcdir/tests/exports" metrics.proto <"$1" >decoded 2>protoc_err ||
		fail "protoc: $(cat protoc_err)"
	! grep -nE '^ *[0-9]+[:{ ]' decoded || fail "$1: unknown fields"
	awk -v start="$2" '
		/^    metrics \{/ { unit = "-" }
		/^      name:/ { name = substr($0, 13) }
		/^      unit:/ { unit = $2 }
		/^      (gauge|sum|histogram) \{/ { kind = $1; split("", points); count = 0; after = "" }
		/^        data_points \{/ { value = counts = bounds = attributes = "" }
		/^          time_unix_nano:/ { time = (substr($2, 6) - substr(start, 6)) / 1000 }
		/^          (as_int|as_double|count):/ { value = $2 }
		/^          bucket_counts:/ { counts = counts " " $2 }
		/^          explicit_bounds:/ { bounds = bounds " " $2 }
		/^            key:/ { attributes = attributes " " $2 }
		/^              [a-z]*_value:/ { attributes = attributes "=" $2 }
		/^        \}/ { points[++count] = time " " value counts (kind == "histogram" ? " |" bounds : "") attributes }
		/^        (aggregation_temporality|is_monotonic):/ { after = after " " $2 }
		/^      \}/ { for (i = 1; i <= count; i++) print name, unit, kind, points[i] after }
		' decoded
}

"$builddir/tests/tool/make_spans" metrics.mprof metrics || fail "make_spans"
export_log otlp-metrics metrics.mprof metrics.otlp
expect_line err '^mprof: export: 48 values of histograms, whose bounds are not known, were left out$'
decode metrics.otlp 1700000000001000000 >found
cat >wanted <<'END'
"memory.resident" "By" gauge 10000 4096
"memory.resident" "By" gauge 5000 8192
"jobs.done" "1" sum 10000 3 "thread.id"="0x10" 2 true
"speed" "m/s" gauge 10000 0.5
"memory.pages" "{page}" gauge 10000 -2
"jobs.delay" "ns" histogram 10000 11 0 7 3 0 1 0 | 0 10 20 30 40 2
"jobs.size" - histogram 10000 15 1 6 8 | -5 20 2
END
same_rows "metrics"

# A thread that is not exported has no metrics; those of no thread are there.
export_log otlp-metrics metrics.mprof thread.otlp --thread=0x11
decode thread.otlp 1700000000001000000 >found
sed -i '/jobs.done/d' wanted
same_rows "without a thread"

# A time without values is nothing.
mprof export --to=otlp-metrics --time=20ms-30ms -o none.otlp metrics.mprof
expect_status 3 "a time without values"
expect_line err 'nothing of this log can be represented in otlp-metrics'

# The example measures itself: counts of the buckets are those of the log.
"$builddir/examples/small/metrics/metrics" jobs.mprof || fail "the example ended with $?"
export_log otlp-metrics jobs.mprof jobs.otlp
decode jobs.otlp 0 >found
mprof dump --json jobs.mprof
expect "values of the histogram" "$(awk '/"queue.delay"/ { print $5 }' found)" \
	"$(jq -s '[.[] | select(.metric? == 3) | .count // empty] | add' out)"
expect "values of the length" "$(awk '/"queue.length"/ { print $5 }' found)" \
	"$(jq -r 'select(.record? == "metric-value" and .metric == 1) | .value' out)"

# Counters of what is alive.
"$builddir/tests/exports/make_heap" heap.mprof || fail "make_heap"
mprof report --json heap.mprof
jq -r '(.heap_shots[] | "mprof.heap.live By \(.bytes)"), (.heap_shots[] | "mprof.heap.objects 1 \(.objects)")' out |
	sort >wanted
export_log otlp-metrics heap.mprof heap.otlp
decode heap.otlp 0 | tr -d '"' | awk '/mprof.heap.(live|objects)/ { print $1, $2, $5 }' | sort >found
same_rows "heap snapshots"

# The size of the heap, of the process that it belongs to.
"$builddir/tests/tool/make_log" sample sample.mprof || fail "make_log"
mprof report --json sample.mprof
jq -r '.heap_resizes[] | "\(.bytes)"' out >wanted
export_log otlp-metrics sample.mprof sample.otlp
decode sample.otlp 0 | awk '/"mprof.heap.size"/ { print $5 }' >found
same_rows "sizes of the heap"

# Each process of a log has a resource of its own.
cp heap.mprof other.mprof
mprof merge -o both.mprof heap.mprof other.mprof
expect_status 0 "merge"
export_log otlp-metrics both.mprof both.otlp
decode both.otlp 0 >found
expect "resources with live bytes" "$(awk '/^resource_metrics/ { count++ } /"mprof.heap.live"/ { seen[count] = 1 }
	END { for (i in seen) distinct++; print distinct + 0 }' decoded)" 2
