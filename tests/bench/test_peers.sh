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

# Spans with two arguments: each tool records them, and the files contain them.
mkdir spans
SPANS_KEEP=spans bash "$srcdir/tests/bench/peers/spans.sh" 1 500 >out 2>err || fail "spans: $(cat err)"
expect_line out '^500 spans with a number and a text: the best of 1 rounds, on .'
figures="( +$number){4}( +[0-9.-]+){4}\$"
expect_line out "^libmprof$figures"
expect_line out "^writer in the format of Perfetto$figures"
expect_line out "^writer of Chrome's JSON$figures"
! grep -q '^LTTng' out || expect_line out "^LTTng-UST, CTF$figures"
mprof info spans/mprof.file
expect_line out '^  typed +500$'
expect "spans in Chrome's JSON" "$(grep -c '"ph":"X"' spans/chrome.file)" 500
command -v python3 >/dev/null || skip "python3 is not installed: the rest was tested"
python3 "$srcdir/tests/exports/perfetto_rules.py" spans/perfetto.file >facts || fail "perfetto"
! grep '^fault' facts || fail "the reader of Perfetto would not read all"
expect "spans in the format of Perfetto" "$(awk '$1 == "calls" { print $2 }' facts)" 500
