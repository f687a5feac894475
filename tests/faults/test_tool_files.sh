#!/bin/bash
# SPDX-License-Identifier: MIT
# Commands of the tool with each call on files failing: with EIO, alone and from one call on, with no space left, with an
# interruption, and with reads and writes of single bytes. A copy exists completely or not at all, and no other file
# remains.
set -eu
. "$srcdir/tests/faults/support.sh"

for name in mono-blocks good-heap bad-checksum; do
	for command in check info dump report decode; do
		with_faults io $command "$logs/$name.mprof"
	done
	with_faults io convert "$logs/$name.mprof" -
done

mkdir made
export FAULT_OUT=$work/made/copy.mprof
for name in mono-blocks good-heap bad-checksum good-no-end; do
	for dialect in mprof2 mono; do
		with_faults io convert --dialect=$dialect "$logs/$name.mprof" "$FAULT_OUT"
	done
	test -n "${MPROF_WITHOUT_ZLIB-}" || with_faults io convert --compress "$logs/$name.mprof" "$FAULT_OUT"
done

# The same where the file existed before.
export FAULT_BEFORE=$work/before.mprof
cp "$logs/good-mail.mprof" before.mprof
test -z "${FAULT_SEEN-}" || export FAULT_SEEN=$work/other_call_stacks
with_faults io convert "$logs/mono-blocks.mprof" "$FAULT_OUT"
with_faults memory convert "$logs/mono-blocks.mprof" "$FAULT_OUT"

echo "$faults faults"
