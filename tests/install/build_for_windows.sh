#!/bin/bash
# SPDX-License-Identifier: MIT
# The library without its recorder builds for Windows without a warning, and a program of it reads there, under Wine, what
# it reads here: the logs of tests/data, whole and damaged.
#
# build_for_windows.sh DIRECTORY BUILD: builds in the directory, and expects what the same program prints with the library
# of BUILD. Called by .ci/run; takes long, hence no part of make check.
set -eu

directory=${1:?a directory to build in}
native=$(realpath "${2:?a directory where the library was built for this system}")
srcdir=$(cd "$(dirname "$0")/../.." && pwd)
host=x86_64-w64-mingw32

skip() {
	echo "SKIP: $1"
	exit 77
}

fail() {
	echo "FAIL: $1"
	exit 1
}

# Debian has no wine64 among the commands without more of Wine.
wine=$(command -v wine64 || command -v /usr/lib/wine/wine64) || skip "wine64 is missing: install wine64"
command -v $host-gcc >/dev/null || skip "$host-gcc is missing: install gcc-mingw-w64-x86-64-win32"
test -e /usr/$host/include/zlib.h || skip "zlib for Windows is missing: install libz-mingw-w64-dev"
mkdir -p "$directory"
cd "$directory"
directory=$PWD
"$srcdir/configure" --quiet --enable-werror --host=$host --disable-recorder CC="${CCACHE:+$CCACHE }$host-gcc" CFLAGS=-O1
make -s -j"$(nproc)" lib/libmprof.la >make.log

warnings=(-std=c11 -Wall -Wextra -Werror -O1)
client=$srcdir/tests/install/decode_client.c
$host-gcc "${warnings[@]}" -I"$srcdir/include" "$client" -o client.exe -Llib/.libs -lmprof
# The native library may have been built with libzstd.
read -ra zstd < <(sed -n 's/^ZSTD_LIBS = //p' "$native/Makefile") || true
gcc "${warnings[@]}" -I"$srcdir/include" "$client" -o client "$native/lib/.libs/libmprof.a" "${zstd[@]}" -lz -pthread
mkdir -p logs
gcc -O1 -I"$srcdir/tests" "$srcdir"/tests/data/{build_logs,log_output}.c -o build_logs
./build_logs "$srcdir/tests/data" logs >/dev/null
names=$(cd logs && echo *.mprof)
test "$names" != "*.mprof" || fail "there are no logs"

# Nothing of Wine is to be shown, nor to be left in the home directory. Its server stays for a while otherwise.
export WINEPREFIX=$directory/wine WINEDEBUG=-all WINEDLLOVERRIDES="mscoree,mshtml=" DISPLAY=
WINEPATH="$directory/lib/.libs;/usr/$host/lib;$(dirname "$($host-gcc -print-file-name=libgcc.a)")"
export WINEPATH
end_server() {
	/usr/lib/wine/wineserver64 -k 2>/dev/null || true
}
trap end_server EXIT
# shellcheck disable=SC2086 # names of logs have no spaces
./client logs $names >native.txt
# shellcheck disable=SC2086
"$wine" ./client.exe logs $names | tr -d '\r' >windows.txt
diff native.txt windows.txt | head -n 20
grep -q '^file: .* [1-9][0-9]* events,.* nothing left$' native.txt || fail "no log was read"
cmp -s native.txt windows.txt || fail "logs are read otherwise under Windows"
echo "PASS: $(wc -w <<<"$names") logs were read under Windows"
