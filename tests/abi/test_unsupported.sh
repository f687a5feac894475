#!/bin/bash
# SPDX-License-Identifier: MIT
# A library without the recorder defines all functions of mprof/recorder.h, and they return that they are not supported.
set -eu

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
read -ra compiler <<<"${CC:-cc}"
flags=(-std=gnu11 -D_GNU_SOURCE -I"$builddir" -I"$srcdir/include" -I"$srcdir/lib" -include config.h)

mkdir "$scratch/header"
cp "$srcdir"/include/mprof/recorder.h "$scratch/header"
"$srcdir/tests/abi/list_symbols.sh" "$scratch/header" >"$scratch/expected"
"${compiler[@]}" "${flags[@]}" -c "$srcdir/lib/recorder/client/unsupported.c" -o "$scratch/unsupported.o"
${NM:-nm} -g --defined-only "$scratch/unsupported.o" | awk '{ print $3 }' | LC_ALL=C sort >"$scratch/found"
if ! diff -u "$scratch/expected" "$scratch/found"; then
	echo "FAIL: lib/recorder/client/unsupported.c does not define the functions of mprof/recorder.h"
	exit 1
fi

"${compiler[@]}" "${flags[@]}" "$srcdir/tests/abi/test_unsupported.c" "$scratch/unsupported.o" \
	"$srcdir/lib/base/error.c" "$srcdir/lib/base/caller_structs.c" -o "$scratch/test_unsupported"
"$scratch/test_unsupported"
