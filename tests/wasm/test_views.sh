#!/bin/bash
# SPDX-License-Identifier: MIT
# Profiles, frame trees, events and heap graphs of the WebAssembly module, of logs that arrive in pieces, compressed or
# not; interruption, windows, errors and the declared types.
set -eu
. "$srcdir/tests/wasm/support.sh"

"$builddir/tests/tool/make_timeline" "$directory/calls.mprof" || fail "make_timeline"
"$builddir/tests/tool/make_trees" growing "$directory/heap.mprof" || fail "make_trees"
"$builddir/tests/tool/record_code" "$directory/code.mprof" || fail "record_code"
node "$srcdir/tests/wasm/views.mjs" "$module" "$wasm" "$builddir/examples/wasm/tables.d.ts" \
	"$directory/calls.mprof" "$directory/heap.mprof" "$directory/code.mprof"
