#!/bin/bash
# SPDX-License-Identifier: MIT
# The terminal sessions in README.md: each command succeeds, and prints the lines that are shown. Needs Mono, its compiler
# and the modules.
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

# Numbers and units depend on the run.
normal() {
	sed -E 's/[0-9][0-9.,]*(e[+][0-9]+)?/N/g; s/N (ns|us|ms|s|B|kB|MB|GB)( |$)/N\2/g; s/ +/ /g; s/^ //' "$@"
}

# check_output COMMAND: the lines shown after it, in the file shown, are in what it printed, the file printed. Which rows
# are in a table of times depends on the run: these have a percentage.
check_output() {
	local line
	while IFS= read -r line; do
		case $line in
		... | '' | *' % '*) ;;
		*) grep -qxF -- "$line" <(normal printed) || fail "'$1' does not print: $line" ;;
		esac
	done < <(normal shown)
}

commands=0
run_session() {
	local line command=
	: >shown
	while IFS= read -r line; do
		if [[ $line != '$ '* ]]; then
			echo "$line" >>shown
			continue
		fi
		test -z "$command" || check_output "$command"
		command=${line#'$ '}
		command=${command//\/usr\/local\/lib\/mprof/$native}
		: >shown
		bash -c "$command" >printed 2>&1 || fail "'$command' ended with $?: $(tail -5 printed)"
		commands=$((commands + 1))
	done <"$1"
	test -z "$command" || check_output "$command"
}

for session in $(awk -v language=console -v prefix=session -f "$srcdir/tests/doc/snippets.awk" "$srcdir/README.md"); do
	run_session "$session"
done
test "$commands" -ge 10 || fail "README.md has $commands commands"
