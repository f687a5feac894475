#!/bin/bash
# SPDX-License-Identifier: MIT
# The example that records coroutines: its log is sound, and each method is on the correct call path.
set -eu
. "$srcdir/tests/tool/support.sh"
needs jq

coroutines=${COROUTINES:-$builddir/examples/small/coroutines/coroutines}

"$coroutines" run.mprof || fail "the example ended with $?"
mprof check run.mprof
expect_status 0 "check"
mprof info --json run.mprof
expect_json info '[.events | ."method-enter", ."stack-switch", ."stack-end"]' '[3,4004,2]'
mprof report --json run.mprof
expect_json report '[.methods | sort_by(.name)[] | [.name, .calls, .line]]' \
	'[["consume",1,43],["produce",1,43],["schedule",1,70]]'
expect_json report '[.methods[] | .file | endswith("coroutines.c")] | all' true
expect_json report '[.totals.unmatched_leaves, .totals.unclosed_frames]' '[0,0]'
mprof dump run.mprof
expect_line out 'method [0-9]+ of class 0 schedule in .*coroutines\.c:70'

# decode follows the switches. A copy in another dialect has no switches but calls left and entered again, so it has the
# same times and more calls.
mprof decode run.mprof
expect_status 0 "decode"
for method in consume produce schedule; do
	expect_line out "^ ?[0-9.]+% \\([0-9.]+s, 1 calls\\) \\.$method\$"
done
sed 's/, [0-9]* calls)/)/' out >./times
mprof convert --dialect=mono run.mprof copy.mprof
expect_status 0 "convert"
mprof decode copy.mprof
expect_line out "^ ?[0-9.]+% \\([0-9.]+s, 1001 calls\\) \\.produce\$"
sed -e 's/, [0-9]* calls)/)/' -e '/^No allocations reported/d' out | diff times - || fail "times of the copy"
