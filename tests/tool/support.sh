# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# Functions shared by the tests of the command line tool, which source this file. tests/Makefile.inc explains the
# environment of "make check"; MAKE_LOG may name another generator of logs. The first failed check ends a test.

# A sanitizer takes as long to look for leaks as for all else: only the scripts that set LEAKS, and the unit tests, do.
if test -n "${MPROF_SANITIZED-}" && test -z "${LEAKS-}"; then
	export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0
fi

make_log=${MAKE_LOG:-$builddir/tests/tool/make_log}

skip() {
	echo "skipped: $*"
	exit 77
}

fail() {
	echo "FAILED: $*" >&2
	exit 1
}

work=$(mktemp -d "${TMPDIR:-/tmp}/mprof-tool.XXXXXX")
trap 'rm -rf "$work"' EXIT
cd "$work" || exit
export LC_ALL=C.UTF-8

# shellcheck source=tests/await.sh
. "$srcdir/tests/await.sh"

# needs TOOL...
needs() {
	for tool in "$@"; do
		command -v "$tool" >/dev/null || skip "$tool is not installed"
	done
}

needs_compression() {
	test -z "${MPROF_WITHOUT_ZLIB-}" || skip "built without zlib"
}

# mprof ARGUMENT...: runs the tool; its output is then in the files out and err, its exit status in $status. run_test.sh
# ends what does not end by itself.
mprof() {
	status=0
	"$MPROF" "$@" >out 2>err </dev/null || status=$?
	test ! -s err || ! grep -qE 'Sanitizer|runtime error: ' err || fail "mprof $*: $(cat err)"
}

# expect WHAT FOUND WANTED
expect() {
	test "$2" = "$3" || fail "$1: $2, not $3"
}

# expect_status WANTED WHAT
expect_status() {
	test "$status" = "$1" || fail "$2: status $status, not $1; $(cat err)"
}

# expect_json WHAT FILTER WANTED: the result of jq for the file out, on one line.
expect_json() {
	expect "$1: $2" "$(jq -c "$2" out)" "$3"
}

# expect_line FILE PATTERN: a line of the file matches the extended regular expression.
expect_line() {
	grep -qE -- "$2" "$1" || fail "no line of $1 matches $2: $(cat "$1")"
}

# expect_no_line FILE PATTERN
expect_no_line() {
	! grep -qE -- "$2" "$1" || fail "a line of $1 matches $2: $(cat "$1")"
}

# make_logs KIND...: makes KIND.mprof for each.
make_logs() {
	for kind in "$@"; do
		"$make_log" "$kind" "$kind.mprof" || fail "make_log $kind"
	done
}

# make_trees KIND...: KIND.mprof of each; make_tree KIND FILE [SIZE] for those that have one.
make_tree() {
	"$builddir/tests/tool/make_trees" "$@" || fail "make_trees $*"
}
make_trees() {
	for kind in "$@"; do
		make_tree "$kind" "$kind.mprof"
	done
}

# change_byte FILE OFFSET: changes one byte in place.
change_byte() {
	old=$(od -An -tu1 -j"$2" -N1 "$1")
	printf "\\$(printf %03o $((old ^ 16)))" | dd of="$1" bs=1 seek="$2" conv=notrunc 2>/dev/null
}

# block_offset FILE KIND: of the first block of a kind.
block_offset() {
	"$MPROF" dump --json --blocks "$1" | jq "select(.block == \"$2\") | .offset" | head -n 1
}

# hide_mono: makes a directory that, as PATH, has all programs but Mono.
hide_mono() {
	mkdir programs
	for directory in /bin /usr/bin; do
		ln -sf "$directory"/* programs/
	done
	rm -f programs/mono*
}

# Skips the test if native programs cannot be sampled; otherwise mprof record uses the module of this build.
needs_native_sampling() {
	local modules=${INSTRUMENT_DIR:-$builddir/examples/native/.libs}

	test -z "${MPROF_SANITIZED-}" || skip "a module built with sanitizers cannot be preloaded"
	test "$(uname -sm)" = "Linux x86_64" || skip "native programs are sampled only on Linux for x86-64"
	test -e "$modules/libmprof-instrument.so" || skip "the module for native programs was not built"
	export MPROF_MODULE_DIR=$modules
}
