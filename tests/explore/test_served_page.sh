#!/bin/bash
# SPDX-License-Identifier: MIT
# A page that "mprof explore --serve" serves shows more of a log while it grows, and then all of it; the views can be used
# meanwhile; it connects to its server alone; when the server ends, what has arrived is shown.
set -eu
. "$srcdir/tests/explore/support.sh"

"$builddir/tests/tool/make_timeline" whole.mprof || fail "make_timeline"
mprof report --json whole.mprof
mv out whole.json
mprof dump --json --blocks whole.mprof
jq -s '[.[] | select(.block == "events") | .offset]' out >offsets
in_browser served.mjs "$MPROF"
