#!/bin/bash
# SPDX-License-Identifier: MIT
# "mprof dump", "mprof check" and "mprof info" for data that only the older dialects have.
set -eu
. "$srcdir/tests/tool/support.sh"
needs jq

logs=$builddir/tests/data

# expect_dump LOG LINE...: the dump of a log has these lines in this order.
expect_dump() {
	local log=$1

	shift
	mprof dump "$logs/$log.mprof"
	expect_status 0 "dump of $log"
	printf '%s\n' "$@" >wanted
	expect "dump of $log" "$(grep -xF -f wanted out)" "$(cat wanted)"
}

# Stack sections, and the call stacks that events get from them, which are defined before their first use.
expect_dump mono-stack-without-directive \
	'    1300 stack-section, 0 stay' \
	'    stack 1 method 1 #1' \
	'    stack 2 method 2 #2, called by stack 1' \
	'    1300 stack-section, 0 stay, on them #2 < #1' \
	'    1340 monitor 3 #3 contended, at 0x7f1234001000, stack 2' \
	'    1340 stack-section, 2 stay' \
	'    1400 monitor 3 #3 acquired, at 0x7f1234001000, stack 2'
mprof dump --json "$logs/mono-stack-without-directive.mprof"
expect "sections" "$(jq -c 'select(.event == "stack-section") | [.keep, [.frames[] | .method, .compiling], .object]' out)" \
	$'[0,[],null]\n[0,[2,false,1,false],null]\n[2,[],null]'
expect "chains" "$(jq -c 'select(.record) | [.record, .id, .method, .caller]' out)" \
	$'["stack",1,1,0]\n["stack",2,2,1]'
expect "chains of events" "$(jq -c 'select(.event == "monitor") | [.stack, .state]' out)" \
	$'[2,"contended"]\n[2,"acquired"]'

# A method being compiled is distinguished from one that runs.
mprof dump "$logs/mono-jit-allocations.mprof"
expect_line out 'stack [0-9]+ method [0-9]+ .* \(compiling\)'
expect_line out 'stack-section, 0 stay, on them .* \(compiling\)'
expect_line out 'allocation-at-jit .* stack [0-9]+$'
mprof report --all "$logs/mono-jit-allocations.mprof"
expect_line out ' \(compiling\)$'
mprof report --json "$logs/mono-jit-allocations.mprof"
expect "allocating methods" "$(jq -c '.allocation_stacks[] | [.caller, .compiling]' out)" $'["#300",true]\n["#300",true]'

# Collections have numbers.
expect_dump mono-collections \
	'        28 directives, 21 bytes: none, clock 1010' \
	'    2000 gc-resize 1048576, collection 2' \
	'    2010 gc-start 0, collection 3' \
	'    3100 gc-start 1, collection 5'
mprof dump --json "$logs/mono-collections.mprof"
expect "numbers" "$(jq -s -c 'map(select(.event) | .collection)' out)" '[1,2,3,3,4,5,5]'

# Heap snapshots belong to a collection, and have clock pairs of their own. The first forms do not contain classes.
expect_dump mono-heap \
	'       130 heap-data, 104 bytes: collection 1, counter 2000 to 2500, snapshot, clock 2600' \
	'    heap-object 2 Shop.Item, 24 bytes, at 0x7f1234002000'
mprof dump --json "$logs/mono-heap.mprof"
expect "shots" "$(jq -c 'select(.block == "heap-data") | [.collection, .shot_start.counter, .shot_end.time_us]' out)" \
	$'[1,2000,1200000000002500]\n[4,3000,1200000000003500]'
expect_dump drop-heap-1 '    heap-object (class unknown), 0 bytes, at 0x8002000'
for log in mono-heap drop-heap-1; do
	mprof check "$logs/$log.mprof"
	expect_status 0 "check of $log"
done
mprof info --json "$logs/mono-heap.mprof"
expect_json mono-heap '[.dialect, .heap_shots]' '["mono",2]'

# Samples of all dialects have call stacks.
mprof dump --json "$logs/mail-by-statistical.mprof"
expect "samples" "$(jq -c 'select(.event == "sample") | [.method, .stack, .name]' out)" \
	$'[1,1,"#1"]\n[2,2,"#2"]\n[1,1,"#1"]'

# Methods that occur only in a call stack must be defined too.
mprof check --json "$logs/mono-stack-without-directive.mprof"
expect_status 1 "check of methods that are not defined"
expect_json "check" '[.undefined_methods, .undefined_classes, .undefined_stacks]' '[2,1,0]'

# A block that defines an ID again is printed nevertheless.
mprof dump --json --blocks "$logs/bad-mono-mapping-twice.mprof"
expect_status 1 "dump of an ID that is defined twice"
expect "blocks" "$(jq -c '[.block, .offset]' out)" $'["intro",0]\n["mapping",28]\n["mapping",72]\n["end",118]'
mprof info "$logs/bad-mono-mapping-twice.mprof"
expect_line out '^state +closed, but has faults: valid up to byte 72 of 139$'

# So are the blocks after a damaged INTRO; the first CLOCK among them is the start of the log.
mprof dump --json "$logs/bad-mono-intro.mprof"
expect_status 1 "dump of a log whose INTRO is damaged"
expect_line err 'offset 28: bytes are left over at the end of the block$'
expect "events" "$(jq -c 'select(.event) | [.event, .collection]' out)" \
	$'["thread-start",null]\n["gc-start",5]\n["gc-end",5]'
mprof info --json "$logs/bad-mono-intro.mprof"
expect_json "info of a log whose INTRO is damaged" '[.version, .runtime, .start_time_us]' '[1,"",1200000000001010]'
