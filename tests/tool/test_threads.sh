#!/bin/bash
# SPDX-License-Identifier: MIT
# The output of commands does not depend on the number of threads that decode events, also for damaged logs.
set -eu
. "$srcdir/tests/tool/support.sh"

# same LOG COMMAND [ARGUMENT...]: output and exit status are the same with one thread and with several.
same() {
	local log=$1 wanted
	shift

	mprof "$@" --threads=1 "$log"
	wanted=$status
	mv out expected
	mv err expected_err
	for number in 2 3 8; do
		mprof "$@" --threads=$number "$log"
		expect_status "$wanted" "$* --threads=$number $log"
		cmp -s expected out || fail "$* --threads=$number $log: other output"
		cmp -s expected_err err || fail "$* --threads=$number $log: other messages"
	done
}

# A log of mprof2 with many blocks of events, and the same in columns.
make_logs sample
mprof convert sample.mprof rows.mprof
if test -n "${MPROF_SAMPLES-}"; then
	mprof convert "$MPROF_SAMPLES/f-everything.mprof" rows.mprof
fi
mprof convert --columns rows.mprof columns.mprof

for log in rows.mprof columns.mprof; do
	same $log report --json
	same $log report --csv --tree
	same $log info --json
	same $log check
	same $log export --to=folded
	same $log export --to=speedscope
	same $log flame --output=-
	same $log heap
	same $log explore --output=-
	for number in 1 2 5; do
		mprof convert --threads=$number $log converted.$number
		cmp converted.1 converted.$number || fail "convert --threads=$number $log"
	done
	mprof diff --threads=1 --json $log $log
	mv out expected
	mprof diff --threads=4 --json $log $log
	cmp -s expected out || fail "diff --threads=4 $log"
done

# Damage and truncation at many places.
for log in rows.mprof columns.mprof; do
	length=$(stat -c %s $log)
	for part in 1 2 4; do
		at=$((length * part / 5))
		cp $log damaged.mprof
		printf '\377\376' | dd of=damaged.mprof bs=1 seek=$at conv=notrunc status=none
		same damaged.mprof report --json
		head -c $at $log >truncated.mprof
		same truncated.mprof report --json
	done
done

# Long logs of the other dialects, in mprof2.
if test -n "${MPROF_SAMPLES-}"; then
	find "$MPROF_SAMPLES" -name '*.mprof' -printf '%s %p\n' | sort -rn | sed -n '1,4s/^[0-9]* //p' >samples
	test -s samples || fail "no samples"
	while read -r sample; do
		mprof convert "$sample" converted.mprof
		same converted.mprof report --json
	done <samples
	same "$MPROF_SAMPLES/f-calls.mprof" report --json
fi

# Standard input may be a file or a pipe.
timeout 60 "$MPROF" report --json --threads=1 - <rows.mprof >expected || fail "standard input"
timeout 60 "$MPROF" report --json --threads=4 - <rows.mprof >out || fail "standard input"
cmp expected out || fail "standard input: other output"
timeout 60 cat rows.mprof | timeout 60 "$MPROF" report --json --threads=1 - >expected || fail "pipe"
timeout 60 cat rows.mprof | timeout 60 "$MPROF" report --json --threads=4 - >out || fail "pipe"
cmp expected out || fail "pipe: other output"

for number in 0 65 x ''; do
	mprof report --all --threads=$number rows.mprof
	expect_status 2 "--threads=$number"
	expect_line err 'is not a number from 1 to 64'
done
