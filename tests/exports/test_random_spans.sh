#!/bin/bash
# SPDX-License-Identifier: MIT
# The profile and the exports of single events, which both pair the starts and the ends of spans (doc/format.md, 4.9),
# find the same pairs in random logs: spans inside each other, ends of any span, spans of any thread whose ends are read
# first, numbers that are used again too early, ends without a start, spans that have not ended, and threads that start
# again.
set -eu
. "$srcdir/tests/exports/support.sh"
needs jq python3

# The limits, of which not all are reached below.
limits() {
	grep -E '^#define MAX_(OPEN|COMPARED) ' "$srcdir/$1"
}
expect "limits of the exports" "$(limits examples/mprof/export/span_walk.c)" "$(limits lib/model/records/event_types.c)"
expect "limits" "$(limits examples/mprof/export/span_walk.c | wc -l)" 2

# same_spans ARGUMENT...: compares a log of make_spans.
same_spans() {
	"$builddir/tests/tool/make_spans" log.mprof "$@" || fail "make_spans $*"
	mprof report --json log.mprof
	expect_status 0 "report of $*"
	jq -r '.spans[] | [.name, .spans, .unfinished, .total_ns] | map(tostring) | join("\t")' out | LC_ALL=C sort >wanted
	test "$(wc -l <wanted)" -ge "$least" || fail "$*: the report has few spans"
	unmatched=$(jq '[.event_types[].unmatched] | add' out)
	export_log chrome log.mprof log.json
	python3 "$srcdir/tests/exports/chrome_spans.py" log.json | LC_ALL=C sort >found
	diff wanted found >differences || fail "$*: the report (<) and the export differ: $(cat differences)"
	expect "ends without a start, $*" \
		"$(sed -nE 's/.*: ([0-9]+) ends? of spans without a start .*/\1/p' err)" "$(grep -vx 0 <<<"$unmatched" || true)"
}

least=5
for seed in 1 2 3 4 5; do
	same_spans random $seed
done
least=1
same_spans reused
