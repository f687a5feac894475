#!/bin/bash
# SPDX-License-Identifier: MIT
# Lists of files in makefiles, one file on a line, are sorted by bytes, after the variables that they begin with; no file
# is twice in a list.
set -eu
export LC_ALL=C
cd "$srcdir"

# A list starts at an assignment that ends with a backslash, and has lines of one word each.
awk '
function check(word) {
	if (word ~ /^\$/ && last == "")
		return
	if (last != "" && word <= last) {
		printf "%s:%d: %s: %s after %s\n", FILENAME, FNR, name, word, last
		bad = 1
	}
	last = word
	count++
}
FNR == 1 { name = "" }
name == "" && /^[A-Za-z_0-9]+ *\+?=.*\\$/ { name = $1; last = ""; next }
name != "" && NF == 2 && $2 == "\\" { check($1); next }
name != "" && NF == 1 && $1 != "\\" { check($1) }
{ name = "" }
END {
	if (count < 1000) {
		printf "only %d files were found\n", count
		bad = 1
	}
	exit bad
}' Makefile.am lib/Makefile.inc examples/Makefile.inc tests/Makefile.inc
