#!/bin/bash
# SPDX-License-Identifier: MIT
# The output of mprof-decoder of Mono 2 for a log with one of everything, written by the library in its dialect; mprof
# check finds no fault in it. Needs the package mono-profiler.
set -eu
. "$srcdir/tests/tool/support.sh"
needs mprof-decoder

TZ=UTC "$builddir/tests/interop/decoder/make_mono_log" one.mprof
TZ=UTC timeout 120 mprof-decoder one.mprof >one.text 2>one.errors || fail "mprof-decoder: status $?: $(cat one.errors)"
diff "$srcdir/tests/interop/decoder/written.expected" one.text || fail "mprof-decoder prints something else"
mprof check one.mprof
expect_status 0 "mprof check one.mprof"
