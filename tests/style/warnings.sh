#!/bin/bash
# SPDX-License-Identifier: MIT
# A compiler reads every file of the library and of the examples without a warning. Nothing is built, which takes a
# fraction of the time.
#
# warnings.sh BUILD COMPILER [OPTION...]: the compiler takes the place of the one for which that directory is configured.
# Nothing may have been built there, or make would not list all files.
set -eu

build=${1:?a directory that is configured}
shift

make -s -C "$build" compile_commands.json
cd "$build"
jq -r '.[] | select(.file | test("(^|/)(lib|examples)/")) | .command' compile_commands.json |
	sed -E "s/^([^ ]*ccache )?(clang|gcc|gcc -m32) /$* -fsyntax-only -Werror /" | LC_ALL=C sort -u >commands
count=$(wc -l <commands)
test "$count" -gt 400 || {
	echo "FAIL: only $count files would be read"
	exit 1
}
xargs -P "$(nproc)" -d '\n' -n 1 sh -c <commands
echo "PASS: $* reads $count files without a warning"
