#!/bin/bash
# SPDX-License-Identifier: MIT
# Pictures show as waiting all functions in which samples of the library wait, of which clients have no list. Reading and
# writing is left out: that is work for the system as well.
set -eu
cd "$srcdir"

library=$(sed -n '/^\t{"[a-z_0-9]*", INNERMOST(MPROF_WAIT_IO)/d; s/^\t{"\([a-z_0-9]*\)", INNERMOST(.*/\1/p' \
	lib/model/records/samples.c | LC_ALL=C sort)
pictures=$(sed -n 's/^WAITING_FUNCTION("\(.*\)")$/\1/p' examples/mprof/flame/looks.def | LC_ALL=C sort)
if test "$(wc -l <<<"$library")" -lt 20; then
	echo "FAIL: the list of the library was not found: $library"
	exit 1
fi
missing=$(LC_ALL=C comm -23 <(echo "$library") <(echo "$pictures"))
if test -n "$missing"; then
	echo "FAIL: examples/mprof/flame/looks.def lacks $missing"
	exit 1
fi
