#!/bin/bash
# SPDX-License-Identifier: MIT
# Clauses that run because of exceptions: the number of runs of each is known.
set -eu
. "$srcdir/tests/interop/mono/support.sh"

compile Clauses

# clauses LOG: a line for each clause of the program that ran, in the form that the program prints.
clauses() {
	"$MPROF" report --json --top=0 "$1" |
		jq -r '.exception_clauses[] | select(.method | startswith("Clauses.Program.")) |
			[.method[16:], .kind, .clause, .class, .count] | @tsv' | LC_ALL=C sort
}

for options in exceptions=clauses "$everything,exceptions=stack+clauses"; do
	profiled "$options,quiet,output=clauses.mprof" Clauses.exe | LC_ALL=C sort >expected
	check_complete clauses.mprof
	clauses clauses.mprof >ran
	cmp expected ran || fail "$options:"$'\n'"$(diff expected ran)"
	expect "$options: problems" "$("$MPROF" report --json clauses.mprof |
		jq '.exceptions[] | select(.class == "Clauses.Problem").count')" 67
done

# Also in the text, the most frequent first.
"$MPROF" report --all --top=1 clauses.mprof | sed -n '/^Exception clauses by method/,/^$/p' | sed -n 3,4p >text
expect "text" "$(sed 's/^ *//' text)" $'30  catch    0  Clauses.Problem\nClauses.Program.Plain ()'

# Without being asked for, clauses are not recorded.
profiled "exceptions,quiet,output=plain.mprof" Clauses.exe >/dev/null
expect "not asked for" "$("$MPROF" report --json plain.mprof | jq -c .exception_clauses)" '[]'

# A copy keeps the clauses; one in a format without them counts them.
"$MPROF" convert --dialect=mprof2 clauses.mprof copy.mprof
clauses copy.mprof | cmp - ran
"$MPROF" convert --json --dialect=mono clauses.mprof classic.mprof >converted || test $? -eq 1
expect "left out" "$(jq '[.. | ."exception-clause"? | numbers] | add >= 87' converted)" true
