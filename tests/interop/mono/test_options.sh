#!/bin/bash
# SPDX-License-Identifier: MIT
# Messages and effects of the module's options, and files that cannot be written.
set -eu
. "$srcdir/tests/interop/mono/support.sh"

compile Calls

# The module reports that the program runs unprofiled; the program runs normally.
# refuses OPTIONS TEXT
refuses() {
	profiled "$1" Calls.exe >out 2>err || fail "$1: the program failed"
	expect "$1: lines on stderr" "$(wc -l <err)" 1
	grep -qF "$2" err || fail "$1: $(cat err)"
	grep -qF "unprofiled" err || fail "$1: $(cat err)"
	grep -q '^calls' out || fail "$1: the program did nothing"
}
refuses "calls,colour" "unknown option 'colour'"
refuses "output=" "output: '' is empty"
refuses "output" "option 'output' needs a value: 'output=VALUE'"
refuses "format=d2" "format: 'd2' is not one of mprof2, unity, mono, drop, mail"
refuses "gzip=10" "'10' is not a number from 1 to 9"
refuses "compress=lz4" "compress: 'lz4' is not zstd or deflate"
refuses "compress=zstd:20" "compress: 'zstd:20' is not zstd or deflate"
refuses "ring=1m,compress=deflate" "ring and compress exclude each other: use gzip"
refuses "buffers=x" "'x' is not a number"
refuses "no-colour" "unknown option 'no-colour'"
refuses "sample=0" "'0' is not a number from 1 to 10000"
refuses "sample-depth=250" "'250' is not a number from 1 to 249"
refuses "depth" "option 'depth' needs a value: 'depth=VALUE'"
refuses "heap=5" "heap: '5' is not every-gc, ondemand, or a number with a unit: 5gc"
refuses "heap=0ms" "heap: '0ms' is not every-gc"
refuses "heap=1us" "heap: '1us' is not every-gc, ondemand, or a number with a unit: 5gc, 500ms, 30s or 2m (at least 1ms)"
refuses "heap=1000000001ms" "is not every-gc"
refuses "heap=1000001s" "is not every-gc"
refuses "heap=278h" "is not every-gc"
refuses "heap=99999999999999999999gc" "is not every-gc"
refuses "alloc=stacks" "alloc: 'stacks' is not one of stack, stack:BYTES from 1k to 1g, caller, objects, or several joined by +"
for size in "" 0 1023 1x 512kk -1 2g 1025m 99999999999999999999 99999999999999999g 0000000000000000000000512k; do
	refuses "alloc=stack:$size" "alloc: 'stack:$size' is not one of stack"
done
refuses "alloc=stack:512k+caller" "alloc=stack:BYTES and alloc=caller exclude each other"
refuses "alloc=stack:512k,format=mono" "alloc=stack:BYTES needs format=mprof2"
refuses "handles=strong" "handles: 'strong' is not one of normal, pinned, weak, weak-track and class:PATTERN"
refuses "max-size=10" "'10' is not a number of bytes from 64k on"
refuses "ring=1023k" "'1023k' is not a number of bytes from 1024k on"
refuses "heap-memory=1k" "'1k' is not a number of bytes from 1024k on"
refuses "ring=1mb" "'1mb' is not a number of bytes"
refuses "max-size=99999999999g" "is not a number of bytes"
refuses "ring=1m,max-size=1m" "exclude each other"
refuses "only=" "only: '' is empty"
refuses "not=assembly:" "not: 'assembly:' has no pattern after the colon"
refuses "control=" "control: '' is empty"
refuses "port=1023" "'1023' is not a number from 1024 to 65535"
refuses "signal=USR1" "is not SIGNAL:ACTION"
refuses "signal=USR1:dance" "is not SIGNAL:ACTION"
refuses "signal=SEGV:flush" "SEGV cannot be used"
refuses "signal=KILL:flush" "KILL cannot be used"
refuses "signal=11:flush" "11 cannot be used"
refuses "signal=RTMIN+99:flush" "RTMIN+99 cannot be used"
refuses "signal=USR1:flush,signal=sigusr1:toggle" "already has an action"
refuses "signal=USR1:heapshot" "the action heapshot needs heap or heap=ondemand"
refuses "calls,sample-stack=fp" "unknown option 'sample-stack'"
refuses "output=$work/nowhere/x.mprof" "cannot write $work/nowhere/x.mprof: No such file or directory"
expect "logs made" "$(find . -name '*.mprof*' | wc -l)" 0

# Help goes to stdout, and nothing is run.
profiled help Calls.exe >out 2>err || fail "help: status $?"
for option in calls alloc jit gc exceptions threads classes all sample sample-real heap summary free moves \
	handles monitor finalizers counters sample-depth stack-depth only not depth no-wrappers all-wrappers async output \
	format gzip compress max-size ring heap-memory no-heap-fields buffers buffer-events interval drain-threads drop \
	start-disabled control no-control \
	port signal jitdump perf-map oprofile quiet quiet-start help; do
	grep -q "^  $option" out || fail "help lacks $option"
done
expect "lines on stderr with help" "$(wc -l <err)" 0
! grep -q '^calls' out || fail "help: the program was run"

# Names of logs
profiled "" Calls.exe >/dev/null 2>err
check_complete Calls.mprof
grep -qx "mprof: recording allocations, jit, collections, exceptions, threads, samples, monitors to Calls.mprof (pid [0-9]*)" err ||
	fail "first line: $(cat err)"
profiled "calls,output=a-%p-%%.mprof" Calls.exe >/dev/null 2>err
process=$(sed -n 's/.*(pid \([0-9]*\))/\1/p' err)
check_complete "a-$process-%.mprof"
profiled "calls,output=host-%h.mprof" Calls.exe >/dev/null 2>&1
check_complete "host-$(uname -n).mprof"
profiled "calls,output=b-%t.mprof" Calls.exe >/dev/null 2>&1
check_complete b-20*.mprof

profiled "calls,output=%n--%%n-%q.mprof" Calls.exe >/dev/null 2>&1
check_complete "Calls--%n-%q.mprof"

# Session metadata
profiled "gc,output=facts.mprof" Calls.exe one "two three" >/dev/null 2>&1
"$MPROF" dump --json facts.mprof | grep '"block": *"session"' | jq -s 'map(.properties) | add' >session.json
expect "program" "$(jq -r .program session.json)" Calls.exe
expect "arguments" "$(jq -r .arguments session.json)" "one two three"
expect "options" "$(jq -r .options session.json)" mprof:gc,output=facts.mprof
expect "runtime" "$(info facts.mprof .runtime)" mono

# Only the requested kinds
profiled "jit,output=jit.mprof" Calls.exe >/dev/null 2>&1
expect "kinds with jit" "$(info jit.mprof '[.events | to_entries[] | select(.value > 0) | .key] | sort | join(" ")')" \
	"method-code method-jit-end method-jit-start"
# kinds OPTIONS: the kinds that the module prints for its options
kinds() {
	profiled "$1,output=kinds.mprof" Calls.exe 2>&1 >/dev/null | sed -n 's/^mprof: recording \(.*\) to kinds.mprof.*/\1/p'
}
expect "all" "$(kinds all)" "calls, allocations, jit, collections, exceptions, threads, classes"
expect "the default without a kind" "$(kinds no-jit,sample-depth=16)" \
	"allocations, collections, exceptions, threads, samples, monitors"
# Options that select calls imply calls, unless another kind is requested.
for option in only=Calls.Square not=Calls.Square depth=5 no-wrappers; do
	expect "$option" "$(kinds "$option")" "calls, allocations, jit, collections, exceptions, threads, samples, monitors"
	expect "$option and gc" "$(kinds "$option,gc")" "collections"
done
expect "jitdump" "$(kinds jitdump)" "loads only"
profiled "all,no-calls,no-alloc,output=most.mprof" Calls.exe >/dev/null 2>&1
expect "calls and allocations" "$(info most.mprof '.events | [."method-enter", .allocation] | map(. // 0) | add')" 0
test "$(info most.mprof '.events."class-load-end"')" -gt 100 || fail "no classes"

# Filters of calls callers OPTIONS EXPECTED: the classes whose methods were called, and the number of calls.
callers() {
	profiled "calls,$1,output=filtered.mprof" Calls.exe >out 2>/dev/null
	grep -q '^calls' out || fail "$1: the program did nothing"
	check_complete filtered.mprof
	check_balance filtered.mprof
	expect "$1: calls" "$("$MPROF" report --json filtered.mprof | jq -r '
		[.methods[] | select(.calls > 0)] | group_by(.class) | map("\(.[0].class) \(map(.calls) | add)") |
		join(" ")')" "$2"
}
callers "only=Calls.Square" "Calls.Square 11"
callers "only=Calls.[CD]*,not=Calls.Counter" "Calls.Circle 22 Calls.Disc 11"
callers "only=Calls.Square,only=Calls.Point" "Calls.Point 9 Calls.Square 11"
callers "only=Calls.Program:Fib,only=*:Odd" "Calls.Program 1978"
callers "only=class:Square,only=class:Innermost" "Calls.Outer/Inner/Innermost 31 Calls.Square 11"
callers "only=method:Area,not=class:Disc" "Calls.Circle 20 Calls.Square 10"
callers "only=Calls.Gr*" "Calls.Größe 4"
callers "only=namespace:Calls,not=Calls.Program,not=method:Finalize" \
	"Calls.Circle 22 Calls.Counter 49 Calls.Disc 11 Calls.Größe 4 Calls.Outer/Inner/Innermost 31 Calls.Point 9 \
Calls.Square 11"
callers "only=assembly:Calls,not=Calls.[!P]*,not=Calls.Program" "Calls.Point 9"
callers "only=nothing.*" ""
profiled "calls,not=assembly:Calls,output=filtered.mprof" Calls.exe >/dev/null 2>&1
expect "classes of an assembly that is left out" "$("$MPROF" report --json filtered.mprof |
	jq '[.methods[] | select(.calls > 0 and (.class | startswith("Calls")))] | length')" 0
test "$(info filtered.mprof '.events."method-enter"')" -gt 0 || fail "no calls outside of an assembly that is left out"

# Depth: Main has 1, and methods that it calls 2.
depth() {
	profiled "calls,only=Calls.Program,only=*:Depth,depth=$1,output=deep.mprof" Calls.exe >/dev/null 2>&1
	check_complete deep.mprof
	check_balance deep.mprof
	expect "depth=$1: calls of Fib and Depth" "$("$MPROF" report --json deep.mprof |
		jq -c '[.methods[] | select(.calls > 0 and (.name | test("^(Fib|Depth) "))) | .calls] | sort')" "$2"
}
depth 1 "[]"
depth 2 "[1,1]"
depth 5 "[4,15]"
depth 1000 "[31,1973]"

# The maximum size of the log
# The limit holds for the file, whatever is recorded.
for size in 64 100 256; do
	for kinds in calls alloc=objects+stack,heap all,sample=1000,free,moves,handles,summary,counters=1 all,format=mono; do
		profiled "$kinds,max-size=${size}k,quiet,output=bounded.mprof" Calls.exe >/dev/null
		bytes=$(stat -c %s bounded.mprof)
		test "$bytes" -le $((size * 1024)) || fail "$kinds: a log of $bytes bytes with max-size=${size}k"
		expect "$kinds, max-size=${size}k: complete" "$(info bounded.mprof .complete)" true
	done
done
profiled "calls,max-size=64k,output=short.mprof" Calls.exe >/dev/null 2>err
size=$(info short.mprof .size)
test "$size" -gt 32768 && test "$size" -lt 131072 || fail "max-size=64k: $size bytes"
test "$(info short.mprof .lost_events)" -gt 100000 || fail "max-size=64k: $(info short.mprof .lost_events) lost"
expect "max-size=64k: damaged" "$(info short.mprof '.damage | length')" 0

# Quiet
profiled "quiet,output=quiet.mprof" Calls.exe >/dev/null 2>err
expect "lines on stderr with quiet" "$(wc -l <err)" 0

# The format of 2007
profiled "all,format=mail,output=mail.mprof" Calls.exe >expected 2>/dev/null
check_complete mail.mprof
expect "dialect" "$(info mail.mprof .dialect)" mail
check_facts expected mail.mprof

# A limit reached later is reported at the end, with the number of saved events.
(
	# Ignored, so that the write fails instead. The limit is above the longest block, which holds 65,536 events.
	trap '' XFSZ
	ulimit -f 300
	profiled "calls,output=limited.mprof" Calls.exe >out 2>err || fail "limited: the program failed"
)
grep -q "^mprof: cannot write limited.mprof: File too large; [0-9]* bytes with [1-9][0-9]* events were saved" \
	err || fail "limited: $(cat err)"
grep -q '^calls' out || fail "limited: the program did nothing"
"$MPROF" info --json limited.mprof >limited.json 2>/dev/null || true
expect "limited: the cause" "$(jq -r .write_error limited.json)" "File too large"
test "$(jq .lost_events limited.json)" -gt 0 || fail "limited: taken for whole"
test "$(jq '.events."method-enter"' limited.json)" -gt 0 || fail "limited: nothing was saved"

# Threads drop events instead of waiting, and dropped events are counted.
profiled "calls,drop,buffers=2,buffer-events=128,output=drop.mprof" Calls.exe >/dev/null 2>err
lost=$(sed -n 's/.* \([0-9]*\) lost$/\1/p' err)
expect "lost events" "$(info drop.mprof .lost_events)" "$lost"

# A full disk is reported at the end, and the program is not affected.
if test -w /dev/full; then
	profiled "calls,output=/dev/full" Calls.exe >out 2>err || fail "/dev/full: the program failed"
	grep -q '^calls' out || fail "/dev/full: the program did nothing"
	grep -q "No space left on device" err || fail "/dev/full: $(cat err)"
fi
