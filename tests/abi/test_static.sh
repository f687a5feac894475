#!/bin/bash
# SPDX-License-Identifier: MIT
# The static library defines the public functions and no other global symbol, a program may use the names of its
# insides, and one that only reads can leave out the rest.
set -eu

library=$builddir/lib/.libs/libmprof.a
skip() {
	echo "SKIP: $1"
	exit 77
}
test -e "$library" || skip "no static library was built"
test -n "${MPROF_LOCALIZED:-}" || skip "symbols cannot be made local in this build"

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

${NM:-nm} -g --defined-only "$library" 2>/dev/null | awk 'NF == 3 { print $3 }' | LC_ALL=C sort >"$scratch/found"
if ! diff -u <("$srcdir/tests/abi/list_symbols.sh" "$srcdir/include/mprof") "$scratch/found"; then
	echo "FAIL: the global symbols of libmprof.a are not the public functions"
	exit 1
fi

read -ra compiler <<<"${CC:-cc}"
libraries=$(sed -n 's/^PRIVATE_LIBS = //p' "$builddir/Makefile")
# shellcheck disable=SC2086 # a list of libraries
"${compiler[@]}" -I"$srcdir/include" "$srcdir/tests/abi/static_client.c" -o "$scratch/client" "$library" $libraries
"$scratch/client"

# size_with SOURCE FLAG...: the code and constants of a program with what it needs of the library.
size_with() {
	local source=$1
	shift
	# shellcheck disable=SC2086
	"${compiler[@]}" -O2 -I"$srcdir/include" "$srcdir/tests/abi/$source" -o "$scratch/sized" "$library" \
		$libraries "$@"
	${SIZE:-size} "$scratch/sized" | awk 'NR == 2 { print $1 }'
}
# A program that reads and writes a log, with all of the library and with what it needs.
whole=$(size_with static_client.c)
if needed=$(size_with static_client.c -Wl,--gc-sections) && test "$needed" -ge $((whole / 2)); then
	echo "FAIL: with --gc-sections $needed bytes of $whole stay in a program"
	exit 1
fi
"$scratch/sized"

# A reader contains what decompresses and nothing that compresses, encodes or records, whichever tables the library has.
if size_with small_reader.c -Wl,--gc-sections >"$scratch/size"; then
	${NM:-nm} "$scratch/sized" | awk '{ print $NF }' >"$scratch/names"
	if grep -E '^(deflate|deflateInit_|ZSTD_compress2|ZSTD_createCCtx_advanced|mprof_(recorder|writer)_.*)(@.*)?$' \
		"$scratch/names"; then
		echo "FAIL: a small reader contains these functions"
		exit 1
	fi
fi

# A reader pays for what it uses. The limits are for x86-64: that of a build for size is the one that doc/install.md
# states, that of a build by default 2 % more than it was when this was written, of which 26,000 bytes are tables for
# unwinding.
case $(sed -n 's/^CFLAGS = //p' "$builddir/Makefile") in
*-Os*-fno-unwind-tables*) reader_limit=150000 ;;
*-O2*) reader_limit=236000 ;;
*) reader_limit= ;;
esac
if test "$(uname -m)" = x86_64 && test -n "$reader_limit" &&
	needed=$(size_with small_reader.c -Wl,--gc-sections) && test "$needed" -gt $reader_limit; then
	echo "FAIL: a small reader has $needed bytes of code and constants, more than $reader_limit"
	exit 1
fi
