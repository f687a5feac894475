#!/bin/bash
# SPDX-License-Identifier: MIT
# The page of "mprof explore" opens a log that is dropped onto it, shows what has arrived of a log, saves tables as CSV
# and pictures as SVG, is used with keys, is dark or light, and starts no script that a name contains, in every view.
set -eu
. "$srcdir/tests/explore/support.sh"

make_logs sample mail gzip full memory
make_tree growing growing.mprof 3
"$builddir/tests/tool/make_timeline" timeline.mprof || fail "make_timeline"
node "$srcdir/tests/explore/parts.mjs" "$srcdir/examples/wasm/mprof.js" "$builddir/examples/wasm/libmprof.wasm" \
	"$srcdir/examples/explore/questions.js" sample.mprof full.mprof growing.mprof timeline.mprof || fail "parts.mjs"
for log in sample gzip timeline; do
	mprof report --json "$log.mprof"
	mv out "$log.json"
done
hostile='<img src=x onerror=document.title=1>.mprof'
sed 's/Game\.World/<img src=>/g; s/System\.String/<b onload=1 >/g' mail.mprof >"$hostile"
for log in sample timeline growing; do
	mprof explore -o "$log.html" "$log.mprof"
	expect_status 0 "explore $log"
done
mprof explore -o hostile.html "$hostile"
mprof explore -o none.html
in_browser controls.mjs
