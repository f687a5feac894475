#!/bin/bash
# SPDX-License-Identifier: MIT
# Samples of threads that spend their time in known code: in a method, in precompiled code, in a native function. The
# number of samples depends on the machine; that most of them are in this code does not, with two exceptions: the
# runtime's own source and samples in real time interrupt threads that wait for a processor. Such a thread handles the
# signal where the system next returns to it, often after a system call, so on a busy machine these calls get too many.
set -eu
. "$srcdir/tests/interop/mono/support.sh"

compile Spinning
compile Writing

# sampled OPTIONS MILLISECONDS: runs the program and checks properties of all samples.
sampled() {
	profiled "$1,quiet,output=samples.mprof" Spinning.exe "$2" >/dev/null || fail "$1: status $?"
	check_complete samples.mprof
	read_samples
	"$MPROF" report --json samples.mprof >report.json
	all=$(wc -l <samples.tsv)
	expect "$1: samples" "$(jq .sample_count report.json)" "$all"
	expect "$1: samples by thread" "$(jq '[.threads[].samples] | add' report.json)" "$all"
	expect "$1: hits" "$(jq '[.samples[].hits] | add' report.json)" "$all"
	expect "$1: hits of the session" "$(jq .session.sampling.hits report.json)" "$all"
	# A sample of an event stands for its period; those of other sources share the time that was measured.
	jq -e '.session.sampling | if .source == "perf" then .ms_per_hit * .requested_hz / 1000
		else .ms_per_hit * .hits * 1e6 / .time_ns end - 1 | fabs < 1e-6' report.json >/dev/null ||
		fail "$1: rates: $(jq -c .session.sampling report.json)"
	jq -e '.session.sampling as $all | ([.samples[].estimated_ns] | add) / ($all.ms_per_hit * $all.hits * 1e6) - 1 |
		fabs < 1e-6' report.json >/dev/null ||
		fail "$1: estimated times: $(jq -c .session.sampling report.json)"
	# A few native functions and code that the runtime generates for itself have no names.
	expect "$1: methods without a name" \
		"$(jq '[.samples[] | select(.kind == "managed" and .name == null)] | length' report.json)" 0
	jq -r '.samples[] | "\(.hits)\t\(.name)"' report.json >hits.tsv
}

# of THREAD: the number of its samples.
of() {
	awk -F '\t' -v thread="$1" '$1 == thread { count++ } END { print count + 0 }' samples.tsv
}

# hot SHARE THREAD FUNCTION FRAME: at least this share of the thread's samples, and five, are in the function, called
# from the frame; no other thread has samples there.
hot() {
	awk -F '\t' -v share="$1" -v thread="$2" -v function_name="$3" -v frame="$4" '
		function has_frame(   i) {
			for (i = 2; i <= NF && $i != frame; i++)
				;
			return i <= NF
		}
		$1 == thread { all++ }
		$2 == function_name && has_frame() { if ($1 == thread) inside++; else others++ }
		END {
			print inside + 0 " of " all + 0 " samples, and " others + 0 " of other threads"
			exit !(inside >= 5 && inside >= share * all && others == 0)
		}' samples.tsv >found || fail "$2: in $3 called from $4: $(cat found)"
}

# check_places SHARE: in a run of the program.
check_places() {
	hot "$1" managed "Spinning.Program.Spin ()" "Spinning.Program.Spin ()"
	hot "$1" library "string.CompareOrdinalHelper (string,string)" "Spinning.Program.Compare ()"
	hot "$1" native memfrob "Spinning.Program.Call ()"
	expect "module of a native function" "$(jq -r '.samples[] | select(.name == "memfrob").module' report.json |
		sed 's,.*/,,')" libc.so.6
}

# In processor time: the idle thread has almost no samples.
sampled sample=100 500
check_places 0.5
expect "sample=100: the functions with most samples" "$(head -n 3 hits.tsv | cut -f 2 | LC_ALL=C sort)" \
	"Spinning.Program.Spin ()
memfrob
string.CompareOrdinalHelper (string,string)"
expect "sample=100: request" "$(jq -r '.session.sampling | "\(.requested_hz) \(.clock)"' report.json)" "100 processor"
# Three threads take 500 ms each, or the round more that they had begun.
jq -e '.session.sampling.time_ns | . >= 1.3e9 and . < 3e9' report.json >/dev/null ||
	fail "sample=100: sampled time: $(jq -c .session.sampling report.json)"
test "$(of idle)" -le $((all / 10)) || fail "sample=100: $(of idle) of $all samples are of the idle thread"

# No sample is in the code that records, and threads are in it: most allocations are recorded here.
sampled sample=1000,alloc,calls 100
expect "samples in the profiler" "$(jq '[.samples[] | select((.module // "") | test("mprof"))] | length' report.json)" 0

# Each source reaches the places.
for source in perf timer runtime; do
	sampled sample=2000,sample-source=$source 200
	if test $source = runtime; then
		check_places 0
	else
		check_places 0.5
		test "$(of idle)" -le $((all / 10)) || fail "$source: $(of idle) of $all samples are of the idle thread"
	fi
	used=$(jq -r .session.sampling.source report.json)
	case $source/$used in
	perf/perf | perf/timer | timer/timer | runtime/runtime) ;;
	*) fail "sample-source=$source: $used" ;;
	esac
done

# Time that a thread spends in the kernel belongs to the function that called it.
for source in perf timer; do
	profiled sample=1000,sample-source=$source,quiet,output=samples.mprof Writing.exe 300 zeros >/dev/null ||
		fail "Writing: status $?"
	# With debug information of the C library, another name of the same function would be printed.
	"$MPROF" report --json --no-lines samples.mprof >report.json
	jq -e '.sample_count >= 10 and ([.samples[] | select(.name == "write") | .hits] | add) * 2 >= .sample_count' \
		report.json >/dev/null || fail "$source: in the kernel: $(jq -c '.samples[:5]' report.json)"
	rm zeros
done

# The tick of no system is that fast.
profiled sample=10000,sample-source=runtime,output=samples.mprof Spinning.exe 1 2>messages >/dev/null
grep -q "the system's tick limits samples to about [0-9]* per second of processor time, not 10000" messages ||
	fail "sample=10000: no message about the rate: $(cat messages)"
profiled sample=10,output=samples.mprof Spinning.exe 1 2>messages >/dev/null
grep -q "tick" messages && fail "sample=10: $(cat messages)"

# In real time, the idle thread has as many as the others.
sampled sample-real=1000 300
check_places 0
test "$(of idle)" -ge $(($(of managed) / 2)) || fail "sample-real: $(of idle) samples of the idle thread"
grep -q "^idle	.*	System.Threading.WaitHandle.WaitOne ()" samples.tsv ||
	fail "sample-real: the idle thread does not wait"

# The requested depth; the innermost frames are kept, and the tree has one root for all stacks that were truncated.
sampled sample-real=1000,sample-depth=2 100
expect "sample-depth=2: most frames" "$(awk -F '\t' '{ $NF == "[truncated]" ? --NF : 0 }
	NF - 1 > most { most = NF - 1 } END { print most }' samples.tsv)" 2
test "$(grep -c "^native	memfrob	Spinning.Program.memfrob (intptr,intptr)	\[truncated\]$" samples.tsv)" -ge 10 ||
	fail "sample-depth=2: $(sort samples.tsv | uniq -c | sort -rn | head -n 5)"

expect "sample-depth=2: roots named [truncated]" \
	"$(jq -c '[.sample_tree[] | select(.name == "[truncated]") | .kind]' report.json)" '["truncated"]'
expect "sample-depth=2: hits below it" \
	"$(jq '[.sample_tree[] | select(.name == "[truncated]") | .total_hits] | add' report.json)" \
	"$(grep -c '	\[truncated\]$' samples.tsv)"

# Together with calls, which change the code.
sampled calls,sample-real=1000 200
check_places 0

# The log of a program that was killed has totals as well.
"$MPROF" record --sample=1000 --force -q -o killed.mprof -- mono Spinning.exe 100000 >/dev/null 2>&1 &
recorder=$!
has_totals() {
	local hits
	hits=$("$MPROF" info --json killed.mprof 2>/dev/null | jq '.sampling.hits // 0')
	test "${hits:-0}" -gt 0
}
await has_totals || fail "no totals while the program runs"
pkill -KILL -P "$recorder" || true
wait "$recorder" || true
"$MPROF" report --json killed.mprof | jq -e '.session.sampling | .source != null and .achieved_hz > 0' >/dev/null ||
	fail "no totals after the program was killed: $("$MPROF" info killed.mprof)"
