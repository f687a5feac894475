#!/bin/bash
# SPDX-License-Identifier: MIT
# What mprof-decoder of Mono 2 prints of a log with one of everything, written by the library in its dialect; and that our
# own tool finds no fault with it. Needs the package mono-profiler.
set -eu
. "$srcdir/tests/tool/support.sh"
needs mprof-decoder

TZ=UTC "$builddir/tests/interop/decoder/make_mono_log" one.mprof
TZ=UTC timeout 120 mprof-decoder one.mprof >one.text 2>one.errors || fail "mprof-decoder: status $?: $(cat one.errors)"
diff "$srcdir/tests/interop/decoder/written.expected" one.text || fail "mprof-decoder prints something else"
mprof check one.mprof
expect_status 0 "mprof check one.mprof"
