#!/bin/bash
# SPDX-License-Identifier: MIT
# Debug information that is truncated or damaged changes no number in a report: only lines and inlined functions are
# missing or wrong, and reading ends.
set -eu
. "$srcdir/tests/tool/support.sh"
. "$srcdir/tests/tool/code.sh"

# expect_samples WHAT: the report is complete, and contains the names that were recorded.
expect_samples() {
	mprof report --json app.mprof
	expect_status 0 "$1"
	expect_json "$1" '[.sample_count, (.samples | map(.hits) | add)]' '[5,5]'
	expect_json "$1" '[.samples[] | select(.name == "main") | .total_hits]' '[5]'
}

write_app
gcc -g -O2 -o whole app.c
cp whole app
make_app_log app app.mprof
expect_samples "the whole file"
expect_json "the whole file" '.debug_information[0].state' '"found"'

size=$(stat -c %s whole)
for part in 0 1 4 10 20 40 60 80 90 95 99; do
	head -c $((size * part / 100)) whole >app
	expect_samples "$part percent of the file"
	expect_json "$part percent of the file" '.debug_information[0].state != "found"' true
done

# Bytes of the sections with debug information, and of the table of sections at the end of the file.
readelf -SW whole | sed 's/^ *\[ *[0-9]*\] //' | awk '$1 ~ /^\.debug_/ { print $1, $4, $5 }' >sections
table=$(readelf -hW whole | sed -n 's/.*Start of section headers: *\([0-9]*\).*/\1/p')
printf 'table %x %x\n' "$table" $((size - table)) >>sections
expect "sections" "$(grep -c debug_info sections)" 1
parts="0 1 2 3 4 5 6 7"
test -z "${MPROF_SANITIZED-}" || parts="1 4 6"
while read -r section start length; do
	for part in $parts; do
		cp whole app
		change_byte app $((16#$start + 16#$length * part / 8 + part % 3))
		expect_samples "byte $part of $section"
	done
done <sections
