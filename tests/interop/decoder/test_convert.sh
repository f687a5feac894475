#!/bin/bash
# SPDX-License-Identifier: MIT
# mprof-decoder prints the same for a log of Mono 2 and for its copy made through mprof2. For a log recorded as mprof2,
# its output matches that of the program.
set -eu
. "$srcdir/tests/interop/decoder/support.sh"

# to_mono LOG COPY
to_mono() {
	"$MPROF" convert --dialect=mono "$1" "$2" 2>converted || fail "convert $1: status $?: $(cat converted)"
}

# recorded KINDS PROGRAM OPTIONS: compares the facts that the program prints with those of the decoder, for these kinds.
recorded() {
	compile "$2"
	profiled "$3,output=$2.mprof" "$2.exe" >"$2.expected"
	expect "$2: dialect" "$(info "$2.mprof" .dialect)" mprof2
	to_mono "$2.mprof" "$2-mono.mprof"
	check_complete "$2-mono.mprof"
	decode "$2-mono.mprof"
	awk -F '\t' -v OFS='\t' '
		$1 == "calls" { print $1, $2 "." $3, $4 }
		$1 == "allocations" { print; print "bytes", $2, $4 }' "$2.expected" | grep -E "^($1)	" >wanted
	test -s wanted || fail "$2: nothing to compare"
	while read -r line; do
		grep -qxF -- "$line" "$2-mono.mprof.facts" || fail "$2: the output of mprof-decoder lacks '$line'"
	done <wanted
	echo "$2: $(wc -l <wanted) facts"
}

recorded calls Calls calls
recorded calls Threads calls,threads
recorded calls Exceptions calls,exceptions
recorded "bytes" Allocations alloc=stack+caller+objects,gc
recorded "bytes" Allocations alloc,gc,heap,summary,free

# Call stacks of samples, and heap snapshots: the totals are those of the log.
compile Hot
profiled "sample=1000,output=Hot.mprof" Hot.exe 300 >Hot.expected
to_mono Hot.mprof Hot-mono.mprof
decode Hot-mono.mprof
decoded Hot-mono.mprof "samples $(info Hot.mprof .events.sample)"

test -n "${MPROF_SAMPLES-}" || exit 0

# timeless TEXT: its lines without the numbers that repeated base counters make wrong. Mono wrote blocks that repeat the
# base counter of the previous block, and mprof-decoder then counts times from there again: for these logs it prints
# wrong times of collections, calls, compilations and waits. Their copies contain the correct base counters and result
# in correct times.
timeless() {
	awk '
		/^Reporting (execution|jit|GC|monitor)/ { is_time = 1 }
		/^Reporting (allocations|statistical|allocation|heap)/ { is_time = 0 }
		!is_time' "$1"
}

same_text=0
better_text=0
for log in "$MPROF_SAMPLES"/*.mprof; do
	text=${log%.mprof}.decoder.txt
	# Large logs have nothing that small ones do not have.
	test "$(stat -c %s "$log")" -lt 100000 || continue
	one_of 3 || continue
	# mprof-decoder cannot read some logs to the end.
	grep -qE '^(Unhandled Exception|\[ERROR\]|Stopping decoding)' "$text" && continue
	test "$("$MPROF" info --json "$log" 2>/dev/null | jq -r '[.dialect, .complete] | join(" ")')" = "mono true" || continue
	"$MPROF" convert "$log" between.mprof || fail "convert $log: status $?"
	to_mono between.mprof copy.mprof
	timeout 120 mprof-decoder copy.mprof >copy.txt 2>&1 || fail "mprof-decoder of a copy of $log: status $?"
	if cmp -s copy.txt "$text"; then
		same_text=$((same_text + 1))
		continue
	fi
	diff <(timeless copy.txt) <(timeless "$text") >difference || fail "$log: $(head -n 10 difference)"
	better_text=$((better_text + 1))
done
echo "$same_text logs of Mono with the same text, $better_text with other times"
test "$same_text" -gt 0 || skip "no logs in $MPROF_SAMPLES"
