#!/bin/bash
# SPDX-License-Identifier: MIT
# Logs that the module writes in the format of Mono 2: mprof-decoder reads them to the end and finds the same facts as
# mprof report and as the programs themselves.
set -eu
. "$srcdir/tests/interop/decoder/support.sh"

# reported LOG: puts the facts from mprof report, in the form of decoded.awk, into LOG.reported.
reported() {
	"$MPROF" report --json "$1" >report.json || fail "mprof report $1: status $?"
	jq -r '
		(.methods | map(select(.calls > 0)) | group_by([.class, .name])[]
			| ["calls", .[0].class + "." + .[0].name, (map(.calls) | add)]),
		(.classes | map(select(.allocations > 0)) | group_by(.name)[]
			| ["allocations", .[0].name, (map(.allocations) | add), (map(.bytes) | add)],
			  ["bytes", .[0].name, (map(.bytes) | add)]),
		(select(.monitors | length > 0) | .monitors
			| ["monitor", (map(.contentions) | add), (map(.failures) | add)]),
		(.collections[] | ["collection", .number]),
		(.heap_summaries[] | ["summary", .collection, .class, .live_objects, .live_bytes, .dead_bytes]),
		(.heap_shots[] | ["shot", .number]),
		["samples", .sample_count],
		(.samples[] | select(.kind == "managed" or (.module != null and .name != .module))
			| ["sample", (if .kind == "managed" then .name else "[\(.module)]\(.name)" end), .hits])
		| map(tostring) | join("\t")' report.json | LC_ALL=C sort >"$1.reported"
}

# expected FILE: the facts that the program printed, in the same form.
expected() {
	awk -F '\t' -v OFS='\t' '
		$1 == "calls" { print $1, $2 "." $3, $4 }
		$1 == "allocations" { print; print "bytes", $2, $4 }' "$1" | LC_ALL=C sort
}

# agrees LOG EXPECTED KIND...: for these kinds, the facts of the decoder equal those of mprof report and include all
# facts of the program.
agrees() {
	local log=$1 program=$2
	shift 2
	check_complete "$log"
	expect "$log: dialect" "$(info "$log" .dialect)" mono
	decode "$log"
	reported "$log"
	kinds "$log.facts" "$@" >theirs
	kinds "$log.reported" "$@" >ours
	same "$log: mprof-decoder and mprof report" theirs ours
	expected "$program" | kinds /dev/stdin "$@" >claimed
	LC_ALL=C comm -23 claimed theirs >missing
	test ! -s missing || fail "$log: not so: $(head -n 20 missing)"
	echo "$log: $(wc -l <theirs) facts are the same, $(wc -l <claimed) are the program's"
}

for program in Calls Exceptions Generics Threads Native; do
	compile $program
	logged "calls,o=$program.mprof" $program.exe >$program.expected 2>$program.stderr ||
		fail "$program ended with status $?: $(cat $program.stderr)"
	agrees $program.mprof $program.expected calls
done

for program in Allocations Generics Threads; do
	compile $program
	choices=("alloc" "alloc,aci" "calls,alloc")
	test $program != Allocations || choices+=("+alloc" "alloc,-sas" "jit,alloc" "monitor,alloc")
	for options in "${choices[@]}"; do
		one_of 2 || continue
		logged "$options,o=$program.mprof" $program.exe >$program.expected 2>$program.stderr
		agrees $program.mprof $program.expected bytes
		test "$options" != +alloc || continue
		LC_ALL=C comm -23 <(kinds $program.mprof.facts allocations) $program.mprof.reported >difference
		test ! -s difference || fail "$program, $options: $(head -n 20 difference)"
		LC_ALL=C comm -23 <(expected $program.expected | kinds /dev/stdin allocations) $program.mprof.facts >missing
		test ! -s missing || fail "$program, $options: not so: $(head -n 20 missing)"
	done
done

# Objects allocated by the compiler: the whole text is the same.
compile_literals
for options in alloc alloc,-sas alloc,aci; do
	logged "$options,o=Literals.mprof" Literals.exe 2>Literals.stderr
	check_complete Literals.mprof
	decode Literals.mprof
	LC_ALL=C sort Literals.mprof.text >theirs
	"$MPROF" decode Literals.mprof | LC_ALL=C sort >ours
	same "$options: mprof-decoder and mprof decode" theirs ours
	grep -q 'JIT time.*Literals\.Program\.Fail ()' theirs || fail "$options: nothing at JIT time"
done

# Collections, with the heap after each: live objects and dead objects by class.
compile Heap
logged "heap=all,as,free,o=Heap.mprof" Heap.exe >Heap.expected 2>Heap.stderr
agrees Heap.mprof Heap.expected bytes collection summary shot
kinds Heap.mprof.facts shot | cut -f 2 >shots
kinds Heap.mprof.facts collection | cut -f 2 >collections
same "numbers of heap snapshots and of collections" shots collections
logged "free,o=free.mprof" Heap.exe >free.expected 2>free.stderr
agrees free.mprof free.expected bytes collection
kinds free.mprof.facts shot | cut -f 2 >shots
kinds free.mprof.facts collection | cut -f 2 >collections
same "numbers of heap data and of collections" shots collections
compile Collections
logged "gc,o=Collections.mprof" Collections.exe >Collections.expected 2>Collections.stderr
agrees Collections.mprof Collections.expected collection
test "$(kinds Collections.mprof.facts collection | wc -l)" -ge 21 || fail "too few collections"
grep -q '^mprof: Collections.mprof: [0-9]* session blocks left out, not available in mono$' Collections.stderr ||
	fail "the module does not report what is left out: $(cat Collections.stderr)"

# Locks
compile Monitors
logged "monitor,o=Monitors.mprof" Monitors.exe >Monitors.expected 2>Monitors.stderr
agrees Monitors.mprof Monitors.expected monitor
decoded Monitors.mprof "monitor 35 15"

# Samples without callers: with callers, that decoder does not count the sampled items.
compile Spinning
logged "s,o=Spinning.mprof" Spinning.exe 200 >Spinning.expected 2>Spinning.stderr
agrees Spinning.mprof Spinning.expected samples sample

# Compilations
logged "jit,o=Calls.mprof" Calls.exe >Calls.expected 2>Calls.stderr
check_complete Calls.mprof
decode Calls.mprof
"$MPROF" report --json Calls.mprof |
	jq -r '.methods[] | select(.jit_ns > 0) | "jit\t\(.class).\(.name)"' | LC_ALL=C sort >ours
kinds Calls.mprof.facts jit >theirs
same "methods compiled" theirs ours

# All kinds at once, with and without calls, with small buffers: the decoder can read everything and prints the same
# numbers.
everything=jit,alloc,aci,gc,heap=all,as,free,monitor,threads,s=16
for program in Heap Monitors Threads; do
	choices=("calls,$everything,tbs=128,se")
	test $program != Heap || choices+=("$everything" "$everything,sd")
	for options in "${choices[@]}"; do
		found=(collection summary shot monitor)
		case $options in
		*sd) ;;
		calls*) found+=(bytes calls) ;;
		*) found+=(bytes) ;;
		esac
		logged "$options,o=all.mprof" $program.exe >all.expected 2>all.stderr
		agrees all.mprof all.expected "${found[@]}"
	done
done

# A native program
cat >native.c <<'END'
static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
int main(void) { return fib(10) != 55; }
END
module=${INSTRUMENT_DIR:-$builddir/examples/native/.libs}/libmprof-instrument.so
read -ra compiler <<<"${CC:-cc}"
if test -e "$module" && "${compiler[@]}" -O0 -finstrument-functions -o native native.c; then
	MPROF_INSTRUMENT_OPTIONS=format=mono MPROF_INSTRUMENT_OUTPUT=native.mprof LD_PRELOAD=$module ./native
	decode native.mprof
	decoded native.mprof "calls native.fib 177"
fi
