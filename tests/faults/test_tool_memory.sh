#!/bin/bash
# SPDX-License-Identifier: MIT
# Each command of the tool on small logs, with each of its requests for memory refused, and with that one and all later
# ones: it prints what it prints otherwise, or says what it lacks and does not end with 0; and it ends. All of tests/data
# with MPROF_FAULTS set.
set -eu
. "$srcdir/tests/faults/support.sh"

if test -n "${MPROF_FAULTS-}"; then
	chosen=$(every_log)
else
	chosen=
	for name in mprof2-class-sizes good-heap mono-blocks mono-stack-continued mprof2-switches-memory \
		unity-chains drop-blocks good-mail bad-checksum bad-mapping-twice; do
		chosen="$chosen $logs/$name.mprof"
	done
fi

for log in $chosen; do
	all_commands memory "$log"
	for dialect in mprof2 mono drop mail; do
		with_faults memory convert --dialect=$dialect "$log" -
	done
done

# A tree that is measured before it is printed, since it is not printed as a whole.
make_tree branches branches.mprof 9
"$MPROF" report --json branches.mprof >out
! grep -q '"call_tree_min_percent": 0[,}]' out || fail "all of the tree is printed"
with_faults memory report --json branches.mprof

mkdir made
export FAULT_OUT=$work/made/copy.mprof
with_faults memory convert "$logs/mono-blocks.mprof" "$FAULT_OUT"
with_faults memory convert --json --close "$logs/good-no-end.mprof" "$FAULT_OUT"

echo "$faults faults"
