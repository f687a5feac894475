#!/bin/bash
# SPDX-License-Identifier: MIT
# All that follows the calls of threads takes random sequences of events for the same (doc/format.md, 4.3 and 4.8): enters
# and leaves that are missing, leaves that end several frames, recursion, starts and ends of threads, switches between
# call stacks, pauses of the recording, and stacks that are deeper than what is shown.
set -eu
# shellcheck source=tests/exports/followers.sh
. "$srcdir/tests/exports/followers.sh"

# No sequence reaches the limits, which the tool and the page repeat: they are those of the library and of doc/format.md.
# limits FILE LINES POWER: the exponents of two in those lines of the file.
limits() {
	grep -E "$2" "$srcdir/$1" | grep -oE "$3[0-9]+" | grep -oE '[0-9]+$' | LC_ALL=C sort -n | paste -sd' '
}
expected=$(limits lib/base/call_frames.h '^#define CALL_FRAMES_MAX(_SEARCHED)? ' '<< ')
test "$(wc -w <<<"$expected")" = 2 || fail "limits of the library: $expected"
same_limits() {
	test "$(limits "$@")" = "$expected" || fail "limits in $1: $(limits "$@"), not $expected"
}
same_limits examples/mprof/export/event_walk.c '^#define MAX_(FRAMES|SEARCHED) ' '<< '
same_limits examples/explore/call_reader.js '^const max(Frames|Searched) =' '2 \*\* '
same_limits doc/format.md '^\* (It need not know more than|If its failed searches)' '2\^'

for seed in 1 2; do
	echo "seed $seed"
	python3 "$srcdir/tests/exports/random_calls.py" $seed 900 calls >words
	all_the_same
done

# A call that continues on its stack later is several in exports, so calls are compared in reports alone.
for seed in 11 12; do
	echo "seed $seed, with switches"
	python3 "$srcdir/tests/exports/random_calls.py" $seed 900 switches >words
	make_events log.mprof
	oracle totals >all
	totals 1-4
	same_reports
	totals 1-3
	same_exports 1-3
	same_times
	same_frames gaps
	same_page
done

# Deeper than the stacks that are shown: calls end by their methods nevertheless. In order: a leave of a method that is
# not open, leaves of the method on top, of one that most of the frames are above, and of the outermost one.
echo "deep"
echo "@1 +1 +2*40000 +3*30000 -8 -3 -2 +4 -3 - -2 -1 +5 -5" >words
make_events log.mprof
oracle totals 65536 >all
totals 1-4
read_report log.mprof
report_all >found
same_rows "report"
for dialect in mono mprof2; do
	"$MPROF" convert --dialect=$dialect log.mprof copy.mprof || fail "convert to $dialect"
	read_report copy.mprof
	report_all >found
	same_rows "$dialect"
done
totals 1-3
export_log speedscope log.mprof log.speedscope --events
speedscope_calls log.speedscope | cut -f 1-3 >found
same_rows "speedscope"
