#!/bin/bash
# SPDX-License-Identifier: MIT
# The library has exactly the interface of tests/abi/libmprof.MACHINE.abi: functions, their parameters, and every struct
# and enum that they use. The functions of the version node MPROF_UNSTABLE are left out: they may change. A change on
# purpose is recorded by make release-abi, for a release alone.
#
# test_abi.sh --record writes that file again.
set -eu

machine=$(uname -m)
baseline=$srcdir/tests/abi/libmprof.$machine.abi
library=$builddir/lib/.libs/libmprof.so

skip() {
	echo "SKIP: $1"
	exit 77
}

test -z "${MPROF_SANITIZED:-}" || skip "sanitizers change the library's symbols"
test -e "$library" || skip "no shared library was built"
command -v abidw >/dev/null && command -v abidiff >/dev/null || skip "abidiff is missing: install abigail-tools"
readelf -S "$library" | grep -q '\.debug_info' || skip "the library was built without debug information"

suppressions=$(mktemp)
trap 'rm -f "$suppressions"' EXIT
unstable=$(sed -n '/^MPROF_UNSTABLE/,$s/^\t\(mprof_[a-z0-9_]*\);$/\1/p' "$srcdir/lib/libmprof.map" | paste -sd'|')
printf '[suppress_function]\n\tsymbol_name_regexp = ^(%s)$\n\tdrop = yes\n' "$unstable" >"$suppressions"

# Nothing of the machine, the paths or the lines it was made from.
interface() {
	abidw --headers-dir "$srcdir/include" --drop-private-types --drop-undefined-syms --no-show-locs \
		--no-corpus-path --no-comp-dir-path --no-elf-needed --type-id-style hash \
		--suppressions "$suppressions" "$library"
}

if test "${1-}" = --record; then
	interface >"$baseline"
	exit
fi

test -e "$baseline" || skip "no interface was recorded for $machine"

# Bits of the status: 1 error, 2 usage, 4 a change, 8 a change that breaks programs.
status=0
abidiff --headers-dir2 "$srcdir/include" --drop-private-types --no-show-locs --suppressions "$suppressions" \
	"$baseline" "$library" || status=$?
if ((status & 8)); then
	echo "FAIL: programs built for the recorded interface would break"
elif ((status != 0)); then
	echo "FAIL: the interface is not the recorded one; a release records it with make release-abi"
fi
exit $((status != 0))
