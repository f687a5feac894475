#!/bin/bash
# SPDX-License-Identifier: MIT
# chDB and DuckDB answer the queries of examples/fleet with the same rows, and their totals are the sums of the reports.
# Both come from npm, so the test downloads only if it is asked to: MPROF_TEST_DOWNLOADS=1.
set -eu
. "$srcdir/tests/exports/support.sh"
needs jq node

packages=(chdb@3.4.0 @duckdb/node-api@1.5.6-r.1)

test "${MPROF_TEST_DOWNLOADS-}" = 1 || skip "downloads from npm are not asked for: set MPROF_TEST_DOWNLOADS=1"
needs npm
mkdir modules
(
	export HOME=$work
	cd modules
	timeout 300 npm install --no-audit --no-fund --ignore-scripts "${packages[@]}"
) >npm.log 2>&1 || skip "npm cannot install the packages: $(tail -n 1 npm.log)"

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

# answer ENGINE: runs the queries.
answer() {
	MODULES=$work/modules timeout 200 node "$srcdir/examples/fleet/embedded.cjs" "$1" "$1" "${logs[@]/%/.mprof}" \
		>"$1.answers" 2>"$1.messages" || fail "$1: $(tail -n 5 "$1.messages")"
	# The engines spell truth, missing values and fractions in different ways.
	awk -F'\t' -v OFS='\t' '{
			for (i = 1; i <= NF; i++) {
				if ($i == "true" || $i == "false")
					$i = $i == "true" ? 1 : 0
				else if ($i == "\\N")
					$i = "null"
				else if ($i ~ /^-?[0-9]+\.?[0-9]*(e[-+]?[0-9]+)?$/)
					$i = sprintf("%.9g", $i)
			}
			print
		}' "$1.answers" >"$1.rows"
	expect "totals of $1" "$(cat "$1/totals")" "$(jq -s -r '[length] + ([.[].totals | [.calls, .method_ns, .allocations,
		.allocated_bytes, .samples, .contended_ns, .lost_events]] | transpose | map(add)) | @tsv' "${reports[@]}")"
	expect "methods of $1" "$(cat "$1/methods")" "$(jq -s -r '[[.[].methods[].calls], [.[].methods[].self_ns]] |
		map(add) | @tsv' "${reports[@]}")"
	expect "classes of $1" "$(cat "$1/classes")" "$(jq -s -r '[[.[].classes[].allocations], [.[].classes[].bytes]] |
		map(add) | @tsv' "${reports[@]}")"
	expect "queries of $1" "$(grep -c '^SELECT' "$1.answers")" "$(grep -c '^SELECT' "$srcdir/examples/fleet/queries.sql")"
	grep -q 'truncated.mprof' "$1.answers" || fail "$1: the truncated log is not among the incomplete ones"
}

answer chdb
answer duckdb
diff chdb.rows duckdb.rows >differences || fail "chDB (<) and DuckDB (>) differ: $(head -n 20 differences)"
