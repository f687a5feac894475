#!/bin/bash
# SPDX-License-Identifier: MIT
# The comparison with other tools records all events of its C program with libmprof and with each tool that is
# installed, and reads them. Figures are not checked: they depend on the machine.
set -eu
. "$srcdir/tests/tool/support.sh"

test -z "${MPROF_SANITIZED-}" || skip "measurements are not built with sanitizers"
test -e "$builddir/examples/native/.libs/libmprof-instrument.so" || skip "built without the recorder"

bash "$srcdir/tests/bench/peers/peers.sh" 2 0.02 >out 2>err || fail "peers: $(cat err)"
expect_line out '^C program alone  *20440 events, '
# Name, two times, bytes, lost events, time to read
number='-?[0-9]+\.[0-9]+'
expect_line out "^libmprof [0-9.]+, mprof report +$number +$number +$number +0 +$number\$"
expect_line out "^writer in the format of spall +$number +$number +$number +0 +-\$"
! grep -q '^uftrace' out || expect_line out "^uftrace [^ ]+ +$number +$number +$number +0 +$number\$"
! grep -q '^LTTng-UST' out || expect_line out "^LTTng-UST .* +$number +$number +$number +0 +$number\$"
! grep -q '^libmprof, mprof report, Mono' out || expect_line out "^libmprof, mprof report, Mono .* +- +$number +$number +0 +$number\$"
