#!/bin/bash
# SPDX-License-Identifier: MIT
# The tree builds without a warning, and passes tests, in the ways that configure offers and "make check" does not use:
#
#   clang     with the other compiler, without static libraries
#   m32       for 32-bit x86, without zlib and static libraries; clang reads all files as well
#   no_zlib   without zlib
#   static    without shared libraries, and hence without modules
#   decoder   as small as doc/install.md states: without the recorder, shared libraries, zstd and tables for unwinding
#
# build_variants.sh DIRECTORY [VARIANT...]: builds each in a directory of its name there. Tests run where the variant can
# make a difference. Called by .ci/run; takes long, hence no part of make check. Status 77 if a compiler is missing.
set -eu

directory=${1:?a directory to build in}
shift
srcdir=$(cd "$(dirname "$0")/../.." && pwd)
mkdir -p "$directory"
cd "$directory"
# Logs of MPROF_SAMPLES are large, and were read by the usual build.
unset MPROF_SAMPLES

skip() {
	echo "SKIP: $1"
	exit 77
}

# configured VARIANT ARGUMENT...: in the directory of that name.
configured() {
	local variant=$1
	shift
	mkdir -p "$variant"
	(cd "$variant" && "$srcdir/configure" --quiet --enable-werror "$@")
}

# tests_of DIRECTORY...: the programs of the unit tests there.
tests_of() {
	printf 'tests/%s/run\n' "$@"
}

# checked VARIANT TEST...: builds everything but tests, and those tests, and runs them.
checked() {
	local variant=$1
	shift
	make -s -C "$variant" -j"$(nproc)" >"$variant/make.log" || return
	make -s -C "$variant" -j"$(nproc)" check check_PROGRAMS="$(printf '%s\n' "$@" | grep -v '\.sh$' | tr '\n' ' ')" \
		TESTS="$*" >"$variant/check.log" && return
	grep -E '^(FAIL|ERROR)' "$variant/check.log"
	return 1
}

# tested VARIANT TEST...: builds nothing but those tests, and runs them.
tested() {
	local variant=$1
	shift
	make -s -C "$variant" -j"$(nproc)" check-TESTS check_PROGRAMS="$*" check_DATA=tests/data/logs check_SCRIPTS= \
		TESTS="$*" >"$variant/check.log" && return
	grep -E '^(FAIL|ERROR)' "$variant/check.log"
	return 1
}

build_clang() {
	command -v clang >/dev/null || skip "clang is missing: install clang"
	configured clang --disable-static CC="${CCACHE:+$CCACHE }clang" CFLAGS="-O1" || return
	bash "$srcdir/tests/style/warnings.sh" clang clang || return
	# shellcheck disable=SC2046 # names of tests have no spaces
	tested clang $(tests_of base format recorder) tests/recorder/test_fork
}

# Debian has no Criterion for it without a second architecture: the tests run without that library.
build_m32() {
	echo 'int main(void) { return 0; }' >m32.c
	gcc -m32 -o m32.out m32.c 2>/dev/null || skip "gcc cannot build 32-bit programs: install gcc-multilib"
	configured m32 --disable-static --without-zlib --without-mono --without-libunwind --without-libdw --without-ncurses --without-sqlite --enable-plain-runner \
		--build="$(gcc -dumpmachine)" --host=i686-linux-gnu PKG_CONFIG="$(command -v pkg-config)" \
		CC="${CCACHE:+$CCACHE }gcc -m32" CFLAGS="-O1 -Wno-psabi" || return
	bash "$srcdir/tests/style/warnings.sh" m32 gcc -m32 || return
	if command -v clang >/dev/null; then
		bash "$srcdir/tests/style/warnings.sh" m32 clang -m32 || return
	fi
	./m32.out 2>/dev/null || skip "this system cannot run 32-bit programs: they were compiled only"
	# shellcheck disable=SC2046
	tested m32 $(tests_of base dictionary format io model parser reader recorder writer) tests/recorder/test_fork
}

# Programs of tests that need zlib skip what they cannot read; the tool has to say why it refuses a compressed log.
build_no_zlib() {
	configured no_zlib --without-zlib CC="${CCACHE:+$CCACHE }gcc" CFLAGS="-O1" || return
	# shellcheck disable=SC2046
	checked no_zlib $(tests_of convert dictionary io parser reader round_trip writer) tests/abi/test_symbols.sh \
		tests/abi/test_static.sh tests/install/test_consumers.sh tests/tool/test_convert.sh tests/tool/test_exit_status.sh \
		tests/tool/test_info.sh tests/tool/test_report.sh tests/tool/test_usage.sh tests/tool/test_wrong_files.sh
}

build_static() {
	configured static --disable-shared CC="${CCACHE:+$CCACHE }gcc" CFLAGS="-O1" || return
	# shellcheck disable=SC2046
	checked static $(tests_of reader recorder) tests/abi/test_static.sh tests/install/test_consumers.sh \
		tests/install/test_install.sh tests/tool/test_doctor.sh tests/tool/test_info.sh tests/tool/test_usage.sh
}

build_decoder() {
	configured decoder --disable-recorder --disable-shared --without-zstd CC="${CCACHE:+$CCACHE }gcc" \
		CFLAGS="-Os -fno-asynchronous-unwind-tables -fno-unwind-tables" || return
	# shellcheck disable=SC2046
	checked decoder $(tests_of io reader model writer convert) tests/io/test_sink tests/tool/test_convert.sh \
		tests/abi/test_unsupported.sh tests/abi/test_static.sh tests/install/test_install.sh \
		tests/tool/test_info.sh tests/tool/test_dump.sh tests/tool/test_report.sh
}

# m32 is without zlib as well, and clang reads all files there: no_zlib and clang are for machines that cannot build it.
# decoder has no shared libraries either, nor have the builds with sanitizers, which include the recorder: static is for
# changes to the build itself.
test $# -gt 0 || set -- m32 decoder
status=0
for variant in "$@"; do
	result=0
	("build_$variant") || result=$?
	case $result in
	0) echo "PASS: $variant, after $SECONDS seconds" ;;
	77) test $status != 0 || status=77 ;;
	*) echo "FAIL: $variant, after $SECONDS seconds" && status=1 ;;
	esac
done
exit $status
