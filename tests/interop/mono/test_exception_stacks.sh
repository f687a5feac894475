#!/bin/bash
# SPDX-License-Identifier: MIT
# Call stacks of exceptions: the number thrown at each place is known.
set -eu
. "$srcdir/tests/interop/mono/support.sh"

compile Thrown

# sites LOG: a line for each place where exceptions were thrown, in the form that the program prints.
sites() {
	"$MPROF" report --json --top=0 "$1" >report.json
	jq -r '.exception_stacks[] | ["site", .class, .count,
		([.stack[] | select(startswith("Thrown.")) | .[7:]] | join(" < "))] | @tsv' report.json
}

for options in exceptions=stack "$everything,exceptions=stack"; do
	profiled "$options,quiet,output=thrown.mprof" Thrown.exe >expected
	check_complete thrown.mprof
	sites thrown.mprof | LC_ALL=C sort >sites.tsv
	LC_ALL=C sort expected | LC_ALL=C comm -23 - sites.tsv >missing
	test ! -s missing || fail "$options: missing: $(cat missing)"$'\n'"but: $(cut -c -300 sites.tsv)"
	expect "$options: exceptions by class and by place" \
		"$(jq '([.exceptions[].count] | add) == ([.exception_stacks[].count] | add)' report.json)" true
	expect "$options: frames without a name" \
		"$(jq '[.exception_stacks[].stack[] | select(. == null)] | length' report.json)" 0
done

# The most frequent first, also in the text.
"$MPROF" report --all --top=1 thrown.mprof | sed -n '/^Exceptions by call site/,/^$/p' >text
expect "text" "$(sed -n 's/^ *//; 2,3p' text)" $'30  Thrown.Problem\nThrown.Program.Deep (int)'

# The requested depth
profiled "exceptions=stack,stack-depth=1,quiet,output=shallow.mprof" Thrown.exe >/dev/null
sites shallow.mprof >/dev/null
expect "stack-depth=1" "$(jq -c '.exception_stacks[0] | .class, .count, .stack' report.json)" \
	$'"Thrown.Problem"\n51\n["Thrown.Program.Deep (int)","[truncated]"]'

# Without call stacks, the events have none.
profiled "exceptions,quiet,output=plain.mprof" Thrown.exe >/dev/null
expect "exceptions without stacks" "$("$MPROF" report --json plain.mprof |
	jq -c '[.exception_stacks, (.exceptions[] | select(.class == "Thrown.Problem") | .count)]')" '[[],72]'

# A copy keeps the stacks; a format without them counts what it lacks.
"$MPROF" convert --dialect=mprof2 thrown.mprof copy.mprof
sites copy.mprof | LC_ALL=C sort | cmp - sites.tsv
