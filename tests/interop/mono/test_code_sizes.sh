#!/bin/bash
# SPDX-License-Identifier: MIT
# The sizes and the origins of code are those that the runtime counts itself.
set -eu
. "$srcdir/tests/interop/mono/support.sh"

compile CodeSizes

# counted NAME: a number of the statistics that the runtime prints at its end.
counted() {
	sed -n "s/^$1 *: //p" facts
}

# logged ORIGIN FIELD: a field of the totals of an origin, 0 if there is no such code.
logged() {
	jq "[.code_totals[] | select(.origin == \"$1\").$2] | add // 0" report
}

# recorded NAME OPTIONS RUNTIME_OPTION...: a run, with the statistics in facts and the report in report.
recorded() {
	local name=$1 options=$2
	shift 2
	mono "$@" --stats --profile=mprof:"$options,quiet,output=$name.mprof" CodeSizes.exe >facts
	check_complete "$name.mprof"
	"$MPROF" report --json --top=0 "$name.mprof" >report
}

# same_as_counted NAME: the report has what the runtime counted.
same_as_counted() {
	expect "$1: native code size" "$(logged jit bytes)" "$(counted 'Native code size')"
	expect "$1: compiled" "$(logged jit count)" "$(counted 'Methods JITted using mono JIT')"
	expect "$1: precompiled" "$(logged precompiled count)" "$(counted 'Methods from AOT')"
	expect "$1: sums of assemblies" "$(jq '[.code_assemblies[].bytes] | add' report)" \
		"$(jq '[.code_totals[].bytes] | add' report)"
	expect "$1: sums of methods" "$(jq '[.code_methods[].bytes] | add' report)" \
		"$(jq '[.code_totals[].bytes] | add' report)"
}

# origins METHOD: the origins of the code of a method of the program.
origins() {
	jq -r "[.code_methods[] | select(.method == \"CodeSizes.Program.$1\").origin] | unique | join(\",\")" report
}

# On this system some of the class library may be precompiled.
recorded default jit
same_as_counted default
expect "default: own method" "$(origins 'Fibonacci (int)')" jit
test "$(logged trampoline bytes)" -gt 0 || fail "no trampolines"

# The time to compile is shared out among the methods without counting any of it twice.
expect "compile time" "$(jq '([.code_totals[].compile_ns] | add) <= .totals.jit_ns + (.code_methods | length)' \
	report)" true

recorded without_aot "$everything" -O=-aot
same_as_counted without_aot
expect "without precompiled code" "$(logged precompiled count)" 0

# The map for perf has the same code: methods that were compiled, and trampolines.
mono -O=-aot --profile=mprof:jit,perf-map,quiet,output=map.mprof CodeSizes.exe >/dev/null &
pid=$!
wait "$pid"
"$MPROF" report --json --top=0 map.mprof >report
map=/tmp/perf-$pid.map
expect "map" "$(jq '[.code_totals[].bytes] | add' report)" \
	"$(while read -r _ size _; do echo $((16#$size)); done <"$map" | jq -s add)"
rm -f "$map"

# What an interpreter runs is no native code.
if mono --interp CodeSizes.exe >/dev/null 2>&1; then
	recorded interpreted jit --interp
	expect "interpreted" "$(origins 'Fibonacci (int)')" interpreted
	expect "interpreted: native code size" "$(logged jit bytes)" "$(counted 'Native code size')"
	expect "interpreted: precompiled" "$(logged precompiled count)" "$(counted 'Methods from AOT')"
fi

# Formats without sizes are written as before.
mono --profile=mprof:jit,format=mono,quiet,output=classic.mprof CodeSizes.exe >/dev/null
expect "older format" "$("$MPROF" report --json classic.mprof | jq -c '[.code_totals, .code_methods]')" '[[],[]]'

# A copy keeps the sizes; one in a format without them counts them.
"$MPROF" convert --dialect=mprof2 default.mprof copy.mprof
expect "copy" "$("$MPROF" report --json --top=0 copy.mprof | jq -c .code_totals)" \
	"$("$MPROF" report --json --top=0 default.mprof | jq -c .code_totals)"
"$MPROF" convert --json --dialect=mono default.mprof older.mprof >converted 2>converted.err || test $? -eq 1
expect "left out" "$(jq '[.. | ."method-code"? | numbers] | add > 0' converted)" true

# The program itself precompiled.
command -v as >/dev/null && command -v ld >/dev/null || skip "as or ld is not installed: nothing can be precompiled"
mono --aot CodeSizes.exe >/dev/null 2>&1 || fail "cannot precompile"
recorded precompiled jit
same_as_counted precompiled
expect "precompiled: own method" "$(origins 'Fibonacci (int)')" precompiled
