#!/bin/bash
# SPDX-License-Identifier: MIT
# Lists the words of banned_words.txt. Usage: banned_words.sh [--count | --files] [PATH...], with paths below the source
# tree; without any, all that is checked.
#
#   (nothing)  FILE:LINE: the word, what to write instead, and the line
#   --count    how many there are by directory
#   --files    how many there are by file
#
# The status is 1 if there are any.
set -eu
style=$(cd "$(dirname "$0")" && pwd)
cd "$style/../.."

show=lines
case ${1-} in
--count) show=count; shift ;;
--files) show=files; shift ;;
-*) sed -n 's/^# \{0,1\}//p' "$0" | sed -n 2,9p >&2; exit 2 ;;
esac
test $# -gt 0 || set -- include lib examples tests doc README.md CONTRIBUTING.md SECURITY.md bootstrap Makefile.am \
	configure.ac .ci

# Text that people wrote. The list itself and the documents that explain it have the words in them.
files() {
	local path
	for path in "$@"; do
		test -e "$path" || continue
		find "$path" -type f \( -name '*.[ch13]' -o -name '*.md' -o -name '*.js' -o -name '*.mjs' -o -name '*.ts' -o -name '*.sh' -o -name '*.inc' -o -name '*.awk' \
			-o -name '*.bash' -o -name '*.cs' -o -name '*.desc' -o -name '*.expected' -o -name '*.in' -o -name '*.am' -o -name '*.ac' \
			-o -name bootstrap -o -name run \)
	done | grep -vE '^(doc/(glossary|style)\.md|tests/style/.*|.*/Makefile\.in)$' | LC_ALL=C sort -u
}

# A word ends where neither a letter nor a digit, "_" or "-" follows: names such as bad-mono-after-end are left alone.
before='(^|[^[:alnum:]_-])'
after='($|[^[:alnum:]_-])'

# Lines FILE:LINE:RULE:INSTEAD:TEXT.
occurrences() {
	local rule pattern instead except
	mapfile -t paths < <(files "$@")
	test ${#paths[@]} -gt 0 || return 0
	while IFS=$'\t' read -r rule pattern instead except; do
		[[ $rule != '#'* && -n $rule ]] || continue
		{ LC_ALL=C grep -niE "$before($pattern)$after" /dev/null "${paths[@]}" || true; } |
			if test -n "$except"; then LC_ALL=C grep -viE "$except" || true; else cat; fi |
			awk -v rule="$rule" -v instead="$instead" '{
				match($0, /^[^:]*:[0-9]*:/)
				text = substr($0, RLENGTH + 1)
				gsub(/^[ \t]+/, "", text)
				printf "%s\t%s\t%s\t%s\n", substr($0, 1, RLENGTH - 1), rule, instead, substr(text, 1, 200)
			}'
	done <"$style/banned_words.txt"
}

found=$(occurrences "$@")
test -n "$found" || exit 0
case $show in
lines) awk -F'\t' '{ printf "%s: \"%s\": use %s\n\t%s\n", $1, $2, $3, $4 }' <<<"$found" ;;
files) cut -d: -f1 <<<"$found" | LC_ALL=C sort | uniq -c ;;
count) cut -d: -f1 <<<"$found" | sed 's|/[^/]*$||' | LC_ALL=C sort | uniq -c ;;
esac
exit 1
