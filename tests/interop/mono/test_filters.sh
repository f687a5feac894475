#!/bin/bash
# SPDX-License-Identifier: MIT
# --only and --not for allocations and samples: which are recorded, also if the filters change while the program runs, and
# that the log states it.
set -eu
. "$srcdir/tests/interop/mono/support.sh"
. "$srcdir/tests/interop/mono/controlled.sh"

compile Filtered

# allocated OPTIONS: the numbers of Items and Boxes in the log of a run with these options.
allocated() {
	profiled "$1,quiet,output=filtered.mprof" Filtered.exe
	check_complete filtered.mprof
	"$MPROF" report --json --top=0 filtered.mprof >report.json
	jq -r '[("Item", "Box") as $name | [.classes[] | select(.name == "Filtered." + $name).allocations] | add // 0] | @csv' \
		report.json
}

# Two threads allocate the same objects. Of each 700 Items, Wanted.Make allocates 100 for Main and 100 for Other,
# Other.Make 100 for Wanted, 100 for the deep recursion of Wanted and 200 for Main, and the constructor of Box 100.
while read -r options items boxes; do
	expect "$options" "$(allocated "$options")" "$items,$boxes"
done <<'END'
alloc 1400 200
alloc,only=Filtered.Wanted 800 0
alloc,only=Filtered.Wanted:Deeply 200 0
alloc,only=namespace:Filtered 1400 200
alloc,only=NoSuch.* 0 0
alloc,not=Filtered.Other 600 0
alloc,not=Filtered.Box 1200 200
alloc,not=assembly:mscorlib 1400 200
alloc,only=Filtered.Wanted,not=Filtered.Other 400 0
alloc,only=Filtered.*,not=Filtered.Program 1400 200
alloc,only=Filtered.Other,only=Filtered.Box 1200 200
alloc=stack,only=Filtered.Wanted 800 0
alloc=stack:1k,only=Filtered.Wanted 800 0
alloc=caller,only=Filtered.Wanted 800 0
alloc=objects,only=Filtered.Wanted 800 0
alloc=stack,stack-depth=2,only=Filtered.Wanted 800 0
calls,alloc=stack,only=Filtered.Wanted,not=Filtered.Other 400 0
END

# Stacks are complete, also those that are longer than what is recorded.
expect "places" "$(allocated alloc=stack,stack-depth=3,only=Filtered.Wanted:Deeply)" 200,0
expect "a deep stack" "$(jq -c '[.allocation_stacks[] | select(.class == "Filtered.Item") | .stack | length] | unique' \
	report.json)" '[4]'
expect "a place" "$(allocated alloc=stack,only=Filtered.Wanted:Indirectly)" 200,0
expect "its stack" "$(jq -r '[.allocation_stacks[] | select(.class == "Filtered.Item") | .stack[:3] | join(" < ")] |
	unique[]' report.json)" "Filtered.Other.Make () < Filtered.Wanted.Indirectly () < Filtered.Program.Allocate ()"

# What the log states
expect "filters in JSON" "$(allocated "alloc,only=Filtered.Wanted,only=A.*,not=B" >/dev/null
	jq -c '.session.filters | [(.only | sort), .not, .changed]' report.json)" '[["A.*","Filtered.Wanted"],["B"],false]'
"$MPROF" report --all filtered.mprof | grep '^filters' >line
grep -q ' only=Filtered.Wanted .*not=B: allocations of other methods are missing$' line || fail "report: $(cat line)"
"$MPROF" info filtered.mprof | grep -q '^filters ' || fail "mprof info does not name the filters"
allocated alloc >/dev/null
expect "no filters" "$(jq .session.filters report.json)" null

# Samples: half of the processor time is spent below Wanted.Work, and half below Other.Idle, all of it in Other.Spin.
# sampled OPTIONS: which of the two are on the stack of a sample
sampled() {
	profiled "sample=1000,$1quiet,output=sampled.mprof" Filtered.exe 400
	check_complete sampled.mprof
	"$MPROF" report --json --tree sampled.mprof >report.json
	jq -r 'def below($name): [.sample_tree | .. | objects | select(.name? == "Filtered." + $name)] | length > 0;
		[below("Wanted.Work (int)"), below("Other.Idle (int)")] | @csv' report.json
}
expect "all samples" "$(sampled "")" true,true
expect "samples below Wanted" "$(sampled only=Filtered.Wanted,)" true,false
expect "samples that were left out" "$(jq '.session.sampling.discarded > 0' report.json)" true
"$MPROF" report --all sampled.mprof | grep -q '^filters .*: samples of other methods are missing$' ||
	fail "report does not name the filters"
expect "samples below Idle" "$(sampled only=Filtered.Other:Idle,)" false,true
# What Spin calls is sampled nevertheless.
sampled not=Filtered.Other, >/dev/null
expect "samples in Other" "$(jq '[.samples[] | select(.name == "Filtered.Other.Spin (int)").hits] | add // 0' report.json)" 0
expect "samples not in Wanted" "$(sampled not=Filtered.Wanted,)" true,true
# Precompiled code calls the program's, too.
expect "samples not in the class library" "$(sampled not=System.*,)" true,true

# Filters that change while the program runs
start_filtered() {
	coproc program { exec mono --profile="mprof:$1" Filtered.exe -200 2>err; }
	program_id=$program_PID
	answered ready
}
sets() {
	local wanted=$1
	shift
	control 0 "$program_id" "$@"
	expect "$*" "$(cat out)" "$wanted"
}
items() {
	figure '[.classes[] | select(.name == "Filtered.Item").allocations] | add // 0'
}
start_filtered alloc=stack,sample=1000,output=changed.mprof
expect "only, in the status" "$(fact only)" off
sets only=NoSuch only NoSuch
send once
sets only=Filtered.Wanted only Filtered.Wanted
send once
sets not=Filtered.Other not Filtered.Other
send once
sets only=off only off
send once
sets not=off not off
control 1 "$program_id" only class:
finish
check_complete changed.mprof
"$MPROF" report --json --tree changed.mprof >report.json
expect "Items with changing filters" "$(items)" $((400 + 200 + 300))
expect "samples of Spin below Wanted and below Idle" "$(figure '[("Wanted.Work (int)", "Other.Idle (int)") as $name |
	[.sample_tree | .. | objects | select(.name? == "Filtered." + $name) | .. | objects |
		select(.name? == "Filtered.Other.Spin (int)" and .hits > 0)] | length > 0] | @csv')" true,false
expect "changed filters" "$(figure '.session.filters | [.only, .not, .changed] | tojson')" '[[],[],true]'
"$MPROF" report --all changed.mprof | grep -q '^filters  *none at the end, changed while the program ran: allocations, samples' ||
	fail "report does not state that the filters changed"
expect "markers" "$(figure '[.marks[].text] | join(";")')" "mprof control: only NoSuch;\
mprof control: only Filtered.Wanted;mprof control: not Filtered.Other;mprof control: only off;mprof control: not off"
