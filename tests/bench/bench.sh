#!/bin/bash
# SPDX-License-Identifier: MIT
# Runs the benchmarks on a log of Mono's C# compiler, with all calls and allocations, or on one that the argument
# --log=FILE names. Without Mono, on calls that the program makes. Usage: bench.sh [--log=FILE] [--quick] [PART...]
#
# In the environment: srcdir, builddir.
set -eu

srcdir=${srcdir:-.}
builddir=${builddir:-.}
bench=$builddir/tests/bench/bench
compiler=/usr/lib/mono/4.5/mcs.exe
module=$builddir/examples/mono/.libs

for argument; do
	case $argument in
	--log=*) exec "$bench" "$@" ;;
	esac
done
if ! command -v mono >/dev/null || ! test -e "$compiler" || ! test -e "$module/libmono-profiler-mprof.so"; then
	echo "bench: no Mono, its C# compiler, or the module for it: sizes are those of a made log" >&2
	exec "$bench" "$@"
fi

work=$(mktemp -d "${TMPDIR:-/tmp}/mprof-bench.XXXXXX")
trap 'rm -rf "$work"' EXIT
bash "$srcdir/tests/bench/mono/source.sh" >"$work/source.cs"
LD_LIBRARY_PATH="$module:$builddir/lib/.libs" \
	mono --profile="mprof:calls,alloc,quiet,output=$work/compiler.mprof" "$compiler" -nologo -r:System.Core.dll \
	-out:"$work/out.exe" "$work/source.cs" >"$work/err" 2>&1 || { cat "$work/err" >&2; exit 1; }
"$bench" --log="$work/compiler.mprof" "$@"
