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
if test -d "${MPROF_SAMPLES-}"; then
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

modules=${MONO_MODULE_DIR:-$builddir/examples/mono/.libs}
for tool in mono mcs; do
	command -v $tool >/dev/null || skip "a part that needs $tool"
done
test -e "$modules/libmono-profiler-mprof.so" && test -z "${MPROF_SANITIZED-}" || skip "a part that needs the module for Mono"
export MPROF_MODULE_DIR=$modules

# Two builds of a program: calls and objects were added, and a lambda before another one, which gets another number.
# build NAME OBJECTS BEFORE AFTER
build() {
	mkdir "$1"
	cat >"$1/Program.cs" <<-END2
		using System;
		class Kept { public int Number; }
		class Program {
			static int Cheap (int i) { return i + 1; }
			static void Work (int n) { for (int i = 0; i < n; i++) { Cheap (i); new Kept ().Number = i; } }
			static void Only () { $3 }
			static void Main () { $4 Func<int, int> f = x => Cheap (x); f (1); Work ($2); Only (); }
		}
	END2
	mcs -nologo -out:"$1/Program.exe" "$1/Program.cs" >compiler.out 2>&1 || fail "mcs: $(cat compiler.out)"
	mprof record --force --calls --alloc=objects+stack -o "$1.mprof" -- mono "$1/Program.exe"
	expect_status 0 "recording $1"
}
build old 100 "" ""
build new 250 "Cheap (7);" "Func<int, int> g = x => Cheap (x) * 2; g (3);"
mprof diff --json old.mprof new.mprof
expect_status 0 "two builds"
# calls_of PATTERN
calls_of() {
	jq -c "[.methods[] | select(.class == \"Program\" and (.name | test(\"$1\"))) | [.calls_before, .calls_after]]" out
}
expect "Cheap" "$(calls_of '^Cheap ')" '[[101,253]]'
expect "Work" "$(calls_of '^Work ')" '[[1,1]]'
expect "the lambdas, of which one is new" "$(calls_of '^<Main>')" '[[1,2]]'
expect_json "the lambdas" '[.methods[] | select(.name | startswith("<Main>")) | [.name, .match]]' \
	'[["<Main>m__# (int)","merged"]]'
expect_json "Kept" '[.allocations[] | select(.name == "Kept") | [.objects_before, .objects_after]]' '[[100,250]]'

# Call paths: those of both logs, with the same figures as the table of methods
mprof diff --json --tree=calls old.mprof new.mprof
expect_status 0 "call paths"
expect_json "call paths" .call_paths_of '"calls"'
# paths_of NAME: its callers and figures.
paths_of() {
	jq -c "(.call_paths | map({key: (.node | tostring), value: .name}) | from_entries) as \$names |
		[.call_paths[] | select(.class == \"Program\" and .name == \"$1\") |
		[\$names[.parent | tostring], .count_before, .count_after, .change]] | sort" out
}
expect "paths to Cheap" "$(paths_of 'Cheap (int)')" \
	'[["<Main>m__# (int)",1,2,"both"],["Only ()",0,1,"new"],["Work (int)",100,250,"both"]]'
expect_json "calls on all paths" '(.call_paths | group_by([.class, .name]) |
	map(map(.count_before) | add) | map(select(. > 0)) | sort) ==
	(.methods | group_by([.class, .name]) | map(map(.calls_before) | add) | map(select(. > 0)) | sort)' true
mprof diff --json --tree=calls --class=Kept old.mprof new.mprof
expect_json "paths to one class" '[.call_paths[] | select(.class == "Program") | .name]' '["Main ()","Work (int)"]'
mprof diff --json --sites --tree=allocations old.mprof new.mprof
expect_json "sums of call paths" '[.call_paths[0].total_before, .call_paths[0].total_after] ==
	[([.call_paths[].self_before] | add), ([.call_paths[].self_after] | add)]' true
expect_json "sums of allocations" '[.call_paths[0].total_before, .call_paths[0].total_after] ==
	[([.allocation_sites[].bytes_before] | add), ([.allocation_sites[].bytes_after] | add)]' true
mprof diff --tree=allocations --min-percent=5 --class=Program old.mprof new.mprof
expect_status 0 "allocations by path"
expect_line out '^ +2,400 +6,000 +\+3,600 +\+150\.0 % +\+3,[0-9]+ +Program\.Work \(int\)$'
expect_no_line out 'Cheap'
mprof diff --tree --min-percent=0.1 old.mprof old.mprof
expect "lines of an equal tree" "$(grep -c ' %' out)" 1

# Call sites
mprof diff --json --sites --class=Kept old.mprof new.mprof
expect_json "sites of Kept" '[.allocation_sites[] | [.objects_before, .objects_after, .stack[:2]]]' \
	'[[100,250,["Program.Work (int)","Program.Main ()"]]]'
mprof diff --sites --class=Kept old.mprof new.mprof
expect_line out '^ +in Program\.Work \(int\)$'

# Comma-separated values
mprof diff --csv=allocations --class=Kept old.mprof new.mprof
expect_status 0 "one table"
expect "one table" "$(cut -d, -f1,3-6 out | xargs)" \
	"name,objects_before,objects_after,bytes_before,bytes_after Kept,100,250,2400,6000"
mprof diff --csv old.mprof new.mprof
expect "all tables" "$(grep -cE '^(methods|allocations),' out)" \
	"$(($(jq '.methods + .allocations | length' <("$MPROF" diff --json old.mprof new.mprof))))"
mprof diff --csv=nothing old.mprof new.mprof
expect_status 1 "no such table"
expect_line err "^mprof: diff: there are no rows in a table 'nothing'$"

# Limits
mprof diff --fail-above=150% --class=Kept --of=allocations old.mprof new.mprof
expect_status 0 "growth of just the limit"
mprof diff --fail-above=149.9% --class=Kept --of=allocations old.mprof new.mprof
expect_status 1 "growth above the limit"
expect_line err '^mprof: diff: limit exceeded: allocations of Kept: 100 before, 250 after, \+150 \(\+150\.0 %\)$'
mprof diff --json --fail-above=151 --method=Cheap --of=calls old.mprof new.mprof
expect_status 1 "calls above the limit"
expect_json "calls above the limit" .exceeded '[{"of":"calls","name":"Program.Cheap (int)","before":101,"after":253}]'
mprof diff --fail-above=152 --method=Cheap --of=calls old.mprof new.mprof
expect_status 0 "calls at the limit"
mprof diff --fail-above=1k --class=Kept old.mprof new.mprof
expect_status 1 "bytes above the limit"
mprof diff --fail-above=5% --class=Kept new.mprof old.mprof
expect_status 0 "fewer bytes"
mprof diff --normalize --class=Kept old.mprof new.mprof
expect_status 0 "shares"
expect_line out '^ +[0-9.]+ % +[0-9.]+ % +\+[0-9.]+ .*Kept$'
