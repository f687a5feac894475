#!/bin/bash
# SPDX-License-Identifier: MIT
# The log is complete regardless of how a program ends; if it is killed, the written part can be read.
set -eu
. "$srcdir/tests/interop/mono/support.sh"

compile Ends

# ends HOW STATUS
ends() {
	local status=0
	profiled "all,output=$1.mprof" Ends.exe "$1" >/dev/null 2>"$1.stderr" || status=$?
	expect "$1: status" $status "$2"
	check_complete "$1.mprof"
	expect "$1: last line" "$(grep -c "^mprof: $1.mprof: [0-9]* bytes, [0-9]* events, 0 lost\$" "$1.stderr")" 1
	test "$(facts "$1.mprof" | sed -n 's/^calls\tEnds.Program\tStep (int)\t//p')" -ge 1000 ||
		fail "$1: not all calls are there"
	# If mono ends a thread at the entry or exit of a method, it may report a leave although the method was not
	# entered, or was left already. There are two such threads.
	test "$("$MPROF" report --json "$1.mprof" | jq .totals.unmatched_leaves)" -le 2 ||
		fail "$1: methods left that were not entered"
}

ends return 0
ends background 0
ends exit 7
ends exit-thread 7
ends unhandled 1
ends unhandled-thread 1

check_balance return.mprof

# An unhandled exception ends the process by exit(), while other threads run until it is gone: the log states that.
expect "unhandled: threads that still ran" \
	"$("$MPROF" info --json unhandled.mprof | jq .running_threads_at_end)" 2
grep -q "2 other threads still ran at the end of recording" unhandled.stderr || fail "unhandled: $(cat unhandled.stderr)"
expect "return: threads that still ran" "$("$MPROF" info --json return.mprof | jq .running_threads_at_end)" 0

# Killed: no END, but complete blocks up to the last one written.
mono --profile=mprof:calls,interval=50,output=killed.mprof Ends.exe forever 2>/dev/null &
process=$!
await_bytes killed.mprof 200000
kill -KILL $process
wait $process 2>/dev/null || true
status=0
"$MPROF" info --json killed.mprof >killed.json 2>killed.stderr || status=$?
expect "killed: status of mprof info" $status 1
expect "killed: complete" "$(jq -r .complete killed.json)" false
test "$(jq '.events."method-enter"' killed.json)" -gt 10000 || fail "killed: too little was written"
