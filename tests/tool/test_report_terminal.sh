#!/bin/bash
# SPDX-License-Identifier: MIT
# On a terminal, the names in "mprof report" fit its width, and the text has color and a pager; in a pipe, names are
# full and there is neither.
set -eu
. "$srcdir/tests/tool/support.sh"
needs script

make_logs sample full
make_tree names names.mprof
long='Truth.Générique`2<int, System.Collections.Generic.List`1<string>>.Añadir (System.Collections.Generic.Dictionary`2<'

# The terminal must not have settings of the caller.
unset COLUMNS NO_COLOR PAGER LESS
export TERM=xterm

# on_terminal COLUMNS ARGUMENT...: the output of mprof report on a terminal, without carriage returns.
on_terminal() {
	local columns=$1
	shift
	status=0
	script -qec "stty cols $columns rows 50; $(printf '%q ' "$MPROF" report --all "$@")" /dev/null \
		</dev/null 2>/dev/null >typescript || status=$?
	tr -d '\r' <typescript >out
}
widest() {
	sed 's/\x1b\[[0-9;]*m//g' out | wc -L
}
colors() {
	grep -c $'\x1b' out || true
}

# Full names in a pipe, without color.
mprof report --all names.mprof
expect_status 0 "report in a pipe"
grep -qF "$long" out || fail "a name is shortened in a pipe"
expect "colors in a pipe" "$(colors)" 0
PAGER='echo pager' mprof report --all names.mprof
grep -q '^pager' out && fail "a pager in a pipe"

# The width of the terminal; the method's own name is kept.
for columns in 80 100 110; do
	on_terminal $columns --no-pager --sections=methods names.mprof
	expect_status 0 "report on a terminal of $columns columns"
	found=$(widest)
	test "$found" -le $columns || fail "$found characters on a line of $columns"
	test "$found" -ge $((columns - 40)) || fail "only $found characters on a line of $columns"
	grep -qF Añadir out || fail "$columns columns: the name of the method is missing: $(cat out)"
done
# A shell sets COLUMNS to the width of the terminal if it has one.
COLUMNS=90 on_terminal 0 --no-pager --sections=methods names.mprof
test "$(widest)" -le 90 || fail "COLUMNS=90: $(widest) characters"
on_terminal 80 --no-pager --full-names --sections=methods names.mprof
grep -qF "$long" out || fail "a name is shortened with --full-names"

# Color: only on a terminal, not with NO_COLOR, unless it is requested.
on_terminal 80 --no-pager sample.mprof
test "$(colors)" -gt 3 || fail "no color on a terminal"
on_terminal 80 --no-pager --color=never sample.mprof
expect "colors with --color=never" "$(colors)" 0
NO_COLOR=1 on_terminal 80 --no-pager sample.mprof
expect "colors with NO_COLOR" "$(colors)" 0
NO_COLOR='' on_terminal 80 --no-pager sample.mprof
test "$(colors)" -gt 3 || fail "an empty NO_COLOR"
NO_COLOR=1 on_terminal 80 --no-pager --color=always sample.mprof
test "$(colors)" -gt 3 || fail "no color with --color=always and NO_COLOR"
TERM=dumb on_terminal 80 --no-pager sample.mprof
expect "colors with TERM=dumb" "$(colors)" 0
mprof report --all sample.mprof
cp out plain
mprof report --all --color=always sample.mprof
test "$(colors)" -gt 3 || fail "no color with --color=always in a pipe"
sed -i 's/\x1b\[[0-9;]*m//g' out
cmp -s plain out || fail "the text with color differs from the text without: $(diff plain out)"
mprof report --all --color=sometimes sample.mprof
expect_status 2 --color=sometimes

# The pager gets the text; one that ends early is no error.
PAGER='sed s/^/paged:/' on_terminal 80 sample.mprof
expect_status 0 "a pager"
grep -q '^paged:.*Totals' out || fail "the pager did not get the text: $(head -3 out)"
PAGER='head -n 1' on_terminal 80 full.mprof
expect_status 0 "a pager that ends early"
expect "lines of a pager that ends early" "$(wc -l <out)" 1
for pager in '' cat; do
	PAGER=$pager on_terminal 80 sample.mprof
	grep -q 'Totals' out || fail "PAGER='$pager'"
done
PAGER='sed s/^/paged:/' on_terminal 80 --no-pager sample.mprof
grep -q '^paged:' out && fail "a pager with --no-pager"
PAGER='sed s/^/paged:/' on_terminal 80 --json sample.mprof
grep -q '^paged:' out && fail "a pager for JSON"

# The header is one line, and what is missing in the log follows.
mprof report --all sample.mprof
expect "the second line" "$(sed -n 2p out | cut -c1-4)" lost
expect_line out '^sample\.mprof: .*, [0-9]+ events, .*, complete$'
head -c 300 sample.mprof >short.mprof
mprof report --all short.mprof
expect_status 1 "a truncated log"
expect_line out '^short\.mprof: .*, incomplete or damaged$'
expect_line out '^state +damaged or truncated: valid up to byte'
mprof report --sections=session sample.mprof
expect_line out '^dialect +mprof2'
