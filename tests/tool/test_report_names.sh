#!/bin/bash
# SPDX-License-Identifier: MIT
# "mprof report" prints full names for programs, and shortens them on a terminal but keeps the method's own name.
# Branches of trees are left out by exact shares.
set -eu
. "$srcdir/tests/tool/support.sh"

make_trees names shares

method='Truth.Générique`2<int, System.Collections.Generic.List`1<string>>.Añadir (System.Collections.Generic.Dictionary`2<string, int[]>,System.Collections.Generic.IEnumerable`1<System.Func`2<int, string>>,int&,long&)'
constructor='Truth.Générique`2<int, System.Collections.Generic.List`1<string>>..ctor (System.Collections.Generic.IEnumerable`1<System.Tuple`2<int, string>>)'
class='System.Collections.Generic.Dictionary`2/Entry<string, System.Collections.Generic.List`1<System.Tuple`2<string, string>>>[]'

# Two tables of methods, the call tree, the sample tree, the table of samples, and a stack contain each of the methods.
mprof report --all names.mprof
expect "the method in full" "$(grep -cF "$method" out)" 6
expect "the constructor in full" "$(grep -cF "$constructor" out)" 6
expect "the class in full" "$(grep -cF "$class" out)" 2
# Sentences are short.
sed '/^What stands out/,/^$/d' out >tables
expect_no_line tables '\.\.\.'

# A container may have no pseudo-terminals.
if script -qec true /dev/null </dev/null >/dev/null 2>&1; then
	script -qec "stty cols 160; '$MPROF' report --all --no-pager names.mprof" typescript </dev/null >/dev/null || fail "report on a terminal"
	expect "the method on a terminal" "$(grep -cF 'Truth.Générique`2<int, System.Collections.Generic.List`1<string>>.Añadir (...)' typescript)" 6
	expect "the constructor on a terminal" "$(grep -cF '`1<string>>..ctor (...)' typescript)" 6
	expect "the class on a terminal" "$(grep -cF '  ...Dictionary`2/Entry<string, System.Collections.Generic.List`1<System.Tuple`2<string, string>>>[]' typescript)" 1
fi

# 2 of 248 are 0.8 percent, 3 are 1.2.
mprof report --all shares.mprof
expect "branches above a percent" "$(sed -n '/^Call tree/,/^Samples/p' out | grep -c 'Shares.Above')" 1
expect "branches below a percent" "$(sed -n '/^Call tree/,/^Samples/p' out | grep -c 'Shares.Below')" 0
expect "samples below a percent" "$(sed -n '/^Sample tree/,/^Allocations/p' out | grep -c 'Shares.Below')" 0
# rows PERCENT: the number of the three branches in each of the trees.
rows() {
	mprof report --json --min-percent="$1" shares.mprof
	jq -c '[.call_tree, .sample_tree | .[0].children | length]' out
}
expect "a share of 0.8 percent" "$(rows 0.8)" '[3,3]'
expect "a share of 0.81 percent" "$(rows 0.81)" '[2,2]'
expect "a share of 1.2 percent" "$(rows 1.2)" '[2,2]'
expect "a share of 1.21 percent" "$(rows 1.21)" '[1,1]'
