#!/bin/bash
# SPDX-License-Identifier: MIT
# Parts of the benchmark run to their end, and reading a log in columns yields all of its events. Figures are not
# checked: they depend on the machine.
set -eu
. "$srcdir/tests/tool/support.sh"

test -z "${MPROF_SANITIZED-}" || skip "measurements are not built with sanitizers"
test -e "$builddir/examples/native/.libs/libmprof-instrument.so" || skip "built without the recorder"
"${MAKE:-make}" -C "$builddir" tests/bench/bench >build.txt 2>&1 || fail "make: $(tail -5 build.txt)"

"$builddir/tests/bench/bench" --quick layouts columns drain model >out 2>err || fail "bench: $(cat err)"
expect_line out '^  input: made of calls alone, 2097152 events$'
expect_line out '^  columns read into structs .*target: ratio 0\.50, (not )?met$'
expect_line out '^  symbols and IDs .*target: ratio 0\.05, (not )?met$'
expect_line out '^  calls, from buffers to a file .*target: 10\.0 ns, (not )?met$'
expect_line out '^  lost events of 8 threads  *0\.00 '
expect "parts" "$(grep -cE '^[A-Z].*\((layouts|columns|drain|model)\)$' out)" 4

"$builddir/tests/bench/bench" nothing >out 2>err && fail "a part that does not exist runs"
expect_line err '^usage: bench '
"$builddir/tests/bench/bench" --quick --log="$work/none" layouts >out 2>err && fail "a log that does not exist is read"
expect_line err 'cannot open the file of --log'
