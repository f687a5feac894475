#!/bin/bash
# SPDX-License-Identifier: MIT
# The C snippets in the documents compile without a warning, and the program in README.md counts what is in a log.
set -eu
. "$srcdir/tests/tool/support.sh"

read -ra compiler <<<"${CC:-cc}"
read -ra sanitizers <<<"$(sed -n 's/^SANITIZER_FLAGS = *//p' "$builddir/Makefile")"
flags=(-std=c11 -Wall -Wextra -Werror -I"$srcdir/include" "${sanitizers[@]}")

programs=()
for document in "$srcdir"/*.md "$srcdir"/doc/*.md; do
	name=$(basename "$document" .md)
	for snippet in $(awk -v language=c -v prefix="$name" -f "$srcdir/tests/doc/snippets.awk" "$document"); do
		if grep -q '#include' "$snippet"; then
			cp "$snippet" "$snippet.c"
			programs+=("$snippet")
		else
			{ printf '#include <mprof.h>\n#include <stdatomic.h>\n'; cat "$snippet"; } >"$snippet.c"
		fi
		"${compiler[@]}" "${flags[@]}" -c "$snippet.c" -o "$snippet.o" || fail "$document, line ${snippet##*-}"
	done
done

# The program takes a log, and prints how many methods were entered.
expect "programs" "${#programs[@]} ${programs[*]%-*}" "1 README"
"$builddir/libtool" --silent --tag=CC --mode=link "${compiler[@]}" "${flags[@]}" -no-install "${programs[0]}.o" \
	"$builddir/lib/libmprof.la" -o count || fail "linking the program in README.md"
make_logs full
needs jq
mprof info --json full.mprof
wanted=$(jq '.events["method-enter"]' out)
test "$wanted" -gt 0 || fail "the log has no calls"
expect "output" "$(./count full.mprof)" "$wanted calls"
! ./count missing.mprof || fail "status for a file that does not exist"
