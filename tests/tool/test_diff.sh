#!/bin/bash
# SPDX-License-Identifier: MIT
# What mprof diff prints: figures before and after, by name, of two logs and of two heap snapshots of one.
set -eu
. "$srcdir/tests/tool/support.sh"
needs jq

make_logs sample full

# A log differs from itself in nothing.
mprof diff --json full.mprof full.mprof
expect_status 0 "a log with itself"
expect_json "a log with itself" '[.classes[] | select(.objects_before != .objects_after or
	.bytes_before != .bytes_after)]' '[]'
expect_json "a log with itself" '.classes | length > 0' true

# The sums by class are those of the snapshots.
expect_json "sums" '.heap_shots[0].bytes - ([.classes[].bytes_before] | add)' 0
expect_json "sums" '.heap_shots[0].objects - ([.classes[].objects_before] | add)' 0
expect_json "sides" '[.heap_shots[].side]' '["before","after"]'

# What objects retain, and the paths that hold more of them than before; of two snapshots of a log, and of two logs.
make_tree growing growing.mprof 4
make_tree growing later.mprof 9
mprof diff --json --shots=2,4 growing.mprof
cp out shots
expect_json "retained sizes" '[.classes[] | [.name, .bytes_before, .bytes_after, .retained_before, .retained_after]]' \
	'[["Order",80,160,80,160],["List",40,40,160,240],["Order[]",40,40,120,200]]'
expect_json "paths" '[.heap_growth[] | [.class, .objects_before, .objects_after, .bytes_before, .bytes_after,
	.root.name, [.steps[].field]]]' '[["Order",2,4,80,160,"Shop.orders",["items","[]",null]]]'
mprof diff --json --shots=2,4 growing.mprof later.mprof
expect "two logs" "$(jq -c '[.classes, .heap_growth]' out)" "$(jq -c '[.classes, .heap_growth]' shots)"
mprof diff --shots=2,4 growing.mprof
expect_line out '^Paths that hold more objects than before'
expect_line out ' \+80 .* \+2  Order, static Shop\.orders -> items -> \[\]$'
# Equal classes are left out, unless they are asked for.
mprof diff --shots=1,1 growing.mprof
expect_line out '^  Without a difference: 3$'
expect_no_line out ' Order$'
mprof diff --shots=1,1 --class=Order growing.mprof
expect_no_line out 'Without a difference'
expect_line out ' Order$'
mprof diff --json --shots=4,2 growing.mprof
expect_json "no growth" '.heap_growth' '[]'
# An incomplete snapshot does not show growth.
mprof diff --json --shots=1,5 growing.mprof
expect_json "an incomplete snapshot" '[.heap_growth, .heap_shots[1].complete]' '[[],false]'
# A log without roots, and a pipe, which cannot be read twice.
make_logs mail
mprof diff --json mail.mprof mail.mprof
expect_json "no roots" '[.classes[] | .retained_before, .retained_after] | unique - [null]' '[]'
status=0
# shellcheck disable=SC2002 # a pipe is what is tested
cat growing.mprof | "$MPROF" diff --json --shots=4,4 - growing.mprof >out || status=$?
expect_status 0 "a pipe"
expect_json "a pipe" '[.classes[].retained_after] | unique' '[null]'
# shellcheck disable=SC2002
cat growing.mprof | "$MPROF" diff --shots=4,4 - growing.mprof >out
expect_line out 'What the objects retain is not known'

# Retained sizes can be limited.
mprof diff --shots=2,4 --fail-above=50% --class=List --of=retained growing.mprof
expect_status 0 "retained bytes at the limit"
mprof diff --shots=2,4 --fail-above=79 --class=List --of=retained growing.mprof
expect_status 1 "retained bytes above the limit"
expect "retained bytes above the limit" "$(cat err)" \
	'mprof: diff: limit exceeded: retained of List: 160 before, 240 after, +80 (+50.0 %)'
mprof diff --fail-above=5% --class='*' --of=retained mail.mprof mail.mprof
expect_status 1 "no retained sizes"
expect_line err '^mprof: diff: --fail-above cannot be checked: not both logs have '
# Without a filter, it is the sum.
mprof diff --json --shots=2,4 --fail-above=79 growing.mprof
expect_status 1 "bytes above the limit"
expect_json "bytes above the limit" .exceeded '[{"of":"bytes","name":null,"before":160,"after":240}]'

# Objects by identity, also where as many were allocated as died, and where another object has the address of an earlier
# one: one is new, one is gone, one moves and survives, and one has no known origin.
make_tree origins origins.mprof
identities='.heap_identity | [.new_objects, .new_bytes, .gone_objects, .gone_bytes, .surviving_objects,
	.surviving_bytes, .unknown_objects_before, .unknown_bytes_after]'
sites='[.heap_growth_sites[] | [.class, .objects_before, .objects_after, .bytes_before, .bytes_after, .stack]]'
for shots in 1,2 2,1; do
	mprof diff --json --shots=$shots origins.mprof
	expect_json "identities, $shots" "$identities" '[1,40,1,40,1,40,1,40]'
	expect_json "classes" '.heap_identity_classes == [.heap_identity | del(.reason) + {name: "Order"}]' true
	cp out origins.$shots
done
cp origins.1,2 out
expect_json "sites" "$sites" '[["Order",1,2,40,80,["Shop.create (int)","Shop.Main ()"]],["Order",1,0,40,0,["Shop.Main ()"]]]'
cp origins.2,1 out
expect_json "sites" "$sites" '[["Order",0,1,0,40,["Shop.Main ()"]],["Order",2,1,80,40,["Shop.create (int)","Shop.Main ()"]]]'
mprof diff --json --shots=2,2 origins.mprof
expect_json "a snapshot with itself" "$identities" '[0,0,0,0,2,80,1,40]'
mprof diff --shots=2,2 origins.mprof
expect_no_line out ' Order$'
mprof diff --json --shots=1,2 --class=Shop origins.mprof
expect_json "another class" '[.heap_identity.new_objects, .heap_identity_classes, .heap_growth_sites]' '[0,[],[]]'
mprof diff --csv=heap_identity_classes --shots=1,2 origins.mprof
expect_line out '^Order,1,40,1,40,1,40,1,40,1,40'
mprof diff --shots=1,2 origins.mprof
expect_line out '^ +1 +40 +1 +40 +1 +40  Order$'
expect_line out '^  Without a known origin, in none of the columns: 1 before, 1 after: allocated before recording started'
expect_line out '^ +40 +80 +\+40 +\+100\.0 % +\+1  Order$'
expect_line out '^ +in Shop\.create \(int\)$'
# What the log lacks is stated instead of figures.
mprof diff --shots=2,4 growing.mprof
expect_line out 'not known: the log has no allocations with addresses of objects; mprof record --heap --gc --alloc=objects\+stack'
expect_no_line out '^New, gone and surviving'
mprof diff --json --shots=2,4 growing.mprof
expect_json "no identities" "$identities" '[null,null,null,null,null,null,null,null]'
expect_json "no identities" '[.heap_identity_classes, .heap_growth_sites]' '[[],[]]'
mprof diff --shots=1,5 growing.mprof
expect_line out 'not known: objects are missing in a heap snapshot\.$'
# shellcheck disable=SC2002
cat origins.mprof | "$MPROF" diff --shots=1,2 - >out
expect_line out 'not known: a pipe cannot be read again; give a file\.$'
"$MPROF" diff --json --shots=1,2 - <origins.mprof >out
expect_json "standard input" "$identities" '[1,40,1,40,1,40,1,40]'
mprof diff --json origins.mprof origins.mprof
expect_json "two logs" .heap_identity null
head -c $(($(stat -c %s origins.mprof) - 20)) origins.mprof >cut.mprof
mprof diff --json --shots=1,2 cut.mprof
test "$status" != 0 || fail "a truncated log: status 0"

# Both logs may be compressed, and one may be standard input.
if test -z "${MPROF_WITHOUT_ZLIB-}"; then
	mprof diff --json full.mprof full.mprof
	cp out wanted
	gzip -k full.mprof
	status=0
	"$MPROF" diff --json - full.mprof.gz <full.mprof >out 2>err || status=$?
	expect_status 0 "standard input and a compressed log"
	cmp <(jq 'del(.before.file, .after.file)' out) <(jq 'del(.before.file, .after.file)' wanted) ||
		fail "standard input and a compressed log: another result"
fi

# A damaged log is compared as far as it can be read.
head -c $(($(stat -c %s full.mprof) - 20)) full.mprof >cut.mprof
mprof diff --json full.mprof cut.mprof
expect_status 1 "a truncated log"
expect_line err '^mprof: cut\.mprof: .*offset [0-9]+'
expect_json "a truncated log" '[.before.complete, .after.complete]' '[true,false]'
# Damage and an exceeded limit are distinguishable.
mprof diff --json --fail-above=0 --of=calls full.mprof cut.mprof
expect_status 1 "a truncated log within the limit"
expect_no_line err '^mprof: diff: '
expect_json "a truncated log within the limit" .exceeded '[]'
expect_json "a truncated log" '.notes | map(select(test("^the log after is incomplete or damaged from offset [0-9]+ on$"))) |
	length' 1
for length in 0 1 10 100 200 300 400; do
	head -c $length full.mprof >cut.mprof
	mprof diff --json --sites --tree full.mprof cut.mprof
	test "$status" = 1 || expect "status, $length bytes" "$status" 3
	test "$status" != 1 || expect_json "$length bytes" '.after.complete' false
done
echo text >text.mprof
mprof diff full.mprof text.mprof
expect_status 3 "not a log"
mprof diff absent.mprof full.mprof
expect_status 3 "no file"
mprof diff --shots=1,999 full.mprof
expect_status 3 "no such snapshot"
expect_line err 'no heap snapshot 999'

# A log with itself: all figures are equal, and nothing exceeds the least limit.
same='[.methods[], .allocations[], .samples[], .monitors[] | to_entries | map(select(.key | test("_(before|after)$"))) |
	(map(select(.key | endswith("_before")).value) != map(select(.key | endswith("_after")).value)) |
	select(.)] | length'
for figure in objects bytes allocations allocated calls self total; do
	mprof diff --json --fail-above=0 --of=$figure full.mprof full.mprof
	expect_status 0 "a log with itself, $figure"
	expect_json "a log with itself" "$same" 0
	expect_json "a log with itself" '.exceeded' '[]'
done
expect_json "a log with itself" '[.methods, .allocations, .samples, .monitors | length > 0]' '[true,true,true,true]'
expect_json "a log with itself" '.notes | map(select(test("cannot be compared"))) | length' 0

# Data that only one log has is stated, and a limit on it cannot be checked.
make_logs empty
mprof diff --json empty.mprof full.mprof
expect_json "an empty log" '.notes | map(select(test("^(calls|allocations|samples) cannot be compared: the log before"))) |
	length' 3
expect_json "an empty log" '.methods | map(.change) | unique' '["new"]'
mprof diff --fail-above=5% --of=calls empty.mprof full.mprof
expect_status 1 "a limit without data"
expect_line err '^mprof: diff: --fail-above cannot be checked: not both logs have calls$'
mprof diff --fail-above=5% --of=calls --method=nothing full.mprof full.mprof
expect_status 1 "a limit without rows"
expect_line err '^mprof: diff: --fail-above cannot be checked: nothing matches$'

# A log in other dialects has the same names, with other IDs.
for dialect in mono unity drop; do
	mprof convert --dialect=$dialect full.mprof copy.mprof
	mprof diff --json full.mprof copy.mprof
	expect_json "$dialect" '[.methods[] | select(.calls_before != .calls_after)]' '[]'
	expect_json "$dialect" '[.allocations[] | select(.objects_before != .objects_after or
		.bytes_before != .bytes_after)]' '[]'
done

# Samples of other programs and runtimes
if test -e "${MPROF_SAMPLES-}/f-calls.mprof" && test -e "${MPROF_SAMPLES-}/f-calls-alloc.mprof"; then
	mprof diff --json "$MPROF_SAMPLES/f-calls.mprof" "$MPROF_SAMPLES/f-calls-alloc.mprof"
	expect_status 0 "logs of the original profiler"
	jq '[.methods[].calls_before] | add' out >sums
	jq '[.methods[].calls_after] | add' out >>sums
	for log in f-calls f-calls-alloc; do
		mprof report --json "$MPROF_SAMPLES/$log.mprof"
		jq '[.methods[].calls] | add' out
	done >wanted
	cmp sums wanted || fail "logs of the original profiler: sums of calls $(xargs <sums), not $(xargs <wanted)"
fi
