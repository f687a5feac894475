#!/bin/bash
# SPDX-License-Identifier: MIT
# doc/glossary.md is in alphabetical order, and the sections, files and identifiers that it refers to exist.
set -eu
cd "$srcdir"

status=0
fail() {
	echo "FAIL: doc/glossary.md: $1"
	status=1
}

# Lines TERM|FORMAT|CODE of the table.
rows=$(awk -F' *[|] *' '/^[|]/ && $2 != "term" && $2 !~ /^-/ { print $2 "|" $4 "|" $5 }' doc/glossary.md)
test "$(wc -l <<<"$rows")" -ge 60 || fail "fewer than 60 terms"

# What a reader takes for the order: capitals and punctuation do not count.
order() {
	cut -d'|' -f1 <<<"$rows" | tr '[:upper:]' '[:lower:]' | tr -cd 'a-z\n '
}
misplaced=$(diff <(order) <(order | LC_ALL=C sort) | sed -n 's/^< //p')
test -z "$misplaced" || fail "not in alphabetical order: $misplaced"
repeated=$(order | LC_ALL=C sort | uniq -d)
test -z "$repeated" || fail "defined twice: $repeated"

while IFS='|' read -r term format code; do
	# Sections after "dialects" are those of the other document.
	document=doc/format.md
	for section in ${format//,/ }; do
		if test "$section" = dialects; then
			document=doc/dialects.md
			continue
		fi
		grep -Eq "^#+ ${section//./\\.}[. ]" "$document" || fail "$term: $document has no section $section"
	done
	for name in $(grep -o '`[^`]*`' <<<"$code" | tr -d '`()'); do
		case $name in
		lib/*) test -e "$name" || fail "$term: $name does not exist" ;;
		*) grep -qw "${name##*::}" include/mprof/*.h || fail "$term: no public header has $name" ;;
		esac
	done
done <<<"$rows"

exit $status
