#!/bin/bash
# SPDX-License-Identifier: MIT
# speedscope shows the figures of the report: own and total time of each method, and bytes by class. It comes from npm
# and runs in Chromium, so the test downloads only if it is asked to: MPROF_TEST_DOWNLOADS=1.
set -eu
. "$srcdir/tests/exports/support.sh"
needs node chromium jq

packages=(speedscope@1.25.0 puppeteer-core@24.43.1)

test "${MPROF_TEST_DOWNLOADS-}" = 1 || skip "downloads from npm are not asked for: set MPROF_TEST_DOWNLOADS=1"
needs npm
mkdir modules
# Nothing is stored outside of the work directory, and no browser is downloaded.
(
	export HOME=$work PUPPETEER_SKIP_DOWNLOAD=1
	cd modules
	timeout 300 npm install --no-audit --no-fund --ignore-scripts "${packages[@]}"
) >npm.log 2>&1 || skip "npm cannot install the packages: $(tail -n 1 npm.log)"

make_calls calls

# shown_rows FILE UNIT: name, own value and total. The values of this log are less than 1000, so they are exact.
shown_rows() {
	timeout 100 node "$srcdir/tests/exports/speedscope.mjs" "$work/modules" "$(command -v chromium)" "$1" \
		>shown 2>shown_err || fail "speedscope: $(tail -n 5 shown_err)"
	awk -F'\t' -v unit="$2" '{
			sub(unit " .*", "", $1)
			sub(unit " .*", "", $2)
			print $3 "\t" $2 + 0 "\t" $1 + 0
		}' shown | tr -d '\033' | sum_rows
}

# Chromium shows a line break and a tab as one space.
as_shown() {
	sed 's/\\x1b//; s/\\x0a\\x09/ /'
}

read_report calls.mprof
export_log speedscope calls.mprof wall.json --value=wall
report_times | as_shown | LC_ALL=C sort >wanted
shown_rows wall.json ns >found
same_rows "time"
export_log speedscope calls.mprof bytes.json --value=bytes
report_bytes >wanted
shown_rows bytes.json B | cut -f 1,2 | grep -v "$(printf '\t0$')" >found
same_rows "bytes by class"
