#!/bin/bash
# SPDX-License-Identifier: MIT
# Like test_counts.sh, for kinds that are recorded only on request: monitors, finalizers, handles; also names in other
# scripts, and domains unloaded while threads run; and the programs of that test again with everything recorded.
set -eu
. "$srcdir/tests/interop/mono/support.sh"

for program in Monitors Finalizers Handles Names Unloading Dynamic Exceptions Generics Native Threads; do
	compile $program
	recorded "$everything" $program || fail "$program ended with status $?: $(cat $program.stderr)"
	check_complete $program.mprof
	check_facts $program.facts $program.mprof
	expect "$program: names missing" "$(grep -c "without a name" $program.stderr)" 0
	# Threads of an unloaded domain are ended anywhere, even in the first instructions of a method.
	test $program = Unloading || check_balance $program.mprof
	echo "$program: $(wc -l <$program.facts) facts"
done

# alone OPTIONS PROGRAM EVENTS: records one kind alone. The log has the events in the program's facts, and no others: no
# kind depends on others being recorded.
alone() {
	profiled "$1,quiet,output=alone.mprof" "$2.exe" | grep "^${1%%[s=]*}" >alone.expected
	check_complete alone.mprof
	check_facts alone.expected alone.mprof
	expect "$1: events" "$(info alone.mprof '.events | with_entries(select(.value > 0)) | keys | join(" ")')" "$3"
}
alone monitor Monitors "monitor monitor-holder"
alone finalizers Finalizers "finalization-end finalization-start finalizer-end finalizer-start"
alone handles Handles "handle-created handle-deleted"

# Handles of one type alone
for type in normal pinned weak weak-track; do
	profiled "handles=$type,quiet,output=one.mprof" Handles.exe | grep "	$type	" >one.expected
	check_facts one.expected one.mprof
	"$MPROF" report --json one.mprof >report.json
	expect "handles=$type: types" "$(jq -r '[.handles[].type] | unique | join(" ")' report.json)" $type
done

# A domain's methods reuse the addresses of those of earlier domains. Each has its own name nevertheless: all names of
# the program are present, and no others.
"$MPROF" report --json Unloading.mprof >report.json
expect "names of methods" "$(jq -r '[.methods[] | select(.assembly == "Unloading" and (.wrapper | not)) |
	"\(.class).\(.name)"] | unique[]' report.json)" "Unloading.Program.LoadAndUnload (object)
Unloading.Program.Main ()
Unloading.Program.RunSteadily ()
Unloading.Program.Steady (int)
Unloading.Token..ctor ()
Unloading.Worker..ctor ()
Unloading.Worker.Step (int)
Unloading.Worker.Work (int)"
expect "names of classes" \
	"$(jq -r '[.classes[] | select(.assembly == "Unloading").name] | unique | join(" ")' report.json)" \
	"<Module> Unloading.Program Unloading.Token Unloading.Worker"
expect "methods and classes without a name" \
	"$(jq '[.methods[], .classes[] | select(.name == null)] | length' report.json)" 0
