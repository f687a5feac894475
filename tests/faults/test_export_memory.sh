#!/bin/bash
# SPDX-License-Identifier: MIT
# mprof export with each of its requests for memory refused, alone and with all later ones: the file is
# the usual one, or there is none and the status is not 0. A log is read once more for some formats: what is missing of
# the second reading must not be missing in the file.
set -eu
. "$srcdir/tests/faults/support.sh"

make_events
make_tree growing growing.mprof 2
mkdir made
export FAULT_OUT=$work/made/out

for format in pprof speedscope folded callgrind dot otlp otlp-metrics csv clickhouse parquet perfetto firefox chrome; do
	table=()
	case $format in csv | clickhouse | parquet) table=(--table=methods) ;; esac
	with_faults memory export --to="$format" "${table[@]}" -o "$FAULT_OUT" --no-lines events.mprof
done
with_faults memory export --to=speedscope --events -o "$FAULT_OUT" events.mprof
with_faults memory export --to=perfetto --time=10ns-200ns -o "$FAULT_OUT" --no-lines events.mprof
with_faults memory export --to=perfetto -o "$FAULT_OUT" --no-lines growing.mprof
with_faults memory export --to=folded --value=heap -o "$FAULT_OUT" growing.mprof
make_tree memory memory.mprof 10
"$builddir/tests/tool/make_spans" messages.mprof messages || fail "make_spans messages"
"$builddir/tests/tool/make_spans" metrics.mprof metrics || fail "make_spans metrics"
for format in perfetto chrome firefox; do
	with_faults memory export --to=$format -o "$FAULT_OUT" memory.mprof
	with_faults memory export --to=$format -o "$FAULT_OUT" messages.mprof
done
with_faults memory export --to=otlp-metrics -o "$FAULT_OUT" metrics.mprof
"$builddir/tests/tool/make_spans" links.mprof links || fail "make_spans links"
with_faults memory export --to=perfetto -o "$FAULT_OUT" links.mprof
with_faults memory export --to=otlp-traces -o "$FAULT_OUT" links.mprof
with_faults memory flame --no-lines -o "$FAULT_OUT" events.mprof
with_faults memory flame --no-lines --inverted --value=samples -o "$FAULT_OUT" events.mprof
with_faults memory explore -o "$FAULT_OUT" growing.mprof
"$builddir/tests/tool/make_code" names.mprof /nonexistent/file "" 1@2000:main || fail "make_code"
with_faults memory explore -o "$FAULT_OUT" names.mprof

echo "$faults faults"
