#!/bin/bash
# SPDX-License-Identifier: MIT
# A log with every block and event of mprof2: all commands support all of it.
set -eu
. "$srcdir/tests/tool/support.sh"
needs jq

make_logs full memory
size=$(stat -c %s full.mprof)

# Counts
mprof info --json full.mprof
expect_status 0 "info"
expect_json info '.complete' true
expect_json info '[.blocks | .samples, .stacks, .code, .metrics, .mark, .roots, ."heap-data", ."heap-summary"]' \
	'[2,1,1,2,1,1,4,1]'
expect_json info '[.events | .sample, .monitor, ."handle-created", ."handle-deleted", ."recording-resumed"]' \
	'[8,4,220,1,1]'
expect_json info '[.events | ."heap-object", ."heap-free", ."heap-root", ."heap-move", ."heap-references"]' '[5,2,2,1,0]'
expect_json info '[.events | ."finalizer-start", ."finalizer-end", ."finalization-start", ."finalization-end"]' \
	'[2,2,1,1]'
expect_json info '[.stacks, .locations, .functions, .modules, .roots, .metrics, .heap_shots]' '[5,2,1,1,1,2,2]'
expect_json info '[.threads, .lost_events, .lost_by_cause]' '[2,5,{"no-sample-room":3,"limit":2}]'
expect_json info .ring '{"covered_s":2.5,"overwritten_bytes":4096,"overwritten_blocks":3,"overwritten_events":70}'
expect_json info '.events | add' 259
mprof info full.mprof
expect_line out '^recorded .* heap handles finalizers metrics$'
expect_line out '^stacks +5$'
expect_line out '^  heap-data +4$'

# Every event and record
mprof dump --json full.mprof
expect_status 0 "dump"
jq -s '[.[] | select(.event)]' out >events
jq -s '[.[] | select(.record)]' out >records
expect "events" "$(jq length events)" 259
# expect_event KIND NUMBER WANTED
expect_event() {
	expect "$1 $2" "$(jq -c "map(select(.event == \"$1\"))[$2]" events)" "$3"
}
expect_event sample 4 '{"event":"sample","thread":"0x10","counter":1000004000,"stack":3,'$(
)'"name":"memcpy"}'
expect_event sample 7 \
	'{"event":"sample","thread":"0x20","counter":1000007000,"stack":5,"name":null}'
expect_event heap-object 0 '{"event":"heap-object","counter":1000010000,"class":1,"value":32,"object":"0x1000",'$(
)'"references":["0x2000","0x3000"]}'
expect_event heap-object 1 \
	'{"event":"heap-object","counter":1000010000,"class":6,"value":48,"object":"0x2000","references":[]}'
expect_event heap-root 0 \
	'{"event":"heap-root","counter":1000010000,"root":1,"value":1,"kind":"static","object":"0x1000"}'
expect_event heap-free 0 '{"event":"heap-free","counter":1000015000,"class":6,"value":48,"object":"0x8000"}'
expect_event heap-move 0 \
	'{"event":"heap-move","counter":1000015000,"value":16384,"to":"0x4000","object":"0x3000"}'
expect_event handle-created 0 '{"event":"handle-created","thread":"0x10","counter":1000005000,"class":1,"value":1,'$(
)'"type":"normal","stack":2,"object":"0x7f1000"}'
expect_event handle-created 219 \
	'{"event":"handle-created","thread":"0x10","counter":1000006200,"class":0,"value":501,"type":"weak"}'
expect_event handle-deleted 0 \
	'{"event":"handle-deleted","thread":"0x10","counter":1000006100,"value":500,"type":"pinned"}'
expect_event monitor-holder 0 '{"event":"monitor-holder","thread":"0x10","counter":1000007000,"class":2,"value":17,'$(
)'"holder":"0x11","object":"0x7f2000"}'
expect_event monitor 1 '{"event":"monitor","thread":"0x10","counter":1000007300,"class":2,"value":2,'$(
)'"state":"acquired","stack":1,"object":"0x7f2000"}'
expect_event exception-clause 0 '{"event":"exception-clause","thread":"0x10","counter":1000008420,"class":6,'$(
)'"kind":"catch","clause":1,"method":2}'
expect_event method-code 0 '{"event":"method-code","thread":"0x10","counter":1000008430,"method":2,'$(
)'"origin":"precompiled","bytes":300}'
expect_event finalizer-start 0 \
	'{"event":"finalizer-start","thread":"0x10","counter":1000008100,"class":1,"object":"0x7f2000"}'
expect_event recording-resumed 0 '{"event":"recording-resumed","thread":"0x10","counter":1000004000,"value":2000}'
expect_event allocation 0 '{"event":"allocation","thread":"0x10","counter":1000001100,"class":6,"value":48,'$(
)'"caller":2,"stack":2,"object":"0x7f3000"}'
expect "records" "$(jq -c '[.[].record]' records)" '["module","function","location","location","stack","stack",'$(
)'"stack","stack","stack","root","summary","metric","metric","metric-value","metric-value","metric-value"]'
expect "a module" "$(jq -c '.[0] | [.id, .start, .size, .build_id, .file]' records)" \
	'[1,"0x7f0000000000",65536,"a1b2","/lib/libc.so.6"]'
expect "a function" "$(jq -c '.[1] | [.id, .module, .offset, .size, .name]' records)" '[1,1,"0x100",128,"memcpy"]'
expect "locations" "$(jq -c '[.[2:4][] | .id, .module, .offset, .function]' records)" '[1,1,"0x120",1,2,1,"0x900",0]'
expect "stacks" "$(jq -c '[.[4:9][] | .id, .method // .location, .caller]' records)" '[1,1,0,2,2,1,3,1,2,4,2,0,5,0,4]'
expect "a root" "$(jq -c '.[9] | [.id, .kind, .class, .start, .size, .name]' records)" \
	'[1,"static",1,"0x9000",64,"Game.World"]'
expect "a summary" "$(jq -c '.[10] | [.class, .live_objects, .live_bytes, .dead_objects, .dead_bytes]' records)" \
	'[3,1,500,1,100]'
expect "metrics" "$(jq -c '[.[11:13][] | .id, .unit, .section, .name]' records)" \
	'[1,"bytes","GC","heap size",2,"ratio","CPU","load"]'
expect "values" "$(jq -c '[.[13:][] | .metric, .value]' records)" '[1,4096,2,0.25,1,1024]'
expect "a mark" "$(jq -c 'select(.block == "mark") | [.thread, .counter, .text]' out)" \
	'["0x10",1000030000,"level \"two\""]'
expect "shots" "$(jq -c 'select(.block == "heap-data") | [.shot, .first, .last, .incomplete]' out | tr -d '\n')" \
	'[1,true,false,false][1,false,true,false][0,false,false,false][2,true,true,true]'
expect "a size" "$(jq -c 'select(.block == "mapping") | .classes[5].size' out)" 48
mprof dump full.mprof
expect_status 0 "dump as text"
expect_line out 'sample stack 3: memcpy'
expect_line out '^    stack 3 location 1 memcpy, called by stack 2$'
expect_line out 'handle-created 1 Game\.World 0x1, normal, at 0x7f1000, stack 2$'
expect_line out 'heap-object 1 Game\.World, 32 bytes, at 0x1000, refers to 0x2000 0x3000$'
mprof dump --blocks --json full.mprof
expect "blocks alone" "$(jq -s 'map(has("block")) | [length, all]' -c out)" '[22,true]'

# The profile
mprof report --json full.mprof
expect_status 0 "report"
expect_json samples '[.sample_count, ([.samples[].hits] | add), (.samples | length)]' '[8,8,5]'
expect_json samples '[.samples[] | .kind, .name, .hits, .total_hits]' '["managed","Game.World.Fib (int)",3,5,'$(
)'"native","memcpy",2,2,"managed","Game.World.Run (string[])",1,6,"native","/lib/libc.so.6",1,2,"managed",null,1,1]'
expect_json samples '.session.sampling | [.requested_hz, .achieved_hz, .ms_per_hit, .discarded, .clock]' \
	'[100,50,20,3,"processor"]'
expect_json samples '[.samples[] | .estimated_ns / 1e6, .estimated_total_ns / 1e6] | .[:4]' '[60,100,40,40]'
expect_json samples '[.methods[] | .samples, .total_hits]' '[3,5,1,6]'
expect_json samples '[.sample_tree[0].children[0].children[0] | .name, .hits, .total_hits]' '["memcpy",2,2]'
expect_json samples '[.threads[] | .id, .samples]' '["0x10",6,"0x20",2]'
expect_json shots '[.heap_shots[] | .number, .time_ns, .objects, .bytes, .references, .roots, .incomplete]' \
	'[1,10000,3,580,2,1,false,2,20000,2,80,2,1,true]'
expect_json shots '[.heap_shots[0].classes[] | .class, .objects, .bytes]' \
	'["System.String",1,500,"Game.Point",1,48,"Game.World",1,32]'
expect_json shots '.heap_shots[0].roots_by_kind' '{"static":1}'
expect_json summaries '[.heap_summaries[] | .collection, .class, .live_objects, .dead_bytes]' \
	'[1,"System.String",1,100]'
expect_json freed '[.classes[] | .name, .freed, .freed_bytes]' '["System.String",1,100,"Game.Point",1,48]'
expect_json handles '[.handles[] | .class, .type, .created, .deleted, .alive]' \
	'["Game.World","normal",218,0,218,null,"weak",1,0,1,"Game.Größe","pinned",1,1,0]'
expect_json handles '[.handles[0].stacks[] | .alive, .stack[0]]' \
	'[200,"Game.World.Fib (int)",18,"Game.World.Run (string[])"]'
expect_json monitors '[.monitors[] | .class, .contentions, .contended_ns, .failures]' '["Game.Größe",2,350,1]'
expect_json monitors '.monitor_holders[] | [.class, .holder, .contentions, .contended_ns]' \
	'["Game.Größe","0x11",1,300]'
expect_json monitors '[.exception_clauses[] | .class, .method, .kind, .clause, .count]' \
	'["Game.Point","Game.World.Fib (int)","catch",1,1]'
expect_json monitors '[.code_totals[], .code_methods[] | .origin, .bytes, .count]' \
	'["precompiled",300,1,"precompiled",300,1]'
expect_json monitors '[.code_assemblies[] | .methods, .compile_ns]' '[1,0]'
expect_json monitors '.exception_stacks | map(.count, .stack)' '[1,["Game.World.Run (string[])"]]'
expect_json monitors '[.monitor_stacks[] | .contentions, .contended_ns, .stack]' '[2,350,["Game.World.Run (string[])"]]'
expect_json finalizers '[.finalizers[] | .class, .count, .total_ns]' '["Game.World",2,100]'
expect_json metrics '[.metrics[] | .section, .name, .unit, .last, .minimum, .maximum]' \
	'["GC","heap size","bytes",1024,1024,4096,"CPU","load","ratio",0.25,0.25,0.25]'
expect_json marks '.marks' '[{"time_ns":30000,"thread":"0x10","text":"level \"two\""}]'
expect_json allocations '[.allocation_stacks[] | .class, .bytes, .caller, (.stack | length)]' \
	'["System.String",100,"Game.World.Fib (int)",0,"Game.Point",96,"Game.World.Fib (int)",2]'
expect_json allocations '[.call_tree[0].children[0] | .allocations, .bytes]' '[3,196]'
expect_json totals '[.totals | .interrupted_frames, .unclosed_frames, .method_ns, .handles_alive, .finalizations]' \
	'[2,0,1000,219,1]'
mprof report --all full.mprof
expect_status 0 "report as text"
for title in Samples 'Sample tree' 'Allocations by call site' 'Heap snapshots' 'Objects alive in snapshot 2' Handles Monitors \
	Finalizers Metrics Markers; do
	expect_line out "^$title"
done
expect_line out '^ +218 +218 +normal  Game\.World$'
expect "freed by class" "$(sed -n '/^Objects freed/,/^$/p' out | tr -s ' ' | tr '\n' ';')" \
	'Objects freed by class; bytes objects class; 100 B 67.6 % 1 System.String; 48 B 32.4 % 1 Game.Point;;'
expect_line out '^ +thread in methods +events +samples +lost  name$'
mprof report --all --class='Game.P*' full.mprof
expect "freed of one class" "$(sed -n '/^Objects freed/,/^$/p' out | tr -s ' ' | tr '\n' ';')" \
	'Objects freed by class; bytes objects class; 48 B 32.4 % 1 Game.Point;;'
# Without calls, the table has no column for their time; without samples, none for these.
mprof report --all memory.mprof
expect_line out '^ +thread +events +lost  name$'
mprof report --json --class='Game.P*' full.mprof
expect_json filter '[.samples, .handles, .monitors, [.heap_shots[0].classes[].class], [.allocation_stacks[].class]]' \
	'[[],[],[],["Game.Point"],["Game.Point"]]'
mprof report --json --method='Fib*' full.mprof
expect_json filter '[.samples[] | .name, .hits]' '["Game.World.Fib (int)",3]'
mprof report --json --thread=0x20 full.mprof
expect_json filter '[.sample_count, (.handles | length), (.marks | length)]' '[2,0,0]'

# Findings that are not damage are reported as notes.
mprof check full.mprof
expect_status 0 "check"
expect_line out "all $size bytes are sound"
expect_line out '^note: events lost while recording: 5$'
expect_line out '^note: 3 of them for the cause no-sample-room$'
expect_line out '^note: incomplete heap snapshots: 1$'
mprof check --json full.mprof
expect_json check '[.sound, .damage_count, .incomplete_heap_shots, .undefined_stacks]' '[true,0,1,0]'

# without_block KIND: the log without its first block of a kind, in missing.mprof.
without_block() {
	block=$("$MPROF" dump --json --blocks full.mprof | jq -c "select(.block == \"$1\")" | head -n 1)
	offset=$(jq .offset <<<"$block")
	end=$((offset + 6 + $(jq .length <<<"$block")))
	head -c "$offset" full.mprof >missing.mprof
	tail -c +$((end + 1)) full.mprof >>missing.mprof
}

# The use of an undefined ID is damage, reported at the first block that uses it.
# expect_undefined BLOCK WHAT FIELD USER
expect_undefined() {
	without_block "$1"
	mprof check --json missing.mprof
	expect_status 1 "check without $1"
	expect_line err "^mprof: missing.mprof: offset $(block_offset missing.mprof "$4"): the block uses a $2 that is not"
	jq -e ".$3 > 0" out >/dev/null || fail "check without $1: $3 is 0"
	for command in "dump --json" "report --json"; do
		mprof $command missing.mprof
		jq . out >/dev/null || fail "$command without $1 is not JSON"
	done
}
expect_undefined stacks 'call stack' undefined_stacks events
expect_undefined code location undefined_locations stacks
expect_undefined roots root undefined_roots heap-data
expect_undefined metrics metric undefined_metrics metrics
expect_undefined mapping method undefined_methods stacks

# Samples with undefined call stacks are not lost.
without_block stacks
mprof report --json missing.mprof
expect_json "without stacks" '[.sample_count, ([.samples[].hits] | add)]' '[8,8]'

# Cut or damaged anywhere: no crash, always a message, always a valid document.
for length in $(seq 300 127 $((size - 1))) $((size - 1)); do
	head -c "$length" full.mprof >cut.mprof
	for command in check "dump --json" "report --json"; do
		mprof $command cut.mprof
		expect_status 1 "$command of the log cut at $length"
		expect_line err '^mprof: cut.mprof: offset [0-9]+: '
		test "$command" = check || jq . out >/dev/null || fail "$command, cut at $length: not JSON"
	done
done
for offset in $(seq 120 97 $((size - 1))); do
	cp full.mprof changed.mprof
	change_byte changed.mprof "$offset"
	for command in check "report --json"; do
		mprof $command changed.mprof
		expect_status 1 "$command with byte $offset changed"
		expect_line err '^mprof: changed.mprof: offset [0-9]+: '
	done
done
