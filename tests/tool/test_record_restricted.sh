#!/bin/bash
# SPDX-License-Identifier: MIT
# Native programs that restrict their system calls, or make processes without fork(): the log ends before the
# restriction and states that, and has nothing of such a process. That they behave as alone is tested in
# tests/harmless.
set -eu
. "$srcdir/tests/tool/support.sh"
needs jq

read -ra compiler <<<"${CC:-cc}"
"${compiler[@]}" -O1 -w -finstrument-functions -o program "$srcdir/tests/harmless/programs/restricted.c" -pthread ||
	skip "no compiler"

# record OPTION CASE STATUS
record() {
	local status=0
	timeout -k 1 60 "$MPROF" record -q "$1" -o log.mprof --force -- ./program "$2" >/dev/null || status=$?
	test "$status" = "$3" || fail "$1 $2: status $status"
	"$MPROF" check log.mprof >/dev/null || fail "$1 $2: check"
}

# calls: how often compute() was called.
calls() {
	"$MPROF" report --json --sections=methods log.mprof | jq '[.methods[] | select(.name == "compute") | .calls] | add'
}

# allocated: the number of blocks that compute() has allocated.
allocated() {
	"$MPROF" report --json --sections=memory log.mprof | jq .memory.allocations
}

ended() {
	"$MPROF" info --json log.mprof | jq -r .recording_ended
}

reason="the program restricted its system calls (seccomp)"
for case in strict:9 filter:4 refused:5; do
	record --calls "${case%:*}" "${case#*:}"
	test "$(calls)" = 1 || fail "$case: $(calls) calls"
	test "$(ended)" = "$reason" || fail "$case: $(ended)"
	"$MPROF" info log.mprof | grep -q "^end  *$reason: what it did after that is missing" || fail "$case: info"
	record --malloc "${case%:*}" "${case#*:}"
	test "$(allocated)" = 2001 || fail "$case: $(allocated) allocations"
	test "$(ended)" = "$reason" || fail "$case: $(ended)"
done

# A child that shares the memory of its parent until it ends is no other program; the two others are.
record --calls clone 3
test "$(calls)" = 3 || fail "clone: $(calls) calls"
record --calls clone3 3
test "$(calls)" = 2 || fail "clone3: $(calls) calls"
test "$(ended)" = null || fail "clone3: $(ended)"
test "$("$MPROF" info --json log.mprof | jq .unrecorded_children)" = 2 || fail "clone3: children"
record --malloc clone3 3
# The output to a pipe has a buffer.
test "$(allocated)" -le 4002 || fail "clone3: $(allocated) allocations"
