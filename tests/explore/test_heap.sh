#!/bin/bash
# SPDX-License-Identifier: MIT
# Heap snapshots in the page of "mprof explore" have the figures of "mprof heap" and "mprof diff": several, with and
# without roots, incomplete, with names that break formats; classes, paths from roots, and the difference of two.
set -eu
. "$srcdir/tests/explore/support.sh"

mkdir data
"$builddir/tests/data/build_logs" "$srcdir/tests/data" data >/dev/null || fail "build_logs"
cp data/mono-heap-references.mprof data/mono-unknown-ids.mprof .
make_tree growing growing.mprof 3
make_logs full
"$builddir/tests/exports/make_heap" names.mprof || fail "make_heap"
for log in growing full names mono-heap-references mono-unknown-ids; do
	mprof explore -o "$log.html" "$log.mprof"
	mprof heap --json --list "$log.mprof"
	shots=$(jq '.shots | length' out)
	for ((shot = 1; shot <= shots; shot++)); do
		mprof heap --json --top=0 --at=$shot --paths='*' "$log.mprof"
		mv out "$log.$shot.heap.json"
	done
	if ((shots > 1)); then
		mprof diff --json "--shots=1,$((shots - 1))" "$log.mprof"
		mv out "$log.diff.json"
	fi
	echo "$log $shots"
done >heaps
in_browser heap.mjs
