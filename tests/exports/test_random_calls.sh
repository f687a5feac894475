#!/bin/bash
# SPDX-License-Identifier: MIT
# All that follows the calls of threads takes random sequences of events for the same (doc/format.md, 4.3): enters and
# leaves that are missing, leaves that end several frames, recursion, starts and ends of threads.
set -eu
# shellcheck source=tests/exports/followers.sh
. "$srcdir/tests/exports/followers.sh"

for seed in 1 2 3; do
	echo "seed $seed"
	python3 "$srcdir/tests/exports/random_calls.py" $seed 900 calls >words
	make_events log.mprof
	oracle totals >all
	totals 1-4
	same_reports
	same_copies
	same_exports 1-4
	same_times
	same_frames
	same_page
done
