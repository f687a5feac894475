#!/bin/bash
# SPDX-License-Identifier: MIT
# What recording costs a real program: Mono's C# compiler compiles some 8,000 lines without a profiler, with one that
# does nothing, with this one and with Mono's own. Also what reading costs: a report of each profiler's own log.
# Usage: bench.sh [ROUNDS]
#
# The rounds are interleaved, so that a busy machine slows all of them down. Needs mono, mcs, pkg-config, a C compiler
# and libmono-profiler. In the environment: srcdir, builddir, CC.
set -eu

rounds=${1:-7}
srcdir=${srcdir:-.}
builddir=${builddir:-.}
compiler=/usr/lib/mono/4.5/mcs.exe
work=$(mktemp -d "${TMPDIR:-/tmp}/mprof-bench.XXXXXX")
trap 'rm -rf "$work"' EXIT
# One decimal point for all tools
export LC_ALL=C

for tool in mono pkg-config; do
	command -v "$tool" >/dev/null || { echo "bench: $tool is not installed" >&2; exit 77; }
done
test -e "$compiler" || { echo "bench: $compiler is not there: install mono-mcs" >&2; exit 77; }
test -e "$builddir/examples/mono/.libs/libmono-profiler-mprof.so" ||
	{ echo "bench: the module for Mono was not built" >&2; exit 77; }

# shellcheck disable=SC2046
${CC:-cc} -O2 -fPIC -shared $(pkg-config --cflags mono-2) -o "$work/libmono-profiler-empty.so" \
	"$srcdir/tests/bench/mono/empty.c"
bash "$srcdir/tests/bench/mono/source.sh" >"$work/source.cs"
export LD_LIBRARY_PATH="$work:$builddir/examples/mono/.libs:$builddir/lib/.libs"

names=(none empty mprof)
# shellcheck disable=SC2054 # commas of the options of a module
declare -A profiler=(
	[none]=""
	[empty]=--profile=empty
	[mprof]="--profile=mprof:calls,alloc,quiet,output=$work/mprof.log"
	[log]=--profile=log:nodefaults,calls,alloc,maxframes=0,output=$work/log.log
)
if test -e /usr/lib/libmono-profiler-log.so; then
	names+=(log)
fi

# measure NAME: appends "wall user system" to NAME.times
measure() {
	local TIMEFORMAT='%R %U %S'
	# The files of the last round are not truncated at the cost of this one.
	rm -f "$work/$1.log"
	# shellcheck disable=SC2086
	{ time mono ${profiler[$1]} "$compiler" -nologo -r:System.Core.dll -out:"$work/out.exe" "$work/source.cs" 2>"$work/err"; } \
		2>>"$work/$1.times" || { cat "$work/err" >&2; exit 1; }
}

# measure_report NAME COMMAND: appends "wall user system" to NAME-report.times, and writes NAME.txt
measure_report() {
	local TIMEFORMAT='%R %U %S'
	{ time "${@:2}" "$work/$1.log" >"$work/$1.txt" 2>"$work/err"; } 2>>"$work/$1-report.times" ||
		{ cat "$work/err" >&2; exit 1; }
}

# median NAME FIELDS: of the sum of fields of NAME.times
median() {
	awk -v fields="$2" '{ n = split(fields, f, "+"); s = 0; for (i = 1; i <= n; i++) s += $f[i]; print s }' \
		"$work/$1.times" | sort -g | awk '{ v[NR] = $1 } END { print NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }'
}

bytes() {
	stat -c %s "$work/$1.log" 2>/dev/null || echo 0
}

for name in "${names[@]}"; do
	measure "$name"
	rm -f "$work/$name.times"
done
for ((round = 0; round < rounds; round++)); do
	for name in "${names[@]}"; do
		measure "$name"
	done
done

echo "mcs compiling $(wc -l <"$work/source.cs") lines, medians of $rounds rounds"
printf '%-8s %8s %8s %8s %12s\n' profiler 'CPU s' 'wall s' 'idle s' 'log bytes'
for name in "${names[@]}"; do
	awk -v name="$name" -v cpu="$(median "$name" 2+3)" -v wall="$(median "$name" 1)" -v bytes="$(bytes "$name")" 'BEGIN {
		printf "%-8s %8.3f %8.3f %8.3f %12d\n", name, cpu, wall, (wall > cpu ? wall - cpu : 0), bytes
	}'
done

# What a heap snapshot adds to a walk of the heap, with the world stopped: processor time, in the same collections.
# shellcheck disable=SC2046
${CC:-cc} -O2 -fPIC -shared $(pkg-config --cflags mono-2) -I"$srcdir/include" -o "$work/libmono-profiler-walk.so" \
	"$srcdir/tests/bench/mono/walk.c" -L"$builddir/lib/.libs" -lmprof
mcs -nologo -out:"$work/Graph.exe" "$srcdir/tests/bench/mono/Graph.cs"
mono --profile=walk "$work/Graph.exe" | sort -g -k4 | awk '$1 > 900000 { line[++n] = $0 } END {
	split(line[int((n + 1) / 2)], f, " ")
	printf "heap walk of %d objects: %.1f ns each, recorded %.1f ns: ratio %.2f, median of %d\n", f[1], f[2], f[3], f[4], n
}'

test -e "$work/log.log" || exit 0
if command -v mprof-report >/dev/null; then
	# Without the wrapper script of libtool, if there is one. The first round is not counted.
	tool=$builddir/examples/mprof/.libs/mprof
	test -x "$tool" || tool=$builddir/examples/mprof/mprof
	for ((round = -1; round < rounds; round++)); do
		measure_report mprof "$tool" report
		measure_report log mprof-report
		test $round -ge 0 || rm "$work"/*-report.times
	done
	# mprof does not see the calls in precompiled code, of which there are none for Mono's own profiler.
	awk -v ours="$(median mprof-report 2+3)" -v theirs="$(median log-report 2+3)" \
		-v ours_calls="$(sed -n 's/^  calls  *//p' "$work/mprof.txt" | tr -d ,)" \
		-v theirs_calls="$(sed -n 's/^Total calls: //p' "$work/log.txt")" 'BEGIN {
		printf "CPU of a report, mprof to mprof-report: %.3f s / %.3f s = %.2f\n", ours, theirs, ours / theirs
		printf "for each call: %.1f ns / %.1f ns = %.2f\n", ours / ours_calls * 1e9, theirs / theirs_calls * 1e9,
			ours / ours_calls * theirs_calls / theirs
	}'
fi
awk -v empty="$(median empty 2+3)" -v ours="$(median mprof 2+3)" -v theirs="$(median log 2+3)" \
	-v ours_wall="$(median mprof 1)" -v theirs_wall="$(median log 1)" -v empty_wall="$(median empty 1)" \
	-v ours_bytes="$(bytes mprof)" -v theirs_bytes="$(bytes log)" 'BEGIN {
	printf "CPU over empty callbacks, mprof to log: %.3f s / %.3f s = %.2f\n", ours - empty, theirs - empty,
		(ours - empty) / (theirs - empty)
	printf "wall over empty callbacks, mprof to log: %.3f s / %.3f s = %.2f\n", ours_wall - empty_wall,
		theirs_wall - empty_wall, (ours_wall - empty_wall) / (theirs_wall - empty_wall)
	printf "log bytes, mprof to log: %.2f\n", ours_bytes / theirs_bytes
}'
