#!/bin/bash
# SPDX-License-Identifier: MIT
# emveepee starts a program under the module, stops and resumes the recording through the command port, and shows the
# log each time: without END while the program runs, and after the program has ended.
set -eu
. "$srcdir/tests/interop/decoder/support.sh"
. "$decoder_tests/windows.sh"

mcs -nologo -out:Runs.exe "$decoder_tests/Runs.cs" || fail "Runs.cs does not compile"

# between LINE LINE: the text shown between these lines.
between() {
	awk -v first="$1" -v last="$2" '$0 == last { exit } inside; $0 == first { inside = 1 }' shown
}

# runs TYPE STEP...: a session of this type, in which emveepee executes these steps until the program has ended. Its
# output is in the file shown, and the log in log.mprof.
runs() {
	local type=$1
	shift
	rm -f first.done second second.done third third.done end "$TMPDIR"/*
	windows shown "$emveepee" -- run "$work/Runs.exe" "$type" when first.done "$@" quit
	mv "$TMPDIR"/tmp*.tmp log.mprof
	check_complete log.mprof
	expect "$type: dialect" "$(info log.mprof .dialect)" mono
	decode log.mprof
	echo "$type: $(stat -c %s log.mprof) bytes"
}

# row FROM TO PATTERN: a row that matches is shown between these lines.
row() {
	between "$1" "$2" | grep -q "^$3\$" || fail "no row '$3' when $1: $(cat shown)"
}

second=(make second when second.done)
third=(make third when third.done make end)

# The 1000 steps made while recording is disabled are missing.
runs Allocations logging until "(2400 bytes)" say paused rows "${second[@]}" logging "${third[@]}" \
	until "(3600 bytes)" say ended rows
row paused ended '0	[ .0-9]*% (2400 bytes)	Runs.Small'
row ended "done" '0	[ .0-9]*% (3600 bytes)	Runs.Small'
row ended "done" '1	[ .0-9]*% (3600 bytes)	Runs.Program.Step ()'
decoded log.mprof "allocations Runs.Small 150 3600"

# Disabled at first, then enabled only for these steps.
runs "Allocations, off" logging "${second[@]}" logging until "(24000 bytes)" logging "${third[@]}" \
	until "(25200 bytes)" rows
decoded log.mprof "allocations Runs.Small 1050 25200"

# Last is called after recording was resumed.
runs Calls/Instrumented logging until "Runs.Program.Step ()" say paused rows "${second[@]}" logging "${third[@]}" \
	until "Runs.Program.Last ()" say ended rows
row paused ended '[0-9]	[ .0-9]*% ([0-9.]*s)	Runs.Program.Step ()'
row ended "done" '[0-9]	[ .0-9]*% ([0-9.]*s)	Runs.Program.Last ()'
decoded log.mprof "calls Runs.Program.Step () 150"
decoded log.mprof "calls Runs.Program.Last () 1"
decoded log.mprof "calls Runs.Program.Main () 1"

runs Statistical logging until "Runs.Program.Spin (int)" "${second[@]}" logging "${third[@]}" say ended \
	until "Runs.Program.Spin (int)" rows
test "$(grep -c "Runs.Program.Spin (int)" log.mprof.text)" -gt 0 || fail "samples: $(cat log.mprof.text)"
