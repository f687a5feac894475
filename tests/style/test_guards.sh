#!/bin/bash
# SPDX-License-Identifier: MIT
# The guard of a header is its path below the directory that it is included from: IO_SINK_H for io/sink.h in lib,
# MPROF_BASE_H for mprof/base.h in include. So no two headers have the same guard, and a moved one is not forgotten.
#
# test_guards.sh --write replaces the guards that are wrong.
set -eu
cd "$srcdir"

status=0
headers=$(find include lib examples tests -name '*.h' | LC_ALL=C sort)
while read -r header; do
	path=$header
	for directory in include lib examples/mprof examples tests; do
		case $path in
		"$directory"/*) path=${path#"$directory"/} && break ;;
		esac
	done
	wanted=$(tr 'a-z/.-' 'A-Z___' <<<"$path")
	# A header of trace points is included several times, with macros that its guard takes into account.
	guard=$(sed -nE 's/^#(ifndef|if !defined\() ?([A-Z0-9_]*).*/\2/p' "$header" | head -1)
	test "$guard" != "$wanted" || continue
	if test "${1-}" = --write; then
		sed -Ei "s/\b$guard\b/$wanted/" "$header"
	else
		echo "FAIL: $header: the guard is $guard, not $wanted"
		status=1
	fi
done <<<"$headers"
exit "$status"
