#!/bin/bash
# SPDX-License-Identifier: MIT
# What mprof heap and mprof handles print: classes, retained sizes and paths of a known heap, and what is missing.
set -eu
LEAKS=1
. "$srcdir/tests/tool/support.sh"
needs jq

make_logs full sample mail

# Two objects, one root, and a reference to an object that is not there. The recorder marked the snapshot as incomplete.
mprof heap --json full.mprof
expect_status 1 "an incomplete snapshot"
expect_line err '^mprof: full\.mprof: the heap snapshot is incomplete'
expect_json "the last snapshot" '[.shot, .complete, .objects, .bytes, .missing_references]' '[2,false,2,80,1]'
expect_json "classes" '[.classes[] | [.name, .objects, .bytes, .retained_bytes]]' \
	'[["Game.World",1,32,80],["Game.Point",1,48,48]]'
expect_json "dominators" '[.dominators[] | [.object, .class, .bytes, .retained_bytes, .dominator]]' \
	'[["0x1000","Game.World",32,80,null],["0x2000","Game.Point",48,48,"0x1000"]]'
expect_json "paths" '[.paths[] | [.class, .root.kind, .root.name, [.steps[].object]]]' \
	'[["Game.World","static","Game.World",["0x1000"]],["Game.Point","static","Game.World",["0x1000","0x2000"]]]'
mprof heap full.mprof
expect_line out '^  The snapshot is incomplete'
expect_line out '^  references to no object +1$'
expect_line out 'static Game\.World\* -> \(Game\.Point\)\* -> Game\.Point$'

# The list, and each snapshot by its number.
mprof heap --json --list full.mprof
expect_json "the list" '[.shots[].shot]' '[1,2]'
cp out list
for number in 1 2; do
	mprof heap --json --at $number full.mprof
	expect_json "snapshot $number" '[.shot, .objects // 0, .bytes // 0]' \
		"$(jq -c ".shots[$number - 1] | [.shot, .objects, .bytes]" list)"
done
mprof heap --at=3 full.mprof
expect_status 3 "no such snapshot"
expect_line err '^mprof: full\.mprof: --at=3: the log has 2 heap snapshots$'
mprof heap --csv --list full.mprof
expect "the list as CSV" "$(wc -l <out)" 3

# What grew in all complete snapshots, and what holds it.
make_tree growing growing.mprof 4
mprof heap --json --leaks growing.mprof
expect_status 1 "an incomplete snapshot among several"
expect_json "--leaks" '[.leaks[] | [.class, .bytes_first, .bytes_last, .objects_first, .objects_last, .shots]]' \
	'[["Order",40,160,1,4,4]]'
expect_json "--leaks: path" '.leaks[0] | [.root.kind, .root.name, [.steps[] | [.class, .field, .object, .objects]]]' \
	'["static","Shop.orders",[["List","items","0x1000",1],["Order[]","[]","0x2000",1],["Order",null,"0x10000",4]]]'
expect_json "--leaks: snapshots" '.leak_shots | [.compared, .incomplete, .without_roots, .at_shutdown]' '[4,1,0,0]'
expect_json "--leaks: the last snapshot" '[.shot, .complete]' '[5,false]'
mprof heap --leaks growing.mprof
expect_status 1 "an incomplete snapshot among several, as text"
expect_line out '^  Order grew in 4 of 4 snapshots, 40 B -> 160 B, 1 -> 4 objects$'
expect_line out '^    held by static Shop\.orders -> items -> \[\]$'
expect_line out '^  Not compared: 1 incomplete heap snapshot: number 5\.$'
mprof heap --json growing.mprof
expect_json "without --leaks" '[.leak_shots, .leaks]' '[null,null]'
make_tree growing small.mprof 2
mprof heap --leaks small.mprof
expect_line out '^Growth is only visible in three or more complete heap snapshots with roots; the log has 2\.$'
# Nothing grows any more when the program ends: the last snapshot need not show growth.
make_tree ending ending.mprof 4
mprof heap --leaks ending.mprof
expect_status 0 "the last snapshot is that of the end"
expect_line out '^Growth over 5 heap snapshots, '
expect_line out '^  Order grew in 4 of 5 snapshots, 40 B -> 160 B, 1 -> 4 objects$'
mprof heap --json --leaks ending.mprof
expect_json "the end" '[.leak_shots.compared, .leaks[0].shots]' '[5,4]'
make_tree ending small.mprof 2
mprof heap --leaks small.mprof
expect_line out '^No class grew from snapshot to snapshot: 3 were compared\.$'
mprof heap --leaks mail.mprof
expect_status 0 "no snapshots to compare"
expect_line out 'the log has 0\.$'
for option in --csv --list --at=1 --unreachable; do
	mprof heap --leaks $option growing.mprof
	expect_status 2 "--leaks $option"
done

# Where objects come from: by call stack and by age, in both snapshots; one object has no known origin.
make_tree origins origins.mprof
selected='.selection | [.objects, .bytes, .unknown_origin]'
for case in '1 --allocated-by=Shop.create [1,40,1]' '1 --allocated-by=Shop.* [2,80,1]' '1 --min-age=1 [2,80,1]' \
	'1 --max-age=0 [0,0,1]' '2 --min-age=2 [1,40,1]' '2 --max-age=1 [1,40,1]' '2 --allocated-by=*.create* [2,80,1]'; do
	read -r at option wanted <<<"$case"
	mprof heap --json --at="$at" "$option" origins.mprof
	expect_status 0 "$case"
	expect_json "$case" "$selected" "$wanted"
done
mprof heap --json --at=2 --min-age=1 --max-age=1 --allocated-by='Shop.create (int)' origins.mprof
expect_json "all of them" "$selected" '[1,40,1]'
mprof heap --min-age=1 origins.mprof
expect_line out '^  Not selected: 1 object without a known origin: allocated before recording started'
mprof heap --json --at=2 --object=0x2000 origins.mprof
expect_json "origin" '.object.origin | [.identity, .age, .stack, [.addresses[] | [.address, .age]]]' \
	'[1,2,["Shop.create (int)","Shop.Main ()"],[["0x100",0],["0x1000",1],["0x2000",2]]]'
mprof heap --json --at=1 --object=0x1000 origins.mprof
expect_json "origin in the first snapshot" '.object.origin | [.identity, .age, [.addresses[].address]]' \
	'[1,1,["0x100","0x1000"]]'
mprof heap --json --at=2 --object=0x100 origins.mprof
expect_json "an address that is used again" '.object.origin | [.identity, .age]' '[3,1]'
mprof heap --json --object=0x5000 origins.mprof
expect_json "no origin" '.object.origin' null
mprof heap --at=2 --object=0x2000 origins.mprof
expect_line out '^  age        2 collections$'
expect_line out '^    Shop\.create \(int\)$'
expect_line out '^    0x1000 from .* on, age 1$'
mprof heap --object=0x10000 growing.mprof
expect_line out 'origin not known: the log has no allocations with addresses of objects; mprof record --heap --gc --alloc='
status=0
"$MPROF" heap --json --min-age=2 - <origins.mprof >out 2>err || status=$?
expect_status 0 "standard input"
expect_json "standard input" "$selected" '[1,40,1]'

# Filters, and a pattern that matches nothing.
mprof heap --json --class='*.Point' full.mprof
expect_json "--class" '[[.classes[].name], [.dominators[].class], [.paths[].class]]' \
	'[["Game.Point"],["Game.Point"],["Game.Point"]]'
mprof heap --json --paths='Game.W*' full.mprof
expect_json "--paths" '[.paths[].class]' '["Game.World"]'
for option in class paths; do
	mprof heap --$option=Game.Wrld full.mprof
	expect "--$option" "$(grep -c 'nothing matches' err)" 1
	expect_line err "nothing matches --$option=Game\\.Wrld; nearest: Game\\.World$"
done
mprof heap --csv --sort=name full.mprof
expect "CSV" "$(sed 's/^[0-9]*,//' out | paste -sd';')" \
	'id,objects,bytes,retained_bytes,name;1,48,48,"Game.Point";1,32,80,"Game.World"'
mprof heap --json --top=1 full.mprof
expect_json "--top" '[.classes, .dominators, .paths] | map(length)' '[1,1,1]'

# Logs without snapshots, without handles, and standard input.
mprof heap sample.mprof
expect_status 0 "no snapshot"
expect_line out '^The log has no heap snapshots'
mprof heap --json sample.mprof
expect_json "no snapshot" '[.shot, .objects, .complete, .shots, .classes]' '[null,null,false,[],[]]'
mprof handles mail.mprof
expect_line out '^The log has no handles'
status=0
"$MPROF" heap --json - <full.mprof >out 2>err || status=$?
expect_status 1 "standard input"
expect_json "standard input" '.bytes' 80

# Handles: what report has, and the sums by type.
mprof report --json full.mprof
jq -c .handles out >wanted
mprof handles --json full.mprof
expect "handles" "$(jq -c .handles out)" "$(cat wanted)"
expect_json "sums" '[.types[] | .alive] | add' "$(jq '[.[].alive] | add' wanted)"
expect_json "types" '[.types[] | .type as $type | [$type, .alive]] | sort' \
	"$(jq -c 'group_by(.type) | map([.[0].type, (map(.alive) | add)]) | sort' wanted)"

# Every length of a truncated log: no crash, and never a complete snapshot unless all of it is there.
size=$(stat -c %s full.mprof)
whole=$(jq -c '[.shots[] | select(.complete)] | length' list)
for ((length = size - 1; length > 64; length -= size / 40 + 1)); do
	head -c $length full.mprof >cut.mprof
	mprof heap --json cut.mprof
	expect_status 1 "truncated to $length bytes"
	expect_line err '^mprof: cut\.mprof: offset [0-9]+: '
	jq -e ".shots | map(select(.complete)) | length <= $whole" out >/dev/null || fail "truncated to $length bytes"
done

# Snapshots of the oldest dialects have no roots: nothing is retained, and this is stated.
for log in "${MPROF_SAMPLES-}"/f-heap-all.mprof "${MPROF_SAMPLES-}"/e-heap-all.mprof; do
	test -e "$log" || continue
	mprof heap "$log"
	expect_status 0 "$log"
	expect_line out 'The log has no roots'
	expect_no_line out 'retained +bytes'
	mprof heap --json "$log"
	expect_json "$log" '[.reachable_objects, .reachable_bytes, .dominators, .paths,
		([.classes[].retained_bytes] | unique)]' '[null,null,[],[],[null]]'
	expect_json "$log" '[([.classes[].bytes] | add) == .bytes, ([.classes[].objects] | add) == .objects]' \
		'[true,true]'
done

# What refers to objects, objects by what they refer to, and one object.
mprof heap --json --referrers='*' --referencing='*.Point' --object=0x2000 full.mprof
expect_json "--referrers" '[.referrers[] | [.class, .root.kind, .target, .references]]' \
	'[["Game.World",null,"Game.Point",1],[null,"static","Game.World",1]]'
expect_json "--referencing" '.selection | [.objects, .bytes, .retained_bytes, [.classes[].name]]' \
	'[1,32,80,["Game.World"]]'
expect_json "--object" '.object | [.object, .class, .retained_bytes, .dominator, [.referrers[].object], .references]' \
	'["0x2000","Game.Point",48,"0x1000",["0x1000"],[]]'
mprof heap --object=0x1000 full.mprof
expect_line out '^  path +static Game\.World\* -> Game\.World$'
expect_line out '^    \? +not in the snapshot$'
mprof heap --object=0x1008 full.mprof
expect_line err '^mprof: full\.mprof: no object of the snapshot is at 0x1008$'
mprof heap --json --referenced-by='*.World' --class='*.World' full.mprof
expect_json "nothing selected" '.selection | [.objects, .retained_bytes]' '[0,0]'
