# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Sourced by the tests of the page of "mprof explore", which run in headless Chromium.

. "$srcdir/tests/tool/support.sh"

test -e "$builddir/examples/explore/explore.html" || skip "the page was not built: see make wasm"
needs chromium chromedriver node jq
node -e 'process.exit(typeof fetch === "function" ? 0 : 1)' || skip "node is older than version 18"

# in_browser SCRIPT ARGUMENT...: runs a script of this directory. Chromium keeps its own files in the work directory.
in_browser() {
	local script=$1

	shift
	HOME=$work TMPDIR=$work timeout -k 5 110 node "$srcdir/tests/explore/$script" "$@" || fail "$script"
}
