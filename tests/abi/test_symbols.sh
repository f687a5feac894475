#!/bin/bash
# SPDX-License-Identifier: MIT
# The public headers, the version script, the test of NULL and the shared library name the same functions.
set -eu

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
status=0

# Prints what differs between two sorted lists: compare WHAT EXPECTED FOUND
compare() {
	diff -u "$2" "$3" >"$scratch/difference" && return
	echo "FAIL: $1 and the functions of the headers (-) differ:"
	sed 1,2d "$scratch/difference"
	status=1
}

expected=$scratch/headers
"$srcdir/tests/abi/list_symbols.sh" "$srcdir/include/mprof" >"$expected"
test "$(wc -l <"$expected")" -gt 200 || { echo "FAIL: the headers have only $(wc -l <"$expected") functions"; exit 1; }

sed -n 's/^\t\(mprof_[a-z0-9_]*\);$/\1/p' "$srcdir/lib/libmprof.map" | LC_ALL=C sort >"$scratch/map"
compare "lib/libmprof.map" "$expected" "$scratch/map"

# What may still change has a version node of its own.
mkdir "$scratch/unstable"
sed -n '/^#ifdef MPROF_UNSTABLE$/,/^#endif$/p' "$srcdir"/include/mprof/*.h >"$scratch/unstable/parts.h"
"$srcdir/tests/abi/list_symbols.sh" "$scratch/unstable" >"$scratch/unstable_functions"
sed -n '/^MPROF_UNSTABLE/,$s/^\t\(mprof_[a-z0-9_]*\);$/\1/p' "$srcdir/lib/libmprof.map" | LC_ALL=C sort >"$scratch/unstable_node"
if ! diff -u "$scratch/unstable_functions" "$scratch/unstable_node"; then
	echo "FAIL: the version node MPROF_UNSTABLE does not hold the functions that are not stable"
	status=1
fi

grep -o 'mprof_[a-z0-9_]*(' "$srcdir/tests/abi/test_null.c" | tr -d '(' | LC_ALL=C sort -u >"$scratch/null"
compare "the functions that tests/abi/test_null.c calls" "$expected" "$scratch/null"

library=$builddir/lib/.libs/libmprof.so
if ! test -e "$library"; then
	echo "SKIP: no shared library was built"
	test $status = 0 || exit 1
	exit 77
fi

# NM may come with options. A node of the version script is a symbol too, of type A. What is undefined comes from other libraries.
${NM:-nm} -D --defined-only "$library" |
	awk '$(NF-1) != "A" { sub(/@.*/, "", $NF); print $NF }' |
	LC_ALL=C sort >"$scratch/library"

compare "the symbols of libmprof.so" "$expected" "$scratch/library"

if ! readelf -d "$library" 2>/dev/null | grep -q 'SONAME.*\[libmprof\.so\.0\]'; then
	echo "FAIL: the SONAME is not libmprof.so.0"
	status=1
fi

exit $status
