#!/bin/bash
# SPDX-License-Identifier: MIT
# "mprof report" prints the profile.
set -eu
LEAKS=1
. "$srcdir/tests/tool/support.sh"
needs_compression
needs jq

make_logs sample mail gzip deep empty backward

run='[.id, .class, .name, .calls, .total_ns, .self_ns]'
for log in sample mail gzip; do
	mprof report --json $log.mprof
	expect_status 0 "report of $log"
	expect_json $log ".methods[0] | $run" '[1,"Game.World","Run (string[])",1,1000000,400000]'
	expect_json $log ".methods[] | select(.id == 2) | $run" '[2,"Game.World","Fib (int)",4,300050,300050]'
	expect_json $log '.methods[] | select(.id == 2) | [.jit_ns, .samples]' '[3000,2]'
	expect_json $log '.methods | length' 6
	expect_json $log '[.methods[].self_ns] | add' 1000050
	expect_json $log '[.call_tree[0] | .method, .calls, .total_ns, .self_ns]' \
		'["Game.World.Run (string[])",1,1000000,400000]'
	expect_json $log '[.call_tree[0].children[0] | .. | objects | .calls]' '[1,1,1]'
	expect_json $log '[.. | objects | select(has("children")) | .self_ns] | add' 1000050
	expect_json $log '[.classes[] | select(.allocations > 0) | .name, .allocations, .bytes]' \
		'["System.String",10,400,"Game.World",10,240]'
	expect_json $log '[.collections[] | .number, .generation, .start_ns, .duration_ns, .mark_ns, .sweep_ns]' \
		'[1,0,2000000,500,100,0,2,1,3000000,1000,0,0]'
	expect_json $log '.heap_resizes' '[{"time_ns":2000600,"bytes":1048576,"number":null}]'
	expect_json $log '.exceptions' '[{"class":"Bad\"\\\u0001\u001b[31m'$'\302\233''","count":1,"texts":0,"text":null,"text_ns":null}]'
	expect_json $log '[.threads[] | .id, .events]' '["0x10",40,"0x20",9]'
	expect_json $log '[.samples[] | .kind, .name, .hits]' \
		'["managed","Game.World.Fib (int)",2,"managed","Game.Größe.Measure ()",1]'
	expect_json $log '[.monitors, .heap_shots, .handles]' '[[],[],[]]'
	expect_json $log '.session | [.complete, .events."method-enter"]' '[true,9]'
done
mprof report --json sample.mprof
expect_json sample '.classes[] | select(.id == 3) | .assembly' '"mscorlib"'
expect_json sample '.threads[0].name' '"main"'
expect_json sample '.session.properties.pid' '"42"'

# Overlapping collections of two threads, from a log described in tests/tool/decode.
"$builddir/tests/data/build_logs" "$srcdir/tests/tool/decode" . || fail "build_logs"
mprof report --json collections.mprof
expect_json collections '.collections[] | [.number, .start_ns, .duration_ns, .mark_ns, .sweep_ns, .finished]' \
	'[1,1100000,50000,0,0,true]
[4,2000000,700000,60000,30000,true]
[5,2300000,350000,100000,25000,true]'

# Orders and filters
mprof report --json --sort=total --top=2 sample.mprof
expect_json sort '[.methods[].id]' '[1,2]'
mprof report --json --sort calls sample.mprof
expect_json sort '.methods[0].id' 2
mprof report --json --method='F*' sample.mprof
expect_json filter '[.methods[].id]' '[2]'
mprof report --json --method='Game.World.Fib' sample.mprof
expect_json filter '[.methods[].id]' '[2]'
mprof report --json --class='Game.*' sample.mprof
expect_json filter '[.methods[].id]' '[1,2,3]'
mprof report --json --assembly=mscorlib sample.mprof
expect_json filter '[[.methods[].id], [.classes[].name]]' '[[4],["System.String"]]'
mprof report --json --thread=0x20 sample.mprof
expect_json filter '[.methods[] | select(.calls > 0) | .id]' '[2]'

# Text
mprof report --all sample.mprof
expect_status 0 "report as text"
for title in Totals 'Methods by their own time' 'Methods by time with' 'Call tree' Allocations Collections Exceptions \
	Compilation Samples Threads; do
	expect_line out "^$title"
done
expect_line out '400\.0 us +40\.0 % +1\.00 ms +1  Game\.World\.Run'
! LC_ALL=C grep -q "$(printf '\033')" out || fail "an escape sequence came through"
mprof report --tree --min-percent=15 sample.mprof
expect_line out 'Game\.World\.Run'
expect_no_line out 'Measure'

# A deep tree is cut with a note; the nesting of the document stays within the limits of parsers.
mprof report --json deep.mprof
expect_json deep '.methods[0] | [.calls, .total_ns, .self_ns]' '[3000,599900,599900]'
expect_json deep '[.. | objects | .hidden_children? // 0 | select(. > 0)]' '[1]'
mprof report --tree --depth=5000 --min-percent=0 deep.mprof
expect_status 0 "a deep tree"
expect "rows of a deep tree" "$(grep -c Fib out)" 3000

mprof report --json backward.mprof
expect_json backward '[.methods[] | .total_ns]' '[2000,1000]'
mprof report --json empty.mprof
expect_status 0 "report of a log without events"
expect_json empty '[.methods, .call_tree, .threads]' '[[],[],[]]'
mprof report --all empty.mprof
expect_status 0 "report of a log without events"
