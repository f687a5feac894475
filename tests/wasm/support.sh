# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Sourced by the tests of the WebAssembly module.

wasm=$builddir/examples/wasm/libmprof.wasm
module=$srcdir/examples/wasm/mprof.js
export wasm module

skip() {
	echo "SKIP: $1"
	exit 77
}

fail() {
	echo "FAIL: $1"
	exit 1
}

test -e "$wasm" || skip "libmprof.wasm was not built: see make wasm"
command -v node >/dev/null || skip "node is missing: install nodejs"
node -e 'process.exit(typeof DecompressionStream === "function" ? 0 : 1)' || skip "node is older than version 18"
directory=$(mktemp -d)
trap 'rm -rf "$directory"' EXIT
