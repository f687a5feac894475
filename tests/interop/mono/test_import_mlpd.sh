#!/bin/bash
# SPDX-License-Identifier: MIT
# mprof import of mlpd: figures of files that Mono's profiler "log" writes of a program with known figures; those of Mono's
# own mprof-report, if that is installed; damaged files.
set -eu
. "$srcdir/tests/tool/support.sh"
needs jq mono mcs


cat >T.cs <<'END'
using System;
using System.Threading;
class Node { public Node next; public byte[] data; }
class Program {
	static readonly object gate = new object();
	static Node kept;
	static int Fib(int n) { return n < 2 ? n : Fib(n - 1) + Fib(n - 2); }
	static void Fail() { throw new InvalidOperationException("x"); }
	static void Work() { Fib(10); lock (gate) { } }
	static void Main(string[] arguments) {
		if (arguments.Length > 0) { Fib(int.Parse(arguments[0])); return; }
		for (int i = 0; i < 300; i++)
			kept = new Node { next = kept, data = new byte[100] };
		for (int i = 0; i < 7; i++)
			try { Fail(); } catch (InvalidOperationException) { }
		for (int i = 0; i < 4; i++) {
			var thread = new Thread(Work);
			thread.Name = "worker " + i;
			thread.Start();
			thread.Join();
		}
		var waiting = new Thread(Work);
		lock (gate) { waiting.Start(); Thread.Sleep(100); }
		waiting.Join();
		GC.Collect(0);
		GC.Collect();
		Console.WriteLine(kept.data.Length);
	}
}
END
mcs T.cs >/dev/null 2>&1 || skip "mcs cannot compile"

# log FILE OPTIONS [ARGUMENTS]: runs the program with the profiler.
log() {
	rm -f "$1.mlpd"
	mono --profile=log:"$2,output=$1.mlpd" T.exe "${@:3}" >/dev/null 2>&1 || true
	test -s "$1.mlpd" || skip "Mono has no profiler log"
	test "$(od -An -tu1 -j6 -N1 "$1.mlpd")" -ge 16 || skip "Mono writes an older version"
}

# import STATUS FILE: converts FILE.mlpd to FILE.mprof, which must be sound.
import() {
	status=0
	"$MPROF" import -o "$2.mprof" "$2.mlpd" 2>messages || status=$?
	! grep -qE 'Sanitizer|runtime error: ' messages || fail "$2: $(cat messages)"
	expect "status of $2" "$status" "$1"
	test "$status" != 3 || return 0
	mprof check "$2.mprof"
	expect_status 0 "check of $2"
	expect_no_line out 'note:'
	mprof report --json "$2.mprof"
	expect_status 0 "report of $2"
}

log all nodefaults,calls,alloc,gc,exception,monitor,jit,gcroot,gchandle,finalization,counter,heapshot-on-shutdown
import 0 all
cp out all.json
expect_line messages 'not converted: [0-9]+ synchronization points'
expect_json calls '[.methods[] | select(.name | test("^Program:")) | [.name, .calls]] | sort' \
	"$(jq -nc '[["Program:.cctor ()",1],["Program:Fail ()",7],["Program:Fib (int)",885],
		["Program:Main (string[])",1],["Program:Work ()",5]]')"
expect_json allocations '[.classes[] | select(.name == "Node") | [.allocations, .bytes, .assembly]]' '[[300,9600,"T"]]'
expect_json exceptions '[.exceptions[] | select(.class == "System.InvalidOperationException") | .count]' '[7]'
expect_json monitors '[.monitors[] | [.class, .contentions, .acquired, .failures]]' '[["System.Object",1,1,0]]'
expect_json "time of waiting" '.totals | .contended_ns > 90000000 and .contended_ns < 10000000000' true
# Threads with the same address one after the other are different ones.
expect_json threads '[.threads[].name | select(. != null and startswith("worker"))] | sort' \
	'["worker 0","worker 1","worker 2","worker 3"]'
expect_json threads '[.threads[].name | select(. == "Main" or . == "Finalizer")] | sort' '["Finalizer","Main"]'
expect_json "unclosed calls" '.totals.unclosed_frames' 0
expect_json snapshots '[.heap_shots[-1] | .incomplete, (.classes[] | select(.class == "Node") | .objects)]' '[false,300]'
expect_json counters '[.metrics[] | select(.name == "Page Faults") | .section, .unit, .last > 0]' \
	'["Mono system","count",true]'
expect_json modules '[.elements[] | select(.name | test("T.exe$"))] | length > 0' true
# Each node but the last refers to another one and to its array, which static fields of the program keep alive.
mprof heap --json all.mprof
expect_status 0 "heap"
expect_json heap '[.classes[] | select(.name == "Node") | .objects, .reachable_objects, .bytes, .retained_bytes]' \
	'[300,300,9600,57600]'
expect_json heap '[.complete, .missing_references, .orphan_references, .repeated_objects, .roots_by_kind.static > 0]' \
	'[true,0,0,0,true]'

# Samples of managed code: nearly all of the thread that runs are in one method. Others wait in native code.
log samples sample=1000 37
import 0 samples
cp out samples.json
expect_json samples '(.threads[] | select(.name == "Main") | .samples) as $main |
	([.samples[] | select(.name == "Program:Fib (int)") | .hits][0]) | . > 10 and . > 0.8 * $main and . <= $main' true
expect_json "call stacks" '[.samples[] | select(.name == "Program:Main (string[])") | .total_hits > 5]' '[true]'

# Mono's own figures, of those classes and methods that it lists with a name.
if command -v mprof-report >/dev/null; then
	mprof-report all.mlpd >all.report 2>/dev/null
	number() {
		sed -n "s/^.*$1\([0-9]*\).*$/\1/p" "$2" | awk '{ sum += $1 } END { print sum + 0 }'
	}
	cp all.json out
	for figure in 'calls=Total calls: ' 'allocated_bytes=Total memory allocated: ' 'exceptions=Throws: ' \
		'contentions=Lock contentions: ' 'collections=Gen[0-9] collections: ' 'moved_objects=Object moves: '; do
		expect_json "mprof-report" ".totals.${figure%%=*}" "$(number "${figure#*=}" all.report)"
	done
	expect_json code '[.code_totals[] | .bytes]' \
		"[$(number 'Generated code size: ' all.report),$(number 'JIT helpers code size: ' all.report)]"
	sed -n '/^Method call summary/,/^Total calls/p' all.report |
		sed -nE 's/^ *[0-9]+ +[0-9]+ +([0-9]+) (.*)$/\1 \2/p' | sort >wanted
	test -s wanted || fail "mprof-report lists no methods"
	jq -r '.methods[] | "\(.calls) \(.name)"' out | sort >found
	expect "methods with other calls than in mprof-report" "$(comm -23 wanted found)" ""
	# Classes whose first objects came before their name have more objects here.
	sed -n '/^Allocation summary/,/^Total memory/p' all.report | grep -v unresolved |
		sed -nE 's/^ *([0-9]+) +([0-9]+) +[0-9]+ (.*)$/\1\t\2\t\3/p' >wanted
	jq -R -s 'split("\n") | map(select(. != "") | split("\t") | {bytes: .[0] | tonumber, count: .[1] | tonumber, name: .[2]})' \
		wanted >wanted.json
	expect "classes with fewer objects than in mprof-report" "$(jq -c --slurpfile wanted wanted.json '
		(.classes | group_by(.name) | map({key: .[0].name, value: (map(.allocations) | add)}) | from_entries) as $found |
		[$wanted[0][] | select(($found[.name] // 0) < .count) | .name]' out)" "[]"
	# The last values of counters: times in milliseconds with three decimals, others as they are.
	sed -nE 's/^\t\t([^\t]*[^ \t]) *: ([0-9.]+)(ms|%)?$/\1\t\2\t\3/p' all.report |
		awk -F '\t' -v OFS='\t' '{ print $1, $3 == "ms" ? $2 : sprintf("%.2f", $2), $3 }' | sort >wanted
	jq -r '.metrics[] | [.name, .unit, .last] | @tsv' out | awk -F '\t' -v OFS='\t' '
		$2 == "ns" { print $1, sprintf("%.3f", $3 / 1e6), "ms"; next }
		{ print $1, sprintf("%.2f", $3), "" }' | sort >found
	test -s wanted || fail "mprof-report lists no counters"
	expect "counters that differ from mprof-report" "$(comm -23 wanted found)" ""
	cp samples.json out
	mprof-report samples.mlpd >samples.report 2>/dev/null
	wanted=$(sed -nE 's/^[[:space:]]*([0-9]+) +[0-9.]+ Program:Fib \(int\)$/\1/p' samples.report)
	expect_json "samples" '[.samples[] | select(.name == "Program:Fib (int)") | .hits][0]' "$wanted"
fi

# A file that ends early, also on standard input; buffers that cannot be decoded; changed bytes.
size=$(stat -c %s all.mlpd)
head -c $((size / 2)) all.mlpd >cut.mlpd
import 1 cut
expect_line messages 'offset [0-9]+: damaged data left out'
status=0
"$MPROF" import -o cut.mprof - <cut.mlpd 2>/dev/null || status=$?
expect "status of standard input" $status 1
# A buffer with another number is skipped: the threads before it resume recording after it.
LC_ALL=C grep -obUaP '\x01LPM' all.mlpd | cut -d: -f1 >offsets
offset=$(sed -n "$(($(wc -l <offsets) / 2))p" offsets)
cp all.mlpd skipped.mlpd
change_byte skipped.mlpd "$offset"
import 1 skipped
expect_line messages "offset $offset: damaged data left out\$"
expect_json "a buffer is skipped" '.session.events["recording-resumed"] > 0' true
for seed in $(seq "${IMPORT_CASES:-90}"); do
	if test $((seed % 3)) = 0; then
		head -c $((seed * 7919 % size)) all.mlpd >damaged.mlpd
	else
		cp all.mlpd damaged.mlpd
		for i in 1 2 3 4 5; do
			change_byte damaged.mlpd $((100 + seed * 7919 * i % (size - 100)))
		done
	fi
	status=0
	"$MPROF" import --from=mlpd -o damaged.mprof damaged.mlpd 2>messages || status=$?
	! grep -qE 'Sanitizer|runtime error: ' messages || fail "case $seed: $(cat messages)"
	test "$status" -le 1 || fail "case $seed: status $status; $(cat messages)"
	"$MPROF" check damaged.mprof >/dev/null 2>&1 || fail "case $seed: the log is damaged"
done

# Other files, and one that is compressed.
head -c 40 all.mlpd >short.mlpd
cp all.mlpd older.mlpd
printf '\011' | dd of=older.mlpd bs=1 seek=6 conv=notrunc 2>/dev/null
for file in T.exe short.mlpd older.mlpd missing.mlpd; do
	mprof import --from=mlpd -o x.mprof $file
	expect_status 3 "$file"
	test -s err || fail "no message for $file"
done
if test -z "${MPROF_WITHOUT_ZLIB-}"; then
	gzip -c all.mlpd >packed.mlpd
	mprof import packed.mlpd
	expect_status 0 "a compressed file"
fi
