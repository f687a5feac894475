#!/bin/bash
# SPDX-License-Identifier: MIT
# The WebAssembly module computes the figures that "mprof info" and "mprof report" print, for every log of tests/data and
# those of MPROF_SAMPLES.
set -eu
. "$srcdir/tests/wasm/support.sh"

"$builddir/tests/data/build_logs" "$srcdir/tests/data" "$directory" >/dev/null || fail "build_logs"
cd "$directory"
for log in *.mprof "${MPROF_SAMPLES:-/nowhere}"/*.mprof; do
	test -e "$log" || continue
	name=$(basename "$log")
	# Damaged logs have an exit status of their own; what could be read is printed in spite of it.
	"$MPROF" info --json "$log" >"$name.info" 2>/dev/null &
	"$MPROF" report --json "$log" >"$name.report" 2>/dev/null || true
	wait $! || true
	echo "$log"
done >logs
node "$srcdir/tests/wasm/figures.mjs" "$module" "$wasm" logs
