#!/bin/bash
# SPDX-License-Identifier: MIT
# The library builds with another C library, musl, without a warning, and does the same there: recording with threads and
# fork(), and reading. musl-tools has no zlib, so logs are not compressed.
#
# build_with_musl.sh DIRECTORY MPROF: builds in the directory, and expects what the other mprof prints. Called by .ci/run;
# takes long, hence no part of make check.
set -eu

directory=${1:?a directory to build in}
other=$(realpath "${2:?a program mprof that was built with the usual C library}")
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
make -s -j"$(nproc)" lib/libmprof.la examples/mprof/mprof tests/recorder/test_fork tests/data/build_logs

tests/recorder/test_fork || fail "recording with threads and fork()"
mkdir -p logs
tests/data/build_logs "$srcdir/tests/data" logs >/dev/null
# Prints what a program mprof makes of a log, its errors after that, and its exit status.
look_at() {
	local command status
	for command in check dump; do
		status=0
		"$1" "$command" "$2" 2>errors.txt || status=$?
		cat errors.txt
		echo "$command: $status"
	done
}

count=0
for log in logs/*.mprof; do
	look_at examples/mprof/mprof "$log" >musl.txt
	look_at "$other" "$log" >other.txt
	cmp musl.txt other.txt || fail "$log is read otherwise"
	count=$((count + 1))
done
test $count != 0 || fail "there are no logs"
echo "PASS: $count logs were read"
