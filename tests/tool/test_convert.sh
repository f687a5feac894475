#!/bin/bash
# SPDX-License-Identifier: MIT
# "mprof convert": files, pipes and names, its messages, and that it loses nothing.
set -eu
LEAKS=1
. "$srcdir/tests/tool/support.sh"
needs jq

make_logs sample mail full

# same_events LOG LOG
same_events() {
	for log in "$1" "$2"; do
		"$MPROF" dump --json "$log" 2>/dev/null | grep '"event":' >"$log.events"
	done
	cmp "$1.events" "$2.events" || fail "the events of $1 and $2 differ"
}

# No temporary file remains, whether or not the file got its name.
no_leavings() {
	local remaining

	remaining=$(find . -name '*.mprof.*' ! -name '*.events')
	test -z "$remaining" || fail "left behind: $remaining"
}

# A copy in mprof2 has everything that a log in mprof2 has.
mprof convert full.mprof copy.mprof
expect_status 0 "convert"
test ! -s err || fail "convert printed messages: $(cat err)"
test ! -s out || fail "convert printed: $(cat out)"
same_events full.mprof copy.mprof
mprof check copy.mprof
expect_status 0 "check of the copy"

# Data that another dialect cannot represent is reported by kind.
mprof convert --dialect=mail --json full.mprof small.mprof
expect_status 0 "convert to mail"
expect_json "convert to mail" '[.from, .to, .complete]' '["mprof2","mail",true]'
expect_json "convert to mail" '[.left_out.blocks.lost, .left_out.blocks.mark, .left_out.others]' '[1,1,0]'
expect_json "convert to mail" '.left_out as $all | [$all.events, $all.shortened_events, $all.blocks, $all.shortened_blocks, $all.records |
	add // 0] | add == $all.total' true
expect_line err '^mprof: small\.mprof: 1 mark block left out, not available in mail$'
expect_line err '^mprof: small\.mprof: [0-9]+ handle-created events left out, not available in mail$'
expect_json "bytes" '[.bytes == .written_bytes, .bytes]' "[true,$(stat -c %s small.mprof)]"
mprof info --json small.mprof
expect_json "dialect" '[.dialect, .complete]' '["mail",true]'

# A mail log is converted through all other dialects. In those of Mono 2, a change of the heap's size has no time of its
# own, and functions get other IDs.
for dialect in mprof2 mono unity drop mail; do
	mprof convert --dialect="$dialect" mail.mprof "by-$dialect.mprof"
	expect_status 0 "convert to $dialect"
	mprof check "by-$dialect.mprof"
	expect_status 0 "check of $dialect"
	mprof convert --dialect=mail "by-$dialect.mprof" "from-$dialect.mprof"
	expect_status 0 "convert from $dialect"
	for log in mail.mprof "from-$dialect.mprof"; do
		"$MPROF" dump --json "$log" | grep '"event":' |
			sed '/"event":"sample"/d; /"event":"gc-resize"/s/"counter":[0-9]*,//' >"$log.events"
	done
	cmp mail.mprof.events "from-$dialect.mprof.events" || fail "the way by $dialect changes events"
done

# Pipes, both ways; and existing files are replaced.
"$MPROF" convert - - <sample.mprof >piped.mprof || fail "convert - -"
same_events sample.mprof piped.mprof
echo "in the way" >copy.mprof
chmod 640 copy.mprof
mprof convert sample.mprof copy.mprof
expect_status 0 "convert to a file that is there"
same_events sample.mprof copy.mprof
expect "its mode" "$(stat -c %a copy.mprof)" 640
ln -s copy.mprof link.mprof
mprof convert full.mprof link.mprof
expect_status 0 "convert to a link"
test -L link.mprof || fail "the link is gone"
same_events full.mprof copy.mprof
umask 027
mprof convert sample.mprof private.mprof
expect "mode of a copy of a private log" "$(stat -c %a private.mprof)" 600
chmod 644 sample.mprof
mprof convert sample.mprof new.mprof
expect "mode of a copy of another log" "$(stat -c %a new.mprof)" 640
mprof convert sample.mprof /dev/null
expect_status 0 "convert to a device"
test -c /dev/null || fail "/dev/null is gone"
no_leavings

# A log is not written over itself.
cp sample.mprof before.mprof
ln sample.mprof hard.mprof
for name in sample.mprof ./sample.mprof hard.mprof; do
	mprof convert sample.mprof "$name"
	expect_status 2 "convert to $name"
	expect_line err 'output and input are the same file'
	cmp sample.mprof before.mprof || fail "the log was changed"
done
ln -s sample.mprof soft.mprof
mprof convert sample.mprof soft.mprof
expect_status 2 "convert to a link to itself"
no_leavings

# Output that cannot be written
mprof convert sample.mprof missing/copy.mprof
expect_status 1 "convert to a missing directory"
expect_line err 'No such file or directory'
mprof convert sample.mprof .
expect_status 1 "convert to a directory"
mprof convert sample.mprof ""
expect_status 1 "convert to no name"
if test -c /dev/full; then
	mprof convert sample.mprof /dev/full
	expect_status 1 "convert to a full disk"
	expect_line err '/dev/full: offset [0-9]+: .*No space left'
fi

status=0
"$MPROF" convert sample.mprof - 2>err >&- || status=$?
expect_status 1 "convert to standard output, which is closed"
expect_line err '^mprof: -: .*Bad file descriptor'
"$MPROF" convert --dialect=mail full.mprof small.mprof <&- 2>&-
mprof check small.mprof
expect_status 0 "a copy made while standard streams are closed"

# Input that cannot be read
echo "not a log" >text.mprof
rm -f copy.mprof
mprof convert text.mprof copy.mprof
expect_status 3 "convert of a text"
test ! -e copy.mprof || fail "a copy of no log"
mprof convert missing.mprof copy.mprof
expect_status 3 "convert of nothing"

# A damaged log: all sound blocks are copied. A cut log: the copy has no END unless it is requested.
cp full.mprof damaged.mprof
change_byte damaged.mprof $(($(block_offset full.mprof mark) + 12))
mprof convert damaged.mprof copy.mprof
expect_status 1 "convert of a damaged log"
expect_line err "^mprof: damaged\.mprof: offset [0-9]+: .*checksum"
mprof check copy.mprof
expect_status 0 "check of its copy"
expect "its blocks" "$("$MPROF" dump --json --blocks copy.mprof | wc -l)" \
	$(($("$MPROF" dump --json --blocks full.mprof | wc -l) - 1))
head -c "$(block_offset full.mprof end)" full.mprof >cut.mprof
mprof convert --dialect=mono cut.mprof copy.mprof
expect_status 1 "convert of a cut log"
expect_line err 'cut\.mprof: offset [0-9]+: the log has no END block'
mprof info --json copy.mprof
expect_json "copy of a cut log" .complete false
mprof convert --dialect=mono --close cut.mprof copy.mprof
expect_status 1 "convert --close of a cut log"
mprof info --json copy.mprof
expect_json "closed copy of a cut log" .complete true
mprof convert --close full.mprof copy.mprof
expect_status 0 "convert --close of a closed log"
no_leavings

# With a damaged INTRO, only its own contents are lost.
cp full.mprof broken.mprof
change_byte broken.mprof 8
same_events full.mprof broken.mprof
mprof convert broken.mprof copy.mprof
expect_status 1 "convert of a log whose INTRO is damaged"
expect_line err 'broken\.mprof: offset [0-9]+: the block that starts here does not match its checksum'
same_events full.mprof copy.mprof
mprof info --json copy.mprof
expect_json "copy of a log whose INTRO is damaged" .flags 0

# After a signal no file remains. If the file system supports unnamed files, this holds even for signals that cannot be
# caught.
mkfifo pipe
has_named_copy() {
	test -n "$(find . -name 'interrupted.mprof.*')"
}
# has_unnamed_copy PROCESS
has_unnamed_copy() {
	find "/proc/$1/fd" -lname "$work/* (deleted)" 2>/dev/null | grep -q .
}
# has_copy PROCESS
has_copy() {
	has_named_copy || has_unnamed_copy "$1"
}
for signal in TERM KILL; do
	"$MPROF" convert pipe interrupted.mprof 2>/dev/null &
	process=$!
	{ head -c 200 full.mprof; has_started=1; await has_copy $process || has_started=0
		kill -$signal "$process"; wait "$process" || status=$?; } >pipe
	test $has_started = 1 || fail "convert did not start its copy"
	test "$status" -gt 128 || fail "SIG$signal did not end it"
	if test $signal = KILL && has_named_copy; then
		rm interrupted.mprof.*
	fi
	no_leavings
	test ! -e interrupted.mprof || fail "a file of an interrupted copy"
done
if (ulimit -f 0; exec "$MPROF" convert full.mprof limited.mprof) 2>/dev/null; then
	fail "a file that may not grow"
fi
no_leavings
test ! -e limited.mprof || fail "a file that may not grow is there"

mprof convert --columns full.mprof columns.mprof
expect_status 0 "convert --columns"
same_events full.mprof columns.mprof
mprof convert columns.mprof rows.mprof
expect_status 0 "convert of columns"
same_events full.mprof rows.mprof
mprof convert --columns --dialect=mono full.mprof columns.mono
expect_status 2 "columns in a dialect without them"

# Times are rounded down to units of at most the given length; all else stays.
mprof info --json full.mprof
expect_json "resolution" '.resolution_ns == 1e9 / .counters_per_second' true
kinds_of() {
	"$MPROF" dump --json "$1" | jq -c 'select(.event) | del(.counter, .started) | select(.event != "recording-resumed")'
}
for unit in 2us 10us; do
	mprof convert --resolution=$unit full.mprof coarse.mprof
	expect_status 0 "convert --resolution=$unit"
	mprof check coarse.mprof
	expect_status 0 "check of a coarse copy"
	cmp <(kinds_of full.mprof) <(kinds_of coarse.mprof) || fail "events are different with --resolution=$unit"
	"$MPROF" convert --resolution=$unit - - <full.mprof >read.mprof
	cmp coarse.mprof read.mprof || fail "standard input is converted in another way with --resolution=$unit"
	cat full.mprof | "$MPROF" convert --resolution=$unit - piped.mprof
	cmp coarse.mprof piped.mprof || fail "a pipe is converted in another way with --resolution=$unit"
done
mprof convert full.mprof plain-copy.mprof
mprof convert --resolution=full full.mprof full-copy.mprof
cmp plain-copy.mprof full-copy.mprof || fail "--resolution=full changes the copy"
mprof convert --index full.mprof index.mprof
expect_status 0 "convert --index"
same_events full.mprof index.mprof
mprof dump --blocks index.mprof
test "$(grep -c '^ *[0-9]* index, [0-9]* bytes: [0-9]* blocks$' out)" = 1 || fail "no index in a log with one"
mprof convert index.mprof rows.mprof
expect_status 0 "convert of a log with an index"
mprof dump --blocks rows.mprof
if grep -q ' index, ' out; then
	fail "an index in a copy without --index"
fi
mprof convert --index --dialect=mono full.mprof index.mono
expect_status 2 "an index in a dialect without one"
if test -z "${MPROF_WITHOUT_ZLIB-}"; then
	mprof convert --compress full.mprof packed.mprof
	expect_status 0 "convert --compress"
	same_events full.mprof packed.mprof
	mprof info --json packed.mprof
	expect_json "compressed" .compressed true
	test "$(stat -c %s packed.mprof)" -lt "$(stat -c %s full.mprof)" || fail "it is not smaller"
	methods_of() {
		"$MPROF" report --json "$1" | jq -c .methods
	}
	for codec in deflate deflate:9 zstd zstd:1; do
		mprof convert --compress=$codec full.mprof blocks.mprof
		# A build without this codec.
		! grep -q "cannot compress" err || continue
		expect_status 0 "convert --compress=$codec"
		same_events full.mprof blocks.mprof
		mprof check blocks.mprof
		expect_status 0 "check of compressed blocks"
		mprof dump --blocks --json blocks.mprof
		test "$(jq -s 'map(select(.codec and .block == "events")) | length' out)" -gt 0 || fail "nothing is compressed"
		mprof convert blocks.mprof rows.mprof
		expect_status 0 "convert of compressed blocks"
		same_events full.mprof rows.mprof
		cmp <(methods_of full.mprof) <(methods_of blocks.mprof) || fail "the report has other methods"
		head -c $(($(stat -c %s blocks.mprof) / 2)) blocks.mprof >killed.mprof
		mprof convert --close killed.mprof closed.mprof
		expect_status 1 "convert of a truncated log with compressed blocks"
		mprof check closed.mprof
		expect_status 0 "check of what was left"
	done
	mprof convert --compress=deflate --dialect=mono full.mprof blocks.mono
	expect_status 2 "compressed blocks in a dialect without them"
	mprof convert --json --compress=9 packed.mprof again.mprof
	expect_status 0 "convert of a compressed log"
	expect_json "compressed again" '.written_bytes < .bytes' true
	same_events full.mprof again.mprof
fi
