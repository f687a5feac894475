#!/bin/bash
# SPDX-License-Identifier: MIT
# Every view of the page of "mprof explore" fits a screen and a phone, in light and dark, and has something to show; a
# click is answered at once; call stacks open in full; two logs are compared. The pictures are in tests/explore/views.
set -eu
. "$srcdir/tests/explore/support.sh"

make_logs full memory sample
make_tree growing growing.mprof 3
"$builddir/tests/tool/make_timeline" timeline.mprof || fail "make_timeline"
"$builddir/tests/tool/make_spans" spans.mprof || fail "make_spans"
"$builddir/tests/tool/make_code" names.mprof /nonexistent/file "" 3@1000:_ZN6shapes6circle4drawEi 2@2000:main \
	'1@3000:_ZN1<b>1aEv' || fail "make_code"
"$builddir/tests/tool/make_lines" lines.mprof || fail "make_lines"
"$builddir/tests/tool/record_states" states.mprof || fail "record_states"
cp spans.mprof copy.mprof
mprof merge -o merged.mprof spans.mprof copy.mprof
expect_status 0 "merge"
seq 40 >demo.txt
for log in full memory sample growing timeline spans names lines merged states; do
	mprof explore -o "$log.html" "$log.mprof"
	expect_status 0 "explore $log"
done
for log in full growing memory names timeline; do
	mprof report --json "$log.mprof"
	mv out "$log.json"
done
mkdir -p "$builddir/tests/explore/views"
for picture in lines:samples names:samples timeline:wall memory:memory; do
	mprof flame --by-line --value="${picture#*:}" -o "${picture%:*}.svg" "${picture%:*}.mprof"
	expect_status 0 "flame ${picture%:*}"
done
node "$srcdir/tests/explore/short_names.mjs" "$srcdir/examples/explore/short_name.js" "$srcdir/tests/explore/short_names.tsv" \
	lines.svg || fail "short_names.mjs"
in_browser views.mjs "$builddir/tests/explore/views"
in_browser views.mjs
expect "pictures" "$(find "$builddir/tests/explore/views" -name '*.png' -newer spans.html | wc -l)" "$(cat pictures)"
