#!/bin/bash
# SPDX-License-Identifier: MIT
# What mprof diff prints about two builds of a Mono program of which one has a known additional cost.
set -eu
. "$srcdir/tests/tool/support.sh"
needs jq

modules=${MONO_MODULE_DIR:-$builddir/examples/mono/.libs}
for tool in mono mcs; do
	command -v $tool >/dev/null || skip "$tool is not installed"
done
test -e "$modules/libmono-profiler-mprof.so" && test -z "${MPROF_SANITIZED-}" || skip "needs the module for Mono, not instrumented"
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

# If not all rows fit, both ends are shown.
mprof diff --top=4 --sort=count new.mprof old.mprof
expect "rows" "$(sed -n '/^Methods/,/^$/p' out | grep -c '^ .*)')" 4
expect "the last row" "$(sed -n '/^Methods/,/^$/p' out | grep -A1 'Shrank the most' | grep -c ' 253 .* 101 .* Program\.Cheap')" 1

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

# A program that records waits and does not wait has 0 of them.
mprof record --force --monitor -o waits.mprof -- mono old/Program.exe
mprof diff --json --fail-above=0 --of=waits waits.mprof waits.mprof
expect_status 0 "no waits"
mprof diff --json --fail-above=0 --of=waits old.mprof waits.mprof
expect_status 1 "waits not recorded"
expect_json "waits not recorded" '.notes | map(select(test("^waits for monitors cannot be compared: the log before"))) |
	length' 1

# Shares add up to the whole, and rows are sorted by their growth.
mprof diff --json --normalize old.mprof new.mprof
expect_json "shares" '[[.allocations[].percent_before], [.allocations[].percent_after] | add |
	. > 99.999 and . < 100.001]' '[true,true]'
expect_json "shares" '[.allocations[] | .percent_after - .percent_before] | . == (sort | reverse)' true
mprof diff --normalize --fail-above=0% --class=Kept --of=allocated old.mprof new.mprof
expect_status 1 "a larger share"
expect_line err '^mprof: diff: limit exceeded: allocated of Kept: .*, [0-9.]+ % before, [0-9.]+ % after$'
mprof diff --normalize --fail-above=0% --class=System.AppDomain --of=allocated old.mprof new.mprof
expect_status 0 "a smaller share"
mprof diff --normalize --class=Kept old.mprof new.mprof
expect_status 0 "shares"
expect_line out '^ +[0-9.]+ % +[0-9.]+ % +\+[0-9.]+ .*Kept$'
