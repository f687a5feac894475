#!/bin/bash
# SPDX-License-Identifier: MIT
# The whole text of mprof decode for the logs described in tests/tool/decode, in all forms of a log; and the faults of
# mprof-decoder for each, by the oracle, and by mprof-decoder itself if it is installed.
set -eu
. "$srcdir/tests/tool/support.sh"

texts=$srcdir/tests/tool/decode
oracle=$builddir/tests/decode/oracle
names="calls stacks quirks threads bytes collections"
"$builddir/tests/data/build_logs" "$texts" . || fail "build_logs"

# prints LOG TEXT: the text of a complete log.
prints() {
	mprof decode "$1"
	expect_status 0 "$1"
	test ! -s err || fail "$1: $(cat err)"
	cmp -s out "$2" || fail "$1: $(diff out "$2" | head -n 20)"
}

# shows NAME FAULT...: the oracle prints the same, and with exactly these faults a different text.
shows() {
	name=$1
	shift
	"$oracle" --without all $name.mprof >right || fail "$name: the oracle failed"
	cmp -s right "$texts/$name.decoded" || fail "$name: $(diff right "$texts/$name.decoded" | head -n 20)"
	"$oracle" $name.mprof >$name.theirs || fail "$name: the oracle failed"
	"$oracle" --list | while read -r fault _; do
		"$oracle" --without "$fault" $name.mprof | cmp -s - $name.theirs || echo "$fault"
	done >found
	expect "faults of $name" "$(xargs <found)" "$*"
}

for name in $names; do
	prints $name.mprof "$texts/$name.decoded"
done
shows calls order
shows stacks repeated-functions order
shows quirks block-starts compilation-names lost-frames open-calls chains unknown-methods seconds bytes-of-names
shows threads garbage-times lost-frames threads one-stack waits
shows bytes flags sums failed-loads early-deaths
shows collections

# The same in other dialects, as far as they can hold it.
for dialect in mono unity mprof2; do
	mprof convert --dialect=$dialect calls.mprof calls-$dialect.mprof
	prints calls-$dialect.mprof "$texts/calls.decoded"
done

# From a pipe, and compressed.
"$MPROF" decode - <stacks.mprof >out 2>err || fail "from a pipe: $(cat err)"
cmp -s out "$texts/stacks.decoded" || fail "from a pipe: $(diff out "$texts/stacks.decoded" | head -n 5)"
if test -z "${MPROF_WITHOUT_ZLIB-}"; then
	gzip -c stacks.mprof >stacks.gz
	prints stacks.gz "$texts/stacks.decoded"
fi

# A log cut anywhere results in the text of its complete part, the offset on standard error, and its status.
for length in $(seq 1 7 $(($(stat -c %s calls.mprof) - 1))); do
	head -c "$length" calls.mprof >cut.mprof
	mprof decode cut.mprof
	test "$status" = 1 || test "$status" = 3 || fail "cut at $length: status $status"
	expect_line err '^mprof: cut\.mprof: offset [0-9]+: '
	test "$status" = 1 || test ! -s out || fail "cut at $length: a text of nothing"
done
# Cut before END, only END is missing.
head -c $(($(block_offset calls.mprof end))) calls.mprof >cut.mprof
mprof decode cut.mprof
expect_status 1 "without END"
expect_line err 'offset [0-9]+: incomplete: the log ends without an END block'
expect_line out '^        2 calls from Shop\.Basket\.Sum \(int\)$'
expect_line out '^\[3\] Heap resized to 131072 bytes$'

# Paths deeper than the limit of lines.
mkdir deep
cat >deep/deep.desc <<'DESC'
dialect mono
block INTRO
id 1 "mono" id 0x10119
clock 1000
block EVENTS
clock 9000
int 77 2000
times 3000 09 int 0 1
times 3000 0b int 0 1
00
clock 9010
block END
id 1
clock 9100
DESC
"$builddir/tests/data/build_logs" deep . || fail "build_logs deep"
mprof decode deep.mprof
expect_status 0 "a deep path"
expect "lines of a deep path" "$(grep -c ', 1 calls) ' out)" 2048
expect_line err '^mprof: deep\.mprof: calls more than 2048 deep are left out$'

# The same of a call stack.
cat >deep/deep.desc <<'DESC'
dialect mono
block INTRO
id 1 "mono" id 0x3819f
clock 1000
block DIRECTIVES
clock 1010
id 1 2 0
clock 1020
block EVENTS
clock 9000
int 77 2000
4f int 0 3000 times 3000 int 2
0c id 0 int 24 id 1
00
clock 9010
block END
id 1
clock 9100
DESC
"$builddir/tests/data/build_logs" deep . || fail "build_logs deep"
mprof decode deep.mprof
expect_status 0 "a deep stack"
expect "lines of a deep stack" "$(grep -c '^                        [^ ]' out)" 2049
expect_line out '^                        \(CALL STACK CONTINUES\)$'

command -v mprof-decoder >/dev/null || { echo "mprof-decoder is not installed: not asked"; exit 0; }
for name in $names; do
	mprof-decoder $name.mprof >theirs || fail "mprof-decoder $name: $(cat theirs)"
	cmp -s theirs $name.theirs || fail "mprof-decoder $name: $(diff theirs $name.theirs | head -n 20)"
done
