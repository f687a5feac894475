#!/bin/bash
# SPDX-License-Identifier: MIT
# clang-format would change no file. Other releases of it format otherwise, hence version 14 alone, which is Debian 12's.
set -eu

version=14
format=$(command -v clang-format-$version || command -v clang-format) || {
	echo "SKIP: clang-format is missing"
	exit 77
}
[[ $("$format" --version) == *" version $version."* ]] || {
	echo "SKIP: $format is not of version $version"
	exit 77
}
cd "$srcdir"
test -e .clang-format || {
	echo "SKIP: the style is not in the release archive"
	exit 77
}
mapfile -t sources < <(find examples include lib tests -name '*.[ch]' | LC_ALL=C sort)
test ${#sources[@]} -gt 100 || {
	echo "FAIL: only ${#sources[@]} sources were found"
	exit 1
}
"$format" --dry-run -Werror --ferror-limit=3 "${sources[@]}"
