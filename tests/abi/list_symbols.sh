#!/bin/sh
# SPDX-License-Identifier: MIT
# Prints the functions that the public headers in a directory declare, sorted: list_symbols.sh INCLUDE/mprof
set -eu

for header in "$1"/*.h; do
	# api.h defines the marker itself.
	test "${header##*/}" = api.h || cat "$header"
done |
	tr '\n\t' '  ' |
	grep -o 'MPROF_API [^(]*(' |
	sed 's/ *($//; s/.*[ *]//' |
	LC_ALL=C sort
