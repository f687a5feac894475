#!/bin/bash
# SPDX-License-Identifier: MIT
# What it takes to print logs of 10 MB and more as text: mprof decode against mprof-decoder, the decoder that came with
# Mono 2, which runs on Mono. The logs are in the dialect that both read. Usage: decode.sh [ROUNDS]
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

# record NAME OPTIONS PROGRAM...: makes NAME.mprof
record() {
	local name=$1 options=$2

	shift 2
	LD_LIBRARY_PATH="$builddir/examples/mono/.libs:$builddir/lib/.libs" \
		mono --profile="mprof:format=mono,$options,quiet,output=$work/$name.mprof" "$@" >"$work/err" 2>&1 ||
		{ cat "$work/err" >&2; exit 1; }
}

bash "$srcdir/tests/bench/mono/source.sh" 180 >"$work/source.cs"
for program in Paths Graph; do
	mcs -nologo -out:"$work/$program.exe" "$srcdir/tests/bench/mono/$program.cs"
done
compile=("$compiler" -nologo -r:System.Core.dll -out:"$work/out.exe" "$work/source.cs")
# By name, with the description of each.
declare -A logs=(
	[calls]='compiler, calls'
	[allocations]='compiler, calls and allocations'
	[stacks]='compiler, allocations with stacks'
	[paths]='calls on 2700 paths'
	[heap]='a heap snapshot of 10^6 objects'
)
record calls calls "${compile[@]}"
record allocations calls,alloc "${compile[@]}"
record stacks alloc=stack "${compile[@]}"
record paths calls "$work/Paths.exe"
record heap heap=9gc "$work/Graph.exe"

# The program itself, not the script of libtool that runs it.
mprof=$builddir/examples/mprof/.libs/mprof
test -e "$mprof" || mprof=$builddir/examples/mprof/mprof

# measure LOG TOOL COMMAND...: appends seconds of the clock and of the processor to LOG.TOOL.times
measure() {
	local TIMEFORMAT='%R %U %S'
	local log=$1 tool=$2

	shift 2
	{ time "$@" "$work/$log.mprof" >"$work/out" 2>"$work/err"; } 2>>"$work/$log.$tool.times" ||
		{ cat "$work/err" >&2; exit 1; }
}

# median LOG TOOL FIELDS: of the sum of fields of LOG.TOOL.times
median() {
	awk -v fields="$3" '{ n = split(fields, f, "+"); s = 0; for (i = 1; i <= n; i++) s += $f[i]; print s }' \
		"$work/$1.$2.times" | sort -g | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'
}

export LD_LIBRARY_PATH=$builddir/lib/.libs
printf 'medians of %s rounds, in seconds: mprof decode, mprof-decoder, ratio\n' "$rounds"
printf '%-32s %6s %22s %22s\n' log MB 'processor' 'clock'
for log in calls allocations stacks paths heap; do
	for ((round = 0; round < rounds; round++)); do
		measure $log mprof "$mprof" decode
		measure $log decoder mprof-decoder
	done
	printf '%-32s %6.1f' "${logs[$log]}" "$(stat -c %s "$work/$log.mprof" | awk '{ print $1 / 1e6 }')"
	for fields in 2+3 1; do
		awk -v mprof="$(median $log mprof $fields)" -v decoder="$(median $log decoder $fields)" \
			'BEGIN { printf "   %.3f %7.3f %7.1f", mprof, decoder, decoder / mprof }'
	done
	echo
done
