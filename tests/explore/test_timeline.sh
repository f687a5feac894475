#!/bin/bash
# SPDX-License-Identifier: MIT
# The timeline in the page of "mprof explore" has the single calls of a log: their sums are the figures of "mprof
# report"; keys, the wheel and dragging show and select times; links restore both.
set -eu
. "$srcdir/tests/explore/support.sh"

make_logs sample mail
mkdir data
"$builddir/tests/data/build_logs" "$srcdir/tests/data" data >/dev/null || fail "build_logs"
for log in mono-threads unity-stacks drop-blocks mono-clock-goes-back mono-left-by-exception mono-event-kinds \
	mprof2-event-kinds mprof2-switches-memory; do
	cp "data/$log.mprof" .
done
"$builddir/tests/tool/make_timeline" timeline.mprof || fail "make_timeline"
"$builddir/tests/tool/make_spans" spans.mprof || fail "make_spans"
arguments=()
for log in *.mprof; do
	mprof report --json "$log"
	mv out "${log%.mprof}.json"
	arguments+=("$log" "${log%.mprof}.json")
done
node "$srcdir/tests/explore/calls.mjs" "$srcdir/examples/wasm/mprof.js" "$builddir/examples/wasm/libmprof.wasm" \
	"$srcdir/examples/explore/call_reader.js" "${arguments[@]}" || fail "calls.mjs"
node "$srcdir/tests/explore/spans.mjs" "$srcdir/examples/explore/span_painter.js" \
	"$srcdir/examples/explore/time_window.js" || fail "spans.mjs"
for log in sample mail mono-threads timeline spans; do
	mprof explore -o "$log.html" "$log.mprof"
	expect_status 0 "explore $log"
	echo "$log"
done >logs
in_browser timeline.mjs
