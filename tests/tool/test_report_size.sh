#!/bin/bash
# SPDX-License-Identifier: MIT
# The output of "mprof report --json" is less than ten times the size of any log, and is complete on request.
set -eu
. "$srcdir/tests/tool/support.sh"
needs jq

make_tree branches branches.mprof 16
make_tree places places.mprof 20000
make_tree chain chain.mprof 4000
make_tree memory memory.mprof 20000

for log in branches places chain memory; do
	mprof report --json $log.mprof
	expect_status 0 "report of $log"
	size=$(stat -c %s $log.mprof)
	test "$(stat -c %s out)" -lt $((10 * size)) || fail "$log: $(stat -c %s out) bytes for a log of $size"
done

# The tree has all branches above a share, and branches below it are counted.
mprof report --json branches.mprof
jq -e '.call_tree_min_percent > 0' out >/dev/null || fail "all of a large tree"
jq -e '[.. | objects | .hidden_children? // 0] | add > 0' out >/dev/null || fail "branches are left out without a count"
expect_json branches '[.methods[].calls] | add' 65535
mprof report --json --tree branches.mprof
expect_json "the whole tree" '[.call_tree_min_percent, ([.. | objects | select(has("children"))] | length)]' '[0,65535]'
mprof report --json --min-percent=0.5 branches.mprof
expect_json "a share" .call_tree_min_percent 0.5

mprof report --json places.mprof
expect_json "places" '(.allocation_stacks | length) + .left_out.allocation_stacks' 20000
jq -e '.allocation_stacks | length > 20' out >/dev/null || fail "no places"
expect_json "the sum of classes" '.classes[] | select(.allocations > 0) | .allocations' 20000
mprof report --json --top=0 places.mprof
expect_json "all places" '[(.allocation_stacks | length), .left_out.allocation_stacks]' '[20000,0]'

mprof report --json memory.mprof
expect_json "places of native memory" '(.memory.places | length) + .left_out.memory_places' 20000
jq -e '.memory.places | length > 20' out >/dev/null || fail "no places of native memory"
expect_json "sizes" '[(.memory.sizes | length), .left_out.memory_sizes]' '[40,0]'
mprof report --json --top=0 memory.mprof
expect_json "all places of native memory" '[(.memory.places | length), .left_out.memory_places]' '[20000,0]'
