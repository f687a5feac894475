#!/bin/bash
# SPDX-License-Identifier: MIT
# What it takes to print a log of some 10 MB as text: mprof decode against mprof-decoder, the decoder that came with Mono 2,
# which runs on Mono. The log is that of Mono's C# compiler, in the dialect that both read. Usage: decode.sh [ROUNDS]
#
# The rounds are interleaved. Needs mono, mcs and mprof-decoder. In the environment: srcdir, builddir.
set -eu

rounds=${1:-5}
srcdir=${srcdir:-.}
builddir=${builddir:-.}
compiler=/usr/lib/mono/4.5/mcs.exe
work=$(mktemp -d "${TMPDIR:-/tmp}/mprof-bench.XXXXXX")
trap 'rm -rf "$work"' EXIT
# One decimal point for all tools
export LC_ALL=C

for tool in mono mprof-decoder; do
	command -v "$tool" >/dev/null || { echo "bench: $tool is not installed" >&2; exit 77; }
done
test -e "$compiler" || { echo "bench: $compiler is not there: install mono-mcs" >&2; exit 77; }
test -e "$builddir/examples/mono/.libs/libmono-profiler-mprof.so" ||
	{ echo "bench: the module for Mono was not built" >&2; exit 77; }

log=$work/compiler.mprof
bash "$srcdir/tests/bench/mono/source.sh" 180 >"$work/source.cs"
LD_LIBRARY_PATH="$builddir/examples/mono/.libs:$builddir/lib/.libs" \
	mono --profile="mprof:format=mono,calls,alloc,quiet,output=$log" \
	"$compiler" -nologo -r:System.Core.dll -out:"$work/out.exe" "$work/source.cs" >"$work/err" 2>&1 ||
	{ cat "$work/err" >&2; exit 1; }

# The program itself, not the script of libtool that runs it.
mprof=$builddir/examples/mprof/.libs/mprof
test -e "$mprof" || mprof=$builddir/examples/mprof/mprof

# measure NAME COMMAND...: appends seconds of the clock and of the processor to NAME.times
measure() {
	local TIMEFORMAT='%R %U %S'
	local name=$1

	shift
	{ time "$@" "$log" >"$work/$name.out" 2>"$work/err"; } 2>>"$work/$name.times" || { cat "$work/err" >&2; exit 1; }
}

# median NAME FIELDS: of the sum of fields of NAME.times
median() {
	awk -v fields="$2" '{ n = split(fields, f, "+"); s = 0; for (i = 1; i <= n; i++) s += $f[i]; print s }' \
		"$work/$1.times" | sort -g | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'
}

export LD_LIBRARY_PATH=$builddir/lib/.libs
for ((round = 0; round < rounds; round++)); do
	measure mprof "$mprof" decode
	measure decoder mprof-decoder
done
printf 'a log of %s bytes, medians of %s rounds\n' "$(stat -c %s "$log")" "$rounds"
for fields in 1 2+3; do
	awk -v what="$(test $fields = 1 && echo 'wall s' || echo 'CPU s')" -v mprof="$(median mprof $fields)" \
		-v decoder="$(median decoder $fields)" 'BEGIN {
		printf "%-8s mprof decode %.3f, mprof-decoder %.3f, ratio %.1f\n", what, mprof, decoder, decoder / mprof
	}'
done
