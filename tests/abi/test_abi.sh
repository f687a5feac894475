#!/bin/bash
# SPDX-License-Identifier: MIT
# The library can replace that of the last release, whose interface is kept in libmprof.abi: abidiff finds no change
# that breaks programs.
set -eu

released=$srcdir/tests/abi/libmprof.abi
library=$builddir/lib/.libs/libmprof.so

skip() {
	echo "SKIP: $1"
	exit 77
}

test -e "$released" || skip "no released ABI yet"
test -z "${MPROF_SANITIZED:-}" || skip "sanitizers change the library's symbols"
test -e "$library" || skip "no shared library was built"
command -v abidiff >/dev/null || skip "abidiff is missing: install abigail-tools"

# Functions and fields that are new are not a break; abidiff tells them apart by bit 8 of its status.
status=0
abidiff --headers-dir2 "$srcdir/include" "$released" "$library" || status=$?
if ((status & 8 || status & 1 || status & 2)); then
	echo "FAIL: programs built for the last release would break"
	exit 1
fi
