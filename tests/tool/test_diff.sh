#!/bin/bash
# SPDX-License-Identifier: MIT
# What mprof diff prints: figures before and after, by name, of two logs and of two heap snapshots of one.
set -eu
. "$srcdir/tests/tool/support.sh"
needs jq

make_logs sample full

# A log differs from itself in nothing.
mprof diff --json full.mprof full.mprof
expect_status 0 "a log with itself"
expect_json "a log with itself" '[.classes[] | select(.objects_before != .objects_after or
	.bytes_before != .bytes_after)]' '[]'
expect_json "a log with itself" '.classes | length > 0' true

# The sums by class are those of the snapshots.
expect_json "sums" '.heap_shots[0].bytes - ([.classes[].bytes_before] | add)' 0
expect_json "sums" '.heap_shots[0].objects - ([.classes[].objects_before] | add)' 0
expect_json "sides" '[.heap_shots[].side]' '["before","after"]'

# Both logs may be compressed, and one may be standard input.
if test -z "${MPROF_WITHOUT_ZLIB-}"; then
	cp out wanted
	gzip -k full.mprof
	status=0
	"$MPROF" diff --json - full.mprof.gz <full.mprof >out 2>err || status=$?
	expect_status 0 "standard input and a compressed log"
	cmp <(jq 'del(.before.file, .after.file)' out) <(jq 'del(.before.file, .after.file)' wanted) ||
		fail "standard input and a compressed log: another result"
fi

# A damaged log is compared as far as it can be read.
head -c $(($(stat -c %s full.mprof) - 20)) full.mprof >cut.mprof
mprof diff --json full.mprof cut.mprof
expect_status 1 "a truncated log"
expect_line err '^mprof: cut\.mprof: .*offset [0-9]+'
expect_json "a truncated log" '[.before.complete, .after.complete]' '[true,false]'
echo text >text.mprof
mprof diff full.mprof text.mprof
expect_status 3 "not a log"
mprof diff absent.mprof full.mprof
expect_status 3 "no file"
mprof diff --shots=1,999 full.mprof
expect_status 3 "no such snapshot"
expect_line err 'no heap snapshot 999'
