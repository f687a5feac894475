#!/bin/bash
# SPDX-License-Identifier: MIT
# The example of counted references: each death is matched with its allocation, and what cycles keep is alive at the end.
set -eu
. "$srcdir/tests/tool/support.sh"
needs jq

"${REFCOUNT:-$builddir/examples/small/refcount/refcount}" refcount.mprof || fail "the example ended with $?"
mprof check refcount.mprof
expect_status 0 "check"
mprof info --json refcount.mprof
expect_json info '.events["object-freed"]' 6001
expect_json info '.events["object-resized"]' 1000
mprof report --json --types --alive-at=end refcount.mprof
expect_status 0 "report"
expect "classes" "$(jq -c '.types | map([.class, .allocations, .dead, .live]) | sort' out)" \
	'[["List",1000,1000,0],["Pair",5015,5001,14]]'
expect "all objects" "$(jq -c '.age_totals | [.allocations, .dead, .live, .unmatched_deaths, .missing_deaths,
	.unmatched_moves, .estimate]' out)" '[6015,6001,14,0,0,0,false]'
expect "alive at the end" "$(jq -c '.alive | map([.class, .live]) | sort' out)" '[["Pair",14]]'
