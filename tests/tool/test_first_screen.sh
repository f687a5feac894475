#!/bin/bash
# SPDX-License-Identifier: MIT
# The first screen of "mprof report": what stands out, as in the document; lines and their number are limited; commands
# can be run; sections that are named have contents.
set -eu
. "$srcdir/tests/tool/support.sh"
needs jq

make_logs full sample memory
make_trees names shares

# sentences: those of the text, one on each line.
sentences() {
	sed -n '/^What stands out/,/^$/p' out | awk '/^ *[0-9]+\. / { if (n++) print line; line = $0; next }
		/^    mprof / { print line; n = 0; next } n { sub(/^ +/, " "); line = line $0 } ' | sed 's/^ *[0-9]*\. //'
}

check_screen() {
	mprof report "$1.mprof"
	test "$status" -le 1 || fail "$1: status $status"
	test "$(wc -l <out)" -le 70 || fail "$1: $(wc -l <out) lines"
	expect "$1: sections" "$(grep -cE '^(What stands out|Further sections)' out)" 2
	# Commands are to be copied, so they are not wrapped.
	expect "$1: long lines" "$(grep -vE '^    mprof ' out | LC_ALL=C.UTF-8 grep -E '^.{81}' || true)" ''
	sentences >text.lines
	sed -n '/^Further sections/,$p' out | tail -n +2 | tr -d ' \n' | tr , '\n' >sections
	mprof report --json "$1.mprof"
	expect "$1: number" "$(jq '.findings | length' out)" "$(wc -l <text.lines)"
	expect "$1: order" "$(jq '[.findings[].severity] | . == (sort | reverse)' out)" true
	expect "$1: keys" "$(jq -c '[.findings[] | keys_unsorted] | unique' out)" '[["kind","severity","text","command","section"]]'
	jq -r '.findings[].command' out >commands
	test -s commands || fail "$1: nothing stands out"
	while read -r line; do
		PATH=$builddir/examples/mprof:$PATH bash -c "$line" >/dev/null 2>err || test $? = 1 || fail "$1: $line: $(cat err)"
	done <commands
	while read -r section; do
		mprof report --sections="$section" "$1.mprof"
		test "$(wc -l <out)" -gt 1 || fail "$1: section $section is empty"
	done <sections
	mprof report --all "$1.mprof"
	expect_line out '^Totals'
}

for log in full sample memory names shares; do
	check_screen "$log"
done

# The library writes numbers of sentences as the tool writes those of tables: bytes, counts and shares of memory.
mprof report --all memory.mprof
sentences >text.lines
for label in 'bytes not freed' 'not freed' 'peak'; do
	number=$(sed -n "s/^  $label  *//p" out | head -n 1)
	grep -qF -- "$number" text.lines || fail "$label: no sentence has $number: $(cat text.lines)"
done

# What holds a heap that grew, as "mprof heap --leaks" has it. A log that cannot be read twice has the command only.
make_tree ending ending.mprof 4
mprof heap --leaks ending.mprof
holder=$(sed -n 's/^    held by //p' out | head -n 1)
test -n "$holder" || fail "no holder: $(cat out)"
mprof report --json ending.mprof
jq -r '.findings[] | select(.kind == "heap-growth") | .text' out >growth
grep -qF -- " more are held by $holder." growth || fail "$holder: $(cat growth)"
"$MPROF" report --json - <ending.mprof 2>err | jq -r '.findings[] | select(.kind == "heap-growth") | .text' >growth
grep -q ' hold .* more\.$' growth || fail "standard input: $(cat growth)"
test ! -s err || fail "standard input: $(cat err)"

# What was chosen is printed alone; filters by name concern all tables.
mprof report --sections=threads full.mprof
expect_no_line out '^What stands out'
mprof report --class='Game.*' full.mprof
expect_no_line out '^What stands out'

# A long name is not shortened if that is asked for.
mprof report --full-names names.mprof
expect_line out 'Añadir \(System\.Collections\.Generic\.Dictionary'
