#!/bin/bash
# SPDX-License-Identifier: MIT
# Relative links in the documents lead to files that exist, so do the paths that they name, and every document is listed
# in doc/README.md.
set -eu
cd "$srcdir"

status=0
fail() {
	echo "FAIL: $1"
	status=1
}

for document in *.md doc/*.md tests/data/README.md; do
	directory=$(dirname "$document")
	while read -r target; do
		case $target in
		http*) ;;
		*.*) test -e "$directory/${target%%#*}" || fail "$document: $target does not exist" ;;
		esac
	done < <(grep -o '\](\([^)]*\))' "$document" | sed 's/^](\(.*\))$/\1/')
done

# Paths from the top of the tree or, for files of the library, from lib. A test program is named without its suffix.
for document in *.md doc/*.md; do
	while read -r path; do
		test -e "$path" || test -e "lib/$path" || test -e "$path.c" ||
			fail "$document: $path does not exist"
	done < <(grep -oE '`((lib|include|tests|examples|doc)/[A-Za-z0-9_./-]+|[a-z]+/[a-z_]+\.[ch])`' "$document" | tr -d '`' |
		grep -v '^mprof/' || true)
done

for document in doc/*.md doc/mprof.1; do
	test "$document" = doc/README.md && continue
	grep -q "(${document#doc/})" doc/README.md || fail "doc/README.md does not list $document"
done

exit $status
