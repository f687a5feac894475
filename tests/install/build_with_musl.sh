#!/bin/bash
# SPDX-License-Identifier: MIT
# The library builds with another C library, musl, without a warning, and does the same there: recording with threads and
# fork(), and reading. musl-tools has no zlib, so logs are not compressed.
#
# build_with_musl.sh DIRECTORY BUILD: builds in the directory, and expects what a program prints with the library of BUILD.
# Called by .ci/run; takes long, hence no part of make check.
set -eu

directory=${1:?a directory to build in}
native=$(realpath "${2:?a directory where the library was built with the usual C library}")
srcdir=$(cd "$(dirname "$0")/../.." && pwd)

skip() {
	echo "SKIP: $1"
	exit 77
}

fail() {
	echo "FAIL: $1"
	exit 1
}

command -v musl-gcc >/dev/null || skip "musl-gcc is missing: install musl-tools"
mkdir -p "$directory"
cd "$directory"
# Not cross compiling, but the programs of the host's C library are not to be taken for musl's.
build=$(gcc -dumpmachine)
"$srcdir/configure" --quiet --enable-werror --disable-shared --without-zlib --without-mono --without-libdw \
	--without-ncurses --without-sqlite --build="$build" --host="${build%-gnu}-musl" CC=musl-gcc CFLAGS=-O1 LDFLAGS=-static
make -s -j"$(nproc)" lib/libmprof.la tests/recorder/test_fork tests/data/build_logs

tests/recorder/test_fork || fail "recording with threads and fork()"
mkdir -p logs
tests/data/build_logs "$srcdir/tests/data" logs >/dev/null
warnings=(-std=c11 -Wall -Wextra -Werror -O1)
client=$srcdir/tests/install/decode_client.c
musl-gcc "${warnings[@]}" -static -I"$srcdir/include" "$client" -o musl_client lib/.libs/libmprof.a -pthread
# The native library may have been built with libzstd.
read -ra zstd < <(sed -n 's/^ZSTD_LIBS = //p' "$native/Makefile") || true
gcc "${warnings[@]}" -I"$srcdir/include" "$client" -o client "$native/lib/.libs/libmprof.a" "${zstd[@]}" -lz -pthread
names=$(cd logs && echo *.mprof)
test "$names" != "*.mprof" || fail "there are no logs"
# shellcheck disable=SC2086 # names of logs have no spaces
./musl_client logs $names >musl.txt
# shellcheck disable=SC2086
./client logs $names >native.txt
diff native.txt musl.txt | head -n 20
grep -q '^file: .* [1-9][0-9]* events,.* nothing left$' native.txt || fail "no log was read"
cmp -s native.txt musl.txt || fail "logs are read otherwise"
echo "PASS: $(wc -w <<<"$names") logs were read"
