#!/bin/bash
# SPDX-License-Identifier: MIT
# The sound parts of a damaged or truncated log are printed, and standard error has the damage and its offset.
set -eu
. "$srcdir/tests/tool/support.sh"
needs_compression
needs jq

make_logs sample mail gzip open

mprof check sample.mprof
expect_status 0 "check"
expect_line out 'all [0-9]+ bytes are sound$'
expect_line out '^note: events lost while recording: 7$'
mprof check --json sample.mprof
expect_json check '[.sound, .damage_count, .unused_methods, .undefined_methods]' '[true,0,1,0]'
mprof check open.mprof
expect_status 1 "check of a log that was not closed"
expect_line out ', 1 fault: sound up to byte'

# A damaged block is skipped.
offset=$(block_offset sample.mprof events)
cp sample.mprof damaged.mprof
change_byte damaged.mprof $((offset + 30))
for command in info "info --json" dump "dump --json" report "report --json" check "check --json"; do
	mprof $command damaged.mprof
	expect_status 1 "$command of a damaged log"
	expect "$command of a damaged log" "$(cat err)" \
		"mprof: damaged.mprof: offset $offset: the block that starts here does not match its checksum"
	case $command in
	*json) jq . out >/dev/null || fail "$command of a damaged log is not JSON" ;;
	esac
done
mprof report --json damaged.mprof
expect_json damaged '[(.methods | map(.calls) | add), (.collections | length)]' '[1,2]'
expect_json damaged '.session | [.complete, .valid_bytes, (.damage | length)]' "[false,$offset,1]"

# All commands report the same offset: the end of the valid part, and for a cut log also its end. expect_position CUT WANTED: the
# message for sample.mprof cut at this length
expect_position() {
	head -c "$1" sample.mprof >cut.mprof
	for command in info check report dump; do
		mprof $command cut.mprof
		expect_status 1 "$command of a log cut at $1"
		expect "$command of a log cut at $1" "$(cat err)" "mprof: cut.mprof: $2"
	done
	for command in info check; do
		mprof $command --json cut.mprof
		expect_json "$command --json of a log cut at $1" '[.complete, .valid_bytes, .size, (.damage | map(.offset))]' \
			"[false,$offset,$1,[$offset]]"
		cat cut.mprof | "$MPROF" $command --json - >out 2>err || true
		expect_json "$command --json of a pipe cut at $1" '[.valid_bytes, .size]' "[$offset,$1]"
	done
}
expect_position $((offset + 30)) "offset $offset: the block that starts here is truncated: the log ends at byte $((offset + 30))"
expect_position $((offset + 3)) "offset $offset: the block that starts here is truncated: the log ends at byte $((offset + 3))"
expect_position $offset "offset $offset: incomplete: the log ends without an END block"

# A closed log that defines a class twice is not complete. The offset is that of the ID before the name.
cp mail.mprof twice.mprof
position=$(($(grep -abo -m 1 'Game\.Gr' twice.mprof | head -n 1 | cut -d : -f 1) - 1))
printf '\201' | dd of=twice.mprof bs=1 seek=$position conv=notrunc 2>/dev/null
mprof info --json twice.mprof
expect_status 1 "info of a log that defines a class twice"
expect_json twice '[.complete, .valid_bytes == .damage[0].offset, .valid_bytes < .size]' '[false,true,true]'
expect_line err "offset $(jq .valid_bytes out): "
mprof info twice.mprof
expect_line out '^state +closed, but has faults: valid up to byte'

# Cut anywhere, in either dialect, plain or compressed: no crash, always a message, always a valid document.
for log in sample mail; do
	size=$(stat -c %s $log.mprof)
	for length in 0 1 5 6 7 20 60 100 200 300 $((size / 2)) $((size * 3 / 4)) $((size - 20)) $((size - 1)); do
		head -c $length $log.mprof >cut.mprof
		mprof report --json cut.mprof
		case $status in
		1) jq . out >/dev/null || fail "$log cut at $length: not JSON" ;;
		3) test ! -s out || fail "$log cut at $length: output" ;;
		*) fail "$log cut at $length: status $status" ;;
		esac
		expect_line err '^mprof: cut.mprof: offset [0-9]+: '
	done
done
expect "status at the last cut" $status 1
expect_json "cut log" '.methods | map(.calls) | add' 9
size=$(stat -c %s gzip.mprof)
for length in 10 100 $((size / 2)) $((size * 3 / 4)); do
	head -c $length gzip.mprof >cut.mprof
	mprof report --json cut.mprof
	test $status = 1 || test $status = 3 || fail "compressed log cut at $length: status $status"
	expect_line err '^mprof: cut.mprof: offset [0-9]+: '
done

# Bytes changed at random places of a log without checksums must not crash anything.
step=23
test -z "${MPROF_SANITIZED-}" || step=61
for offset in $(seq 40 $step $(($(stat -c %s mail.mprof) - 1))); do
	cp mail.mprof changed.mprof
	change_byte changed.mprof "$offset"
	for command in check "report --json" "dump --json"; do
		mprof $command changed.mprof
		test $status -le 3 || fail "byte $offset changed: $command: status $status"
		if test "$command" != check && test $status != 3; then
			jq . out >/dev/null || fail "byte $offset changed: $command: not JSON"
		fi
	done
done
