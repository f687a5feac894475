#!/bin/bash
# SPDX-License-Identifier: MIT
# What the module says and does about its options, and about files that cannot be written.
. "$srcdir/tests/interop/mono/support.sh"

compile Calls

# Unprofiled, but said so; the program runs as ever.
# refuses OPTIONS TEXT
refuses() {
	profiled "$1" Calls.exe >out 2>err || fail "$1: the program failed"
	expect "$1: lines on stderr" "$(wc -l <err)" 1
	grep -qF "$2" err || fail "$1: $(cat err)"
	grep -qF "unprofiled" err || fail "$1: $(cat err)"
	grep -q '^calls' out || fail "$1: the program did nothing"
}
refuses "calls,colour" "unknown option 'colour'"
refuses "output=" "output needs"
refuses "output" "needs '='"
refuses "format=d2" "format 'd2' cannot be written"
refuses "gzip=10" "'10' is not a number from 1 to 9"
refuses "buffers=x" "'x' is not a number"
refuses "output=$work/nowhere/x.mprof" "cannot write $work/nowhere/x.mprof: No such file or directory"
expect "logs made" "$(find . -name '*.mprof*' | wc -l)" 0

# Help goes to stdout, and nothing is run.
profiled help Calls.exe >out 2>err || fail "help: status $?"
for option in calls alloc jit gc exceptions threads classes all no-wrappers output format gzip buffers buffer-events \
	interval drop quiet help; do
	grep -q "^  $option" out || fail "help says nothing about $option"
done
expect "lines on stderr with help" "$(wc -l <err)" 0
! grep -q '^calls' out || fail "help: the program was run"

# Names of logs
profiled "" Calls.exe >/dev/null 2>err
check_complete Calls.mprof
grep -qx "mprof: recording calls, allocations, jit, collections, exceptions, threads, classes to Calls.mprof (pid [0-9]*)" err ||
	fail "first line: $(cat err)"
profiled "calls,output=a-%p-%%.mprof" Calls.exe >/dev/null 2>err
process=$(sed -n 's/.*(pid \([0-9]*\))/\1/p' err)
check_complete "a-$process-%.mprof"
profiled "calls,output=b-%t.mprof" Calls.exe >/dev/null 2>&1
check_complete b-20*.mprof

# Facts about the session
profiled "gc,output=facts.mprof" Calls.exe one "two three" >/dev/null 2>&1
"$MPROF" dump --json facts.mprof | grep '"block": *"session"' | jq -s 'map(.properties) | add' >session.json
expect "program" "$(jq -r .program session.json)" Calls.exe
expect "arguments" "$(jq -r .arguments session.json)" "one two three"
expect "options" "$(jq -r .options session.json)" mprof:gc,output=facts.mprof
expect "runtime" "$(info facts.mprof .runtime)" mono

# Only what was asked for
profiled "jit,output=jit.mprof" Calls.exe >/dev/null 2>&1
expect "kinds with jit" "$(info jit.mprof '[.events | to_entries[] | select(.value > 0) | .key] | sort | join(" ")')" \
	"method-jit-end method-jit-start"
profiled "all,no-calls,no-alloc,output=most.mprof" Calls.exe >/dev/null 2>&1
expect "calls and allocations" "$(info most.mprof '.events | [."method-enter", .allocation] | map(. // 0) | add')" 0
test "$(info most.mprof '.events."class-load-end"')" -gt 100 || fail "no classes"

# Quiet
profiled "quiet,output=quiet.mprof" Calls.exe >/dev/null 2>err
expect "lines on stderr with quiet" "$(wc -l <err)" 0

# The format of 2007
profiled "all,format=mail,output=mail.mprof" Calls.exe >expected 2>/dev/null
check_complete mail.mprof
expect "dialect" "$(info mail.mprof .dialect)" mail
check_facts expected mail.mprof

# A limit that is met later is told at the end, with what was saved.
(
	# Ignored, so that the write fails instead.
	trap '' XFSZ
	ulimit -f 100
	profiled "calls,output=limited.mprof" Calls.exe >out 2>err || fail "limited: the program failed"
)
grep -q "^mprof: limited.mprof: cannot be written any more: File too large; [0-9]* bytes with [1-9][0-9]* events were saved" \
	err || fail "limited: $(cat err)"
grep -q '^calls' out || fail "limited: the program did nothing"
! "$MPROF" info --json limited.mprof >limited.json 2>/dev/null || fail "limited: taken for complete"
test "$(jq '.events."method-enter"' limited.json)" -gt 0 || fail "limited: nothing was saved"

# Events are dropped rather than waited for, and counted.
profiled "calls,drop,buffers=2,buffer-events=16,output=drop.mprof" Calls.exe >/dev/null 2>err
lost=$(sed -n 's/.* \([0-9]*\) lost$/\1/p' err)
expect "lost events" "$(info drop.mprof .lost_events)" "$lost"

# A full disk is told at the end, and the program is not disturbed.
if test -w /dev/full; then
	profiled "calls,output=/dev/full" Calls.exe >out 2>err || fail "/dev/full: the program failed"
	grep -q '^calls' out || fail "/dev/full: the program did nothing"
	grep -q "No space left on device" err || fail "/dev/full: $(cat err)"
fi
