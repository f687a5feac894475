#!/bin/bash
# SPDX-License-Identifier: MIT
# The WebAssembly module reads truncated and damaged copies of the logs of tests/data without a trap.
set -eu
. "$srcdir/tests/wasm/support.sh"

"$builddir/tests/data/build_logs" "$srcdir/tests/data" "$directory" >/dev/null || fail "build_logs"
printf '%s\n' "$directory"/*.mprof >"$directory/logs"
node "$srcdir/tests/wasm/damage.mjs" "$module" "$wasm" "$directory/logs"
