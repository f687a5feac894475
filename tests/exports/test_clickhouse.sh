#!/bin/bash
# SPDX-License-Identifier: MIT
# ClickHouse with two shards loads the rows of logs with the schema of examples/fleet, answers its queries, and its
# totals over both shards are the sums of the reports.
set -eu
. "$srcdir/tests/exports/support.sh"
needs jq python3 clickhouse-server clickhouse-client
make_calls calls
make_logs sample full memory mail
make_truncated
make_tree names names.mprof
logs=(calls sample full memory mail truncated names)
reports=()

for log in "${logs[@]}"; do
	read_report "$log.mprof"
	cp report "$log.json"
	reports+=("$log.json")
done
mkdir fleet
PORT=$((20000 + $$ % 10000)) "$srcdir/examples/fleet/run.sh" "$work/fleet" "${logs[@]/%/.mprof}" >answers 2>messages ||
	fail "run.sh: $(tail -n 5 messages)"
expect "totals over the shards" "$(cat fleet/totals)" "$(jq -s -r '[length] + ([.[].totals |
	[.calls, .method_ns, .allocations, .allocated_bytes, .samples, .contended_ns, .lost_events]] |
	transpose | map(add)) | @tsv' "${reports[@]}")"
expect "methods" "$(cat fleet/methods)" "$(jq -s -r '[[.[].methods[].calls], [.[].methods[].self_ns]] | map(add) | @tsv' \
	"${reports[@]}")"
expect "classes" "$(cat fleet/classes)" "$(jq -s -r '[[.[].classes[].allocations], [.[].classes[].bytes]] | map(add) |
	@tsv' "${reports[@]}")"
expect "queries" "$(grep -c '^SELECT' answers)" "$(grep -c '^SELECT' "$srcdir/examples/fleet/queries.sql")"
grep -q 'truncated.mprof' answers || fail "the truncated log is not among the incomplete ones"
