#!/bin/bash
# SPDX-License-Identifier: MIT
# The terminal sessions in README.md and doc/tool.md: each command succeeds, and prints the lines that are shown. Needs
# Mono, its compiler and the modules.
set -eu
. "$srcdir/tests/tool/support.sh"

test -z "${MPROF_SANITIZED-}" || skip "mono cannot load a module built with sanitizers"
needs mono mcs cc
native=$builddir/examples/native/.libs
test -e "$builddir/examples/mono/.libs/libmono-profiler-mprof.so" || skip "the module for Mono was not built"
test -e "$native/libmprof-malloc.so" || skip "the modules for native programs were not built"

# What the sessions assume to be there. The modules are found beside the tool.
unset MPROF_MODULE_DIR
mkdir bin
printf '#!/bin/sh\nexec "%s" "$@"\n' "$MPROF" >bin/mprof
chmod +x bin/mprof
PATH=$work/bin:$PATH
mcs -out:app.exe "$srcdir/examples/small/demo/Demo.cs" || fail "mcs"
cat >program.c <<'END'
#include <stdlib.h>
static void *leak(void)
{
	return malloc(1000);
}
int main(void)
{
	return leak() == NULL;
}
END

# shellcheck source=tests/doc/sessions.sh
. "$srcdir/tests/doc/sessions.sh"

for document in "$srcdir/README.md" "$srcdir/doc/tool.md"; do
	prefix=$(basename "$document" .md)
	# Each begins without the logs of the other.
	rm -f ./*.mprof
	for session in $(awk -v language=console -v prefix="$prefix" -f "$srcdir/tests/doc/snippets.awk" "$document"); do
		run_session "$session"
	done
done
test "$commands" -ge 18 || fail "the documents have $commands commands"
