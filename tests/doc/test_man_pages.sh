#!/bin/bash
# SPDX-License-Identifier: MIT
# The manual pages of section 3 have the prototype of every public function, as the headers declare it, and describe each
# of them. All pages are of this version, refer to pages that exist, and can be formatted without a warning.
set -eu
cd "$srcdir"

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
status=0
fail() {
	echo "FAIL: $1"
	status=1
}

# One prototype a line, without comments, attributes and line breaks.
for header in include/mprof/*.h; do
	tr '\n' ' ' <"$header" | sed -e 's|/\*|\n/*|g' | sed -e 's|/\*.*\*/||' | tr '\n' ' ' | grep -oE 'MPROF_API [^;{]*;' || true
done | sed -E 's/MPROF_API |MPROF_NODISCARD //g; s/[[:space:]]+/ /g; s/\( /(/g' | LC_ALL=C sort >"$scratch/declared"

# The same of the pages: bold lines of the synopsis that begin or continue a prototype.
sed -n '/^\.SH SYNOPSIS/,/^\.SH DESCRIPTION/s/^\.B "\(.*\)"$/\1/p' doc/man/*.3 | grep -vE '^(#|cc )' | tr '\n' ' ' |
	sed -E 's/[[:space:]]+/ /g; s/; /;\n/g' | LC_ALL=C sort >"$scratch/shown"

if ! diff -u "$scratch/declared" "$scratch/shown"; then
	fail "the synopses in doc/man (+) are not the prototypes in include/mprof (-)"
fi
test "$(wc -l <"$scratch/declared")" -gt 200 || fail "only $(wc -l <"$scratch/declared") prototypes were found"

while read -r name; do
	grep -qE "^\.BR $name \(\)$" doc/man/*.3 || fail "$name is not described in doc/man"
done < <(grep -oE 'mprof_[a-z0-9_]+\(' "$scratch/declared" | tr -d '(')

version=$(sed -n 's/^#define MPROF_VERSION_STRING "\(.*\)"$/\1/p' include/mprof/version.h)
for page in doc/mprof.1 doc/man/*.3; do
	grep -q "^\.TH .* \"libmprof $version\" " "$page" || fail "$page is not of version $version"
	for other in $(sed -n 's/^\.BR \(mprof[a-z_]*\) (\([13]\)).*/\1.\2/p' "$page"); do
		test -e "doc/$other" || test -e "doc/man/$other" || fail "$page refers to $other, which does not exist"
	done
done

if command -v groff >/dev/null; then
	for page in doc/mprof.1 doc/man/*.3; do
		groff -man -Tutf8 -ww -z "$page" 2>"$scratch/warnings" || fail "groff cannot format $page"
		test ! -s "$scratch/warnings" || fail "$page: $(head -5 "$scratch/warnings")"
	done
fi

# Each example compiles, in a function that declares what it uses, and ignores no status that must be checked.
for page in doc/man/*.3; do
	grep -q '^\.EX$' "$page" || continue
	{
		cat <<-'END'
			#define MPROF_UNSTABLE
			#include <inttypes.h>
			#include <mprof.h>
			#include <stdio.h>
			void handle(const mprof_block *block, const mprof_event *events, size_t count);
			void example(mprof_reader *reader);
			void example(mprof_reader *reader)
			{
				mprof_converter *converter = NULL;
				mprof_writer *writer = NULL;
				mprof_profile *profile = NULL;
				mprof_writer_options options;
				mprof_event events[256];
				mprof_block block;
				mprof_status status;
				char name[256];
				size_t count;
		END
		sed -n '/^\.EX$/,/^\.EE$/p' "$page" | sed -e '/^\.E[XE]$/d' -e 's/\\e/\\/g'
		echo '}'
	} >"$scratch/example.c"
	"${CC:-cc}" -fsyntax-only -Wall -Wno-unused-variable -Werror -Iinclude "$scratch/example.c" ||
		fail "the example of $page does not compile"
done

test $status = 0 || exit $status
if ! command -v groff >/dev/null; then
	echo "SKIP: the pages are complete, but groff is missing: install it to have them formatted"
	exit 77
fi
