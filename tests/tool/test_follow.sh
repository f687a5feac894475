#!/bin/bash
# SPDX-License-Identifier: MIT
# "mprof follow" prints a log while it is written, and what it prints is what "mprof dump" prints of the whole log.
set -eu
. "$srcdir/tests/tool/support.sh"
needs_compression
needs jq

make_logs sample mail gzip open

# A log whose program has ended.
for log in sample mail gzip; do
	mprof dump "$log.mprof"
	mv out "$log.dump"
	mprof follow "$log.mprof"
	expect_status 0 "follow of a complete log"
	cmp -s out "$log.dump" || fail "follow and dump of $log.mprof differ: $(diff out "$log.dump")"
done
mprof dump --json sample.mprof
mv out sample.json
mprof follow --json sample.mprof
cmp -s out sample.json || fail "follow --json and dump --json differ"
mprof follow --blocks --json sample.mprof
expect "blocks" "$(grep -c '"block"' out)" "$(grep -c '"block"' sample.json)"
expect_no_line out '"event"'

# The program ended without an END block.
mprof follow open.mprof
expect_status 1 "follow of a log without its end"
expect_line err 'offset [0-9]+: .*END'
mprof dump open.mprof
mv out open.dump
mprof follow open.mprof
cmp -s out open.dump || fail "follow and dump of open.mprof differ"

# follow_begin ARGUMENT...: starts to follow a log; its output is in the file followed.
follow_begin() {
	rm -f followed
	timeout 120 "$MPROF" follow "$@" >followed 2>followed_err 3>&- &
	follower=$!
}

# follow_end STATUS WHAT
follow_end() {
	status=0
	wait "$follower" || status=$?
	expect "$2: status" "$status" "$1"
}

has_lines() {
	test -e followed && test "$(wc -l <followed)" -ge "$1"
}

# grow LOG COUNT...: appends that number of bytes of LOG to descriptor 3, after those appended before.
written=0
grow() {
	tail -c +$((written + 1)) "$1" | head -c "$2" >&3
	written=$((written + $2))
}

# A log that grows: each part is printed when it is there, in blocks.
for log in sample gzip; do
	size=$(stat -c %s "$log.mprof")
	rm -f grown.mprof
	written=0
	exec 3>grown.mprof
	grow "$log.mprof" 5
	follow_begin grown.mprof
	grow "$log.mprof" $((size - 45))
	await has_lines 1 || fail "$log: nothing is printed while the log grows"
	kill -0 "$follower" || fail "$log: follow ended before the log"
	! cmp -s followed "$log.dump" || fail "$log: all was printed before it was written"
	grow "$log.mprof" 40
	follow_end 0 "$log: a log that ends"
	exec 3>&-
	cmp -s followed "$log.dump" || fail "$log: a growing log was not printed like a whole one"
done

# The writer ends inside a block.
written=0
exec 3>killed.mprof
grow sample.mprof $(($(stat -c %s sample.mprof) - 30))
follow_begin killed.mprof
await has_lines 1 || fail "nothing is printed of a log whose writer will be killed"
exec 3>&-
follow_end 1 "a writer that was killed"
expect_line followed_err 'offset [0-9]+: .*(truncated|END)'
mprof dump killed.mprof
cmp -s out followed || fail "follow of a truncated log prints something else than dump"

# The log does not exist yet, and no process has it open between its parts.
follow_begin --wait later.mprof
head -c 100 sample.mprof >later.mprof
await has_lines 1 || fail "a new log is not noticed"
tail -c +101 sample.mprof >>later.mprof
follow_end 0 "a log that did not exist"
cmp -s followed sample.dump || fail "a log that did not exist was not printed whole"
mprof follow missing.mprof
expect_status 3 "a log that does not exist"

# A pipe.
mkfifo pipe
rm -f followed
timeout 120 "$MPROF" follow - <pipe >followed 2>followed_err &
follower=$!
exec 3>pipe
written=0
grow sample.mprof 200
await has_lines 1 || fail "nothing is printed while a pipe is open"
grow sample.mprof "$(stat -c %s sample.mprof)"
exec 3>&-
follow_end 0 "a pipe"
cmp -s followed sample.dump || fail "a pipe was not printed whole"

# An interrupt ends it; what was printed ends with a whole line.
written=0
exec 3>interrupted.mprof
grow sample.mprof 200
follow_begin interrupted.mprof
await has_lines 1 || fail "nothing is printed before the interrupt"
kill -TERM "$follower"
follow_end 0 "an interrupt"
expect "the last line" "$(tail -c 1 followed | od -An -tx1 | tr -d ' ')" 0a
expect "messages after an interrupt" "$(cat followed_err)" ""

# The file is replaced by a shorter one.
follow_begin interrupted.mprof
await has_lines 1 || fail "nothing is printed before the file is truncated"
: >interrupted.mprof
follow_end 1 "a file that is truncated"
expect_line followed_err 'truncated or replaced'
exec 3>&-

# Not a log, also if that shows only later.
echo "not a log at all, but text that is long enough" >text
mprof follow text
expect_status 3 "a text file"
: >text
exec 3>>text
follow_begin text
echo "not a log at all, but text that is long enough" >&3
follow_end 3 "a file that becomes a text file"
exec 3>&-
