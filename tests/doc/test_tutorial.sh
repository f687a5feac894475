#!/bin/bash
# SPDX-License-Identifier: MIT
# The programs of examples/small/tutorial print what they should, their logs are valid, and each has fewer than 60 lines.
set -eu
. "$srcdir/tests/tool/support.sh"
needs jq

programs=$builddir/examples/small/tutorial
for source in "$srcdir"/examples/small/tutorial/*.c; do
	test "$(wc -l <"$source")" -lt 60 || fail "$source has 60 lines or more"
	test -x "$programs/$(basename "$source" .c)" || fail "$source is not built"
done

# run PROGRAM ARGUMENT...: its output is then in the file printed.
run() {
	"$programs/$1" "${@:2}" >printed || fail "$* ended with $?"
}

# expect_report LOG FILTER WANTED: what jq makes of the report.
expect_report() {
	mprof check "$1"
	expect_status 0 "check of $1"
	mprof report --json "$1"
	expect_json "$1" "$2" "$3"
}

run 01_write tutorial.mprof
expect_report tutorial.mprof '[.totals | .calls, .allocations, .method_ns, .unclosed_frames]' '[2000,1000,900000,0]'

run 02_read tutorial.mprof
expect "lines" "$(wc -l <printed)" 5000
expect "first line" "$(head -1 printed)" "       0 ns  thread 1  method-enter Node.Work ()"
expect "last line" "$(tail -1 printed)" "  999900 ns  thread 1  method-leave Node.Work ()"
# Of a damaged block it reports the offset; the blocks after it are read.
{ head -c 3000 tutorial.mprof; printf '\377'; tail -c +3002 tutorial.mprof; } >damaged.mprof
"$programs/02_read" damaged.mprof >printed 2>err || fail "02_read ended with $?"
test "$(wc -l <printed)" -lt 5000 || fail "all events of a damaged log"
expect "last line" "$(tail -1 printed)" "  999900 ns  thread 1  method-leave Node.Work ()"
expect_line err '^damaged.mprof: offset [0-9]+: '

"$programs/04_parse" <tutorial.mprof >printed || fail "04_parse ended with $?"
expect "parsed" "$(cat printed)" "14 blocks, 5000 events, complete"
! head -c 2400 tutorial.mprof | "$programs/04_parse" >printed || fail "04_parse of a log that was cut"
expect_line printed '^4 blocks, 500 events, '

# The rest of the log arrives when the reader has reported what was there.
head -c 3000 tutorial.mprof >growing.mprof
"$programs/05_follow" growing.mprof >followed &
until test -s followed; do
	kill -0 $! || fail "05_follow ended early"
	sleep 0.01
done
tail -c +3001 tutorial.mprof >>growing.mprof
wait $! || fail "05_follow ended with $?"
expect "followed" "$(tail -2 followed)" $'5000 events so far\nthe log is closed'

run 06_seek tutorial.mprof 500300
expect_line printed '^14 blocks; at 500300 ns thread 1 is$'
expect "open frames" "$(grep '^  in' printed)" $'  in Node.Step ()\n  in Node.Work ()'
mprof dump tutorial.mprof
sixth=$(awk '/^ +[0-9]+ events, / && ++count == 6 { print $1 }' out)
expect "offset" "$(tail -1 printed)" "in the block at offset $sixth"

run 07_profile tutorial.mprof
expect "profile" "$(cat printed)" "2000 calls, 1000 objects, 24000 bytes
  900000 ns   1000 calls  Node.Work ()
  600000 ns   1000 calls    Node.Step ()"

run 08_convert tutorial.mprof mono.mprof
expect "converted" "$(cat printed)" "5000 events written, 0 things left out or shortened"
expect_report mono.mprof '[.session.dialect, .totals.calls]' '["mono",2000]'

# The rest needs the recorder.
grep -q '^#define MPROF_WITH_RECORDER 1' "$builddir/config.h" || exit 0

run 03_record record.mprof
expect_report record.mprof '[.methods | sort_by(.name)[] | [.name, .calls]]' '[["inner",40000],["outer",4]]'
run 08_convert record.mprof mono.mprof
expect_line printed '^[12] blocks of kind session$'

run 09_sample sample.mprof
expect_report sample.mprof '[.totals.samples, (.samples | map(.name) | sort)]' '[100,["busy_function","run"]]'

run 10_heap heap.mprof
expect_report heap.mprof '[.heap_shots[] | [.objects, .references, .roots]]' '[[3,2,1]]'

run 11_memory memory.mprof
expect_report memory.mprof '[.memory | .allocations, .frees, .live_bytes, .peak_bytes]' '[10,9,1000,10000]'

run 12_source_lines lines.mprof
expect "lines" "$(cat printed)" "main is at 12_source_lines.c:42"

run 13_spans spans.mprof
mprof dump --json spans.mprof
expect_status 0 "dump"
expect "spans" "$(jq -s -c 'map(select(.event == "typed")) | map(.arguments | map({(.name): .value}) | add) |
	group_by(.task) | map([.[0].task, length, (map(.size) | add)])' out)" \
	'[["compile",500,250000],["parse",500,249500]]'
