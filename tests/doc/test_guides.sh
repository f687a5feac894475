#!/bin/bash
# SPDX-License-Identifier: MIT
# The guides: each command of their sessions succeeds and prints the lines that are shown, at most two of them lead to the
# answer, and each guide ends with a picture that mprof made, in less than 30 kB. Needs Mono, its compiler and the modules.
set -eu
. "$srcdir/tests/tool/support.sh"

test -z "${MPROF_SANITIZED-}" || skip "mono cannot load a module built with sanitizers"
needs mono mcs cc
native=$builddir/examples/native/.libs
test -e "$builddir/examples/mono/.libs/libmono-profiler-mprof.so" || skip "the module for Mono was not built"

unset MPROF_MODULE_DIR
mkdir bin
printf '#!/bin/sh\nexec "%s" "$@"\n' "$MPROF" >bin/mprof
chmod +x bin/mprof
PATH=$work/bin:$PATH
programs=$srcdir/examples/small/guide
for name in Leak Start Stutter Locks Server; do
	mcs -debug -out:"${name,}.exe" "$programs/$name.cs" || fail "mcs $name.cs"
done
mcs -debug -out:before.exe "$programs/Gate.cs" || fail "mcs Gate.cs"
mcs -debug -define:CHANGED -out:after.exe "$programs/Gate.cs" || fail "mcs Gate.cs"
cc -g -o leak "$programs/leak.c" || fail "cc leak.c"

# shellcheck source=tests/doc/sessions.sh
. "$srcdir/tests/doc/sessions.sh"

# guide NAME CAUSE: the picture of the page has the cause in it, and so has the one that its last command makes.
guide() {
	local page=$srcdir/doc/guide/$1.md picture=$srcdir/doc/guide/$1.svg session
	local before=$commands

	for session in $(awk -v language=console -v prefix="$1" -f "$srcdir/tests/doc/snippets.awk" "$page"); do
		run_session "$session"
	done
	test $((commands - before)) -ge 3 || fail "$1.md has no two commands and a picture"
	grep -qF "]($1.svg)" "$page" || fail "$1.md has no picture"
	test "$(wc -l <"$page")" -le 70 || fail "$1.md is more than a page"
	for file in "$picture" "$1.svg"; do
		grep -qF "$2" "$file" || fail "$file lacks $2"
		test "$(stat -c %s "$file")" -lt 30000 || fail "$file has $(stat -c %s "$file") bytes"
	done
}
guide leak Order
guide start FillTable
guide stutter FillCache
guide locks Locks.Work
guide server FormatReport
guide gate Gate.Count
mprof record --help
if grep -q -- ' --malloc' out && test -e "$native/libmprof-malloc.so"; then
	guide native-leak copy_name
fi
test "$commands" -ge 19 || fail "the guides have $commands commands"
for page in "$srcdir"/doc/guide/*.md; do
	name=$(basename "$page")
	test "$name" = README.md || grep -qF "($name)" "$srcdir/doc/guide/README.md" || fail "the list lacks $name"
done
