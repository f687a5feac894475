#!/bin/bash
# SPDX-License-Identifier: MIT
# Each public header compiles alone, in strict C99 and in C++11, without a warning; experimental sections are only for
# programs that ask for them.
set -eu

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
status=0

# try HEADER COMPILER...: compiles a file that includes only this header, twice.
try() {
	local header=$1
	shift
	printf '#include <%s>\n#include <%s>\nextern int nothing;\nint nothing;\n' "$header" "$header" >"$scratch/alone.c"
	"$@" -pedantic -Wall -Wextra -Werror -DMPROF_UNSTABLE -I"$srcdir/include" -fsyntax-only "$scratch/alone.c" && return
	echo "FAIL: $header does not compile with: $*"
	status=1
}

read -ra compiler <<<"${CC:-cc}"
cxx=$(command -v "${CXX:-c++}" || true)
for header in mprof.h $(cd "$srcdir/include" && ls mprof/*.h); do
	try "$header" "${compiler[@]}" -std=c99 -x c
	test -z "$cxx" || try "$header" "$cxx" -std=c++11 -x c++
done

# Without the macro, the experimental sections are not there.
printf '#include <mprof.h>\nextern int nothing;\nint nothing;\n' >"$scratch/stable.c"
"${compiler[@]}" -std=c99 -pedantic -Wall -Wextra -Werror -I"$srcdir/include" -fsyntax-only "$scratch/stable.c" || status=1
for name in mprof_frame_tree_create mprof_heap_set_create mprof_heap_diff_create mprof_profile_diff_create \
	mprof_live_window_create; do
	printf '#include <mprof.h>\nvoid *used = (void *)%s;\n' $name >"$scratch/experimental.c"
	if "${compiler[@]}" -I"$srcdir/include" -fsyntax-only "$scratch/experimental.c" 2>"$scratch/message"; then
		echo "FAIL: $name is there without MPROF_UNSTABLE"
		status=1
	fi
done

test $status = 0 || exit $status
if test -z "$cxx"; then
	echo "SKIP: compiled as C, but a C++ compiler is missing: install g++"
	exit 77
fi
