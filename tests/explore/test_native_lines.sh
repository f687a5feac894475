#!/bin/bash
# SPDX-License-Identifier: MIT
# The page of "mprof explore" has the source lines and inlined functions of native code that the report has.
set -eu
. "$srcdir/tests/explore/support.sh"
. "$srcdir/tests/tool/code.sh"

write_app
gcc -g -O1 -Wl,--build-id -o app app.c || fail "gcc"
make_app_log app app.mprof
mprof explore -o app.html app.mprof
expect_status 0 "explore"
mprof flame --value=samples -o app.svg app.mprof
expect_status 0 "flame"
mprof report --json app.mprof
mv out app.json
in_browser native_lines.mjs

# Without debug information, functions are what was recorded.
mv app gone
mprof explore -o app.html app.mprof
expect_status 0 "explore without the program"
in_browser native_lines.mjs without
