#!/bin/bash
# SPDX-License-Identifier: MIT
# A log in the format of Mono 2 can be read regardless of how the program ends: by mprof-decoder if the program ended by
# itself, and by mprof also if it was killed or the disk was full.
set -eu
. "$srcdir/tests/interop/decoder/support.sh"

compile Ends

# ends HOW STATUS
ends() {
	local status=0
	logged "calls,threads,o=$1.mprof" Ends.exe "$1" >/dev/null 2>"$1.stderr" || status=$?
	expect "$1: status" $status "$2"
	check_complete "$1.mprof"
	expect "$1: dialect" "$(info "$1.mprof" .dialect)" mono
	decode "$1.mprof"
	test "$(sed -n 's/^calls	Ends.Program.Step (int)	//p' "$1.mprof.facts")" -ge 1000 ||
		fail "$1: not all calls are there"
}

ends return 0
ends background 0
ends exit 7
ends exit-thread 7
ends unhandled 1
ends unhandled-thread 1
decoded return.mprof "calls Ends.Program.Step (int) 1000"

# readable LOG: mprof reads it up to its last complete block and reports the offset.
readable() {
	local status=0
	"$MPROF" info --json "$1" >info.json 2>info.err || status=$?
	expect "$1: status of mprof info" $status 1
	expect "$1: complete" "$(jq -r .complete info.json)" false
	test "$(jq '.events."method-enter"' info.json)" -gt 10000 || fail "$1: $(jq -c .events info.json)"
	"$MPROF" report --all "$1" >report.txt 2>report.err || true
	grep -q 'Ends.Program.Step (int)' report.txt || fail "$1: $(cat report.txt report.err)"
	"$MPROF" check "$1" >check.out 2>&1 || true
	echo "$1: $(tail -n 1 check.out)"
}

# Killed after a part of the log was written
mono --profile=logging:calls,o=killed.mprof Ends.exe forever 2>/dev/null &
process=$!
await_bytes killed.mprof 200000
kill -KILL $process
wait $process 2>/dev/null || true
readable killed.mprof
# With an END block, mprof-decoder reads it too.
"$MPROF" convert --dialect=mono --close killed.mprof closed.mprof 2>/dev/null || true
decode closed.mprof
grep -q '^calls	Ends.Program.Step (int)	[1-9]' closed.mprof.facts || fail "closed.mprof: no calls"

# Disk full: the module reports it, and the program continues to its end.
status=0
(
	trap '' XFSZ
	ulimit -f 200
	timeout 120 mono --profile=logging:calls,o=full.mprof Ends.exe many
) >/dev/null 2>full.stderr || status=$?
expect "no room: status" $status 0
grep -q '^mprof: cannot write full.mprof: File too large' full.stderr || fail "$(cat full.stderr)"
readable full.mprof
