#!/bin/bash
# SPDX-License-Identifier: MIT
# The page of "mprof explore" shows the figures of "mprof report" for logs of every dialect, complete, compressed and
# truncated; opens a log that is chosen in a page without one; starts no script that a name contains; sends no request.
set -eu
. "$srcdir/tests/explore/support.sh"

make_logs sample mail gzip
mkdir data
"$builddir/tests/data/build_logs" "$srcdir/tests/data" data >/dev/null || fail "build_logs"
cp data/mono-threads.mprof data/unity-stacks.mprof data/drop-blocks.mprof .
head -c -150 sample.mprof >truncated.mprof
for log in sample mail gzip mono-threads unity-stacks drop-blocks truncated; do
	mprof explore -o "$log.html" "$log.mprof"
	wanted=0
	test "$log" != truncated || wanted=1
	expect_status "$wanted" "explore $log"
	mprof report --json "$log.mprof"
	mv out "$log.json"
	echo "$log"
done >logs
mprof report --json --time=0s-0.0005s "--thread=$(jq -r '.threads[0].id' sample.json)" sample.mprof
expect_status 0 "report of a time and a thread"
mv out window.json
mprof dump --json sample.mprof
expect_status 0 "dump"
mv out events
mprof explore -o none.html
expect_status 0 "explore without a log"
test "$(stat -c %s none.html)" -lt 520000 || fail "the page without a log has $(stat -c %s none.html) bytes"
mprof explore -o wrong.html "$srcdir/README.md"
expect_status 3 "explore of another file"
test ! -e wrong.html || fail "a page was written for a file that is not a log"
mprof explore -o mail.mprof mail.mprof
expect_status 2 "the output is the log"

# Names are texts: those in a log without checksums become markup of the same length, and so does the file's name.
hostile='<img src=x onerror=document.title=1>.mprof'
sed 's/Game\.World/<img src=>/g; s/System\.String/<b onload=1 >/g' mail.mprof >"$hostile"
mprof explore -o hostile.html "$hostile"
expect_status 0 "explore of a log with hostile names"
in_browser page.mjs
