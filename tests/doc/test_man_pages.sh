#!/bin/bash
# SPDX-License-Identifier: MIT
# The manual pages that are made of the headers have every public function with its prototype, its text and all of its
# parameters. All pages are of this version, refer to pages that exist, and can be formatted without a warning.
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
	grep -v '^#' "$header" | tr '\n' ' ' | sed -e 's|/\*|\n/*|g' | sed -e 's|/\*.*\*/||' | tr '\n' ' ' | grep -oE 'MPROF_API [^;{]*;' || true
done | sed -E 's/MPROF_API |MPROF_NODISCARD //g; s/[[:space:]]+/ /g; s/\( /(/g' | LC_ALL=C sort >"$scratch/declared"
test "$(wc -l <"$scratch/declared")" -gt 200 || fail "only $(wc -l <"$scratch/declared") prototypes were found"

version=$(sed -n 's/^#define MPROF_VERSION_STRING "\(.*\)"$/\1/p' include/mprof/base.h)
mkdir "$scratch/pages"
cp doc/mprof.1 doc/man/mprof.3 "$scratch/pages"
for header in include/mprof/*.h; do
	name=${header##*/}
	"${AWK:-awk}" -v version="$version" -v srcdir="$srcdir" -f doc/man/page.awk "$header" >"$scratch/pages/mprof_${name%.h}.3"
done
cd "$scratch/pages"

# Its synopsis: bold lines that begin or continue a prototype.
sed -n '/^\.SH SYNOPSIS/,/^\.SH DESCRIPTION/s/^\.B "\(.*\)"$/\1/p' mprof_*.3 | grep -vE '^(#|static)' | tr '\n' ' ' |
	sed -E 's/[[:space:]]+/ /g; s/; /;\n/g; s/\\-/-/g' | LC_ALL=C sort >"$scratch/shown"
if ! diff -u "$scratch/declared" <(grep -Fxf "$scratch/declared" "$scratch/shown"); then
	fail "the pages do not have the prototypes of the headers (-)"
fi

# Each function has its own text, with all of its parameters.
awk '
	FILENAME ~ /declared$/ {
		match($0, /mprof_[a-z0-9_]+\(/)
		name = substr($0, RSTART, RLENGTH) ")"
		list = substr($0, RSTART + RLENGTH)
		sub(/\);$/, "", list)
		gsub(/\[\]/, "", list)
		count[name] = list == "void" ? 0 : split(list, parameters, ",")
		for (i = 1; i <= count[name]; i++) {
			sub(/.*[ *]/, "", parameters[i])
			wanted[name, i] = parameters[i]
		}
		next
	}
	/^\.S[SH]/ { current = $2 }
	/^Since version [0-9]/ { has_text[current] = 1 }
	/^\.I / { has[current, $2] = 1 }
	END {
		for (name in count) {
			if (!has_text[name])
				print "no text: " name
			for (i = 1; i <= count[name]; i++)
				if (!((name, wanted[name, i]) in has))
					print "not described: " wanted[name, i] " of " name
		}
	}' "$scratch/declared" mprof_*.3 >"$scratch/missing"
test ! -s "$scratch/missing" || fail "$(LC_ALL=C sort "$scratch/missing")"
if sed -s '/^\.SH EXAMPLES/,$d' mprof_*.3 | grep -E '\\e(brief|param|return|p|c) |\*/' | grep -v '/\*.*\*/'; then
	fail "comments are not converted"
fi

# The examples are programs of the tutorial, which are tested.
grep -rhoE '^ \* Example: .*' "$srcdir"/include/mprof | sed -E 's/^ \* Example: (.*)\.$/\1/' >"$scratch/examples"
test "$(wc -l <"$scratch/examples")" -gt 5 || fail "only $(wc -l <"$scratch/examples") pages have an example"
while read -r example; do
	grep -qF "\\fB$example\\fP of the source tree" mprof_*.3 || fail "$example is on no page"
done <"$scratch/examples"
test "$(cat mprof_*.3 | grep -c 'int main(')" = "$(wc -l <"$scratch/examples")" || fail "an example is not shown"

for page in *; do
	grep -q "^\.TH .* \"libmprof $version\" " "$page" || fail "$page is not of version $version"
	for other in $(sed -n 's/^\.BR \(mprof[a-z_]*\) (\([13]\)).*/\1.\2/p' "$page"); do
		test -e "$other" || fail "$page refers to $other, which does not exist"
	done
	grep -qF ".BR ${page%.*} (" mprof.3 || test "$page" = mprof.3 ||
		fail "mprof.3 does not refer to $page"
done

if command -v groff >/dev/null; then
	for page in *; do
		groff -man -Tutf8 -ww -z "$page" 2>"$scratch/warnings" || fail "groff cannot format $page"
		test ! -s "$scratch/warnings" || fail "$page: $(head -5 "$scratch/warnings")"
	done
fi

test $status = 0 || exit $status
if ! command -v groff >/dev/null; then
	echo "SKIP: the pages are complete, but groff is missing: install it to have them formatted"
	exit 77
fi
