#!/bin/bash
# SPDX-License-Identifier: MIT
# "mprof report" shows the spans and other events that a program describes: how often, how long, and what failed.
set -eu
. "$srcdir/tests/tool/support.sh"
needs jq

"$builddir/tests/tool/make_spans" spans.mprof || fail "make_spans"

mprof report --json spans.mprof
expect_status 0 "JSON"
expect "spans" "$(jq -r '.spans[] | [.name, .category, .form, .count, .spans, .unfinished, .errors, .total_ns, .self_ns,
	.min_ns, .p50_ns, .p99_ns, .max_ns] | map(. // "none") | join(" ")' out)" \
	"task  async-begin 2 1 1 0 46000000 none 46000000 46000000 46000000 46000000
/a http span 3 3 0 0 43000000 41000000 3000000 10092543 30000000 30000000
/b <&>\" http span 1 1 0 1 20000000 20000000 20000000 20000000 20000000 20000000
parse http begin 2 1 1 0 2000000 2000000 2000000 2000000 2000000 2000000"
expect "other events" "$(jq -r '.event_types[] | [.name, .category, .form, .count, .unmatched, .errors] | join(" ")' out)" \
	"accepted http instant 4 0 0
parsed http end 1 0 0
task done  async-end 1 0 0
log  instant 1 0 0"
expect "all events" "$(jq -r '([.spans[], .event_types[] | .count] | add) + .totals.calls + 1 == .totals.events' out)" true

# As text: the ends of spans are not listed.
mprof report --sections=spans spans.mprof
expect_status 0 "text"
expect_line out "^ +3 +43\.00 ms +10\.09 ms +30\.00 ms +30\.00 ms +0 +0  http: /a\$"
expect_line out '^ +4 +0 +0  http: accepted$'
! grep -q "parsed" out || fail "the end of a span is listed"

# Spans that end in a time; sorted by the longest; as CSV.
mprof report --json --time=23ms-53ms spans.mprof
expect "a window" "$(jq -r '.spans[] | select(.spans > 0) | [.name, .spans, .total_ns] | join(" ")' out)" \
	"/b <&>\" 1 20000000
/a 1 3000000"
mprof report --csv --sections=spans --sort=spans:p99 spans.mprof
expect_status 0 "CSV"
expect "names in CSV" "$(cut -d, -f1 out | paste -sd' ')" 'name task /a "/b <&>""" parse'
