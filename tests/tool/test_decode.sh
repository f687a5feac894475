#!/bin/bash
# SPDX-License-Identifier: MIT
# mprof decode prints the same as mprof-decoder, without its faults. For each log NAME.mprof in the directory
# MPROF_SAMPLES, NAME.decoder.txt is the text of mprof-decoder. Both are compared with the oracle byte by byte: with all
# faults it prints the text of mprof-decoder, and without them that of mprof decode.
set -eu
. "$srcdir/tests/tool/support.sh"

test -n "${MPROF_SAMPLES-}" || skip "MPROF_SAMPLES names no folder of logs"
oracle=$builddir/tests/decode/oracle

# Faults that occur in no sample, but in the logs of test_decode_text.sh.
rare=" flags unknown-methods repeated-functions threads waits seconds sums failed-loads early-deaths "

# same WHAT THEIRS OURS
same() {
	cmp -s "$2" "$3" || fail "$name: $1: $(diff "$2" "$3" | head -n 10)"
}

# mprof-decoder failed, at the position and with the message that the oracle predicts, if it can predict them.
check_given_up() {
	grep -q 'Exception' "$theirs" || fail "$name: mprof-decoder did not give up: $(cat oracle.text)"
	! grep -q '^Reporting ' "$theirs" || fail "$name: mprof-decoder printed sections"
	! grep -q '^ERROR' oracle.text || expect "$name" "$(head -n 1 "$theirs")" "$(cat oracle.text)"
	given_up=$((given_up + 1))
}

check_text() {
	same "mprof-decoder and the oracle" "$theirs" oracle.text
	same_lines=$((same_lines + $(LC_ALL=C comm -12 <(LC_ALL=C sort "$theirs") <(LC_ALL=C sort out) | wc -l)))
	lines=$((lines + $(wc -l <"$theirs")))
}

check_log() {
	mprof decode "$log"
	if test "$(stat -c %s "$log")" -lt 16; then
		expect_status 3 "$name"
		return
	fi
	test "$status" = 0 || expect_status 1 "$name"
	test "$status" = 0 || expect_line err '^mprof: .*: offset [0-9]+: '
	"$oracle" --without all "$log" >right.text || fail "$name: the oracle failed"
	same "the oracle and mprof decode" right.text out
	status=0
	"$oracle" "$log" >oracle.text || status=$?
	cp oracle.text "$name.oracle"
	case $status in
	0) check_text ;;
	1) check_given_up ;;
	*) fail "$name: the oracle failed" ;;
	esac
}

# Removing a fault changes the text of some sample, so each fault named in doc/decode.md has an effect.
check_fault() {
	for text in *.oracle; do
		"$oracle" --without "$1" "$MPROF_SAMPLES/${text%.oracle}.mprof" >right.text || true
		cmp -s "$text" right.text || return 0
	done
	fail "no sample shows the fault $1"
}

logs=0
given_up=0
lines=0
same_lines=0
for log in "$MPROF_SAMPLES"/*.mprof; do
	name=$(basename "$log" .mprof)
	theirs=$MPROF_SAMPLES/$name.decoder.txt
	test -e "$theirs" || continue
	check_log
	logs=$((logs + 1))
done
test "$logs" -gt 0 || skip "no texts of mprof-decoder in $MPROF_SAMPLES"
echo "$logs logs, of which mprof-decoder gave $given_up up; $same_lines of $lines lines are the same"
# The numbers for the samples that this test was developed with.
test "$logs" -ge 64 || exit 0
"$oracle" --list | while read -r fault _; do
	[[ $rare == *" $fault "* ]] || check_fault "$fault"
done
