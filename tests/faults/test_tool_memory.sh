#!/bin/bash
# SPDX-License-Identifier: MIT
# Each command of the tool on small logs, with each of its requests for memory refused, alone and with all later ones: it
# prints the usual output, or reports what it lacks and ends with a status other than 0; and it terminates. All logs of
# tests/data are tested if MPROF_FAULTS is set.
set -eu
. "$srcdir/tests/faults/support.sh"

if test -n "${MPROF_FAULTS-}"; then
	chosen=$(every_log)
else
	chosen=
	for name in good-heap mono-stack-continued mprof2-switches-memory \
		drop-blocks good-mail bad-checksum; do
		chosen="$chosen $logs/$name.mprof"
	done
fi

for log in $chosen; do
	all_commands memory "$log"
done
for log in good-heap mprof2-switches-memory; do
	for dialect in mprof2 mono drop mail; do
		with_faults memory convert --dialect=$dialect "$logs/$log.mprof" -
	done
done

# A tree that is measured before it is printed, since it is not printed completely.
make_tree branches branches.mprof 9
"$MPROF" report --json branches.mprof >out
! grep -q '"call_tree_min_percent": 0[,}]' out || fail "all of the tree is printed"
with_faults memory report --json branches.mprof

# Several heap snapshots are compared.
make_tree growing growing.mprof 3
with_faults memory heap --json --leaks growing.mprof
with_faults memory diff --json --shots=1,3 growing.mprof

# Objects as other tools read them.
with_faults memory export --to=hprof -o - growing.mprof
with_faults memory export --to=heapsnapshot --top=2 -o - growing.mprof

mkdir made
export FAULT_OUT=$work/made/copy.mprof
with_faults memory convert "$logs/mono-blocks.mprof" "$FAULT_OUT"
with_faults memory convert --json --close "$logs/good-no-end.mprof" "$FAULT_OUT"

echo "$faults faults"
