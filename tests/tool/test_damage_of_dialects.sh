#!/bin/bash
# SPDX-License-Identifier: MIT
# Logs of every dialect, damaged in every way: no command crashes, hangs or uses unbounded memory; each reports where
# the damage is, and prints the contents before it. With MPROF_SAMPLES also logs that Mono and Unity wrote.
set -eu
. "$srcdir/tests/tool/support.sh"
needs jq

corpus=$builddir/tests/data
commands=("check" "info" "report --json" "dump" "dump --json" "decode" "convert" "convert --dialect=mono" "convert --dialect=drop")
turn=0
position=0

# Maximum memory of a command, in KiB. Sanitizers need far more than any log, so the limit applies only without them.
memory=unlimited
# The distance of the bytes that are changed, one at a time. tests/fuzz changes each byte, without starting a program.
step=1009
if test -z "${MPROF_SANITIZED-}"; then
	memory=1000000
fi

# damaged WHAT COMMAND FILE: runs a command on a log that may be damaged; damage in it is reported with its offset.
damaged() {
	status=0
	case $2 in
	convert*) set -- "$1" "$2" "$3" converted.mprof ;;
	esac
	(
		ulimit -v $memory
		# shellcheck disable=SC2086 # a command has options
		timeout 60 "$MPROF" $2 "${@:3}" >out 2>err </dev/null
	) || status=$?
	! grep -aqE 'Sanitizer|runtime error: ' err || fail "$1: mprof $2: $(cat err)"
	case $status in
	0) ;;
	1 | 3) grep -aqE '^mprof: [^ ]*: offset [0-9]+: ' err || fail "$1: mprof $2 names no offset: $(cat err)" ;;
	*) fail "$1: mprof $2: status $status: $(cat err)" ;;
	esac
}

# look_at WHAT FILE: runs one of the commands, in turn. There are far more files than commands.
look_at() {
	turn=$(((turn + 1) % ${#commands[@]}))
	damaged "$1" "${commands[turn]}" "$2"
}

# blocks_of FILE: OFFSET END of each block.
blocks_of() {
	mprof dump --json --blocks "$1"
	case $(od -An -tx1 -j6 -N1 "$1") in
	*8*) header=6 ;;
	*) header=10 ;;
	esac
	jq -r --argjson header $header '"\(.offset) \(.offset + .length + $header)"' out
}

# cut_at LENGTH LOG BLOCKS: cuts a log; the blocks before the cut are printed, and the offset of the cut is reported.
cut_at() {
	head -c "$1" "$2" >cut.mprof
	look_at "$2 cut at $1" cut.mprof
	mprof dump --json --blocks cut.mprof
	whole=$(awk -v cut="$1" '$2 <= cut' "$3" | wc -l)
	test "$(head -n "$whole" out)" = "$(head -n "$whole" blocks.json)" || fail "$2 cut at $1: blocks are missing"
	if ! awk -v cut="$1" '$2 == cut { found = 1 } END { exit !found }' "$3"; then
		test $status = 1 || test $status = 3 || fail "$2 cut at $1: status $status"
		grep -qE '^mprof: cut.mprof: offset [0-9]+: ' err || fail "$2 cut at $1: no offset"
	fi
}

# cut_everywhere LOG: by turns at the end of a block, within it, and one byte before and after the end.
cut_everywhere() {
	blocks_of "$1" >blocks
	cp out blocks.json
	test -s blocks || fail "$1 has no blocks"
	size=$(stat -c %s "$1")
	while read -r offset end; do
		one_of 2 || continue
		positions=("$end" $((offset + (end - offset) * 2 / 3)) $((end - 1)) $((end + 1)))
		position=$(((position + 1) % 4))
		length=${positions[position]}
		test "$length" -gt "$size" || cut_at "$length" "$1" blocks
	done <blocks
}

# change_everywhere LOG STEP: one byte after the other is another one.
change_everywhere() {
	for offset in $(seq 0 "$2" $(($(stat -c %s "$1") - 1))); do
		one_of 2 || continue
		cp "$1" changed.mprof
		change_byte changed.mprof "$offset"
		look_at "$1 changed at $offset" changed.mprof
	done
}

# Four bytes of a length or a count, all bits set.
lengthen_everywhere() {
	while read -r offset _; do
		for position in 2 20; do
			one_of 3 || continue
			cp "$1" changed.mprof
			printf '\377\377\377\177' | dd of=changed.mprof bs=1 seek=$((offset + position)) conv=notrunc 2>/dev/null
			look_at "$1, a huge length at $((offset + position))" changed.mprof
		done
	done <blocks
}

# A file as after a crash of the system.
zero_tail() {
	size=$(stat -c %s "$1")
	for length in $((size / 2)) $((size - 8)); do
		head -c $length "$1" >changed.mprof
		head -c 5000 /dev/zero >>changed.mprof
		look_at "$1 with zeros from $length" changed.mprof
		test $status != 0 || fail "$1 with zeros from $length: not reported"
	done
}

# join A B: one log after the other, and blocks of one within the other.
join_logs() {
	cat "$1" "$2" >changed.mprof
	look_at "$1 and $2 after it" changed.mprof
	test $status != 0 || fail "$1 and $2 after it: not reported"
	offset=$(block_offset "$1" end)
	{
		head -c "$offset" "$1"
		tail -c +30 "$2"
		tail -c +$((offset + 1)) "$1"
	} >changed.mprof
	look_at "$1 with blocks of $2" changed.mprof
	test $status != 0 || fail "$1 with blocks of $2: not reported"
}

logs="good-mail drop-blocks mono-blocks unity-stacks unity-fixed-blocks good-heap"
# With sanitizers, in which each command takes several times as long, one of each kind of header and content.
test -z "${MPROF_SANITIZED-}" || logs="good-mail unity-stacks good-heap"
for log in $logs; do
	cp "$corpus/$log.mprof" .
	cut_everywhere $log.mprof
	change_everywhere $log.mprof $step
	lengthen_everywhere $log.mprof
	zero_tail $log.mprof
done
other=mono-heap
cp "$corpus/$other.mprof" .
for log in $logs; do
	join_logs $log.mprof $other.mprof
	join_logs $other.mprof $log.mprof
	other=$log
done

# All logs of the corpus.
for log in "$corpus"/*.mprof; do
	one_of 3 || continue
	look_at "$log" "$log"
done

# Every command prints the events before the damaged end of a block, and reports the damage once.
cp "$corpus/bad-mono-events-no-end.mprof" damaged.mprof
mprof convert damaged.mprof copy.mprof
expect "errors of convert" "$(grep -c 'offset 54' err)" 1
for command in "dump damaged.mprof" "dump copy.mprof"; do
	mprof $command
	expect "calls of $command" "$(grep -c method-enter out)" 1
done
for command in report decode check info; do
	mprof $command damaged.mprof
	expect_status 1 "$command"
	expect "errors of $command" "$(cat out err | grep -c 'offset 54: ')" 1
done
mprof report --json damaged.mprof
expect "calls of report" "$(jq '[.methods[].calls] | add' out)" 1

test -n "${MPROF_SAMPLES-}" || skip "logs of real runtimes: MPROF_SAMPLES is not set (the corpus passed)"
for log in f-exc-unhandled f-gc h-eda30aca51-stat u-stat16-calls f-heap-all; do
	test -e "$MPROF_SAMPLES/$log.mprof" || continue
	size=$(stat -c %s "$MPROF_SAMPLES/$log.mprof")
	for i in $(seq 1 3); do
		offset=$((size * i * 7919 / 7 % size))
		head -c $offset "$MPROF_SAMPLES/$log.mprof" >sample.mprof
		look_at "$log cut at $offset" sample.mprof
		cp "$MPROF_SAMPLES/$log.mprof" sample.mprof
		chmod u+w sample.mprof
		change_byte sample.mprof $offset
		look_at "$log changed at $offset" sample.mprof
	done
	cp "$MPROF_SAMPLES/$log.mprof" sample.mprof
	chmod u+w sample.mprof
	zero_tail sample.mprof
done
