#!/bin/bash
# SPDX-License-Identifier: MIT
# A file has at most 1,200 lines, a function at most 60, and a line at most 120 columns: apart from tables,
# examples and the files that are listed here with a reason. A program in examples/small has fewer than 300 lines.
set -eu
cd "$srcdir"

status=0
fail() {
	echo "FAIL: $1"
	status=1
}

# One item after the other, so that a split would only hide what is missing: the functions that are called with NULL, the
# size of every struct. A public header is all of its subject.
long_files="include/mprof/format.h include/mprof/profile.h include/mprof/recorder.h"
long_functions="lib/library.c tests/abi/test_null.c"

# except LIST: without the lines that begin with a file of it. An entry that is not needed any more is a failure.
except() {
	local text file
	text=$(cat)
	for file in $1; do
		if grep -q "^$file " <<<"$text"; then
			text=$(grep -v "^$file " <<<"$text" || true)
		else
			echo "$file is listed in this test without need"
		fi
	done
	printf '%s' "$text"
}

mapfile -t sources < <(find lib include examples tests -name '*.[ch]' | LC_ALL=C sort)
test ${#sources[@]} -gt 300 || fail "found ${#sources[@]} sources"
mapfile -t pages < <(find examples tests -name '*.js' -o -name '*.mjs' -o -name '*.d.ts' -o -name '*.css')
mapfile -t scripts < <(find tests .ci bootstrap -name '*.sh' -o -path .ci/run -o -name bootstrap 2>/dev/null)

# The body of a function is between a line "{" and the next line that begins with "}".
function_lengths() {
	awk 'FNR == 1 { start = 0 } /^{/ { start = FNR }
		/^}/ { if (start && FNR - start - 1 > limit) printf "%s line %d: %d lines\n", FILENAME, start, FNR - start - 1
			start = 0 }' limit="$1" "${@:2}"
}

# The script finds what is too long.
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
{ echo 'int main(void)'; echo '{'; yes '	call();' | head -61; echo '}'; } >"$scratch/long.c"
test "$(function_lengths 60 "$scratch/long.c")" = "$scratch/long.c line 2: 61 lines" || fail "a long function is not found"
test -z "$(function_lengths 61 "$scratch/long.c")" || fail "a function of the greatest length is found"

too_long=$(wc -l "${sources[@]}" "${pages[@]}" "${scripts[@]}" | awk '$1 > 1200 && $2 != "total" { print $2 " has " $1 " lines" }' |
	except "$long_files")
test -z "$too_long" || fail "files of more than 1,200 lines: $too_long"

too_long=$(find examples/small -name '*.c' -exec wc -l {} + | awk '$1 >= 300 && $2 != "total" { print $2 " has " $1 " lines" }')
test -z "$too_long" || fail "thin programs of 300 lines or more: $too_long"

too_long=$(function_lengths 60 "${sources[@]}" | except "$long_functions")
test -z "$too_long" || fail "functions of more than 60 lines: $too_long"

# awk blanks out what is not looked at, grep counts characters and not bytes.
too_long=
for document in *.md doc/*.md; do
	lines=$(awk '/^ *```/ { example = !example } { print example || /^[|]/ ? "" : $0 }' "$document" |
		LC_ALL=C.UTF-8 grep -nE '^.{121}' | cut -d: -f1 | paste -sd' ') || true
	test -z "$lines" || too_long+=" $document:${lines// /,}"
done
# Tests contain lines of logs, which cannot be broken.
mapfile -t narrow < <(printf '%s\n' "${sources[@]}" "${pages[@]}" |
	grep -E '^(lib|include|examples)/.*\.[ch]$|^examples/(vscode|wasm)/')
# The files that may have such lines: a tab has up to 8 columns, a character up to 4 bytes.
for file in $(awk '{ tabs = gsub(/\t/, "&"); if (length($0) + 7 * tabs > 120) print FILENAME }' "${narrow[@]}" | uniq); do
	lines=$(expand -t8 "$file" | LC_ALL=C.UTF-8 grep -nE '^.{121}' | cut -d: -f1 | paste -sd' ') || true
	test -z "$lines" || too_long+=" $file:${lines// /,}"
done
test -z "$too_long" || fail "lines of more than 120 columns: $too_long"

exit $status
